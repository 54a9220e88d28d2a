# SPDX-License-Identifier: Apache-2.0
"""Beam search: the beam_width best continuations of each sequence, kept at every step.

Alignment histories stay in the order of the steps, not of the final beams."""
import collections

import numpy as np

from leat.contrib.seq2seq.ops import gen_beam_search_ops
from leat.contrib.seq2seq.python.ops import decoder
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.layers import base as layers_base
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn_cell_impl
from leat.python.ops import tensor_array_ops
from leat.python.util import nest

__all__ = ['BeamSearchDecoderOutput', 'BeamSearchDecoderState', 'BeamSearchDecoder',
           'FinalBeamSearchDecoderOutput', 'tile_batch']


class BeamSearchDecoderState(collections.namedtuple(
        'BeamSearchDecoderState', ('cell_state', 'log_probs', 'finished', 'lengths',
                                   'accumulated_attention_probs'))):
    """What is known of each beam."""


class BeamSearchDecoderOutput(collections.namedtuple(
        'BeamSearchDecoderOutput', ('scores', 'predicted_ids', 'parent_ids'))):
    """A step: the beams' scores, their new ids, and which beams they continue."""


class FinalBeamSearchDecoderOutput(collections.namedtuple(
        'FinalBeamDecoderOutput', ('predicted_ids', 'beam_search_decoder_output'))):
    """All steps: the beams' ids, the best beam first, and the steps' outputs."""


def tile_batch(t, multiplier, name=None):
    """Each entry of the batch multiplier times, one after the other."""
    def tile(x):
        x = ops.convert_to_tensor(x, name='t')
        shape = array_ops.shape(x)
        if x.shape.ndims is None:
            raise ValueError('t must have statically known rank')
        known = tensor_shape.dimension_value(x.shape[0]) if x.shape.ndims else None
        tiling = [1, multiplier] + [1] * (x.shape.ndims - 1)
        tiled = array_ops.tile(array_ops.expand_dims(x, 1), tiling)
        tiled = array_ops.reshape(tiled, array_ops.concat(
            ([shape[0] * multiplier], shape[1:]), 0))
        tiled.set_shape(tensor_shape.TensorShape(
            [known * multiplier if known is not None and isinstance(multiplier, int) else None])
            .concatenate(x.shape[1:]))
        return tiled
    with ops.name_scope(name, 'tile_batch', nest.flatten(t) + [multiplier]):
        return nest.map_structure(tile, t)


def _gathered(x, beam_ids, batch_size, width):
    """What the beams of those ids have: x is [batch, beam, ...]."""
    rows = array_ops.tile(array_ops.expand_dims(math_ops.range(batch_size), 1), [1, width])
    result = array_ops.gather_nd(x, array_ops.stack([rows, beam_ids], axis=-1))
    result.set_shape(x.get_shape())
    return result


