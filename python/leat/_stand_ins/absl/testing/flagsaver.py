# SPDX-License-Identifier: Apache-2.0
"""absl.testing.flagsaver: flags as they were when a `with` block, or a function, is left."""
import functools

from leat.python.platform import flags

FLAGS = flags.FLAGS


def save_flag_values(flag_values=FLAGS):
    """The values of all flags by name."""
    return {name: flag_values[name].value for name in flag_values}


def restore_flag_values(saved_flag_values, flag_values=FLAGS):
    """Gives flags the values that save_flag_values found."""
    for name, value in saved_flag_values.items():
        flag_values[name].value = value


class _Saver:
    """A `with` block, and a decorator."""

    def __init__(self, overrides):
        self._overrides = overrides

    def __enter__(self):
        self._saved = save_flag_values()
        for name, value in self._overrides.items():
            setattr(FLAGS, name, value)

    def __exit__(self, *unused):
        restore_flag_values(self._saved)

    def __call__(self, function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with _Saver(self._overrides):
                return function(*args, **kwargs)
        return wrapped


def flagsaver(*args, **kwargs):
    """@flagsaver, @flagsaver(name=value), with flagsaver(name=value)."""
    if args:
        return _Saver({})(args[0])
    return _Saver(kwargs)
