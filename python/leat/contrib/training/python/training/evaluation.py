# SPDX-License-Identifier: Apache-2.0
"""Evaluations again and again, as checkpoints appear."""
from leat.python.platform import tf_logging as logging
from leat.python.training import basic_session_run_hooks
from leat.python.training import checkpoint_utils
from leat.python.training import evaluation
from leat.python.training import monitored_session
from leat.python.training import session_run_hook
from leat.python.training import training_util

StopAfterNEvalsHook = evaluation._StopAfterNEvalsHook
evaluate_once = evaluation._evaluate_once
get_or_create_eval_step = evaluation._get_or_create_eval_step
wait_for_new_checkpoint = checkpoint_utils.wait_for_new_checkpoint
checkpoints_iterator = checkpoint_utils.checkpoints_iterator


class SummaryAtEndHook(session_run_hook.SessionRunHook):
    """Writes the summaries at the end."""

    def __init__(self, log_dir=None, summary_writer=None, summary_op=None, feed_dict=None):
        self._summary_op = summary_op
        self._replace_summary_op = summary_op is None
        self._feed_dict = feed_dict
        self._summary_writer = summary_writer
        self._log_dir = log_dir
        if log_dir is None and summary_writer is None:
            raise ValueError('One of log_dir or summary_writer must be used.')

    def begin(self):
        if self._replace_summary_op:
            from leat.python.summary import summary
            self._summary_op = summary.merge_all()
        self._global_step = training_util.get_or_create_global_step()

    def after_create_session(self, session, coord):
        if self._summary_writer is None and self._log_dir:
            self._summary_writer = basic_session_run_hooks._writer_of(self._log_dir)

    def end(self, session):
        if self._summary_op is not None:
            global_step = training_util.global_step(session, self._global_step)
            summary_str = session.run(self._summary_op, self._feed_dict)
            if self._summary_writer:
                self._summary_writer.add_summary(summary_str, global_step)
        if self._summary_writer:
            self._summary_writer.flush()


def evaluate_repeatedly(checkpoint_dir, master='', scaffold=None, eval_ops=None, feed_dict=None,
                        final_ops=None, final_ops_feed_dict=None, eval_interval_secs=60,
                        hooks=None, config=None, max_number_of_evaluations=None, timeout=None,
                        timeout_fn=None):
    """Evaluates each new checkpoint; the last values of final_ops."""
    eval_step = evaluation._get_or_create_eval_step()
    hooks = list(hooks or [])
    if eval_ops is not None:
        from leat.python.ops import state_ops
        update_eval_step = state_ops.assign_add(eval_step, 1)
        for h in hooks:
            if isinstance(h, StopAfterNEvalsHook):
                h._set_evals_completed_tensor(update_eval_step)
        if isinstance(eval_ops, dict):
            eval_ops['update_eval_step'] = update_eval_step
        elif isinstance(eval_ops, (tuple, list)):
            eval_ops = list(eval_ops) + [update_eval_step]
        else:
            eval_ops = [eval_ops, update_eval_step]
    final_ops_hook = basic_session_run_hooks.FinalOpsHook(final_ops, final_ops_feed_dict)
    hooks.append(final_ops_hook)
    done = 0
    for path in checkpoints_iterator(checkpoint_dir, eval_interval_secs, timeout,
                                     timeout_fn=timeout_fn):
        creator = monitored_session.ChiefSessionCreator(
            scaffold=scaffold, checkpoint_filename_with_path=path, master=master, config=config)
        with monitored_session.MonitoredSession(session_creator=creator, hooks=hooks) as session:
            logging.info('Starting evaluation of %s', path)
            if eval_ops is not None:
                while not session.should_stop():
                    session.run(eval_ops, feed_dict)
        done += 1
        if max_number_of_evaluations is not None and done >= max_number_of_evaluations:
            return final_ops_hook.final_ops_values
    return final_ops_hook.final_ops_values
