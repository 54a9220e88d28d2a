# SPDX-License-Identifier: Apache-2.0
"""Histograms."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import gen_math_ops
from leat.python.ops import math_ops


def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """The bin of each value; the outer bins take what is beyond the range."""
    with ops.name_scope(name, 'histogram_fixed_width_bins', [values, value_range, nbins]):
        values = ops.convert_to_tensor(values, name='values')
        shape = array_ops.shape(values)
        values = array_ops.reshape(values, [-1])
        value_range = ops.convert_to_tensor(value_range, name='value_range')
        nbins = ops.convert_to_tensor(nbins, dtype=dtypes.int32, name='nbins')
        count = math_ops.cast(nbins, values.dtype)
        scaled = math_ops.truediv(values - value_range[0], value_range[1] - value_range[0],
                                  name='scaled_values')
        indices = math_ops.floor(count * scaled, name='indices')
        indices = math_ops.cast(clip_ops.clip_by_value(indices, 0, count - 1), dtypes.int32)
        return array_ops.reshape(indices, shape)


def histogram_fixed_width(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """How many values there are in each bin."""
    with ops.name_scope(name, 'histogram_fixed_width', [values, value_range, nbins]) as name:
        return gen_math_ops._histogram_fixed_width(values, value_range, nbins, dtype=dtype,
                                                   name=name)
