# SPDX-License-Identifier: Apache-2.0
"""What variables begin with: objects that make a tensor of a shape. Convolutions that keep lengths
are in init_ops_conv."""
import math

import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import gen_linalg_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops


class Initializer(object):
    """__call__(shape, dtype, partition_info) gives the tensor."""

    def __call__(self, shape, dtype=None, partition_info=None):
        raise NotImplementedError

    def get_config(self):
        """The arguments of the constructor."""
        return {}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _assert_float_dtype(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError('Expected floating point type, got %s.' % dtype)
    return dtype


class Zeros(Initializer):
    """All 0."""

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self):
        return {'dtype': self.dtype.name}


class Ones(Initializer):
    """All 1."""

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.ones(shape, self.dtype if dtype is None else dtype)

    def get_config(self):
        return {'dtype': self.dtype.name}


class Constant(Initializer):
    """Given values, the last one repeated."""

    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError('Invalid type for initial value: %s (expected Python scalar, list or '
                            'tuple of values, or numpy.ndarray).' % type(value))
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        return constant_op.constant_v1(
            self.value, dtype=self.dtype if dtype is None else dtype, shape=shape,
            verify_shape=self._verify_shape if verify_shape is None else verify_shape)

    def get_config(self):
        return {'value': self.value, 'dtype': self.dtype.name}


class RandomUniform(Initializer):
    """Of equal chance between bounds."""

    def __init__(self, minval=0, maxval=None, seed=None, dtype=dtypes.float32):
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.random_uniform(shape, self.minval, self.maxval,
                                         self.dtype if dtype is None else dtype, seed=self.seed)

    def get_config(self):
        return {'minval': self.minval, 'maxval': self.maxval, 'seed': self.seed,
                'dtype': self.dtype.name}


class RandomNormal(Initializer):
    """Normally distributed."""

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=dtypes.float32):
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _assert_float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.random_normal(shape, self.mean, self.stddev,
                                        self.dtype if dtype is None else dtype, seed=self.seed)

    def get_config(self):
        return {'mean': self.mean, 'stddev': self.stddev, 'seed': self.seed,
                'dtype': self.dtype.name}


