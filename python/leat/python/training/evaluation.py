# SPDX-License-Identifier: Apache-2.0
"""Evaluations of checkpoints in monitored sessions."""
import time

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import state_ops
from leat.python.ops import variable_scope
from leat.python.platform import tf_logging as logging
from leat.python.training import basic_session_run_hooks
from leat.python.training import monitored_session
from leat.python.training import session_run_hook


def _get_or_create_eval_step():
    """The variable that counts evaluations."""
    graph = ops.get_default_graph()
    eval_steps = graph.get_collection(ops.GraphKeys.EVAL_STEP)
    if len(eval_steps) == 1:
        return eval_steps[0]
    if len(eval_steps) > 1:
        raise ValueError('Multiple tensors added to tf.GraphKeys.EVAL_STEP')
    return variable_scope.get_variable(
        'eval_step', shape=[], dtype=dtypes.int64, initializer=init_ops.zeros_initializer(),
        trainable=False, collections=[ops.GraphKeys.LOCAL_VARIABLES, ops.GraphKeys.EVAL_STEP])


def _get_latest_eval_step_value(update_ops):
    """The count behind the updates."""
    if isinstance(update_ops, dict):
        update_ops = list(update_ops.values())
    with ops.control_dependencies(update_ops):
        return array_ops.identity(_get_or_create_eval_step().read_value())


class _StopAfterNEvalsHook(session_run_hook.SessionRunHook):
    """Ends after so many evaluations."""

    def __init__(self, num_evals, log_progress=True):
        self._num_evals = num_evals
        self._evals_completed = None
        self._log_progress = log_progress
        self._log_frequency = (1 if (num_evals is None or num_evals < 20)
                               else num_evals // 10)

    def _set_evals_completed_tensor(self, updated_eval_step):
        self._evals_completed = updated_eval_step

    def before_run(self, run_context):
        return session_run_hook.SessionRunArgs({'evals_completed': self._evals_completed})

    def after_run(self, run_context, run_values):
        evals_completed = run_values.results['evals_completed']
        if self._log_progress:
            if self._num_evals is None:
                logging.info('Evaluation [%d]', evals_completed)
            elif evals_completed % self._log_frequency == 0 or \
                    self._num_evals == evals_completed:
                logging.info('Evaluation [%d/%d]', evals_completed, self._num_evals)
        if self._num_evals is not None and evals_completed >= self._num_evals:
            run_context.request_stop()


def _evaluate_once(checkpoint_path, master='', scaffold=None, eval_ops=None, feed_dict=None,
                   final_ops=None, final_ops_feed_dict=None, hooks=None, config=None):
    """Runs eval_ops until a hook stops; the values of final_ops then."""
    eval_step = _get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        update_eval_step = state_ops.assign_add(eval_step, 1, use_locking=True)
        if isinstance(eval_ops, dict):
            eval_ops['update_eval_step'] = update_eval_step
        elif isinstance(eval_ops, (tuple, list)):
            eval_ops = list(eval_ops) + [update_eval_step]
        else:
            eval_ops = [eval_ops, update_eval_step]
    eval_step_value = _get_latest_eval_step_value(eval_ops if eval_ops is not None else [])
    for h in hooks:
        if isinstance(h, _StopAfterNEvalsHook):
            h._set_evals_completed_tensor(eval_step_value)
    logging.info('Starting evaluation at %s', time.strftime('%Y-%m-%dT%H:%M:%SZ', time.localtime()))
    creator = monitored_session.ChiefSessionCreator(
        scaffold=scaffold, checkpoint_filename_with_path=checkpoint_path, master=master,
        config=config)
    final_ops_hook = basic_session_run_hooks.FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final_ops_hook)
    with monitored_session.MonitoredSession(session_creator=creator, hooks=hooks) as session:
        if eval_ops is not None:
            while not session.should_stop():
                session.run(eval_ops, feed_dict)
    logging.info('Finished evaluation at %s', time.strftime('%Y-%m-%d-%H:%M:%S', time.localtime()))
    return final_ops_hook.final_ops_values
