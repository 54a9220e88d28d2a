# SPDX-License-Identifier: Apache-2.0
"""Supervisor: prepares a session, and saves and summarises in threads beside the training."""
import contextlib
import os
import time

from leat.core.framework import summary_pb2
from leat.core.util import event_pb2
from leat.python.framework import dtypes
from leat.python.framework import meta_graph
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import variables
from leat.python.platform import tf_logging as logging
from leat.python.training import coordinator
from leat.python.training import queue_runner_impl as queue_runner
from leat.python.training import saver as saver_mod
from leat.python.training import session_manager as session_manager_mod
from leat.python.training import training_util
from leat.python.training.scaffold import _merged_summaries, _tables_initializer
from leat.python.util import deprecation

SessionLog = event_pb2.SessionLog


class Supervisor(object):
    """Helps a program to train on one machine or many."""

    USE_DEFAULT = 0

    @deprecation.deprecated(None, 'Please switch to tf.train.MonitoredTrainingSession')
    def __init__(self, graph=None, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT,
                 is_chief=True, init_op=USE_DEFAULT, init_feed_dict=None,
                 local_init_op=USE_DEFAULT, logdir=None, summary_op=USE_DEFAULT,
                 saver=USE_DEFAULT, global_step=USE_DEFAULT, save_summaries_secs=120,
                 save_model_secs=600, recovery_wait_secs=30, stop_grace_secs=120,
                 checkpoint_basename='model.ckpt', session_manager=None,
                 summary_writer=USE_DEFAULT, init_fn=None, local_init_run_options=None):
        if graph is None:
            graph = ops.get_default_graph()
        with graph.as_default():
            self._init_ready_op(ready_op=ready_op,
                                ready_for_local_init_op=ready_for_local_init_op)
            self._init_init_op(init_op=init_op, init_feed_dict=init_feed_dict)
            self._init_local_init_op(local_init_op=local_init_op)
            self._init_saver(saver=saver)
            self._init_summary_op(summary_op=summary_op)
            self._init_global_step(global_step=global_step)
        self._graph = graph
        self._meta_graph_def = meta_graph.create_meta_graph_def(
            graph_def=graph.as_graph_def(add_shapes=True),
            saver_def=self._saver.saver_def if self._saver else None)
        self._is_chief = is_chief
        self._coord = coordinator.Coordinator()
        self._recovery_wait_secs = recovery_wait_secs
        self._stop_grace_secs = stop_grace_secs
        self._init_fn = init_fn
        self._local_init_run_options = local_init_run_options
        self._logdir = None
        self._save_summaries_secs = None
        self._save_model_secs = None
        self._save_path = None
        self._summary_writer = None
        if self._is_chief:
            self._logdir = logdir
            self._save_summaries_secs = save_summaries_secs
            self._save_model_secs = save_model_secs
            if self._logdir:
                self._save_path = os.path.join(self._logdir, checkpoint_basename)
            if summary_writer is Supervisor.USE_DEFAULT:
                if self._logdir:
                    self._summary_writer = _file_writer(self._logdir)
            else:
                self._summary_writer = summary_writer
            self._graph_added_to_summary = False
        self._init_session_manager(session_manager=session_manager)
        self._verify_setup()
        graph.finalize()

    def _init_session_manager(self, session_manager=None):
        if session_manager is not None:
            self._session_manager = session_manager
            return
        self._session_manager = session_manager_mod.SessionManager(
            local_init_op=self._local_init_op, ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op, graph=self._graph,
            recovery_wait_secs=self._recovery_wait_secs,
            local_init_run_options=self._local_init_run_options)

    def _get_first_op_from_collection(self, key):
        """The collection's first element; None."""
        try:
            found = ops.get_collection(key)
            return found[0] if found else None
        except LookupError:
            return None

    def _own_or_new(self, key, make):
        op = self._get_first_op_from_collection(key)
        if op is None:
            op = make()
            if op is not None:
                ops.add_to_collection(key, op)
        return op

    def _init_ready_op(self, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT):
        if ready_op is Supervisor.USE_DEFAULT:
            ready_op = self._own_or_new(ops.GraphKeys.READY_OP,
                                        variables.report_uninitialized_variables)
        self._ready_op = ready_op
        if ready_for_local_init_op is Supervisor.USE_DEFAULT:
            ready_for_local_init_op = self._get_first_op_from_collection(
                ops.GraphKeys.READY_FOR_LOCAL_INIT_OP)
        self._ready_for_local_init_op = ready_for_local_init_op

    def _init_init_op(self, init_op=USE_DEFAULT, init_feed_dict=None):
        if init_op is Supervisor.USE_DEFAULT:
            init_op = self._own_or_new(ops.GraphKeys.INIT_OP,
                                       variables.global_variables_initializer)
        self._init_op = init_op
        self._init_feed_dict = init_feed_dict

    def _init_local_init_op(self, local_init_op=USE_DEFAULT):
        if local_init_op is Supervisor.USE_DEFAULT:
            def make():
                op_list = [variables.local_variables_initializer(), _tables_initializer()]
                return control_flow_ops.group(*op_list)
            local_init_op = self._own_or_new(ops.GraphKeys.LOCAL_INIT_OP, make)
        self._local_init_op = local_init_op

    def _init_saver(self, saver=USE_DEFAULT):
        if saver is Supervisor.USE_DEFAULT:
            saver = self._get_first_op_from_collection(ops.GraphKeys.SAVERS)
            if saver is None and variables.global_variables():
                saver = saver_mod.Saver()
                ops.add_to_collection(ops.GraphKeys.SAVERS, saver)
        self._saver = saver

    def _init_summary_op(self, summary_op=USE_DEFAULT):
        if summary_op is Supervisor.USE_DEFAULT:
            summary_op = self._own_or_new(ops.GraphKeys.SUMMARY_OP, _merged_summaries)
        self._summary_op = summary_op

    def _init_global_step(self, global_step=USE_DEFAULT):
        if global_step is Supervisor.USE_DEFAULT:
            global_step = self._own_or_new(ops.GraphKeys.GLOBAL_STEP,
                                           self._default_global_step_tensor)
        self._global_step = global_step

    def _default_global_step_tensor(self):
        """The graph's global_step, if it has one of ints."""
        try:
            gs = ops.get_default_graph().get_tensor_by_name('global_step:0')
        except KeyError:
            return None
        if gs.dtype.base_dtype in [dtypes.int32, dtypes.int64]:
            return gs
        logging.warning('Found \'global_step\' is not an int type: %s', gs.dtype)
        return None

    def _verify_setup(self):
        """On a worker, variables must say where they are."""
        if self._is_chief:
            return
        for op in self._graph.get_operations():
            if op.type in ['Variable', 'VariableV2'] and not op.device:
                raise ValueError('When using replicas, all Variables must have their device set: '
                                 '%s' % op)

    # ---- what it has ----

    is_chief = property(lambda self: self._is_chief)
    session_manager = property(lambda self: self._session_manager)
    coord = property(lambda self: self._coord)
    init_op = property(lambda self: self._init_op)
    init_feed_dict = property(lambda self: self._init_feed_dict)
    ready_op = property(lambda self: self._ready_op)
    ready_for_local_init_op = property(lambda self: self._ready_for_local_init_op)
    summary_writer = property(lambda self: self._summary_writer)
    summary_op = property(lambda self: self._summary_op)
    save_summaries_secs = property(lambda self: self._save_summaries_secs)
    global_step = property(lambda self: self._global_step)
    saver = property(lambda self: self._saver)
    save_model_secs = property(lambda self: self._save_model_secs)
    save_path = property(lambda self: self._save_path)

    # ---- sessions ----

    def _write_graph(self):
        """The graph to the log folder and the summaries."""
        assert self._is_chief
        if self._logdir:
            training_util.write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir,
                                      'graph.pbtxt')
        if self._summary_writer and not self._graph_added_to_summary:
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(self._meta_graph_def)
            self._graph_added_to_summary = True

    def start_standard_services(self, sess):
        """The threads that save and summarise; none on a worker."""
        if not self._is_chief:
            raise RuntimeError('Only chief supervisor can start standard services. Because only '
                               'chief supervisors can write events.')
        if not self._logdir:
            logging.warning('Standard services need a \'logdir\' passed to the SessionManager')
            return None
        if self._global_step is not None and self._summary_writer:
            current_step = training_util.global_step(sess, self._global_step)
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START),
                                                 current_step)
        threads = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                threads.append(SVSummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(SVStepCounterThread(self, sess))
        if self.saver and self._save_model_secs:
            threads.append(SVTimerCheckpointThread(self, sess))
        for t in threads:
            t.start()
        return threads

    def prepare_or_wait_for_session(self, master='', config=None, wait_for_checkpoint=False,
                                    max_wait_secs=7200, start_standard_services=True):
        """A session that is ready: the chief makes it so, workers wait."""
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            sess = self._session_manager.prepare_session(
                master, init_op=self.init_op, saver=self.saver, checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs,
                config=config, init_feed_dict=self._init_feed_dict, init_fn=self._init_fn)
            self._write_graph()
            if start_standard_services:
                logging.info('Starting standard services.')
                self.start_standard_services(sess)
        else:
            sess = self._session_manager.wait_for_session(master, config=config,
                                                          max_wait_secs=max_wait_secs)
        if start_standard_services:
            logging.info('Starting queue runners.')
            self.start_queue_runners(sess)
        return sess

    def start_queue_runners(self, sess, queue_runners=None):
        """The threads of the runners (of the graph's)."""
        if queue_runners is None:
            queue_runners = self._graph.get_collection(ops.GraphKeys.QUEUE_RUNNERS)
        threads = []
        for qr in queue_runners:
            threads.extend(qr.create_threads(sess, coord=self._coord, daemon=True, start=True))
        return threads

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        """A thread that calls target again and again until the stop."""
        looper = coordinator.LooperThread(self._coord, timer_interval_secs, target=target,
                                          args=args, kwargs=kwargs)
        looper.start()
        return looper

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Stops the threads and waits for them."""
        self._coord.request_stop()
        try:
            self._coord.join(threads, stop_grace_period_secs=self._stop_grace_secs,
                             ignore_live_threads=ignore_live_threads)
        finally:
            if close_summary_writer and self._summary_writer:
                # What was written is there when the writer is closed and reopened, too.
                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()
                self._graph_added_to_summary = False

    def request_stop(self, ex=None):
        self._coord.request_stop(ex=ex)

    def should_stop(self):
        return self._coord.should_stop()

    def stop_on_exception(self):
        return self._coord.stop_on_exception()

    def wait_for_stop(self):
        self._coord.wait_for_stop()

    def summary_computed(self, sess, summary, global_step=None):
        """Writes a summary that the program has computed."""
        if not self._summary_writer:
            raise RuntimeError('Writing a summary requires a summary writer.')
        if global_step is None and self.global_step is not None:
            global_step = training_util.global_step(sess, self.global_step)
        self._summary_writer.add_summary(summary, global_step)

    @contextlib.contextmanager
    def managed_session(self, master='', config=None, start_standard_services=True,
                        close_summary_writer=True):
        """A ready session, and the stop of all threads behind the block."""
        try:
            sess = self.prepare_or_wait_for_session(
                master=master, config=config, start_standard_services=start_standard_services)
            yield sess
        except Exception as e:
            self.request_stop(e)
        finally:
            try:
                # Threads may hang in a run of this session: they are left to themselves.
                self.stop(close_summary_writer=close_summary_writer, ignore_live_threads=True)
            finally:
                try:
                    sess.close()
                except Exception:  # the session may not have come to be
                    pass

    # Names of old versions.
    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


def _file_writer(folder):
    from leat.python.summary import summary
    return summary.FileWriter(folder)


class SVSummaryThread(coordinator.LooperThread):
    """Writes summaries."""

    def __init__(self, sv, sess):
        super(SVSummaryThread, self).__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self):
        if self._sv.global_step is not None:
            summary_strs, global_step = self._sess.run([self._sv.summary_op,
                                                        self._sv.global_step])
        else:
            summary_strs = self._sess.run(self._sv.summary_op)
            global_step = None
        if self._sv.summary_writer:
            logging.info('Recording summary at step %s.', global_step)
            self._sv.summary_writer.add_summary(summary_strs, global_step)


class SVStepCounterThread(coordinator.LooperThread):
    """Writes how many steps a second there are."""

    def __init__(self, sv, sess, step_counter=None):
        super(SVStepCounterThread, self).__init__(sv.coord, sv.save_summaries_secs)
        self._sv = sv
        self._sess = sess
        self._last_time = 0.0
        self._last_step = 0
        step_counter = sv.global_step if step_counter is None else step_counter
        self._step_counter = step_counter
        self._summary_tag = '%s/sec' % self._step_counter.op.name

    def start_loop(self):
        self._last_time = time.time()
        self._last_step = training_util.global_step(self._sess, self._step_counter)

    def run_loop(self):
        current_step = training_util.global_step(self._sess, self._step_counter)
        added_steps = current_step - self._last_step
        self._last_step = current_step
        current_time = time.time()
        elapsed_time = current_time - self._last_time
        self._last_time = current_time
        steps_per_sec = added_steps / elapsed_time if elapsed_time > 0 else float('inf')
        summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(
            tag=self._summary_tag, simple_value=steps_per_sec)])
        if self._sv.summary_writer:
            self._sv.summary_writer.add_summary(summary, current_step)
        logging.log_first_n(logging.INFO, '%s: %g', 10, self._summary_tag, steps_per_sec)


class SVTimerCheckpointThread(coordinator.LooperThread):
    """Saves checkpoints."""

    def __init__(self, sv, sess):
        super(SVTimerCheckpointThread, self).__init__(sv.coord, sv.save_model_secs)
        self._sv = sv
        self._sess = sess

    def run_loop(self):
        logging.info('Saving checkpoint to path %s', self._sv.save_path)
        self._sv.saver.save(self._sess, self._sv.save_path, global_step=self._sv.global_step)
        if self._sv.summary_writer and self._sv.global_step is not None:
            current_step = training_util.global_step(self._sess, self._sv.global_step)
            self._sv.summary_writer.add_session_log(
                SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._sv.save_path),
                current_step)
