# SPDX-License-Identifier: Apache-2.0
"""Recurrent nets: cells over the steps of sequences, unrolled or in a loop."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import control_flow_util
from leat.python.ops import math_ops
from leat.python.ops import rnn_cell_impl
from leat.python.ops import tensor_array_ops
from leat.python.ops import variable_scope as vs
from leat.python.util import deprecation
from leat.python.util import nest

_concat = rnn_cell_impl._concat


def _transpose_batch_time(x):
    """x with its first two dims changed over."""
    static = x.get_shape()
    if static.ndims is not None and static.ndims < 2:
        return x
    rank = array_ops.rank(x)
    out = array_ops.transpose(x, array_ops.concat(([1, 0], math_ops.range(2, rank)), axis=0))
    if static.ndims is not None:
        out.set_shape(tensor_shape.TensorShape(
            [static.dims[1].value, static.dims[0].value]).concatenate(static[2:]))
    return out


def _best_effort_input_batch_size(flat_input):
    """The second dim: a number where one of the inputs tells it."""
    for value in flat_input:
        shape = value.shape
        if shape.ndims is None:
            continue
        if shape.ndims < 2:
            raise ValueError('Expected input tensor %s to have rank at least 2' % value)
        if shape.dims[1].value is not None:
            return shape.dims[1].value
    return array_ops.shape(flat_input[0])[1]


def _infer_state_dtype(explicit_dtype, state):
    if explicit_dtype is not None:
        return explicit_dtype
    if not nest.is_sequence(state):
        return state.dtype
    inferred = [element.dtype for element in nest.flatten(state)]
    if not inferred:
        raise ValueError('Unable to infer dtype from empty state.')
    if not all(t == inferred[0] for t in inferred):
        raise ValueError('State has tensors of different inferred_dtypes. Unable to infer a single '
                         'representative dtype.')
    return inferred[0]


def _maybe_tensor_shape_from_tensor(shape):
    if isinstance(shape, ops.Tensor):
        return tensor_shape.as_shape(tensor_util.constant_value(shape))
    return tensor_shape.as_shape(shape)


def _should_cache():
    context = ops.get_default_graph()._get_control_flow_context()
    return control_flow_util.GetContainingWhileContext(context) is None


def _cache_here(varscope):
    """Variables are read once, where the rest of the net is."""
    if _should_cache() and varscope.caching_device is None:
        varscope.set_caching_device(lambda op: op.device)


def _first_state(cell, initial_state, batch_size, dtype, message):
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError(message)
    if getattr(cell, 'get_initial_state', None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


# ---- one step ----

def _choose(finished, old, new):
    """The old value of what is finished, else the new one; arrays and scalars are always new."""
    if hasattr(old, '_flow_of_array') or old.shape.ndims == 0:
        return new
    with ops.colocate_with(new):
        return array_ops.where(finished, old, new)


def _rnn_step(time, sequence_length, min_sequence_length, max_sequence_length, zero_output, state,
              call_cell, state_size, skip_conditionals=False):
    """(output, state) of a step: zeros and the state as it was for what is past its length."""
    del state_size
    flat_state, flat_zero = nest.flatten(state), nest.flatten(zero_output)
    copy_cond = time >= sequence_length

    def call():
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return nest.flatten(output), nest.flatten(new_state)

    def copy_some(output, new_state):
        return ([_choose(copy_cond, z, o) for z, o in zip(flat_zero, output)] +
                [_choose(copy_cond, s, n) for s, n in zip(flat_state, new_state)])

    def maybe_copy():
        output, new_state = call()
        return control_flow_ops.cond(time < min_sequence_length, lambda: output + new_state,
                                     lambda: copy_some(output, new_state))
    if skip_conditionals:
        final = copy_some(*call())
    else:
        final = control_flow_ops.cond(time >= max_sequence_length,
                                      lambda: flat_zero + flat_state, maybe_copy)
    if not isinstance(final, (list, tuple)):
        final = [final]
    if len(final) != len(flat_zero) + len(flat_state):
        raise ValueError('Internal error: state and output were not concatenated correctly.')
    output, new_state = final[:len(flat_zero)], final[len(flat_zero):]
    for made, like in zip(output, flat_zero):
        made.set_shape(like.get_shape())
    for made, like in zip(new_state, flat_state):
        if not hasattr(made, '_flow_of_array'):
            made.set_shape(like.get_shape())
    return (nest.pack_sequence_as(structure=zero_output, flat_sequence=output),
            nest.pack_sequence_as(structure=state, flat_sequence=new_state))


# ---- in a loop ----

@deprecation.deprecated(None, 'Please use `keras.layers.RNN(cell)`, which is equivalent to this '
                              'API')
def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None,
                parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    """(outputs, last state) of the cell over the inputs' time, as long as it is."""
    rnn_cell_impl.assert_like_rnncell('cell', cell)
    with vs.variable_scope(scope or 'rnn') as varscope:
        _cache_here(varscope)
        flat_input = nest.flatten(inputs)
        if not time_major:
            flat_input = [ops.convert_to_tensor(value) for value in flat_input]
            flat_input = tuple(_transpose_batch_time(value) for value in flat_input)
        if sequence_length is not None:
            sequence_length = math_ops.cast(sequence_length, dtypes.int32)
            if sequence_length.get_shape().ndims not in (None, 1):
                raise ValueError('sequence_length must be a vector of length batch_size, but saw '
                                 'shape: %s' % sequence_length.get_shape())
            sequence_length = array_ops.identity(sequence_length, name='sequence_length')
        batch_size = _best_effort_input_batch_size(flat_input)
        state = _first_state(cell, initial_state, batch_size, dtype,
                             'If there is no initial_state, you must give a dtype.')
        if sequence_length is not None:
            with ops.control_dependencies([_assert_has_shape(sequence_length, [batch_size])]):
                sequence_length = array_ops.identity(sequence_length, name='CheckSeqLen')
        inputs = nest.pack_sequence_as(structure=inputs, flat_sequence=flat_input)
        outputs, final_state = _dynamic_rnn_loop(
            cell, inputs, state, parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory, sequence_length=sequence_length, dtype=dtype)
        if not time_major:
            outputs = nest.map_structure(_transpose_batch_time, outputs)
        return outputs, final_state


