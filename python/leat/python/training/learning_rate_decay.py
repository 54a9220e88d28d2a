# SPDX-License-Identifier: Apache-2.0
"""Learning rates that change with the step."""
import math

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.util import nest


def _initial(learning_rate):
    return ops.convert_to_tensor(learning_rate, name='initial_learning_rate')


def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                      name=None):
    """learning_rate * decay_rate ** (global_step / decay_steps)."""
    with ops.name_scope(name or 'ExponentialDecay') as scope:
        initial = _initial(learning_rate)
        dtype = initial.dtype
        decay_steps = math_ops.cast(decay_steps, dtype)
        decay_rate = math_ops.cast(decay_rate, dtype)
        p = math_ops.cast(global_step, dtype) / decay_steps
        if staircase:
            p = math_ops.floor(p)
        return math_ops.multiply(initial, math_ops.pow(decay_rate, p), name=scope)


def _like_step(boundaries, x):
    """The boundaries in x's type."""
    converted = []
    for b in boundaries:
        if b.dtype.base_dtype != x.dtype.base_dtype:
            if b.dtype.base_dtype == dtypes.int32 and x.dtype.base_dtype == dtypes.int64:
                b = math_ops.cast(b, x.dtype.base_dtype)
            else:
                raise ValueError('Boundaries (%s) must have the same dtype as x (%s).'
                                 % (b.dtype.base_dtype, x.dtype.base_dtype))
        converted.append(b)
    return converted


def piecewise_constant(x, boundaries, values, name=None):
    """values[0] up to boundaries[0], values[1] up to boundaries[1], ..., values[-1] after."""
    boundaries = nest.map_structure(ops.convert_to_tensor, nest.flatten(boundaries))
    values = nest.map_structure(ops.convert_to_tensor, nest.flatten(values))
    if len(boundaries) != len(values) - 1:
        raise ValueError('The length of boundaries should be 1 less than the length of values')
    x = ops.convert_to_tensor(x)
    boundaries = _like_step(boundaries, x)
    for v in values[1:]:
        if v.dtype.base_dtype != values[0].dtype.base_dtype:
            raise ValueError('Values must have elements all with the same dtype (%s vs %s).'
                             % (values[0].dtype.base_dtype, v.dtype.base_dtype))
    with ops.name_scope(name or 'PiecewiseConstant'):
        pairs = [(x <= boundaries[0], lambda: values[0]),
                 (x > boundaries[-1], lambda: values[-1])]
        for low, high, v in zip(boundaries[:-1], boundaries[1:], values[1:-1]):
            pairs.append(((x > low) & (x <= high), lambda v=v: v))
        return control_flow_ops.case(pairs, lambda: values[0], exclusive=True)


def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0,
                     cycle=False, name=None):
    """From learning_rate to end_learning_rate in decay_steps; again and again with cycle."""
    with ops.name_scope(name or 'PolynomialDecay') as scope:
        initial = _initial(learning_rate)
        dtype = initial.dtype
        end = math_ops.cast(end_learning_rate, dtype)
        power = math_ops.cast(power, dtype)
        step = math_ops.cast(global_step, dtype)
        steps = math_ops.cast(decay_steps, dtype)
        if cycle:
            num_decays = control_flow_ops.cond(
                math_ops.equal(step, 0), lambda: constant_op.constant(1.0, dtype=dtype),
                lambda: math_ops.ceil(step / decay_steps))
            steps = math_ops.multiply(steps, num_decays)
        else:
            step = math_ops.minimum(step, decay_steps)
        p = math_ops.divide(step, steps)
        return math_ops.add(math_ops.multiply(initial - end, math_ops.pow(1 - p, power)), end,
                            name=scope)


def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                      name=None):
    """learning_rate * exp(-decay_rate * global_step / decay_steps)."""
    rate = math_ops.exp(math_ops.negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, rate, staircase, name)


def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                       name=None):
    """learning_rate / (1 + decay_rate * global_step / decay_steps)."""
    with ops.name_scope(name or 'InverseTimeDecay') as scope:
        initial = _initial(learning_rate)
        dtype = initial.dtype
        decay_steps = math_ops.cast(decay_steps, dtype)
        decay_rate = math_ops.cast(decay_rate, dtype)
        p = math_ops.cast(global_step, dtype) / decay_steps
        if staircase:
            p = math_ops.floor(p)
        one = math_ops.cast(constant_op.constant(1), dtype)
        denominator = math_ops.add(one, math_ops.multiply(decay_rate, p))
        return math_ops.divide(initial, denominator, name=scope)


