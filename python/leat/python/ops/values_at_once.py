# SPDX-License-Identifier: Apache-2.0
"""Functions of tensors that have values: what tf.py_function calls.

There is no eager execution. The function builds nodes in a graph of its own, whose tensors know
their values when they are asked: each question is a run of that graph's session."""
import numpy as np

from leat.python.client import session as session_lib
from leat.python.framework import constant_op
from leat.python.framework import graph_impl
from leat.python.framework import ops


class _ValuedTensor(ops.Tensor):
    """A tensor of a scratch graph."""

    def numpy(self):
        return self.graph._session.run(self)

    def __bool__(self):
        return bool(self.numpy())

    __nonzero__ = __bool__

    def __int__(self):
        return int(self.numpy())

    __index__ = __int__

    def __float__(self):
        return float(self.numpy())

    def __len__(self):
        return len(self.numpy())

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __array__(self, *args, **kwargs):
        return np.asarray(self.numpy(), *args)


class _Scratch(graph_impl.Graph):
    """A graph for one call of a function."""

    _tensor_class = _ValuedTensor
    _session = None


def _call(func, arrays):
    """(graph, the arguments as tensors, what the function gives as a list)"""
    graph = _Scratch()
    graph._session = session_lib.Session(graph=graph)
    with graph.as_default(), graph._session.as_default():
        arguments = [constant_op.constant(a) for a in arrays]
        result = func(*arguments)
        results = list(result) if isinstance(result, (tuple, list)) else (
            [] if result is None else [result])
    return graph, arguments, results


def _values(graph, results):
    """Arrays of tensors and of anything else."""
    tensors = [r for r in results if isinstance(r, ops.Tensor)]
    found = iter(graph._session.run(tensors) if tensors else [])
    return [next(found) if isinstance(r, ops.Tensor) else r for r in results]


def caller(func, types):
    """The function of arrays that a node calls."""
    def call(*arrays):
        graph, _, results = _call(func, arrays)
        with graph._session:
            values = _values(graph, results)
        return [v if t is None or t.as_numpy_dtype is object else np.asarray(
            v, dtype=t.as_numpy_dtype) for v, t in zip(values, types)]
    return call


def gradient_of(func, types):
    """The function of arrays (gradients of the results, then the arguments) for the gradients."""
    def call(*arrays):
        from leat.python.ops import gradients_impl
        count = len(types)
        graph, arguments, results = _call(func, arrays[count:])
        with graph._session, graph.as_default():
            pairs = [(ops.convert_to_tensor(r, dtype=t), constant_op.constant(dy))
                     for r, t, dy in zip(results, types, arrays) if t.is_floating]
            found = gradients_impl.gradients([y for y, _ in pairs], arguments,
                                             grad_ys=[dy for _, dy in pairs])
            values = _values(graph, [np.zeros_like(x) if g is None else ops.convert_to_tensor(g)
                                     for g, x in zip(found, arrays[count:])])
        return values
    return call
