# SPDX-License-Identifier: Apache-2.0
"""Batches of examples that belong together: of one bucket each, such as of like lengths."""
import functools

import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import data_flow_ops
from leat.python.ops import math_ops
from leat.python.training import input_batching
from leat.python.training import queue_runner_impl as queue_runner


def _batch_sizes(batch_size, num_buckets):
    """The size of each bucket's batches, as a number where it is known."""
    sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) \
        else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise ValueError('If batch_size is a list it must have num_buckets elements')
    known = []
    for size in sizes:
        tensor = ops.convert_to_tensor(size, dtype=dtypes.int32, name='batch_size')
        value = tensor_util.constant_value(tensor)
        known.append(tensor if value is None else value)
    return known


def _runners(top_queue, bucket_queues, to_buckets, to_top):
    """The threads that fill the buckets, and that move whole batches on."""
    ends = (errors.OutOfRangeError, errors.CancelledError)
    queue_runner.add_queue_runner(queue_runner.QueueRunner(
        bucket_queues[0], to_top, close_op=top_queue.close(),
        cancel_op=top_queue.close(cancel_pending_enqueues=True),
        queue_closed_exception_types=ends))
    queue_runner.add_queue_runner(queue_runner.QueueRunner(
        top_queue, to_buckets,
        close_op=control_flow_ops.group(*[q.close() for q in bucket_queues]),
        cancel_op=control_flow_ops.group(*[q.close(cancel_pending_enqueues=True)
                                           for q in bucket_queues]),
        queue_closed_exception_types=ends))


def _summaries(top_queue, bucket_queues, capacity):
    for q in bucket_queues:
        input_batching.add_summary('bucket/%s/size' % q.name,
                                   math_ops.cast(top_queue.size(), dtypes.float32))
    input_batching.add_summary(
        'bucket/%s/fraction_of_%d_full' % (top_queue.name, capacity),
        math_ops.cast(top_queue.size(), dtypes.float32) * (1. / capacity))


def _to_buckets(bucket_queues, which_bucket, tensor_list, keep_input):
    """The op that puts an example into its bucket."""
    def enqueue_which():
        def enqueue_single(i):
            return bucket_queues[i].enqueue(tensor_list)
        return control_flow_ops.group(*[
            control_flow_ops.cond(math_ops.equal(which_bucket, i),
                                  functools.partial(enqueue_single, i), control_flow_ops.no_op)
            for i in range(len(bucket_queues))], name='group_enqueues')
    return input_batching.smart_cond(keep_input, enqueue_which, control_flow_ops.no_op)


def _to_top(top_queue, bucket_queues, sizes, allow_smaller_final_batch):
    """The ops that move a batch of a bucket on."""
    moves = []
    for i, (q, size) in enumerate(zip(bucket_queues, sizes)):
        dequeue = q.dequeue_up_to if allow_smaller_final_batch else q.dequeue_many
        which = constant_op.constant(i)
        batch = dequeue(size, name='read_bucket_%d' % i)
        batch = list(batch) if isinstance(batch, (list, tuple)) else [batch]
        moves.append(top_queue.enqueue([which] + batch, name='enqueue_from_bucket_%d' % i))
    return moves


