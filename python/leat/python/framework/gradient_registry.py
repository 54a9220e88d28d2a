# SPDX-License-Identifier: Apache-2.0
"""Functions of the user's that stand for an op: its gradient, its statistics."""
from leat.python.framework import registry

_gradient_registry = registry.Registry('gradient')
_stats_registry = registry.Registry('statistical functions')


class RegisterGradient(object):
    """@tf.RegisterGradient('MyOp'): the decorated function computes that op's gradient."""

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError('op_type must be a string')
        self._op_type = op_type

    def __call__(self, f):
        from leat.python.ops import gradients_util
        _gradient_registry.register(f, self._op_type)
        gradients_util.register(self._op_type, f)
        return f


def NotDifferentiable(op_type):
    """Says that the op has no gradient."""
    if not isinstance(op_type, str):
        raise TypeError('op_type must be a string')
    from leat.python.ops import gradients_util
    _gradient_registry.register(None, op_type)
    gradients_util.register(op_type, None)


NoGradient = no_gradient = NotDifferentiable


def get_gradient_function(op):
    """The function registered for the operation; the library's own as a function; None for no
    outputs. LookupError where it has none."""
    from leat.python.ops import gradients_util
    if not op.inputs:
        return None
    return gradients_util.function_of(op)


class RegisterShape(object):
    """Shapes are inferred by the library; kept for programs that say so."""

    def __init__(self, op_type):
        self._op_type = op_type

    def __call__(self, f):
        return f


class OpStats(object):
    """A statistic of an operation: a kind and a value."""

    def __init__(self, statistic_type, value=None):
        self.statistic_type = statistic_type
        self.value = value

    @property
    def statistic_type(self):
        return self._statistic_type

    @statistic_type.setter
    def statistic_type(self, statistic_type):
        self._statistic_type = statistic_type

    def __iadd__(self, other):
        if other.statistic_type != self.statistic_type:
            raise ValueError('Can\'t add an OpStat of type %s to one of %s.'
                             % (self.statistic_type, other.statistic_type))
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


class RegisterStatistics(object):
    """@ops.RegisterStatistics('MatMul', 'flops')."""

    def __init__(self, op_type, statistic_type):
        if not isinstance(op_type, str):
            raise TypeError('op_type must be a string.')
        if ',' in op_type:
            raise TypeError('op_type must not contain a comma.')
        if not isinstance(statistic_type, str):
            raise TypeError('statistic_type must be a string.')
        if ',' in statistic_type:
            raise TypeError('statistic_type must not contain a comma.')
        self._key = op_type + ',' + statistic_type

    def __call__(self, f):
        _stats_registry.register(f, self._key)
        return f


def get_stats_for_node_def(graph, node, statistic_type):
    if statistic_type == 'flops':
        from leat.python.profiler.internal import flops_registry  # noqa: what 1.15 counts
        del flops_registry
    try:
        function = _stats_registry.lookup(node.op + ',' + statistic_type)
        return function(graph, node)
    except LookupError:
        return OpStats(statistic_type)
