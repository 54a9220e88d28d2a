# SPDX-License-Identifier: Apache-2.0
"""Batches by queues. Imported by input."""
import collections

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import errors_impl
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import data_flow_ops
from leat.python.ops import gen_data_flow_ops
from leat.python.ops import gen_sparse_ops
from leat.python.ops import math_ops
from leat.python.training import queue_runner_impl as queue_runner

_SparseMetaData = collections.namedtuple('_SparseMetaData', ['sparse', 'map_op', 'rank'])


def add_summary(name, value):
    """A scalar summary, where the summaries are."""
    from leat.python.summary import summary
    return summary.scalar(name, value)


def smart_cond(pred, fn1, fn2):
    """One of the functions at once where pred is known, else a cond."""
    known = tensor_util.constant_value(pred) if isinstance(pred, ops.Tensor) else pred
    if known is not None:
        return fn1() if known else fn2()
    return control_flow_ops.cond(pred, true_fn=fn1, false_fn=fn2)


def flatten(tensor_list_list):
    return [tensor for tensor_list in tensor_list_list for tensor in tensor_list]


def as_tensor_list(tensors):
    """The values of a dict by key; a list; a list of one."""
    if isinstance(tensors, dict):
        return [tensors[k] for k in sorted(tensors, key=str)]
    return tensors


def as_tensor_list_list(tensors_list):
    if not tensors_list:
        raise ValueError('Expected at least one set of tensors')
    if isinstance(tensors_list[0], dict):
        expected_keys = set(tensors_list[0].keys())
        for tensors in tensors_list[1:]:
            if set(tensors.keys()) != expected_keys:
                raise ValueError('All dictionaries in tensors_list must have the same keys')
        return [as_tensor_list(tensors) for tensors in tensors_list]
    return tensors_list


def as_original_type(original_tensors, tensor_list):
    """The results in the form that the inputs had."""
    if isinstance(original_tensors, dict):
        if len(original_tensors) == 1:
            tensor_list = [tensor_list]
        return {k: tensor_list[i] for i, k in enumerate(sorted(original_tensors, key=str))}
    return tensor_list


def _validate(tensor_list):
    tensor_list = ops.convert_n_to_tensor_or_indexed_slices(tensor_list) \
        if not any(isinstance(t, sparse_tensor.SparseTensor) for t in tensor_list) \
        else [sparse_tensor.convert_to_tensor_or_sparse_tensor(t) for t in tensor_list]
    if not tensor_list:
        raise ValueError('Expected at least one tensor in batch().')
    return tensor_list


def _validate_join(tensor_list_list):
    tensor_list_list = [[sparse_tensor.convert_to_tensor_or_sparse_tensor(t) for t in tl]
                        for tl in tensor_list_list]
    if not tensor_list_list:
        raise ValueError('Expected at least one input in batch_join().')
    return tensor_list_list


def _validate_keep_input(keep_input, enqueue_many):
    keep_input = ops.convert_to_tensor(keep_input)
    if keep_input.shape.ndims is None:
        raise ValueError('`keep_input` dimensions must be known at graph construction.')
    if not enqueue_many and keep_input.shape.ndims == 1:
        raise ValueError('`keep_input` cannot be a vector when `enqueue_many=False`.')
    if keep_input.shape.ndims > 1:
        raise ValueError('`keep_input` must be 0 or 1 dimensions.')
    return keep_input


def _dtypes(tensor_list_list):
    all_types = [[t.dtype for t in tl] for tl in tensor_list_list]
    types = all_types[0]
    for other_types in all_types[1:]:
        if other_types != types:
            raise TypeError('Expected types to be consistent: %s vs. %s.'
                            % (', '.join(x.name for x in types),
                               ', '.join(x.name for x in other_types)))
    return types


def _merge_shapes(shape_list, enqueue_many):
    shape_list = [tensor_shape.as_shape(s) for s in shape_list]
    if enqueue_many:
        shape_list = [s.with_rank_at_least(1)[1:] for s in shape_list]
    merged_shape = shape_list[0]
    for s in shape_list[1:]:
        merged_shape.merge_with(s)
    return merged_shape.as_list()


def _shapes(tensor_list_list, shapes, enqueue_many):
    """The shapes of one element, as given or as the tensors have them."""
    if shapes is not None:
        return shapes
    len0 = len(tensor_list_list[0])
    for tl in tensor_list_list:
        for t in tl:
            if t.shape.ndims is None:
                raise ValueError('Cannot infer Tensor\'s rank: %s' % t)
    return [_merge_shapes([tl[i].shape.as_list() for tl in tensor_list_list], enqueue_many)
            for i in range(len0)]


def _which_queue(dynamic_pad):
    return data_flow_ops.PaddingFIFOQueue if dynamic_pad else data_flow_ops.FIFOQueue


# ---- sparse tensors travel as numbers of a map of the session ----

