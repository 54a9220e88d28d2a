# SPDX-License-Identifier: Apache-2.0
"""Decoders that look at what the encoder said, unrolled (Vinyals et al. 2014)."""
import copy

from leat.contrib.rnn.python.ops import core_rnn_cell
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn
from leat.python.ops import variable_scope
from leat.python.util import nest

Linear = core_rnn_cell._Linear


class _Heads(object):
    """The heads that look at the states, which are [batch, length, size]."""

    def __init__(self, states, num_heads, dtype):
        self._size = states.get_shape().dims[2].value
        self._length = states.get_shape().dims[1].value
        if self._length is None:
            self._length = array_ops.shape(states)[1]
        self._dtype = dtype
        self._hidden = array_ops.reshape(states, [-1, self._length, 1, self._size])
        self._features, self._v = [], []
        for a in range(num_heads):
            k = variable_scope.get_variable('AttnW_%d' % a, [1, 1, self._size, self._size],
                                            dtype=dtype)
            self._features.append(nn_ops.conv2d(self._hidden, k, [1, 1, 1, 1], 'SAME'))
            self._v.append(variable_scope.get_variable('AttnV_%d' % a, [self._size],
                                                       dtype=dtype))

    def zeros(self, batch):
        """What the heads saw before the first step."""
        shape = array_ops.stack([batch, self._size])
        seen = [array_ops.zeros(shape, dtype=self._dtype) for _ in self._v]
        for value in seen:
            value.set_shape([None, self._size])
        return seen

    def look(self, query):
        if nest.is_sequence(query):
            parts = nest.flatten(query)
            if any(q.get_shape().ndims not in (None, 2) for q in parts):
                raise AssertionError('the states of an attention decoder have rank 2')
            query = array_ops.concat(parts, 1)
        return [self._look(a, query) for a in range(len(self._v))]

    def _look(self, a, query):
        with variable_scope.variable_scope('Attention_%d' % a):
            y = Linear(query, self._size, True)(query)
            y = math_ops.cast(array_ops.reshape(y, [-1, 1, 1, self._size]), self._dtype)
            s = math_ops.reduce_sum(self._v[a] * math_ops.tanh(self._features[a] + y), [2, 3])
            weights = nn_ops.softmax(math_ops.cast(s, dtype=dtypes.float32))
            weights = math_ops.cast(weights, self._dtype)
            d = math_ops.reduce_sum(
                array_ops.reshape(weights, [-1, self._length, 1, 1]) * self._hidden, [1, 2])
            return array_ops.reshape(d, [-1, self._size])


def _cast_linear(values, size, dtype):
    values = [math_ops.cast(value, dtype) for value in values]
    return Linear(values, size, True)(values)


def attention_decoder(decoder_inputs, initial_state, attention_states, cell, output_size=None,
                      num_heads=1, loop_function=None, dtype=None, scope=None,
                      initial_state_attention=False):
    """(outputs, last state) of a cell that sees each input and what its heads see."""
    if not decoder_inputs:
        raise ValueError('Must provide at least 1 input to attention decoder.')
    if num_heads < 1:
        raise ValueError('With less than 1 heads, use a non-attention decoder.')
    if attention_states.get_shape().dims[2].value is None:
        raise ValueError('Shape[2] of attention_states must be known: %s'
                         % attention_states.get_shape())
    if output_size is None:
        output_size = cell.output_size
    with variable_scope.variable_scope(scope or 'attention_decoder', dtype=dtype) as scope:
        dtype = scope.dtype
        batch = array_ops.shape(decoder_inputs[0])[0]
        heads = _Heads(attention_states, num_heads, dtype)
        state, outputs, prev = initial_state, [], None
        attns = heads.zeros(batch)
        if initial_state_attention:
            attns = heads.look(initial_state)
        for i, inp in enumerate(decoder_inputs):
            if i > 0:
                variable_scope.get_variable_scope().reuse_variables()
            if loop_function is not None and prev is not None:
                with variable_scope.variable_scope('loop_function', reuse=True):
                    inp = loop_function(prev, i)
            input_size = inp.get_shape().with_rank(2).dims[1]
            if input_size.value is None:
                raise ValueError('Could not infer input size from input: %s' % inp.name)
            x = _cast_linear([inp] + attns, input_size, dtype)
            cell_output, state = cell(x, state)
            if i == 0 and initial_state_attention:
                with variable_scope.variable_scope(variable_scope.get_variable_scope(),
                                                   reuse=True):
                    attns = heads.look(state)
            else:
                attns = heads.look(state)
            with variable_scope.variable_scope('AttnOutputProjection'):
                cell_output = math_ops.cast(cell_output, dtype)
                values = [cell_output] + attns
                output = Linear(values, output_size, True)(values)
            if loop_function is not None:
                prev = output
            outputs.append(output)
    return outputs, state


