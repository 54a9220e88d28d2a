# SPDX-License-Identifier: Apache-2.0
"""tf.distributions in one module."""
from leat.python.ops.distributions.bernoulli import Bernoulli  # noqa: F401
from leat.python.ops.distributions.beta import Beta  # noqa: F401
from leat.python.ops.distributions.categorical import Categorical  # noqa: F401
from leat.python.ops.distributions.dirichlet import Dirichlet  # noqa: F401
from leat.python.ops.distributions.distribution import (  # noqa: F401
    FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution, ReparameterizationType)
from leat.python.ops.distributions.exponential import Exponential  # noqa: F401
from leat.python.ops.distributions.gamma import Gamma  # noqa: F401
from leat.python.ops.distributions.kullback_leibler import (  # noqa: F401
    RegisterKL, kl_divergence)
from leat.python.ops.distributions.laplace import Laplace  # noqa: F401
from leat.python.ops.distributions.normal import Normal  # noqa: F401
from leat.python.ops.distributions.student_t import StudentT  # noqa: F401
from leat.python.ops.distributions.uniform import Uniform  # noqa: F401
