# SPDX-License-Identifier: Apache-2.0
"""Losses whose first argument is the logits, as before 1.0."""
from leat.python.ops import nn


def deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels, dim=-1, name=None):
    return nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, labels, name=None):
    return nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, targets, name=None):
    return nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
