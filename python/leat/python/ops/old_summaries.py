# SPDX-License-Identifier: Apache-2.0
"""The summaries of programs older than 1.0: tags are what the caller says, scopes do not count.
Functions of logging_ops."""
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import gen_logging_ops
from leat.python.util import deprecation

_TEXT = ('Please switch to tf.summary.{0}. Note that tf.summary.{0} uses the node name instead of '
         'the tag.')


def _collect(val, collections, default_collections):
    for key in default_collections if collections is None else collections:
        ops.add_to_collection(key, val)


@deprecation.deprecated('2016-11-30', _TEXT.format('scalar'))
def scalar_summary(tags, values, collections=None, name=None):
    """A Summary of a value for each tag."""
    with ops.name_scope(name, 'ScalarSummary', _tensors(tags, values)) as scope:
        val = gen_logging_ops.scalar_summary(tags=tags, values=values, name=scope)
        _collect(val, collections, [GraphKeys.SUMMARIES])
    return val


@deprecation.deprecated('2016-11-30', _TEXT.format('histogram'))
def histogram_summary(tag, values, collections=None, name=None):
    with ops.name_scope(name, 'HistogramSummary', _tensors(tag, values)) as scope:
        val = gen_logging_ops.histogram_summary(tag=tag, values=values, name=scope)
        _collect(val, collections, [GraphKeys.SUMMARIES])
    return val


@deprecation.deprecated('2016-11-30', _TEXT.format('image'))
def image_summary(tag, tensor, max_images=3, collections=None, name=None):
    with ops.name_scope(name, 'ImageSummary', _tensors(tag, tensor)) as scope:
        val = gen_logging_ops.image_summary(tag=tag, tensor=tensor, max_images=max_images,
                                            name=scope)
        _collect(val, collections, [GraphKeys.SUMMARIES])
    return val


@deprecation.deprecated('2016-11-30', _TEXT.format('audio'))
def audio_summary(tag, tensor, sample_rate, max_outputs=3, collections=None, name=None):
    with ops.name_scope(name, 'AudioSummary', _tensors(tag, tensor)) as scope:
        sample_rate = ops.convert_to_tensor(sample_rate, dtype='float32', name='sample_rate')
        val = gen_logging_ops.audio_summary_v2(tag=tag, tensor=tensor, max_outputs=max_outputs,
                                               sample_rate=sample_rate, name=scope)
        _collect(val, collections, [GraphKeys.SUMMARIES])
    return val


@deprecation.deprecated('2016-11-30', 'Please switch to tf.summary.merge.')
def merge_summary(inputs, collections=None, name=None):
    with ops.name_scope(name, 'MergeSummary', inputs):
        val = gen_logging_ops.merge_summary(inputs=inputs, name=name)
        _collect(val, collections, [])
    return val


@deprecation.deprecated('2016-11-30', 'Please switch to tf.summary.merge_all.')
def merge_all_summaries(key=GraphKeys.SUMMARIES):
    """All of the collection as one; None where there are none."""
    summary_ops = ops.get_collection(key)
    if not summary_ops:
        return None
    return merge_summary(summary_ops)


def get_summary_op():
    """The graph's one op of all summaries."""
    collected = ops.get_collection(GraphKeys.SUMMARY_OP)
    summary_op = collected[0] if collected else None
    if summary_op is None:
        summary_op = merge_all_summaries()
        if summary_op is not None:
            ops.add_to_collection(GraphKeys.SUMMARY_OP, summary_op)
    return summary_op


def _tensors(*values):
    return [v for v in values if isinstance(v, ops._TensorLike)]
