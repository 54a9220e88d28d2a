# SPDX-License-Identifier: Apache-2.0
"""What TensorFlow's Python tests stand on: TensorFlowTestCase, with its sessions; comparisons of
graphs; layouts of images. The checks are in test_asserts.py, the decorators in test_modes.py.
"""
import contextlib
import os
import random
import re
import tempfile
import threading

import numpy as np

from leat.core.framework import graph_pb2
from leat.core.protobuf import config_pb2
from leat.core.protobuf import rewriter_config_pb2
from leat.python.client import session
from leat.python.framework import ops
from leat.python.framework import random_seed
from leat.python.framework.test_asserts import TestCaseAsserts
from leat.python.framework.test_modes import (  # noqa: F401
    also_run_as_tf_function, assert_no_garbage_created, assert_no_new_pyobjects_executing_eagerly,
    assert_no_new_tensors, build_as_function_and_v1_graph, deprecated_graph_mode_only,
    disable_all_xla, disable_control_flow_v2, disable_xla, enable_c_shapes,
    enable_control_flow_v2, enable_output_all_intermediates, enable_tf_xla_constant_folding,
    for_all_test_methods, generate_combinations_with_testcase_name, is_xla_enabled,
    no_xla_auto_jit, py_func_if_in_function, run_all_in_deprecated_graph_mode_only,
    run_all_in_graph_and_eager_modes, run_cuda_only, run_deprecated_v1, run_gpu_only,
    run_in_graph_and_eager_modes, run_v1_only, run_v2_only, skip_if, use_deterministic_cudnn,
    with_c_api, with_c_shapes, with_control_flow_v2, xla_allow_fallback)
from leat.python.platform import googletest
from leat.python.platform import tf_logging as logging
from leat.python.util import compat
from leat.python.util import nest

_SHARDED_SAVE_OP_PATTERN = '_temp_[0-9a-z]{32}/part'
_TABLE_SHARED_NAME_PATTERN = r'hash_table_[0-9a-z\-]+'


# ---- devices ----

