# SPDX-License-Identifier: Apache-2.0
"""tf.while_loop. Imported by control_flow_ops, whose part this is."""
from leat._load import core
from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import traceback_utils
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops.control_flow_context import WhileContext
from leat.python.util import nest


def _flow_ops():
    from leat.python.ops import control_flow_ops
    return control_flow_ops


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10,
               back_prop=True, swap_memory=False, name=None, maximum_iterations=None,
               return_same_structure=False):
    """loop_vars = body(*loop_vars) as long as cond(*loop_vars) is true; their last values."""
    if not callable(cond):
        raise TypeError('cond must be callable.')
    if not callable(body):
        raise TypeError('body must be callable.')
    if parallel_iterations < 1:
        raise TypeError('parallel_iterations must be a positive integer.')
    with ops.name_scope(name, 'while', nest.flatten(loop_vars) if loop_vars else []) as scope:
        if not loop_vars:
            raise ValueError('No loop variables provided')
        unpack = len(loop_vars) == 1 and not return_same_structure
        if maximum_iterations is not None:
            maximum_iterations = ops.convert_to_tensor(maximum_iterations,
                                                       name='maximum_iterations')
            if maximum_iterations.shape.ndims != 0:
                raise ValueError('maximum_iterations must be a scalar, saw shape: %s'
                                 % maximum_iterations.shape)
            cond, body, loop_vars = _counted(cond, body, loop_vars, maximum_iterations, unpack)
            if shape_invariants is not None:
                if unpack:
                    shape_invariants = shape_invariants[0]
                shape_invariants = (tensor_shape.TensorShape([]), shape_invariants)
        loop = _Loop(scope, cond, body, loop_vars, shape_invariants)
        result = loop.build(
            WhileContext(maximum_iterations=maximum_iterations,
                         parallel_iterations=parallel_iterations, back_prop=back_prop,
                         swap_memory=swap_memory))
        if maximum_iterations is not None:
            return result[1]
        return result[0] if loop.num_exits == 1 and not return_same_structure else result


def while_loop_v2(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10,
                  back_prop=True, swap_memory=False, maximum_iterations=None, name=None):
    return while_loop(cond=cond, body=body, loop_vars=loop_vars,
                      shape_invariants=shape_invariants, parallel_iterations=parallel_iterations,
                      back_prop=back_prop, swap_memory=swap_memory, name=name,
                      maximum_iterations=maximum_iterations, return_same_structure=True)


def _counted(cond, body, loop_vars, maximum, unpack):
    """The same loop with a counter before its variables, that ends it after so many turns."""
    from leat.python.ops import math_ops
    counter = constant_op.constant(0, dtype=maximum.dtype, name='iteration_counter')
    if unpack:
        return (lambda i, v: math_ops.logical_and(i < maximum, cond(v)),
                lambda i, v: (i + 1, body(v)), (counter, loop_vars[0]))
    return (lambda i, v: math_ops.logical_and(i < maximum, cond(*v)),
            lambda i, v: (i + 1, body(*v)), (counter, loop_vars))


def _ShapeLessThanOrEqual(shape1, shape2):
    """Whether shape1 is one of the shapes that shape2 tells of."""
    if shape2.dims is None:
        return True
    if shape1.ndims != shape2.ndims:
        return False
    return all(d2.value is None or d1.value == d2.value
               for d1, d2 in zip(shape1.dims, shape2.dims))


