# SPDX-License-Identifier: Apache-2.0
"""Attention that only goes forward in the memory (Raffel et al. 2017)."""
import functools

import numpy as np

from leat.contrib.seq2seq.python.ops import attention_wrapper
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import functional_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops import variable_scope


def safe_cumprod(x, *args, **kwargs):
    """The running product of numbers between 0 and 1, by the sum of their logarithms."""
    with ops.name_scope(None, 'SafeCumprod', [x]):
        x = ops.convert_to_tensor(x, name='x')
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return math_ops.exp(math_ops.cumsum(
            math_ops.log(clip_ops.clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i, previous_attention, mode):
    """The probability that each entry is attended to, of those that it is chosen once reached."""
    p_choose_i = ops.convert_to_tensor(p_choose_i, name='p_choose_i')
    previous_attention = ops.convert_to_tensor(previous_attention, name='previous_attention')
    if mode == 'recursive':
        batch = array_ops.shape(p_choose_i)[0]
        left = array_ops.concat([array_ops.ones((batch, 1)), 1 - p_choose_i[:, :-1]], 1)
        reached = functional_ops.scan(
            lambda x, yz: array_ops.reshape(yz[0] * x + yz[1], (batch,)),
            [array_ops.transpose(left), array_ops.transpose(previous_attention)],
            array_ops.zeros((batch,)))
        return p_choose_i * array_ops.transpose(reached)
    if mode == 'parallel':
        passed = safe_cumprod(1 - p_choose_i, axis=1, exclusive=True)
        return p_choose_i * passed * math_ops.cumsum(
            previous_attention / clip_ops.clip_by_value(passed, 1e-10, 1.), axis=1)
    if mode == 'hard':
        p_choose_i *= math_ops.cumsum(previous_attention, axis=1)
        return p_choose_i * math_ops.cumprod(1 - p_choose_i, axis=1, exclusive=True)
    raise ValueError('mode must be \'recursive\', \'parallel\', or \'hard\'.')


def _monotonic_probability_fn(score, previous_alignments, sigmoid_noise, mode, seed=None):
    if sigmoid_noise > 0:
        score += sigmoid_noise * random_ops.random_normal(array_ops.shape(score),
                                                          dtype=score.dtype, seed=seed)
    if mode == 'hard':
        p_choose_i = math_ops.cast(score > 0, score.dtype)
    else:
        p_choose_i = math_ops.sigmoid(score)
    return monotonic_attention(p_choose_i, previous_alignments, mode)


class _Monotonic(object):
    """What both monotonic mechanisms add: the first alignment, the score's bias, the mode."""

    def _bias(self, dtype):
        return variable_scope.get_variable(
            'attention_score_bias', dtype=dtype, shape=(),
            initializer=init_ops.constant_initializer(self._score_bias_init, dtype=dtype))

    def _go_forward(self, sigmoid_noise, sigmoid_noise_seed, mode):
        choose = functools.partial(_monotonic_probability_fn, sigmoid_noise=sigmoid_noise,
                                   mode=mode, seed=sigmoid_noise_seed)
        masked = self._masked_score
        self._probability_fn = lambda score, previous: choose(masked(score), previous)

    def initial_alignments(self, batch_size, dtype):
        """The first entry of the memory."""
        return array_ops.one_hot(array_ops.zeros((batch_size,), dtype=dtypes.int32),
                                 self._alignments_size, dtype=dtype)


class BahdanauMonotonicAttention(_Monotonic, attention_wrapper.BahdanauAttention):
    """Bahdanau's score."""

    def __init__(self, num_units, memory, memory_sequence_length=None, normalize=False,
                 score_mask_value=None, sigmoid_noise=0., sigmoid_noise_seed=None,
                 score_bias_init=0., mode='parallel', dtype=None,
                 name='BahdanauMonotonicAttention'):
        self._score_bias_init = score_bias_init
        super(BahdanauMonotonicAttention, self).__init__(
            num_units, memory, memory_sequence_length=memory_sequence_length,
            normalize=normalize, score_mask_value=score_mask_value, dtype=dtype, name=name,
            probability_fn=None)
        self._go_forward(sigmoid_noise, sigmoid_noise_seed, mode)
        self._scope_name = 'bahdanau_monotonic_attention'

    def _score(self, query):
        score = super(BahdanauMonotonicAttention, self)._score(query)
        return score + self._bias(query.dtype)


class LuongMonotonicAttention(_Monotonic, attention_wrapper.LuongAttention):
    """Luong's score."""

    def __init__(self, num_units, memory, memory_sequence_length=None, scale=False,
                 score_mask_value=None, sigmoid_noise=0., sigmoid_noise_seed=None,
                 score_bias_init=0., mode='parallel', dtype=None, name='LuongMonotonicAttention'):
        self._score_bias_init = score_bias_init
        super(LuongMonotonicAttention, self).__init__(
            num_units, memory, memory_sequence_length=memory_sequence_length, scale=scale,
            score_mask_value=score_mask_value, dtype=dtype, name=name, probability_fn=None)
        self._go_forward(sigmoid_noise, sigmoid_noise_seed, mode)
        self._scope_name = 'luong_monotonic_attention'

    def _score(self, query):
        score = super(LuongMonotonicAttention, self)._score(query)
        return score + self._bias(query.dtype)