def _assert_has_shape(x, shape):
    x_shape = array_ops.shape(x)
    packed_shape = array_ops.stack(shape)
    return control_flow_ops.Assert(
        math_ops.reduce_all(math_ops.equal(x_shape, packed_shape)),
        ['Expected shape for Tensor %s is ' % x.name, packed_shape, ' but saw shape: ', x_shape])


def _checked_shapes(flat_input):
    """The inputs' shapes, that agree in time and batch, and (time, batch) as far as known."""
    shapes = tuple(value.get_shape().with_rank_at_least(3) for value in flat_input)
    const_time, const_batch = shapes[0].as_list()[:2]
    for shape in shapes:
        if not shape[2:].is_fully_defined():
            raise ValueError('Input size (depth of inputs) must be accessible via shape inference,'
                             ' but saw value None.')
        if const_time != shape.dims[0].value:
            raise ValueError('Time steps is not the same for all the elements in the input in a '
                             'batch.')
        if const_batch != shape.dims[1].value:
            raise ValueError('Batch_size is not the same for all the elements in the input.')
    return shapes, const_time, const_batch


def _dynamic_rnn_loop(cell, inputs, initial_state, parallel_iterations, swap_memory,
                      sequence_length=None, dtype=None):
    """dynamic_rnn of inputs with time first."""
    state = initial_state
    flat_input, sizes = nest.flatten(inputs), nest.flatten(cell.output_size)
    time_steps = array_ops.shape(flat_input[0])[0]
    batch_size = _best_effort_input_batch_size(flat_input)
    shapes, const_time, const_batch = _checked_shapes(flat_input)
    zero_output = nest.pack_sequence_as(structure=cell.output_size, flat_sequence=tuple(
        array_ops.zeros(array_ops.stack(_concat(batch_size, size)),
                        _infer_state_dtype(dtype, state)) for size in sizes))
    min_length, max_length = None, time_steps
    if sequence_length is not None:
        min_length = math_ops.reduce_min(sequence_length)
        max_length = math_ops.reduce_max(sequence_length)
    time = constant_op.constant(0, dtype=dtypes.int32, name='time')
    with ops.name_scope('dynamic_rnn') as scope:
        base_name = scope

    def array(name, element_shape, of):
        return tensor_array_ops.TensorArray(dtype=of, size=time_steps, element_shape=element_shape,
                                            tensor_array_name=base_name + name)
    output_ta = tuple(
        array('output_%d' % i, tensor_shape.TensorShape([const_batch]).concatenate(
            _maybe_tensor_shape_from_tensor(size)), _infer_state_dtype(dtype, state))
        for i, size in enumerate(sizes))
    input_ta = tuple(array('input_%d' % i, value.shape[1:], value.dtype)
                     for i, value in enumerate(flat_input))
    input_ta = tuple(ta.unstack(value) for ta, value in zip(input_ta, flat_input))

    def step(time, output_ta_t, state):
        input_t = tuple(ta.read(time) for ta in input_ta)
        for value, shape in zip(input_t, shapes):
            value.set_shape(shape[1:])
        input_t = nest.pack_sequence_as(structure=inputs, flat_sequence=input_t)
        if sequence_length is not None:
            output, new_state = _rnn_step(
                time=time, sequence_length=sequence_length, min_sequence_length=min_length,
                max_sequence_length=max_length, zero_output=zero_output, state=state,
                call_cell=lambda: cell(input_t, state), state_size=cell.state_size,
                skip_conditionals=True)
        else:
            output, new_state = cell(input_t, state)
        output_ta_t = tuple(ta.write(time, out)
                            for ta, out in zip(output_ta_t, nest.flatten(output)))
        return time + 1, output_ta_t, new_state
    loop_bound = math_ops.minimum(time_steps, math_ops.maximum(1, max_length))
    _, output_ta, final_state = control_flow_ops.while_loop(
        cond=lambda time, *_: time < loop_bound, body=step, loop_vars=(time, output_ta, state),
        parallel_iterations=parallel_iterations, maximum_iterations=time_steps,
        swap_memory=swap_memory)
    outputs = tuple(ta.stack() for ta in output_ta)
    for output, size in zip(outputs, sizes):
        output.set_shape(_concat([const_time, const_batch], size, static=True))
    return nest.pack_sequence_as(structure=cell.output_size, flat_sequence=outputs), final_state


