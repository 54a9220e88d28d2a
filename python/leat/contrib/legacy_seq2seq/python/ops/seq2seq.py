# SPDX-License-Identifier: Apache-2.0
"""Sequences to sequences, unrolled: encoders, decoders, losses, buckets; those with attention are
in _attention."""
import copy

from leat.contrib.legacy_seq2seq.python.ops._attention import (  # noqa: F401
    Linear, attention_decoder, embedding_attention_decoder, embedding_attention_seq2seq,
    one2many_rnn_seq2seq)
from leat.contrib.rnn.python.ops import core_rnn_cell
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn
from leat.python.ops import variable_scope
from leat.python.util import nest


def _extract_argmax_and_embed(embedding, output_projection=None, update_embedding=True):
    """A loop function that feeds the row of the likeliest symbol."""
    def loop_function(prev, _):
        if output_projection is not None:
            prev = nn_ops.xw_plus_b(prev, output_projection[0], output_projection[1])
        symbol = math_ops.argmax(prev, 1)
        row = embedding_ops.embedding_lookup(embedding, symbol)
        return row if update_embedding else array_ops.stop_gradient(row)
    return loop_function


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """(outputs, last state): each input, but for the first, is loop_function's of the output before
    it where there is one."""
    with variable_scope.variable_scope(scope or 'rnn_decoder'):
        state, outputs, prev = initial_state, [], None
        for i, inp in enumerate(decoder_inputs):
            if loop_function is not None and prev is not None:
                with variable_scope.variable_scope('loop_function', reuse=True):
                    inp = loop_function(prev, i)
            if i > 0:
                variable_scope.get_variable_scope().reuse_variables()
            output, state = cell(inp, state)
            outputs.append(output)
            if loop_function is not None:
                prev = output
    return outputs, state


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=dtypes.float32, scope=None):
    with variable_scope.variable_scope(scope or 'basic_rnn_seq2seq'):
        _, enc_state = rnn.static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, enc_state, cell)


def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None,
                     dtype=dtypes.float32, scope=None):
    """Encoder and decoder share their variables."""
    with variable_scope.variable_scope('combined_tied_rnn_seq2seq'):
        scope = scope or 'tied_rnn_seq2seq'
        _, enc_state = rnn.static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        variable_scope.get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, enc_state, cell, loop_function=loop_function,
                           scope=scope)


def embedding_rnn_decoder(decoder_inputs, initial_state, cell, num_symbols, embedding_size,
                          output_projection=None, feed_previous=False,
                          update_embedding_for_previous=True, scope=None):
    """rnn_decoder of ids."""
    with variable_scope.variable_scope(scope or 'embedding_rnn_decoder') as scope:
        if output_projection is not None:
            weights = ops.convert_to_tensor(output_projection[0], dtype=scope.dtype)
            weights.get_shape().assert_is_compatible_with([None, num_symbols])
            biases = ops.convert_to_tensor(output_projection[1], dtype=scope.dtype)
            biases.get_shape().assert_is_compatible_with([num_symbols])
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size])
        loop_function = _extract_argmax_and_embed(
            embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        inputs = (embedding_ops.embedding_lookup(embedding, i) for i in decoder_inputs)
        return rnn_decoder(inputs, initial_state, cell, loop_function=loop_function)


def _fed_or_not(decoder, feed_previous, num_outputs, encoder_state):
    """(outputs, state) of decoder(True) or decoder(False), which share their variables."""
    def branch(feed):
        with variable_scope.variable_scope(variable_scope.get_variable_scope(),
                                           reuse=None if feed else True):
            outputs, state = decoder(feed)
            return outputs + (nest.flatten(state) if nest.is_sequence(state) else [state])
    both = control_flow_ops.cond(feed_previous, lambda: branch(True), lambda: branch(False))
    states = both[num_outputs:]
    state = states[0]
    if nest.is_sequence(encoder_state):
        state = nest.pack_sequence_as(structure=encoder_state, flat_sequence=states)
    return both[:num_outputs], state


def embedding_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols,
                          num_decoder_symbols, embedding_size, output_projection=None,
                          feed_previous=False, dtype=None, scope=None):
    """basic_rnn_seq2seq of ids; feed_previous may be a tensor."""
    with variable_scope.variable_scope(scope or 'embedding_rnn_seq2seq') as scope:
        if dtype is not None:
            scope.set_dtype(dtype)
        else:
            dtype = scope.dtype
        encoder_cell = core_rnn_cell.EmbeddingWrapper(
            copy.deepcopy(cell), embedding_classes=num_encoder_symbols,
            embedding_size=embedding_size)
        _, encoder_state = rnn.static_rnn(encoder_cell, encoder_inputs, dtype=dtype)
        if output_projection is None:
            cell = core_rnn_cell.OutputProjectionWrapper(cell, num_decoder_symbols)
        if isinstance(feed_previous, bool):
            return embedding_rnn_decoder(
                decoder_inputs, encoder_state, cell, num_decoder_symbols, embedding_size,
                output_projection=output_projection, feed_previous=feed_previous)

        def decoder(feed):
            return embedding_rnn_decoder(
                decoder_inputs, encoder_state, cell, num_decoder_symbols, embedding_size,
                output_projection=output_projection, feed_previous=feed,
                update_embedding_for_previous=False)
        return _fed_or_not(decoder, feed_previous, len(decoder_inputs), encoder_state)


