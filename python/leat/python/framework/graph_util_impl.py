# SPDX-License-Identifier: Apache-2.0
"""GraphDefs cut down: to what some nodes need, with constants for variables, without training's
nodes."""
import re

from leat.core.framework import graph_pb2
from leat.python.framework import dtypes
from leat.python.framework import tensor_util
from leat.python.platform import tf_logging as logging

_VARIABLE_OPS = frozenset(['Assign', 'AssignAdd', 'AssignSub', 'Queue', 'ScatterAdd',
                           'ScatterSub', 'ScatterUpdate', 'TruncatedNormal', 'Variable',
                           'VariableV2'])


def _is_variable_op(op):
    return op in _VARIABLE_OPS


def must_run_on_cpu(node, pin_variables_on_cpu=False):
    """Whether a NodeDef (or its device-less Operation) cannot stand on a GPU."""
    node_def = getattr(node, 'node_def', node)
    if pin_variables_on_cpu and _is_variable_op(node_def.op):
        return True
    if node_def.op == 'Const' and node_def.attr['dtype'].type in (
            dtypes.string.as_datatype_enum, dtypes.int32.as_datatype_enum):
        return True
    return node_def.op in ('DynamicStitch', 'ParallelDynamicStitch') and \
        node_def.attr['T'].type == dtypes.int32.as_datatype_enum


def _node_name(n):
    return n[1:] if n.startswith('^') else n.split(':')[0]


def set_cpu0(device_string):
    from leat.python.framework import device
    parsed = device.DeviceSpec.from_string(device_string)
    return parsed.replace(device_type='CPU', device_index=0).to_string()


def _inputs_by_name(graph_def):
    inputs, sequence = {}, {}
    nodes = {}
    for i, node in enumerate(graph_def.node):
        name = _node_name(node.name)
        nodes[name] = node
        inputs[name] = [_node_name(x) for x in node.input]
        sequence[name] = i
    return nodes, inputs, sequence


def _needed(starts, inputs):
    seen, queue = set(), list(starts)
    while queue:
        name = queue.pop()
        if name not in seen:
            seen.add(name)
            queue.extend(inputs[name])
    return seen


def extract_sub_graph(graph_def, dest_nodes):
    """The nodes that dest_nodes (a list of names) need, in their order."""
    if not (hasattr(graph_def, 'node') and hasattr(graph_def, 'library')):
        raise TypeError('graph_def must be a graph_pb2.GraphDef proto.')
    if isinstance(dest_nodes, str):
        raise TypeError('dest_nodes must be a list.')
    nodes, inputs, sequence = _inputs_by_name(graph_def)
    for name in dest_nodes:
        if name not in nodes:
            raise AssertionError('%s is not in graph' % name)
    kept = sorted(_needed(dest_nodes, inputs), key=lambda n: sequence[n])
    out = graph_pb2.GraphDef()
    for name in kept:
        out.node.add().CopyFrom(nodes[name])
    out.library.CopyFrom(graph_def.library)
    out.versions.CopyFrom(graph_def.versions)
    return out


def tensor_shape_from_node_def_name(graph, input_name):
    """The shape of 'name' or 'name:1'."""
    name = input_name if ':' in input_name else input_name + ':0'
    return graph.get_tensor_by_name(name).get_shape()


def _has_variable_resource(name, nodes, inputs):
    """The VarHandleOp behind Identity, Switch and Enter of a handle, or None."""
    seen = set()
    while name in nodes and name not in seen:
        seen.add(name)
        if nodes[name].op == 'VarHandleOp':
            return name
        if nodes[name].op not in ('Identity', 'Switch', 'Enter', 'ReadVariableOp') or \
                not inputs[name]:
            return None
        name = inputs[name][0]
    return None


def convert_variables_to_constants(sess, input_graph_def, output_node_names,
                                   variable_names_whitelist=None, variable_names_blacklist=None):
    """The graph that computes those nodes, each variable a constant of its value now."""
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    nodes, inputs, _ = _inputs_by_name(graph_def)
    values, resources = {}, {}
    for node in graph_def.node:
        if node.op not in ('Variable', 'VariableV2', 'VarHandleOp'):
            continue
        name = node.name
        if variable_names_whitelist is not None and name not in variable_names_whitelist or \
                variable_names_blacklist is not None and name in variable_names_blacklist:
            continue
        values[name] = name + (':0' if node.op != 'VarHandleOp' else '/Read/ReadVariableOp:0')
        if node.op == 'VarHandleOp':
            resources[name] = node
    names = list(values)
    arrays = sess.run([values[n] for n in names]) if names else []
    logging.info('Froze %d variables.', len(arrays))
    found = dict(zip(names, arrays))
    out = graph_pb2.GraphDef()
    for node in graph_def.node:
        _frozen_node(out.node.add(), node, found, nodes, inputs)
    out.library.CopyFrom(graph_def.library)
    out.versions.CopyFrom(graph_def.versions)
    logging.info('Converted %d variables to const ops.', len(found))
    return out


def _frozen_node(new, node, found, nodes, inputs):
    if node.name in found:
        new.op, new.name = 'Const', node.name
        new.attr['dtype'].CopyFrom(node.attr['dtype'])
        array = found[node.name]
        new.attr['value'].tensor.CopyFrom(tensor_util.make_tensor_proto(
            array, dtype=dtypes.as_dtype(node.attr['dtype'].type), shape=array.shape))
        return
    handle = _has_variable_resource(node.name, nodes, inputs)
    if handle not in found:
        new.CopyFrom(node)
    elif node.op == 'ReadVariableOp':
        new.op, new.name = 'Identity', node.name
        new.input.extend([node.input[0]])
        new.attr['T'].CopyFrom(node.attr['dtype'])
        if '_class' in node.attr:
            new.attr['_class'].CopyFrom(node.attr['_class'])
    else:
        new.CopyFrom(node)
        if 'T' in new.attr:
            new.attr['T'].type = nodes[handle].attr['dtype'].type


def remove_training_nodes(input_graph, protected_nodes=None):
    """Without CheckNumerics, and without Identity nodes that nothing makes needed."""
    protected = set(protected_nodes or [])
    first = _spliced(input_graph, lambda n: n.op == 'CheckNumerics' and n.name not in protected)
    held = {i[1:] for n in first.node for i in n.input if i.startswith('^')}
    return _spliced(first, lambda n: n.op == 'Identity' and n.name not in protected and
                    n.name not in held and not any(i.startswith('^') for i in n.input))


def _spliced(graph, dropped):
    gone = {n.name: n.input[0] for n in graph.node if dropped(n) and n.input}
    out = graph_pb2.GraphDef()
    for node in graph.node:
        if node.name in gone:
            continue
        new = out.node.add()
        new.CopyFrom(node)
        del new.input[:]
        for name in node.input:
            plain = re.sub(r'^\^', '', name)
            while plain in gone:
                plain = gone[plain]
                name = plain
            new.input.append(name)
    return out
