# SPDX-License-Identifier: Apache-2.0
"""Initialisers whose spread goes with the number of inputs or outputs."""
import math

from leat.python.framework import dtypes
from leat.python.ops import random_ops

__all__ = ['xavier_initializer', 'xavier_initializer_conv2d', 'variance_scaling_initializer']


def xavier_initializer(uniform=True, seed=None, dtype=dtypes.float32):
    """variance_scaling_initializer with the mean of inputs and outputs, factor 1."""
    return variance_scaling_initializer(factor=1.0, mode='FAN_AVG', uniform=uniform, seed=seed,
                                        dtype=dtype)


xavier_initializer_conv2d = xavier_initializer


def variance_scaling_initializer(factor=2.0, mode='FAN_IN', uniform=False, seed=None,
                                 dtype=dtypes.float32):
    """Random numbers of variance factor / n, n the inputs, the outputs or their mean."""
    if not dtype.is_floating:
        raise TypeError('Cannot create initializer for non-floating point type.')
    if mode not in ['FAN_IN', 'FAN_OUT', 'FAN_AVG']:
        raise TypeError('Unknown mode %s [FAN_IN, FAN_OUT, FAN_AVG]' % mode)

    def _initializer(shape, dtype=dtype, partition_info=None):
        del partition_info
        if not dtype.is_floating:
            raise TypeError('Cannot create initializer for non-floating point type.')
        if shape:
            fan_in = float(shape[-2]) if len(shape) > 1 else float(shape[-1])
            fan_out = float(shape[-1])
        else:
            fan_in = fan_out = 1.0
        for dim in shape[:-2]:
            fan_in *= float(dim)
            fan_out *= float(dim)
        n = {'FAN_IN': fan_in, 'FAN_OUT': fan_out, 'FAN_AVG': (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_ops.random_uniform(shape, -limit, limit, dtype, seed=seed)
        stddev = math.sqrt(1.3 * factor / n)  # what truncation at two deviations takes away
        return random_ops.truncated_normal(shape, 0.0, stddev, dtype, seed=seed)
    return _initializer
