# SPDX-License-Identifier: Apache-2.0
"""optimize_loss: an op that trains, with decay, noise, clipping and summaries by arguments."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops import variable_scope as vs
from leat.python.ops import variables as vars_
from leat.python.summary import summary
from leat.python.training import adagrad
from leat.python.training import adam
from leat.python.training import ftrl
from leat.python.training import gradient_descent
from leat.python.training import momentum
from leat.python.training import moving_averages
from leat.python.training import optimizer as optimizer_
from leat.python.training import rmsprop
from leat.python.training import training_util as contrib_framework

__all__ = ['optimize_loss', 'adaptive_clipping_fn', 'OPTIMIZER_CLS_NAMES',
           'OPTIMIZER_SUMMARIES']
OPTIMIZER_CLS_NAMES = {
    'Adagrad': adagrad.AdagradOptimizer,
    'Adam': adam.AdamOptimizer,
    'Ftrl': ftrl.FtrlOptimizer,
    'Momentum': lambda lr: momentum.MomentumOptimizer(lr, momentum=0.9),
    'RMSProp': rmsprop.RMSPropOptimizer,
    'SGD': gradient_descent.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ['learning_rate', 'loss', 'gradients', 'gradient_norm',
                       'global_gradient_norm']


def _checked_global_step(global_step):
    if global_step is None:
        return contrib_framework.get_global_step()
    contrib_framework.assert_global_step(global_step)
    return global_step


def _learning_rate_of(learning_rate):
    """The rate as a tensor or a variable that a program may feed."""
    if learning_rate is None:
        return None
    if isinstance(learning_rate, ops.Tensor) and learning_rate.get_shape().ndims == 0:
        return learning_rate
    if isinstance(learning_rate, float):
        if learning_rate < 0.0:
            raise ValueError('Invalid learning_rate %s.' % learning_rate)
        return vs.get_variable('learning_rate', [], trainable=False,
                               initializer=init_ops.constant_initializer(learning_rate))
    raise ValueError('Learning rate should be 0d Tensor or float. Got %s of type %s'
                     % (str(learning_rate), str(type(learning_rate))))


def _optimizer_of(optimizer, lr):
    """The optimizer that a name, a class, a function or an optimizer stands for."""
    if isinstance(optimizer, str):
        if lr is None:
            raise ValueError('Learning rate is None, but should be specified if optimizer is '
                             'string (%s).' % optimizer)
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError('Optimizer name should be one of [%s], you provided %s.'
                             % (', '.join(OPTIMIZER_CLS_NAMES), optimizer))
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=lr) if optimizer != 'Momentum' else (
            OPTIMIZER_CLS_NAMES[optimizer](lr))
    if isinstance(optimizer, type) and issubclass(optimizer, optimizer_.Optimizer):
        if lr is None:
            raise ValueError('Learning rate is None, but should be specified if optimizer is '
                             'class (%s).' % optimizer)
        return optimizer(learning_rate=lr)
    if isinstance(optimizer, optimizer_.Optimizer):
        return optimizer
    if callable(optimizer):
        opt = optimizer(lr) if lr is not None else optimizer()
        if not isinstance(opt, optimizer_.Optimizer):
            raise ValueError('Unrecognized optimizer: function should return subclass of '
                             'Optimizer. Got %s.' % str(opt))
        return opt
    raise ValueError('Unrecognized optimizer: should be string, subclass of Optimizer, instance '
                     'of subclass of Optimizer or function with one argument. Got %s.'
                     % str(optimizer))


def optimize_loss(loss, global_step, learning_rate, optimizer, gradient_noise_scale=None,
                  gradient_multipliers=None, clip_gradients=None, learning_rate_decay_fn=None,
                  update_ops=None, variables=None, name=None, summaries=None,
                  colocate_gradients_with_ops=False, increment_global_step=True):
    """The loss, which the step of training has been taken before."""
    loss = ops.convert_to_tensor(loss)
    loss.get_shape().assert_has_rank(0)
    global_step = _checked_global_step(global_step)
    with vs.variable_scope(name, 'OptimizeLoss', [loss, global_step]):
        if update_ops is None:
            update_ops = set(ops.get_collection(GraphKeys.UPDATE_OPS))
        if update_ops:
            loss = control_flow_ops.with_dependencies(list(update_ops), loss)
        lr = _learning_rate_of(learning_rate)
        if summaries is None:
            summaries = ['loss', 'learning_rate', 'global_gradient_norm']
        else:
            for summ in summaries:
                if summ not in OPTIMIZER_SUMMARIES:
                    raise ValueError('Summaries should be one of [%s], you provided %s.'
                                     % (', '.join(OPTIMIZER_SUMMARIES), summ))
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError('global_step is required for learning_rate_decay_fn.')
            lr = learning_rate_decay_fn(lr, global_step)
            if 'learning_rate' in summaries:
                summary.scalar('learning_rate', lr)
        opt = _optimizer_of(optimizer, lr)
        variables = vars_.trainable_variables() if variables is None else variables
        gradients = opt.compute_gradients(
            loss, variables, colocate_gradients_with_ops=colocate_gradients_with_ops)
        gradients = _changed(gradients, gradient_noise_scale, gradient_multipliers,
                             clip_gradients, summaries)
        _summarize(loss, gradients, clip_gradients, summaries)
        grad_updates = opt.apply_gradients(
            gradients, global_step=global_step if increment_global_step else None, name='train')
        return control_flow_ops.with_dependencies([grad_updates], loss)


def _changed(gradients, noise_scale, multipliers, clip_gradients, summaries):
    """Gradients with noise, times their multipliers, clipped."""
    if noise_scale is not None:
        gradients = _add_scaled_noise_to_gradients(gradients, noise_scale)
    if multipliers is not None:
        gradients = _multiply_gradients(gradients, multipliers)
        if not gradients:
            raise ValueError('Empty list of (gradient, var) pairs encountered. This is most '
                             'likely to be caused by an improper value of '
                             'gradient_multipliers.')
    if 'global_gradient_norm' in summaries or 'gradient_norm' in summaries:
        summary.scalar('global_norm/gradient_norm',
                       clip_ops.global_norm(list(zip(*gradients))[0]))
    if isinstance(clip_gradients, float):
        gradients = _clip_gradients_by_norm(gradients, clip_gradients)
    elif callable(clip_gradients):
        gradients = clip_gradients(gradients)
    elif clip_gradients is not None:
        raise ValueError('Unknown type %s for clip_gradients' % type(clip_gradients))
    return gradients


def _summarize(loss, gradients, clip_gradients, summaries):
    if 'loss' in summaries:
        summary.scalar('loss', loss)
    for gradient, variable in gradients:
        values = gradient.values if isinstance(gradient, ops.IndexedSlices) else gradient
        if values is not None:
            var_name = variable.name.replace(':', '_')
            if 'gradients' in summaries:
                summary.histogram('gradients/%s' % var_name, values)
            if 'gradient_norm' in summaries:
                summary.scalar('gradient_norm/%s' % var_name, clip_ops.global_norm([values]))
    if clip_gradients is not None and ('global_gradient_norm' in summaries
                                       or 'gradient_norm' in summaries):
        summary.scalar('global_norm/clipped_gradient_norm',
                       clip_ops.global_norm(list(zip(*gradients))[0]))


def _clip_gradients_by_norm(grads_and_vars, clip_gradients):
    gradients, variables = zip(*grads_and_vars)
    clipped, _ = clip_ops.clip_by_global_norm(gradients, clip_gradients)
    return list(zip(clipped, variables))


def _adaptive_max_norm(norm, std_factor, decay, global_step, epsilon, name):
    """(the largest norm allowed, the mean of norms), by how the norms' logarithms went."""
    with vs.variable_scope(name, 'AdaptiveMaxNorm', [norm]):
        log_norm = math_ops.log(norm + epsilon)

        def moving_average(name, value, decay):
            variable = vs.get_variable(
                name, shape=value.get_shape(), dtype=value.dtype,
                initializer=init_ops.zeros_initializer(), trainable=False)
            return moving_averages.assign_moving_average(variable, value, decay,
                                                         zero_debias=False)
        if global_step is not None:
            n = math_ops.cast(global_step, dtypes.float32)
            decay = math_ops.minimum(decay, n / (n + 1.))
        mean = moving_average('mean', log_norm, decay)
        sq_mean = moving_average('sq_mean', math_ops.square(log_norm), decay)
        variance = sq_mean - math_ops.square(mean)
        std = math_ops.sqrt(math_ops.maximum(epsilon, variance))
        max_norms = math_ops.exp(mean + std_factor * std)
        return max_norms, mean