class _Loop(object):
    """A loop that is being built."""

    def __init__(self, scope, cond, body, loop_vars, shape_invariants):
        self._graph = ops.get_default_graph()
        self._scope = scope
        self._cond, self._body = cond, body
        self._original = loop_vars
        self._flat = nest.flatten(loop_vars, expand_composites=True)
        flow_ops = _flow_ops()
        composites = ops.convert_n_to_tensor_or_composite(
            [flow_ops._convert_tensorarray_to_flow(v) for v in nest.flatten(loop_vars)])
        self._vars = nest.flatten(composites, expand_composites=True)
        self._shapes = None
        if shape_invariants is not None:
            self._shapes = self._invariants(composites, shape_invariants)

    def _invariants(self, composites, shape_invariants):
        """A shape for each tensor."""
        nest.assert_same_structure(self._original, shape_invariants, expand_composites=False)
        flat = nest.flatten(shape_invariants, expand_composites=False)
        shapes = []
        if len(flat) == len(composites):
            for value, shape in zip(composites, flat):
                shapes.extend(_component_shapes(value, shape))
        else:
            shapes = flat
        if not all(isinstance(s, tensor_shape.TensorShape) for s in shapes):
            raise ValueError('`shapes` must be a (possibly nested) list of shapes.')
        for inp, shape in zip(self._vars, shapes):
            if not _ShapeLessThanOrEqual(inp.get_shape(), shape):
                raise ValueError(
                    'The shape invariant specified for %s is not compatible with the initial shape '
                    'of the loop variable. It enters the loop with shape %s, but the specified '
                    'shape invariant is %s.' % (inp.name, inp.get_shape(), shape))
        return shapes

    def build(self, context):
        graph = self._graph
        graph._check_not_finalized()
        if context.outer_context is None:
            ops.add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        line, _ = traceback_utils.take()
        shapes = ([True] * len(self._vars) if self._shapes is None
                  else [None if s.ndims is None else s.as_list() for s in self._shapes])
        try:
            self._c, merged = core.loop_begin(
                graph._c, [v._c for v in self._vars], shapes, self._scope, line,
                context.parallel_iterations, context.back_prop, context.swap_memory,
                None if context.maximum_iterations is None else context.maximum_iterations._c)
        except core.Error as e:
            ops.raise_build_error(e)
        abandon = True
        try:
            merged, result, flat = self._turn(context, [graph._tensor_of(m) for m in merged])
            abandon = False
            exits = core.loop_end(graph._c, self._c, [t._c for t in flat])
        except core.Error as e:
            ops.raise_build_error(e)
        finally:
            if abandon:
                core.loop_abandon(self._c)
        exits = [graph._tensor_of(e) for e in exits]
        context._loop_exits = exits
        self.num_exits = len(exits)
        for tensor in exits:  # TensorFlow says of an Exit, too, that it is in the loop
            tensor.op._set_control_flow_context(context)
        return self._pack(result, exits)

    def _pack(self, structure, tensors):
        """The structure, of these tensors, with arrays where it has them."""
        flat = nest.flatten(structure, expand_composites=True)
        tensors = _flow_ops()._convert_flows_to_tensorarrays(flat, tensors)
        return nest.pack_sequence_as(structure, tensors, expand_composites=True)

    def _turn(self, context, merged):
        """Condition and body: (Merges, what the body gives, that as tensors)."""
        flow_ops = _flow_ops()
        graph = self._graph
        flow_ops.note_current(graph, context)
        context._loop_enters = [m.op.inputs[0] for m in merged]
        for enter in context._loop_enters:
            graph.prevent_feeding(enter)
        context._pivot_for_pred = merged[0]
        pred = ops.convert_to_tensor(self._cond(*self._pack(self._original, merged)))
        flow_ops.check_bool(pred, 'input', 'LoopCond')
        variables = core.loop_body(graph._c, self._c, pred._c, len(merged))
        variables = [graph._tensor_of(v) for v in variables]
        context._pivot = variables[0].op.inputs[0].op.inputs[1]
        context._pivot_for_body = variables[0]
        packed = self._pack(self._original, variables)
        result = self._call_body(packed)
        if not nest.is_sequence_or_composite(result):
            result = [result]
        nest.assert_same_structure(list(packed), list(result), expand_composites=True)
        flat = [ops.convert_to_tensor(v) for v in flow_ops._to_flows(result)]
        if len(merged) != len(flat):
            raise ValueError('Number of inputs and outputs of body must match loop_vars: %d, %d'
                             % (len(merged), len(flat)))
        for merge, value in zip(merged, flat):
            self._check(merge, value)
        return merged, result, flat

    def _call_body(self, packed):
        from leat.python.ops import gen_array_ops
        before = len(ops.get_collection(GraphKeys._SUMMARY_COLLECTION))
        result = self._body(*packed)
        new = ops.get_collection(GraphKeys._SUMMARY_COLLECTION)[before:]
        if new:
            with ops.control_dependencies(new):
                result = nest.map_structure(gen_array_ops.identity, result, expand_composites=True)
        return result

    @staticmethod
    def _check(merge, value):
        if merge.dtype.base_dtype != value.dtype.base_dtype:
            raise TypeError('Input 1 of node %s was passed %s from %s incompatible with expected '
                            '%s.' % (merge.op.name, value.dtype.name, value.name,
                                     merge.dtype.name))
        if not _ShapeLessThanOrEqual(value.get_shape(), merge.get_shape()):
            entering = merge.op.inputs[0].op.inputs[0]
            raise ValueError(
                'Input tensor \'%s\' enters the loop with shape %s, but has shape %s after one '
                'iteration. To allow the shape to vary across iterations, use the '
                '`shape_invariants` argument of tf.while_loop to specify a less-specific shape.'
                % (entering.name, entering.shape, value.get_shape()))


def _component_shapes(value, shape):
    """The shapes of a value's tensors, of its invariant."""
    if isinstance(value, ops.IndexedSlices):
        if not isinstance(shape, tensor_shape.TensorShape):
            raise ValueError('`shapes` must be a (possibly nested) list of shapes.')
        shapes = [shape, tensor_shape.TensorShape([shape.dims[0] if shape.ndims else None])]
        if value.dense_shape is not None:
            shapes.append(tensor_shape.TensorShape([shape.ndims]))
        return shapes
    if hasattr(value, '_shape_invariant_to_components'):
        return value._shape_invariant_to_components(shape)
    return [shape]
