# SPDX-License-Identifier: Apache-2.0
"""Default graphs and sessions, and the functions that open a scope on the default graph.

Imported by ops at its end, whose part this is.
"""
import contextlib
import threading

from leat.python.framework import errors_impl
from leat.python.framework import registry
from leat.python.util import deprecation


def _ops():
    from leat.python.framework import ops
    return ops


class _DefaultStack(threading.local):
    """A stack of the thread's own."""

    def __init__(self):
        super(_DefaultStack, self).__init__()
        self._enforce_nesting = True
        self.stack = []

    def get_default(self):
        return self.stack[-1] if self.stack else None

    def reset(self):
        self.stack = []

    def is_cleared(self):
        return not self.stack

    @property
    def enforce_nesting(self):
        return self._enforce_nesting

    @enforce_nesting.setter
    def enforce_nesting(self, value):
        self._enforce_nesting = value

    @contextlib.contextmanager
    def get_controller(self, default):
        self.stack.append(default)
        try:
            yield default
        finally:
            if self.stack:
                if self._enforce_nesting:
                    if self.stack[-1] is not default:
                        raise AssertionError('Nesting violated for default stack of %s objects'
                                             % type(default))
                    self.stack.pop()
                elif default in self.stack:
                    self.stack.remove(default)


class _DefaultGraphStack(_DefaultStack):
    """The one of graphs, with a graph of the process at its bottom."""

    _global = [None]
    _lock = threading.Lock()

    def get_default(self):
        return self.stack[-1] if self.stack else self._global_default()

    def _global_default(self):
        with self._lock:
            if self._global[0] is None:
                self._global[0] = _ops().Graph()
            return self._global[0]

    def reset(self):
        super(_DefaultGraphStack, self).reset()
        with self._lock:
            self._global[0] = None


_default_graph_stack = _DefaultGraphStack()
_default_session_stack = _DefaultStack()


def get_default_graph():
    return _default_graph_stack.get_default()


def has_default_graph():
    return bool(_default_graph_stack.stack)


def reset_default_graph():
    """A new default graph; not inside a `with graph.as_default()`."""
    if not _default_graph_stack.is_cleared():
        raise AssertionError('Do not use tf.reset_default_graph() to clear nested graphs. If you '
                             'need a cleared graph, exit the nesting and create a new graph.')
    _default_graph_stack.reset()


def default_session(session):
    return _default_session_stack.get_controller(session)


def get_default_session():
    return _default_session_stack.get_default()


def _session_for(graph, session, what, verb, whose, colon, quote):
    """The session, or the default one, which must be of the graph. Texts are TensorFlow's."""
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError('Cannot %s using `%s()`: No default session is registered. Use `with '
                             'sess.as_default()%s` or pass an explicit session to '
                             '`%s(session=sess)`' % (verb, what, colon, what))
        if session.graph is not graph:
            raise ValueError('Cannot use the default session to %s: the %s graph is different '
                             'from the session\'s graph. Pass an explicit session to '
                             '%s%s(session=sess)%s.' % (verb, whose, quote, what, quote))
    elif session.graph is not graph:
        raise ValueError('Cannot use the given session to %s: the %s graph is different from the '
                         'session\'s graph.' % (verb, whose))
    return session


def _eval_using_default_session(tensors, feed_dict, graph, session=None):
    session = _session_for(graph, session, 'eval', 'evaluate tensor', 'tensor\'s', '', '`')
    return session.run(tensors, feed_dict)


def _run_using_default_session(operation, feed_dict, graph, session=None):
    session = _session_for(graph, session, 'run', 'execute operation', 'operation\'s', ':', '')
    session.run(operation, feed_dict)


@contextlib.contextmanager
def NullContextmanager(*args, **kwargs):
    yield


def device(device_name_or_function):
    return get_default_graph().device(device_name_or_function)


def device_v2(device_name):
    if callable(device_name):
        raise RuntimeError('tf.device does not support functions.')
    return device(device_name)


def container(container_name):
    return get_default_graph().container(container_name)


def colocate_with(op, ignore_existing=False):
    return get_default_graph().colocate_with(op, ignore_existing)


@deprecation.deprecated(date=None, instructions='Colocations handled automatically by placer.')
def _colocate_with(op, ignore_existing=False):
    return colocate_with(op, ignore_existing)


@contextlib.contextmanager
def _colocate_with_for_gradient(op, gradient_uid, ignore_existing=False):
    if op is None and not ignore_existing:
        yield
        return
    with get_default_graph().colocate_with(op, ignore_existing):
        yield


def control_dependencies(control_inputs):
    return get_default_graph().control_dependencies(control_inputs)


def add_to_collection(name, value):
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    return get_default_graph().get_collection_ref(key)


