# SPDX-License-Identifier: Apache-2.0
"""Gradients under the name that programs import."""
from leat.python.ops.gradients_impl import *  # noqa: F401,F403
from leat.python.ops.gradients_impl import (  # noqa: F401
    AggregationMethod, UnconnectedGradients, gradients, hessians)
