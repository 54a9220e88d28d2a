# SPDX-License-Identifier: Apache-2.0
"""slim.evaluation: ops run over a checkpoint, once or for each new one."""
from leat.contrib.training.python.training import evaluation
from leat.python.summary import summary
from leat.python.training import monitored_session
from leat.python.training import saver as tf_saver
from leat.python.training.evaluation import _evaluate_once, _StopAfterNEvalsHook

__all__ = ['evaluate_once', 'evaluation_loop', 'wait_for_new_checkpoint',
           'checkpoints_iterator']
wait_for_new_checkpoint = evaluation.wait_for_new_checkpoint
checkpoints_iterator = evaluation.checkpoints_iterator
_USE_DEFAULT = 0


def _hooks(num_evals, summary_op, summary_op_feed_dict, logdir, hooks):
    all_hooks = [_StopAfterNEvalsHook(num_evals)]
    if isinstance(summary_op, int) and summary_op == _USE_DEFAULT:
        summary_op = summary.merge_all()
    if summary_op is not None:
        all_hooks.append(evaluation.SummaryAtEndHook(log_dir=logdir, summary_op=summary_op,
                                                     feed_dict=summary_op_feed_dict))
    return all_hooks + list(hooks or [])


def evaluate_once(master, checkpoint_path, logdir, num_evals=1, initial_op=None,
                  initial_op_feed_dict=None, eval_op=None, eval_op_feed_dict=None, final_op=None,
                  final_op_feed_dict=None, summary_op=_USE_DEFAULT, summary_op_feed_dict=None,
                  variables_to_restore=None, session_config=None, hooks=None):
    """eval_op num_evals times over the checkpoint; the value of final_op."""
    saver = tf_saver.Saver(variables_to_restore) if variables_to_restore is not None else None
    return _evaluate_once(
        checkpoint_path, master=master,
        scaffold=monitored_session.Scaffold(init_op=initial_op,
                                            init_feed_dict=initial_op_feed_dict, saver=saver),
        eval_ops=eval_op, feed_dict=eval_op_feed_dict, final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict,
        hooks=_hooks(num_evals, summary_op, summary_op_feed_dict, logdir, hooks),
        config=session_config)


def evaluation_loop(master, checkpoint_dir, logdir, num_evals=1, initial_op=None,
                    initial_op_feed_dict=None, init_fn=None, eval_op=None,
                    eval_op_feed_dict=None, final_op=None, final_op_feed_dict=None,
                    summary_op=_USE_DEFAULT, summary_op_feed_dict=None,
                    variables_to_restore=None, eval_interval_secs=60,
                    max_number_of_evaluations=None, session_config=None, timeout=None,
                    timeout_fn=None, hooks=None):
    """evaluate_once for each new checkpoint of the folder."""
    saver = tf_saver.Saver(variables_to_restore) if variables_to_restore is not None else None
    return evaluation.evaluate_repeatedly(
        checkpoint_dir, master=master,
        scaffold=monitored_session.Scaffold(init_op=initial_op,
                                            init_feed_dict=initial_op_feed_dict,
                                            init_fn=init_fn, saver=saver),
        eval_ops=eval_op, feed_dict=eval_op_feed_dict, final_ops=final_op,
        final_ops_feed_dict=final_op_feed_dict, eval_interval_secs=eval_interval_secs,
        hooks=_hooks(num_evals, summary_op, summary_op_feed_dict, logdir, hooks),
        config=session_config, max_number_of_evaluations=max_number_of_evaluations,
        timeout=timeout, timeout_fn=timeout_fn)