@deprecation.deprecated(None, 'Please use `keras.layers.Bidirectional(keras.layers.RNN(cell))`, '
                              'which is equivalent to this API')
def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None,
                              initial_state_fw=None, initial_state_bw=None, dtype=None,
                              parallel_iterations=None, swap_memory=False, time_major=False,
                              scope=None):
    """((outputs forward, backward), (last states))."""
    rnn_cell_impl.assert_like_rnncell('cell_fw', cell_fw)
    rnn_cell_impl.assert_like_rnncell('cell_bw', cell_bw)
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)
    common = dict(sequence_length=sequence_length, dtype=dtype,
                  parallel_iterations=parallel_iterations, swap_memory=swap_memory,
                  time_major=time_major)

    def reverse(value):
        if sequence_length is not None:
            return array_ops.reverse_sequence(input=value, seq_lengths=sequence_length,
                                              seq_axis=time_axis, batch_axis=batch_axis)
        return array_ops.reverse(value, axis=[time_axis])
    with vs.variable_scope(scope or 'bidirectional_rnn'):
        with vs.variable_scope('fw') as fw_scope:
            output_fw, state_fw = dynamic_rnn(cell=cell_fw, inputs=inputs, scope=fw_scope,
                                              initial_state=initial_state_fw, **common)
        with vs.variable_scope('bw') as bw_scope:
            reversed_inputs = nest.map_structure(reverse, inputs)
            tmp, state_bw = dynamic_rnn(cell=cell_bw, inputs=reversed_inputs, scope=bw_scope,
                                        initial_state=initial_state_bw, **common)
    output_bw = nest.map_structure(reverse, tmp)
    return (output_fw, output_bw), (state_fw, state_bw)


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    """A loop whose inputs, states and ends loop_fn says: (array of what was emitted, last state,
    last loop state)."""
    rnn_cell_impl.assert_like_rnncell('cell', cell)
    if not callable(loop_fn):
        raise TypeError('loop_fn must be a callable')
    with vs.variable_scope(scope or 'rnn') as varscope:
        _cache_here(varscope)
        time = constant_op.constant(0, dtype=dtypes.int32)
        finished, next_input, state, emit_structure, init_loop_state = loop_fn(time, None, None,
                                                                               None)
        loop_state = (init_loop_state if init_loop_state is not None
                      else constant_op.constant(0, dtype=dtypes.int32))
        flat_input = nest.flatten(next_input)
        static_batch = tensor_shape.Dimension(None)
        for value in flat_input:
            static_batch = static_batch.merge_with(
                tensor_shape.dimension_at_index(value.get_shape(), 0))
        const_batch = static_batch.value
        batch_size = array_ops.shape(flat_input[0])[0] if const_batch is None else const_batch
        nest.assert_same_structure(state, cell.state_size)
        flat_state = [ops.convert_to_tensor(s) if not hasattr(s, '_flow_of_array') else s
                      for s in nest.flatten(state)]
        state = nest.pack_sequence_as(structure=state, flat_sequence=flat_state)
        emit_ta, zero_emit = _emitted(cell, emit_structure, flat_state, const_batch, batch_size)
        body = _raw_body(cell, loop_fn, zero_emit)
        returned = control_flow_ops.while_loop(
            lambda unused_time, finished, *_: math_ops.logical_not(math_ops.reduce_all(finished)),
            body, loop_vars=[time, finished, next_input, emit_ta, state, loop_state],
            parallel_iterations=parallel_iterations or 32, swap_memory=swap_memory)
        emit_ta, final_state, final_loop_state = returned[-3:]
        return emit_ta, final_state, None if init_loop_state is None else final_loop_state


