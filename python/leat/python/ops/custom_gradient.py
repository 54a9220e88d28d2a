# SPDX-License-Identifier: Apache-2.0
"""Functions that say their own gradient."""
import weakref

from leat.python.framework import ops
from leat.python.ops import gen_array_ops
from leat.python.platform import tf_logging as logging
from leat.python.util import nest
from leat.python.util import tf_decorator
from leat.python.util import tf_inspect

VAR_OP_TYPES = ['VariableV2', 'VarHandleOp']


def copy_handle_data(source_t, target_t):
    """What handles stand for is known by their nodes."""
    del source_t, target_t


def custom_gradient(f=None):
    """f(*x) gives (y, grad_fn): grad_fn(*dy) gives the gradients by x; and by the variables that f
    used, as a pair, where it takes a `variables` keyword."""
    if f is None:
        return custom_gradient

    @Bind.decorator
    def decorated(wrapped, args, kwargs):
        return _graph_mode_decorator(wrapped, *args, **kwargs)
    return tf_decorator.make_decorator(f, decorated(f))


class Bind(object):
    """A decorated function that is a method too."""

    @classmethod
    def decorator(cls, d):
        return lambda f: cls(f, d)

    def __init__(self, f, d):
        self._f = f
        self._d = d

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return type(self)(self._f.__get__(instance, owner), self._d)

    def __call__(self, *a, **k):
        return self._d(self._f, a, k)


def get_variable_by_name(var_name):
    """The one variable of this name, global or local."""
    from leat.python.ops import variables
    found = [v for v in variables.global_variables() + variables.local_variables()
             if v.op.name == var_name]
    if not found:
        return None
    if len(found) > 1:
        raise ValueError('Unsuccessful at finding variable {}. Number of candidates: {}.'
                         .format(var_name, len(found)))
    return found[0]


def _variables_of(scope):
    return {id(v): v for v in scope.global_variables() + scope.local_variables()}


def _read_since(graph, position):
    """The trainable variables whose handles nodes made since read."""
    from leat.python.ops import variables
    by_handle = {v.handle.op: v for v in variables.global_variables() + variables.local_variables()
                 if hasattr(v, 'handle') and v.trainable}
    found = []
    for op in graph.get_operations()[position:]:
        if op.type in ('ReadVariableOp', 'ResourceGather'):
            var = by_handle.get(op.inputs[0].op)
            if var is not None and var not in found:
                found.append(var)
    return found


def _graph_mode_decorator(f, *args, **kwargs):
    from leat.python.ops import resource_variable_ops
    from leat.python.ops import variable_scope
    if kwargs:
        raise ValueError('The custom_gradient decorator currently supports keywords arguments '
                         'only when eager execution is enabled.')
    name = 'CustomGradient-%s' % ops.uid()
    args = [ops.convert_to_tensor(x) for x in args]
    graph = ops.get_default_graph()
    scope = variable_scope.get_variable_scope()
    before = _variables_of(scope)
    position = len(graph.get_operations())
    result, grad_fn = f(*args)
    for key, v in _variables_of(scope).items():
        if key not in before and not resource_variable_ops.is_resource_variable(v):
            raise TypeError('All variables used by a function wrapped with @custom_gradient must '
                            'be `ResourceVariable`s. Ensure that no `variable_scope` is created '
                            'with `use_resource=False`.')
    used = _read_since(graph, position)
    _check_signature(grad_fn, used)
    flat_result = nest.flatten(result)
    _register(graph, name, _gradient_of(grad_fn, len(flat_result), len(args), used))
    for value in flat_result + used:  # TensorFlow makes these, too: names of later nodes follow
        if isinstance(value, ops.Tensor):
            gen_array_ops.identity(value)
        else:
            ops.convert_to_tensor(value)
    with graph.gradient_override_map({'IdentityN': name}):
        tensors = gen_array_ops.identity_n(flat_result + args + used)
    return nest.pack_sequence_as(structure=result, flat_sequence=tensors[:len(flat_result)])


def _register(graph, name, gradient):
    """Registers a function that holds tensors of a graph, and so belongs to it: names are
    registered for good, what they stand for goes with the graph."""
    owner = weakref.ref(graph)
    graph.__dict__.setdefault('_custom_gradients', {})[name] = gradient

    def find(op, *grads):
        held = getattr(op.graph, '_custom_gradients', {})
        if name not in held:
            held = getattr(owner(), '_custom_gradients', {})
        if name not in held:
            raise LookupError('the graph in which %s was made is gone' % name)
        return held[name](op, *grads)
    ops.RegisterGradient(name)(find)


def _check_signature(grad_fn, used):
    from leat.python.ops import variable_scope
    spec = tf_inspect.getfullargspec(grad_fn)
    takes = 'variables' in spec.args or 'variables' in spec.kwonlyargs or spec.varkw
    if used and not takes:
        raise TypeError('If using @custom_gradient with a function that uses variables, then '
                        'grad_fn must accept a \'variables\' keyword argument.')
    if takes and not used:
        if not variable_scope.get_variable_scope().use_resource:
            raise TypeError('If using @custom_gradient with a function that uses variables, the '
                            'enclosing variable scope must have use_resource=True.')
        logging.warn('@custom_gradient grad_fn has \'variables\' in signature, but no '
                     'ResourceVariables were used on the forward pass.')


def _gradient_of(grad_fn, num_results, num_args, used):
    """The gradient function of the IdentityN that hands all of them on."""
    def gradient(unused_op, *result_grads):
        del unused_op
        result_grads = result_grads[:num_results]
        variable_grads = []
        if used:
            input_grads, variable_grads = grad_fn(*result_grads, variables=used)
            if len(variable_grads) != len(used):
                raise ValueError('Must return gradient for each variable from @custom_gradient '
                                 'grad_fn.')
        else:
            input_grads = grad_fn(*result_grads)
        input_grads = nest.flatten(input_grads)
        if len(input_grads) != num_args:
            raise ValueError('custom_gradient function expected to return %d gradients but '
                             'returned %d instead.' % (num_args, len(input_grads)))
        return [None] * num_results + input_grads + list(variable_grads)
    return gradient


def recompute_grad(f):
    """f, whose forward values are computed again for its gradient."""
    @custom_gradient
    def inner(*args, **kwargs):
        from leat.python.ops import gradients_impl
        result = f(*args, **kwargs)

        def grad(*dresult, **grad_kwargs):
            variables = grad_kwargs.get('variables')
            inputs = [gen_array_ops.identity(x) for x in args]
            with ops.control_dependencies([d for d in dresult if d is not None]):
                again = f(*inputs, **kwargs)
            out = gradients_impl.gradients(nest.flatten(again),
                                           inputs + list(variables or []), list(dresult))
            if variables:
                return out[:len(args)], out[len(args):]
            return out[:len(args)]
        return result, grad
    return inner


def grad_pass_through(f):
    """f, whose gradient is that of the identity."""
    @custom_gradient
    def _grad_pass_through_op(*args, **kwargs):
        def grad(*args, **kwargs):
            variables = kwargs.get('variables')
            if variables is not None:
                return args, [None] * len(variables)
            return args
        return f(*args, **kwargs), grad
    return tf_decorator.make_decorator(f, _grad_pass_through_op)


