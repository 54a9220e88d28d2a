# SPDX-License-Identifier: Apache-2.0
"""A lock that many of one group may hold at once, but never two groups."""
import contextlib
import threading


class GroupLock(object):
    """Held by members of at most one group at a time."""

    def __init__(self, num_groups=2):
        if num_groups < 1:
            raise ValueError('num_groups must be a positive integer, got {}'.format(num_groups))
        self._ready = threading.Condition(threading.Lock())
        self._num_groups = num_groups
        self._group_member_counts = [0] * num_groups

    @contextlib.contextmanager
    def _held(self, group_id):
        self.acquire(group_id)
        try:
            yield
        finally:
            self.release(group_id)

    def group(self, group_id):
        """A context in which the group holds the lock."""
        self._validate_group_id(group_id)
        return self._held(group_id)

    def acquire(self, group_id):
        """Waits until no other group holds the lock, and holds it."""
        self._validate_group_id(group_id)
        with self._ready:
            self._ready.wait_for(lambda: not self._another_group_active(group_id))
            self._group_member_counts[group_id] += 1

    def release(self, group_id):
        """Gives one holding of the group back."""
        self._validate_group_id(group_id)
        with self._ready:
            self._group_member_counts[group_id] -= 1
            if self._group_member_counts[group_id] == 0:
                self._ready.notify_all()

    def _another_group_active(self, group_id):
        return any(count > 0 for other, count in enumerate(self._group_member_counts)
                   if other != group_id)

    def _validate_group_id(self, group_id):
        if group_id < 0 or group_id >= self._num_groups:
            raise ValueError('group_id={} should be between 0 and num_groups={}'.format(
                group_id, self._num_groups))
