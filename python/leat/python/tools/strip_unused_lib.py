# SPDX-License-Identifier: Apache-2.0
"""Takes away what the outputs do not need, and what is before the inputs."""
from leat import _text_format
from leat.core.framework import attr_value_pb2
from leat.core.framework import graph_pb2
from leat.core.framework import node_def_pb2
from leat.python.framework import graph_util
from leat.python.lib.io import file_io


def _placeholder(node, kind):
    made = node_def_pb2.NodeDef(op='Placeholder', name=node.name)
    made.attr['dtype'].CopyFrom(attr_value_pb2.AttrValue(type=kind))
    if '_output_shapes' in node.attr:
        made.attr['_output_shapes'].CopyFrom(node.attr['_output_shapes'])
    if 'shape' in node.attr:
        made.attr['shape'].CopyFrom(node.attr['shape'])
    return made


def strip_unused(input_graph_def, input_node_names, output_node_names, placeholder_type_enum):
    """The GraphDef between the inputs, which become placeholders, and the outputs."""
    for name in input_node_names:
        if ':' in name:
            raise ValueError('Name \'%s\' appears to refer to a Tensor, not an Operation.' % name)
    kinds = placeholder_type_enum
    if isinstance(kinds, list) and len(kinds) != len(input_node_names):
        raise ValueError('placeholder_type_enum and input_node_names must have the same length, '
                         'got %d and %d' % (len(kinds), len(input_node_names)))
    inputs = graph_pb2.GraphDef()
    missing = set(input_node_names)
    for node in input_graph_def.node:
        if node.name in missing:
            missing.discard(node.name)
            kind = kinds[input_node_names.index(node.name)] if isinstance(kinds, list) else kinds
            inputs.node.extend([_placeholder(node, kind)])
        else:
            inputs.node.extend([node])
    if missing:
        raise KeyError('The following input nodes were not found: %s' % missing)
    return graph_util.extract_sub_graph(inputs, output_node_names)


def strip_unused_from_files(input_graph, input_binary, output_graph, output_binary,
                            input_node_names, output_node_names, placeholder_type_enum):
    """The same, of a file into a file."""
    if not file_io.file_exists(input_graph):
        print('Input graph file \'' + input_graph + '\' does not exist!')
        return -1
    if not output_node_names:
        print('You need to supply the name of a node to --output_node_names.')
        return -1
    graph_def = graph_pb2.GraphDef()
    with file_io.FileIO(input_graph, 'rb' if input_binary else 'r') as file:
        data = file.read()
    if input_binary:
        graph_def.ParseFromString(data)
    else:
        _text_format.Merge(data, graph_def)
    output = strip_unused(graph_def, input_node_names.split(','), output_node_names.split(','),
                          placeholder_type_enum)
    file_io.write_string_to_file(
        output_graph, output.SerializeToString() if output_binary else str(output))
    print('%d ops in the final graph.' % len(output.node))
    return 0