def _store_one(t, keep_input, enqueue_many, shared_map_op):
    """(the numbers, the op whose map they are of) of a sparse tensor."""
    store = (gen_sparse_ops.add_many_sparse_to_tensors_map if enqueue_many
             else gen_sparse_ops.add_sparse_to_tensors_map)
    shared_name = shared_map_op.name if shared_map_op is not None else ''

    def add():
        return store(t.indices, t.values, t.dense_shape, shared_name=shared_name)
    if enqueue_many and keep_input.shape.ndims == 1:
        raise errors_impl.UnimplementedError(
            None, None, 'Sparse tensors with a vector of keep_input are not there yet')
    skipped = -1 * array_ops.ones_like(t.dense_shape[:1]) if enqueue_many else None
    handle = smart_cond(
        keep_input, add,
        lambda: skipped if enqueue_many else constant_op.constant(-1, dtypes.int64))
    op = handle.op
    if op.type == 'Merge':
        op = op.inputs[1].op
    return array_ops.expand_dims(handle, [-1]), shared_map_op or op


def _store_sparse_tensors(tensor_list, enqueue_many, keep_input, shared_map_ops=None):
    """(tensors that a queue can hold, what is to be known to restore the sparse ones)."""
    shared_map_ops = shared_map_ops or [None] * len(tensor_list)
    stored, info = [], []
    for t, shared in zip(tensor_list, shared_map_ops):
        if not isinstance(t, sparse_tensor.SparseTensor):
            stored.append(t)
            info.append(_SparseMetaData(False, None, None))
            continue
        handle, op = _store_one(t, keep_input, enqueue_many, shared)
        rank = t.dense_shape.shape.with_rank(1).dims[0]
        if enqueue_many:
            rank = rank - 1
        stored.append(handle)
        info.append(_SparseMetaData(True, op, rank))
    return stored, info


def _store_sparse_tensors_join(tensor_list_list, enqueue_many, keep_input):
    first, info = _store_sparse_tensors(tensor_list_list[0], enqueue_many, keep_input)
    stored = [first]
    for tensor_list in tensor_list_list[1:]:
        s, _ = _store_sparse_tensors(tensor_list, enqueue_many, keep_input,
                                     [i.map_op for i in info])
        stored.append(s)
    return stored, info


def _restore_one(t, info):
    map_op = info.map_op
    with ops.colocate_with(map_op):
        shared_name = map_op.get_attr('shared_name').decode() or map_op.name
        indices, values, shape = gen_sparse_ops.take_many_sparse_from_tensors_map(
            t, dtype=map_op.get_attr('T'), container=map_op.get_attr('container').decode(),
            shared_name=shared_name)
    rank = None if info.rank is None or info.rank.value is None else info.rank.value + 1
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return sparse_tensor.SparseTensor(indices, values, shape)


def _restore_sparse_tensors(stored_list, sparse_info_list):
    received_sequence = isinstance(stored_list, (list, tuple))
    if not received_sequence:
        stored_list = (stored_list,)
    tensors = [_restore_one(array_ops.squeeze(s, [1]), info) if info.sparse else s
               for s, info in zip(stored_list, sparse_info_list)]
    return tensors if received_sequence else tensors[0]


# ---- queues and what fills them ----

def _select_which_to_enqueue(tensor_list, keep_input):
    select_i = math_ops.cast(keep_input, dtypes.int32)
    return [gen_data_flow_ops.dynamic_partition(x, select_i, num_partitions=2)[1]
            for x in tensor_list]


def _enqueue_all(queue, tensor_lists, enqueue_many, keep_input):
    """An op for each list."""
    enqueue_fn = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input.shape.ndims == 1:
        return [enqueue_fn(_select_which_to_enqueue(x, keep_input)) for x in tensor_lists]
    return [smart_cond(keep_input, lambda tl=x: enqueue_fn(tl), control_flow_ops.no_op)
            for x in tensor_lists]


def _enqueue(queue, tensor_list, threads, enqueue_many, keep_input):
    enqueue_ops = _enqueue_all(queue, [tensor_list], enqueue_many, keep_input) * threads
    queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, enqueue_ops))


def _enqueue_join(queue, tensor_list_list, enqueue_many, keep_input):
    enqueue_ops = _enqueue_all(queue, tensor_list_list, enqueue_many, keep_input)
    queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, enqueue_ops))


def _dequeue(queue, batch_size, allow_smaller_final_batch, sparse_info, name):
    if allow_smaller_final_batch:
        dequeued = queue.dequeue_up_to(batch_size, name=name)
    else:
        dequeued = queue.dequeue_many(batch_size, name=name)
    return _restore_sparse_tensors(dequeued, sparse_info)


def _fullness(queue, capacity):
    add_summary('fraction_of_%d_full' % capacity,
                math_ops.cast(queue.size(), dtypes.float32) * (1. / capacity))


