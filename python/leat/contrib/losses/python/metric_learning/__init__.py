# SPDX-License-Identifier: Apache-2.0
"""Losses of embeddings."""
from leat.contrib.losses.python.metric_learning.metric_loss_ops import (  # noqa: F401
    contrastive_loss, lifted_struct_loss, npairs_loss, npairs_loss_multilabel,
    triplet_semihard_loss)
