# SPDX-License-Identifier: Apache-2.0
"""Combinations of arguments of tests: mode says graph or eager, tf_api_version 1 or 2.

Graph mode and version 1 run; Leat has no eager mode, whose tests are skipped."""
import functools

from leat.python.eager import context
from leat.python.framework import ops
from leat.python.framework import test_combinations


class EagerGraphCombination(test_combinations.TestCombination):
    """mode: 'graph' runs in a graph of its own, 'eager' is skipped; without one, graph."""

    def should_execute_combination(self, kwargs):
        if kwargs.get('mode') == 'eager':
            return False, 'Leat has no eager mode.'
        return True, None

    def context_managers(self, kwargs):
        mode = kwargs.get('mode', 'graph')
        if mode == 'eager':
            return [context.eager_mode()]
        if mode == 'graph':
            return [ops.Graph().as_default(), context.graph_mode()]
        raise ValueError("'mode' has to be either 'eager' or 'graph' and not %s" % mode)

    def parameter_modifiers(self):
        return [test_combinations.OptionalParameter('mode')]


class TFVersionCombination(test_combinations.TestCombination):
    """tf_api_version: 1 runs, 2 is skipped."""

    def should_execute_combination(self, kwargs):
        if kwargs.get('tf_api_version', 1) == 2:
            return False, 'Skipping a TF2 test when TF2 is not enabled.'
        return True, None

    def parameter_modifiers(self):
        return [test_combinations.OptionalParameter('tf_api_version')]


generate = functools.partial(
    test_combinations.generate,
    test_combinations=(EagerGraphCombination(), TFVersionCombination()))
combine = test_combinations.combine
times = test_combinations.times
NamedObject = test_combinations.NamedObject
