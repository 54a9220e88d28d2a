# SPDX-License-Identifier: Apache-2.0
"""tf's functions of ops in one module."""


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    import leat
    return getattr(leat, name)
