# SPDX-License-Identifier: Apache-2.0
"""tf.summary: the ops that make summaries, under TensorFlow's names and tags."""
from leat.core.framework.summary_pb2 import (  # noqa: F401
    Summary, SummaryDescription, SummaryMetadata)
from leat.core.util.event_pb2 import Event, SessionLog, TaggedRunMetadata  # noqa: F401
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import gen_logging_ops
from leat.python.ops import summary_op_util
from leat.python.util import compat
from leat.python.util.tf_export import tf_export

_SUMMARIES = [ops.GraphKeys.SUMMARIES]


@tf_export(v1=['summary.scalar'])
def scalar(name, tensor, collections=None, family=None):
    """A summary of one number."""
    with summary_op_util.summary_scope(name, family, values=[tensor]) as (tag, scope):
        val = gen_logging_ops.scalar_summary(tags=tag, values=tensor, name=scope)
        summary_op_util.collect(val, collections, _SUMMARIES)
    return val


@tf_export(v1=['summary.image'])
def image(name, tensor, max_outputs=3, collections=None, family=None):
    """A summary of the first images of a batch."""
    with summary_op_util.summary_scope(name, family, values=[tensor]) as (tag, scope):
        val = gen_logging_ops.image_summary(tag=tag, tensor=tensor, max_images=max_outputs,
                                            name=scope)
        summary_op_util.collect(val, collections, _SUMMARIES)
    return val


@tf_export(v1=['summary.histogram'])
def histogram(name, values, collections=None, family=None):
    """A summary of how the values are spread."""
    with summary_op_util.summary_scope(
            name, family, values=[values], default_name='HistogramSummary') as (tag, scope):
        val = gen_logging_ops.histogram_summary(tag=tag, values=values, name=scope)
        summary_op_util.collect(val, collections, _SUMMARIES)
    return val


@tf_export(v1=['summary.audio'])
def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    """A summary of the first sounds of a batch."""
    with summary_op_util.summary_scope(name, family=family, values=[tensor]) as (tag, scope):
        sample_rate = ops.convert_to_tensor(sample_rate, dtype=dtypes.float32,
                                            name='sample_rate')
        val = gen_logging_ops.audio_summary_v2(tag=tag, tensor=tensor, max_outputs=max_outputs,
                                               sample_rate=sample_rate, name=scope)
        summary_op_util.collect(val, collections, _SUMMARIES)
    return val


@tf_export(v1=['summary.text'])
def text(name, tensor, collections=None):
    """A summary of texts."""
    if tensor.dtype != dtypes.string:
        raise ValueError('Expected tensor %s to have dtype string, got %s'
                         % (tensor.name, tensor.dtype))
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name='text'))
    return tensor_summary(name=name, tensor=tensor, summary_metadata=metadata,
                          collections=collections)


@tf_export(v1=['summary.tensor_summary'])
def tensor_summary(name, tensor, summary_description=None, collections=None,
                   summary_metadata=None, family=None, display_name=None):
    """A summary of a whole tensor."""
    if summary_metadata is None:
        summary_metadata = SummaryMetadata()
    if summary_description is not None:
        summary_metadata.summary_description = summary_description
    if display_name is not None:
        summary_metadata.display_name = display_name
    serialized = summary_metadata.SerializeToString()
    with summary_op_util.summary_scope(name, family, values=[tensor]) as (tag, scope):
        val = gen_logging_ops.tensor_summary_v2(
            tensor=tensor, tag=tag, name=scope, serialized_summary_metadata=serialized)
        summary_op_util.collect(val, collections, _SUMMARIES)
    return val


@tf_export(v1=['summary.merge'])
def merge(inputs, collections=None, name=None):
    """All of the summaries in one."""
    name = summary_op_util.clean_tag(name)
    with ops.name_scope(name, 'Merge', inputs):
        val = gen_logging_ops.merge_summary(inputs=inputs, name=name)
        summary_op_util.collect(val, collections, [])
    return val


@tf_export(v1=['summary.merge_all'])
def merge_all(key=ops.GraphKeys.SUMMARIES, scope=None, name=None):
    """All summaries of the graph in one; None where there are none."""
    found = ops.get_collection(key, scope=scope)
    if not found:
        return None
    return merge(found, name=name)


@tf_export(v1=['summary.get_summary_description'])
def get_summary_description(node_def):
    """The SummaryDescription of a node TensorSummary."""
    if node_def.op != 'TensorSummary':
        raise ValueError("Can't get_summary_description on %s" % node_def.op)
    from leat import _json_format
    description = SummaryDescription()
    _json_format.Parse(compat.as_str_any(node_def.attr['description'].s), description)
    return description


def __getattr__(name):
    import importlib
    places = {'FileWriter': 'writer.writer', 'FileWriterCache': 'writer.writer_cache'}
    if name not in places:
        raise AttributeError('module %r has no attribute %r' % (__name__, name))
    return getattr(importlib.import_module('leat.python.summary.' + places[name]), name)
