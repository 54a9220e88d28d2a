# SPDX-License-Identifier: Apache-2.0
"""The initializers of tf.compat.v2: the type is given when they are called."""
from leat.python.framework import dtypes
from leat.python.ops import init_ops


def _without_type(base, **defaults):
    """A class of base's, whose constructor takes no dtype."""
    class Made(base):
        def __init__(self, *args, **kwargs):
            super(Made, self).__init__(*args, **dict(defaults, **kwargs))

        def __call__(self, shape, dtype=dtypes.float32):
            return super(Made, self).__call__(shape, dtype=dtype)

        def get_config(self):
            config = super(Made, self).get_config()
            config.pop('dtype', None)
            return config
    Made.__name__ = Made.__qualname__ = base.__name__
    return Made


Initializer = init_ops.Initializer
Zeros = zeros_initializer = _without_type(init_ops.Zeros)
Ones = ones_initializer = _without_type(init_ops.Ones)
Constant = constant_initializer = _without_type(init_ops.Constant)
RandomUniform = random_uniform_initializer = _without_type(init_ops.RandomUniform, minval=-0.05,
                                                           maxval=0.05)
RandomNormal = random_normal_initializer = _without_type(init_ops.RandomNormal, stddev=0.05)
TruncatedNormal = truncated_normal_initializer = _without_type(init_ops.TruncatedNormal,
                                                               stddev=0.05)
VarianceScaling = variance_scaling_initializer = _without_type(init_ops.VarianceScaling)
Orthogonal = orthogonal_initializer = _without_type(init_ops.Orthogonal)
Identity = identity_initializer = _without_type(init_ops.Identity)
GlorotUniform = glorot_uniform_initializer = _without_type(init_ops.GlorotUniform)
GlorotNormal = glorot_normal_initializer = _without_type(init_ops.GlorotNormal)
he_normal, he_uniform = init_ops.he_normal, init_ops.he_uniform
lecun_normal, lecun_uniform = init_ops.lecun_normal, init_ops.lecun_uniform
