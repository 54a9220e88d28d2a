# SPDX-License-Identifier: Apache-2.0
"""absl.testing.parameterized: one test method for many arguments.

A decorated method is a list of cases until its class is made; the class then has a method for each:
test0, test1... for parameters(), test and the name for named_parameters().
"""
import collections.abc
import functools
import itertools

from leat._stand_ins.absl.testing import absltest


class _Cases:
    """A test method and the arguments of its cases."""

    def __init__(self, method, cases, named):
        self.method, self.cases, self.named = method, list(cases), named
        self.__name__ = getattr(method, '__name__', 'test')

    def bodies(self, name):
        """(name, function) of each case; cases of cases multiply."""
        inner = self.method.bodies(name) if isinstance(self.method, _Cases) else [
            (name, self.method)]
        for (inner_name, function), (i, case) in itertools.product(inner, enumerate(self.cases)):
            suffix, case = self._name_of(i, case)
            yield inner_name + suffix, _bound(function, case)

    def _name_of(self, i, case):
        if not self.named:
            return str(i), case
        if isinstance(case, collections.abc.Mapping):
            case = dict(case)
            suffix = case.pop('testcase_name')
        else:
            suffix, case = case[0], case[1:]
        return str(suffix), case


def _bound(function, case):
    @functools.wraps(function)
    def test(self):
        if isinstance(case, collections.abc.Mapping):
            return function(self, **case)
        if isinstance(case, collections.abc.Sequence) and not isinstance(case, (str, bytes)):
            return function(self, *case)
        return function(self, case)
    test.__doc__ = '%s%r' % (function.__doc__ + '\n' if function.__doc__ else '', case)
    del test.__wrapped__
    return test


def _decorator(cases, named):
    if len(cases) == 1 and not isinstance(cases[0], (tuple, str, bytes, collections.abc.Mapping)) \
            and isinstance(cases[0], collections.abc.Iterable):
        cases = list(cases[0])

    def decorate(target):
        if isinstance(target, type):
            for name in [n for n in vars(target) if n.startswith('test')
                         and callable(getattr(target, n))]:
                bodies = list(_Cases(getattr(target, name), cases, named).bodies(name))
                delattr(target, name)
                for case_name, body in bodies:
                    setattr(target, case_name, body)
            return target
        return _Cases(target, cases, named)
    return decorate


def parameters(*testcases):
    """Tuples of arguments, dicts of keywords, or single arguments; or one iterable of such."""
    return _decorator(testcases, False)


def named_parameters(*testcases):
    """The same, each begun by its name, or with the key testcase_name."""
    return _decorator(testcases, True)


def product(*kwargs_seqs, **testgrid):
    """All combinations of the values of each keyword."""
    sequences = [list(seq) for seq in kwargs_seqs]
    sequences += [[{name: value} for value in values] for name, values in testgrid.items()]
    cases = []
    for combination in itertools.product(*sequences):
        case = {}
        for part in combination:
            case.update(part)
        cases.append(case)
    return _decorator(cases, False)


class TestGeneratorMetaclass(type):
    """Gives a class a method for each case."""

    def __new__(mcs, class_name, bases, attributes):
        for name, value in list(attributes.items()):
            if isinstance(value, _Cases):
                del attributes[name]
                for case_name, body in value.bodies(name):
                    if case_name in attributes:
                        raise ValueError('two cases of the name %s' % case_name)
                    body.__name__ = case_name
                    attributes[case_name] = body
        return super().__new__(mcs, class_name, bases, attributes)


class TestCase(absltest.TestCase, metaclass=TestGeneratorMetaclass):
    """The base of classes with such tests."""


def CoopTestCase(other_base_class):
    """TestCase for a class that has another base too."""
    base = type(other_base_class)
    if issubclass(TestGeneratorMetaclass, base):
        metaclass = TestGeneratorMetaclass
    else:
        metaclass = type('CoopMetaclass', (TestGeneratorMetaclass, base), {})
    return metaclass('CoopTestCase', (other_base_class, TestCase), {})
