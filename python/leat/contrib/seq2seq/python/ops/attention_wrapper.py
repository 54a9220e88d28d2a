# SPDX-License-Identifier: Apache-2.0
"""Attention: Bahdanau's and Luong's scores, and a cell that attends to a memory.

Monotonic attention is in monotonic.py.
"""
import collections

import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.layers import base as layers_base
from leat.python.layers import core as layers_core
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn_cell_impl
from leat.python.ops import tensor_array_ops
from leat.python.ops import variable_scope
from leat.python.util import nest

__all__ = ['AttentionMechanism', 'AttentionWrapper', 'AttentionWrapperState', 'LuongAttention',
           'BahdanauAttention', 'hardmax']
_zero_state_tensors = rnn_cell_impl._zero_state_tensors


class AttentionMechanism(object):
    """Scores of a query against a memory."""

    @property
    def alignments_size(self):
        raise NotImplementedError

    @property
    def state_size(self):
        raise NotImplementedError


def _prepare_memory(memory, memory_sequence_length, check_inner_dims_defined):
    """The memory, zeros beyond the lengths."""
    memory = nest.map_structure(lambda m: ops.convert_to_tensor(m, name='memory'), memory)
    if check_inner_dims_defined:
        for m in nest.flatten(memory):
            if not m.get_shape()[2:].is_fully_defined():
                raise ValueError('Expected memory %s to have fully defined inner dims, but saw '
                                 'shape: %s' % (m.name, m.get_shape()))
    if memory_sequence_length is None:
        return memory

    def masked(m):
        mask = array_ops.sequence_mask(memory_sequence_length, maxlen=array_ops.shape(m)[1],
                                       dtype=m.dtype)
        extra = array_ops.ones([m.get_shape().ndims - 2], dtype=dtypes.int32)
        return m * array_ops.reshape(mask, array_ops.concat((array_ops.shape(mask), extra), 0))
    return nest.map_structure(masked, memory)


def _maybe_mask_score(score, memory_sequence_length, score_mask_value):
    if memory_sequence_length is None:
        return score
    message = 'All values in memory_sequence_length must greater than zero.'
    with ops.control_dependencies([check_ops.assert_positive(memory_sequence_length,
                                                             message=message)]):
        mask = array_ops.sequence_mask(memory_sequence_length,
                                       maxlen=array_ops.shape(score)[1])
        return array_ops.where(mask, score, score_mask_value * array_ops.ones_like(score))


