# SPDX-License-Identifier: Apache-2.0
"""The hooks that programs use most: logging, stopping, checkpoints, summaries, NaN checks."""
import os
import time

import numpy as np

from leat.core.framework import summary_pb2
from leat.core.protobuf import config_pb2
from leat.core.util import event_pb2
from leat.python.client import timeline
from leat.python.framework import errors
from leat.python.framework import meta_graph
from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.platform import tf_logging as logging
from leat.python.training import session_run_hook
from leat.python.training import training_util
from leat.python.training.session_run_hook import SessionRunArgs

SessionLog = event_pb2.SessionLog


def _writer_of(folder):
    """The summary writer of a folder, which all hooks share."""
    from leat.python.summary.writer import writer_cache
    return writer_cache.FileWriterCache.get(folder)


class _HookTimer(object):
    """Says at which steps something is to be done."""

    def __init__(self):
        pass

    def reset(self):
        """Forgets what was done."""

    def should_trigger_for_step(self, step):
        raise NotImplementedError

    def update_last_triggered_step(self, step):
        """Done at this step: (seconds, steps) since the last time."""
        raise NotImplementedError

    def last_triggered_step(self):
        raise NotImplementedError


class SecondOrStepTimer(_HookTimer):
    """Every so many seconds, or steps."""

    def __init__(self, every_secs=None, every_steps=None):
        self.reset()
        self._every_secs = every_secs
        self._every_steps = every_steps
        if self._every_secs is None and self._every_steps is None:
            raise ValueError('Either every_secs or every_steps should be provided.')
        if (self._every_secs is not None) and (self._every_steps is not None):
            raise ValueError('Can not provide both every_secs and every_steps.')
        super(SecondOrStepTimer, self).__init__()

    def reset(self):
        self._last_triggered_step = None
        self._last_triggered_time = None

    def should_trigger_for_step(self, step):
        if self._last_triggered_step is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None and \
                time.time() >= self._last_triggered_time + self._every_secs:
            return True
        return self._every_steps is not None and \
            step >= self._last_triggered_step + self._every_steps

    def update_last_triggered_step(self, step):
        current_time = time.time()
        if self._last_triggered_time is None:
            elapsed_secs = None
            elapsed_steps = None
        else:
            elapsed_secs = current_time - self._last_triggered_time
            elapsed_steps = step - self._last_triggered_step
        self._last_triggered_time = current_time
        self._last_triggered_step = step
        return (elapsed_secs, elapsed_steps)

    def last_triggered_step(self):
        return self._last_triggered_step


class NeverTriggerTimer(_HookTimer):
    """Never."""

    def should_trigger_for_step(self, step):
        return False

    def update_last_triggered_step(self, step):
        return (None, None)

    def last_triggered_step(self):
        return None


def _step_tensor(hook_name):
    tensor = training_util._get_or_create_global_step_read()
    if tensor is None:
        raise RuntimeError('Global step should be created to use %s.' % hook_name)
    return tensor


def _as_graph_element(obj):
    """The graph's element of that name, or the object itself."""
    graph = ops.get_default_graph()
    if not isinstance(obj, str):
        if not hasattr(obj, 'graph') or obj.graph != graph:
            raise ValueError('Passed %s should have graph attribute that is equal to current '
                             'graph %s.' % (obj, graph))
        return obj
    if ':' in obj:
        element = graph.as_graph_element(obj)
    else:
        element = graph.as_graph_element(obj + ':0')
        try:
            graph.as_graph_element(obj + ':1')
        except (KeyError, ValueError):
            pass
        else:
            raise ValueError('Name %s is ambiguous, as this `Operation` has multiple outputs (at '
                             'least 2).' % obj)
    return element


