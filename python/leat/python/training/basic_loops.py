# SPDX-License-Identifier: Apache-2.0
"""A loop of training under a Supervisor."""
from leat.python.framework import errors


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=''):
    """Calls train_step_fn(session, ...) until the stop; begins anew when a task was lost."""
    if args is None:
        args = []
    if kwargs is None:
        kwargs = {}
    should_retry = True
    while should_retry:
        try:
            should_retry = False
            with supervisor.managed_session(master) as sess:
                while not supervisor.should_stop():
                    train_step_fn(sess, *args, **kwargs)
        except errors.AbortedError:
            should_retry = True
