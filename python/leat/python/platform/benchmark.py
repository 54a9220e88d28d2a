# SPDX-License-Identifier: Apache-2.0
"""tf.test.Benchmark: timed runs of a program's own, begun by --benchmarks=PATTERN."""
import json
import os
import re
import sys
import time

import numpy as np

GLOBAL_BENCHMARK_REGISTRY = set()
TEST_REPORTER_TEST_ENV = 'TEST_REPORT_FILE_PREFIX'
OVERRIDE_GLOBAL_THREADPOOL = 'TF_OVERRIDE_GLOBAL_THREADPOOL'


def _global_report_benchmark(name, iters=None, cpu_time=None, wall_time=None, throughput=None,
                             extras=None, metrics=None):
    """Prints, or adds to the files that the environment names, what was measured."""
    if extras is not None and not isinstance(extras, dict):
        raise TypeError('extras must be a dict')
    row = dict(name=name, iters=iters, cpu_time=cpu_time, wall_time=wall_time,
               throughput=throughput, extras=extras, metrics=metrics)
    row = {key: value for key, value in row.items() if value is not None}
    prefix = os.environ.get(TEST_REPORTER_TEST_ENV)
    if prefix:
        with open(prefix + name.replace('/', '__'), 'w') as file:
            json.dump(row, file, default=float)
        return
    shown = ', '.join('%s: %s' % item for item in row.items())
    sys.stdout.write('entry { %s }\n' % shown)


class _BenchmarkRegistrar(type):
    """Knows the classes that have benchmarks."""

    def __new__(mcs, name, bases, attributes):
        made = super().__new__(mcs, name, bases, attributes)
        if any(attribute.startswith('benchmark') and callable(getattr(made, attribute))
               for attribute in dir(made)):
            GLOBAL_BENCHMARK_REGISTRY.add(made)
        return made


class Benchmark(metaclass=_BenchmarkRegistrar):
    """A class whose methods benchmark... measure something and report it."""

    @classmethod
    def is_abstract(cls):
        return len(cls.mro()) <= 3

    def _get_name(self, overwrite_name=None):
        frame = sys._getframe(1)
        name = overwrite_name
        while name is None and frame is not None:
            if frame.f_locals.get('self') is self and frame.f_code.co_name.startswith('benchmark'):
                name = frame.f_code.co_name
            frame = frame.f_back
        if name is None:
            raise ValueError('Unable to determine calling Benchmark function.')
        return '%s.%s' % (type(self).__name__, name)

    def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None,
                         extras=None, name=None, metrics=None):
        """Reports what was measured."""
        _global_report_benchmark(self._get_name(name), iters, cpu_time, wall_time, throughput,
                                 extras, metrics)


def benchmark_config():
    """The ConfigProto of measured sessions: without the optimizer of dependencies."""
    from leat.core.protobuf import config_pb2, rewriter_config_pb2
    config = config_pb2.ConfigProto()
    config.graph_options.rewrite_options.dependency_optimization = (
        rewriter_config_pb2.RewriterConfig.OFF)
    return config


class TensorFlowBenchmark(Benchmark):
    """A Benchmark that runs ops."""

    def __init__(self):
        super().__init__()

    @classmethod
    def is_abstract(cls):
        return len(cls.mro()) <= 4

    def run_op_benchmark(self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10,
                         store_trace=False, store_memory_usage=True, name=None, extras=None,
                         mbs=0):
        """Runs an op some times, and reports the median; what was measured, as a dict."""
        del store_trace, store_memory_usage
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = time.time()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            seconds.append(time.time() - start)
        median = float(np.median(seconds))
        throughput = mbs / median if median > 0 else 0.0
        extras = dict(extras or {})
        extras.update(wall_time_mean=float(np.mean(seconds)), wall_time_stdev=float(
            np.std(seconds)))
        self.report_benchmark(iters=min_iters, wall_time=median, throughput=throughput,
                              extras=extras, name=name)
        return dict(iters=min_iters, wall_time=median, throughput=throughput, extras=extras)

    def evaluate(self, tensors):
        """The values of tensors in the default session."""
        from leat.python.framework import ops
        session = ops.get_default_session()
        if session is None:
            raise ValueError('No session registered: use a with block of one')
        return session.run(tensors)


GLOBAL_BENCHMARK_REGISTRY.clear()


def _run_benchmarks(regex):
    """Runs those whose Class.benchmark_name matches."""
    pattern = re.compile('.*' if regex == 'all' else regex)
    for kind in sorted(GLOBAL_BENCHMARK_REGISTRY, key=lambda k: k.__name__):
        for name in sorted(n for n in dir(kind) if n.startswith('benchmark')):
            if pattern.search('%s.%s' % (kind.__name__, name)):
                getattr(kind(), name)()


def benchmarks_main(true_main, argv=None):
    """The benchmarks when --benchmarks= is given, true_main(argv) otherwise."""
    argv = list(sys.argv if argv is None else argv)
    found = [arg for arg in argv if arg.lstrip('-').startswith('benchmarks=')]
    if found and found[0].startswith('--'):
        _run_benchmarks(found[0].partition('=')[2])
        return None
    return true_main(argv)
