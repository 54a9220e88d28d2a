# SPDX-License-Identifier: Apache-2.0
"""Defun: Python functions as functions of a graph, which nodes call.

The body is built once, in a graph of its own; what it takes from outside is captured: each such
tensor becomes one more argument. The C library makes the FunctionDef of the body.
"""
import collections
import hashlib

from leat._load import core
from leat.core.framework import attr_value_pb2
from leat.core.framework import function_pb2
from leat.python.framework import dtypes
from leat.python.framework import errors_impl
from leat.python.framework import ops
from leat.python.util import compat
from leat.python.util import nest
from leat.python.util import tf_inspect

_NO_SHAPES = '_disable_call_shape_inference'


class Defun(object):
    """A decorator: Defun(types of the arguments..., func_name=, grad_func=, python_grad_func=,
    out_names=, shape_func=, noinline=...)."""

    def __init__(self, *input_types, **kwargs):
        self._input_types = input_types
        self._func_name = kwargs.pop('func_name', None)
        self._grad_func = kwargs.pop('grad_func', None)
        self._python_grad_func = kwargs.pop('python_grad_func', None)
        self._out_names = kwargs.pop('out_names', None)
        self._extra_kwargs = kwargs

    def __call__(self, func):
        if not callable(func):
            raise ValueError('function %s must be callable' % func)
        spec = tf_inspect.getargspec(func)
        arg_names = list(spec.args)
        if tf_inspect.ismethod(func) and arg_names:
            arg_names = arg_names[1:]
        if spec.defaults or spec.keywords:
            raise ValueError('function with argument defaults or keywords arguments are not '
                             'supported. {} has defaults {} and keywords {}.'.format(
                                 func, spec.defaults, spec.keywords))
        least = most = len(arg_names)
        if spec.varargs:
            most = 1000000
            arg_names = ['arg%d' % i for i in range(len(self._input_types))]
        common = dict(grad_func=self._grad_func, python_grad_func=self._python_grad_func,
                      out_names=self._out_names)
        common.update(self._extra_kwargs)
        if self._input_types:
            given = len(self._input_types)
            if given < least or given > most:
                raise ValueError('The function has fewer arguments than the number of specified '
                                 'input types.')
            return _DefinedFunction(func, arg_names, self._input_types, self._func_name, **common)
        if least == 0 and most == 0:
            return _DefinedFunction(func, [], [], self._func_name, **common)
        return _OverloadedFunction(func, arg_names, self._func_name, **common)