class LoggingTensorHook(session_run_hook.SessionRunHook):
    """Logs values every so often, or at the end."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False,
                 formatter=None):
        only_log_at_end = at_end and (every_n_iter is None) and (every_n_secs is None)
        if not only_log_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError('either at_end and/or exactly one of every_n_iter and every_n_secs '
                             'must be provided.')
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError('invalid every_n_iter=%s.' % every_n_iter)
        if not isinstance(tensors, dict):
            self._tag_order = tensors
            tensors = {item: item for item in tensors}
        else:
            self._tag_order = sorted(tensors.keys())
        self._tensors = tensors
        self._formatter = formatter
        self._timer = (NeverTriggerTimer() if only_log_at_end else
                       SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter))
        self._log_at_end = at_end

    def begin(self):
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: _as_graph_element(tensor)
                                 for (tag, tensor) in self._tensors.items()}

    def before_run(self, run_context):
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def _log_tensors(self, tensor_values):
        original = np.get_printoptions()
        np.set_printoptions(suppress=True)
        elapsed_secs, _ = self._timer.update_last_triggered_step(self._iter_count)
        if self._formatter:
            logging.info(self._formatter(tensor_values))
        else:
            stats = ', '.join('%s = %s' % (tag, tensor_values[tag]) for tag in self._tag_order)
            if elapsed_secs is not None:
                logging.info('%s (%.3f sec)', stats, elapsed_secs)
            else:
                logging.info('%s', stats)
        np.set_printoptions(**original)

    def after_run(self, run_context, run_values):
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session):
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))


class StopAtStepHook(session_run_hook.SessionRunHook):
    """Ends the training at a step, or after so many."""

    def __init__(self, num_steps=None, last_step=None):
        if num_steps is None and last_step is None:
            raise ValueError('One of num_steps or last_step must be specified.')
        if num_steps is not None and last_step is not None:
            raise ValueError('Only one of num_steps or last_step can be specified.')
        self._num_steps = num_steps
        self._last_step = last_step

    def begin(self):
        self._global_step_tensor = _step_tensor('StopAtStepHook')

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        if run_values.results + 1 >= self._last_step:
            # What was read may be older than the update of this very run.
            if run_context.session.run(self._global_step_tensor) >= self._last_step:
                run_context.request_stop()


class CheckpointSaverListener(object):
    """Is told when a CheckpointSaverHook saves."""

    def begin(self):
        """When the hook begins."""

    def before_save(self, session, global_step_value):
        """Before each."""

    def after_save(self, session, global_step_value):
        """After each; True ends the training."""

    def end(self, session, global_step_value):
        """When the hook ends."""


class CheckpointSaverHook(session_run_hook.SessionRunHook):
    """Saves every so often, at the beginning and at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None,
                 checkpoint_basename='model.ckpt', scaffold=None, listeners=None):
        logging.info('Create CheckpointSaverHook.')
        if saver is not None and scaffold is not None:
            raise ValueError('You cannot provide both saver and scaffold.')
        self._saver = saver
        self._checkpoint_dir = checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners = listeners or []
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run):
        self._steps_per_run = steps_per_run

    def begin(self):
        self._summary_writer = _writer_of(self._checkpoint_dir)
        self._global_step_tensor = _step_tensor('CheckpointSaverHook')
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        global_step = session.run(self._global_step_tensor)
        graph = ops.get_default_graph()
        training_util.write_graph(graph.as_graph_def(add_shapes=True), self._checkpoint_dir,
                                  'graph.pbtxt')
        saver = self._get_saver()
        self._summary_writer.add_graph(graph)
        self._summary_writer.add_meta_graph(meta_graph.create_meta_graph_def(
            graph_def=graph.as_graph_def(add_shapes=True),
            saver_def=saver.saver_def if saver else None))
        self._save(session, global_step)
        self._timer.update_last_triggered_step(global_step)

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        stale_global_step = run_values.results
        if self._timer.should_trigger_for_step(stale_global_step + self._steps_per_run):
            global_step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(global_step):
                self._timer.update_last_triggered_step(global_step)
                if self._save(run_context.session, global_step):
                    run_context.request_stop()

    def end(self, session):
        last_step = session.run(self._global_step_tensor)
        if last_step != self._timer.last_triggered_step():
            self._save(session, last_step)
        for listener in self._listeners:
            listener.end(session, last_step)

    def _save(self, session, step):
        """Saves; whether a listener wants to end the training."""
        logging.info('Saving checkpoints for %d into %s.', step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step)
        self._summary_writer.add_session_log(
            SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._save_path), step)
        should_stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                logging.info('A CheckpointSaverListener requested that training be stopped. '
                             'listener: {}'.format(listener))
                should_stop = True
        return should_stop

    def _get_saver(self):
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        collection_key = ops.GraphKeys.SAVERS
        savers = ops.get_collection(collection_key)
        if not savers:
            raise RuntimeError('No items in collection {}. Please add a saver to the collection '
                               'or provide a saver or scaffold.'.format(collection_key))
        if len(savers) > 1:
            raise RuntimeError('More than one item in collection {}. Please indicate which one '
                               'to use by passing it to the constructor.'.format(collection_key))
        self._saver = savers[0]
        return savers[0]