class _BaseAttentionMechanism(AttentionMechanism):
    """Keys and values of the memory."""

    def __init__(self, query_layer, memory, probability_fn, memory_sequence_length=None,
                 memory_layer=None, check_inner_dims_defined=True, score_mask_value=None,
                 custom_key_value_fn=None, name=None):
        for layer, what in ((query_layer, 'query_layer'), (memory_layer, 'memory_layer')):
            if layer is not None and not isinstance(layer, layers_base.Layer):
                raise TypeError('%s is not a Layer: %s' % (what, type(layer).__name__))
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self.dtype = memory_layer.dtype
        if not callable(probability_fn):
            raise TypeError('probability_fn must be callable, saw type: %s'
                            % type(probability_fn).__name__)
        with ops.name_scope(name, 'BaseAttentionMechanismInit', nest.flatten(memory)):
            if memory_sequence_length is not None:
                memory_sequence_length = ops.convert_to_tensor(memory_sequence_length,
                                                               name='memory_sequence_length')
            self._values = _prepare_memory(memory, memory_sequence_length,
                                           check_inner_dims_defined)
            self._keys = (self.memory_layer(self._values) if self.memory_layer
                          else self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = (tensor_shape.dimension_value(self._keys.get_shape()[0])
                                or array_ops.shape(self._keys)[0])
            self._alignments_size = (tensor_shape.dimension_value(self._keys.get_shape()[1])
                                     or array_ops.shape(self._keys)[1])
        if score_mask_value is None:
            score_mask_value = dtypes.as_dtype(self._values.dtype).as_numpy_dtype(-np.inf)
        self._masked_score = lambda score: _maybe_mask_score(score, memory_sequence_length,
                                                             score_mask_value)
        self._probability_fn = lambda score, prev: probability_fn(self._masked_score(score), prev)

    @property
    def memory_layer(self):
        return self._memory_layer

    @property
    def query_layer(self):
        return self._query_layer

    @property
    def values(self):
        return self._values

    @property
    def keys(self):
        return self._keys

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def alignments_size(self):
        return self._alignments_size

    @property
    def state_size(self):
        return self._alignments_size

    def __call__(self, query, state):
        with variable_scope.variable_scope(None, self._scope_name, [query]):
            score = self._score(query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments

    def initial_alignments(self, batch_size, dtype):
        return _zero_state_tensors(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size, dtype):
        return self.initial_alignments(batch_size, dtype)


def _softmax_unless(probability_fn):
    probability_fn = probability_fn or nn_ops.softmax
    return lambda score, _: probability_fn(score)


class LuongAttention(_BaseAttentionMechanism):
    """query . key, times a scale where that is asked for."""

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False,
                 probability_fn=None, score_mask_value=None, dtype=None,
                 custom_key_value_fn=None, name='LuongAttention'):
        super(LuongAttention, self).__init__(
            query_layer=None,
            memory_layer=layers_core.Dense(num_units, name='memory_layer', use_bias=False,
                                           dtype=dtype or dtypes.float32),
            memory=memory, probability_fn=_softmax_unless(probability_fn),
            memory_sequence_length=memory_sequence_length, score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn, name=name)
        self._num_units = num_units
        self._scale = scale
        self._name = name
        self._scope_name = 'luong_attention'

    def _score(self, query):
        depth, key_units = query.get_shape()[-1], self._keys.get_shape()[-1]
        if depth != key_units:
            raise ValueError(
                'Incompatible or unknown inner dimensions between query and keys.  Query '
                '(%s) has units: %s.  Keys (%s) have units: %s.  Perhaps you need to set '
                'num_units to the keys\' dimension (%s)?'
                % (query, depth, self._keys, key_units, key_units))
        score = math_ops.matmul(array_ops.expand_dims(query, 1), self._keys,
                                transpose_b=True)
        score = array_ops.squeeze(score, [1])
        if self._scale:
            score = variable_scope.get_variable(
                'attention_g', dtype=query.dtype, initializer=init_ops.ones_initializer(),
                shape=()) * score
        return score


class BahdanauAttention(_BaseAttentionMechanism):
    """v . tanh(key + query), v normalised where that is asked for."""

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False,
                 probability_fn=None, score_mask_value=None, dtype=None,
                 custom_key_value_fn=None, name='BahdanauAttention'):
        dtype = dtype or dtypes.float32
        super(BahdanauAttention, self).__init__(
            query_layer=layers_core.Dense(num_units, name='query_layer', use_bias=False,
                                          dtype=dtype),
            memory_layer=layers_core.Dense(num_units, name='memory_layer', use_bias=False,
                                           dtype=dtype),
            memory=memory, probability_fn=_softmax_unless(probability_fn),
            custom_key_value_fn=custom_key_value_fn,
            memory_sequence_length=memory_sequence_length, score_mask_value=score_mask_value,
            name=name)
        self._num_units = num_units
        self._normalize = normalize
        self._name = name
        self._scope_name = 'bahdanau_attention'

    def _score(self, query):
        processed = self.query_layer(query) if self.query_layer else query
        processed = array_ops.expand_dims(processed, 1)
        v = variable_scope.get_variable('attention_v', [self._num_units], dtype=query.dtype)
        if not self._normalize:
            score = math_ops.reduce_sum(v * math_ops.tanh(self._keys + processed), [2])
        else:
            g = variable_scope.get_variable(
                'attention_g', dtype=query.dtype, shape=(),
                initializer=init_ops.constant_initializer(
                    np.sqrt(1. / self._num_units)))
            b = variable_scope.get_variable(
                'attention_b', [self._num_units], dtype=query.dtype,
                initializer=init_ops.zeros_initializer())
            normed = g * v * math_ops.rsqrt(math_ops.reduce_sum(math_ops.square(v)))
            score = math_ops.reduce_sum(
                normed * math_ops.tanh(self._keys + processed + b), [2])
        return score


