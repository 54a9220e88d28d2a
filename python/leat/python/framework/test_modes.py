# SPDX-License-Identifier: Apache-2.0
"""The decorators of TensorFlow's tests that choose how a test is run.

Leat runs graphs: what asks for a graph is run as it is, the graph's half of what asks for both is
run, and what asks for eager execution, for TensorFlow 2 or for a GPU is skipped.
"""
import functools
import gc
import unittest

from leat.python.framework import ops
from leat.python.util import tf_inspect


def _optional(decorate, func):
    """decorate, used with or without a call."""
    return decorate if func is None else decorate(func)


def _skipped(reason):
    def decorate(f):
        if tf_inspect.isclass(f):
            return unittest.skip(reason)(f)

        @functools.wraps(f)
        def skip(self, *args, **kwargs):
            self.skipTest(reason)
        return skip
    return decorate


def _as_it_is(f):
    return f


def for_all_test_methods(decorator, *args, **kwargs):
    """A decorator of classes: the decorator for each of the tests."""
    def decorate_all(cls):
        if not tf_inspect.isclass(cls):
            raise TypeError('Argument to the decorator must be a class')
        for name in dir(cls):
            value = getattr(cls, name)
            if callable(value) and name.startswith(unittest.TestLoader.testMethodPrefix) and \
                    name != 'test_session':
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls
    return decorate_all


# ---- graphs or eager execution ----

def run_in_graph_and_eager_modes(func=None, config=None, use_gpu=True, reset_test=True,
                                 assert_no_eager_garbage=False):
    """The test, in a session's graph."""
    def decorate(f):
        if tf_inspect.isclass(f):
            raise ValueError('`run_in_graph_and_eager_modes` only supports test methods. Did you '
                             'mean to use `run_all_in_graph_and_eager_modes`?')

        @functools.wraps(f)
        def decorated(self, *args, **kwargs):
            with self.test_session(use_gpu=use_gpu, config=config):
                f(self, *args, **kwargs)
        return decorated
    return _optional(decorate, func)


def run_all_in_graph_and_eager_modes(cls):
    """The tests of a class, each in a session's graph."""
    for name in dir(cls):
        if not name.startswith(unittest.TestLoader.testMethodPrefix) or \
                name.startswith('testSkipEager') or name.startswith('test_skip_eager') or \
                name == 'test_session':
            continue
        value = getattr(cls, name, None)
        if callable(value):
            setattr(cls, name, run_in_graph_and_eager_modes(value))
    return cls


def deprecated_graph_mode_only(func=None):
    return _optional(_as_it_is, func)


run_deprecated_v1 = deprecated_graph_mode_only
run_all_in_deprecated_graph_mode_only = _as_it_is


def run_v1_only(reason, func=None):
    if not isinstance(reason, str):
        raise ValueError("'reason' should be string, got {}".format(type(reason)))
    return _optional(_as_it_is, func)


def run_v2_only(func=None):
    return _optional(_skipped('Test is only comptaible with v2'), func)


def also_run_as_tf_function(f):
    return f


def py_func_if_in_function(f):
    return f


def build_as_function_and_v1_graph(func=None):
    """The test, in a graph of its own."""
    def decorate(f):
        if tf_inspect.isclass(f):
            raise ValueError('`run_in_graph_mode_and_function` only supports test methods.')

        @functools.wraps(f)
        def decorated(self, *args, **kwargs):
            self.setUp()
            with ops.Graph().as_default():
                f(self, *args, **kwargs)
            self.tearDown()
        return decorated
    return _optional(decorate, func)


# ---- devices ----

def run_gpu_only(func=None):
    return _optional(_skipped('Test requires GPU'), func)


def run_cuda_only(func=None):
    return _optional(_skipped('Test requires CUDA GPU'), func)


def use_deterministic_cudnn(func):
    return func


def skip_if(condition):
    """A decorator: the body is left out where the condition, or the function's answer, holds."""
    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            skip = condition() if callable(condition) else condition
            if not skip:
                fn(*args, **kwargs)
        return wrapper
    return decorate


# ---- switches of TensorFlow that are nothing here ----

def enable_c_shapes(fn):
    return fn


def with_c_shapes(cls):
    return cls


def with_c_api(cls):
    return cls


def disable_control_flow_v2(unused_msg):
    return _as_it_is


def enable_control_flow_v2(fn):
    """The test, with the loops and branches that there are."""
    return fn


def with_control_flow_v2(cls):
    return cls


def enable_output_all_intermediates(fn):
    return fn


def disable_xla(description):
    return _as_it_is


disable_all_xla = no_xla_auto_jit = xla_allow_fallback = disable_xla
enable_tf_xla_constant_folding = disable_xla


def is_xla_enabled():
    return False


# ---- what is left behind ----

def assert_no_new_tensors(f):
    """The test leaves no more Tensors in memory than there were, the default graph's apart."""
    def alive():
        return {id(o): o for o in gc.get_objects() if isinstance(o, ops.Tensor)}

    @functools.wraps(f)
    def decorated(self, **kwargs):
        gc.collect()
        before = set(alive())
        outside = ops.get_default_graph()
        with ops.Graph().as_default():
            result = f(self, **kwargs)
        if getattr(self, '_cached_session', None) is not None:
            self._ClearCachedSession()
        gc.collect()
        left = [o for i, o in alive().items() if i not in before and o.graph is not outside]
        if left:
            raise AssertionError('%d Tensors are still alive after decorated test: %s'
                                 % (len(left), [str(t) for t in left]))
        return result
    return decorated


def assert_no_garbage_created(f):
    """The test leaves nothing that only the collector of cycles could free."""
    @functools.wraps(f)
    def decorated(self, **kwargs):
        was_enabled = gc.isenabled()
        gc.disable()
        flags = gc.get_debug()
        gc.set_debug(0)
        gc.collect()
        try:
            gc.set_debug(gc.DEBUG_SAVEALL)
            before = len(gc.garbage)
            result = f(self, **kwargs)
            gc.collect()
            new = len(gc.garbage) - before
            del gc.garbage[before:]
        finally:
            gc.set_debug(flags)
            if was_enabled:
                gc.enable()
        if new > 0:
            self.fail('%d objects were left to the collector' % new)
        return result
    return decorated


def assert_no_new_pyobjects_executing_eagerly(f):
    return _skipped('Test is of eager execution')(f)


# ---- combinations of parameters ----

def generate_combinations_with_testcase_name(**kwargs):
    """All combinations of the values of each keyword, each with a testcase_name."""
    import itertools
    keys = sorted(kwargs)
    values = [kwargs[k] if isinstance(kwargs[k], (list, tuple)) else [kwargs[k]] for k in keys]
    found = []
    for combination in itertools.product(*values):
        row = dict(zip(keys, combination))
        name = ''.join('_%s_%s' % (''.join(filter(str.isalnum, k)),
                                   ''.join(filter(str.isalnum, str(v)))) for k, v in row.items())
        found.append(dict(row, testcase_name='_test{}'.format(name)))
    return found