class StepCounterHook(session_run_hook.SessionRunHook):
    """Logs, and writes as a summary, how many steps a second are done."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None,
                 summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError('exactly one of every_n_steps and every_n_secs should be provided.')
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._last_global_step = None
        self._steps_per_run = 1

    def _set_steps_per_run(self, steps_per_run):
        self._steps_per_run = steps_per_run

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = _writer_of(self._output_dir)
        self._global_step_tensor = _step_tensor('StepCounterHook')
        self._summary_tag = training_util.get_global_step().op.name + '/sec'

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        steps_per_sec = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(
                tag=self._summary_tag, simple_value=steps_per_sec)])
            self._summary_writer.add_summary(summary, global_step)
        logging.info('%s: %g', self._summary_tag, steps_per_sec)

    def after_run(self, run_context, run_values):
        stale_global_step = run_values.results
        if self._timer.should_trigger_for_step(stale_global_step + self._steps_per_run):
            global_step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(global_step):
                elapsed_time, elapsed_steps = self._timer.update_last_triggered_step(global_step)
                if elapsed_time is not None:
                    self._log_and_record(elapsed_steps, elapsed_time, global_step)
        if stale_global_step == self._last_global_step:
            logging.log_first_n(
                logging.WARN, 'It seems that global step (tf.train.get_global_step) has not been '
                'increased. Current value (could be stable): %s vs previous value: %s. You could '
                'increase the global step by passing tf.train.get_global_step() to '
                'Optimizer.apply_gradients or Optimizer.minimize.', 5, stale_global_step,
                self._last_global_step)
        self._last_global_step = stale_global_step


class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number."""

    def __str__(self):
        return 'NaN loss during training.'


class NanTensorHook(session_run_hook.SessionRunHook):
    """Ends the training, or raises, when the loss is NaN."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context, run_values):
        if np.isnan(run_values.results):
            failure_message = 'Model diverged with loss = NaN.'
            if self._fail_on_nan_loss:
                logging.error(failure_message)
                raise NanLossDuringTrainingError
            logging.warning(failure_message)
            run_context.request_stop()


class SummarySaverHook(session_run_hook.SessionRunHook):
    """Writes summaries every so often."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None,
                 scaffold=None, summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise ValueError('Exactly one of scaffold or summary_op must be provided.')
        self._summary_op = summary_op
        self._summary_writer = summary_writer
        self._output_dir = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = _writer_of(self._output_dir)
        self._next_step = None
        self._global_step_tensor = _step_tensor('SummarySaverHook')

    def before_run(self, run_context):
        self._request_summary = (self._next_step is None or
                                 self._timer.should_trigger_for_step(self._next_step))
        requests = {'global_step': self._global_step_tensor}
        if self._request_summary and self._get_summary_op() is not None:
            requests['summary'] = self._get_summary_op()
        return SessionRunArgs(requests)

    def after_run(self, run_context, run_values):
        if not self._summary_writer:
            return
        global_step = run_values.results['global_step'] + 1
        if self._next_step is None or self._request_summary:
            global_step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START),
                                                 global_step)
        if self._request_summary:
            self._timer.update_last_triggered_step(global_step)
            for summary in run_values.results.get('summary', ()):
                self._summary_writer.add_summary(summary, global_step)
        self._next_step = global_step + 1

    def end(self, session=None):
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self):
        """A list of summary ops; None."""
        summary_op = None
        if self._summary_op is not None:
            summary_op = self._summary_op
        elif self._scaffold.summary_op is not None:
            summary_op = self._scaffold.summary_op
        if summary_op is None:
            return None
        return summary_op if isinstance(summary_op, list) else [summary_op]


