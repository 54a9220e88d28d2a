# SPDX-License-Identifier: Apache-2.0
"""Gradients: what gradients_impl, gradients_util and custom_gradient have."""
from leat.python.ops.custom_gradient import custom_gradient, recompute_grad  # noqa: F401
from leat.python.ops.gradients_impl import (  # noqa: F401
    HessiansV2, _hessian_vector_product, gradients, gradients_v2, hessians)
from leat.python.ops.gradients_util import AggregationMethod  # noqa: F401
from leat.python.ops.unconnected_gradients import UnconnectedGradients  # noqa: F401