def _emitted(cell, emit_structure, flat_state, const_batch, batch_size):
    """Arrays for what is emitted, and zeros of it."""
    if emit_structure is not None:
        flat = [ops.convert_to_tensor(value) for value in nest.flatten(emit_structure)]
        sizes = [value.shape if value.shape.is_fully_defined() else array_ops.shape(value)
                 for value in flat]
        types = [value.dtype for value in flat]
    else:
        emit_structure = cell.output_size
        sizes = nest.flatten(emit_structure)
        types = [flat_state[0].dtype] * len(sizes)
    arrays = [tensor_array_ops.TensorArray(
        dtype=t, dynamic_size=True, size=0, name='rnn_output_%d' % i,
        element_shape=tensor_shape.TensorShape([const_batch]).concatenate(
            _maybe_tensor_shape_from_tensor(size)))
        for i, (t, size) in enumerate(zip(types, sizes))]
    zeros = [array_ops.zeros(_concat(batch_size, size), t) for size, t in zip(sizes, types)]
    return (nest.pack_sequence_as(structure=emit_structure, flat_sequence=arrays),
            nest.pack_sequence_as(structure=emit_structure, flat_sequence=zeros))


def _raw_body(cell, loop_fn, zero_emit):
    def body(time, finished, current_input, emit_ta, state, loop_state):
        next_output, cell_state = cell(current_input, state)
        nest.assert_same_structure(state, cell_state)
        nest.assert_same_structure(cell.output_size, next_output)
        next_time = time + 1
        next_finished, next_input, next_state, emit_output, next_loop_state = loop_fn(
            next_time, next_output, cell_state, loop_state)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(current_input, next_input)
        nest.assert_same_structure(emit_ta, emit_output)
        if next_loop_state is None:
            next_loop_state = loop_state

        def copy_some(current, candidate):
            return nest.map_structure(lambda old, new: _choose(finished, old, new), current,
                                      candidate)
        emit_output = copy_some(zero_emit, emit_output)
        next_state = copy_some(state, next_state)
        emit_ta = nest.map_structure(lambda ta, emit: ta.write(time, emit), emit_ta, emit_output)
        return (next_time, math_ops.logical_or(finished, next_finished), next_input, emit_ta,
                next_state, next_loop_state)
    return body


