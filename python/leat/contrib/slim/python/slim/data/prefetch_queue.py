# SPDX-License-Identifier: Apache-2.0
"""A queue that threads of a queue runner keep full of tensors."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import data_flow_ops
from leat.python.ops import math_ops
from leat.python.summary import summary
from leat.python.training import queue_runner


def _which_queue(dynamic_pad):
    return data_flow_ops.PaddingFIFOQueue if dynamic_pad else data_flow_ops.FIFOQueue


def prefetch_queue(tensors, capacity=8, num_threads=1, dynamic_pad=False, shared_name=None,
                   name=None):
    """The queue; its elements are the tensors, or dicts of them."""
    if isinstance(tensors, dict):
        names = list(sorted(tensors.keys()))
        tensor_list = [tensors[n] for n in names]
    else:
        names = None
        tensor_list = tensors
    with ops.name_scope(name, 'prefetch_queue', tensor_list) as name:
        queue = _which_queue(dynamic_pad)(
            capacity=capacity, dtypes=[t.dtype for t in tensor_list],
            shapes=[t.get_shape() for t in tensor_list], names=names, shared_name=shared_name)
        enqueue_op = queue.enqueue(tensors)
        queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, [enqueue_op] * num_threads))
        summary.scalar('fraction_of_%d_full' % capacity,
                       math_ops.cast(queue.size(), dtypes.float32) * (1. / capacity))
        return queue
