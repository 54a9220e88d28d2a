# SPDX-License-Identifier: Apache-2.0
"""Coordinator: several threads that stop together, and whose exceptions are raised once."""
import contextlib
import sys
import threading
import time

from leat.python.framework import errors
from leat.python.platform import tf_logging as logging


class Coordinator(object):
    """Threads ask should_stop(); any of them may request_stop(); join() waits and raises."""

    def __init__(self, clean_stop_exception_types=None):
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._exc_info_to_raise = None
        self._joined = False
        self._registered_threads = set()

    def _filter_exception(self, ex):
        """ex, or None if it is one that just means the end."""
        exception = ex[1] if isinstance(ex, tuple) else ex
        return None if isinstance(exception, self._clean_stop_exception_types) else ex

    def request_stop(self, ex=None):
        """Asks all threads to stop; with an exception, which join() then raises."""
        with self._lock:
            ex = self._filter_exception(ex)
            if self._joined:
                if isinstance(ex, tuple):
                    _, exception, traceback = ex
                    raise exception.with_traceback(traceback)
                if ex is not None:
                    raise ex
                return
            if self._stop_event.is_set():
                return
            if ex and self._exc_info_to_raise is None:
                self._exc_info_to_raise = self._exc_info(ex)
            self._stop_event.set()

    @staticmethod
    def _exc_info(ex):
        if not isinstance(ex, tuple):
            logging.info('Error reported to Coordinator: %s, %s', type(ex), str(ex))
            return type(ex), ex, ex.__traceback__
        logging.info('Error reported to Coordinator: %s', str(ex[1]))
        if len(ex) != 3 or not ex[0] or not ex[1]:
            return (ValueError, ValueError('ex must be a tuple or sys.exc_info must return the '
                                           'current exception: %s' % (ex,)), None)
        return ex

    def clear_stop(self):
        """Takes up anew after a stop."""
        with self._lock:
            self._joined = False
            self._exc_info_to_raise = None
            self._stop_event.clear()

    def should_stop(self):
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """Around what a thread does: an exception requests the stop instead of leaving."""
        try:
            yield
        except:  # noqa: E722  (whatever it is)
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout=None):
        return self._stop_event.wait(timeout)

    def register_thread(self, thread):
        """A thread that join() waits for, too."""
        with self._lock:
            self._registered_threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits for the threads; after a stop not longer than the grace period."""
        with self._lock:
            threads = list(threads) if threads is not None else []
            threads += [t for t in self._registered_threads if t not in threads]
        while not self.should_stop():
            alive = [t for t in threads if t.is_alive()]
            if not alive:
                break
            alive[0].join(0.05)
        period = stop_grace_period_secs
        while any(t.is_alive() for t in threads) and period >= 0.0:
            before = time.monotonic()
            for t in threads:
                if t.is_alive():
                    t.join(min(0.05, max(period, 0.0)))
                    break
            period -= max(time.monotonic() - before, 1e-3)
        stragglers = [t.name for t in threads if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if self._exc_info_to_raise:
                _, ex_instance, traceback = self._exc_info_to_raise
                raise ex_instance.with_traceback(traceback)
            if stragglers:
                if ignore_live_threads:
                    logging.info('Coordinator stopped with threads still running: %s',
                                 ' '.join(stragglers))
                else:
                    raise RuntimeError('Coordinator stopped with threads still running: %s'
                                       % ' '.join(stragglers))

    @property
    def joined(self):
        return self._joined

    def raise_requested_exception(self):
        """Raises the exception that asked for the stop, if one did."""
        with self._lock:
            if self._exc_info_to_raise:
                _, ex_instance, traceback = self._exc_info_to_raise
                raise ex_instance.with_traceback(traceback)


class LooperThread(threading.Thread):
    """Runs a function again and again, every timer_interval_secs or at once."""

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, Coordinator):
            raise ValueError("'coord' argument must be a Coordinator: %s" % coord)
        super(LooperThread, self).__init__()
        self.daemon = True
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._target = target
        if self._target:
            self._args = args or ()
            self._kwargs = kwargs or {}
        elif args or kwargs:
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        self._coord.register_thread(self)

    def isAlive(self):  # its name in older Pythons
        return self.is_alive()

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """A LooperThread, started."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self):
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                next_timer_time = time.time()
                while not self._coord.wait_for_stop(next_timer_time - time.time()):
                    next_timer_time += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self):
        """Before the first."""

    def stop_loop(self):
        """After the last."""

    def run_loop(self):
        if self._target:
            self._target(*self._args, **self._kwargs)