class _FuncGraph(ops.Graph):
    """The graph of a body: tensors of other graphs become arguments."""

    def __init__(self, name, capture_by_value=False, whitelisted_stateful_ops=None,
                 capture_resource_var_by_value=True, *args, **kwargs):
        super(_FuncGraph, self).__init__(*args, **kwargs)
        self.name = name
        self._building_function = True
        self._outer_graph = ops.get_default_graph()
        self._capture_by_value = capture_by_value
        self._whitelisted_stateful_ops = whitelisted_stateful_ops or set()
        self._capture_resource_var_by_value = capture_resource_var_by_value
        self._captured = {}
        self.inputs, self.outputs = [], []
        self.extra_inputs, self.extra_args, self.extra_vars = [], [], []

    @property
    def outer_graph(self):
        return self._outer_graph

    def getvar(self, getter, name, shape=None, dtype=None, initializer=None, reuse=None,
               trainable=True, collections=None, use_resource=None, **kwargs):
        """A variable of the outer graph."""
        from leat.python.ops import variable_scope as vs
        del getter, reuse, kwargs
        with self._outer_graph.as_default():
            var = vs.get_variable(name, shape=shape, dtype=dtype, initializer=initializer,
                                  trainable=trainable, collections=collections,
                                  use_resource=use_resource)
            self.extra_vars.append(var)
            if getattr(var, 'handle', None) is not None and self._capture_resource_var_by_value:
                return var.value()
        return var

    def create_op(self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None,
                  op_def=None, compute_shapes=True, compute_device=True):
        inputs = [self.capture(t) for t in inputs]
        return super(_FuncGraph, self).create_op(op_type, inputs, dtypes, input_types, name,
                                                 attrs, op_def)

    def capture(self, tensor, name=None):
        """The tensor, or what stands for it in the body."""
        if tensor.graph is self:
            return tensor
        if tensor in self._captured:
            return self._captured[tensor]
        if self._capture_by_value:
            return self._copied(tensor)
        return self._capture_tensor_as_extra_input(tensor, name)

    def _capture_tensor_as_extra_input(self, tensor, name=None):
        from leat.python.ops import array_ops
        self.extra_inputs.append(tensor)
        with self.as_default(), ops.control_dependencies(None):
            inside = array_ops.placeholder(tensor.dtype.base_dtype, shape=tensor.get_shape(),
                                           name=name)
        self._captured[tensor] = inside
        self.extra_args.append(inside)
        return inside

    def _copied(self, tensor):
        """The tensor's operation, and those before it, built again in the body."""
        op = tensor.op
        if op.type in ('Placeholder', 'PlaceholderV2') or (
                op._is_stateful and op.type not in self._whitelisted_stateful_ops):
            raise ValueError('Cannot capture a stateful node (name:%s, type:%s) by value.'
                             % (op.name, op.type) if op._is_stateful else
                             'Cannot capture a placeholder (name:%s, type:%s) by value.'
                             % (op.name, op.type))
        inputs = [self._copied(t) if t not in self._captured else self._captured[t]
                  for t in op.inputs]
        attrs = {key: op.node_def.attr[key] for key in op.node_def.attr}
        with self.as_default():
            made = super(_FuncGraph, self).create_op(op.type, inputs, name=op.name, attrs=attrs)
        for old, new in zip(op.outputs, made.outputs):
            self._captured[old] = new
        return self._captured[tensor]


def func_graph_from_py_func(func, arg_names, arg_types, name=None, capture_by_value=False,
                            device=None, colocation_stack=None, container=None,
                            collections_ref=None, arg_shapes=None, whitelisted_stateful_ops=None,
                            capture_resource_var_by_value=True):
    """The graph that a Python function builds."""
    from leat.python.ops import array_ops
    from leat.python.ops import variable_scope as vs
    name = name or tf_inspect_name(func)
    graph = _FuncGraph(name, capture_by_value, whitelisted_stateful_ops,
                       capture_resource_var_by_value)
    with graph.as_default(), ops.device(device):
        if collections_ref is not None:
            graph._collections = collections_ref
        if container is not None:
            graph._container = container
        shapes = arg_shapes or [None] * len(arg_types)
        for arg_name, arg_type, shape in zip(arg_names, arg_types, shapes):
            graph.inputs.append(array_ops.placeholder(arg_type, shape=shape, name=arg_name))
        with vs.variable_scope('', custom_getter=graph.getvar):
            outputs = func(*graph.inputs)
        if outputs is None:
            outputs = []
        elif not isinstance(outputs, (list, tuple)):
            outputs = [outputs]
        if any(o is None for o in outputs):
            raise ValueError('Function %s can not return None.' % name)
        outputs = nest.flatten(outputs, expand_composites=True)
        graph.outputs = [graph.capture(o if isinstance(o, ops.Tensor)
                                       else ops.convert_to_tensor(o)) for o in outputs]
    return graph


def tf_inspect_name(func):
    from leat.python.util import function_utils
    return function_utils.get_func_name(func)


