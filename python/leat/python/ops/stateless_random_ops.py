# SPDX-License-Identifier: Apache-2.0
"""Random tensors that are the same whenever their seeds are."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import gen_stateless_random_ops
from leat.python.ops import math_ops


def __getattr__(name):
    return getattr(gen_stateless_random_ops, name)


def stateless_random_uniform(shape, seed, minval=0, maxval=None, dtype=dtypes.float32, name=None):
    """Values of equal chance."""
    dtype = dtypes.as_dtype(dtype)
    if dtype not in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
                     dtypes.int32, dtypes.int64):
        raise ValueError('Invalid dtype %r' % dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError('Must specify maxval for integer dtype %r' % dtype)
        maxval = 1
    with ops.name_scope(name, 'stateless_random_uniform', [shape, seed, minval, maxval]) as name:
        shape = tensor_util.shape_tensor(shape)
        minval = ops.convert_to_tensor(minval, dtype=dtype, name='min')
        maxval = ops.convert_to_tensor(maxval, dtype=dtype, name='max')
        if dtype.is_integer:
            result = gen_stateless_random_ops.stateless_random_uniform_int(
                shape, seed=seed, minval=minval, maxval=maxval, name=name)
        else:
            drawn = gen_stateless_random_ops.stateless_random_uniform(shape, seed=seed,
                                                                      dtype=dtype)
            result = math_ops.add(drawn * (maxval - minval), minval, name=name)
        tensor_util.maybe_set_static_shape(result, shape)
        return result


def _normal(make, default, shape, seed, mean, stddev, dtype, name):
    with ops.name_scope(name, default, [shape, seed, mean, stddev]) as name:
        shape = tensor_util.shape_tensor(shape)
        mean = ops.convert_to_tensor(mean, dtype=dtype, name='mean')
        stddev = ops.convert_to_tensor(stddev, dtype=dtype, name='stddev')
        result = math_ops.add(make(shape, seed, dtype) * stddev, mean, name=name)
        tensor_util.maybe_set_static_shape(result, shape)
        return result


def stateless_random_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
    """Normally distributed values."""
    return _normal(gen_stateless_random_ops.stateless_random_normal, 'stateless_random_normal',
                   shape, seed, mean, stddev, dtype, name)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
    """Normally distributed values, within two deviations."""
    return _normal(gen_stateless_random_ops.stateless_truncated_normal,
                   'stateless_truncated_normal', shape, seed, mean, stddev, dtype, name)


def stateless_multinomial(logits, num_samples, seed, output_dtype=dtypes.int64, name=None):
    """Classes drawn by the chances that logits give."""
    with ops.name_scope(name, 'stateless_multinomial', [logits, seed]):
        return stateless_multinomial_categorical_impl(logits, num_samples, output_dtype, seed)


def stateless_categorical(logits, num_samples, seed, dtype=dtypes.int64, name=None):
    with ops.name_scope(name, 'stateless_categorical', [logits, seed]):
        return stateless_multinomial_categorical_impl(logits, num_samples, dtype, seed)


def stateless_multinomial_categorical_impl(logits, num_samples, dtype, seed):
    logits = ops.convert_to_tensor(logits, name='logits')
    return gen_stateless_random_ops.stateless_multinomial(logits, num_samples, seed,
                                                          output_dtype=dtype)