# ---- unrolled ----

def _static_batch_size(inputs):
    """The Dimension that the steps' first dims agree on."""
    first = inputs
    while nest.is_sequence(first):
        first = first[0]
    if first.get_shape().ndims == 1:
        return first, first.get_shape().with_rank_at_least(1).dims[0]
    fixed = first.get_shape().with_rank_at_least(2).dims[0]
    for value in nest.flatten(inputs):
        shape = value.get_shape().with_rank_at_least(2)
        fixed = fixed.merge_with(tensor_shape.dimension_at_index(shape, 0))
        for i, size in enumerate(shape[1:].dims):
            if tensor_shape.dimension_value(size) is None:
                raise ValueError('Input size (dimension %d of inputs) must be accessible via shape '
                                 'inference, but saw value None.' % i)
    return first, fixed


@deprecation.deprecated(None, 'Please use `keras.layers.RNN(cell, unroll=True)`, which is '
                              'equivalent to this API')
def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """(list of outputs, last state) of the cell over the list of inputs."""
    rnn_cell_impl.assert_like_rnncell('cell', cell)
    if not nest.is_sequence(inputs):
        raise TypeError('inputs must be a sequence')
    if not inputs:
        raise ValueError('inputs must not be empty')
    outputs = []
    with vs.variable_scope(scope or 'rnn') as varscope:
        _cache_here(varscope)
        first, fixed = _static_batch_size(inputs)
        static = tensor_shape.dimension_value(fixed)
        batch_size = static if static else array_ops.shape(first)[0]
        state = _first_state(cell, initial_state, batch_size, dtype,
                             'If no initial_state is provided, dtype must be specified')
        if sequence_length is not None:
            sequence_length = ops.convert_to_tensor(sequence_length, name='sequence_length')
            if sequence_length.get_shape().ndims not in (None, 1):
                raise ValueError('sequence_length must be a vector of length batch_size')
            zero_output = _zero_outputs(cell, batch_size, static, _infer_state_dtype(dtype, state))
            sequence_length = math_ops.cast(sequence_length, dtypes.int32)
            min_length = math_ops.reduce_min(sequence_length)
            max_length = math_ops.reduce_max(sequence_length)
        for time, value in enumerate(inputs):
            if time > 0:
                varscope.reuse_variables()
            if sequence_length is None:
                output, state = cell(value, state)
            else:
                output, state = _rnn_step(
                    time=time, sequence_length=sequence_length, min_sequence_length=min_length,
                    max_sequence_length=max_length, zero_output=zero_output, state=state,
                    call_cell=lambda: cell(value, state), state_size=cell.state_size)
            outputs.append(output)
        return outputs, state


def _zero_outputs(cell, batch_size, static, dtype):
    def zeros(size):
        out = array_ops.zeros(array_ops.stack(_concat(batch_size, size)), dtype)
        out.set_shape(tensor_shape.TensorShape(_concat(static, size, static=True)))
        return out
    flat = tuple(zeros(size) for size in nest.flatten(cell.output_size))
    return nest.pack_sequence_as(structure=cell.output_size, flat_sequence=flat)


