# SPDX-License-Identifier: Apache-2.0
"""dynamic_decode: steps of a decoder until all of the batch are finished."""
import abc

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import control_flow_util
from leat.python.ops import math_ops
from leat.python.ops import rnn
from leat.python.ops import tensor_array_ops
from leat.python.ops import variable_scope
from leat.python.util import nest

__all__ = ['Decoder', 'dynamic_decode']
_transpose_batch_time = rnn._transpose_batch_time


class Decoder(metaclass=abc.ABCMeta):
    """What dynamic_decode asks of a decoder."""

    @property
    def batch_size(self):
        raise NotImplementedError

    @property
    def output_size(self):
        raise NotImplementedError

    @property
    def output_dtype(self):
        raise NotImplementedError

    @abc.abstractmethod
    def initialize(self, name=None):
        """(finished, first inputs, first state)"""
        raise NotImplementedError

    @abc.abstractmethod
    def step(self, time, inputs, state, name=None):
        """(outputs, next state, next inputs, finished)"""
        raise NotImplementedError

    def finalize(self, outputs, final_state, sequence_lengths):
        raise NotImplementedError

    @property
    def tracks_own_finished(self):
        return False


def _zero_state_tensors(size, batch_size, dtype):
    batch = tensor_util.constant_value(ops.convert_to_tensor(batch_size))
    shape = tensor_shape.TensorShape(size).as_list()
    zeros = array_ops.zeros(array_ops.stack([batch_size] + shape) if batch is None
                            else [int(batch)] + shape, dtype=dtype)
    zeros.set_shape([None if batch is None else int(batch)] + shape)
    return zeros


def _create_zero_outputs(size, dtype, batch_size):
    """Zeros in the structure of the outputs."""
    return nest.map_structure(
        lambda s, d: _zero_state_tensors(s, batch_size, dtypes.as_dtype(d)), size, dtype)


class _Loop(object):
    """The condition and the body of the loop."""

    def __init__(self, decoder, zero_outputs, impute_finished):
        self._decoder, self._zero_outputs = decoder, zero_outputs
        self._impute_finished = impute_finished

    @staticmethod
    def condition(unused_time, unused_outputs_ta, unused_state, unused_inputs, finished,
                  unused_sequence_lengths):
        return math_ops.logical_not(math_ops.reduce_all(finished))

    def body(self, time, outputs_ta, state, inputs, finished, sequence_lengths):
        decoder = self._decoder
        next_outputs, decoder_state, next_inputs, decoder_finished = decoder.step(time, inputs,
                                                                                  state)
        if decoder.tracks_own_finished:
            next_finished = decoder_finished
        else:
            next_finished = math_ops.logical_or(decoder_finished, finished)
        next_lengths = array_ops.where(
            math_ops.logical_not(finished),
            array_ops.fill(array_ops.shape(sequence_lengths), time + 1), sequence_lengths)
        nest.assert_same_structure(state, decoder_state)
        nest.assert_same_structure(outputs_ta, next_outputs)
        nest.assert_same_structure(inputs, next_inputs)
        emit, next_state = next_outputs, decoder_state
        if self._impute_finished:
            emit = nest.map_structure(lambda out, zero: array_ops.where(finished, zero, out),
                                      next_outputs, self._zero_outputs)

            def maybe_copy_state(new, cur):
                if isinstance(cur, tensor_array_ops.TensorArray):
                    return new
                new.set_shape(cur.get_shape())
                if new.get_shape().ndims == 0:
                    return new
                return array_ops.where(finished, cur, new)
            next_state = nest.map_structure(maybe_copy_state, decoder_state, state)
        outputs_ta = nest.map_structure(lambda ta, out: ta.write(time, out), outputs_ta, emit)
        return time + 1, outputs_ta, next_state, next_inputs, next_finished, next_lengths


def dynamic_decode(decoder, output_time_major=False, impute_finished=False,
                   maximum_iterations=None, parallel_iterations=32, swap_memory=False,
                   scope=None, **kwargs):
    """(outputs, the last state, the length of each sequence)"""
    del kwargs
    if not isinstance(decoder, Decoder):
        raise TypeError('Expected decoder to be type Decoder, but saw: %s' % type(decoder))
    with variable_scope.variable_scope(scope, 'decoder') as varscope:
        context = ops.get_default_graph()._get_control_flow_context()
        if varscope.caching_device is None and not control_flow_util.GetContainingWhileContext(
                context):
            varscope.set_caching_device(lambda op: op.device)
        if maximum_iterations is not None:
            maximum_iterations = ops.convert_to_tensor(
                maximum_iterations, dtype=dtypes.int32, name='maximum_iterations')
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError('maximum_iterations must be a scalar')
        finished, inputs, state = decoder.initialize()
        zero_outputs = _create_zero_outputs(decoder.output_size, decoder.output_dtype,
                                            decoder.batch_size)
        if maximum_iterations is not None:
            finished = math_ops.logical_or(finished, 0 >= maximum_iterations)
        lengths = array_ops.zeros_like(finished, dtype=dtypes.int32)
        time = constant_op.constant(0, dtype=dtypes.int32)
        batch = tensor_util.constant_value(ops.convert_to_tensor(decoder.batch_size,
                                                                 name='batch_size'))

        def create_ta(s, d):
            shape = tensor_shape.TensorShape([batch]).concatenate(tensor_shape.TensorShape(s))
            return tensor_array_ops.TensorArray(dtype=d, size=0, dynamic_size=True,
                                                element_shape=shape)
        outputs_ta = nest.map_structure(create_ta, decoder.output_size, decoder.output_dtype)
        loop = _Loop(decoder, zero_outputs, impute_finished)
        _, outputs_ta, final_state, _, _, final_lengths = control_flow_ops.while_loop(
            loop.condition, loop.body,
            loop_vars=(time, outputs_ta, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations, maximum_iterations=maximum_iterations,
            swap_memory=swap_memory)
        final_outputs = nest.map_structure(lambda ta: ta.stack(), outputs_ta)
        try:
            final_outputs, final_state = decoder.finalize(final_outputs, final_state,
                                                          final_lengths)
        except NotImplementedError:
            pass
        if not output_time_major:
            final_outputs = nest.map_structure(_transpose_batch_time, final_outputs)
    return final_outputs, final_state, final_lengths