def _shuffled_fullness(queue, capacity, min_after_dequeue):
    full = (math_ops.cast(math_ops.maximum(0, queue.size() - min_after_dequeue), dtypes.float32) *
            (1. / (capacity - min_after_dequeue)))
    add_summary('fraction_over_%d_of_%d_full'
                % (min_after_dequeue, capacity - min_after_dequeue), full)


def batch(tensors, batch_size, keep_input, num_threads=1, capacity=32, enqueue_many=False,
          shapes=None, dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None,
          name=None):
    tensor_list = as_tensor_list(tensors)
    with ops.name_scope(name, 'batch', _listed(tensor_list) + [keep_input]) as name:
        tensor_list = _validate(_listed(tensor_list))
        keep_input = _validate_keep_input(keep_input, enqueue_many)
        tensor_list, sparse_info = _store_sparse_tensors(tensor_list, enqueue_many, keep_input)
        types = _dtypes([tensor_list])
        shapes = _shapes([tensor_list], shapes, enqueue_many)
        queue = _which_queue(dynamic_pad)(capacity=capacity, dtypes=types, shapes=shapes,
                                          shared_name=shared_name)
        _enqueue(queue, tensor_list, num_threads, enqueue_many, keep_input)
        _fullness(queue, capacity)
        dequeued = _dequeue(queue, batch_size, allow_smaller_final_batch, sparse_info, name)
        return as_original_type(tensors, dequeued)


def batch_join(tensors_list, batch_size, keep_input, capacity=32, enqueue_many=False, shapes=None,
               dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    lists = as_tensor_list_list(tensors_list)
    with ops.name_scope(name, 'batch_join', flatten(lists) + [keep_input]) as name:
        lists = _validate_join(lists)
        keep_input = _validate_keep_input(keep_input, enqueue_many)
        lists, sparse_info = _store_sparse_tensors_join(lists, enqueue_many, keep_input)
        types = _dtypes(lists)
        shapes = _shapes(lists, shapes, enqueue_many)
        queue = _which_queue(dynamic_pad)(capacity=capacity, dtypes=types, shapes=shapes,
                                          shared_name=shared_name)
        _enqueue_join(queue, lists, enqueue_many, keep_input)
        _fullness(queue, capacity)
        dequeued = _dequeue(queue, batch_size, allow_smaller_final_batch, sparse_info, name)
        # A queue of one component gives a tensor, not a list of one.
        return as_original_type(tensors_list[0], dequeued)


def _shuffle_queue(capacity, min_after_dequeue, seed, types, shapes, shared_name):
    if capacity <= min_after_dequeue:
        raise ValueError('capacity %d must be bigger than min_after_dequeue %d.'
                         % (capacity, min_after_dequeue))
    return data_flow_ops.RandomShuffleQueue(
        capacity=capacity, min_after_dequeue=min_after_dequeue, seed=seed, dtypes=types,
        shapes=shapes, shared_name=shared_name)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1,
                  seed=None, enqueue_many=False, shapes=None, allow_smaller_final_batch=False,
                  shared_name=None, name=None):
    tensor_list = as_tensor_list(tensors)
    with ops.name_scope(name, 'shuffle_batch', _listed(tensor_list) + [keep_input]) as name:
        if capacity <= min_after_dequeue:
            raise ValueError('capacity %d must be bigger than min_after_dequeue %d.'
                             % (capacity, min_after_dequeue))
        tensor_list = _validate(_listed(tensor_list))
        keep_input = _validate_keep_input(keep_input, enqueue_many)
        tensor_list, sparse_info = _store_sparse_tensors(tensor_list, enqueue_many, keep_input)
        types = _dtypes([tensor_list])
        shapes = _shapes([tensor_list], shapes, enqueue_many)
        queue = _shuffle_queue(capacity, min_after_dequeue, seed, types, shapes, shared_name)
        _enqueue(queue, tensor_list, num_threads, enqueue_many, keep_input)
        _shuffled_fullness(queue, capacity, min_after_dequeue)
        dequeued = _dequeue(queue, batch_size, allow_smaller_final_batch, sparse_info, name)
        return as_original_type(tensors, dequeued)


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input,
                       seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    lists = as_tensor_list_list(tensors_list)
    with ops.name_scope(name, 'shuffle_batch_join', flatten(lists) + [keep_input]) as name:
        lists = _validate_join(lists)
        keep_input = _validate_keep_input(keep_input, enqueue_many)
        lists, sparse_info = _store_sparse_tensors_join(lists, enqueue_many, keep_input)
        types = _dtypes(lists)
        shapes = _shapes(lists, shapes, enqueue_many)
        queue = _shuffle_queue(capacity, min_after_dequeue, seed, types, shapes, shared_name)
        _enqueue_join(queue, lists, enqueue_many, keep_input)
        _shuffled_fullness(queue, capacity, min_after_dequeue)
        dequeued = _dequeue(queue, batch_size, allow_smaller_final_batch, sparse_info, name)
        return as_original_type(tensors_list[0], dequeued)


def _listed(tensor_list):
    """The tensors as a list; a tensor is none."""
    return list(tensor_list)
