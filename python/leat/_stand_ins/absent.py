# SPDX-License-Identifier: Apache-2.0
"""Modules of TensorFlow that Leat has not, and that TensorFlow's own tests import at their head.

Such a module can be imported, so that the tests that do not need it run; what is asked of it is an
error that says so, by which a test that asks is skipped.
"""
import importlib.machinery
import sys
import types
import unittest

_PACKAGES = frozenset((
    'autograph', 'autograph.core', 'autograph.impl', 'autograph.lang', 'data', 'data.experimental',
    'data.experimental.ops', 'data.kernel_tests', 'data.ops', 'data.util', 'debug', 'debug.cli',
    'debug.lib', 'debug.wrappers', 'distribute', 'eager', 'eager.memory_tests', 'feature_column',
    'grappler', 'kernel_tests', 'kernel_tests.random', 'kernel_tests.signal', 'keras',
    'keras.engine', 'keras.layers', 'keras.optimizer_v2', 'keras.utils', 'ops.parallel_for',
    'ops.ragged', 'ops.signal', 'profiler', 'saved_model.model_utils', 'tools.api',
    'tools.api.generator', 'tpu', 'training.saving', 'training.tracking'))
_MODULES = frozenset((
    'framework.auto_control_deps', 'framework.c_api_util', 'framework.combinations',
    'framework.composite_tensor_utils', 'framework.config', 'framework.convert_to_constants',
    'framework.framework_lib', 'framework.func_graph', 'framework.function_def_to_graph',
    'framework.graph_to_function_def', 'framework.kernels', 'framework.op_callbacks',
    'framework.proto_ops', 'framework.subscribe', 'framework.tensor_like',
    'framework.test_combinations', 'ops.batch_ops', 'ops.boosted_trees_ops',
    'ops.clustering_ops', 'ops.collective_ops', 'ops.control_flow_state',
    'ops.control_flow_util_v2', 'ops.control_flow_v2_func_graphs', 'ops.critical_section_ops',
    'ops.default_gradient', 'ops.distributions.bijector_test_util', 'ops.inplace_ops',
    'ops.nccl_ops', 'ops.op_selector', 'ops.proto_ops', 'ops.sdca_ops',
    'ops.spectral_ops_test_util', 'ops.stateful_random_ops', 'ops.tensor_forest_ops',
    'platform.remote_utils', 'saved_model.function_deserialization',
    'saved_model.function_serialization', 'saved_model.nested_structure_coder',
    'saved_model.revived_types', 'saved_model.signature_serialization',
    'summary.writer.event_file_writer_v2', 'training.checkpoint_ops', 'training.distribute',
    'training.distribution_strategy_context', 'training.tensorboard_logging',
    'util.example_parser_configuration', 'util.lock_util', 'util.module_wrapper'))


class AbsentError(AttributeError, unittest.SkipTest):
    """Something of a module that is not there."""


class _Module(types.ModuleType):
    """A module with nothing in it."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        raise AbsentError('Leat has no %s, of which %s is asked (docs/python-api.md)'
                          % (self.__name__.replace('leat', 'tensorflow', 1), name))


def _kind(name):
    """None, or whether leat.python.X is a package. What is in a package, and has a name such as
    modules have, is a module."""
    head, found, rest = name.partition('leat.python.')
    if head or not found:
        return None
    if rest in _PACKAGES:
        return True
    above, _, last = rest.rpartition('.')
    if rest in _MODULES or (above in _PACKAGES and last.islower() and last[0] != '_'):
        return False
    return None


class _Finder:
    """Finds what no other finder found; makes it."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        del path, target
        is_package = _kind(fullname)
        if is_package is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, _Finder, is_package=is_package)

    @staticmethod
    def create_module(spec):
        return _Module(spec.name, 'Not there.')

    @staticmethod
    def exec_module(module):
        """Nothing is in it."""


def install():
    """From now on they can be imported."""
    if _Finder not in sys.meta_path:
        sys.meta_path.append(_Finder)
