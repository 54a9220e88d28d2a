# SPDX-License-Identifier: Apache-2.0
"""Branches, loops, and groups of ops.

What is inside of a branch or loop, what comes in and how, is the library's work
(leat/control_flow.h); here nested structures are opened, checked and put together again.
"""
from leat._load import core
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import traceback_utils
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_control_flow_ops
from leat.python.ops import gen_logging_ops
from leat.python.ops.control_flow_context import (  # noqa: F401
    CondContext, ControlFlowContext, WhileContext, from_control_flow_context_def, note_current,
    register_collections)
from leat.python.util import deprecation
from leat.python.util import nest

ENABLE_CONTROL_FLOW_V2 = False
_basetuple = tuple


def __getattr__(name):
    """case and switch_case stand in control_flow_case; plain ops in gen_control_flow_ops."""
    if name in ('case', 'case_v2', 'switch_case', '_case_helper', '_assert_at_most_n_true',
                '_case_create_default_action', '_case_verify_and_canonicalize_args'):
        from leat.python.ops import control_flow_case
        return getattr(control_flow_case, name)
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(gen_control_flow_ops, name)


# ---- ops that hand a value on ----

def _in_parts(data, function):
    """function of the tensor, or of each part of what is made of several."""
    if isinstance(data, ops.Tensor):
        return function(data)
    if not hasattr(type(data), '_type_spec'):
        raise TypeError('Type %s not supported' % type(data))
    return nest.map_structure(function, data, expand_composites=True)


def _Identity(tensor, name=None):
    """The value of the same kind, by a node of its own."""
    tensor = ops.internal_convert_to_tensor_or_composite(tensor, as_ref=True)
    if isinstance(tensor, ops.Tensor):
        if tensor.dtype._is_ref_dtype:
            return gen_array_ops.ref_identity(tensor, name=name)
        return gen_array_ops.identity(tensor, name=name)
    return _in_parts(tensor, _Identity)


def _NextIteration(tensor, name=None):
    tensor = ops.internal_convert_to_tensor_or_composite(tensor, as_ref=True)
    if isinstance(tensor, ops.Tensor):
        if tensor.dtype._is_ref_dtype:
            return gen_control_flow_ops.ref_next_iteration(tensor, name=name)
        return gen_control_flow_ops.next_iteration(tensor, name=name)
    return _in_parts(tensor, _NextIteration)


def _Enter(tensor, frame_name, is_constant=False, parallel_iterations=10, use_ref=True,
           use_input_shape=True, name=None):
    tensor = ops.internal_convert_to_tensor_or_composite(tensor, as_ref=True)
    if isinstance(tensor, ops.Tensor):
        make = (gen_control_flow_ops.ref_enter if tensor.dtype._is_ref_dtype and use_ref
                else gen_control_flow_ops.enter)
        result = make(tensor, frame_name, is_constant, parallel_iterations, name=name)
        if use_input_shape:
            result.set_shape(tensor.get_shape())
        return result
    return _in_parts(tensor, lambda t: _Enter(t, frame_name, is_constant, parallel_iterations,
                                              use_ref, use_input_shape))


def exit(tensor, name=None):
    """The value as it leaves its loop."""
    tensor = ops.internal_convert_to_tensor_or_composite(tensor, as_ref=True)
    if isinstance(tensor, ops.Tensor):
        if tensor.dtype._is_ref_dtype:
            return gen_control_flow_ops.ref_exit(tensor, name)
        return gen_control_flow_ops._exit(tensor, name)
    return _in_parts(tensor, exit)


def switch(data, pred, dtype=None, name=None):
    """(output_false, output_true): one of which gets the data."""
    with ops.name_scope(name, 'Switch', [data, pred]) as name:
        data = ops.internal_convert_to_tensor_or_composite(data, dtype=dtype, name='data',
                                                           as_ref=True)
        pred = ops.convert_to_tensor(pred, name='pred')
        if isinstance(data, ops.Tensor):
            return gen_control_flow_ops.switch(data, pred, name=name)
        parts = [gen_control_flow_ops.switch(p, pred)
                 for p in nest.flatten(data, expand_composites=True)]
        return _basetuple(nest.pack_sequence_as(data, [p[i] for p in parts], expand_composites=True)
                     for i in range(2))


def _SwitchRefOrTensor(data, pred, name='Switch'):
    data = ops.convert_to_tensor_or_composite(data, name='data')
    with ops.colocate_with(data, ignore_existing=True):
        if isinstance(data, ops.Tensor) and data.dtype._is_ref_dtype:
            return gen_control_flow_ops.ref_switch(data, pred, name=name)
        return switch(data, pred, name=name)


