# SPDX-License-Identifier: Apache-2.0
"""Threads that fill queues."""
import threading
import weakref

from leat.core.protobuf import queue_runner_pb2
from leat.python.client import session as session_lib
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.platform import tf_logging as logging
from leat.python.util import deprecation

_DEPRECATION = ('To construct input pipelines, use the `tf.data` module.')


class QueueRunner(object):
    """Enqueue ops of a queue, each run in a thread of its own until there is no more."""

    @deprecation.deprecated(None, _DEPRECATION)
    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None,
                 queue_closed_exception_types=None, queue_runner_def=None, import_scope=None):
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError('queue_runner_def and queue are mutually exclusive.')
            self._init_from_proto(queue_runner_def, import_scope=import_scope)
        else:
            self._init_from_args(queue=queue, enqueue_ops=enqueue_ops, close_op=close_op,
                                 cancel_op=cancel_op,
                                 queue_closed_exception_types=queue_closed_exception_types)
        self._lock = threading.Lock()
        self._runs_per_session = weakref.WeakKeyDictionary()
        self._exceptions_raised = []

    def _init_from_args(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None,
                        queue_closed_exception_types=None):
        if not queue or not enqueue_ops:
            raise ValueError('Must provide queue and enqueue_ops.')
        self._queue = queue
        self._enqueue_ops = enqueue_ops
        self._close_op = close_op
        self._cancel_op = cancel_op
        if queue_closed_exception_types is not None:
            if not isinstance(queue_closed_exception_types, tuple) or \
                    not queue_closed_exception_types or \
                    not all(issubclass(t, errors.OpError) for t in queue_closed_exception_types):
                raise TypeError('queue_closed_exception_types, when provided, must be a tuple of '
                                'tf.error types, but saw: %s' % (queue_closed_exception_types,))
        self._queue_closed_exception_types = queue_closed_exception_types
        if self._close_op is None:
            self._close_op = self._queue.close()
        if self._cancel_op is None:
            self._cancel_op = self._queue.close(cancel_pending_enqueues=True)
        if not self._queue_closed_exception_types:
            self._queue_closed_exception_types = (errors.OutOfRangeError,)
        else:
            self._queue_closed_exception_types = tuple(self._queue_closed_exception_types)

    def _init_from_proto(self, queue_runner_def, import_scope=None):
        assert isinstance(queue_runner_def, queue_runner_pb2.QueueRunnerDef)
        graph = ops.get_default_graph()

        def element(name):
            return graph.as_graph_element(ops.prepend_name_scope(name, import_scope))
        self._queue = element(queue_runner_def.queue_name)
        self._enqueue_ops = [element(name) for name in queue_runner_def.enqueue_op_name]
        self._close_op = element(queue_runner_def.close_op_name)
        self._cancel_op = element(queue_runner_def.cancel_op_name)
        self._queue_closed_exception_types = tuple(
            errors.exception_type_from_error_code(code)
            for code in queue_runner_def.queue_closed_exception_types)
        if not self._queue_closed_exception_types:
            self._queue_closed_exception_types = (errors.OutOfRangeError,)

    @property
    def queue(self):
        return self._queue

    @property
    def enqueue_ops(self):
        return self._enqueue_ops

    @property
    def close_op(self):
        return self._close_op

    @property
    def cancel_op(self):
        return self._cancel_op

    @property
    def queue_closed_exception_types(self):
        return self._queue_closed_exception_types

    @property
    def exceptions_raised(self):
        """What threads without a coordinator have raised."""
        return self._exceptions_raised

    @property
    def name(self):
        return self._queue.name

    def _run(self, sess, enqueue_op, coord=None):
        """What a thread does."""
        decremented = False
        try:
            enqueue_callable = sess.make_callable(enqueue_op)
            while True:
                if coord and coord.should_stop():
                    break
                try:
                    enqueue_callable()
                except self._queue_closed_exception_types:
                    with self._lock:
                        self._runs_per_session[sess] -= 1
                        decremented = True
                        if self._runs_per_session[sess] == 0:
                            try:
                                sess.run(self._close_op)
                            except Exception as e:  # the queue is gone with its session
                                logging.vlog(1, 'Ignored exception: %s', str(e))
                        return
        except Exception as e:
            if coord:
                coord.request_stop(e)
            else:
                logging.error('Exception in QueueRunner: %s', str(e))
                with self._lock:
                    self._exceptions_raised.append(e)
                raise
        finally:
            if not decremented:
                with self._lock:
                    self._runs_per_session[sess] -= 1

    def _close_on_stop(self, sess, cancel_op, coord):
        """Cancels what waits once a stop is requested."""
        coord.wait_for_stop()
        try:
            sess.run(cancel_op)
        except Exception as e:  # the queue is gone with its session
            logging.vlog(1, 'Ignored exception: %s', str(e))

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """The threads for a session; none if they run already."""
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        made = [threading.Thread(target=self._run, args=(sess, op, coord),
                                 name='QueueRunnerThread-{}-{}'.format(self.name, op.name))
                for op in self._enqueue_ops]
        if coord:
            made.append(threading.Thread(
                target=self._close_on_stop, args=(sess, self._cancel_op, coord),
                name='QueueRunnerThread-{}-close_on_stop'.format(self.name)))
        for t in made:
            if coord:
                coord.register_thread(t)
            if daemon:
                t.daemon = True
            if start:
                t.start()
        return made

    def to_proto(self, export_scope=None):
        """A QueueRunnerDef; None where it is not below export_scope."""
        if export_scope is not None and not self.queue.name.startswith(export_scope):
            return None

        def name(x):
            return ops.strip_name_scope(x.name, export_scope)
        proto = queue_runner_pb2.QueueRunnerDef()
        proto.queue_name = name(self.queue)
        proto.enqueue_op_name.extend([name(op) for op in self._enqueue_ops])
        proto.close_op_name = name(self._close_op)
        proto.cancel_op_name = name(self._cancel_op)
        proto.queue_closed_exception_types.extend(
            [errors.error_code_from_exception_type(cls)
             for cls in self._queue_closed_exception_types])
        return proto

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None):
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