class GlobalStepWaiterHook(session_run_hook.SessionRunHook):
    """Begins only when others have brought the step so far."""

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step

    def begin(self):
        self._worker_is_started = False
        self._global_step_tensor = _step_tensor('_GlobalStepWaiterHook')

    def before_run(self, run_context):
        if self._worker_is_started:
            return None
        if self._wait_until_step <= 0:
            self._worker_is_started = True
            return None
        logging.info('Waiting for global step %d before starting training.',
                     self._wait_until_step)
        last_logged_step = 0
        while True:
            current_step = run_context.session.run(self._global_step_tensor)
            if current_step >= self._wait_until_step:
                logging.info('Done waiting. Current global step is %d.', current_step)
                self._worker_is_started = True
                return None
            if current_step - last_logged_step > 1000:
                logging.info('Waiting for global step %d before starting training. Current step '
                             'is %d.', self._wait_until_step, current_step)
                last_logged_step = current_step
            time.sleep(0.5)


class FinalOpsHook(session_run_hook.SessionRunHook):
    """Runs something at the end and keeps its value."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops = final_ops
        self._final_ops_feed_dict = final_ops_feed_dict
        self._final_ops_values = None

    @property
    def final_ops_values(self):
        return self._final_ops_values

    def end(self, session):
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops,
                                                 feed_dict=self._final_ops_feed_dict)
        except (errors.OutOfRangeError, StopIteration) as e:
            logging.warning('An OutOfRangeError or StopIteration exception is raised by the code '
                            'in FinalOpsHook. This typically means the Ops running by the '
                            'FinalOpsHook have a dependency back to some input source, which '
                            'should not happen. Original exception: %s', e)
            raise


class FeedFnHook(session_run_hook.SessionRunHook):
    """Feeds what a function gives."""

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class ProfilerHook(session_run_hook.SessionRunHook):
    """Writes timelines of some steps."""

    def __init__(self, save_steps=None, save_secs=None, output_dir='', show_dataflow=True,
                 show_memory=False):
        self._output_file = os.path.join(output_dir, 'timeline-{}.json')
        self._output_dir = output_dir
        self._show_dataflow = show_dataflow
        self._show_memory = show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        self._next_step = None
        self._file_writer = _writer_of(self._output_dir) if self._output_dir else None
        self._global_step_tensor = _step_tensor('ProfilerHook')

    def before_run(self, run_context):
        self._request_summary = (self._next_step is not None and
                                 self._timer.should_trigger_for_step(self._next_step))
        options = None
        if self._request_summary:
            options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
        return SessionRunArgs({'global_step': self._global_step_tensor}, options=options)

    def after_run(self, run_context, run_values):
        stale_global_step = run_values.results['global_step']
        if self._next_step is None:
            self._timer.update_last_triggered_step(stale_global_step)
        global_step = stale_global_step + 1
        if self._request_summary:
            global_step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(global_step)
            self._save(global_step, self._output_file.format(global_step),
                       run_values.run_metadata.step_stats)
            if self._file_writer:
                self._file_writer.add_run_metadata(run_values.run_metadata,
                                                   'step_%d' % global_step)
        self._next_step = global_step + 1

    def _save(self, step, save_path, step_stats):
        logging.info("Saving timeline for %d into '%s'.", step, save_path)
        with file_io.FileIO(save_path, 'w') as f:
            trace = timeline.Timeline(step_stats)
            f.write(trace.generate_chrome_trace_format(show_dataflow=self._show_dataflow,
                                                       show_memory=self._show_memory))