def gpu_device_name():
    """The name of a GPU device, or ''."""
    from leat.python.client import device_lib
    for device in device_lib.list_local_devices():
        if device.device_type in ('GPU', 'SYCL'):
            return compat.as_str(device.name)
    return ''


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Whether there is a GPU device."""
    return bool(gpu_device_name())


def GpuSupportsHalfMatMulAndConv():
    return False


def IsGoogleCudaEnabled():
    return False


def IsBuiltWithROCm():
    return False


def IsMklEnabled():
    return False


def InstallStackTraceHandler():
    """The tracebacks of all threads, where the process dies of a signal."""
    import faulthandler
    faulthandler.enable()


@contextlib.contextmanager
def device(use_gpu):
    """On a GPU where one is wanted and there; on the CPU."""
    name = (gpu_device_name() if use_gpu else '') or '/device:CPU:0'
    with ops.device(name):
        yield


@contextlib.contextmanager
def use_gpu():
    with device(use_gpu=True):
        yield


@contextlib.contextmanager
def force_gpu():
    with ops.device('/device:GPU:0'):
        yield


@contextlib.contextmanager
def force_cpu():
    with ops.device('/device:CPU:0'):
        yield


# ---- graphs ----

def _strip_checkpoint_v2_randomized(graph_def):
    for node in graph_def.node:
        gone = [key for key in node.attr
                if re.search(_SHARDED_SAVE_OP_PATTERN, str(node.attr[key].tensor.string_val))]
        for key in gone:
            del node.attr[key]


def _strip_hash_table_shared_name(graph_def):
    for node in graph_def.node:
        if node.op == 'HashTableV2' and \
                re.match(_TABLE_SHARED_NAME_PATTERN, compat.as_str(node.attr['shared_name'].s)):
            del node.attr['shared_name']


def _inputs_of(node):
    plain = [re.sub(':0$', '', i) for i in node.input if not i.startswith('^')]
    return plain, sorted(i for i in node.input if i.startswith('^'))


def _node_difference(actual, expected):
    """What tells two nodes apart, or None."""
    name = actual.name
    for field in ('op', 'device'):
        if getattr(actual, field) != getattr(expected, field):
            return "Node named '%s' has %s '%s' that is not expected '%s'" % (
                name, field, getattr(actual, field), getattr(expected, field))
    if _inputs_of(actual) != _inputs_of(expected):
        return "Node named '%s' has inputs '%s' that do not match expected '%s'" % (
            name, list(actual.input), list(expected.input))
    one = {k: v for k, v in actual.attr.items() if not k.startswith('_')}
    other = {k: v for k, v in expected.attr.items() if not k.startswith('_')}
    for key in sorted(other):
        if key not in one:
            return "Node named '%s' missing expected attr '%s' with value: %s" % (
                name, key, other[key])
        if one[key] != other[key]:
            return "Node named '%s' has attr '%s' with value: %s that does not match expected: " \
                '%s' % (name, key, one[key], other[key])
    for key in sorted(one):
        if key not in other:
            return "Node named '%s' has unexpected attr '%s' with value: %s" % (name, key, one[key])
    return None


def _graph_difference(actual, expected):
    """What tells two graphs apart, the order of the nodes aside; or None."""
    wanted = {node.name: node for node in expected.node}
    for node in actual.node:
        other = wanted.pop(node.name, None)
        if other is None:
            return "Found unexpected node '%s'" % node.name
        difference = _node_difference(node, other)
        if difference:
            return difference
    for name in wanted:
        return "Missing expected node '%s'" % name
    return None


def assert_equal_graph_def_v2(expected, actual):
    assert_equal_graph_def_v1(actual, expected, checkpoint_v2=True, hash_table_shared_name=True)


def assert_equal_graph_def_v1(actual, expected, checkpoint_v2=False, hash_table_shared_name=False):
    """The two GraphDefs have the same nodes, in whatever order."""
    copies = []
    for what, graph in (('actual', actual), ('expected', expected)):
        if type(graph).__name__ != 'GraphDef':
            raise TypeError('Expected tf.GraphDef for %s, got %s' % (what, type(graph).__name__))
        copy = graph_pb2.GraphDef()
        copy.CopyFrom(graph)
        if checkpoint_v2:
            _strip_checkpoint_v2_randomized(copy)
        if hash_table_shared_name:
            _strip_hash_table_shared_name(copy)
        copies.append(copy)
    difference = _graph_difference(*copies)
    if difference:
        raise AssertionError(difference)


assert_equal_graph_def = assert_equal_graph_def_v1


def assert_meta_graph_protos_equal(tester, a, b):
    """Two MetaGraphDefs, the order in their collections' messages aside."""
    tester.assertEqual(set(a.collection_def), set(b.collection_def))
    collections = [{k: m.collection_def[k] for k in m.collection_def} for m in (a, b)]
    for key, one in collections[0].items():
        other = collections[1][key]
        kind = ops.get_collection_proto_type(key)
        if kind is None or not len(one.bytes_list.value):
            tester.assertEqual(one, other)
            continue
        for x, y in zip(one.bytes_list.value, other.bytes_list.value):
            tester.assertProtoEquals(kind.FromString(x), kind.FromString(y))
    graphs = [m.graph_def for m in (a, b)]
    assert_equal_graph_def_v1(*graphs)
    rest = []
    for message in (a, b):
        copy = type(message)()
        copy.CopyFrom(message)
        copy.ClearField('collection_def')
        copy.ClearField('graph_def')
        rest.append(copy)
    tester.assertProtoEquals(*rest)


