# SPDX-License-Identifier: Apache-2.0
"""GraphDefs into the default graph."""
from leat._load import core
from leat.python.framework import ops
from leat.python.util import compat


def _parse_name(name):
    """('op', index) of 'op:1' or 'op'; ('op', -1) of '^op'."""
    if name.startswith('^'):
        return name[1:], -1
    op, colon, index = name.rpartition(':')
    if not colon:
        return name, 0
    if not op or ':' in op or not index.isdigit():
        raise ValueError('Cannot convert %r to a tensor name.' % name)
    return op, int(index)


def _check_graph_def(graph_def):
    if hasattr(graph_def, 'SerializeToString') and type(graph_def).__name__ == 'GraphDef':
        return graph_def
    raise TypeError('graph_def must be a GraphDef proto.')


def _check_input_map(input_map):
    if input_map is None:
        return {}
    if not (isinstance(input_map, dict) and all(isinstance(k, (str, bytes)) for k in input_map)):
        raise TypeError('input_map must be a dictionary mapping strings to Tensor objects.')
    return {compat.as_str(k): v for k, v in input_map.items()}


def _check_returns(return_elements):
    if return_elements is None:
        return None
    names = tuple(return_elements)
    if not all(isinstance(n, (str, bytes)) for n in names):
        raise TypeError('return_elements must be a list of strings.')
    return tuple(compat.as_str(n) for n in names)


def _mappings(input_map, graph):
    """What _core takes: tensors and controls by name."""
    inputs, controls = [], []
    for key, value in input_map.items():
        name, index = _parse_name(key)
        if index < 0:
            op = value.op if isinstance(value, ops.Tensor) else value
            controls.append((name, graph.as_graph_element(op)._ptr))
        else:
            inputs.append((name, index, value._c))
    return inputs, controls


def _returns(names):
    wanted = []
    for name in names or ():
        if ':' in name:
            wanted.append(_parse_name(name))
        else:
            wanted.append((name, -1))
    return wanted


def _raise_import_error(error, names, graph_def):
    code, message = error.args
    if names:
        present = {n.name for n in graph_def.node}
        for name in names:
            if name.partition(':')[0] not in present:
                raise ValueError('Requested return node %r not found in graph def' % name)
    ops.raise_build_error(error)


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None,
                     producer_op_list=None):
    """Adds the nodes of graph_def under the scope `name` ('import'); the elements asked for."""
    graph_def = _check_graph_def(graph_def)
    input_map = _check_input_map(input_map)
    names = _check_returns(return_elements)
    if producer_op_list is not None:
        graph_def = _without_new_defaults(graph_def, producer_op_list)
    graph = ops.get_default_graph()
    graph._check_not_finalized()
    with ops.name_scope(name, 'import', input_map.values()) as scope:
        input_map = _as_tensors(input_map)
        inputs, controls = _mappings(input_map, graph)
        try:
            found, missing = core.graph_import(
                graph._c, graph_def.SerializeToString(), scope[:-1] if scope else '',
                graph._device_text(), inputs, controls, [], _returns(names))
        except core.Error as e:
            _raise_import_error(e, names, graph_def)
    _check_unused(missing)
    _note_functions(graph, graph_def)
    if names is None:
        return None
    return [graph._tensor_of(f) if isinstance(f, tuple) else graph._op_of(f) for f in found]


def _as_tensors(input_map):
    if not input_map or all(isinstance(v, (ops.Tensor, ops.Operation))
                            for v in input_map.values()):
        return input_map
    with ops.name_scope('_inputs'):
        return {k: v if k.startswith('^') else ops.convert_to_tensor(v)
                for k, v in input_map.items()}


def _check_unused(missing):
    if not missing:
        return
    unused = sorted(('^%s' % n) if i < 0 else '%s:%d' % (n, i) for n, i in missing)
    raise ValueError('Attempted to map inputs that were not found in graph_def: [%s]'
                     % ', '.join(unused))


def _note_functions(graph, graph_def):
    if not graph_def.library.function:
        return
    from leat.python.framework import function
    for f in function._from_library(graph_def.library):
        if not graph._is_function(f.name):
            graph._functions[f.name] = f


def _without_new_defaults(graph_def, producer_op_list):
    """Attrs that our ops lack go where the producer's default is what they hold."""
    from leat.core.framework import graph_pb2
    from leat.python.framework import op_def_registry
    copy = graph_pb2.GraphDef()
    copy.CopyFrom(graph_def)
    producer = {op.name: op for op in producer_op_list.op}
    registered = op_def_registry.get_registered_ops()
    for node in copy.node:
        op = producer.get(node.op)
        ours = registered.get(node.op)
        if op is None or ours is None:
            continue
        known = {a.name for a in ours.attr}
        for attr in op.attr:
            if attr.name in known or attr.name not in node.attr or \
                    not attr.HasField('default_value'):
                continue
            if node.attr[attr.name] == attr.default_value:
                del node.attr[attr.name]
    return copy
