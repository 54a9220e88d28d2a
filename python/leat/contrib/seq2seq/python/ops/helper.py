# SPDX-License-Identifier: Apache-2.0
"""Helpers: where a decoder's inputs come from, and how its outputs are sampled.

The scheduled ones are in scheduled.py.
"""
import abc

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops import rnn
from leat.python.ops import tensor_array_ops
from leat.python.util import nest

__all__ = ['Helper', 'TrainingHelper', 'GreedyEmbeddingHelper', 'SampleEmbeddingHelper',
           'CustomHelper', 'InferenceHelper']
_transpose_batch_time = rnn._transpose_batch_time


def _unstack_ta(inp):
    return tensor_array_ops.TensorArray(
        dtype=inp.dtype, size=array_ops.shape(inp)[0],
        element_shape=inp.get_shape()[1:]).unstack(inp)


class Helper(metaclass=abc.ABCMeta):
    """What a decoder asks of a helper."""

    @property
    @abc.abstractmethod
    def batch_size(self):
        raise NotImplementedError

    @property
    @abc.abstractmethod
    def sample_ids_shape(self):
        raise NotImplementedError

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self):
        raise NotImplementedError

    @abc.abstractmethod
    def initialize(self, name=None):
        """(finished, first inputs)"""

    @abc.abstractmethod
    def sample(self, time, outputs, state, name=None):
        """What is taken of the outputs."""

    @abc.abstractmethod
    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """(finished, next inputs, next state)"""