class _DefinedFunction(object):
    """A function of a graph, made of a Python function when first used."""

    def __init__(self, func, argnames, input_types, func_name=None, grad_func=None,
                 python_grad_func=None, out_names=None, shape_func=None, capture_by_value=False,
                 whitelisted_stateful_ops=None, capture_resource_var_by_value=True, **kwargs):
        self._func = func
        self._input_types = tuple(dtypes.as_dtype(t) for t in input_types)
        self._func_name = func_name
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = out_names
        self._shape_func = shape_func
        self._capture_by_value = capture_by_value
        self._whitelisted_stateful_ops = whitelisted_stateful_ops
        self._capture_resource_var_by_value = capture_resource_var_by_value
        self._extra_kwargs = kwargs
        self._arg_names = list(argnames)
        self._definition = None
        self._bytes = None
        self._sub_functions = {}
        self._extra_inputs = []
        self._stateful_ops = []
        self._func_graph = None

    @property
    def name(self):
        if self._func_name is None or self._definition is None:
            self._create_definition_if_needed()
        return self._func_name

    @property
    def definition(self):
        """The FunctionDef."""
        self._create_definition_if_needed()
        return self._definition

    @property
    def _signature(self):
        return self.definition.signature

    @property
    def grad_func_name(self):
        return self._grad_func.name if self._grad_func else None

    @property
    def python_grad_func(self):
        return self._python_grad_func

    @property
    def declared_input_types(self):
        return self._input_types

    @property
    def captured_inputs(self):
        self._create_definition_if_needed()
        return self._extra_inputs

    @property
    def stateful_ops(self):
        self._create_definition_if_needed()
        return self._stateful_ops

    def set_grad_func(self, grad_func):
        assert not self._grad_func
        assert isinstance(grad_func, _DefinedFunction)
        self._grad_func = grad_func

    def _create_definition_if_needed(self):
        if self._definition is not None:
            return
        graph = func_graph_from_py_func(
            self._func, self._arg_names, self._input_types, self._func_name,
            self._capture_by_value, whitelisted_stateful_ops=self._whitelisted_stateful_ops,
            capture_resource_var_by_value=self._capture_resource_var_by_value)
        self._func_graph = graph
        self._extra_inputs = graph.extra_inputs
        self._sub_functions = graph._functions
        self._stateful_ops = [(op.name, op.type) for op in graph.get_operations()
                              if _is_stateful(op)]
        if self._out_names and len(self._out_names) != len(graph.outputs):
            raise errors_impl.InvalidArgumentError(
                None, None, 'output names must be either empty or equal in size to outputs. '
                'output names size = %d outputs size = %d'
                % (len(self._out_names), len(graph.outputs)))
        definition = self._make(graph)
        if self._func_name is None:
            definition.signature.name = self._unique_name(definition)
        self._func_name = definition.signature.name
        self._bytes = definition.SerializeToString()
        self._definition = definition
        if self._python_grad_func:
            _register_python_gradient(self._func_name, self._python_grad_func)

    def _make(self, graph):
        """The FunctionDef, with the attributes that were asked for."""
        try:
            made = core.function_make(
                graph._c, self._func_name or graph.name, False, None,
                [t._c for t in graph.inputs + graph.extra_args], [t._c for t in graph.outputs],
                list(self._out_names) if self._out_names else None, None, None, None)
        except core.Error as error:
            ops.raise_build_error(error)
        definition = function_pb2.FunctionDef.FromString(made)
        for key, value in _parse_kwargs_as_attrs(graph.name, **self._extra_kwargs).items():
            definition.attr[key].CopyFrom(value)
        return definition

    def _unique_name(self, definition):
        """The Python function's name and a digest of the body."""
        digest = hashlib.sha1(definition.SerializeToString(deterministic=True)).hexdigest()[:11]
        parts = [tf_inspect_name(self._func)]
        if self._grad_func:
            parts.append(self._grad_func.name)
        return '_'.join(parts + [digest])

    def add_to_graph(self, g):
        """Puts the function, and those that it calls, into a graph's library."""
        self._create_definition_if_needed()
        _add_function(g, self)
        for function in list(self._sub_functions.values()):
            function.add_to_graph(g)
        if self._grad_func:
            self._grad_func.add_to_graph(g)

    def __call__(self, *args, **kwargs):
        self.add_to_graph(ops.get_default_graph())
        args = [ops.convert_to_tensor(a) for a in args] + self._extra_inputs
        result, op = _call(self._signature, *args, **kwargs)
        if self._shape_func is not None:
            shapes = self._shape_func(op)
            if len(shapes) != len(op.outputs):
                raise ValueError('shape_func produced %d shapes for %d outputs'
                                 % (len(shapes), len(op.outputs)))
            for tensor, shape in zip(op.outputs, shapes):
                tensor.set_shape(shape)
        return result