@deprecation.deprecated(None, 'Please use `keras.layers.RNN(cell, stateful=True)`, which is '
                              'equivalent to this API')
def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None,
                            scope=None):
    """static_rnn that begins with a saved state, and saves its last one."""
    state_size = cell.state_size
    is_tuple = nest.is_sequence(state_size)
    if is_tuple != nest.is_sequence(state_name):
        raise ValueError('state_name should be the same type as cell.state_size.  state_name: %s, '
                         'cell.state_size: %s' % (str(state_name), str(state_size)))
    names = nest.flatten(state_name)
    if is_tuple and len(names) != len(nest.flatten(state_size)):
        raise ValueError('#elems(state_name) != #elems(state_size): %d vs. %d'
                         % (len(names), len(nest.flatten(state_size))))
    initial = [state_saver.state(name) for name in names]
    initial_state = (nest.pack_sequence_as(structure=state_size, flat_sequence=initial)
                     if is_tuple else initial[0])
    outputs, state = static_rnn(cell, inputs, initial_state=initial_state,
                                sequence_length=sequence_length, scope=scope)
    flat = nest.flatten(state)
    saved = [state_saver.save_state(name, part) for name, part in zip(names, flat)]
    with ops.control_dependencies(saved):
        last = [array_ops.identity(output) for output in nest.flatten(outputs[-1])]
        outputs[-1] = nest.pack_sequence_as(structure=outputs[-1], flat_sequence=last)
        flat = [array_ops.identity(part) for part in flat]
    return outputs, nest.pack_sequence_as(structure=state, flat_sequence=flat)


def _reverse_seq(input_seq, lengths):
    """The list of steps backwards, each row from its own end."""
    if lengths is None:
        return list(reversed(input_seq))
    flat_seq = tuple(nest.flatten(value) for value in input_seq)
    flat_results = [[] for _ in input_seq]
    for sequence in zip(*flat_seq):
        shape = tensor_shape.unknown_shape(rank=sequence[0].get_shape().ndims)
        for value in sequence:
            shape = shape.merge_with(value.get_shape())
            value.set_shape(shape)
        joined = array_ops.stack(sequence)
        backwards = array_ops.unstack(array_ops.reverse_sequence(joined, lengths, 0, 1))
        for r, flat_result in zip(backwards, flat_results):
            r.set_shape(shape)
            flat_result.append(r)
    return [nest.pack_sequence_as(structure=value, flat_sequence=flat_result)
            for value, flat_result in zip(input_seq, flat_results)]


@deprecation.deprecated(None, 'Please use `keras.layers.Bidirectional(keras.layers.RNN(cell, '
                              'unroll=True))`, which is equivalent to this API')
def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None,
                             initial_state_bw=None, dtype=None, sequence_length=None, scope=None):
    """(list of outputs of both side by side, last state forward, backward)."""
    rnn_cell_impl.assert_like_rnncell('cell_fw', cell_fw)
    rnn_cell_impl.assert_like_rnncell('cell_bw', cell_bw)
    if not nest.is_sequence(inputs):
        raise TypeError('inputs must be a sequence')
    if not inputs:
        raise ValueError('inputs must not be empty')
    with vs.variable_scope(scope or 'bidirectional_rnn'):
        with vs.variable_scope('fw') as fw_scope:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype,
                                             sequence_length, scope=fw_scope)
        with vs.variable_scope('bw') as bw_scope:
            tmp, state_bw = static_rnn(cell_bw, _reverse_seq(inputs, sequence_length),
                                       initial_state_bw, dtype, sequence_length, scope=bw_scope)
    output_bw = _reverse_seq(tmp, sequence_length)
    flat = tuple(array_ops.concat([fw, bw], 1)
                 for fw, bw in zip(nest.flatten(output_fw), nest.flatten(output_bw)))
    return nest.pack_sequence_as(structure=output_fw, flat_sequence=flat), state_fw, state_bw
