# SPDX-License-Identifier: Apache-2.0
"""Losses of the size of weights, and their sum over a list of weights."""
import numbers

from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.platform import tf_logging as logging

__all__ = ['l1_regularizer', 'l2_regularizer', 'l1_l2_regularizer', 'sum_regularizer',
           'apply_regularization']


def _checked(scale, letter=''):
    if isinstance(scale, numbers.Integral):
        raise ValueError('scale%s cannot be an integer: %s' % (letter, scale))
    if isinstance(scale, numbers.Real) and scale < 0.:
        raise ValueError('Setting a scale less than 0 on a regularizer: %g.' % scale)


def _scaled(name, scale, size, scope):
    """The function that multiplies what size() says of weights by scale."""
    _checked(scale)
    if isinstance(scale, numbers.Real) and scale == 0.:
        logging.info('Scale of 0 disables regularizer.')
        return lambda _: None

    def regularizer(weights, name=None):
        with ops.name_scope(scope, default_name, [weights]) as name:
            my_scale = ops.convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name='scale')
            return math_ops.multiply(my_scale, size(weights), name=name)
    default_name = name
    regularizer.__name__ = name[:-len('_regularizer')]
    return regularizer


def l1_regularizer(scale, scope=None):
    """scale times the sum of sizes."""
    return _scaled('l1_regularizer', scale,
                   lambda weights: math_ops.reduce_sum(math_ops.abs(weights)), scope)


def l2_regularizer(scale, scope=None):
    """scale times half the sum of squares."""
    return _scaled('l2_regularizer', scale, nn.l2_loss, scope)


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    """Both; 0.0 leaves one out."""
    if isinstance(scale_l1, numbers.Integral):
        raise ValueError('scale_l1 cannot be an integer: %s' % (scale_l1,))
    if isinstance(scale_l2, numbers.Integral):
        raise ValueError('scale_l2 cannot be an integer: %s' % (scale_l2,))
    scope = scope or 'l1_l2_regularizer'
    if scale_l1 == 0.:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.:
        return l1_regularizer(scale_l1, scope)
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)


def sum_regularizer(regularizer_list, scope=None):
    """The sum of what the functions give; None where there are none."""
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def sum_reg(weights):
        with ops.name_scope(scope, 'sum_regularizer', [weights]) as name:
            losses = [r(weights) for r in regularizers]
            losses = [loss for loss in losses if loss is not None]
            return math_ops.add_n(losses, name=name) if losses else None
    return sum_reg


def apply_regularization(regularizer, weights_list=None):
    """The sum of the losses of the weights, put into the collection; default: all WEIGHTS."""
    if not weights_list:
        weights_list = ops.get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError('No weights to regularize.')
    with ops.name_scope('get_regularization_penalty', values=weights_list) as scope:
        penalties = [regularizer(w) for w in weights_list]
        penalties = [p if p is not None else constant_op.constant(0.0) for p in penalties]
        for p in penalties:
            if p.get_shape().ndims != 0:
                raise ValueError('regularizer must return a scalar Tensor instead of a Tensor '
                                 'with rank %d.' % p.get_shape().ndims)
        summed = math_ops.add_n(penalties, name=scope)
        ops.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, summed)
        return summed
