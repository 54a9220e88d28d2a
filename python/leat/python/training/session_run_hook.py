# SPDX-License-Identifier: Apache-2.0
"""What hooks of monitored sessions are, and what they are handed."""
import collections


class SessionRunHook(object):
    """Base class: each method is a moment of the session's life."""

    def begin(self):
        """Once, before the session is made; the graph may be changed."""

    def after_create_session(self, session, coord):
        """After each new session; the graph is final."""

    def before_run(self, run_context):
        """What to run beside the program's own fetches: SessionRunArgs, or None."""
        return None

    def after_run(self, run_context, run_values):
        """run_values has the results of what before_run asked for."""

    def end(self, session):
        """At the end, when nothing was raised."""


class SessionRunArgs(collections.namedtuple('SessionRunArgs',
                                            ['fetches', 'feed_dict', 'options'])):
    """What a hook adds to a run."""

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super(SessionRunArgs, cls).__new__(cls, fetches, feed_dict, options)


class SessionRunContext(object):
    """The run that is about to be made, or was made."""

    def __init__(self, original_args, session):
        self._original_args = original_args
        self._session = session
        self._stop_requested = False

    @property
    def original_args(self):
        return self._original_args

    @property
    def session(self):
        return self._session

    @property
    def stop_requested(self):
        return self._stop_requested

    def request_stop(self):
        """Ends the training after this run."""
        self._stop_requested = True


class SessionRunValues(collections.namedtuple('SessionRunValues',
                                              ['results', 'options', 'run_metadata'])):
    """What a run gave a hook."""
