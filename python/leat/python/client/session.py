# SPDX-License-Identifier: Apache-2.0
"""Sessions: fetch structures, feeds, errors with the op to blame.

What is fetched and fed is resolved once per signature and kept: a repeated run of a flat structure
is one call of `_core`. How structures and feeds are taken apart is in fetches.py.
"""
import os
import re
import sys
import threading
import warnings

from leat._load import core
from leat.python.client import fetches as _fetches
from leat.python.client.fetches import register_session_run_conversion_functions
from leat.python.framework import errors_impl
from leat.python.framework import ops
from leat.python.util.tf_export import tf_export

__all__ = ['BaseSession', 'InteractiveSession', 'Session', 'SessionInterface',
           'register_session_run_conversion_functions']

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_MAX_KEPT = 512  # signatures
_NODE_RE = re.compile(r'\{\{node ([^}\s]+)\}\}')
_MADE_AT_RE = re.compile(r',? made at [^)\n]*')


class SessionInterface:
    """What graph building code may ask of any kind of session."""

    @property
    def graph(self):
        """The graph that it runs."""
        raise NotImplementedError('graph')

    @property
    def sess_str(self):
        """The target."""
        raise NotImplementedError('sess_str')

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Runs what the fetches need."""
        raise NotImplementedError('run')

    def partial_run_setup(self, fetches, feeds=None):
        """Prepares a step that is fed and fetched piece by piece."""
        raise NotImplementedError('partial_run_setup')

    def partial_run(self, handle, fetches, feed_dict=None):
        """Goes on with such a step."""
        raise NotImplementedError('partial_run')


class _DeviceAttributes:
    """One device of a session."""

    def __init__(self, name, device_type, memory_limit_bytes, incarnation):
        self._name = name if isinstance(name, str) else name.decode()
        self._device_type = device_type
        self._memory_limit_bytes = memory_limit_bytes
        self._incarnation = incarnation

    @property
    def name(self):
        """As /job:localhost/replica:0/task:0/device:CPU:0."""
        return self._name

    @property
    def device_type(self):
        """As CPU."""
        return self._device_type

    @property
    def memory_limit_bytes(self):
        """Its memory."""
        return self._memory_limit_bytes

    @property
    def incarnation(self):
        """A number that changes when it starts anew."""
        return self._incarnation

    def __repr__(self):
        return '_DeviceAttributes(%s, %s, %d, %d)' % (
            self._name, self._device_type, self._memory_limit_bytes, self._incarnation)


def _frame_of(op):
    """'file:line' of the user's call that made op; None when not known."""
    try:
        frames = op.traceback
    except Exception:  # pylint: disable=broad-except
        return None
    for frame in reversed(frames):
        if not frame[0].startswith(_PACKAGE):
            return '%s:%s' % (frame[0], frame[1])
    return None


def _find_op(graph, name):
    try:
        return graph.get_operation_by_name(name)
    except (KeyError, ValueError, TypeError):
        return None


def _explained(message, graph):
    """(message with nodes' places, the op to blame or None)."""
    blamed = None
    for name in _NODE_RE.findall(message):
        op = _find_op(graph, name)
        blamed = blamed or op
        place = _frame_of(op) if op is not None else None
        if place:
            message = message.replace('{{node %s}}' % name,
                                      'node %s (defined at %s) ' % (name, place))
    if blamed is not None:
        message = _MADE_AT_RE.sub('', message)
    return message, blamed


def _raise_for(error, graph):
    """Raises the exception of tf.errors for an error of _core."""
    code, message = error.args
    message, op = _explained(message, graph)
    node_def = op.node_def if op is not None else None
    raise errors_impl._make_specific_exception(  # pylint: disable=protected-access
        node_def, op, message, code) from None


def _as_bytes(text):
    return text.encode('utf-8') if isinstance(text, str) else text


def _is_config(config):
    try:
        from leat.core.protobuf import config_pb2
    except ImportError:
        return hasattr(config, 'SerializeToString')
    return isinstance(config, config_pb2.ConfigProto)


