# SPDX-License-Identifier: Apache-2.0
"""Helpers that now and then take a sample for the next input (Bengio et al. 2015)."""
from leat.contrib.seq2seq.python.ops import helper
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.layers import base as layers_base
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import embedding_ops
from leat.python.ops import math_ops
from leat.python.ops.distributions import bernoulli
from leat.python.ops.distributions import categorical
from leat.python.util import nest


def _places(condition):
    return math_ops.cast(array_ops.where(condition), dtypes.int32)


def _scalar(probability):
    probability = ops.convert_to_tensor(probability, name='sampling_probability')
    if probability.get_shape().ndims not in (0, 1):
        raise ValueError('sampling_probability must be either a scalar or a vector. saw shape: %s'
                         % (probability.get_shape()))
    return probability


class ScheduledEmbeddingTrainingHelper(helper.TrainingHelper):
    """The next input is the embedding of a sampled id, with a probability."""

    def __init__(self, inputs, sequence_length, embedding, sampling_probability, time_major=False,
                 seed=None, scheduling_seed=None, name=None):
        with ops.name_scope(name, 'ScheduledEmbeddingSamplingWrapper',
                            [embedding, sampling_probability]):
            self._embedding_fn = embedding if callable(embedding) else (
                lambda ids: embedding_ops.embedding_lookup(embedding, ids))
            self._sampling_probability = _scalar(sampling_probability)
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super(ScheduledEmbeddingTrainingHelper, self).__init__(
                inputs=inputs, sequence_length=sequence_length, time_major=time_major, name=name)

    def initialize(self, name=None):
        return super(ScheduledEmbeddingTrainingHelper, self).initialize(name=name)

    def sample(self, time, outputs, state, name=None):
        """-1 where the next input is the given one."""
        with ops.name_scope(name, 'ScheduledEmbeddingTrainingHelperSample',
                            [time, outputs, state]):
            chosen = bernoulli.Bernoulli(probs=self._sampling_probability, dtype=dtypes.bool)
            drawn = categorical.Categorical(logits=outputs).sample(seed=self._seed)
            return array_ops.where(
                chosen.sample(sample_shape=self.batch_size, seed=self._scheduling_seed), drawn,
                array_ops.fill([self.batch_size], -1))

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with ops.name_scope(name, 'ScheduledEmbeddingTrainingHelperNextInputs',
                            [time, outputs, state, sample_ids]):
            finished, base_next_inputs, state = super(
                ScheduledEmbeddingTrainingHelper, self).next_inputs(
                    time=time, outputs=outputs, state=state, sample_ids=sample_ids, name=name)

            def maybe_sample():
                sampled, given = _places(sample_ids > -1), _places(sample_ids <= -1)
                inputs = self._embedding_fn(array_ops.gather_nd(sample_ids, sampled))
                shape = array_ops.shape(base_next_inputs)
                return (array_ops.scatter_nd(indices=sampled, updates=inputs, shape=shape) +
                        array_ops.scatter_nd(
                            indices=given, shape=shape,
                            updates=array_ops.gather_nd(base_next_inputs, given)))
            next_inputs = control_flow_ops.cond(math_ops.reduce_all(finished),
                                                lambda: base_next_inputs, maybe_sample)
            return finished, next_inputs, state


class ScheduledOutputTrainingHelper(helper.TrainingHelper):
    """The next input is the output, with a probability."""

    def __init__(self, inputs, sequence_length, sampling_probability, time_major=False, seed=None,
                 next_inputs_fn=None, auxiliary_inputs=None, name=None):
        with ops.name_scope(name, 'ScheduledOutputTrainingHelper',
                            [inputs, auxiliary_inputs, sampling_probability]):
            self._sampling_probability = _scalar(sampling_probability)
            if auxiliary_inputs is None:
                maybe_concatenated, self._auxiliary_input_tas = inputs, None
            else:
                inputs = ops.convert_to_tensor(inputs, name='inputs')
                auxiliary_inputs = ops.convert_to_tensor(auxiliary_inputs,
                                                         name='auxiliary_inputs')
                maybe_concatenated = nest.map_structure(
                    lambda x, y: array_ops.concat((x, y), -1), inputs, auxiliary_inputs)
                if not time_major:
                    auxiliary_inputs = nest.map_structure(helper._transpose_batch_time,
                                                          auxiliary_inputs)
                self._auxiliary_input_tas = nest.map_structure(helper._unstack_ta,
                                                               auxiliary_inputs)
            self._seed, self._next_inputs_fn = seed, next_inputs_fn
            if isinstance(next_inputs_fn, layers_base.Layer):
                self._next_inputs_fn = lambda x: next_inputs_fn(x)
            super(ScheduledOutputTrainingHelper, self).__init__(
                inputs=maybe_concatenated, sequence_length=sequence_length,
                time_major=time_major, name=name)

    def initialize(self, name=None):
        return super(ScheduledOutputTrainingHelper, self).initialize(name=name)

    def sample(self, time, outputs, state, name=None):
        """1 where the next input is the output."""
        with ops.name_scope(name, 'ScheduledOutputTrainingHelperSample', [time, outputs, state]):
            sampler = bernoulli.Bernoulli(probs=self._sampling_probability)
            return sampler.sample(sample_shape=self.batch_size, seed=self._seed)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with ops.name_scope(name, 'ScheduledOutputTrainingHelperNextInputs',
                            [time, outputs, state, sample_ids]):
            finished, base_next_inputs, state = super(
                ScheduledOutputTrainingHelper, self).next_inputs(
                    time=time, outputs=outputs, state=state, sample_ids=sample_ids, name=name)
            sample_ids = math_ops.cast(sample_ids, dtypes.bool)

            def concatenated(outputs_, indices=None):
                if self._auxiliary_input_tas is None:
                    return outputs_
                auxiliary = nest.map_structure(lambda ta: ta.read(time + 1),
                                               self._auxiliary_input_tas)
                if indices is not None:
                    auxiliary = array_ops.gather_nd(auxiliary, indices)
                return nest.map_structure(lambda x, y: array_ops.concat((x, y), -1), outputs_,
                                          auxiliary)

            def maybe_sample():
                sampled, given = _places(sample_ids), _places(math_ops.logical_not(sample_ids))
                taken = array_ops.gather_nd(outputs, sampled)
                if self._next_inputs_fn is not None:
                    taken = self._next_inputs_fn(taken)
                taken = concatenated(taken, sampled)
                shape = array_ops.shape(base_next_inputs)
                return (array_ops.scatter_nd(indices=sampled, updates=taken, shape=shape) +
                        array_ops.scatter_nd(
                            indices=given, shape=shape,
                            updates=array_ops.gather_nd(base_next_inputs, given)))
            no_samples = math_ops.logical_not(math_ops.reduce_any(sample_ids))
            next_inputs = control_flow_ops.cond(
                math_ops.logical_or(math_ops.reduce_all(finished), no_samples),
                lambda: base_next_inputs, maybe_sample)
            return finished, next_inputs, state
