# SPDX-License-Identifier: Apache-2.0
"""Input by queues: producers of names, numbers and slices, and batches of what is read."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import data_flow_ops
from leat.python.ops import gen_io_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops import variable_scope as vs
from leat.python.training import input_batching
from leat.python.training import queue_runner_impl as queue_runner
from leat.python.util import deprecation

# By the names that programs, and tests, know them.
_flatten = input_batching.flatten
_as_tensor_list = input_batching.as_tensor_list
_as_tensor_list_list = input_batching.as_tensor_list_list
_as_original_type = input_batching.as_original_type
_dtypes = input_batching._dtypes
_merge_shapes = input_batching._merge_shapes
_shapes = input_batching._shapes
_store_sparse_tensors = input_batching._store_sparse_tensors
_store_sparse_tensors_join = input_batching._store_sparse_tensors_join
_restore_sparse_tensors = input_batching._restore_sparse_tensors
_validate_keep_input = input_batching._validate_keep_input
_which_queue = input_batching._which_queue
_DATA = 'Queue-based input pipelines have been replaced by `tf.data`. Use `%s`.'


def _deprecated(instead):
    return deprecation.deprecated(None, _DATA % instead)


def match_filenames_once(pattern, name=None):
    """A local variable of the names of the files of a pattern, sought when initialized."""
    with ops.name_scope(name, 'matching_filenames', [pattern]) as name:
        return vs.variable(name=name, initial_value=gen_io_ops.matching_files(pattern),
                           trainable=False, validate_shape=False,
                           collections=[ops.GraphKeys.LOCAL_VARIABLES])


@_deprecated('tf.data.Dataset.from_tensors(tensor).repeat(num_epochs)')
def limit_epochs(tensor, num_epochs=None, name=None):
    """The tensor, for so many runs; OutOfRangeError then."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError('num_epochs must be > 0 not %d.' % num_epochs)
    with ops.name_scope(name, 'limit_epochs', [tensor]) as name:
        zero64 = constant_op.constant(0, dtype=dtypes.int64)
        epochs = vs.variable(zero64, name='epochs', trainable=False,
                             collections=[ops.GraphKeys.LOCAL_VARIABLES])
        counter = epochs.count_up_to(num_epochs)
        with ops.control_dependencies([counter]):
            return array_ops.identity(tensor, name=name)


@_deprecated('tf.data.Dataset.from_tensor_slices(input_tensor).shuffle(...).repeat(num_epochs)')
def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None,
                   capacity=32, shared_name=None, summary_name=None, name=None, cancel_op=None):
    """A queue of the rows of a tensor, again and again."""
    with ops.name_scope(name, 'input_producer', [input_tensor]):
        input_tensor = ops.convert_to_tensor(input_tensor, name='input_tensor')
        element_shape = input_tensor.shape[1:].merge_with(element_shape)
        if not element_shape.is_fully_defined():
            raise ValueError('Either `input_tensor` must have a fully defined shape or '
                             '`element_shape` must be specified')
        if shuffle:
            input_tensor = random_ops.random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        q = data_flow_ops.FIFOQueue(capacity=capacity, dtypes=[input_tensor.dtype.base_dtype],
                                    shapes=[element_shape], shared_name=shared_name, name=name)
        enq = q.enqueue_many([input_tensor])
        queue_runner.add_queue_runner(queue_runner.QueueRunner(q, [enq], cancel_op=cancel_op))
        if summary_name is not None:
            input_batching.add_summary(
                summary_name, math_ops.cast(q.size(), dtypes.float32) * (1. / capacity))
        return q


@_deprecated('tf.data.Dataset.from_tensor_slices(string_tensor).shuffle(...).repeat(num_epochs)')
def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32,
                          shared_name=None, name=None, cancel_op=None):
    """A queue of strings, which are most often the names of files."""
    not_null_err = 'string_input_producer requires a non-null input tensor'
    if not isinstance(string_tensor, ops.Tensor) and not len(string_tensor):
        raise ValueError(not_null_err)
    with ops.name_scope(name, 'input_producer', [string_tensor]) as name:
        string_tensor = ops.convert_to_tensor(string_tensor, dtype=dtypes.string)
        with ops.control_dependencies([control_flow_ops.Assert(
                math_ops.greater(array_ops.size(string_tensor), 0), [not_null_err])]):
            string_tensor = array_ops.identity(string_tensor)
        return input_producer(
            input_tensor=string_tensor, element_shape=[], num_epochs=num_epochs, shuffle=shuffle,
            seed=seed, capacity=capacity, shared_name=shared_name, name=name,
            summary_name='fraction_of_%d_full' % capacity, cancel_op=cancel_op)