def embedding_attention_decoder(decoder_inputs, initial_state, attention_states, cell,
                                num_symbols, embedding_size, num_heads=1, output_size=None,
                                output_projection=None, feed_previous=False,
                                update_embedding_for_previous=True, dtype=None, scope=None,
                                initial_state_attention=False):
    """attention_decoder of ids."""
    from leat.contrib.legacy_seq2seq.python.ops import seq2seq
    if output_size is None:
        output_size = cell.output_size
    if output_projection is not None:
        biases = ops.convert_to_tensor(output_projection[1], dtype=dtype)
        biases.get_shape().assert_is_compatible_with([num_symbols])
    with variable_scope.variable_scope(scope or 'embedding_attention_decoder',
                                       dtype=dtype) as scope:
        embedding = variable_scope.get_variable('embedding', [num_symbols, embedding_size])
        loop_function = seq2seq._extract_argmax_and_embed(
            embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        inputs = [embedding_ops.embedding_lookup(embedding, i) for i in decoder_inputs]
        return attention_decoder(inputs, initial_state, attention_states, cell,
                                 output_size=output_size, num_heads=num_heads,
                                 loop_function=loop_function,
                                 initial_state_attention=initial_state_attention)


def embedding_attention_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols,
                                num_decoder_symbols, embedding_size, num_heads=1,
                                output_projection=None, feed_previous=False, dtype=None,
                                scope=None, initial_state_attention=False):
    """Ids to ids: the decoder looks at the encoder's outputs; feed_previous may be a tensor."""
    from leat.contrib.legacy_seq2seq.python.ops import seq2seq
    with variable_scope.variable_scope(scope or 'embedding_attention_seq2seq',
                                       dtype=dtype) as scope:
        dtype = scope.dtype
        encoder_cell = core_rnn_cell.EmbeddingWrapper(
            copy.deepcopy(cell), embedding_classes=num_encoder_symbols,
            embedding_size=embedding_size)
        outputs, encoder_state = rnn.static_rnn(encoder_cell, encoder_inputs, dtype=dtype)
        attention_states = array_ops.concat(
            [array_ops.reshape(e, [-1, 1, cell.output_size]) for e in outputs], 1)
        output_size = None
        if output_projection is None:
            cell = core_rnn_cell.OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decoder(feed, update=True):
            return embedding_attention_decoder(
                decoder_inputs, encoder_state, attention_states, cell, num_decoder_symbols,
                embedding_size, num_heads=num_heads, output_size=output_size,
                output_projection=output_projection, feed_previous=feed,
                update_embedding_for_previous=update,
                initial_state_attention=initial_state_attention)
        if isinstance(feed_previous, bool):
            return decoder(feed_previous)
        return seq2seq._fed_or_not(lambda feed: decoder(feed, False), feed_previous,
                                   len(decoder_inputs), encoder_state)


def one2many_rnn_seq2seq(encoder_inputs, decoder_inputs_dict, enc_cell, dec_cells_dict,
                         num_encoder_symbols, num_decoder_symbols_dict, embedding_size,
                         feed_previous=False, dtype=None, scope=None):
    """({name: outputs}, {name: last state}) of a decoder for each name."""
    from leat.contrib.legacy_seq2seq.python.ops import seq2seq
    outputs_dict, state_dict = {}, {}
    with variable_scope.variable_scope(scope or 'one2many_rnn_seq2seq', dtype=dtype) as scope:
        enc_cell = core_rnn_cell.EmbeddingWrapper(
            enc_cell, embedding_classes=num_encoder_symbols, embedding_size=embedding_size)
        _, encoder_state = rnn.static_rnn(enc_cell, encoder_inputs, dtype=scope.dtype)
        for name, decoder_inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with variable_scope.variable_scope('one2many_decoder_' + str(name)):
                cell = core_rnn_cell.OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decoder(feed, **options):
                    return seq2seq.embedding_rnn_decoder(
                        decoder_inputs, encoder_state, cell, symbols, embedding_size,
                        feed_previous=feed, **options)
                if isinstance(feed_previous, bool):
                    made = decoder(feed_previous)
                else:
                    made = seq2seq._fed_or_not(decoder, feed_previous, len(decoder_inputs),
                                               encoder_state)
            outputs_dict[name], state_dict[name] = made
    return outputs_dict, state_dict
