# SPDX-License-Identifier: Apache-2.0
"""Converter: the ops of a loop's body, made once for all its iterations.

A tensor that depends on the loop's variable has a value per iteration: these are stacked along a
new first dimension, and each op on it is made on the stack. The rules are in converters.py. What
has no rule raises Unconverted.
"""
from leat.python.framework import op_def_library
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops


class Unconverted(Exception):
    """An op that has no form for all iterations."""


class Converter(object):
    """The values of a loop's body; made ones are kept."""

    def __init__(self, loop_var, n, before):
        self.loop_var, self.n = loop_var, n
        self._before = before
        self._made = {loop_var.op: [(math_ops.range(n), True)]}
        self._varies = {loop_var.op: True}

    # ---- what depends on the loop ----

    def _inside(self, op):
        return op._id > self._before

    def _depends(self, op):
        """Whether an operation differs between iterations; by a stack, for bodies are deep."""
        stack = [op]
        while stack:
            top = stack[-1]
            if top in self._varies:
                stack.pop()
                continue
            if not self._inside(top):
                self._varies[top] = False
                continue
            sources = [t.op for t in top.inputs] + list(top.control_inputs)
            if top.type in _CYCLES:
                raise Unconverted(top.type)
            open_ones = [s for s in sources if s not in self._varies]
            if open_ones:
                stack.extend(open_ones)
                continue
            self._varies[top] = any(self._varies.get(s) for s in sources) or _is_random(top)
        return self._varies[op]

    # ---- conversion ----

    def convert(self, tensor):
        """(tensor, whether it is stacked)."""
        todo = [tensor.op]
        while todo:
            op = todo[-1]
            if op in self._made:
                todo.pop()
                continue
            if not self._depends(op):
                if self._inside(op) and op.type in _EFFECTS:
                    raise Unconverted(op.type)
                self._made[op] = [(t, False) for t in op.outputs]
                continue
            missing = [t.op for t in op.inputs if t.op not in self._made]
            if missing:
                todo.extend(missing)
                continue
            self._made[op] = self._convert_op(op)
        return self._made[tensor.op][tensor.value_index]

    def _convert_op(self, op):
        from leat.python.ops.parallel_for import converters
        rule = converters.RULES.get(op.type)
        if rule is None or any(self._varies.get(c) for c in op.control_inputs):
            raise Unconverted(op.type)
        made = rule(self, op, [self._made[t.op][t.value_index] for t in op.inputs])
        if made is NotImplemented:
            raise Unconverted(op.type)
        return made if isinstance(made, list) else [(made, True)]

    def stacked(self, tensor):
        """All iterations' values of a tensor."""
        value, is_stacked = self.convert(tensor)
        result = value if is_stacked else self.repeat(value)
        static = self.n if isinstance(self.n, int) else None
        if tensor.shape.ndims is not None:
            result.set_shape([static] + tensor.shape.as_list())
        return result

    def operation(self, op):
        """An operation for all iterations."""
        if op.type != 'NoOp' or any(self._depends(c) for c in op.control_inputs):
            raise Unconverted(op.type)
        return control_flow_ops.group(*op.control_inputs)

    def repeat(self, value):
        """The same value for each iteration."""
        ones = array_ops.ones_like(array_ops.shape(value))
        times = array_ops.concat([[self.n], ones], axis=0)
        return array_ops.tile(array_ops.expand_dims(value, 0), times)


_CYCLES = frozenset(('Merge', 'RefMerge', 'NextIteration', 'Enter', 'Exit', 'Switch', 'RefSwitch'))
_RANDOM = frozenset(('RandomUniform', 'RandomUniformInt', 'RandomStandardNormal',
                     'TruncatedNormal'))
_EFFECTS = frozenset((
    'Assign', 'AssignAdd', 'AssignSub', 'AssignVariableOp', 'AssignAddVariableOp',
    'AssignSubVariableOp', 'Print', 'PrintV2', 'PyFunc', 'PyFuncStateless', 'EagerPyFunc',
    'RandomGamma', 'RandomPoisson', 'RandomPoissonV2', 'Multinomial', 'RandomShuffle',
    'ParameterizedTruncatedNormal', 'TensorArrayV3', 'VariableV2', 'VarHandleOp'))


def _is_random(op):
    return op.type in _RANDOM


def again(op, inputs, **changed):
    """The same op on other inputs."""
    spec = op_def_library.spec_of(op.type)
    attrs = {a.name: op.get_attr(a.name) for a in spec.explicit}
    attrs.update(changed)
    return op_def_library.apply_spec(spec, None, tuple(inputs), attrs)


class PForConfig(object):
    """What loop_fn may ask of pfor: sums over all iterations."""

    def __init__(self):
        self._loop_var = self._converter = None
        self._reductions = []

    def _set(self, loop_var, converter):
        self._loop_var, self._converter = loop_var, converter
        for placeholder, x, function in self._reductions:
            value = function(converter.stacked(x))
            converter._made[placeholder.op] = [(value, False)]
            converter._varies[placeholder.op] = False

    def _reduce(self, x, function):
        x = ops.convert_to_tensor(x)
        placeholder = array_ops.placeholder(x.dtype, x.shape)
        self._reductions.append((placeholder, x, function))
        return placeholder

    def reduce_sum(self, x):
        """The sum of x over the iterations."""
        return self._reduce(x, lambda stacked: math_ops.reduce_sum(stacked, axis=0))

    def reduce_mean(self, x):
        """The mean of x over the iterations."""
        return self._reduce(x, lambda stacked: math_ops.reduce_mean(stacked, axis=0))

    def reduce_concat(self, x):
        """x of each iteration, stacked."""
        x = ops.convert_to_tensor(x)
        placeholder = array_ops.placeholder(x.dtype, [None] + (x.shape.as_list() or []))
        self._reductions.append((placeholder, x, lambda stacked: stacked))
        return placeholder
