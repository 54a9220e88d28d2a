# SPDX-License-Identifier: Apache-2.0
"""Tests that run for each of a list of combinations of arguments.

combine() and times() make the list, generate() the test methods; TestCombination says in which
surroundings a combination runs, ParameterModifier what the test is given.
"""
import collections
import collections.abc
import contextlib
import inspect
import itertools
import sys
import unittest

from leat._stand_ins.absl.testing import parameterized as own_parameterized


class TestCombination:
    """What a kind of tests does with its combinations; this one does nothing."""

    def should_execute_combination(self, kwargs):
        """(whether it is to run, why not)."""
        del kwargs
        return True, None

    def parameter_modifiers(self):
        """ParameterModifiers to use, in order."""
        return []

    def context_managers(self, kwargs):
        """Context managers in which the test runs, the outermost first."""
        del kwargs
        return []


class ParameterModifier:
    """Changes what a test is given; two of a class and of a parameter's name are equal."""

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name=None):
        self._parameter_name = parameter_name

    def modified_arguments(self, kwargs, requested_parameters):
        """The arguments that are to be other ones; DO_NOT_PASS_TO_THE_TEST takes one away."""
        del kwargs, requested_parameters
        return {}

    def __eq__(self, other):
        if self is other:
            return True
        if type(self) is type(other):
            return self._parameter_name == other._parameter_name
        return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self._parameter_name) if self._parameter_name else id(self.__class__)


class OptionalParameter(ParameterModifier):
    """An argument that a test need not take."""

    def modified_arguments(self, kwargs, requested_parameters):
        if self._parameter_name in requested_parameters:
            return {}
        return {self._parameter_name: self.DO_NOT_PASS_TO_THE_TEST}


class NamedObject:
    """An object with a name, for the name of the test; else it is as the object."""

    def __init__(self, name, obj):
        self._name = name
        self._obj = obj

    def __getattr__(self, name):
        return getattr(self._obj, name)

    def __call__(self, *args, **kwargs):
        return self._obj(*args, **kwargs)

    def __repr__(self):
        return self._name


def combine(**kwargs):
    """All combinations: a list is a choice, what is no list is the only one."""
    names = sorted(kwargs)
    choices = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]]
               for name in names]
    return [collections.OrderedDict(zip(names, values)) for values in itertools.product(*choices)]


def times(*combined):
    """Each combination of one list with each of the others, which name other arguments."""
    assert combined
    result = combined[0]
    for more in combined[1:]:
        joined = []
        for one, other in itertools.product(result, more):
            if set(one) & set(other):
                raise ValueError('Keys need to not overlap: {} vs {}'.format(
                    one.keys(), other.keys()))
            joined.append(collections.OrderedDict([*one.items(), *other.items()]))
        result = joined
    return result


def _get_name(value, index):
    """How a value is called in a test's name; the index stands for an address."""
    full = str(value)
    return full.split(' at 0x')[0] + ' at %d>' % index if ' at 0x' in full else full


def _case(combination):
    """A combination, with the name of its test."""
    assert isinstance(combination, collections.abc.Mapping)
    pairs = sorted(combination.items())
    words = ['{}_{}'.format(''.join(filter(str.isalnum, key)),
                            ''.join(filter(str.isalnum, _get_name(value, i))))
             for i, (key, value) in enumerate(pairs)]
    return collections.OrderedDict([*pairs, ('testcase_name', '_test_' + '_'.join(words))])


def _requested(method):
    """The names of the parameters of a test: it must be given all, also those with a default."""
    return [p.name for p in inspect.signature(method).parameters.values()
            if p.kind == p.POSITIONAL_OR_KEYWORD]


def _arguments(method, modifiers, kwargs):
    """What a test is given for a combination."""
    requested = _requested(method)
    given = dict(kwargs)
    for modifier in modifiers:
        given.update(modifier.modified_arguments(dict(kwargs), requested))
    given = {name: value for name, value in given.items()
             if value is not ParameterModifier.DO_NOT_PASS_TO_THE_TEST}
    missing = set(requested) - set(given) - {'self'}
    if missing:
        raise ValueError('The test requires parameters whose arguments were not passed: %s .'
                         % missing)
    unknown = set(given) - set(requested)
    if unknown:
        raise ValueError('The test does not take parameters that were passed : %s .' % unknown)
    return given


def _augment_with_special_arguments(test_method, test_combinations):
    """The test method that obeys the TestCombinations."""
    def decorated(self, **kwargs):
        reasons = []
        for combination in test_combinations:
            run, reason = combination.should_execute_combination(dict(kwargs))
            if not run:
                reasons.append(' - ' + reason if reason else reason)
        if reasons:
            raise unittest.SkipTest('\n'.join(filter(None, reasons)))
        modifiers = {}  # no modifier twice
        for combination in test_combinations:
            modifiers.update(dict.fromkeys(combination.parameter_modifiers()))
        given = _arguments(test_method, modifiers, kwargs)
        with contextlib.ExitStack() as stack:
            for combination in test_combinations:
                for manager in combination.context_managers(dict(kwargs)):
                    stack.enter_context(manager)
            test_method(**dict(given, self=self))
    decorated.__name__ = test_method.__name__
    decorated.__doc__ = test_method.__doc__
    return decorated


def _named_parameters(cases):
    """The decorator of the absl that the program has imported, else of Leat's."""
    parameterized = sys.modules.get('absl.testing.parameterized', own_parameterized)
    return parameterized.named_parameters(*cases)


def generate(combinations, test_combinations=()):
    """Decorates a test method, or a class of them, to run for each combination."""
    def decorator(target):
        cases = [_case(combination) for combination in combinations]
        if isinstance(target, type):
            for name, method in list(vars(target).items()):
                if name.startswith('test') and callable(method):
                    setattr(target, name,
                            _augment_with_special_arguments(method, test_combinations))
            return _named_parameters(cases)(target)
        return _named_parameters(cases)(
            _augment_with_special_arguments(target, test_combinations))
    return decorator
