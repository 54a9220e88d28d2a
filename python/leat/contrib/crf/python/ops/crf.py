# SPDX-License-Identifier: Apache-2.0
"""Linear chains of tags (Lafferty et al. 2001): scores, their normalisation, the best chain."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import smart_cond as utils
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import rnn
from leat.python.ops import rnn_cell_impl as rnn_cell
from leat.python.ops import variable_scope as vs

__all__ = ['crf_sequence_score', 'crf_log_norm', 'crf_log_likelihood', 'crf_unary_score',
           'crf_binary_score', 'CrfForwardRnnCell', 'viterbi_decode', 'crf_decode',
           'CrfDecodeForwardRnnCell', 'CrfDecodeBackwardRnnCell', 'crf_multitag_sequence_score']


def _known_or(tensor, axis):
    return tensor_shape.dimension_value(tensor.shape[axis]) or array_ops.shape(tensor)[axis]


def _of_one_or_more(inputs, one, more):
    """one() where sequences have a single step, which has no transitions."""
    return utils.smart_cond(pred=math_ops.equal(_known_or(inputs, 1), 1), true_fn=one,
                            false_fn=more)


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """The score of each sequence's tags."""
    def single():
        batch = array_ops.shape(inputs)[0]
        example_inds = array_ops.reshape(math_ops.range(batch, dtype=tag_indices.dtype), [-1, 1])
        scores = array_ops.gather_nd(array_ops.squeeze(inputs, [1]),
                                     array_ops.concat([example_inds, tag_indices], axis=1))
        return array_ops.where(math_ops.less_equal(sequence_lengths, 0),
                               array_ops.zeros_like(scores), scores)

    def several():
        return (crf_unary_score(tag_indices, sequence_lengths, inputs) +
                crf_binary_score(tag_indices, sequence_lengths, transition_params))
    return _of_one_or_more(inputs, single, several)


def crf_multitag_sequence_score(inputs, tag_bitmap, sequence_lengths, transition_params):
    """The score of all the chains of tags that a bitmap allows."""
    def single():
        masked = array_ops.where(tag_bitmap, inputs, array_ops.fill(
            array_ops.shape(inputs), float('-inf')))
        return math_ops.reduce_logsumexp(array_ops.squeeze(masked, [1]), axis=[1])

    def several():
        masked = array_ops.where(tag_bitmap, inputs, array_ops.fill(
            array_ops.shape(inputs), float('-inf')))
        return crf_log_norm(inputs=masked, sequence_lengths=sequence_lengths,
                            transition_params=transition_params)
    return _of_one_or_more(inputs, single, several)


