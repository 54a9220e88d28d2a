# SPDX-License-Identifier: Apache-2.0
"""SessionManager: sessions whose variables are restored, made, or waited for."""
import time

import numpy as np

from leat.python.client import session
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.platform import tf_logging as logging
from leat.python.training import checkpoint_management


def _maybe_name(obj):
    if obj is None:
        return 'None'
    return obj.name if hasattr(obj, 'name') else '<no name for %s>' % type(obj)


class _CountDownTimer(object):
    """How long is left of a duration."""

    def __init__(self, duration_secs):
        self._start_time_secs = time.time()
        self._duration_secs = duration_secs

    def secs_remaining(self):
        return max(0, self._duration_secs - (time.time() - self._start_time_secs))


class SessionManager(object):
    """Makes sessions that are ready to train."""

    def __init__(self, local_init_op=None, ready_op=None, ready_for_local_init_op=None,
                 graph=None, recovery_wait_secs=30, local_init_run_options=None):
        if graph is None:
            graph = ops.get_default_graph()
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graph
        self._recovery_wait_secs = recovery_wait_secs
        self._target = None
        self._local_init_run_options = local_init_run_options
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError('If you pass a ready_for_local_init_op you must also pass a '
                             'local_init_op , ready_for_local_init_op [%s]'
                             % ready_for_local_init_op)

    def _restore_checkpoint(self, master, saver=None, checkpoint_dir=None,
                            checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                            max_wait_secs=7200, config=None):
        """(session, whether a checkpoint was restored in it)."""
        self._target = master
        sess = session.Session(self._target, graph=self._graph, config=config)
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError('Can not provide both checkpoint_dir and '
                             'checkpoint_filename_with_path.')
        if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
            return sess, False
        if checkpoint_filename_with_path:
            saver.restore(sess, checkpoint_filename_with_path)
            return sess, True
        wait_time = 0
        ckpt = checkpoint_management.get_checkpoint_state(checkpoint_dir)
        while not ckpt or not ckpt.model_checkpoint_path:
            if wait_for_checkpoint and wait_time < max_wait_secs:
                logging.info('Waiting for checkpoint to be available.')
                time.sleep(self._recovery_wait_secs)
                wait_time += self._recovery_wait_secs
                ckpt = checkpoint_management.get_checkpoint_state(checkpoint_dir)
            else:
                return sess, False
        saver.restore(sess, ckpt.model_checkpoint_path)
        saver.recover_last_checkpoints(ckpt.all_model_checkpoint_paths)
        return sess, True

    def prepare_session(self, master, init_op=None, saver=None, checkpoint_dir=None,
                        checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None):
        """A session that is restored or initialized; RuntimeError if that was not enough."""
        sess, is_loaded_from_checkpoint = self._restore_checkpoint(
            master, saver, checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
            wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs, config=config)
        if not is_loaded_from_checkpoint:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError('Model is not initialized and no init_op or init_fn or '
                                   'local_init_op was given')
            if init_op is not None:
                sess.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(sess)
        local_init_success, msg = self._try_run_local_init_op(sess)
        if not local_init_success:
            raise RuntimeError(
                'Init operations did not make model ready for local_init.  Init op: %s, init fn: '
                '%s, error: %s' % (_maybe_name(init_op), init_fn, msg))
        is_ready, msg = self._model_ready(sess)
        if not is_ready:
            raise RuntimeError(
                'Init operations did not make model ready.  Init op: %s, init fn: %s, '
                'local_init_op: %s, error: %s'
                % (_maybe_name(init_op), init_fn, self._local_init_op, msg))
        return sess

    def recover_session(self, master, saver=None, checkpoint_dir=None,
                        checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None):
        """(session, whether it is restored and ready)."""
        sess, is_loaded_from_checkpoint = self._restore_checkpoint(
            master, saver, checkpoint_dir=checkpoint_dir,
            checkpoint_filename_with_path=checkpoint_filename_with_path,
            wait_for_checkpoint=wait_for_checkpoint, max_wait_secs=max_wait_secs, config=config)
        local_init_success, msg = self._try_run_local_init_op(sess)
        if not is_loaded_from_checkpoint:
            return sess, False
        restoring_file = checkpoint_dir or checkpoint_filename_with_path
        if not local_init_success:
            logging.info('Restoring model from %s did not make model ready for local init: %s',
                         restoring_file, msg)
            return sess, False
        is_ready, msg = self._model_ready(sess)
        if not is_ready:
            logging.info('Restoring model from %s did not make model ready: %s', restoring_file,
                         msg)
            return sess, False
        logging.info('Restored model from %s', restoring_file)
        return sess, is_loaded_from_checkpoint

    def wait_for_session(self, master, config=None, max_wait_secs=float('Inf')):
        """A session whose variables somebody else has initialized."""
        self._target = master
        if max_wait_secs is None:
            max_wait_secs = float('Inf')
        timer = _CountDownTimer(max_wait_secs)
        while True:
            sess = session.Session(self._target, graph=self._graph, config=config)
            not_ready_msg = None
            local_init_success, not_ready_local_msg = self._try_run_local_init_op(sess)
            if local_init_success:
                is_ready, not_ready_msg = self._model_ready(sess)
                if is_ready:
                    return sess
            self._safe_close(sess)
            if timer.secs_remaining() - self._recovery_wait_secs < 0:
                raise errors.DeadlineExceededError(
                    None, None, 'Session was not ready after waiting %d secs.' % (max_wait_secs,))
            logging.info('Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: '
                         '%s', not_ready_local_msg, not_ready_msg)
            time.sleep(self._recovery_wait_secs)

    def _safe_close(self, sess):
        try:
            sess.close()
        except Exception:  # the task it was on may be gone
            pass

    def _model_ready(self, sess):
        return _ready(self._ready_op, sess, 'Model not ready')

    def _model_ready_for_local_init(self, sess):
        return _ready(self._ready_for_local_init_op, sess, 'Model not ready for local init')

    def _try_run_local_init_op(self, sess):
        """(whether it ran or there is none, why not)."""
        if self._local_init_op is None:
            return True, None
        is_ready, msg = self._model_ready_for_local_init(sess)
        if not is_ready:
            return False, msg
        logging.info('Running local_init_op.')
        sess.run(self._local_init_op, options=self._local_init_run_options)
        logging.info('Done running local_init_op.')
        return True, None


def _ready(op, sess, msg):
    """(whether the op names nothing that is missing, what it names)."""
    if op is None:
        return True, None
    try:
        value = sess.run(op)
        if value is None or value.dtype == np.int32 or value.size == 0:
            return True, None
        return False, 'Variables not initialized: ' + ', '.join(i.decode('utf-8') for i in value)
    except errors.FailedPreconditionError as e:
        if 'uninitialized' not in str(e):
            logging.warning('%s : error [%s]', msg, str(e))
            raise e
        return False, str(e)