def _is_stateful(op):
    try:
        return op._is_stateful and op.type not in ('Placeholder',)
    except RuntimeError:  # a call of a function
        return bool(getattr(op.graph._get_function(op.type), 'stateful_ops', None))


def _register_python_gradient(name, function):
    from leat.python.framework import gradient_registry
    try:
        gradient_registry._gradient_registry.lookup(name)
    except LookupError:
        ops.RegisterGradient(name)(function)


def _add_function(graph, function):
    """The function into the graph's library, with its gradient function."""
    name = function.name
    known = graph._get_function(name)
    if known is function:
        return
    if known is not None:
        if known.definition.SerializeToString(deterministic=True) != \
                function.definition.SerializeToString(deterministic=True):
            raise errors_impl.InvalidArgumentError(
                None, None, 'Cannot add function \'%s\' because a different function with the '
                'same name already exists.' % name)
        return
    if function._python_grad_func is not None and function._grad_func is not None:
        raise ValueError('Gradient defined twice for function %s' % name)
    graph._functions[name] = function
    gradient = function._grad_func
    for inner in list(function._sub_functions.values()):
        inner.add_to_graph(graph)
    try:
        core.function_add(graph._c, function.definition.SerializeToString(),
                          gradient.definition.SerializeToString() if gradient else None)
    except core.Error as error:
        del graph._functions[name]
        ops.raise_build_error(error)


class _OverloadedFunction(object):
    """A function for each combination of its arguments' types."""

    def __init__(self, func, argnames, func_name=None, grad_func=None, python_grad_func=None,
                 out_names=None, **kwargs):
        self._func = func
        self._argnames = argnames
        self._func_name = func_name
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = out_names
        self._extra_kwargs = kwargs
        self._overload = {}

    def instantiate(self, input_types):
        """The _DefinedFunction for these types."""
        key = _type_list_to_str(input_types)
        found = self._overload.get(key)
        if found is None:
            name = self._func_name
            if name is not None:
                name = '_'.join([name, key])
            found = _DefinedFunction(
                self._func, self._argnames, input_types, name, None, self._python_grad_func,
                out_names=self._out_names, **self._extra_kwargs)
            found.name  # pylint: disable=pointless-statement
            if self._grad_func:
                types = [dtypes.as_dtype(arg.type) for arg in
                         found._signature.output_arg]
                found.set_grad_func(self._grad_func.instantiate(list(input_types) + types))
            self._overload[key] = found
        return found

    def __call__(self, *args, **kwargs):
        tensors = []
        types = []
        for value in args:
            tensor = ops.convert_to_tensor(value)
            types.append(tensor.dtype.base_dtype)
            tensors.append(tensor)
        return self.instantiate(types)(*tensors, **kwargs)


def _type_list_to_str(types):
    if any(t.base_dtype != t for t in types):
        raise ValueError('Unsupported dtypes: %s' % types)
    return ''.join('%d_' % t.as_datatype_enum for t in types).rstrip('_')


