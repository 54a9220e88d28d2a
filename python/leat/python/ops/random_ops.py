# SPDX-License-Identifier: Apache-2.0
"""Random tensors, their seeds taken of the graph's and the op's."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import random_seed
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_random_ops
from leat.python.ops import math_ops


def __getattr__(name):
    return getattr(gen_random_ops, name)


def _shaped(result, shape, postfix=None):
    """Tells the result what is known of the shape."""
    if not isinstance(shape, ops.Tensor):
        shape = ops.convert_to_tensor(shape)
    known = tensor_util.constant_value_as_shape(shape)
    if known.ndims is not None:
        if postfix is not None:
            known = known.concatenate(postfix)
        result.set_shape(known)
    return result


def random_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normally distributed values."""
    with ops.name_scope(name, 'random_normal', [shape, mean, stddev]) as name:
        shape_tensor = tensor_util.shape_tensor(shape)
        mean_tensor = ops.convert_to_tensor(mean, dtype=dtype, name='mean')
        stddev_tensor = ops.convert_to_tensor(stddev, dtype=dtype, name='stddev')
        seed1, seed2 = random_seed.get_seed(seed)
        drawn = gen_random_ops.random_standard_normal(shape_tensor, dtype, seed=seed1,
                                                      seed2=seed2)
        value = math_ops.add(drawn * stddev_tensor, mean_tensor, name=name)
        tensor_util.maybe_set_static_shape(value, shape_tensor)
        return value


def parameterized_truncated_normal(shape, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0,
                                   dtype=dtypes.float32, seed=None, name=None):
    """Normally distributed values between bounds."""
    with ops.name_scope(name, 'parameterized_truncated_normal',
                        [shape, means, stddevs, minvals, maxvals]) as name:
        shape_tensor = tensor_util.shape_tensor(shape)
        parts = [ops.convert_to_tensor(v, dtype=dtype, name=n) for v, n in (
            (means, 'means'), (stddevs, 'stddevs'), (minvals, 'minvals'), (maxvals, 'maxvals'))]
        seed1, seed2 = random_seed.get_seed(seed)
        value = gen_random_ops.parameterized_truncated_normal(shape_tensor, *parts, seed=seed1,
                                                              seed2=seed2)
        tensor_util.maybe_set_static_shape(value, shape_tensor)
        return value


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, seed=None, name=None):
    """Normally distributed values, those further than two deviations drawn again."""
    with ops.name_scope(name, 'truncated_normal', [shape, mean, stddev]) as name:
        shape_tensor = tensor_util.shape_tensor(shape)
        mean_tensor = ops.convert_to_tensor(mean, dtype=dtype, name='mean')
        stddev_tensor = ops.convert_to_tensor(stddev, dtype=dtype, name='stddev')
        seed1, seed2 = random_seed.get_seed(seed)
        drawn = gen_random_ops.truncated_normal(shape_tensor, dtype, seed=seed1, seed2=seed2)
        value = math_ops.add(drawn * stddev_tensor, mean_tensor, name=name)
        tensor_util.maybe_set_static_shape(value, shape_tensor)
        return value