class BaseSession(SessionInterface):
    """What Session and InteractiveSession share."""

    _DEAD_HANDLES_THRESHOLD = 10

    def __init__(self, target='', graph=None, config=None):
        self._session = None
        self._closed = False
        if graph is None:
            graph = ops.get_default_graph()
        elif not isinstance(graph, ops.Graph):
            raise TypeError('graph must be a tf.Graph, but got %s' % type(graph))
        self._graph = graph
        if target is None:
            target = ''
        try:
            self._target = _as_bytes(target)
            if not isinstance(self._target, bytes):
                raise TypeError
        except TypeError:
            raise TypeError('target must be a string, but got %s' % type(target)) from None
        if config is None and 'leat.python.framework.config' in sys.modules:
            config = sys.modules['leat.python.framework.config'].session_config()
        if config is not None and not _is_config(config):
            raise TypeError('config must be a tf.ConfigProto, but got %s' % type(config))
        self._config = config
        self._add_shapes = bool(config is not None and config.graph_options.infer_shapes)
        self._delete_lock = threading.Lock()
        self._dead_handles = []
        self._steps = {}  # (feeds, fetches, targets): a _core.Step
        try:
            self._session = core.Session(graph._c, self._target,
                                         None if config is None else config.SerializeToString())
        except core.Error as e:
            _raise_for(e, graph)
        self._quick = self._session.quick

    def list_devices(self):
        """The devices that ops can be placed on."""
        self._check_open()
        try:
            rows = self._session.list_devices()
        except core.Error as e:
            _raise_for(e, self._graph)
        return [_DeviceAttributes(*row) for row in rows]

    def close(self):
        """Ends the session: what runs in other threads is cancelled. Can be called again."""
        self._steps = {}
        session = self._session
        if session is None or self._closed:
            return
        self._closed = True
        try:
            session.close()
        except core.Error as e:
            _raise_for(e, self._graph)

    def __del__(self):
        try:
            BaseSession.close(self)
        except Exception:  # pylint: disable=broad-except
            pass

    @property
    def graph(self):
        return self._graph

    @property
    def graph_def(self):
        """The graph as a GraphDef."""
        return self._graph.as_graph_def(add_shapes=self._add_shapes)

    @property
    def sess_str(self):
        return self._target

    def as_default(self):
        """A context in which this is the default session. Leaving it does not close it."""
        return ops.default_session(self)

    def _check_open(self):
        if self._closed or self._session is None:
            raise RuntimeError('Attempted to use a closed Session.')

    # --- runs ---

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Runs one step: the values of fetches, in the structure that they were given in."""
        if options is None and run_metadata is None:
            try:
                value = self._quick(fetches, feed_dict)
            except core.Error as e:
                if feed_dict:
                    _fetches.resolve_feeds(self._graph, feed_dict)
                _raise_for(e, self._graph)
            if value is not NotImplemented:
                return value
        try:
            return self._run(None, fetches, feed_dict, options, run_metadata)
        except core.Error as e:
            _raise_for(e, self._graph)

    def _run(self, handle, fetches, feed_dict, options, run_metadata):
        self._check_open()
        graph = self._graph
        if graph.version == 0:
            raise RuntimeError('The Session graph is empty.  Add operations to the graph before '
                               'calling run().')
        feeds, flat = _fetches.resolve_feeds(graph, feed_dict)
        handler = _fetches.FetchHandler(graph, fetches)
        tensors, targets = handler.wanted(feeds)
        self._drop_dead_handles()
        if not (tensors or targets or (handle and feeds)):
            return handler.build([], feeds, self)
        if handle:
            values = self._session.partial_run(
                handle, [_pair(t) for t in feeds], list(feeds.values()),
                [_pair(t) for t in tensors])
            return handler.build(values, feeds, self)
        step = self._step(tuple(feeds), tuple(tensors), tuple(targets))
        if flat and handler.is_flat and len(tensors) == handler.num_tensors:
            self._session.learn(fetches, feed_dict or None, step, *handler.shape_of_result())
        fed = list(feeds.values())
        if options is None and run_metadata is None:
            return handler.build(step.run(fed), feeds, self)
        given = options.SerializeToString() if options is not None else None
        values = step.run(fed, given, run_metadata is not None)
        if run_metadata is not None:
            values, proto = values
            run_metadata.ParseFromString(proto)
        return handler.build(values, feeds, self)

    def _step(self, feeds, tensors, targets):
        signature = (feeds, tensors, targets)
        step = self._steps.get(signature)
        if step is None:
            step = self._session.make([_pair(t) for t in feeds], [_pair(t) for t in tensors],
                                      [op._ptr for op in targets])
            if len(self._steps) >= _MAX_KEPT:
                self._steps.clear()
            self._steps[signature] = step
        return step

    def partial_run_setup(self, fetches, feeds=None):
        """Prepares a step whose feeds and fetches come in several calls of partial_run: its
        handle."""
        self._check_open()
        graph = self._graph
        if graph.version == 0:
            raise RuntimeError('The Session graph is empty.  Add operations to the graph before '
                               'calling run().')
        feeds = _fetches.resolve_feed_list(graph, [] if feeds is None else feeds)
        handler = _fetches.FetchHandler(graph, fetches)
        tensors, targets = handler.wanted({})
        try:
            return self._session.partial_setup([_pair(t) for t in feeds],
                                               [_pair(t) for t in tensors],
                                               [op._ptr for op in targets])
        except core.Error as e:
            _raise_for(e, graph)

    def partial_run(self, handle, fetches, feed_dict=None):
        """Feeds and fetches more of a prepared step."""
        try:
            return self._run(handle, fetches, feed_dict, None, None)
        except core.Error as e:
            _raise_for(e, self._graph)

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        """A function that runs the fetches; its arguments are the values of feed_list."""
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError('`feed_list` must be a list or tuple.')
        self._check_open()
        feeds = list(feed_list or ())

        def _run_with_options(*values, **kwargs):
            return self.run(fetches, dict(zip(feeds, values)), **kwargs)

        def _run_plain(*values):
            return self.run(fetches, dict(zip(feeds, values)))

        return _run_with_options if accept_options else _run_plain

    # --- handles of values that stay in the session ---

    def _register_dead_handle(self, handle):
        with self._delete_lock:
            self._dead_handles.append(handle)

    def _drop_dead_handles(self):
        if len(self._dead_handles) <= self._DEAD_HANDLES_THRESHOLD:
            return
        with self._delete_lock:
            dead, self._dead_handles = self._dead_handles, []
        from leat.python.ops import session_ops
        for handle in dead:
            holder, deleter = session_ops._get_handle_deleter(self._graph, 0, handle)
            self.run(deleter, feed_dict={holder: handle})

    def _extend_graph(self):
        """The library sees new ops by itself."""


def _pair(tensor):
    return tensor.op._ptr, tensor.value_index


@tf_export(v1=['Session'])
class Session(BaseSession):
    """Runs a graph; as a context manager it is the default session, and closed at the end."""

    def __init__(self, target='', graph=None, config=None):
        super().__init__(target, graph, config=config)
        self._default_graph_context_manager = None
        self._default_session_context_manager = None

    def __enter__(self):
        if self._default_graph_context_manager is not None:
            raise RuntimeError('Session context managers are not re-entrant. '
                               'Use `Session.as_default()` if you want to enter '
                               'a session multiple times.')
        self._default_graph_context_manager = self.graph.as_default()
        self._default_session_context_manager = self.as_default()
        self._default_graph_context_manager.__enter__()
        return self._default_session_context_manager.__enter__()

    def __exit__(self, exec_type, exec_value, exec_tb):
        session_context = self._default_session_context_manager
        graph_context = self._default_graph_context_manager
        self._default_session_context_manager = None
        self._default_graph_context_manager = None
        try:
            session_context.__exit__(None, None, None)
        finally:
            try:
                graph_context.__exit__(None, None, None)
            finally:
                self.close()

    @staticmethod
    def reset(target, containers=None, config=None):
        """Clears the containers on the target, and closes the sessions that use them."""
        if target is not None:
            target = _as_bytes(target)
        names = [_as_bytes(c) for c in containers] if containers is not None else []
        try:
            core.reset(target, names, None if config is None else config.SerializeToString())
        except core.Error as e:
            code, message = e.args
            raise errors_impl._make_specific_exception(None, None, message, code) from None


@tf_export(v1=['InteractiveSession'])
class InteractiveSession(BaseSession):
    """A session that is the default one from when it is made until it is closed."""

    _count_lock = threading.Lock()
    _active_session_count = 0

    def __init__(self, target='', graph=None, config=None):
        super().__init__(target, graph, config)
        with InteractiveSession._count_lock:
            if InteractiveSession._active_session_count > 0:
                warnings.warn('An interactive session is already active. This can cause '
                              'out-of-memory errors in some cases. You must explicitly call '
                              '`InteractiveSession.close()` to release resources held by the '
                              'other session(s).')
            InteractiveSession._active_session_count += 1
        self._explicitly_closed = False
        self._default_session = self.as_default()
        self._default_session.__enter__()
        self._explicit_graph = graph
        if graph is not None:
            self._default_graph = graph.as_default()
            self._default_graph.__enter__()

    def close(self):
        """Ends the session; it is no longer the default one."""
        super().close()
        if getattr(self, '_explicitly_closed', True):
            return
        self._explicitly_closed = True
        with InteractiveSession._count_lock:
            InteractiveSession._active_session_count -= 1
        if self._explicit_graph is not None:
            self._default_graph.__exit__(None, None, None)
            self._default_graph = None
        self._default_session.__exit__(None, None, None)
        self._default_session = None