class CustomHelper(Helper):
    """By the program's functions."""

    def __init__(self, initialize_fn, sample_fn, next_inputs_fn, sample_ids_shape=None,
                 sample_ids_dtype=None):
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = None
        self._sample_ids_shape = tensor_shape.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self):
        if self._batch_size is None:
            raise ValueError('batch_size accessed before initialize was called')
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self):
        return self._sample_ids_dtype

    def initialize(self, name=None):
        with ops.name_scope(name, '%sInitialize' % type(self).__name__):
            finished, next_inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = array_ops.size(finished)
        return finished, next_inputs

    def sample(self, time, outputs, state, name=None):
        with ops.name_scope(name, '%sSample' % type(self).__name__, (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with ops.name_scope(name, '%sNextInputs' % type(self).__name__, (time, outputs, state)):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state,
                                        sample_ids=sample_ids)


class TrainingHelper(Helper):
    """The inputs are given; samples are the largest outputs."""

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with ops.name_scope(name, 'TrainingHelper', [inputs, sequence_length]):
            inputs = ops.convert_to_tensor(inputs, name='inputs') if not nest.is_sequence(
                inputs) else inputs
            self._inputs = inputs
            if not time_major:
                inputs = nest.map_structure(_transpose_batch_time, inputs)
            self._input_tas = nest.map_structure(_unstack_ta, inputs)
            self._sequence_length = ops.convert_to_tensor(sequence_length,
                                                          name='sequence_length')
            if self._sequence_length.get_shape().ndims != 1:
                raise ValueError('Expected sequence_length to be a vector, but received shape: %s'
                                 % self._sequence_length.get_shape())
            self._zero_inputs = nest.map_structure(
                lambda inp: array_ops.zeros_like(inp[0, :]), inputs)
            self._batch_size = array_ops.size(sequence_length)

    @property
    def inputs(self):
        return self._inputs

    @property
    def sequence_length(self):
        return self._sequence_length

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return tensor_shape.TensorShape([])

    @property
    def sample_ids_dtype(self):
        return dtypes.int32

    def initialize(self, name=None):
        with ops.name_scope(name, 'TrainingHelperInitialize'):
            finished = math_ops.equal(0, self._sequence_length)
            all_finished = math_ops.reduce_all(finished)
            next_inputs = control_flow_ops.cond(
                all_finished, lambda: self._zero_inputs,
                lambda: nest.map_structure(lambda inp: inp.read(0), self._input_tas))
            return finished, next_inputs

    def sample(self, time, outputs, name=None, **unused_kwargs):
        with ops.name_scope(name, 'TrainingHelperSample', [time, outputs]):
            return math_ops.cast(math_ops.argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(self, time, outputs, state, name=None, **unused_kwargs):
        with ops.name_scope(name, 'TrainingHelperNextInputs', [time, outputs, state]):
            next_time = time + 1
            finished = (next_time >= self._sequence_length)
            all_finished = math_ops.reduce_all(finished)
            next_inputs = control_flow_ops.cond(
                all_finished, lambda: self._zero_inputs,
                lambda: nest.map_structure(lambda inp: inp.read(next_time), self._input_tas))
            return finished, next_inputs, state


class GreedyEmbeddingHelper(Helper):
    """The inputs are the embeddings of the largest outputs."""

    def __init__(self, embedding, start_tokens, end_token):
        if callable(embedding):
            self._embedding_fn = embedding
        else:
            self._embedding_fn = lambda ids: embedding_ops.embedding_lookup(embedding, ids)
        self._start_tokens = ops.convert_to_tensor(start_tokens, dtype=dtypes.int32,
                                                   name='start_tokens')
        self._end_token = ops.convert_to_tensor(end_token, dtype=dtypes.int32, name='end_token')
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError('start_tokens must be a vector')
        self._batch_size = array_ops.size(start_tokens)
        if self._end_token.get_shape().ndims != 0:
            raise ValueError('end_token must be a scalar')
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return tensor_shape.TensorShape([])

    @property
    def sample_ids_dtype(self):
        return dtypes.int32

    def initialize(self, name=None):
        finished = array_ops.tile([False], [self._batch_size])
        return finished, self._start_inputs

    def sample(self, time, outputs, state, name=None):
        del time, state
        if not isinstance(outputs, ops.Tensor):
            raise TypeError('Expected outputs to be a single Tensor, got: %s' % type(outputs))
        return math_ops.argmax(outputs, axis=-1, output_type=dtypes.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        del time, outputs
        finished = math_ops.equal(sample_ids, self._end_token)
        all_finished = math_ops.reduce_all(finished)
        next_inputs = control_flow_ops.cond(
            all_finished, lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
        return finished, next_inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """The inputs are the embeddings of what is drawn by the outputs as logits."""

    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        super(SampleEmbeddingHelper, self).__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time, outputs, state, name=None):
        del time, state
        if not isinstance(outputs, ops.Tensor):
            raise TypeError('Expected outputs to be a single Tensor, got: %s' % type(outputs))
        logits = (outputs if self._softmax_temperature is None
                  else outputs / self._softmax_temperature)
        draws = random_ops.multinomial(logits, 1, seed=self._seed, output_dtype=dtypes.int32)
        return array_ops.reshape(draws, [-1])


class InferenceHelper(Helper):
    """The inputs are what was sampled, by the program's functions."""

    def __init__(self, sample_fn, sample_shape, sample_dtype, start_inputs, end_fn,
                 next_inputs_fn=None):
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = tensor_shape.TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = array_ops.shape(start_inputs)[0]
        self._start_inputs = ops.convert_to_tensor(start_inputs, name='start_inputs')

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_shape

    @property
    def sample_ids_dtype(self):
        return self._sample_dtype

    def initialize(self, name=None):
        return array_ops.tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        del time, state
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        del time, outputs
        next_inputs = (sample_ids if self._next_inputs_fn is None
                       else self._next_inputs_fn(sample_ids))
        return self._end_fn(sample_ids), next_inputs, state


def __getattr__(name):
    if name in ('ScheduledEmbeddingTrainingHelper', 'ScheduledOutputTrainingHelper'):
        from leat.contrib.seq2seq.python.ops import scheduled
        return getattr(scheduled, name)
    raise AttributeError('module %r has no attribute %r' % (__name__, name))