def get_all_collection_keys():
    return get_default_graph().get_all_collection_keys()


def get_name_scope():
    return get_default_graph().get_name_scope()


class name_scope(object):
    """`with tf.name_scope(name, default_name, values) as scope`: of the values' graph."""

    def __init__(self, name, default_name=None, values=None):
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError('`default_name` type (%s) is not a string type. You likely meant to '
                            'pass this into the `values` kwarg.' % type(default_name))
        self._name = default_name if name is None else name
        self._default_name = default_name
        self._values = values
        self._managers = None

    @property
    def name(self):
        return self._name

    def __enter__(self):
        if self._name is None and self._values is not None:
            raise ValueError('At least one of name (%s) and default_name (%s) must be provided.'
                             % (self._name, self._default_name))
        ops = _ops()
        graph = ops._get_graph_from_inputs(self._values or [])
        self._managers = []
        if graph is not get_default_graph():
            self._managers.append(graph.as_default())
        self._managers.append(graph.name_scope(self._name))
        result = None
        for i, manager in enumerate(self._managers):
            try:
                result = manager.__enter__()
            except BaseException:
                for entered in reversed(self._managers[:i]):
                    entered.__exit__(None, None, None)
                raise
        return result

    def __exit__(self, *info):
        managers, self._managers = self._managers, None
        for manager in reversed(managers):
            manager.__exit__(*info)
        return False


name_scope_v1 = name_scope


class name_scope_v2(object):
    """tf.compat.v2.name_scope(name)."""

    def __init__(self, name):
        if name is None or not isinstance(name, str):
            raise ValueError('name for name_scope must be a string.')
        self._name = name
        self._manager = None

    name = property(lambda self: self._name)

    def __enter__(self):
        self._manager = get_default_graph().name_scope(self._name)
        return self._manager.__enter__()

    def __exit__(self, *info):
        return self._manager.__exit__(*info)


@contextlib.contextmanager
def op_scope(values, name, default_name=None):
    with name_scope(name, default_name=default_name, values=values) as scope:
        yield scope


def name_from_scope_name(name):
    return name[:-1] if name and name[-1] == '/' else name


def strip_name_scope(name, export_scope):
    """`name` seen from inside of export_scope."""
    if not export_scope:
        return name
    if export_scope[-1] == '/':
        export_scope = export_scope[:-1]
    for mark in ('loc:@', '^', ''):
        if name.startswith(mark + export_scope + '/'):
            return mark + name[len(mark) + len(export_scope) + 1:]
    return name


def prepend_name_scope(name, import_scope):
    """`name` below import_scope."""
    if not import_scope:
        return name
    if import_scope[-1] == '/':
        import_scope = import_scope[:-1]
    for mark in ('loc:@', '^'):
        if name.startswith(mark):
            return mark + import_scope + '/' + name[len(mark):]
    return import_scope + '/' + name


@contextlib.contextmanager
def init_scope():
    """Lifts control dependencies, and out of loops and branches; names stay."""
    graph = get_default_graph()
    outer = graph
    while outer.building_function and outer._outer_graph is not None:
        outer = outer._outer_graph
    scope = graph.get_name_scope()
    with outer.as_default(), outer.name_scope(scope + '/' if scope else None), \
            outer.control_dependencies(None):
        yield


def inside_function():
    return get_default_graph().building_function


def executing_eagerly_outside_functions():
    return False


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    raise errors_impl.UnimplementedError(
        None, None, 'Leat runs graphs; there is no eager execution (docs/python-api.md)')


def disable_eager_execution():
    """Graphs are all there is."""


def enable_tensor_equality():
    """Noted: in graphs == says whether two names are of one tensor, before as after."""


def disable_tensor_equality():
    """== says whether two names are of one tensor."""


def dismantle_graph(graph):
    """Nothing is kept by cycles that the collector cannot see."""
    graph._ops.clear()


def in_graph_mode_only(function):
    return function


_proto_function_registry = registry.Registry('proto functions')


def register_proto_function(collection_name, proto_type=None, to_proto=None, from_proto=None):
    """How the items of a collection are written to a MetaGraph and read."""
    if to_proto and not callable(to_proto):
        raise TypeError('to_proto must be callable.')
    if from_proto and not callable(from_proto):
        raise TypeError('from_proto must be callable.')
    _proto_function_registry.register((proto_type, to_proto, from_proto), collection_name)


def _proto_part(collection_name, part):
    try:
        return _proto_function_registry.lookup(collection_name)[part]
    except LookupError:
        return None


def get_collection_proto_type(collection_name):
    return _proto_part(collection_name, 0)


def get_to_proto_function(collection_name):
    return _proto_part(collection_name, 1)


def get_from_proto_function(collection_name):
    return _proto_part(collection_name, 2)
