# SPDX-License-Identifier: Apache-2.0
"""Activation functions by name, as layers take them."""


def linear(x):
    return x


_OF_NN = ('elu', 'relu', 'selu', 'sigmoid', 'softmax', 'softplus', 'softsign', 'tanh')


def get(identifier):
    """The function: None is the identity."""
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier
    if identifier == 'linear':
        return linear
    if identifier in _OF_NN:
        from leat.python.ops import nn
        return getattr(nn, identifier)
    if identifier == 'exponential':
        from leat.python.ops import math_ops
        return math_ops.exp
    if isinstance(identifier, str):
        raise ValueError('Unknown activation function:' + identifier)
    raise TypeError('Could not interpret activation function identifier: {}'
                    .format(repr(identifier)))


def serialize(activation):
    return activation.__name__
