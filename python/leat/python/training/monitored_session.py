# SPDX-License-Identifier: Apache-2.0
"""Sessions that prepare themselves, run hooks around each step, and recover.

A MonitoredSession is layers: one that makes a new session when a task was lost, one that stops
threads with the session, one that runs the hooks, and the tf.Session itself.
"""
import abc
import sys

from leat.core.protobuf import config_pb2
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.platform import tf_logging as logging
from leat.python.training import basic_session_run_hooks
from leat.python.training import coordinator
from leat.python.training import queue_runner_impl as queue_runner
from leat.python.training import session_manager as sm
from leat.python.training import session_run_hook
from leat.python.training.scaffold import Scaffold
from leat.python.util import function_utils

USE_DEFAULT = object()
_PREEMPTION_ERRORS = (errors.AbortedError, errors.UnavailableError)


def _is_set(number):
    return number and number > 0


def _defaults(steps, secs, default_steps, default_secs):
    """The pair, with the default where neither was given and None for the one that was not."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default_steps, default_secs
    return (None if steps is USE_DEFAULT else steps), (None if secs is USE_DEFAULT else secs)


def MonitoredTrainingSession(master='', is_chief=True, checkpoint_dir=None, scaffold=None,
                             hooks=None, chief_only_hooks=None,
                             save_checkpoint_secs=USE_DEFAULT, save_summaries_steps=USE_DEFAULT,
                             save_summaries_secs=USE_DEFAULT, config=None,
                             stop_grace_period_secs=120, log_step_count_steps=100,
                             max_wait_secs=7200, save_checkpoint_steps=USE_DEFAULT,
                             summary_dir=None):
    """A MonitoredSession for training: the chief saves checkpoints and summaries."""
    save_summaries_steps, save_summaries_secs = _defaults(
        save_summaries_steps, save_summaries_secs, 100, None)
    save_checkpoint_steps, save_checkpoint_secs = _defaults(
        save_checkpoint_steps, save_checkpoint_secs, None, 600)
    scaffold = scaffold or Scaffold()
    if not is_chief:
        creator = WorkerSessionCreator(scaffold=scaffold, master=master, config=config,
                                       max_wait_secs=max_wait_secs)
        return MonitoredSession(session_creator=creator, hooks=hooks or [],
                                stop_grace_period_secs=stop_grace_period_secs)
    all_hooks = list(chief_only_hooks or [])
    creator = ChiefSessionCreator(scaffold=scaffold, checkpoint_dir=checkpoint_dir,
                                  master=master, config=config)
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if _is_set(log_step_count_steps):
            all_hooks.append(basic_session_run_hooks.StepCounterHook(
                output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if _is_set(save_summaries_steps) or _is_set(save_summaries_secs):
            all_hooks.append(basic_session_run_hooks.SummarySaverHook(
                scaffold=scaffold, save_steps=save_summaries_steps,
                save_secs=save_summaries_secs, output_dir=summary_dir))
    if checkpoint_dir and (_is_set(save_checkpoint_secs) or _is_set(save_checkpoint_steps)):
        all_hooks.append(basic_session_run_hooks.CheckpointSaverHook(
            checkpoint_dir, save_steps=save_checkpoint_steps, save_secs=save_checkpoint_secs,
            scaffold=scaffold))
    if hooks:
        all_hooks.extend(hooks)
    return MonitoredSession(session_creator=creator, hooks=all_hooks,
                            stop_grace_period_secs=stop_grace_period_secs)


class SessionCreator(abc.ABC):
    """Makes the tf.Session of a MonitoredSession."""

    @abc.abstractmethod
    def create_session(self):
        raise NotImplementedError('create_session is not implemented for {}.'.format(self))


class ChiefSessionCreator(SessionCreator):
    """Initializes or restores."""

    def __init__(self, scaffold=None, master='', config=None, checkpoint_dir=None,
                 checkpoint_filename_with_path=None):
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path
        self._scaffold = scaffold or Scaffold()
        self._session_manager = None
        self._master = master
        self._config = config

    def _get_session_manager(self):
        if not self._session_manager:
            self._session_manager = _manager_of(self._scaffold)
        return self._session_manager

    def create_session(self):
        self._scaffold.finalize()
        return self._get_session_manager().prepare_session(
            self._master, saver=self._scaffold.saver, checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config, init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict, init_fn=self._scaffold.init_fn)


class WorkerSessionCreator(SessionCreator):
    """Waits until the chief has initialized."""

    def __init__(self, scaffold=None, master='', config=None, max_wait_secs=30 * 60):
        self._scaffold = scaffold or Scaffold()
        self._session_manager = None
        self._master = master
        self._config = config
        self._max_wait_secs = max_wait_secs

    def _get_session_manager(self):
        if not self._session_manager:
            self._session_manager = _manager_of(self._scaffold)
        return self._session_manager

    def create_session(self):
        self._scaffold.finalize()
        return self._get_session_manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs)


def _manager_of(scaffold):
    return sm.SessionManager(
        local_init_op=scaffold.local_init_op,
        ready_op=scaffold.ready_op, ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=ops.get_default_graph())


class _MonitoredSession(object):
    """What MonitoredSession and SingularMonitoredSession share."""

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
        self._graph_was_finalized = ops.get_default_graph().finalized
        self._hooks = hooks or []
        for h in self._hooks:
            h.begin()
        self._coordinated_creator = self._CoordinatedSessionCreator(
            session_creator=session_creator or ChiefSessionCreator(), hooks=self._hooks,
            stop_grace_period_secs=stop_grace_period_secs)
        if should_recover:
            self._sess = _RecoverableSession(self._coordinated_creator)
        else:
            self._sess = self._coordinated_creator.create_session()

    @property
    def graph(self):
        """The graph that is run; None when closed."""
        return None if self._tf_sess() is None else self._tf_sess().graph

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        return self._sess.run(fetches, feed_dict=feed_dict, options=options,
                              run_metadata=run_metadata)

    def run_step_fn(self, step_fn):
        """Calls step_fn(step_context), which runs with hooks or without as it likes."""
        arguments = function_utils.fn_args(step_fn)
        if arguments != ('step_context',) and arguments != ('self', 'step_context'):
            raise ValueError(
                '`step_fn` may either have one `step_context` argument, or `self` and '
                '`step_context` arguments if it\'s an instance method. Got {} instead.'
                .format(arguments))
        return self._sess.run_step_fn(step_fn, self._tf_sess(), run_with_hooks=None)

    class StepContext(object):
        """What a step_fn is handed."""

        def __init__(self, session, run_with_hooks_fn):
            self._session = session
            self._run_with_hooks_fn = run_with_hooks_fn

        @property
        def session(self):
            return self._session

        def run_with_hooks(self, *args, **kwargs):
            return self._run_with_hooks_fn(*args, **kwargs)

        def request_stop(self):
            raise StopIteration('step_fn has requested the iterations to stop.')

    def should_stop(self):
        return self._sess is None or self._sess.should_stop()

    def close(self):
        self._close_internal()

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        if exception_type in [errors.OutOfRangeError, StopIteration]:
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None

    class _CoordinatedSessionCreator(SessionCreator):
        """Makes the layers below the one that recovers."""

        def __init__(self, session_creator, hooks, stop_grace_period_secs):
            self._session_creator = session_creator
            self._hooks = hooks
            self.coord = None
            self.tf_sess = None
            self._stop_grace_period_secs = stop_grace_period_secs

        def create_session(self):
            self.tf_sess = self._session_creator.create_session()
            self.coord = coordinator.Coordinator(clean_stop_exception_types=[])
            if ops.get_collection(ops.GraphKeys.QUEUE_RUNNERS):
                queue_runner.start_queue_runners(sess=self.tf_sess, coord=self.coord)
            for hook in self._hooks:
                hook.after_create_session(self.tf_sess, self.coord)
            return _CoordinatedSession(_HookedSession(self.tf_sess, self._hooks), self.coord,
                                       self._stop_grace_period_secs)

    def _close_internal(self, exception_type=None):
        try:
            if not exception_type:
                for h in self._hooks:
                    h.end(self._coordinated_creator.tf_sess)
        finally:
            try:
                if self._sess is None:
                    raise RuntimeError('Session is already closed.')
                self._sess.close()
            finally:
                self._sess = None
                self._coordinated_creator.tf_sess = None
                self._coordinated_creator.coord = None
                if not self._graph_was_finalized:
                    ops.get_default_graph()._unsafe_unfinalize()

    def _is_closed(self):
        return self._coordinated_creator.tf_sess is None

    def _tf_sess(self):
        return self._coordinated_creator.tf_sess


class MonitoredSession(_MonitoredSession):
    """A session with hooks that begins anew when a task of the cluster was lost."""

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        super(MonitoredSession, self).__init__(
            session_creator, hooks, should_recover=True,
            stop_grace_period_secs=stop_grace_period_secs)


class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks that does not recover, so that its tf.Session can be had."""

    def __init__(self, hooks=None, scaffold=None, master='', config=None, checkpoint_dir=None,
                 stop_grace_period_secs=120, checkpoint_filename_with_path=None):
        creator = ChiefSessionCreator(
            scaffold=scaffold, master=master, config=config, checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path)
        super(SingularMonitoredSession, self).__init__(
            creator, hooks, should_recover=False, stop_grace_period_secs=stop_grace_period_secs)

    def raw_session(self):
        return self._tf_sess()


