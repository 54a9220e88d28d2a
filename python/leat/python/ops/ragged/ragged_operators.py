# SPDX-License-Identifier: Apache-2.0
"""Python's operators on RaggedTensors."""
from leat.python.ops import math_ops
from leat.python.ops.ragged import ragged_tensor


def _right(operation):
    return lambda y, x: operation(x, y)


def _set_operators(cls):
    both = {'add': math_ops.add, 'sub': math_ops.subtract, 'mul': math_ops.multiply,
            'div': math_ops.div, 'truediv': math_ops.truediv, 'floordiv': math_ops.floordiv,
            'mod': math_ops.floormod, 'pow': math_ops.pow, 'and': math_ops.logical_and,
            'or': math_ops.logical_or, 'xor': math_ops.logical_xor}
    for name, operation in both.items():
        setattr(cls, '__%s__' % name, (lambda f: lambda x, y: f(x, y))(operation))
        setattr(cls, '__r%s__' % name, _right(operation))
    for name, operation in {'lt': math_ops.less, 'le': math_ops.less_equal, 'gt': math_ops.greater,
                            'ge': math_ops.greater_equal}.items():
        setattr(cls, '__%s__' % name, (lambda f: lambda x, y: f(x, y))(operation))
    for name, operation in {'neg': math_ops.negative, 'abs': math_ops.abs,
                            'invert': math_ops.logical_not}.items():
        setattr(cls, '__%s__' % name, (lambda f: lambda x: f(x))(operation))


_set_operators(ragged_tensor.RaggedTensor)
