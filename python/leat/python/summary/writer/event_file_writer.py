# SPDX-License-Identifier: Apache-2.0
"""Writes Event messages to a file that TensorBoard reads.

An event is written when it is added, by the caller's thread; others see it after a flush, which
comes by itself when flush_secs have passed or max_queue events have been added.
"""
import os
import socket
import threading
import time
import weakref

from leat.core.util import event_pb2
from leat.python.lib.io import file_io
from leat.python.lib.io import tf_record
from leat.python.util import compat


class _EventsFile(object):
    """One file: it is made by the first event."""

    def __init__(self, prefix, suffix):
        self._prefix, self._suffix = prefix, suffix
        self._writer = None
        self._end = None

    def write(self, event):
        if self._writer is None:
            path = '%s.out.tfevents.%010d.%s%s' % (
                self._prefix, time.time(), socket.gethostname(), self._suffix)
            self._writer = tf_record.TFRecordWriter(path)
            self._end = weakref.finalize(self, self._writer.close)
            first = event_pb2.Event(wall_time=time.time(), file_version='brain.Event:2')
            self._writer.write(first.SerializeToString())
            self._writer.flush()
        self._writer.write(event.SerializeToString())

    def flush(self):
        if self._writer is not None:
            self._writer.flush()

    def close(self):
        if self._writer is not None:
            self._end()
            self._writer = None


class EventFileWriter(object):
    """Adds events to a file in logdir."""

    def __init__(self, logdir, max_queue=10, flush_secs=120, filename_suffix=None):
        self._logdir = compat.path_to_str(logdir)
        if not file_io.is_directory(self._logdir):
            file_io.recursive_create_dir(self._logdir)
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._suffix = compat.as_str(filename_suffix) if filename_suffix else ''
        self._lock = threading.Lock()
        self._open()

    def _open(self):
        self._file = _EventsFile(os.path.join(self._logdir, 'events'), self._suffix)
        self._closed = False
        self._unflushed = 0
        self._flushed_at = time.monotonic()

    def get_logdir(self):
        return self._logdir

    def reopen(self):
        """After close(): goes on in a new file."""
        with self._lock:
            if self._closed:
                self._open()

    def add_event(self, event):
        with self._lock:
            if self._closed:
                return
            self._file.write(event)
            self._unflushed += 1
            if self._unflushed > self._max_queue or \
                    time.monotonic() - self._flushed_at > self._flush_secs:
                self._flush()

    def _flush(self):
        self._file.flush()
        self._unflushed = 0
        self._flushed_at = time.monotonic()

    def flush(self):
        """What was added can be read by others."""
        with self._lock:
            if not self._closed:
                self._flush()

    def close(self):
        """Ends the file."""
        with self._lock:
            if not self._closed:
                self._file.close()
                self._closed = True