def merge(inputs, name=None):
    """(output, value_index): whichever of the inputs comes."""
    if any(inp is None for inp in inputs):
        raise ValueError('At least one of the merge inputs is None: %s' % inputs)
    with ops.name_scope(name, 'Merge', inputs) as name:
        inputs = [ops.internal_convert_to_tensor_or_composite(inp, as_ref=True) for inp in inputs]
        if all(isinstance(v, ops.Tensor) for v in inputs):
            if all(v.dtype._is_ref_dtype for v in inputs):
                return gen_control_flow_ops.ref_merge(inputs, name)
            return gen_control_flow_ops.merge(inputs, name)
        if all(isinstance(v, (ops.IndexedSlices, ops.Tensor)) for v in inputs):
            inputs = [_as_indexed_slices(v, optimize=False) for v in inputs]
            inputs = _as_indexed_slices_list(inputs, optimize=False)
        for v in inputs[1:]:
            nest.assert_same_structure(inputs[0], v, expand_composites=True)
        flat = [nest.flatten(v, expand_composites=True) for v in inputs]
        merged = [gen_control_flow_ops.merge(parts) for parts in zip(*flat)]
        packed = nest.pack_sequence_as(inputs[0], [m[0] for m in merged], expand_composites=True)
        return packed, merged[0][1]


def _as_indexed_slices(x, optimize=True):
    """All rows of a tensor."""
    from leat.python.ops import array_ops
    from leat.python.ops import math_ops
    if not isinstance(x, (ops.Tensor, ops.IndexedSlices)):
        raise TypeError('Not a Tensor or IndexedSlices: %s' % type(x))
    if isinstance(x, ops.IndexedSlices):
        return x
    x_shape = array_ops.shape_internal(x, optimize=optimize)
    return ops.IndexedSlices(x, math_ops.range(0, x_shape[0]), x_shape)


def _as_indexed_slices_list(inputs, optimize=True):
    """Slices whose indices are all of one type."""
    from leat.python.ops import math_ops
    if not isinstance(inputs, (list, tuple)):
        raise TypeError('Expected a list or tuple, not a %s' % type(inputs))
    outputs = [_as_indexed_slices(i, optimize=optimize) for i in inputs]
    wide = [o.indices for o in outputs if o.indices.dtype == dtypes.int32]
    if not wide or len(wide) == len(outputs):
        return outputs
    return [ops.IndexedSlices(o.values, math_ops.cast(o.indices, dtypes.int64), o.dense_shape)
            if o.indices.dtype == dtypes.int32 else o for o in outputs]


# ---- tensor arrays in structures ----

def _convert_tensorarray_to_flow(tensor_or_tensor_array):
    flow = getattr(tensor_or_tensor_array, '_flow_of_array', None)
    return tensor_or_tensor_array if flow is None else flow()


def _convert_flows_to_tensorarrays(tensors_or_tensorarrays, tensors_or_flows):
    """The second list with arrays where the first has them."""
    if len(tensors_or_tensorarrays) != len(tensors_or_flows):
        raise ValueError('Lengths of original Tensor list and new list do not match: %d vs. %d'
                         % (len(tensors_or_tensorarrays), len(tensors_or_flows)))
    return [_make_tensor_array(ta, t) if hasattr(ta, '_flow_of_array') else t
            for ta, t in zip(tensors_or_tensorarrays, tensors_or_flows)]


def _make_tensor_array(ta, flow):
    from leat.python.ops import tensor_array_ops
    return tensor_array_ops.build_ta_with_new_flow(ta, flow)


def _to_flows(structure):
    """The parts of it, arrays by their flows."""
    return [_convert_tensorarray_to_flow(v)
            for v in nest.flatten(structure, expand_composites=True)]


# ---- branches ----


def check_bool(tensor, name, op):
    if tensor.dtype.base_dtype != dtypes.bool:
        raise TypeError('Input \'%s\' of \'%s\' Op has type %s that does not match expected type '
                        'of bool.' % (name, op, tensor.dtype.base_dtype.name))


def _UnpackIfSingleton(res):
    if isinstance(res, (list, _basetuple)) and len(res) == 1:
        return res[0]
    return res


def _cond_functions(true_fn, false_fn, fn1, fn2):
    """The two, whichever of the names they were given by."""
    if fn1 is not None:
        if true_fn is not None:
            raise TypeError('cond(): true_fn and fn1 may not be set simultaneously.')
        true_fn = fn1
    elif true_fn is None:
        raise TypeError('cond(): true_fn argument required')
    if fn2 is not None:
        if false_fn is not None:
            raise TypeError('cond(): false_fn and fn2 may not be set simultaneously.')
        false_fn = fn2
    elif false_fn is None:
        raise TypeError('cond(): false_fn argument required')
    if not callable(true_fn):
        raise TypeError('true_fn must be callable.')
    if not callable(false_fn):
        raise TypeError('false_fn must be callable.')
    return true_fn, false_fn