def random_uniform(shape, minval=0, maxval=None, dtype=dtypes.float32, seed=None, name=None):
    """Values of equal chance from minval on and below maxval."""
    dtype = dtypes.as_dtype(dtype)
    if dtype not in (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
                     dtypes.int32, dtypes.int64):
        raise ValueError('Invalid dtype %r' % dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError('Must specify maxval for integer dtype %r' % dtype)
        maxval = 1
    with ops.name_scope(name, 'random_uniform', [shape, minval, maxval]) as name:
        shape = tensor_util.shape_tensor(shape)
        minval = ops.convert_to_tensor(minval, dtype=dtype, name='min')
        maxval = ops.convert_to_tensor(maxval, dtype=dtype, name='max')
        seed1, seed2 = random_seed.get_seed(seed)
        if dtype.is_integer:
            result = gen_random_ops.random_uniform_int(shape, minval, maxval, seed=seed1,
                                                       seed2=seed2, name=name)
        else:
            drawn = gen_random_ops.random_uniform(shape, dtype, seed=seed1, seed2=seed2)
            result = math_ops.add(drawn * (maxval - minval), minval, name=name)
        tensor_util.maybe_set_static_shape(result, shape)
        return result


def random_shuffle(value, seed=None, name=None):
    """The rows in another order."""
    seed1, seed2 = random_seed.get_seed(seed)
    return gen_random_ops.random_shuffle(value, seed=seed1, seed2=seed2, name=name)


def random_crop(value, size, seed=None, name=None):
    """A piece of that size from anywhere."""
    from leat.python.ops import control_flow_ops
    with ops.name_scope(name, 'random_crop', [value, size]) as name:
        value = ops.convert_to_tensor(value, name='value')
        size = ops.convert_to_tensor(size, dtype=dtypes.int32, name='size')
        shape = array_ops.shape(value)
        check = control_flow_ops.Assert(math_ops.reduce_all(shape >= size),
                                        ['Need value.shape >= size, got ', shape, size],
                                        summarize=1000)
        shape = control_flow_ops.with_dependencies([check], shape)
        limit = shape - size + 1
        offset = random_uniform(array_ops.shape(shape), dtype=size.dtype,
                                maxval=size.dtype.max, seed=seed) % limit
        return array_ops.slice(value, offset, size, name=name)


def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    """Classes drawn by the chances that logits give."""
    with ops.name_scope(name, 'multinomial', [logits]):
        return multinomial_categorical_impl(logits, num_samples, output_dtype, seed)


def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    with ops.name_scope(name, 'categorical', [logits]):
        return multinomial_categorical_impl(logits, num_samples, dtype, seed)


def multinomial_categorical_impl(logits, num_samples, dtype, seed):
    logits = ops.convert_to_tensor(logits, name='logits')
    seed1, seed2 = random_seed.get_seed(seed)
    return gen_random_ops.multinomial(logits, num_samples, seed=seed1, seed2=seed2,
                                      output_dtype=dtype)


def random_gamma(shape, alpha, beta=None, dtype=dtypes.float32, seed=None, name=None):
    """Values of gamma distributions; a draw of the shape for each alpha and beta."""
    with ops.name_scope(name, 'random_gamma', [shape, alpha, beta]):
        shape = ops.convert_to_tensor(shape, name='shape', dtype=dtypes.int32)
        alpha = ops.convert_to_tensor(alpha, name='alpha', dtype=dtype)
        beta = ops.convert_to_tensor(beta if beta is not None else 1, name='beta', dtype=dtype)
        alpha = alpha + array_ops.zeros_like(beta)
        seed1, seed2 = random_seed.get_seed(seed)
        result = math_ops.maximum(
            np.finfo(alpha.dtype.as_numpy_dtype).tiny,
            gen_random_ops.random_gamma(shape, alpha, seed=seed1, seed2=seed2) / beta)
        return _shaped(result, shape, alpha.get_shape())


def random_poisson(lam, shape, dtype=dtypes.float32, seed=None, name=None):
    return random_poisson_v2(shape, lam, dtype, seed, name)


def random_poisson_v2(shape, lam, dtype=dtypes.float32, seed=None, name=None):
    """Values of Poisson distributions; a draw of the shape for each rate."""
    with ops.name_scope(name, 'random_poisson', [lam, shape]):
        shape = ops.convert_to_tensor(shape, name='shape', dtype=dtypes.int32)
        seed1, seed2 = random_seed.get_seed(seed)
        result = gen_random_ops.random_poisson_v2(shape, lam, dtype=dtype, seed=seed1,
                                                  seed2=seed2)
        return _shaped(result, shape, result.op.inputs[1].get_shape())


def set_random_seed(seed):
    random_seed.set_random_seed(seed)