def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Half a wave of cosine from learning_rate to alpha * learning_rate."""
    with ops.name_scope(name or 'CosineDecay'):
        initial = _initial(learning_rate)
        dtype = initial.dtype
        decay_steps = math_ops.cast(decay_steps, dtype)
        step = math_ops.minimum(math_ops.cast(global_step, dtype), decay_steps)
        fraction = step / decay_steps
        decayed = 0.5 * (1.0 + math_ops.cos(constant_op.constant(math.pi) * fraction))
        return math_ops.multiply(initial, (1 - alpha) * decayed + alpha)


def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0,
                          alpha=0.0, name=None):
    """Waves of cosine, each t_mul times as long and m_mul times as high as that before."""
    with ops.name_scope(name or 'SGDRDecay') as scope:
        initial = _initial(learning_rate)
        dtype = initial.dtype
        first_decay_steps = math_ops.cast(first_decay_steps, dtype)
        alpha = math_ops.cast(alpha, dtype)
        t_mul = math_ops.cast(t_mul, dtype)
        m_mul = math_ops.cast(m_mul, dtype)
        fraction = math_ops.cast(global_step, dtype) / first_decay_steps

        def geometric():
            i_restart = math_ops.floor(
                math_ops.log(1.0 - fraction * (1.0 - t_mul)) / math_ops.log(t_mul))
            sum_r = (1.0 - t_mul ** i_restart) / (1.0 - t_mul)
            return i_restart, (fraction - sum_r) / t_mul ** i_restart

        def equal_lengths():
            i_restart = math_ops.floor(fraction)
            return i_restart, fraction - i_restart
        i_restart, fraction = control_flow_ops.cond(math_ops.equal(t_mul, 1.0), equal_lengths,
                                                    geometric)
        m_fac = m_mul ** i_restart
        wave = 0.5 * m_fac * (1.0 + math_ops.cos(constant_op.constant(math.pi) * fraction))
        return math_ops.multiply(initial, (1 - alpha) * wave + alpha, name=scope)


def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0,
                        beta=0.001, name=None):
    """A line down to 0 times a wave of cosine."""
    with ops.name_scope(name or 'LinearCosineDecay') as scope:
        initial = _initial(learning_rate)
        dtype = initial.dtype
        decay_steps = math_ops.cast(decay_steps, dtype)
        num_periods = math_ops.cast(num_periods, dtype)
        alpha = math_ops.cast(alpha, dtype)
        beta = math_ops.cast(beta, dtype)
        step = math_ops.minimum(math_ops.cast(global_step, dtype), decay_steps)
        line = (decay_steps - step) / decay_steps
        completed = step / decay_steps
        fraction = 2.0 * num_periods * completed
        wave = 0.5 * (1.0 + math_ops.cos(constant_op.constant(math.pi) * fraction))
        return math_ops.multiply(initial, (alpha + line) * wave + beta, name=scope)


def noisy_linear_cosine_decay(learning_rate, global_step, decay_steps, initial_variance=1.0,
                              variance_decay=0.55, num_periods=0.5, alpha=0.0, beta=0.001,
                              name=None):
    """linear_cosine_decay with noise on the line, less and less of it."""
    from leat.python.ops import random_ops
    with ops.name_scope(name or 'NoisyLinearCosineDecay') as scope:
        initial = _initial(learning_rate)
        dtype = initial.dtype
        decay_steps = math_ops.cast(decay_steps, dtype)
        initial_variance = math_ops.cast(initial_variance, dtype)
        variance_decay = math_ops.cast(variance_decay, dtype)
        num_periods = math_ops.cast(num_periods, dtype)
        alpha = math_ops.cast(alpha, dtype)
        beta = math_ops.cast(beta, dtype)
        step = math_ops.minimum(math_ops.cast(global_step, dtype), decay_steps)
        line = (decay_steps - step) / decay_steps
        variance = initial_variance / math_ops.pow(1.0 + step, variance_decay)
        std = math_ops.sqrt(variance)
        noisy = line + random_ops.random_normal(line.shape, stddev=std)
        completed = step / decay_steps
        fraction = 2.0 * num_periods * completed
        wave = 0.5 * (1.0 + math_ops.cos(constant_op.constant(math.pi) * fraction))
        return math_ops.multiply(initial, (alpha + noisy) * wave + beta, name=scope)
