# SPDX-License-Identifier: Apache-2.0
"""Summaries of tensors by what they are."""
import functools
import re

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.summary import summary

__all__ = ['summarize_tensor', 'summarize_activation', 'summarize_tensors',
           'summarize_collection', 'summarize_variables', 'summarize_weights',
           'summarize_biases', 'summarize_activations']


def _assert_summary_tag_unique(tag):
    from leat.python.framework import tensor_util
    for existing in ops.get_collection(GraphKeys.SUMMARIES):
        known = tensor_util.constant_value(existing.op.inputs[0])
        if known == tag.encode():
            raise ValueError('Conflict with summary tag: %s exists on summary %s %s'
                             % (tag, existing, known))


def _add_scalar_summary(tensor, tag=None):
    tensor.get_shape().assert_has_rank(0)
    tag = tag or '%s_summary' % tensor.op.name
    _assert_summary_tag_unique(tag)
    return summary.scalar(name=tag, tensor=tensor)


def _add_histogram_summary(tensor, tag=None):
    tag = tag or '%s_summary' % tensor.op.name
    _assert_summary_tag_unique(tag)
    return summary.histogram(name=tag, values=tensor)


def summarize_activation(op):
    """A histogram of the activation, and how much of a ReLU's is 0."""
    if op.op.type in ('Relu', 'Softplus', 'Relu6'):
        _add_scalar_summary(nn.zero_fraction(op), '%s/zeros' % op.op.name)
    if op.op.type == 'Relu6':
        _add_scalar_summary(math_ops.reduce_mean(math_ops.cast(
            math_ops.greater(op, 6.0 - 1e-6), dtypes.float32)), '%s/sixes' % op.op.name)
    return _add_histogram_summary(op, '%s/activation' % op.op.name)


def summarize_tensor(tensor, tag=None):
    """A scalar's value, or a histogram."""
    if tensor.get_shape().ndims == 0:
        return _add_scalar_summary(tensor, tag)
    return _add_histogram_summary(tensor, tag)


def summarize_tensors(tensors, summarizer=summarize_tensor):
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor):
    """Summaries of those of the collection whose names match."""
    tensors = []
    for op in ops.get_collection(collection):
        if name_filter is None or re.match(name_filter, op.op.name):
            tensors.append(op)
    return summarize_tensors(tensors, summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)


def summarize_activations(name_filter=None, summarizer=summarize_activation):
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