def bucket(tensors, which_bucket, batch_size, num_buckets, num_threads=1, capacity=32,
           bucket_capacities=None, shapes=None, dynamic_pad=False,
           allow_smaller_final_batch=False, keep_input=True, shared_name=None, name=None):
    """(bucket, batch of it) again and again, of tensors that go to one bucket or another."""
    if bucket_capacities is not None and len(bucket_capacities) != num_buckets:
        raise ValueError('The list bucket_capacities (%s) must have exactly num_buckets (%d) '
                         'elements.' % (bucket_capacities, num_buckets))
    tensor_list = input_batching.as_tensor_list(tensors)
    with ops.name_scope(name, 'bucket', tensor_list):
        tensor_list = input_batching._validate(tensor_list)
        keep_input = input_batching._validate_keep_input(keep_input, False)
        tensor_list, sparse_info = input_batching._store_sparse_tensors(tensor_list, False,
                                                                        keep_input)
        sizes = _batch_sizes(batch_size, num_buckets)
        types = input_batching._dtypes([tensor_list])
        shapes = input_batching._shapes([tensor_list], shapes, enqueue_many=False)
        which_bucket = ops.convert_to_tensor(which_bucket, dtype=dtypes.int32,
                                             name='which_bucket')
        make_queue = input_batching._which_queue(dynamic_pad)
        bucket_queues = [make_queue(
            capacity=(bucket_capacities or [capacity] * num_buckets)[i], dtypes=types,
            shapes=shapes, name='bucket_queue_%d' % i,
            shared_name=None if shared_name is None else '%s_%d' % (shared_name, i))
            for i in range(num_buckets)]
        same = not allow_smaller_final_batch and len(set(map(str, sizes))) == 1 and \
            not isinstance(sizes[0], ops.Tensor)
        # Whatever the buckets are, whole batches may differ in size or length: they are padded.
        top_queue = data_flow_ops.PaddingFIFOQueue(
            capacity=capacity, dtypes=[dtypes.int32] + types,
            shapes=[tensor_shape.TensorShape([])] + [
                tensor_shape.TensorShape([int(sizes[0]) if same else None]).concatenate(s)
                for s in bucket_queues[0].shapes],
            shared_name=shared_name, name='top_queue')
        to_buckets = [_to_buckets(bucket_queues, which_bucket, tensor_list,
                                  keep_input)] * num_threads
        to_top = _to_top(top_queue, bucket_queues, sizes, allow_smaller_final_batch)
        _runners(top_queue, bucket_queues, to_buckets, to_top)
        _summaries(top_queue, bucket_queues, capacity)
        dequeued = top_queue.dequeue(name='dequeue_top')
        which, dequeued = dequeued[0], dequeued[1:]
        if len(dequeued) == 1:
            dequeued = dequeued[0]
        dequeued = input_batching._restore_sparse_tensors(dequeued, sparse_info)
        return which, input_batching.as_original_type(tensors, dequeued)


def bucket_by_sequence_length(input_length, tensors, batch_size, bucket_boundaries, num_threads=1,
                              capacity=32, bucket_capacities=None, shapes=None,
                              dynamic_pad=False, allow_smaller_final_batch=False,
                              keep_input=True, shared_name=None, name=None):
    """(lengths, batch): examples whose lengths lie between the same boundaries."""
    tensor_list = input_batching.as_tensor_list(tensors)
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError('bucket_boundaries must be a list or tuple, but received: %s'
                        % bucket_boundaries)
    if not bucket_boundaries:
        raise ValueError('bucket_boundaries must not be empty')
    for s, e in zip(bucket_boundaries[:-1], bucket_boundaries[1:]):
        if not isinstance(s, int) or not isinstance(e, int):
            raise TypeError('bucket boundaries must be integers, but saw: %s and %s' % (s, e))
        if s >= e:
            raise ValueError('Buckets must contain sequential increasing lengths, but saw: %d '
                             'before %d' % (s, e))
    with ops.name_scope(name, 'bucket_by_sequence_length', [input_length] + list(tensor_list)):
        input_length = ops.convert_to_tensor(input_length, dtype=dtypes.int32,
                                             name='input_length')
        limits = np.iinfo(np.int32)
        lows = [limits.min] + list(bucket_boundaries)
        highs = list(bucket_boundaries) + [limits.max]
        inside = math_ops.logical_and(math_ops.less_equal(lows, input_length),
                                      math_ops.less(input_length, highs))
        which_bucket = math_ops.cast(math_ops.reduce_min(array_ops.where(inside)), dtypes.int32)
        if shapes is not None:
            shapes = [tensor_shape.TensorShape([])] + list(shapes)
        _, dequeued = bucket(
            tensors=[input_length] + list(tensor_list), which_bucket=which_bucket,
            batch_size=batch_size, num_buckets=len(bucket_boundaries) + 1,
            num_threads=num_threads, capacity=capacity, bucket_capacities=bucket_capacities,
            shapes=shapes, dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch, keep_input=keep_input,
            shared_name=shared_name)
        if isinstance(tensors, dict) and len(tensors) == 1:
            return dequeued[0], {k: dequeued[1] for k in tensors}
        return dequeued[0], input_batching.as_original_type(tensors, dequeued[1:])
