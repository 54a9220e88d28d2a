# SPDX-License-Identifier: Apache-2.0
"""tf.train under the name that programs import; each name is found when asked for."""


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    import importlib
    train = importlib.import_module('leat').train
    try:
        return getattr(train, name)
    except AttributeError:
        pass
    try:
        return importlib.import_module('leat.python.training.' + name)
    except ImportError:
        raise AttributeError('module %r has no attribute %r' % (__name__, name)) from None