def adaptive_clipping_fn(std_factor=2., decay=0.95, static_max_norm=None, global_step=None,
                         report_summary=False, epsilon=1e-8, name=None):
    """A function for clip_gradients: norms that are far above what they were are cut."""
    def gradient_clipping(grads_and_vars):
        grads, variables = zip(*grads_and_vars)
        norm = clip_ops.global_norm(grads)
        max_norm, log_mean = _adaptive_max_norm(norm, std_factor, decay, global_step, epsilon,
                                                name)
        if report_summary:
            summary.scalar('global_norm/adaptive_max_gradient_norm', max_norm)
        max_norm = math_ops.minimum(max_norm, static_max_norm) if static_max_norm else max_norm
        factor = array_ops.where(norm < max_norm, array_ops.ones_like(norm),
                                 math_ops.exp(log_mean) / norm)
        clipped = []
        for grad in grads:
            if grad is None:
                clipped.append(None)
            elif isinstance(grad, ops.IndexedSlices):
                clipped.append(ops.IndexedSlices(grad.values * factor, grad.indices,
                                                 grad.dense_shape))
            else:
                clipped.append(grad * factor)
        return list(zip(clipped, variables))
    return gradient_clipping


def _add_scaled_noise_to_gradients(grads_and_vars, gradient_noise_scale):
    gradients, variables = zip(*grads_and_vars)
    noisy = []
    for gradient in gradients:
        if gradient is None:
            noisy.append(None)
            continue
        shape = (gradient.dense_shape if isinstance(gradient, ops.IndexedSlices)
                 else gradient.get_shape())
        noise = random_ops.truncated_normal(shape) * gradient_noise_scale
        noisy.append(gradient + noise)
    return list(zip(noisy, variables))


def _multiply_gradients(grads_and_vars, gradient_multipliers):
    multiplied = []
    for grad, var in grads_and_vars:
        if grad is not None and (var in gradient_multipliers or var.name in gradient_multipliers):
            key = var if var in gradient_multipliers else var.name
            multiplier = gradient_multipliers[key]
            if isinstance(grad, ops.IndexedSlices):
                grad = ops.IndexedSlices(grad.values * multiplier, grad.indices,
                                         grad.dense_shape)
            else:
                grad *= math_ops.cast(multiplier, grad.dtype)
        multiplied.append((grad, var))
    return multiplied