class BeamSearchDecoder(decoder.Decoder):
    """Initial states are those of tile_batch(state, beam_width)."""

    def __init__(self, cell, embedding, start_tokens, end_token, initial_state, beam_width,
                 output_layer=None, length_penalty_weight=0.0, coverage_penalty_weight=0.0,
                 reorder_tensor_arrays=True):
        rnn_cell_impl.assert_like_rnncell('cell', cell)
        if output_layer is not None and not isinstance(output_layer, layers_base.Layer):
            raise TypeError('output_layer must be a Layer, received: %s' % type(output_layer))
        if coverage_penalty_weight:
            raise NotImplementedError('coverage_penalty_weight is not there yet')
        del reorder_tensor_arrays
        self._cell, self._output_layer = cell, output_layer
        self._embedding_fn = embedding if callable(embedding) else (
            lambda ids: embedding_ops.embedding_lookup(embedding, ids))
        self._start_tokens = ops.convert_to_tensor(start_tokens, dtype=dtypes.int32,
                                                   name='start_tokens')
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError('start_tokens must be a vector')
        self._end_token = ops.convert_to_tensor(end_token, dtype=dtypes.int32, name='end_token')
        if self._end_token.get_shape().ndims != 0:
            raise ValueError('end_token must be a scalar')
        self._batch_size = array_ops.size(start_tokens)
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._initial_cell_state = nest.map_structure(self._split, initial_state)
        self._start_tokens = array_ops.tile(array_ops.expand_dims(self._start_tokens, 1),
                                            [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        self._finished = array_ops.one_hot(
            array_ops.zeros([self._batch_size], dtype=dtypes.int32), depth=beam_width,
            on_value=False, off_value=True, dtype=dtypes.bool)

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def tracks_own_finished(self):
        return True

    def _rnn_output_size(self):
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        return nest.map_structure(lambda s: self._output_layer.compute_output_shape(
            tensor_shape.TensorShape([None]).concatenate(s))[1:], size)

    @property
    def output_size(self):
        shape = tensor_shape.TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(scores=shape, predicted_ids=shape, parent_ids=shape)

    @property
    def output_dtype(self):
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        return BeamSearchDecoderOutput(
            scores=nest.map_structure(lambda _: dtype, self._rnn_output_size()),
            predicted_ids=dtypes.int32, parent_ids=dtypes.int32)

    # ---- [batch, beam, ...] and [batch * beam, ...] ----

    def _static_batch(self):
        return tensor_util.constant_value(self._batch_size)

    def _split(self, t):
        """[batch * beam, ...] as [batch, beam, ...]; scalars and arrays of tensors stay."""
        if isinstance(t, tensor_array_ops.TensorArray) or t.shape.ndims == 0:
            return t
        if t.shape.ndims is None:
            raise ValueError('Expected tensor (%s) to have known rank, but ndims == None.' % t)
        shape = array_ops.shape(t)
        result = array_ops.reshape(t, array_ops.concat(
            ([self._batch_size, self._beam_width], shape[1:]), 0))
        result.set_shape(tensor_shape.TensorShape(
            [self._static_batch(), self._beam_width]).concatenate(t.shape[1:]))
        return result

    def _merge(self, t):
        if isinstance(t, tensor_array_ops.TensorArray) or t.shape.ndims == 0:
            return t
        shape = array_ops.shape(t)
        result = array_ops.reshape(t, array_ops.concat(
            ([self._batch_size * self._beam_width], shape[2:]), 0))
        batch = self._static_batch()
        result.set_shape(tensor_shape.TensorShape(
            [None if batch is None else batch * self._beam_width]).concatenate(t.shape[2:]))
        return result

    # ---- the decoder ----

    def initialize(self, name=None):
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        log_probs = array_ops.one_hot(
            array_ops.zeros([self._batch_size], dtype=dtypes.int32), depth=self._beam_width,
            on_value=ops.convert_to_tensor(0.0, dtype=dtype),
            off_value=ops.convert_to_tensor(-np.inf, dtype=dtype), dtype=dtype)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state, log_probs=log_probs, finished=self._finished,
            lengths=array_ops.zeros([self._batch_size, self._beam_width], dtype=dtypes.int64),
            accumulated_attention_probs=())
        return self._finished, self._start_inputs, state

    def finalize(self, outputs, final_state, sequence_lengths):
        del sequence_lengths  # of steps; the beams' own lengths follow their parents
        lengths = math_ops.cast(math_ops.reduce_max(final_state.lengths, axis=1), dtypes.int32)
        predicted_ids = gen_beam_search_ops.gather_tree(
            outputs.predicted_ids, outputs.parent_ids, max_sequence_lengths=lengths,
            end_token=self._end_token)
        return FinalBeamSearchDecoderOutput(
            beam_search_decoder_output=outputs, predicted_ids=predicted_ids), final_state

    def step(self, time, inputs, state, name=None):
        with ops.name_scope(name, 'BeamSearchDecoderStep', (time, inputs, state)):
            inputs = nest.map_structure(self._merge, inputs)
            cell_state = nest.map_structure(self._merge, state.cell_state)
            cell_outputs, next_cell_state = self._cell(inputs, cell_state)
            if self._output_layer is not None:
                cell_outputs = self._output_layer(cell_outputs)
            logits = nest.map_structure(self._split, cell_outputs)
            next_cell_state = nest.map_structure(self._split, next_cell_state)
            output, next_state = self._search(logits, next_cell_state, state)
            ids = output.predicted_ids
            next_inputs = control_flow_ops.cond(
                math_ops.reduce_all(next_state.finished), lambda: self._start_inputs,
                lambda: self._embedding_fn(ids))
        return output, next_state, next_inputs, next_state.finished

    def _search(self, logits, next_cell_state, state):
        """The best continuations of all beams together."""
        vocabulary = (tensor_shape.dimension_value(logits.shape[-1]) or
                      array_ops.shape(logits)[-1])
        width, end = self._beam_width, self._end_token
        # A beam that has ended goes on with end_token only, at no cost.
        ended = array_ops.one_hot(
            end, vocabulary, dtype=logits.dtype, off_value=logits.dtype.min,
            on_value=ops.convert_to_tensor(0., dtype=logits.dtype))
        finished = array_ops.expand_dims(state.finished, 2)
        step_log_probs = array_ops.where_v2(finished, ended, nn_ops.log_softmax(logits))
        total = array_ops.expand_dims(state.log_probs, 2) + step_log_probs
        more = array_ops.one_hot(end, vocabulary, on_value=np.int64(0), off_value=np.int64(1),
                                 dtype=dtypes.int64)
        more = more * math_ops.cast(math_ops.logical_not(finished), dtypes.int64)
        lengths = more + array_ops.expand_dims(state.lengths, 2)
        scores = total / self._length_penalty(lengths, total.dtype)
        flat_shape = [self._batch_size, width * vocabulary]
        best_scores, places = nn_ops.top_k(array_ops.reshape(scores, flat_shape), k=width)
        best_scores.set_shape([self._static_batch(), width])
        places.set_shape([self._static_batch(), width])
        word_ids = math_ops.floormod(places, vocabulary, name='next_beam_word_ids')
        beam_ids = math_ops.floordiv(places, vocabulary, name='next_beam_parent_ids')

        def gathered(x):
            if isinstance(x, tensor_array_ops.TensorArray) or x.shape.ndims == 0:
                return x
            return _gathered(x, beam_ids, self._batch_size, width)
        flat_total = array_ops.reshape(total, flat_shape)
        rows = array_ops.tile(array_ops.expand_dims(math_ops.range(self._batch_size), 1),
                              [1, width])
        log_probs = array_ops.gather_nd(flat_total, array_ops.stack([rows, places], axis=-1))
        was_finished = gathered(state.finished)
        next_state = BeamSearchDecoderState(
            cell_state=nest.map_structure(gathered, next_cell_state), log_probs=log_probs,
            lengths=gathered(state.lengths) + math_ops.cast(
                math_ops.logical_not(was_finished), dtypes.int64),
            finished=math_ops.logical_or(was_finished, math_ops.equal(word_ids, end),
                                         name='next_beam_finished'),
            accumulated_attention_probs=state.accumulated_attention_probs)
        output = BeamSearchDecoderOutput(scores=best_scores, predicted_ids=word_ids,
                                         parent_ids=beam_ids)
        return output, next_state

    def _length_penalty(self, lengths, dtype):
        """((5 + length) / 6)^weight"""
        weight = ops.convert_to_tensor(self._length_penalty_weight, name='penalty_factor')
        known = tensor_util.constant_value(weight)
        if known is not None and known == 0:
            return ops.convert_to_tensor(1., dtype=dtype)
        return math_ops.cast(((5. + math_ops.cast(lengths, dtypes.float32)) /
                              (5. + 1.)) ** weight, dtype)