class AttentionWrapperState(collections.namedtuple(
        'AttentionWrapperState', ('cell_state', 'attention', 'time', 'alignments',
                                  'alignment_history', 'attention_state'))):
    """The cell's state, what was last attended to, and how."""

    def clone(self, **kwargs):
        """A state with some of it changed, of the same shapes."""
        def with_same_shape(old, new):
            if isinstance(old, ops.Tensor) and isinstance(new, ops.Tensor):
                new.set_shape(old.get_shape())
            return new
        return nest.map_structure(with_same_shape, self,
                                  super(AttentionWrapperState, self)._replace(**kwargs))


def hardmax(logits, name=None):
    """One where the largest logit is."""
    with ops.name_scope(name, 'Hardmax', [logits]):
        logits = ops.convert_to_tensor(logits, name='logits')
        depth = tensor_shape.dimension_value(logits.get_shape()[-1])
        if depth is None:
            depth = array_ops.shape(logits)[-1]
        return array_ops.one_hot(math_ops.argmax(logits, -1), depth, dtype=logits.dtype)


def _compute_attention(attention_mechanism, cell_output, attention_state, attention_layer):
    """(attention, alignments, the mechanism's next state)"""
    alignments, next_state = attention_mechanism(cell_output, state=attention_state)
    expanded = array_ops.expand_dims(alignments, 1)
    context = array_ops.squeeze(math_ops.matmul(expanded, attention_mechanism.values), [1])
    if attention_layer is None:
        return context, alignments, next_state
    return (attention_layer(array_ops.concat([cell_output, context], 1)), alignments,
            next_state)


