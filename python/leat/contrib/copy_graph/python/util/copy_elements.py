# SPDX-License-Identifier: Apache-2.0
"""Variables and ops of a graph, made again in another."""
from leat.python.client import session as session_lib
from leat.python.framework import ops
from leat.python.ops import variables as variables_lib


def _name(name, scope):
    name = name[:name.index(':')] if ':' in name else name
    return scope + '/' + name if scope else name


def _collections(name, graph, scope):
    """The collections that something of this name is in, in the scope but for the top ones."""
    found = [key for key in graph.get_all_collection_keys()
             if isinstance(key, str) and any(getattr(item, 'name', None) == name
                                             for item in graph.get_collection(key))]
    return [scope + '/' + key if scope and key not in _TOP else key for key in found]


_TOP = (ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.TRAINABLE_VARIABLES)


def copy_variable_to_graph(org_instance, to_graph, scope=''):
    """A variable with the value that its initializer has now."""
    if not isinstance(org_instance, variables_lib.Variable):
        raise TypeError(str(org_instance) + ' is not a Variable')
    graph = org_instance.graph
    collections = _collections(org_instance.name, graph, scope)
    trainable = any(item is org_instance
                    for item in graph.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES))
    with graph.as_default(), session_lib.Session(graph=graph) as session:
        value = session.run(org_instance.initialized_value())
    with to_graph.as_default():
        return variables_lib.VariableV1(value, trainable, name=_name(org_instance.name, scope),
                                      collections=collections, validate_shape=True)


def copy_op_to_graph(org_instance, to_graph, variables, scope=''):
    """The op or tensor there, with what it needs; `variables` are there already."""
    if not isinstance(org_instance, (ops.Tensor, ops.Operation)):
        raise TypeError('Could not copy instance: ' + str(org_instance))
    name = _name(org_instance.name, scope)
    known = {v.name: v for v in variables}
    full = name + ':' + org_instance.name.split(':')[1] if ':' in org_instance.name else name
    if full in known:
        return known[full].value()
    try:
        return to_graph.as_graph_element(full, allow_tensor=True, allow_operation=True)
    except (KeyError, ValueError):
        pass
    if isinstance(org_instance, ops.Tensor):
        op = copy_op_to_graph(org_instance.op, to_graph, variables, scope)
        tensor = op.outputs[org_instance.value_index]
        for key in _collections(org_instance.name, org_instance.graph, scope):
            to_graph.add_to_collection(key, tensor)
        return tensor
    return _copy_op(org_instance, name, to_graph, variables, scope)


def _copy_op(op, name, to_graph, variables, scope):
    inputs = [copy_op_to_graph(x, to_graph, variables, scope) for x in op.inputs]
    controls = [copy_op_to_graph(x, to_graph, variables, scope) for x in op.control_inputs]
    node_def = op.node_def.__class__()
    node_def.CopyFrom(op.node_def)
    node_def.name = name
    original = None
    if op._original_op is not None:
        original = copy_op_to_graph(op._original_op, to_graph, variables, scope)
    return ops.Operation(node_def, to_graph, inputs, [o.dtype for o in op.outputs], controls,
                         [x.dtype for x in op.inputs], original, op.op_def)


def get_copied_op(org_instance, graph, scope=''):
    """The copy that an op, a tensor or a variable has in a graph."""
    name = scope + '/' + org_instance.name if scope else org_instance.name
    return graph.as_graph_element(name, allow_tensor=True, allow_operation=True)