def _call(sig, *inputs, **kwargs):
    """(result, the node) of a call."""
    if len(inputs) != len(sig.input_arg):
        raise ValueError('Expected number of arguments: %d, received: %d'
                         % (len(sig.input_arg), len(inputs)))
    name = kwargs.pop('name', None)
    graph = ops.get_default_graph()
    attrs = [(key, 'v', value.SerializeToString()) for key, value in
             _parse_kwargs_as_attrs(sig.name, **kwargs).items()]
    if graph._building_function:
        inputs = [graph.capture(t) for t in inputs]
    try:
        op = graph._make_op(sig.name, name or sig.name, [t._c for t in inputs], attrs)
    except core.Error as error:
        ops.raise_build_error(error)
    if not op.outputs:
        return op, op
    if len(op.outputs) == 1:
        return op.outputs[0], op
    return tuple(op.outputs), op


def _parse_kwargs_as_attrs(func_name, **kwargs):
    """The attributes of a call, or of a function, that keywords ask for."""
    attrs = collections.OrderedDict()
    attrs[_NO_SHAPES] = attr_value_pb2.AttrValue(b=True)
    noinline = kwargs.pop('noinline', None)
    if noinline is not None:
        attrs['_noinline'] = attr_value_pb2.AttrValue(b=bool(noinline))
    compiled = kwargs.pop('compiled', None)
    separate = kwargs.pop('separate_compiled_gradients', None)
    if compiled is not None:
        attrs['_XlaCompile'] = attr_value_pb2.AttrValue(b=bool(compiled))
        attrs['_XlaSeparateCompiledGradients'] = attr_value_pb2.AttrValue(b=bool(separate))
        attrs['_XlaScope'] = attr_value_pb2.AttrValue(
            s=('function_%s' % func_name).encode())
    for keyword in ('executor_type', 'config_proto'):
        value = kwargs.pop(keyword, None)
        if value is not None:
            attrs[keyword] = attr_value_pb2.AttrValue(s=compat.as_bytes(value))
    for key in list(kwargs):
        if key.startswith('experimental_'):
            value = kwargs.pop(key)
            text = isinstance(value, (str, bytes))
            attrs[key] = attr_value_pb2.AttrValue(s=compat.as_bytes(value)) if text else \
                attr_value_pb2.AttrValue(b=bool(value))
    if kwargs:
        raise ValueError('Unknown keyword arguments: %s' % kwargs.keys())
    return attrs


# ---- functions that a library brings ----

def _from_definition(fdef, grad_func=None):
    """A _DefinedFunction of a FunctionDef."""
    names = [arg.name for arg in fdef.signature.input_arg]
    types = [dtypes.as_dtype(arg.type) for arg in fdef.signature.input_arg if arg.type]
    made = _DefinedFunction(None, names, types, fdef.signature.name, grad_func)
    made._definition = fdef
    made._bytes = fdef.SerializeToString()
    return made


def from_library(lib):
    """The functions of a FunctionDefLibrary, with their gradients."""
    if not lib.function and not lib.gradient:
        return []
    definitions = {f.signature.name: f for f in lib.function}
    gradients = {}
    for row in lib.gradient:
        for name in (row.gradient_func, row.function_name):
            if name not in definitions:
                raise ValueError('FunctionDefLibrary missing \'%s\' FunctionDef (%s)'
                                 % (name, row))
        gradients[row.function_name] = row.gradient_func
    made = {}

    def make(name, depth):
        if name not in made:
            if depth > len(definitions):
                raise ValueError('There is a cyclic dependency between functions. Could not '
                                 'initialize %s.' % sorted(definitions))
            gradient = gradients.get(name)
            made[name] = _from_definition(definitions[name],
                                          gradient and make(gradient, depth + 1))
        return made[name]
    return [make(name, 0) for name in definitions]


_from_library = from_library


def function_def_from_tf_function(c_func):
    """The FunctionDef of serialized bytes."""
    return function_pb2.FunctionDef.FromString(c_func)


# ---- what a body captured ----

def _of_body(what):
    graph = ops.get_default_graph()
    return getattr(graph, what) if isinstance(graph, _FuncGraph) else []


def get_extra_vars():
    return _of_body('extra_vars')


def get_extra_inputs():
    return _of_body('extra_inputs')


def get_extra_args():
    return _of_body('extra_args')
