# SPDX-License-Identifier: Apache-2.0
"""Operations that have effects, run in the order in which a function made them.

Those on one resource wait for each other; what a function returns waits for all. Ones inside of a
loop or a branch that the function builds keep the order that the loop or branch gives them.
"""
from leat.python.framework import dtypes
from leat.python.framework import indexed_slices
from leat.python.framework import op_def_library
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.util import nest
from leat.python.util import tf_decorator

ASYNC_STATEFUL_OPS = ['CollectiveGather', 'CollectiveReduce', 'CollectiveBcastSend',
                      'CollectiveBcastRecv', 'NcclAllReduce']
LEGACY_RANDOM_OPS = ['RandomUniform', 'RandomUniformInt', 'RandomStandardNormal',
                     'ParameterizedTruncatedNormal', 'TruncatedNormal', 'RandomShuffle',
                     'Multinomial', 'RandomGamma', 'RandomGammaGrad', 'RandomPoisson',
                     'RandomPoissonV2']
_ALL_BLACKLISTED_OPS = set(ASYNC_STATEFUL_OPS) | set(LEGACY_RANDOM_OPS)
_MAKERS = frozenset(('VarHandleOp', 'Variable', 'VariableV2', 'Placeholder'))


def op_is_stateful(op_def):
    """Whether an op (its OpDef) has effects that the order of matters for."""
    return op_def.is_stateful and op_def.name not in _ALL_BLACKLISTED_OPS


def _has_effects(op):
    if op.type in _MAKERS or op.type in _ALL_BLACKLISTED_OPS:
        return False
    return op_def_library.spec_of(op.type).stateful or any(t.dtype._is_ref_dtype
                                                           for t in op.inputs)


class AutomaticControlDependencies(object):
    """A `with` block whose operations with effects run in the order in which they are made."""

    def __init__(self):
        self._returned = []

    def mark_as_return(self, tensor):
        """What the block gives: a tensor that is there when all effects are."""
        if isinstance(tensor, indexed_slices.IndexedSlices):
            return indexed_slices.IndexedSlices(
                self.mark_as_return(tensor.values), self.mark_as_return(tensor.indices),
                None if tensor.dense_shape is None else self.mark_as_return(tensor.dense_shape))
        if isinstance(tensor, sparse_tensor.SparseTensor):
            return sparse_tensor.SparseTensor(*[self.mark_as_return(t) for t in (
                tensor.indices, tensor.values, tensor.dense_shape)])
        if isinstance(tensor, ops.Operation):
            self._returned.append(tensor)
            return tensor
        from leat.python.ops import array_ops
        tensor = array_ops.identity(tensor)
        self._returned.append(tensor.op)
        return tensor

    def __enter__(self):
        self._graph = ops.get_default_graph()
        self._context = self._graph._get_control_flow_context()
        self._before = self._graph.version
        return self

    def effects(self):
        """The operations of the block, so far, whose order matters."""
        return [op for op in self._graph.get_operations()[self._before:]
                if op._get_control_flow_context() is self._context and _has_effects(op)]

    def __exit__(self, kind, value, traceback):
        if kind is not None:
            return
        last, last_other, every = {}, None, []
        returned = set(self._returned)
        for op in self.effects():
            if op in returned:
                continue
            resources = [t for t in op.inputs
                         if t.dtype == dtypes.resource or t.dtype._is_ref_dtype]
            waits = []
            for t in resources:
                waits.append(last.get(t))
                last[t] = op
            if not resources:
                waits.append(last_other)
                last_other = op
            _wait(op, waits)
            every.append(op)
        for op in self._returned:
            _wait(op, every)


def _wait(op, others):
    """The operation runs after those others of which it does not take anything yet."""
    known = set(op.control_inputs) | {t.op for t in op.inputs} | {op, None}
    op._add_control_inputs([o for o in dict.fromkeys(others) if o not in known])


def call_in_order(function, args, kwargs):
    """What the function returns; its tensors are there when its effects are. An operation, which
    runs these, where it returns nothing."""
    from leat.python.ops import control_flow_ops
    with AutomaticControlDependencies() as dependencies:
        result = function(*args, **kwargs)
        effects = dependencies.effects()
        if not effects:
            return result
        if result is None:
            return control_flow_ops.group(*effects)
        marked = [dependencies.mark_as_return(t)
                  if isinstance(t, (ops.Tensor, ops.Operation)) else t
                  for t in nest.flatten(result)]
        return nest.pack_sequence_as(result, marked)


def automatic_control_dependencies(f):
    """f, whose effects happen in their order whenever what it returns is computed."""
    def wrapped(*args, **kwargs):
        return call_in_order(f, args, kwargs)
    return tf_decorator.make_decorator(f, wrapped)
