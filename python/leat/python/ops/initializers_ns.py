# SPDX-License-Identifier: Apache-2.0
"""The names of tf.initializers."""
from leat.python.ops.init_ops import Constant as constant
from leat.python.ops.init_ops import Identity as identity
from leat.python.ops.init_ops import Ones as ones
from leat.python.ops.init_ops import Orthogonal as orthogonal
from leat.python.ops.init_ops import RandomNormal as random_normal
from leat.python.ops.init_ops import RandomUniform as random_uniform
from leat.python.ops.init_ops import TruncatedNormal as truncated_normal
from leat.python.ops.init_ops import UniformUnitScaling as uniform_unit_scaling
from leat.python.ops.init_ops import VarianceScaling as variance_scaling
from leat.python.ops.init_ops import Zeros as zeros
from leat.python.ops.variables import global_variables_initializer as global_variables
from leat.python.ops.variables import local_variables_initializer as local_variables
from leat.python.ops.variables import variables_initializer as variables