class _WrappedSession(object):
    """A layer around a session."""

    def __init__(self, sess):
        self._sess = sess
        self._wrapped_is_stoppable = isinstance(self._sess, _WrappedSession)

    @property
    def graph(self):
        return self._sess.graph

    @property
    def sess_str(self):
        return self._sess.sess_str

    def should_stop(self):
        if self._check_stop():
            return True
        if self._sess:
            return self._wrapped_is_stoppable and self._sess.should_stop()
        return True

    def _check_stop(self):
        """What the layer itself thinks of it."""
        return False

    def close(self):
        if self._sess:
            try:
                self._sess.close()
            except _PREEMPTION_ERRORS as e:
                logging.error('An error occurred when attempting to close the session. This may '
                              'be due to a preemption in a connected worker or parameter server. '
                              'Error: %s', e)
            finally:
                self._sess = None

    def run(self, *args, **kwargs):
        return self._sess.run(*args, **kwargs)

    def run_step_fn(self, step_fn, raw_session, run_with_hooks):
        # Each layer may take care of what step_fn raises; the innermost wrapper calls it.
        run_with_hooks = run_with_hooks or self.run
        return step_fn(_MonitoredSession.StepContext(raw_session, run_with_hooks))


class _RecoverableSession(_WrappedSession):
    """Makes a new session when one is lost."""

    def __init__(self, sess_creator):
        self._sess_creator = sess_creator
        super(_RecoverableSession, self).__init__(self._create_session())

    def _create_session(self):
        while True:
            try:
                return self._sess_creator.create_session()
            except _PREEMPTION_ERRORS as e:
                logging.info('A task was lost while a session was being created; a new one will '
                             'be. Error: %s', e)

    def _check_stop(self):
        try:
            if self._sess:
                return self._sess._check_stop()
            return True
        except _PREEMPTION_ERRORS as e:
            self._lose(e)
            return False
        except Exception:  # raised again by the next run
            return True

    def _lose(self, error):
        logging.info('A task was lost while the session was waited for or run; the session will '
                     'be closed and a new one created. Error: %s', error)
        self.close()
        self._sess = None

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                return self._sess.run(fetches, feed_dict=feed_dict, options=options,
                                      run_metadata=run_metadata)
            except _PREEMPTION_ERRORS as e:
                self._lose(e)

    def run_step_fn(self, step_fn, raw_session, run_with_hooks):
        while True:
            try:
                if not self._sess:
                    self._sess = self._create_session()
                    raw_session = self._sess_creator.tf_sess
                run_with_hooks = self._sess.run
                return self._sess.run_step_fn(step_fn, raw_session, run_with_hooks)
            except _PREEMPTION_ERRORS as e:
                self._lose(e)


