# SPDX-License-Identifier: Apache-2.0
"""Functions of LinearOperators that depend on the classes of their arguments.

A function is looked up by the classes of its operators and their bases: of the registered ones,
that with the fewest steps of inheritance is used.
"""
import itertools

from leat.python.framework import ops
from leat.python.util import tf_inspect

_TABLES = {'adjoint': {}, 'cholesky': {}, 'matmul': {}, 'solve': {}, 'inverse': {}}


def _registered(table, classes):
    """The function for these classes, or None."""
    mros = [tf_inspect.getmro(cls) for cls in classes]
    best, found = None, None
    for steps in itertools.product(*[range(len(m)) for m in mros]):
        function = table.get(tuple(m[i] for m, i in zip(mros, steps)))
        if function is not None and (best is None or sum(steps) < best):
            best, found = sum(steps), function
    return found


def _call(what, default_name, name, operators):
    function = _registered(_TABLES[what], [type(o) for o in operators])
    if function is None:
        raise ValueError('No %s registered for %s' % (
            what, '.'.join(str(type(o)) for o in operators)))
    with ops.name_scope(name or default_name):
        return function(*operators)


def adjoint(lin_op_a, name=None):
    return _call('adjoint', 'Adjoint', name, [lin_op_a])


def cholesky(lin_op_a, name=None):
    return _call('cholesky', 'Cholesky', name, [lin_op_a])


def matmul(lin_op_a, lin_op_b, name=None):
    return _call('matmul', 'Matmul', name, [lin_op_a, lin_op_b])


def solve(lin_op_a, lin_op_b, name=None):
    return _call('solve', 'Solve', name, [lin_op_a, lin_op_b])


def inverse(lin_op_a, name=None):
    return _call('inverse', 'Inverse', name, [lin_op_a])


class _Register(object):
    """A decorator that registers a function of operators of these classes."""

    _what = None

    def __init__(self, *classes):
        self._key = tuple(classes)

    def __call__(self, function):
        if not callable(function):
            raise TypeError('%s_fn must be callable, received: %s' % (self._what, function))
        table = _TABLES[self._what]
        if self._key in table:
            raise ValueError('%s(%s) has already been registered to: %s'
                             % (self._what.title(), ', '.join(c.__name__ for c in self._key),
                                table[self._key]))
        table[self._key] = function
        return function


class RegisterAdjoint(_Register):
    _what = 'adjoint'

    def __init__(self, lin_op_cls_a):
        super(RegisterAdjoint, self).__init__(lin_op_cls_a)


class RegisterCholesky(_Register):
    _what = 'cholesky'

    def __init__(self, lin_op_cls_a):
        super(RegisterCholesky, self).__init__(lin_op_cls_a)


class RegisterMatmul(_Register):
    _what = 'matmul'

    def __init__(self, lin_op_cls_a, lin_op_cls_b):
        super(RegisterMatmul, self).__init__(lin_op_cls_a, lin_op_cls_b)


class RegisterSolve(_Register):
    _what = 'solve'

    def __init__(self, lin_op_cls_a, lin_op_cls_b):
        super(RegisterSolve, self).__init__(lin_op_cls_a, lin_op_cls_b)


class RegisterInverse(_Register):
    _what = 'inverse'

    def __init__(self, lin_op_cls_a):
        super(RegisterInverse, self).__init__(lin_op_cls_a)