@_deprecated('tf.data.Dataset.range(limit).shuffle(limit).repeat(num_epochs)')
def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32,
                         shared_name=None, name=None):
    """A queue of the numbers below a limit."""
    with ops.name_scope(name, 'input_producer', [limit]) as name:
        range_tensor = math_ops.range(limit)
        return input_producer(range_tensor, [], num_epochs, shuffle, seed, capacity, shared_name,
                              'fraction_of_%d_full' % capacity, name)


@_deprecated('tf.data.Dataset.from_tensor_slices(tuple(tensor_list)).shuffle(...).repeat(...)')
def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32,
                         shared_name=None, name=None):
    """A row of each tensor, the same of all."""
    with ops.name_scope(name, 'input_producer', tensor_list):
        tensor_list = ops.convert_n_to_tensor_or_indexed_slices(tensor_list)
        if not tensor_list:
            raise ValueError('Expected at least one tensor in slice_input_producer().')
        range_size = array_ops.shape(tensor_list[0])[0]
        queue = range_input_producer(range_size, num_epochs=num_epochs, shuffle=shuffle,
                                     seed=seed, capacity=capacity, shared_name=shared_name)
        index = queue.dequeue()
        return [array_ops.gather(t, index) for t in tensor_list]


@_deprecated('tf.data.Dataset.batch(batch_size)')
def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None,
          dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of tensors, in their order."""
    return input_batching.batch(
        tensors, batch_size, keep_input=True, num_threads=num_threads, capacity=capacity,
        enqueue_many=enqueue_many, shapes=shapes, dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch, shared_name=shared_name, name=name)


@_deprecated('tf.data.Dataset.filter(...).batch(batch_size)')
def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False,
                shapes=None, dynamic_pad=False, allow_smaller_final_batch=False,
                shared_name=None, name=None):
    """Batches of those tensors for which keep_input is true."""
    return input_batching.batch(
        tensors, batch_size, keep_input, num_threads=num_threads, capacity=capacity,
        enqueue_many=enqueue_many, shapes=shapes, dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch, shared_name=shared_name, name=name)


@_deprecated('tf.data.Dataset.interleave(...).batch(batch_size)')
def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None,
               dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of tensors from several sources, a thread for each."""
    return input_batching.batch_join(
        tensors_list, batch_size, keep_input=True, capacity=capacity, enqueue_many=enqueue_many,
        shapes=shapes, dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch, shared_name=shared_name, name=name)


@_deprecated('tf.data.Dataset.interleave(...).filter(...).batch(batch_size)')
def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False,
                     shapes=None, dynamic_pad=False, allow_smaller_final_batch=False,
                     shared_name=None, name=None):
    """batch_join of those tensors for which keep_input is true."""
    return input_batching.batch_join(
        tensors_list, batch_size, keep_input, capacity=capacity, enqueue_many=enqueue_many,
        shapes=shapes, dynamic_pad=dynamic_pad,
        allow_smaller_final_batch=allow_smaller_final_batch, shared_name=shared_name, name=name)


@_deprecated('tf.data.Dataset.shuffle(min_after_dequeue).batch(batch_size)')
def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None,
                  enqueue_many=False, shapes=None, allow_smaller_final_batch=False,
                  shared_name=None, name=None):
    """Batches of tensors, in no order."""
    return input_batching.shuffle_batch(
        tensors, batch_size, capacity, min_after_dequeue, keep_input=True,
        num_threads=num_threads, seed=seed, enqueue_many=enqueue_many, shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch, shared_name=shared_name, name=name)


@_deprecated('tf.data.Dataset.filter(...).shuffle(min_after_dequeue).batch(batch_size)')
def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input,
                        num_threads=1, seed=None, enqueue_many=False, shapes=None,
                        allow_smaller_final_batch=False, shared_name=None, name=None):
    """shuffle_batch of those tensors for which keep_input is true."""
    return input_batching.shuffle_batch(
        tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=num_threads,
        seed=seed, enqueue_many=enqueue_many, shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch, shared_name=shared_name, name=name)


@_deprecated('tf.data.Dataset.interleave(...).shuffle(min_after_dequeue).batch(batch_size)')
def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None,
                       enqueue_many=False, shapes=None, allow_smaller_final_batch=False,
                       shared_name=None, name=None):
    """shuffle_batch of several sources, a thread for each."""
    return input_batching.shuffle_batch_join(
        tensors_list, batch_size, capacity, min_after_dequeue, keep_input=True, seed=seed,
        enqueue_many=enqueue_many, shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch, shared_name=shared_name, name=name)


@_deprecated('tf.data.Dataset.interleave(...).filter(...).shuffle(...).batch(batch_size)')
def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input,
                             seed=None, enqueue_many=False, shapes=None,
                             allow_smaller_final_batch=False, shared_name=None, name=None):
    """shuffle_batch_join of those tensors for which keep_input is true."""
    return input_batching.shuffle_batch_join(
        tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=seed,
        enqueue_many=enqueue_many, shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch, shared_name=shared_name, name=name)