def embedding_tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_symbols, embedding_size,
                               num_decoder_symbols=None, output_projection=None,
                               feed_previous=False, dtype=None, scope=None):
    """The same with one embedding and one net for both."""
    with variable_scope.variable_scope(scope or 'embedding_tied_rnn_seq2seq',
                                       dtype=dtype) as scope:
        dtype = scope.dtype
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size],
                                                dtype=dtype)
        emb_encoder = [embedding_ops.embedding_lookup(embedding, x) for x in encoder_inputs]
        emb_decoder = [embedding_ops.embedding_lookup(embedding, x) for x in decoder_inputs]
        output_symbols = num_symbols if num_decoder_symbols is None else num_decoder_symbols
        if output_projection is None:
            cell = core_rnn_cell.OutputProjectionWrapper(cell, output_symbols)
        if isinstance(feed_previous, bool):
            loop_function = (_extract_argmax_and_embed(embedding, output_projection, True)
                             if feed_previous else None)
            return tied_rnn_seq2seq(emb_encoder, emb_decoder, cell, loop_function=loop_function,
                                    dtype=dtype)

        def decoder(feed):
            loop_function = (_extract_argmax_and_embed(embedding, output_projection, False)
                             if feed else None)
            return tied_rnn_seq2seq(emb_encoder, emb_decoder, cell, loop_function=loop_function,
                                    dtype=dtype)
        zero_state = cell.zero_state(array_ops.shape(encoder_inputs[0])[0], dtype)
        return _fed_or_not(decoder, feed_previous, len(decoder_inputs), zero_state)


def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True,
                             softmax_loss_function=None, name=None):
    """The weighted cross-entropy of each sequence."""
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError('Lengths of logits, weights, and targets must be the same %d, %d, %d.'
                         % (len(logits), len(weights), len(targets)))
    with ops.name_scope(name, 'sequence_loss_by_example', logits + targets + weights):
        log_perps = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                target = array_ops.reshape(target, [-1])
                crossent = nn_ops.sparse_softmax_cross_entropy_with_logits(labels=target,
                                                                           logits=logit)
            else:
                crossent = softmax_loss_function(labels=target, logits=logit)
            log_perps.append(crossent * weight)
        total = math_ops.add_n(log_perps)
        if average_across_timesteps:
            total_size = math_ops.add_n(weights)
            total_size += 1e-12
            total /= total_size
    return total


def sequence_loss(logits, targets, weights, average_across_timesteps=True,
                  average_across_batch=True, softmax_loss_function=None, name=None):
    """The weighted cross-entropy of all of them."""
    with ops.name_scope(name, 'sequence_loss', logits + targets + weights):
        cost = math_ops.reduce_sum(sequence_loss_by_example(
            logits, targets, weights, average_across_timesteps=average_across_timesteps,
            softmax_loss_function=softmax_loss_function))
        if not average_across_batch:
            return cost
        return cost / math_ops.cast(array_ops.shape(targets[0])[0], cost.dtype)


def model_with_buckets(encoder_inputs, decoder_inputs, targets, weights, buckets, seq2seq,
                       softmax_loss_function=None, per_example_loss=False, name=None):
    """(outputs, losses) of a model for each pair of lengths."""
    for what, given, part in (('encoder_inputs', encoder_inputs, 0), ('targets', targets, 1),
                              ('weights', weights, 1)):
        if len(given) < buckets[-1][part]:
            raise ValueError('Length of %s (%d) must be at least that of last bucket (%d).'
                             % (what, len(given), buckets[-1][part]))
    losses, outputs = [], []
    with ops.name_scope(name, 'model_with_buckets',
                        encoder_inputs + decoder_inputs + targets + weights):
        for j, bucket in enumerate(buckets):
            with variable_scope.variable_scope(variable_scope.get_variable_scope(),
                                               reuse=True if j > 0 else None):
                made, _ = seq2seq(encoder_inputs[:bucket[0]], decoder_inputs[:bucket[1]])
                outputs.append(made)
                loss = sequence_loss_by_example if per_example_loss else sequence_loss
                losses.append(loss(outputs[-1], targets[:bucket[1]], weights[:bucket[1]],
                                   softmax_loss_function=softmax_loss_function))
    return outputs, losses