def assert_ops_in_graph(expected_ops, graph):
    """{name: op} are in the graph: {name: NodeDef}."""
    found = {}
    graph_def = graph.as_graph_def() if hasattr(graph, 'as_graph_def') else graph
    for node in graph_def.node:
        if node.name in expected_ops:
            if expected_ops[node.name] != node.op:
                raise ValueError('Expected op for node %s is different. %s vs %s'
                                 % (node.name, expected_ops[node.name], node.op))
            found[node.name] = node
    if set(expected_ops) != set(found):
        raise ValueError('Not all expected ops are present. Expected %s, found %s'
                         % (expected_ops.keys(), found.keys()))
    return found


def get_node_def_from_graph(node_name, graph_def):
    for node in graph_def.node:
        if node.name == node_name:
            return node
    return None


def set_producer_version(graph, producer_version):
    """The graph was made by a program of that version."""
    from leat.python.framework import importer
    graph_def = graph_pb2.GraphDef()
    graph_def.versions.producer = producer_version
    with graph.as_default():
        importer.import_graph_def(graph_def)
    if graph.graph_def_versions.producer != producer_version:
        raise AssertionError('the producer of the graph is %d'
                             % graph.graph_def_versions.producer)


# ---- layouts of images ----

def _permuted(value, permutation):
    if isinstance(value, ops.Tensor):
        from leat.python.ops import array_ops
        return array_ops.transpose(value, permutation)
    return [value[p] for p in permutation]


def NHWCToNCHW(input_tensor):
    """Channels last to channels first: of a tensor, or a shape of 4 or 5."""
    n = _rank(input_tensor)
    return _permuted(input_tensor, {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]}[n])


def NCHWToNHWC(input_tensor):
    n = _rank(input_tensor)
    return _permuted(input_tensor, {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}[n])


def _rank(value):
    return value.shape.ndims if isinstance(value, ops.Tensor) else len(value)