@deprecation.deprecated_args(
    None, 'fn1/fn2 are deprecated in favor of the true_fn/false_fn arguments.', 'fn1', 'fn2')
def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """What true_fn() gives where pred is true, else what false_fn() gives: only the nodes of one
    of them run."""
    true_fn, false_fn = _cond_functions(true_fn, false_fn, fn1, fn2)
    with ops.name_scope(name, 'cond', [pred]) as scope:
        if isinstance(pred, bool):
            raise TypeError('pred must not be a Python bool')
        return _Branches(ops.convert_to_tensor(pred), scope).build(true_fn, false_fn, strict)


class _Branches(object):
    """A cond that is being built."""

    def __init__(self, pred, scope):
        self._graph = ops.get_default_graph()
        self._begin(pred, scope)

    def _begin(self, pred, scope):
        self._graph._check_not_finalized()
        check_bool(pred, 'pred', 'Switch')
        line, _ = traceback_utils.take()
        outer = self._graph._get_control_flow_context()
        try:
            self._c = core.branches_begin(self._graph._c, pred._c, scope, line)
        except core.Error as e:
            ops.raise_build_error(e)
        self._outer = outer
        self._contexts = []
        self._enter_context()
        op = self._contexts[0].pred.op
        pivot = self._contexts[0].pivot.op
        for part in [op, pivot, pivot.inputs[0].op]:
            self._graph.prevent_fetching(part)

    def _enter_context(self):
        """The branch that is open now is told of by a CondContext."""
        graph = self._graph
        flow, _, name, pivot, pred, branch, _ = core.current_flow(graph._c, 0)
        context = CondContext.__new__(CondContext)
        ControlFlowContext.__init__(context)
        context._name, context._branch = name, branch
        context._pred, context._pivot = graph._tensor_of(pred), graph._tensor_of(pivot)
        context._outer_context = self._outer
        context._flow_id = flow
        graph._flows[flow] = context
        graph.prevent_fetching(context._pivot.op)
        self._contexts.append(context)
        self._pivot = context._pivot

    def build(self, true_fn, false_fn, strict):
        abandon = True
        try:
            orig_t, flat_t = self._branch(true_fn)
            if orig_t is None:
                raise ValueError('true_fn must have a return value.')
            if not flat_t:
                raise ValueError('true_fn and false_fn must return at least one result.')
            core.branches_other(self._graph._c, self._c, [t._c for t in flat_t])
            self._enter_context()
            orig_f, flat_f = self._branch(false_fn)
            if orig_f is None:
                raise ValueError('false_fn must have a return value.')
            if not strict:
                orig_t, orig_f = _UnpackIfSingleton(orig_t), _UnpackIfSingleton(orig_f)
            self._check(orig_t, orig_f, flat_t, flat_f)
            abandon = False
            merged = core.branches_end(self._graph._c, self._c, [t._c for t in flat_f])
        except core.Error as e:
            ops.raise_build_error(e)
        finally:
            if abandon:
                core.branches_abandon(self._c)
        return self._pack(orig_t, [self._graph._tensor_of(m) for m in merged], strict)

    def _branch(self, function):
        """(what the function gives, the tensors to be merged)."""
        before = len(ops.get_collection(GraphKeys._SUMMARY_COLLECTION))
        result = function()
        new = ops.get_collection(GraphKeys._SUMMARY_COLLECTION)[before:]
        if new:
            with ops.control_dependencies(new):
                if result is None:
                    return no_op(), []
                if not isinstance(result, ops.Operation):
                    result = nest.map_structure(gen_array_ops.identity, result,
                                                expand_composites=True)
        if result is None:
            return None, []
        flat = [self._tensor(v) for v in nest.flatten(result, expand_composites=True)]
        return result, flat

    def _tensor(self, v):
        if isinstance(v, ops.Operation):
            return with_dependencies([v], self._pivot)
        return ops.convert_to_tensor(_convert_tensorarray_to_flow(v))

    @staticmethod
    def _check(orig_t, orig_f, flat_t, flat_f):
        nest.assert_same_structure(orig_t, orig_f, expand_composites=True)
        for x, y in zip(flat_t, flat_f):
            if x.dtype.base_dtype != y.dtype.base_dtype:
                raise ValueError('Outputs of true_fn and false_fn must have the same type: %s, %s'
                                 % (x.dtype.name, y.dtype.name))

    def _pack(self, orig_t, merges, strict):
        flat = nest.flatten(orig_t, expand_composites=True)
        merges = _convert_flows_to_tensorarrays(flat, merges)
        merges = nest.pack_sequence_as(orig_t, merges, expand_composites=True)
        if self._outer is None:
            for context in self._contexts:
                ops.add_to_collection(GraphKeys.COND_CONTEXT, context)
        if not strict:
            merges = _UnpackIfSingleton(merges)
        return merges


