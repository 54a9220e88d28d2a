# SPDX-License-Identifier: Apache-2.0
"""QueueRunners(session): the graph's queue runners run while the block does."""
import contextlib
import threading

from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.training import coordinator

__all__ = ['NestedQueueRunnerError', 'QueueRunners']
_queue_runner_lock = threading.Lock()


class NestedQueueRunnerError(Exception):
    """One block inside of another."""


@contextlib.contextmanager
def QueueRunners(session):
    """The threads, which are stopped and joined at the end."""
    if not _queue_runner_lock.acquire(False):
        raise NestedQueueRunnerError('QueueRunners cannot be nested')
    try:
        coord = coordinator.Coordinator()
        threads = []
        for runner in ops.get_collection(GraphKeys.QUEUE_RUNNERS):
            threads.extend(runner.create_threads(session, coord=coord, daemon=True, start=True))
        try:
            yield threads
        finally:
            coord.request_stop()
            try:
                coord.join(threads, stop_grace_period_secs=120)
            except RuntimeError:
                session.close()
    finally:
        _queue_runner_lock.release()
