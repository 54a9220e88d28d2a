# SPDX-License-Identifier: Apache-2.0
"""The greatest common divisor."""
import math

from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops


def gcd(a, b, name=None):
    """Of two integers, by Euclid's loop where they are not known yet."""
    with ops.name_scope(name, 'gcd', [a, b]):
        a = ops.convert_to_tensor(a)
        b = ops.convert_to_tensor(b)
        a.shape.assert_has_rank(0)
        b.shape.assert_has_rank(0)
        if not a.dtype.is_integer:
            raise ValueError('a must be an integer type. Got: %s' % a.dtype)
        if not b.dtype.is_integer:
            raise ValueError('b must be an integer type. Got: %s' % b.dtype)
        known = tensor_util.constant_value(a), tensor_util.constant_value(b)
        if known[0] is not None and known[1] is not None:
            return constant_op.constant(math.gcd(int(known[0]), int(known[1])), dtype=a.dtype)
        from leat.python.ops import control_flow_ops
        return control_flow_ops.while_loop(
            lambda _, y: math_ops.greater(y, array_ops.zeros_like(y)),
            lambda x, y: [y, math_ops.mod(x, y)], [a, b], back_prop=False)[0]
