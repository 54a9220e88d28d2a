# SPDX-License-Identifier: Apache-2.0
"""Windows of raised cosines."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops


def hann_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    return _raised_cosine_window(name, 'hann_window', window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    return _raised_cosine_window(name, 'hamming_window', window_length, periodic, dtype, 0.54,
                                 0.46)


def _raised_cosine_window(name, default_name, window_length, periodic, dtype, a, b):
    """a - b cos(2 pi k / n), n one less than the length unless it is periodic."""
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError('dtype must be a floating point type. Found %s' % dtype)
    with ops.name_scope(name, default_name, [window_length, periodic]):
        window_length = ops.convert_to_tensor(window_length, dtype=dtypes.int32,
                                              name='window_length')
        window_length.shape.assert_has_rank(0)
        from leat.python.framework import tensor_util
        known = tensor_util.constant_value(window_length)
        if known is not None and known == 1:
            return array_ops.ones([1], dtype=dtype)
        periodic = math_ops.cast(
            ops.convert_to_tensor(periodic, dtype=dtypes.bool, name='periodic'), dtypes.int32)
        periodic.shape.assert_has_rank(0)
        even = 1 - math_ops.mod(window_length, 2)
        n = math_ops.cast(window_length + periodic * even - 1, dtype=dtype)
        count = math_ops.cast(math_ops.range(window_length), dtype=dtype)
        arg = constant_op.constant(2 * np.pi, dtype=dtype) * count / n
        if known is not None:
            return math_ops.cast(a - b * math_ops.cos(arg), dtype=dtype)
        from leat.python.ops import control_flow_ops
        return control_flow_ops.cond(math_ops.equal(window_length, 1),
                                     lambda: array_ops.ones([1], dtype=dtype),
                                     lambda: a - b * math_ops.cos(arg))
