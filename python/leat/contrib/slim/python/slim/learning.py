# SPDX-License-Identifier: Apache-2.0
"""slim.learning: ops that train, and the loop that runs one under a supervisor."""
import time

from leat.contrib.training.python.training import training
from leat.python.framework import constant_op
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import lookup_ops
from leat.python.ops import math_ops
from leat.python.ops import variables as tf_variables
from leat.python.platform import tf_logging as logging
from leat.python.summary import summary
from leat.python.training import optimizer as tf_optimizer
from leat.python.training import saver as tf_saver
from leat.python.training import supervisor
from leat.python.training import training_util

__all__ = ['add_gradients_summaries', 'clip_gradient_norms', 'multiply_gradients',
           'create_train_op', 'train_step', 'train']
add_gradients_summaries = training.add_gradients_summaries
clip_gradient_norms = training.clip_gradient_norms
multiply_gradients = training.multiply_gradients
_USE_GLOBAL_STEP = 0
_USE_DEFAULT = 0


def create_train_op(total_loss, optimizer, global_step=_USE_GLOBAL_STEP, update_ops=None,
                    variables_to_train=None, clip_gradient_norm=0, summarize_gradients=False,
                    gate_gradients=tf_optimizer.Optimizer.GATE_OP, aggregation_method=None,
                    colocate_gradients_with_ops=False, gradient_multipliers=None,
                    check_numerics=True):
    """The loss, as an op that takes a step first."""
    def transform_grads_fn(grads):
        if gradient_multipliers:
            with ops.name_scope('multiply_grads'):
                grads = multiply_gradients(grads, gradient_multipliers)
        if clip_gradient_norm > 0:
            with ops.name_scope('clip_grads'):
                grads = clip_gradient_norms(grads, clip_gradient_norm)
        return grads
    return training.create_train_op(
        total_loss=total_loss, optimizer=optimizer, global_step=global_step,
        update_ops=update_ops, variables_to_train=variables_to_train,
        transform_grads_fn=transform_grads_fn, summarize_gradients=summarize_gradients,
        gate_gradients=gate_gradients, aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops, check_numerics=check_numerics)


def _wait_for_step(sess, global_step, step):
    """Until the global step is there."""
    while training_util.global_step(sess, global_step) < step:
        logging.info('Waiting for step %d before starting.', step)
        time.sleep(1)


def train_step(sess, train_op, global_step, train_step_kwargs):
    """One step: (the loss, whether to stop)."""
    start_time = time.time()
    total_loss, np_global_step = sess.run([train_op, global_step])
    elapsed = time.time() - start_time
    if 'should_log' in train_step_kwargs and sess.run(train_step_kwargs['should_log']):
        logging.info('global step %d: loss = %.4f (%.3f sec/step)', np_global_step, total_loss,
                     elapsed)
    should_stop = False
    if 'should_stop' in train_step_kwargs:
        should_stop = sess.run(train_step_kwargs['should_stop'])
    return total_loss, should_stop


def _check(train_op, logdir, summary_op, saver, trace_every_n_steps, sync_optimizer,
           startup_delay_steps):
    if train_op is None:
        raise ValueError('train_op cannot be None.')
    if logdir is None:
        if summary_op != _USE_DEFAULT:
            raise ValueError('Cannot provide summary_op because logdir=None')
        if saver is not None:
            raise ValueError('Cannot provide saver because logdir=None')
        if trace_every_n_steps is not None:
            raise ValueError('Cannot provide trace_every_n_steps because logdir=None')
    if sync_optimizer is not None and startup_delay_steps > 0:
        raise ValueError('startup_delay_steps must be zero when sync_optimizer is supplied.')


def _default(value, make):
    """The default where the value says so; 0 does, a tensor or an op never."""
    return make() if isinstance(value, int) and value == _USE_DEFAULT else value


def _step_kwargs(global_step, number_of_steps, log_every_n_steps):
    with ops.name_scope('train_step'):
        kwargs = {}
        if number_of_steps:
            kwargs['should_stop'] = math_ops.greater_equal(global_step, number_of_steps)
        else:
            kwargs['should_stop'] = constant_op.constant(False)
        if log_every_n_steps > 0:
            kwargs['should_log'] = math_ops.equal(
                math_ops.mod(global_step, log_every_n_steps), 0)
    return kwargs


def _loop(sv, sess, train_op, train_step_fn, global_step, train_step_kwargs):
    """Steps until one says stop or there is no input any more; the last loss."""
    total_loss = None
    try:
        while not sv.should_stop():
            total_loss, should_stop = train_step_fn(sess, train_op, global_step,
                                                    train_step_kwargs)
            if should_stop:
                logging.info('Stopping Training.')
                sv.request_stop()
                break
    except errors.OutOfRangeError as e:
        logging.info('Caught OutOfRangeError. Stopping Training. %s', e)
    return total_loss