def crf_log_norm(inputs, sequence_lengths, transition_params):
    """The log of the sum over all chains of the exponential of their scores."""
    first = array_ops.squeeze(array_ops.slice(inputs, [0, 0, 0], [-1, 1, -1]), [1])

    def single():
        norm = math_ops.reduce_logsumexp(first, [1])
        return array_ops.where(math_ops.less_equal(sequence_lengths, 0),
                               array_ops.zeros_like(norm), norm)

    def several():
        rest = array_ops.slice(inputs, [0, 1, 0], [-1, -1, -1])
        lengths = math_ops.maximum(constant_op.constant(0, dtype=sequence_lengths.dtype),
                                   sequence_lengths - 1)
        _, alphas = rnn.dynamic_rnn(cell=CrfForwardRnnCell(transition_params), inputs=rest,
                                    sequence_length=lengths, initial_state=first,
                                    dtype=dtypes.float32)
        norm = math_ops.reduce_logsumexp(alphas, [1])
        return array_ops.where(math_ops.less_equal(sequence_lengths, 0),
                               array_ops.zeros_like(norm), norm)
    return _of_one_or_more(inputs, single, several)


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """(log likelihood of each sequence's tags, the transitions)"""
    num_tags = tensor_shape.dimension_value(inputs.shape[2])
    sequence_lengths = math_ops.cast(sequence_lengths, dtypes.int32)
    if transition_params is None:
        transition_params = vs.get_variable('transitions', [num_tags, num_tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params



def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """What the tags by themselves score."""
    batch, length, num_tags = (array_ops.shape(inputs)[axis] for axis in range(3))
    flat = array_ops.reshape(inputs, [-1])
    offsets = array_ops.expand_dims(math_ops.range(batch) * length * num_tags, 1)
    offsets += array_ops.expand_dims(math_ops.range(length) * num_tags, 0)
    if tag_indices.dtype == dtypes.int64:
        offsets = math_ops.cast(offsets, dtypes.int64)
    scores = array_ops.reshape(array_ops.gather(flat, array_ops.reshape(
        offsets + tag_indices, [-1])), [batch, length])
    masks = array_ops.sequence_mask(sequence_lengths, maxlen=array_ops.shape(tag_indices)[1],
                                    dtype=inputs.dtype)
    return math_ops.reduce_sum(scores * masks, 1)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """What the transitions between the tags score."""
    num_tags = _known_or(transition_params, 0)
    transitions = array_ops.shape(tag_indices)[1] - 1
    start = array_ops.slice(tag_indices, [0, 0], [-1, transitions])
    end = array_ops.slice(tag_indices, [0, 1], [-1, transitions])
    flat = array_ops.reshape(transition_params, [-1])
    scores = array_ops.gather(flat, start * num_tags + end)
    masks = array_ops.sequence_mask(sequence_lengths, maxlen=array_ops.shape(tag_indices)[1],
                                    dtype=transition_params.dtype)
    return math_ops.reduce_sum(scores * array_ops.slice(masks, [0, 1], [-1, -1]), 1)


class CrfForwardRnnCell(rnn_cell.RNNCell):
    """alphas, a step further."""

    def __init__(self, transition_params):
        self._transition_params = array_ops.expand_dims(transition_params, 0)
        self._num_tags = tensor_shape.dimension_value(transition_params.shape[0])

    @property
    def state_size(self):
        return self._num_tags

    @property
    def output_size(self):
        return self._num_tags

    def __call__(self, inputs, state, scope=None):
        state = array_ops.expand_dims(state, 2)
        alphas = inputs + math_ops.reduce_logsumexp(state + self._transition_params, [1])
        return alphas, alphas


def viterbi_decode(score, transition_params):
    """(the best chain of one sequence, its score), of arrays, by numpy."""
    trellis = np.zeros_like(score)
    backpointers = np.zeros_like(score, dtype=np.int32)
    trellis[0] = score[0]
    for t in range(1, score.shape[0]):
        v = np.expand_dims(trellis[t - 1], 1) + transition_params
        trellis[t] = score[t] + np.max(v, 0)
        backpointers[t] = np.argmax(v, 0)
    viterbi = [np.argmax(trellis[-1])]
    for bp in reversed(backpointers[1:]):
        viterbi.append(bp[viterbi[-1]])
    viterbi.reverse()
    return viterbi, np.max(trellis[-1])


class CrfDecodeForwardRnnCell(rnn_cell.RNNCell):
    """The best score of each tag, a step further; its output is which tag came before."""

    def __init__(self, transition_params):
        self._transition_params = array_ops.expand_dims(transition_params, 0)
        self._num_tags = tensor_shape.dimension_value(transition_params.shape[0])

    @property
    def state_size(self):
        return self._num_tags

    @property
    def output_size(self):
        return self._num_tags

    def __call__(self, inputs, state, scope=None):
        scores = array_ops.expand_dims(state, 2) + self._transition_params
        new_state = inputs + math_ops.reduce_max(scores, [1])
        backpointers = math_ops.cast(math_ops.argmax(scores, 1), dtype=dtypes.int32)
        return backpointers, new_state


class CrfDecodeBackwardRnnCell(rnn_cell.RNNCell):
    """Follows the tags back."""

    def __init__(self, num_tags):
        self._num_tags = num_tags

    @property
    def state_size(self):
        return 1

    @property
    def output_size(self):
        return 1

    def __call__(self, inputs, state, scope=None):
        state = array_ops.squeeze(state, axis=[1])
        batch = array_ops.shape(inputs)[0]
        indices = array_ops.stack([math_ops.range(batch), state], axis=1)
        new_tags = array_ops.expand_dims(array_ops.gather_nd(inputs, indices), axis=-1)
        return new_tags, new_tags


def crf_decode(potentials, transition_params, sequence_length):
    """(the best chain of each sequence, their scores), as tensors."""
    def single():
        squeezed = array_ops.squeeze(potentials, [1])
        tags = array_ops.expand_dims(math_ops.argmax(squeezed, axis=1), 1)
        return math_ops.cast(tags, dtype=dtypes.int32), math_ops.reduce_max(squeezed, axis=1)

    def several():
        num_tags = tensor_shape.dimension_value(potentials.shape[2])
        initial_state = array_ops.squeeze(array_ops.slice(
            potentials, [0, 0, 0], [-1, 1, -1]), axis=[1])
        inputs = array_ops.slice(potentials, [0, 1, 0], [-1, -1, -1])
        shorter = math_ops.maximum(constant_op.constant(0, dtype=sequence_length.dtype),
                                   sequence_length - 1)
        backpointers, last_score = rnn.dynamic_rnn(
            CrfDecodeForwardRnnCell(transition_params), inputs=inputs, sequence_length=shorter,
            initial_state=initial_state, time_major=False, dtype=dtypes.int32)
        backpointers = array_ops.reverse_sequence(backpointers, shorter, seq_dim=1)
        last_tag = array_ops.expand_dims(math_ops.cast(
            math_ops.argmax(last_score, axis=1), dtype=dtypes.int32), axis=-1)
        tags, _ = rnn.dynamic_rnn(
            CrfDecodeBackwardRnnCell(num_tags), inputs=backpointers, sequence_length=shorter,
            initial_state=last_tag, time_major=False, dtype=dtypes.int32)
        tags = array_ops.concat([last_tag, array_ops.squeeze(tags, axis=[2])], axis=1)
        tags = array_ops.reverse_sequence(tags, sequence_length, seq_dim=1)
        return tags, math_ops.reduce_max(last_score, axis=1)
    return _of_one_or_more(potentials, single, several)