@deprecation.deprecated(None, _DEPRECATION)
def add_queue_runner(qr, collection=ops.GraphKeys.QUEUE_RUNNERS):
    """Into the graph's collection of runners, which start_queue_runners starts."""
    ops.add_to_collection(collection, qr)


@deprecation.deprecated(None, _DEPRECATION)
def start_queue_runners(sess=None, coord=None, daemon=True, start=True,
                        collection=ops.GraphKeys.QUEUE_RUNNERS):
    """The threads of all runners in the graph."""
    if sess is None:
        sess = ops.get_default_session()
        if not sess:
            raise ValueError('Cannot start queue runners: No default session is registered. Use '
                             '`with sess.as_default()` or pass an explicit session to '
                             'tf.start_queue_runners(sess=sess)')
    if not isinstance(sess, session_lib.SessionInterface):
        # A wrapper that runs hooks around each run is no session to fill queues by.
        if _is_monitored(sess):
            return []
        raise TypeError('sess must be a `tf.Session` object. Given class: {}'
                        .format(sess.__class__))
    queue_runners = ops.get_collection(collection)
    if not queue_runners:
        logging.warning('`tf.train.start_queue_runners()` was called when no queue runners were '
                        'defined. You can safely remove the call to this deprecated function.')
    with sess.graph.as_default():
        threads = []
        for qr in ops.get_collection(collection):
            threads.extend(qr.create_threads(sess, coord=coord, daemon=daemon, start=start))
    return threads


def _is_monitored(sess):
    return any(c.__name__ in ('MonitoredSession', 'SingularMonitoredSession')
               for c in type(sess).__mro__)


ops.register_proto_function(ops.GraphKeys.QUEUE_RUNNERS,
                            proto_type=queue_runner_pb2.QueueRunnerDef,
                            to_proto=QueueRunner.to_proto, from_proto=QueueRunner.from_proto)