class _CoordinatedSession(_WrappedSession):
    """Stops the threads of a coordinator with the session."""

    def __init__(self, sess, coord, stop_grace_period_secs=120):
        super(_CoordinatedSession, self).__init__(sess)
        self._coord = coord
        self._stop_grace_period_secs = stop_grace_period_secs

    def _check_stop(self):
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self):
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._stop_grace_period_secs,
                             ignore_live_threads=True)
        finally:
            try:
                _WrappedSession.close(self)
            except Exception:  # the exception of the threads is the one to be seen
                pass

    def run(self, *args, **kwargs):
        try:
            return self._sess.run(*args, **kwargs)
        except _PREEMPTION_ERRORS:
            raise
        except Exception:
            original = sys.exc_info()[1]
            try:
                self._coord.raise_requested_exception()
            except _PREEMPTION_ERRORS:
                raise
            except Exception:
                raise original.with_traceback(original.__traceback__) from None
            raise


class _HookedSession(_WrappedSession):
    """Runs the hooks around each run."""

    def __init__(self, sess, hooks):
        super(_HookedSession, self).__init__(sess)
        self._hooks = hooks
        self._should_stop = False

    def _check_stop(self):
        return self._should_stop

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self.should_stop():
            raise RuntimeError('Run called even after should_stop requested.')
        actual_fetches = {'caller': fetches}
        run_context = session_run_hook.SessionRunContext(
            original_args=session_run_hook.SessionRunArgs(fetches, feed_dict),
            session=self._sess)
        merged = options or config_pb2.RunOptions()
        feed_dict, asked = self._call_hook_before_run(run_context, actual_fetches, feed_dict,
                                                      merged)
        wanted = options is not None or asked or run_metadata is not None
        run_metadata = run_metadata or config_pb2.RunMetadata()
        outputs = _WrappedSession.run(
            self, fetches=actual_fetches, feed_dict=feed_dict,
            options=merged if wanted else None, run_metadata=run_metadata if wanted else None)
        for hook in self._hooks:
            hook.after_run(run_context, session_run_hook.SessionRunValues(
                results=outputs.get(hook), options=merged, run_metadata=run_metadata))
        self._should_stop = self._should_stop or run_context.stop_requested
        return outputs['caller']

    def _call_hook_before_run(self, run_context, fetch_dict, user_feed_dict, options):
        """(feeds, whether a hook has options); fills fetch_dict."""
        hook_feeds = {}
        asked = False
        for hook in self._hooks:
            request = hook.before_run(run_context)
            if request is None:
                continue
            if request.fetches is not None:
                fetch_dict[hook] = request.fetches
            if request.feed_dict:
                self._raise_if_feeds_intersects(hook_feeds, request.feed_dict,
                                                'Same tensor is fed by two hooks.')
                hook_feeds.update(request.feed_dict)
            if request.options:
                asked = True
                self._merge_run_options(options, request.options)
        if not hook_feeds:
            return user_feed_dict, asked
        if not user_feed_dict:
            return hook_feeds, asked
        self._raise_if_feeds_intersects(user_feed_dict, hook_feeds,
                                        'Same tensor is fed by a SessionRunHook and user.')
        hook_feeds.update(user_feed_dict)
        return hook_feeds, asked

    def _raise_if_feeds_intersects(self, feeds1, feeds2, message):
        intersection = set(feeds1.keys()) & set(feeds2.keys())
        if intersection:
            raise RuntimeError(message + ' Conflict(s): ' + str(list(intersection)))

    def _merge_run_options(self, options, incoming_options):
        """The stronger of both in each respect."""
        options.trace_level = max(options.trace_level, incoming_options.trace_level)
        options.timeout_in_ms = max(options.timeout_in_ms, incoming_options.timeout_in_ms)
        options.inter_op_thread_pool = max(options.inter_op_thread_pool,
                                           incoming_options.inter_op_thread_pool)
        options.output_partition_graphs = max(options.output_partition_graphs,
                                              incoming_options.output_partition_graphs)
        options.debug_options.debug_tensor_watch_opts.extend(
            incoming_options.debug_options.debug_tensor_watch_opts)
        options.debug_options.reset_disk_byte_usage = (
            options.debug_options.reset_disk_byte_usage or
            incoming_options.debug_options.reset_disk_byte_usage)
        options.report_tensor_allocations_upon_oom = (
            options.report_tensor_allocations_upon_oom or
            incoming_options.report_tensor_allocations_upon_oom)