class AttentionWrapper(rnn_cell_impl.RNNCell):
    """A cell whose input is joined by, and whose output is, what is attended to."""

    def __init__(self, cell, attention_mechanism, attention_layer_size=None,
                 alignment_history=False, cell_input_fn=None, output_attention=True,
                 initial_cell_state=None, name=None, attention_layer=None, attention_fn=None,
                 dtype=None):
        super(AttentionWrapper, self).__init__(name=name)
        rnn_cell_impl.assert_like_rnncell('cell', cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = attention_mechanism if self._is_multi else (attention_mechanism,)
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError('attention_mechanism must be an AttentionMechanism or list of '
                                'multiple AttentionMechanism instances, saw type: %s'
                                % type(mechanism).__name__)
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError('cell_input_fn must be callable, saw type: %s'
                            % type(cell_input_fn).__name__)
        self._cell_input_fn = cell_input_fn or (
            lambda inputs, attention: array_ops.concat([inputs, attention], -1))
        self._attention_layers = self._layers_of(mechanisms, attention_layer_size,
                                                 attention_layer, dtype)
        self._attention_layer_size = self._size_of(mechanisms, attention_layer_size)
        self._cell = cell
        self._attention_mechanisms = tuple(mechanisms)
        self._attention_fn = attention_fn or _compute_attention
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        with ops.name_scope(name, 'AttentionWrapperInit'):
            self._initial_cell_state = None
            if initial_cell_state is not None:
                self._initial_cell_state = nest.map_structure(
                    lambda s: array_ops.identity(s, name='check_initial_cell_state'),
                    initial_cell_state)

    @staticmethod
    def _layers_of(mechanisms, sizes, layers, dtype):
        if sizes is not None and layers is not None:
            raise ValueError('Only one of attention_layer_size and attention_layer should be set')
        if sizes is not None:
            sizes = tuple(sizes if isinstance(sizes, (list, tuple)) else (sizes,))
            if len(sizes) != len(mechanisms):
                raise ValueError('If provided, attention_layer_size must contain exactly one '
                                 'integer per attention_mechanism, saw: %d vs %d'
                                 % (len(sizes), len(mechanisms)))
            return tuple(layers_core.Dense(size, name='attention_layer', use_bias=False,
                                           dtype=mechanism.dtype if dtype is None else dtype)
                         for size, mechanism in zip(sizes, mechanisms))
        if layers is not None:
            return tuple(layers if isinstance(layers, (list, tuple)) else (layers,))
        return None

    def _size_of(self, mechanisms, sizes):
        if sizes is not None:
            return sum(sizes) if isinstance(sizes, (list, tuple)) else sizes
        if self._attention_layers is not None:
            return sum(int(layer.compute_output_shape(
                [None, int(m.values.get_shape()[-1])])[-1])
                for layer, m in zip(self._attention_layers, mechanisms))
        return sum(int(m.values.get_shape()[-1]) for m in mechanisms)

    def _item_or_tuple(self, seq):
        found = tuple(seq)
        return found if self._is_multi else found[0]

    @property
    def output_size(self):
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self):
        return AttentionWrapperState(
            cell_state=self._cell.state_size, time=tensor_shape.TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(a.alignments_size
                                           for a in self._attention_mechanisms),
            attention_state=self._item_or_tuple(a.state_size
                                                for a in self._attention_mechanisms),
            alignment_history=self._item_or_tuple(
                a.alignments_size if self._alignment_history else ()
                for a in self._attention_mechanisms))

    def zero_state(self, batch_size, dtype):
        """The first state; the cell's own is the initial_cell_state where there is one."""
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            cell_state = (self._initial_cell_state if self._initial_cell_state is not None
                          else self._cell.zero_state(batch_size, dtype))
            alignments = [a.initial_alignments(batch_size, dtype)
                          for a in self._attention_mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state, time=array_ops.zeros([], dtype=dtypes.int32),
                attention=_zero_state_tensors(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(
                    a.initial_state(batch_size, dtype) for a in self._attention_mechanisms),
                alignment_history=self._item_or_tuple(
                    tensor_array_ops.TensorArray(dtype, size=0, dynamic_size=True,
                                                 element_shape=alignment.get_shape())
                    if self._alignment_history else () for alignment in alignments))

    def call(self, inputs, state):
        if not isinstance(state, AttentionWrapperState):
            raise TypeError('Expected state to be instance of AttentionWrapperState. Received '
                            'type %s instead.' % type(state))
        cell_inputs = self._cell_input_fn(inputs, state.attention)
        cell_output, next_cell_state = self._cell(cell_inputs, state.cell_state)
        if self._is_multi:
            states, histories = state.attention_state, state.alignment_history
        else:
            states, histories = [state.attention_state], [state.alignment_history]
        attentions, alignments_, states_, histories_ = [], [], [], []
        for i, mechanism in enumerate(self._attention_mechanisms):
            attention, alignments, next_state = self._attention_fn(
                mechanism, cell_output, states[i],
                self._attention_layers[i] if self._attention_layers else None)
            histories_.append(histories[i].write(state.time, alignments)
                              if self._alignment_history else ())
            attentions.append(attention)
            alignments_.append(alignments)
            states_.append(next_state)
        attention = array_ops.concat(attentions, 1)
        next_state = AttentionWrapperState(
            time=state.time + 1, cell_state=next_cell_state, attention=attention,
            attention_state=self._item_or_tuple(states_),
            alignments=self._item_or_tuple(alignments_),
            alignment_history=self._item_or_tuple(histories_))
        return (attention if self._output_attention else cell_output), next_state


def __getattr__(name):
    if name in ('BahdanauMonotonicAttention', 'LuongMonotonicAttention', 'monotonic_attention',
                'safe_cumprod'):
        from leat.contrib.seq2seq.python.ops import monotonic
        return getattr(monotonic, name)
    raise AttributeError('module %r has no attribute %r' % (__name__, name))
