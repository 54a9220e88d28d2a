# SPDX-License-Identifier: Apache-2.0
"""Losses."""
from leat.contrib.losses.python.losses import loss_ops  # noqa: F401
from leat.contrib.losses.python.losses.loss_ops import *  # noqa: F401,F403