def NHWCToNCHW_VECT_C(input_shape_or_tensor):
    """Channels last to pieces of four channels."""
    is_tensor = isinstance(input_shape_or_tensor, ops.Tensor)
    shape = input_shape_or_tensor.shape.as_list() if is_tensor else list(input_shape_or_tensor)
    if shape[-1] % 4:
        raise ValueError('last dimension of input must be evenly divisible by 4 to convert to '
                         'NCHW_VECT_C.')
    split = shape[:-1] + [shape[-1] // 4, 4]
    if not is_tensor:
        return _permuted(split, [0, 3, 1, 2, 4] if len(shape) == 4 else [0, 4, 1, 2, 3, 5])
    from leat.python.ops import array_ops
    return array_ops.transpose(array_ops.reshape(input_shape_or_tensor, split),
                               [0, 3, 1, 2, 4] if len(shape) == 4 else [0, 4, 1, 2, 3, 5])


def NCHW_VECT_CToNHWC(input_shape_or_tensor):
    is_tensor = isinstance(input_shape_or_tensor, ops.Tensor)
    shape = input_shape_or_tensor.shape.as_list() if is_tensor else list(input_shape_or_tensor)
    order = [0, 2, 3, 1, 4] if len(shape) == 5 else [0, 2, 3, 4, 1, 5]
    merged = [shape[i] for i in order]
    merged = merged[:-2] + [merged[-2] * merged[-1]]
    if not is_tensor:
        return merged
    from leat.python.ops import array_ops
    return array_ops.reshape(array_ops.transpose(input_shape_or_tensor, order), merged)


# ---- clusters ----

def create_local_cluster(num_workers, num_ps, protocol='grpc', worker_config=None, ps_config=None):
    """(workers, parameter servers) of this process, each on a free port."""
    import socket
    from leat.python.training import server_lib
    holders = [socket.socket() for _ in range(num_workers + num_ps)]
    for holder in holders:
        holder.bind(('localhost', 0))
    places = ['localhost:%d' % holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    cluster = server_lib.ClusterSpec({'worker': places[:num_workers], 'ps': places[num_workers:]})
    made = {}
    for job, count, config in (('worker', num_workers, worker_config), ('ps', num_ps, ps_config)):
        made[job] = [server_lib.Server(cluster, job_name=job, protocol=protocol, task_index=i,
                                       config=config, start=True) for i in range(count)]
    return made['worker'], made['ps']


# ---- sessions ----

class CapturedWrites(object):
    """What was written to a stream."""

    def __init__(self, capture_location):
        self.capture_location = capture_location

    def contents(self):
        with open(self.capture_location) as file:
            return file.read()


class ErrorLoggingSession(session.Session):
    """A session that logs the errors of its steps."""

    def run(self, *args, **kwargs):
        try:
            return super(ErrorLoggingSession, self).run(*args, **kwargs)
        except Exception as error:  # pylint: disable=broad-except
            from leat.python.framework import errors
            if not isinstance(error, errors.OutOfRangeError):
                logging.error(str(error))
            raise


class FakeEagerSession(object):
    """Runs steps by the test case's evaluate()."""

    def __init__(self, test_case):
        self._test_case = test_case

    def run(self, fetches, *args, **kwargs):
        if kwargs.pop('feed_dict', None) or args:
            raise RuntimeError('feed_dict is not supported when eager execution is enabled')
        return self._test_case.evaluate(fetches)


class EagerSessionWarner(object):
    """Stands where there is no session."""

    def __getattr__(self, attr):
        raise AttributeError('Trying to access properties or call methods on the result of '
                             'self.session(), self.cached_session(), etc while eager execution '
                             'is enabled.')


class _CheckedThread(object):
    """A thread whose failure is the test's."""

    def __init__(self, testcase, target, args=None, kwargs=None):
        self._testcase = testcase
        self._target = target
        self._args = args or ()
        self._kwargs = kwargs or {}
        self._thread = threading.Thread(target=self._protected_run, daemon=True)
        self._exception = None
        self._is_thread_joined = False

    def _protected_run(self):
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as error:  # pylint: disable=broad-except
            self._exception = error

    def start(self):
        self._thread.start()

    def join(self):
        """Waits for its end; the test fails where it failed."""
        self._is_thread_joined = True
        self._thread.join()
        if self._exception is not None:
            self._testcase.fail('Error in checkedThread: %s' % str(self._exception))

    def is_alive(self):
        return self._thread.is_alive()

    def check_termination(self):
        """The test fails where the thread was not joined and runs or failed."""
        if self._is_thread_joined:
            if self.is_alive():
                raise RuntimeError('Thread was not joined with main thread, and is still running '
                                   'when the test finished.')
        else:
            self._testcase.fail('A checked thread was not joined.')


def _config_for_tests(config, allow_soft_placement):
    """The config of a test's session: what is folded away before it runs is not tested."""
    if config is None:
        config = config_pb2.ConfigProto()
        config.allow_soft_placement = allow_soft_placement
    elif not allow_soft_placement and config.allow_soft_placement:
        copy = config_pb2.ConfigProto()
        copy.CopyFrom(config)
        config = copy
        config.allow_soft_placement = False
    config.graph_options.optimizer_options.opt_level = -1
    rewrites = config.graph_options.rewrite_options
    rewrites.constant_folding = rewriter_config_pb2.RewriterConfig.OFF
    rewrites.pin_to_host_optimization = rewriter_config_pb2.RewriterConfig.OFF
    return config


class TensorFlowTestCase(TestCaseAsserts):
    """A test case with a default graph and a seed of its own, and sessions."""

    _CheckedThread = _CheckedThread

    def __init__(self, methodName='runTest'):
        super(TensorFlowTestCase, self).__init__(methodName)
        self._threads = []
        self._tempdir = None
        self._cached_session = None
        self._cached_graph = self._cached_config = self._cached_force_gpu = None

    def setUp(self):
        self._ClearCachedSession()
        random.seed(random_seed.DEFAULT_GRAPH_SEED)
        np.random.seed(random_seed.DEFAULT_GRAPH_SEED)
        ops._default_graph_stack.reset()
        ops.reset_default_graph()
        random_seed.set_random_seed(random_seed.DEFAULT_GRAPH_SEED)

    def tearDown(self):
        for thread in self._threads:
            thread.check_termination()
        self._ClearCachedSession()

    def _ClearCachedSession(self):
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None

    def get_temp_dir(self):
        """A folder of this test."""
        if not self._tempdir:
            self._tempdir = tempfile.mkdtemp(dir=googletest.GetTempDir())
        return self._tempdir

    @contextlib.contextmanager
    def captureWritesToStream(self, stream):
        """What is written to the stream meanwhile, by C too."""
        stream.flush()
        fd = stream.fileno()
        handle, path = tempfile.mkstemp(dir=self.get_temp_dir())
        saved = os.dup(fd)
        os.dup2(handle, fd)
        os.close(handle)
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.dup2(saved, fd)
            os.close(saved)

    def checkedThread(self, target, args=None, kwargs=None):
        """A thread that the test must join."""
        thread = _CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread

    # ---- values ----

    def _eval_tensor(self, tensor):
        return self.evaluate(tensor)

    def _eval_helper(self, tensors):
        return None if tensors is None else nest.map_structure(self._eval_tensor, tensors)

    def evaluate(self, tensors):
        """The values: by the default session, or one of the test's."""
        sess = ops.get_default_session()
        if sess is None:
            with self.test_session() as sess:
                return sess.run(tensors)
        return sess.run(tensors)

    # ---- sessions ----

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """A session of this block."""
        with self._create_session(graph, config, force_gpu) as sess:
            with self._constrain_devices_and_set_default(sess, use_gpu, force_gpu):
                yield sess

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """The session of the whole test, made when first asked for."""
        sess = self._get_cached_session(graph, config, force_gpu,
                                        crash_if_inconsistent_args=True)
        with self._constrain_devices_and_set_default(sess, use_gpu, force_gpu) as cached:
            yield cached

    def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """The session of the whole test; one of the block for a graph."""
        if self._testMethodName == 'test_session':
            self.skipTest('Not a test.')
        return self._test_session(graph, config, use_gpu, force_gpu)

    @contextlib.contextmanager
    def _test_session(self, graph, config, use_gpu, force_gpu):
        if graph is not None:
            with self.session(graph, config, use_gpu, force_gpu) as sess:
                yield sess
            return
        sess = self._get_cached_session(graph, config, force_gpu,
                                        crash_if_inconsistent_args=False)
        with self._constrain_devices_and_set_default(sess, use_gpu, force_gpu) as cached:
            yield cached

    @contextlib.contextmanager
    def _constrain_devices_and_set_default(self, sess, use_gpu, force_gpu):
        with sess.graph.as_default(), sess.as_default():
            if force_gpu:
                name = gpu_device_name()
                with sess.graph.device(name or '/device:GPU:0'):
                    yield sess
            elif use_gpu:
                yield sess
            else:
                with sess.graph.device('/device:CPU:0'):
                    yield sess

    def _create_session(self, graph, config, force_gpu):
        return ErrorLoggingSession(graph=graph,
                                   config=_config_for_tests(config, not force_gpu))

    def _get_cached_session(self, graph=None, config=None, force_gpu=False,
                            crash_if_inconsistent_args=True):
        if self._cached_session is None:
            self._cached_session = self._create_session(graph=None, config=config,
                                                        force_gpu=force_gpu)
            self._cached_graph = graph
            self._cached_config = config
            self._cached_force_gpu = force_gpu
            return self._cached_session
        if crash_if_inconsistent_args:
            for what, same in (('graph', self._cached_graph is graph),
                               ('config', self._cached_config is config)):
                if not same:
                    raise ValueError(
                        'The %s used to get the cached session is different than the one that '
                        'was used to create the session. Maybe create a new session with '
                        'self.session()' % what)
            if self._cached_force_gpu is not force_gpu:
                raise ValueError(
                    'The force_gpu value used to get the cached session is different than the '
                    'one that was used to create the session. Maybe create a new session with '
                    'self.session()')
        return self._cached_session
