# SPDX-License-Identifier: Apache-2.0
"""Ops that train, and a loop that runs one in a monitored session."""
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import variables as tf_variables
from leat.python.platform import tf_logging as logging
from leat.python.summary import summary
from leat.python.training import monitored_session
from leat.python.training import optimizer as tf_optimizer
from leat.python.training import training_util

__all__ = ['add_gradients_summaries', 'clip_gradient_norms', 'clip_gradient_norms_fn',
           'create_train_op', 'multiply_gradients', 'train']
_USE_GLOBAL_STEP = 0


def add_gradients_summaries(grads_and_vars):
    """A histogram and the norm of each gradient."""
    summaries = []
    for grad, var in grads_and_vars:
        if grad is None:
            logging.info('Var %s has no gradient', var.op.name)
            continue
        values = grad.values if isinstance(grad, ops.IndexedSlices) else grad
        summaries.append(summary.histogram(var.op.name + '_gradient', values))
        summaries.append(summary.scalar(var.op.name + '_gradient_norm',
                                        clip_ops.global_norm([values])))
    return summaries


def clip_gradient_norms(gradients_to_variables, max_norm):
    """Each gradient, shrunk to a norm of max_norm where it is larger."""
    clipped = []
    for grad, var in gradients_to_variables:
        if grad is not None:
            if isinstance(grad, ops.IndexedSlices):
                grad = ops.IndexedSlices(clip_ops.clip_by_norm(grad.values, max_norm),
                                         grad.indices, grad.dense_shape)
            else:
                grad = clip_ops.clip_by_norm(grad, max_norm)
        clipped.append((grad, var))
    return clipped


def clip_gradient_norms_fn(max_norm):
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(grads_and_vars, gradient_multipliers):
    """Gradients times the numbers for their variables."""
    if not isinstance(grads_and_vars, list):
        raise ValueError('`grads_and_vars` must be a list.')
    if not gradient_multipliers:
        raise ValueError('`gradient_multipliers` is empty.')
    if not isinstance(gradient_multipliers, dict):
        raise ValueError('`gradient_multipliers` must be a dict.')
    multiplied = []
    for grad, var in grads_and_vars:
        if var in gradient_multipliers or var.op.name in gradient_multipliers:
            key = var if var in gradient_multipliers else var.op.name
            if grad is None:
                raise ValueError('Requested multiple of `None` gradient.')
            multiplier = gradient_multipliers[key]
            if not isinstance(multiplier, ops.Tensor):
                multiplier = ops.convert_to_tensor(multiplier, dtype=grad.dtype)
            if isinstance(grad, ops.IndexedSlices):
                grad = ops.IndexedSlices(grad.values * multiplier, grad.indices,
                                         grad.dense_shape)
            else:
                grad *= multiplier
        multiplied.append((grad, var))
    return multiplied


def create_train_op(total_loss, optimizer, global_step=_USE_GLOBAL_STEP, update_ops=None,
                    variables_to_train=None, transform_grads_fn=None, summarize_gradients=False,
                    gate_gradients=tf_optimizer.Optimizer.GATE_OP, aggregation_method=None,
                    colocate_gradients_with_ops=False, check_numerics=True):
    """The loss, as an op that takes a step first."""
    if global_step is _USE_GLOBAL_STEP:
        global_step = training_util.get_or_create_global_step()
    global_update_ops = _unique(ops.get_collection(GraphKeys.UPDATE_OPS))
    update_ops = global_update_ops if update_ops is None else _unique(update_ops)
    if not {id(u) for u in global_update_ops} <= {id(u) for u in update_ops}:
        logging.warning('update_ops in create_train_op does not contain all the update_ops in '
                        'GraphKeys.UPDATE_OPS')
    if update_ops:
        with ops.control_dependencies(update_ops):
            barrier = control_flow_ops.no_op(name='update_barrier')
        total_loss = control_flow_ops.with_dependencies([barrier], total_loss)
    if variables_to_train is None:
        variables_to_train = tf_variables.trainable_variables()
    else:
        trainable = {id(v) for v in tf_variables.trainable_variables()}
        for v in variables_to_train:
            assert id(v) in trainable
    assert variables_to_train
    grads = optimizer.compute_gradients(
        total_loss, variables_to_train, gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops)
    if transform_grads_fn:
        grads = transform_grads_fn(grads)
    if summarize_gradients:
        with ops.name_scope('summarize_grads'):
            add_gradients_summaries(grads)
    grad_updates = optimizer.apply_gradients(grads, global_step=global_step)
    with ops.name_scope('train_op'):
        if check_numerics:
            total_loss = array_ops.check_numerics(total_loss, 'LossTensor is inf or nan')
        train_op = control_flow_ops.with_dependencies([grad_updates], total_loss)
    train_ops = ops.get_collection_ref(GraphKeys.TRAIN_OP)
    if not any(op is train_op for op in train_ops):
        train_ops.append(train_op)
    return train_op


def _unique(found):
    return list({id(x): x for x in found}.values())


def train(train_op, logdir, master='', is_chief=True, scaffold=None, hooks=None,
          chief_only_hooks=None, save_checkpoint_secs=600, save_summaries_steps=100, config=None,
          max_wait_secs=7200, run_metadata=None):
    """Runs train_op in a monitored session until a hook says stop; its last value."""
    if logdir is None and is_chief:
        if save_summaries_steps:
            raise ValueError('logdir cannot be None when save_summaries_steps is not None')
        if save_checkpoint_secs:
            raise ValueError('logdir cannot be None when save_checkpoint_secs is not None')
    with monitored_session.MonitoredTrainingSession(
            master=master, is_chief=is_chief, checkpoint_dir=logdir, scaffold=scaffold,
            hooks=hooks, chief_only_hooks=chief_only_hooks,
            save_checkpoint_secs=save_checkpoint_secs,
            save_summaries_steps=save_summaries_steps, config=config,
            max_wait_secs=max_wait_secs) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op, run_metadata=run_metadata)
    return loss
