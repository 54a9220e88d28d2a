# SPDX-License-Identifier: Apache-2.0
"""Strategies for replica_device_setter: which parameter server takes the next variable."""
import hashlib

import numpy as np

from leat.python.framework import tensor_shape


class RandomStrategy(object):
    """One that the name decides: the same for the same names and seed."""

    def __init__(self, num_ps_tasks, seed=0):
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op):
        key = '%s_%d' % (op.name, self._seed)
        digest = hashlib.md5(key.encode()).hexdigest()
        return int(digest, 16) % self._num_tasks


class GreedyLoadBalancingStrategy(object):
    """The one that has the least load so far."""

    def __init__(self, num_tasks, load_fn):
        self._num_tasks = num_tasks
        self._load_fn = load_fn
        self._ps_loads = np.zeros(num_tasks)

    def __call__(self, op):
        task = np.argmin(self._ps_loads)
        self._ps_loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op):
    """The bytes of a variable."""
    size = getattr(op, 'output_bytes', None)
    if size is not None:
        return size
    if len(op.outputs) != 1:
        raise ValueError('Op %s must have a single output' % op)
    output = op.outputs[0]
    elem_size = output.dtype.size
    shape = output.get_shape()
    if not shape.is_fully_defined():
        shape = tensor_shape.TensorShape(op.get_attr('shape'))
    shape.assert_is_fully_defined()
    return shape.num_elements() * elem_size
