# SPDX-License-Identifier: Apache-2.0
"""Makes a frozen graph smaller for inference: unused and training nodes go, batch norms are folded
into the convolutions before them. Resizes are not fused with convolutions."""
import collections
import math

import numpy as np

from leat.core.framework import attr_value_pb2
from leat.core.framework import graph_pb2
from leat.core.framework import node_def_pb2
from leat.python.framework import graph_util
from leat.python.framework import tensor_util
from leat.python.platform import tf_logging
from leat.python.tools import strip_unused_lib

INPUT_ORDER = {
    'BatchNormWithGlobalNormalization': ['conv_op', 'mean_op', 'var_op', 'beta_op', 'gamma_op'],
    'FusedBatchNorm': ['conv_op', 'gamma_op', 'beta_op', 'mean_op', 'var_op'],
}
EPSILON_ATTR = {
    'BatchNormWithGlobalNormalization': 'variance_epsilon', 'FusedBatchNorm': 'epsilon'}


def optimize_for_inference(input_graph_def, input_node_names, output_node_names,
                           placeholder_type_enum, toco_compatible=False):
    """The smaller GraphDef."""
    ensure_graph_is_valid(input_graph_def)
    graph_def = strip_unused_lib.strip_unused(input_graph_def, input_node_names,
                                              output_node_names, placeholder_type_enum)
    graph_def = graph_util.remove_training_nodes(graph_def, output_node_names)
    graph_def = fold_batch_norms(graph_def)
    if not toco_compatible:
        graph_def = fuse_resize_and_conv(graph_def, output_node_names)
    ensure_graph_is_valid(graph_def)
    return graph_def


def ensure_graph_is_valid(graph_def):
    """Names are unique, and inputs are there."""
    node_map = {}
    for node in graph_def.node:
        if node.name in node_map:
            raise ValueError('Duplicate node names detected for ', node.name)
        node_map[node.name] = node
    for node in graph_def.node:
        for name in node.input:
            name = node_name_from_input(name)
            if name not in node_map:
                raise ValueError('Input for ', node.name, ' not found: ', name)


def node_name_from_input(node_name):
    """The node of an input: without ^ and :1."""
    node_name = node_name[1:] if node_name.startswith('^') else node_name
    name, colon, index = node_name.rpartition(':')
    return name if colon and index.isdigit() else node_name


def node_from_map(node_map, name):
    name = node_name_from_input(name)
    if name not in node_map:
        raise ValueError('No node named \'%s\' found in map.' % name)
    return node_map[name]


def values_from_const(node_def):
    """The array of a constant."""
    if node_def.op != 'Const':
        raise ValueError('Node named \'%s\' should be a Const op for values_from_const.'
                         % node_def.name)
    return tensor_util.MakeNdarray(node_def.attr['value'].tensor)


def scale_after_normalization(node):
    if node.op == 'BatchNormWithGlobalNormalization':
        return node.attr['scale_after_normalization'].b
    return True


def _const(name, like, values):
    made = node_def_pb2.NodeDef(op='Const', name=name)
    made.attr['dtype'].CopyFrom(like.attr['dtype'])
    made.attr['value'].CopyFrom(attr_value_pb2.AttrValue(
        tensor=tensor_util.make_tensor_proto(values, values.dtype.type, values.shape)))
    return made


def _parts(node, node_map):
    """(the convolution, its weights, what the norm holds), or None where it cannot be folded."""
    places = INPUT_ORDER[node.op]
    inputs = {what: node_from_map(node_map, node.input[i]) for i, what in enumerate(places)}
    conv = inputs['conv_op']
    if conv.op not in ('Conv2D', 'DepthwiseConv2dNative'):
        tf_logging.warning('Didn\'t find expected Conv2D input to \'%s\'' % node.name)
        return None
    weights = node_from_map(node_map, conv.input[1])
    numbers = {}
    for what in ('mean_op', 'var_op', 'beta_op', 'gamma_op'):
        if inputs[what].op != 'Const':
            tf_logging.warning('Didn\'t find expected constant %s input to \'%s\', found %s '
                               'instead.' % (what[:-3], node.name, inputs[what]))
            return None
        numbers[what] = values_from_const(inputs[what])
    if weights.op != 'Const':
        tf_logging.warning('Didn\'t find expected conv Constant input to \'%s\', found %s '
                           'instead.' % (conv.name, weights))
        return None
    values = values_from_const(weights)
    channels = values.shape[3]
    if conv.op == 'DepthwiseConv2dNative':
        channels *= values.shape[2]
    for what, array in numbers.items():
        if array.shape != (channels,):
            tf_logging.warning('Incorrect shape for %s of \'%s\'' % (what[:-3], node.name))
            return None
    return inputs, conv, weights, values, numbers


def _folded(node, parts):
    """The nodes that stand for a convolution and its norm."""
    inputs, conv, weights, values, numbers = parts
    epsilon = node.attr[EPSILON_ATTR[node.op]].f
    scale = 1.0 / np.vectorize(math.sqrt)(numbers['var_op'] + epsilon)
    if scale_after_normalization(node):
        scale = scale * numbers['gamma_op']
    offset = -numbers['mean_op'] * scale + numbers['beta_op']
    if conv.op == 'DepthwiseConv2dNative':
        scaled = values * scale.reshape(values.shape[2], values.shape[3])
    else:
        scaled = values * scale
    weights_name = weights.name
    new_weights = _const(weights_name, weights, scaled.astype(values.dtype))
    new_conv = node_def_pb2.NodeDef()
    new_conv.CopyFrom(conv)
    offset_node = _const(conv.name + '_bn_offset', inputs['mean_op'], offset.astype(values.dtype))
    bias = node_def_pb2.NodeDef(op='BiasAdd', name=node.name)
    bias.attr['T'].CopyFrom(conv.attr['T'])
    bias.attr['data_format'].CopyFrom(conv.attr['data_format'])
    bias.input.extend([new_conv.name, offset_node.name])
    return [new_weights, new_conv, offset_node, bias]


def fold_batch_norms(input_graph_def):
    """Convolutions with constant weights take in the norms of constants behind them."""
    node_map = {}
    for node in input_graph_def.node:
        if node.name in node_map:
            raise ValueError('Duplicate node names detected.')
        node_map[node.name] = node
    uses = collections.Counter(node_name_from_input(i) for node in input_graph_def.node
                               for i in node.input)
    skipped, new_nodes = set(), []
    for node in input_graph_def.node:
        if node.op not in INPUT_ORDER:
            continue
        parts = _parts(node, node_map)
        if parts is None or uses[parts[1].name] > 1 or uses[parts[2].name] > 1:
            continue
        skipped.update([node.name, parts[1].name, parts[2].name])
        for what in INPUT_ORDER[node.op][1:]:
            if uses[parts[0][what].name] == 1:
                skipped.add(parts[0][what].name)
        new_nodes.extend(_folded(node, parts))
    result = graph_pb2.GraphDef()
    for node in input_graph_def.node:
        if node.name not in skipped:
            result.node.add().CopyFrom(node)
    result.node.extend(new_nodes)
    result.library.CopyFrom(input_graph_def.library)
    result.versions.CopyFrom(input_graph_def.versions)
    return result


def fuse_resize_and_conv(input_graph_def, output_node_names):
    """The graph as it is: there are no fused ops of resizes and convolutions."""
    return input_graph_def
