# SPDX-License-Identifier: Apache-2.0
"""All of tf.nn: a name is looked for in the modules that it is made of."""
import importlib

_MODULES = ('nn_impl', 'nn_ops', 'candidate_sampling_ops', 'embedding_ops', 'ctc_ops', 'rnn',
            'math_ops', 'array_ops')


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    for module in _MODULES:
        full = 'leat.python.ops.' + module
        try:
            value = getattr(importlib.import_module(full), name)
        except ModuleNotFoundError as error:
            if not (error.name or '').startswith('leat'):
                raise
            continue
        except AttributeError:
            continue
        globals()[name] = value
        return value
    raise AttributeError('module %r has no attribute %r' % (__name__, name))
