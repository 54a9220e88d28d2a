# SPDX-License-Identifier: Apache-2.0
"""tf.logging: the logger `tensorflow`, whose lines on stderr are LEVEL:tensorflow:text."""
import logging as _logging
import os as _os
import sys as _sys
import threading
import time as _time

from logging import DEBUG, ERROR, FATAL, INFO, WARN

_level_names = {FATAL: 'FATAL', ERROR: 'ERROR', WARN: 'WARN', INFO: 'INFO', DEBUG: 'DEBUG'}
_logger = None
_logger_lock = threading.Lock()
_log_counter_per_token = {}
_HERE = _os.path.normcase(__file__)


class _StandardError(_logging.StreamHandler):
    """Writes to the sys.stderr of the moment (a test may have replaced it)."""

    def __init__(self, to_stdout):
        super().__init__(_sys.stdout if to_stdout else _sys.stderr)
        self._to_stdout = to_stdout

    @property
    def stream(self):
        return _sys.stdout if self._to_stdout else _sys.stderr

    @stream.setter
    def stream(self, value):
        pass


def get_logger():
    """The logger; made at the first use, so that a program can set up logging before."""
    global _logger
    if _logger is not None:
        return _logger
    with _logger_lock:
        if _logger is not None:
            return _logger
        logger = _logging.getLogger('tensorflow')
        if not _logging.getLogger().handlers and not logger.handlers:
            interactive = hasattr(_sys, 'ps1') or bool(getattr(_sys.flags, 'interactive', 0))
            if interactive:
                logger.setLevel(INFO)
            elif logger.level == _logging.NOTSET:
                logger.setLevel(WARN)
            handler = _StandardError(interactive)
            handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT, None))
            logger.addHandler(handler)
            logger.propagate = False
        _logger = logger
        return _logger


def _get_caller(offset=3):
    """(code, frame) of the first caller outside this file."""
    frame = _sys._getframe(offset - 1)
    while frame is not None and _os.path.normcase(frame.f_code.co_filename) == _HERE:
        frame = frame.f_back
    return (frame.f_code, frame) if frame is not None else (None, None)


def log(level, msg, *args, **kwargs):
    get_logger().log(level, msg, *args, **kwargs)


def debug(msg, *args, **kwargs):
    get_logger().debug(msg, *args, **kwargs)


def error(msg, *args, **kwargs):
    get_logger().error(msg, *args, **kwargs)


def fatal(msg, *args, **kwargs):
    get_logger().critical(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    get_logger().info(msg, *args, **kwargs)


def warn(msg, *args, **kwargs):
    get_logger().warning(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    get_logger().warning(msg, *args, **kwargs)


def TaskLevelStatusMessage(msg):
    """A message about the whole task: logged as an error."""
    error(msg)


def flush():
    """What was logged is written."""
    for handler in get_logger().handlers:
        handler.flush()


def vlog(level, msg, *args, **kwargs):
    get_logger().log(level, msg, *args, **kwargs)


def _GetNextLogCountPerToken(token):
    _log_counter_per_token[token] = 1 + _log_counter_per_token.get(token, -1)
    return _log_counter_per_token[token]


def _GetFileAndLine():
    code, frame = _get_caller()
    if code is None:
        return '<unknown>', 0
    return code.co_filename, frame.f_lineno


def log_every_n(level, msg, n, *args):
    """The first, and then each n-th, time that this line is reached."""
    count = _GetNextLogCountPerToken(_GetFileAndLine())
    log_if(level, msg, not count % n, *args)


def log_first_n(level, msg, n, *args):
    """The first n times that this line is reached."""
    count = _GetNextLogCountPerToken(_GetFileAndLine())
    log_if(level, msg, count < n, *args)


def log_if(level, msg, condition, *args):
    """Only when condition holds."""
    if condition:
        log(level, msg, *args)


def google2_log_prefix(level, timestamp=None, file_and_line=None):
    """The prefix that the C++ side's lines have."""
    now = timestamp or _time.time()
    parts = _time.localtime(now)
    filename, line = file_and_line or _GetFileAndLine()
    severity = _level_names[level][0] if level in _level_names else 'I'
    return '%c%02d%02d %02d:%02d:%02d.%06d %5d %s:%d] ' % (
        severity, parts[1], parts[2], parts[3], parts[4], parts[5], int(1e6 * (now % 1.0)),
        threading.get_ident() % 100000, _os.path.basename(filename), line)


_log_prefix = google2_log_prefix


def get_verbosity():
    """The level from which on messages are shown."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v):
    """Sets the level from which on messages are shown."""
    get_logger().setLevel(v)