def cond_for_tf_v2(pred, true_fn=None, false_fn=None, name=None):
    return cond(pred, true_fn=true_fn, false_fn=false_fn, strict=True, name=name)


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    from leat.python.framework import smart_cond as smart_module
    return smart_module.smart_cond(pred, true_fn, false_fn, name)


# ---- groups ----

def with_dependencies(dependencies, output_tensor, name=None):
    """output_tensor's value, once dependencies are done."""
    with ops.name_scope(name, 'control_dependency', list(dependencies) + [output_tensor]) as name:
        with ops.colocate_with(output_tensor):
            with ops.control_dependencies(dependencies):
                output_tensor = ops.convert_to_tensor_or_composite(output_tensor)
                if isinstance(output_tensor, ops.Tensor):
                    return _Identity(output_tensor, name=name)
                return ops.IndexedSlices(_Identity(output_tensor.values, name=name),
                                         output_tensor.indices, output_tensor.dense_shape)


def no_op(name=None):
    return gen_control_flow_ops.no_op(name=name)


def _GroupControlDeps(dev, deps, name=None):
    with ops.control_dependencies(deps):
        if dev is None:
            return no_op(name=name)
        with ops.device(dev):
            return no_op(name=name)


def group(*inputs, **kwargs):
    """An op that is done when all of inputs are."""
    name = kwargs.pop('name', None)
    if kwargs:
        raise ValueError('Unknown keyword arguments: ' + ', '.join(kwargs.keys()))
    with ops.name_scope(name, 'group_deps', inputs) as name:
        if not inputs:
            return no_op(name=name)
        by_device = {}
        for inp in nest.flatten(inputs, expand_composites=True):
            if not hasattr(inp, 'device'):
                raise TypeError('Expected tf.group() expected Tensor arguments not \'%s\' with '
                                'type \'%s\'' % (inp, type(inp)))
            by_device.setdefault(inp.device, []).append(inp)
        if len(by_device) == 1:
            (device, deps), = by_device.items()
            return _GroupControlDeps(device, deps, name=name)
        all_deps = []
        with ops.name_scope(name):
            for device in sorted(by_device, key=lambda d: d or ''):
                all_deps.append(_GroupControlDeps(device, by_device[device]))
        with ops.control_dependencies(all_deps):
            return no_op(name=name)


def tuple(tensors, name=None, control_inputs=None):
    """The tensors (None stays None), none of which is there before all are."""
    with ops.name_scope(name, 'tuple', tensors) as name:
        tensors = [t if t is None or hasattr(t, 'op') or isinstance(t, ops.Operation)
                   else ops.convert_to_tensor(t) for t in tensors]
        gating = [t if isinstance(t, ops.Operation) else t.op for t in tensors if t is not None]
        for c in control_inputs or []:
            if isinstance(c, ops.Tensor):
                c = c.op
            elif not isinstance(c, ops.Operation):
                raise TypeError('Control input must be Operation or Tensor: %s' % c)
            gating.append(c)
        gating = sorted(set(gating), key=lambda op: op._id)
        if not gating:
            raise ValueError('Must have at least one Tensor: %s' % tensors)
        gate = group(*gating)
        made = []
        for t in tensors:
            if isinstance(t, ops.Operation):
                with ops.control_dependencies([gate]):
                    made.append(no_op())
            else:
                made.append(None if t is None else with_dependencies([gate], t))
        return made


def tuple_v2(tensors, control_inputs=None, name=None):
    return tuple(tensors=tensors, name=name, control_inputs=control_inputs)


def group_v1(*inputs, **kwargs):
    return group(*inputs, **kwargs)


def Assert(condition, data, summarize=None, name=None):
    """An op that fails, and tells the data, where condition is not true."""
    with ops.name_scope(name, 'Assert', [condition, data]):
        xs = ops.convert_n_to_tensor(list(data) if isinstance(data, str) else data)
        if all(x.dtype in (dtypes.string, dtypes.int32) for x in xs):
            return gen_logging_ops._assert(condition, data, summarize, name='Assert')
        condition = ops.convert_to_tensor(condition, name='Condition')

        def true_assert():
            return gen_logging_ops._assert(condition, data, summarize, name='Assert')
        guarded = cond(condition, no_op, true_assert, name='AssertGuard')
        return guarded.op


from leat.python.ops.control_flow_loop import while_loop, while_loop_v2  # noqa: E402,F401

register_collections()
