# SPDX-License-Identifier: Apache-2.0
"""First values that depend on other variables.

An initial value that reads a variable would read it before it has a value, when all initializers
run in one step: such reads are replaced by the other's initialized value, and the nodes between
are copied.
"""
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys

_READS = frozenset(['IsVariableInitialized', 'VarIsInitializedOp', 'ReadVariableOp', 'If'])
_VARIABLES = frozenset(['Variable', 'VariableV2', 'VarHandleOp'])


def guarded(name, initial_value):
    """initial_value, or a copy of what it is made of that waits for the variables it reads."""
    if not isinstance(initial_value, ops.Tensor):
        raise TypeError('initial_value needs to be a Tensor: %s' % initial_value)
    if _has_cycle(initial_value.op):
        return initial_value
    return _safe_tensor(name, initial_value, {})


def _has_cycle(op):
    """Whether a loop lies behind the operation: then nothing is copied."""
    path, done, stack = set(), set(), [(op, False)]
    while stack:
        op, leaving = stack.pop()
        if leaving:
            path.discard(op)
            done.add(op)
        elif op in path:
            return True
        elif op not in done:
            path.add(op)
            stack.append((op, True))
            before = [t.op for t in op.inputs] + op.control_inputs
            if any(b in path for b in before):
                return True
            stack.extend((b, False) for b in before if b not in done)
    return False


def _safe_tensor(name, tensor, cache):
    """The tensor, or that of the copy; a walk in post-order without recursion."""
    stack = [tensor.op]
    while stack:
        op = stack[-1]
        if op in cache:
            stack.pop()
            continue
        inputs = [] if op.type in _READS or op.type in _VARIABLES else list(op.inputs)
        waiting = [t.op for t in reversed(inputs) if t.op not in cache]
        if waiting:
            stack.extend(waiting)
        else:
            stack.pop()
            cache[op] = _safe_op(name, op, inputs, cache)
    return _output(cache[tensor.op], tensor)


def _output(made, tensor):
    return made.outputs[tensor.value_index] if isinstance(made, ops.Operation) else made


def _safe_op(name, op, inputs, cache):
    """The operation itself, a copy of it over changed inputs, or a variable's first value."""
    if op.type in _READS:
        return op
    if op.type in _VARIABLES:
        value = initialized_value_of(op)
        return op if value is None else value
    changed = [_output(cache[t.op], t) for t in inputs]
    if all(a is b for a, b in zip(changed, inputs)):
        return op
    node_def = op.node_def
    new_type = 'Switch' if op.type == 'RefSwitch' else op.type
    new_name = ('%s_%s' % (node_def.name, name)).replace(':', '_')
    attrs = {key: node_def.attr[key] for key in node_def.attr}
    with op.graph.name_scope(None):
        return op.graph.create_op(new_type, changed, op._output_types, name=new_name, attrs=attrs)


def initialized_value_of(variable_op):
    """The initialized value of the variable with this op, if it is in a collection."""
    names = (variable_op.name, variable_op.name + ':0')
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for var in variable_op.graph.get_collection(key):
            if getattr(var, 'name', None) in names:
                return var.initialized_value()
    return None
