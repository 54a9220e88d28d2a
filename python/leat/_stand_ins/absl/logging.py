# SPDX-License-Identifier: Apache-2.0
"""absl.logging: lines on stderr, by the logger `absl`."""
import logging as _logging

from leat.python.platform import tf_logging as _tf

FATAL, ERROR, WARNING, WARN, INFO, DEBUG = -3, -2, -1, -1, 0, 1
_LEVELS = {FATAL: _logging.CRITICAL, ERROR: _logging.ERROR, WARNING: _logging.WARNING,
           INFO: _logging.INFO, DEBUG: _logging.DEBUG}
_logger = _logging.getLogger('absl')
_verbosity = WARNING


def get_absl_logger():
    return _logger


def _level(level):
    """logging's level of one of absl's; the more verbose, the higher absl's."""
    return _LEVELS.get(level, max(_logging.DEBUG - level + 1, 1))


def log(level, msg, *args, **kwargs):
    if level <= _verbosity:
        if not _logging.getLogger().handlers:
            _logging.basicConfig()
        _logger.log(_level(level), msg, *args, **kwargs)


def set_verbosity(v):
    """A level, or its name; messages up to it are shown."""
    global _verbosity
    _verbosity = globals()[v.upper()] if isinstance(v, str) else int(v)
    _logger.setLevel(_level(_verbosity))


def get_verbosity():
    return _verbosity


def level_debug():
    return _verbosity >= DEBUG


def vlog_is_on(level):
    return level <= _verbosity


def debug(msg, *args, **kwargs):
    log(DEBUG, msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    log(INFO, msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    log(WARNING, msg, *args, **kwargs)


warn = warning


def error(msg, *args, **kwargs):
    log(ERROR, msg, *args, **kwargs)


def exception(msg, *args, **kwargs):
    log(ERROR, msg, *args, exc_info=True, **kwargs)


def fatal(msg, *args, **kwargs):
    """Logs, and ends the process by abort."""
    log(FATAL, msg, *args, **kwargs)
    _logging.shutdown()
    import os
    os.abort()


def vlog(level, msg, *args, **kwargs):
    log(level, msg, *args, **kwargs)


def log_if(level, msg, condition, *args):
    if condition:
        log(level, msg, *args)


def log_every_n(level, msg, n, *args):
    """The first, and then each n-th, time that this line is reached."""
    count = _tf._GetNextLogCountPerToken(('absl', msg, n))
    log_if(level, msg, count % n == 0, *args)


def log_first_n(level, msg, n, *args):
    """The first n times that this line is reached."""
    count = _tf._GetNextLogCountPerToken(('absl', msg, n))
    log_if(level, msg, count < n, *args)


def flush():
    for handler in _logger.handlers:
        handler.flush()


def use_absl_handler():
    """Lines have logging's own form here."""