def train(train_op, logdir, train_step_fn=train_step, train_step_kwargs=_USE_DEFAULT,
          log_every_n_steps=1, graph=None, master='', is_chief=True, global_step=None,
          number_of_steps=None, init_op=_USE_DEFAULT, init_feed_dict=None,
          local_init_op=_USE_DEFAULT, init_fn=None, ready_op=_USE_DEFAULT,
          summary_op=_USE_DEFAULT, save_summaries_secs=600, summary_writer=_USE_DEFAULT,
          startup_delay_steps=0, saver=None, save_interval_secs=600, sync_optimizer=None,
          session_config=None, session_wrapper=None, trace_every_n_steps=None,
          ignore_live_threads=False):
    """Trains: sessions, queues, checkpoints and summaries are the supervisor's."""
    _check(train_op, logdir, summary_op, saver, trace_every_n_steps, sync_optimizer,
           startup_delay_steps)
    graph = graph or ops.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = training_util.get_or_create_global_step()
        saver = saver or tf_saver.Saver()
        sync_optimizers = ([] if sync_optimizer is None else
                           list(sync_optimizer) if isinstance(sync_optimizer, (list, tuple))
                           else [sync_optimizer])
        with ops.name_scope('init_ops'):
            init_op = _default(init_op, tf_variables.global_variables_initializer)
            ready_op = _default(ready_op, tf_variables.report_uninitialized_variables)
            local_init_op = _default(
                local_init_op, lambda: control_flow_ops.group(
                    tf_variables.local_variables_initializer(),
                    lookup_ops.tables_initializer()))
            if sync_optimizers:
                with ops.control_dependencies([local_init_op] if local_init_op is not None
                                              else []):
                    local_init_op = control_flow_ops.group(*[
                        opt.chief_init_op if is_chief else opt.local_step_init_op
                        for opt in sync_optimizers])
                ready_for_local_init_op = sync_optimizers[0].ready_for_local_init_op
            else:
                ready_for_local_init_op = None
        summary_op = _default(summary_op, summary.merge_all)
        if isinstance(summary_writer, int) and summary_writer == _USE_DEFAULT:
            summary_writer = supervisor.Supervisor.USE_DEFAULT
        init_tokens_op = [opt.get_init_tokens_op() for opt in sync_optimizers if is_chief]
        queue_runners = [opt.get_chief_queue_runner() for opt in sync_optimizers if is_chief]
        if isinstance(train_step_kwargs, int) and train_step_kwargs == _USE_DEFAULT:
            train_step_kwargs = _step_kwargs(global_step, number_of_steps, log_every_n_steps)
        sv = supervisor.Supervisor(
            graph=graph, is_chief=is_chief, logdir=logdir, init_op=init_op,
            init_feed_dict=init_feed_dict, local_init_op=local_init_op,
            ready_for_local_init_op=ready_for_local_init_op, ready_op=ready_op,
            summary_op=summary_op, summary_writer=summary_writer, global_step=global_step,
            saver=saver, save_summaries_secs=save_summaries_secs,
            save_model_secs=save_interval_secs, init_fn=init_fn)
    return _managed(sv, master, session_config, session_wrapper, logdir, is_chief, global_step,
                    startup_delay_steps, number_of_steps, init_tokens_op, queue_runners,
                    lambda sess: _loop(sv, sess, train_op, train_step_fn, global_step,
                                       train_step_kwargs), ignore_live_threads)


def _managed(sv, master, session_config, session_wrapper, logdir, is_chief, global_step,
             startup_delay_steps, number_of_steps, init_tokens_op, queue_runners, loop,
             ignore_live_threads):
    """The loop in a session of the supervisor's; once more where a server was lost."""
    should_retry = True
    total_loss = None
    while should_retry:
        try:
            should_retry = False
            with sv.managed_session(master, start_standard_services=False,
                                    config=session_config) as sess:
                logging.info('Starting Session.')
                if session_wrapper is not None:
                    sess = session_wrapper(sess)
                if is_chief:
                    if logdir:
                        sv.start_standard_services(sess)
                elif startup_delay_steps > 0:
                    _wait_for_step(sess, global_step,
                                   min(startup_delay_steps, number_of_steps or (1 << 62)))
                threads = sv.start_queue_runners(sess)
                logging.info('Starting Queues.')
                if queue_runners:
                    threads = list(threads) + sv.start_queue_runners(sess, queue_runners)
                    sess.run(init_tokens_op)
                total_loss = loop(sess)
                if logdir and sv.is_chief:
                    logging.info('Finished training! Saving model to disk.')
                    sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
                sv.stop(threads, close_summary_writer=True,
                        ignore_live_threads=ignore_live_threads)
        except errors.AbortedError:
            logging.info('Retrying training!')
            should_retry = True
    return total_loss