class TruncatedNormal(RandomNormal):
    """Normally distributed, within two deviations."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.truncated_normal(shape, self.mean, self.stddev,
                                           self.dtype if dtype is None else dtype,
                                           seed=self.seed)


def _whole_shape(shape, partition_info):
    return shape if partition_info is None else partition_info.full_shape


class UniformUnitScaling(Initializer):
    """Uniform within sqrt(3 / inputs) times factor, so that products keep their scale."""

    def __init__(self, factor=1.0, seed=None, dtype=dtypes.float32):
        self.factor = factor
        self.seed = seed
        self.dtype = _assert_float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        inputs = 1.0
        for dim in _whole_shape(shape, partition_info)[:-1]:
            inputs *= float(dim)
        bound = math.sqrt(3 / max(inputs, 1.0)) * self.factor
        return random_ops.random_uniform(shape, -bound, bound, dtype, seed=self.seed)

    def get_config(self):
        return {'factor': self.factor, 'seed': self.seed, 'dtype': self.dtype.name}


class VarianceScaling(Initializer):
    """Of variance scale / n, n the inputs, the outputs, or the mean of both."""

    def __init__(self, scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None,
                 dtype=dtypes.float32):
        if scale <= 0.:
            raise ValueError('`scale` must be positive float.')
        if mode not in {'fan_in', 'fan_out', 'fan_avg'}:
            raise ValueError('Invalid `mode` argument:', mode)
        distribution = distribution.lower()
        if distribution not in {'normal', 'uniform', 'truncated_normal', 'untruncated_normal'}:
            raise ValueError('Invalid `distribution` argument:', distribution)
        self.scale = scale
        self.mode = mode
        self.distribution = distribution
        self.seed = seed
        self.dtype = _assert_float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        fan_in, fan_out = _compute_fans(_whole_shape(shape, partition_info))
        n = {'fan_in': fan_in, 'fan_out': fan_out, 'fan_avg': (fan_in + fan_out) / 2.}[self.mode]
        scale = self.scale / max(1., n)
        if self.distribution in ('normal', 'truncated_normal'):
            # The deviation of a unit normal cut off at two deviations.
            stddev = math.sqrt(scale) / .87962566103423978
            return random_ops.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)
        if self.distribution == 'untruncated_normal':
            return random_ops.random_normal(shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        limit = math.sqrt(3.0 * scale)
        return random_ops.random_uniform(shape, -limit, limit, dtype, seed=self.seed)

    def get_config(self):
        return {'scale': self.scale, 'mode': self.mode, 'distribution': self.distribution,
                'seed': self.seed, 'dtype': self.dtype.name}


class Orthogonal(Initializer):
    """A random matrix whose rows or columns are at right angles."""

    def __init__(self, gain=1.0, seed=None, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = _assert_float_dtype(dtypes.as_dtype(dtype))
        self.seed = seed

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = self.dtype if dtype is None else dtype
        if len(shape) < 2:
            raise ValueError('The tensor to initialize must be at least two-dimensional')
        rows = 1
        for dim in shape[:-1]:
            rows *= dim
        rows, cols = int(rows), int(shape[-1])
        flat = (cols, rows) if rows < cols else (rows, cols)
        drawn = random_ops.random_normal(flat, dtype=dtype, seed=self.seed)
        q, r = gen_linalg_ops.qr(drawn, full_matrices=False)
        q *= math_ops.sign(array_ops.diag_part(r))
        if rows < cols:
            q = array_ops.matrix_transpose(q)
        return self.gain * array_ops.reshape(q, shape)

    def get_config(self):
        return {'gain': self.gain, 'seed': self.seed, 'dtype': self.dtype.name}


class Identity(Initializer):
    """The identity matrix times gain."""

    def __init__(self, gain=1.0, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = _assert_float_dtype(dtypes.as_dtype(dtype))

    def __call__(self, shape, dtype=None, partition_info=None):
        from leat.python.ops import linalg_ops
        shape = _whole_shape(shape, partition_info)
        if len(shape) != 2:
            raise ValueError('Identity matrix initializer can only be used for 2D matrices.')
        dtype = self.dtype if dtype is None else dtype
        if isinstance(shape, tensor_shape.TensorShape):
            shape = shape.as_list()
        initializer = linalg_ops.eye(*shape, dtype=dtype)
        if partition_info is not None:
            initializer = array_ops.slice(initializer, partition_info.var_offset, shape)
        return self.gain * initializer

    def get_config(self):
        return {'gain': self.gain, 'dtype': self.dtype.name}


class GlorotUniform(VarianceScaling):
    """VarianceScaling by the mean of inputs and outputs, uniform."""

    def __init__(self, seed=None, dtype=dtypes.float32):
        super(GlorotUniform, self).__init__(scale=1.0, mode='fan_avg', distribution='uniform',
                                            seed=seed)

    def get_config(self):
        return {'seed': self.seed, 'dtype': self.dtype.name}


class GlorotNormal(VarianceScaling):
    """VarianceScaling by the mean of inputs and outputs, truncated normal."""

    def __init__(self, seed=None, dtype=dtypes.float32):
        super(GlorotNormal, self).__init__(scale=1.0, mode='fan_avg',
                                           distribution='truncated_normal', seed=seed)

    def get_config(self):
        return {'seed': self.seed, 'dtype': self.dtype.name}


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
orthogonal_initializer = Orthogonal
identity_initializer = Identity


def _scaled(scale, distribution):
    def make(seed=None):
        return VarianceScaling(scale=scale, mode='fan_in', distribution=distribution, seed=seed)
    return make


lecun_normal = _scaled(1., 'truncated_normal')
lecun_uniform = _scaled(1., 'uniform')
he_normal = _scaled(2., 'truncated_normal')
he_uniform = _scaled(2., 'uniform')


def _compute_fans(shape):
    """(inputs, outputs) of one unit of a layer with such weights."""
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    if len(shape) == 2:
        return shape[0], shape[1]
    field = 1.
    for dim in shape[:-2]:
        field *= dim
    return shape[-2] * field, shape[-1] * field


def __getattr__(name):
    from leat.python.ops import init_ops_conv
    return getattr(init_ops_conv, name)


