# SPDX-License-Identifier: Apache-2.0
"""The collection of losses, and the sum of it."""
from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import math_ops


def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    """Puts a loss into the collection; None: nowhere."""
    if loss_collection:
        ops.add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
    return ops.get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    return ops.get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope=None, name='total_regularization_loss'):
    """The sum of the regularization losses; zero where there are none."""
    losses = get_regularization_losses(scope)
    if losses:
        return math_ops.add_n(losses, name=name)
    return constant_op.constant(0.0)


def get_total_loss(add_regularization_losses=True, name='total_loss', scope=None):
    """The sum of all losses."""
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    return math_ops.add_n(losses, name=name)
