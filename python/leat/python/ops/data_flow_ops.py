# SPDX-License-Identifier: Apache-2.0
"""Queues, barriers, gradient accumulators, record inputs, as TensorFlow's Python has them; the
staging areas are in data_flow_staging.py. Dynamic partition and stitch are ops' own functions.
"""
from leat.python.framework import dtypes as _dtypes
from leat.python.framework import ops
from leat.python.framework import random_seed
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import gen_data_flow_ops
from leat.python.ops.gen_data_flow_ops import (  # noqa: F401
    delete_session_tensor, dynamic_partition, dynamic_stitch, get_session_handle,
    get_session_handle_v2, get_session_tensor, parallel_dynamic_stitch, stack_close_v2,
    stack_pop_v2, stack_push_v2, stack_v2)
from leat.python.util.tf_export import tf_export


def __getattr__(name):
    return getattr(gen_data_flow_ops, name)  # the ops' own functions


def _as_type_list(dtypes):
    if not isinstance(dtypes, (list, tuple)):
        return [dtypes]
    return list(dtypes)


def _as_shape_list(shapes, dtypes, unknown_dim_allowed=False, unknown_rank_allowed=False):
    """Shapes as TensorShapes: one, or one for each type."""
    if shapes is None:
        return None
    if isinstance(shapes, tensor_shape.TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError('shapes must be a TensorShape or a list or tuple of TensorShapes.')
    if unknown_dim_allowed and (not shapes or any(s is None or isinstance(s, int)
                                                  for s in shapes)):
        raise ValueError('When providing partial shapes, a list of shapes must be provided.')
    if all(shape is None or isinstance(shape, int) for shape in shapes):
        shapes = [shapes]
    shapes = [tensor_shape.as_shape(shape) for shape in shapes]
    if not unknown_dim_allowed and any(not shape.is_fully_defined() for shape in shapes):
        raise ValueError('All shapes must be fully defined: %s' % shapes)
    if not unknown_rank_allowed and any(shape.dims is None for shape in shapes):
        raise ValueError('All shapes must have a defined rank: %s' % shapes)
    return shapes


def _as_name_list(names, dtypes):
    if names is None:
        return None
    if not isinstance(names, (list, tuple)):
        names = [names]
    if len(names) != len(dtypes):
        raise ValueError('List of names must have the same length as the list of dtypes')
    return list(names)


def _shape_common(s1, s2):
    """The most that is known of both shapes."""
    s1, s2 = tensor_shape.TensorShape(s1), tensor_shape.TensorShape(s2)
    if s1.ndims is None or s2.ndims is None or s1.ndims != s2.ndims:
        return tensor_shape.unknown_shape()
    return tensor_shape.TensorShape([d1 if d1 is not None and d1 == d2 else None
                                     for d1, d2 in zip(s1.as_list(), s2.as_list())])


def _shared_name(shared_name):
    return shared_name


def _names_of(keys):
    return '(%s)' % sorted(keys)


@tf_export('queue.QueueBase', v1=['queue.QueueBase', 'io.QueueBase', 'QueueBase'])
class QueueBase(object):
    """A queue of tuples of tensors."""

    def __init__(self, dtypes, shapes, names, queue_ref):
        self._dtypes = dtypes
        if shapes is not None:
            if len(shapes) != len(dtypes):
                raise ValueError('Queue shapes must have the same length as dtypes')
            self._shapes = [tensor_shape.TensorShape(s) for s in shapes]
        else:
            self._shapes = [tensor_shape.unknown_shape() for _ in self._dtypes]
        if names is not None:
            if len(names) != len(self._dtypes):
                raise ValueError('Queue names must have the same length as dtypes')
            self._names = names
        else:
            self._names = None
        self._queue_ref = queue_ref
        self._name = self._queue_ref.op.name.split('/')[-1]

    @staticmethod
    def from_list(index, queues):
        """The queue at a place of a list, known when a step runs."""
        if not queues or not isinstance(queues, list) or \
                not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError('A list of queues expected')
        dtypes = queues[0].dtypes
        if not all(dtypes == q.dtypes for q in queues[1:]):
            raise TypeError('Queues do not have matching component dtypes.')
        names = queues[0].names
        if not all(names == q.names for q in queues[1:]):
            raise TypeError('Queues do not have matching component names.')
        shapes = queues[0].shapes
        for queue in queues[1:]:
            shapes = [_shape_common(a, b) for a, b in zip(shapes, queue.shapes)]
        from leat.python.ops import array_ops
        chosen = array_ops.gather(array_ops.stack([q.queue_ref for q in queues]), index)
        return QueueBase(dtypes=dtypes, shapes=shapes, names=names, queue_ref=chosen)

    @property
    def queue_ref(self):
        return self._queue_ref

    @property
    def name(self):
        return self._queue_ref.op.name

    @property
    def dtypes(self):
        return self._dtypes

    @property
    def shapes(self):
        return self._shapes

    @property
    def names(self):
        return self._names

    def _check_enqueue_dtypes(self, vals):
        """The values as a list of tensors of the queue's types."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError('Queue must have names to enqueue a dictionary')
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError('Keys in dictionary to enqueue do not match names of Queue.  '
                                 'Dictionary: %s, Queue: %s'
                                 % (_names_of(vals), _names_of(self._names)))
            vals = [vals[k] for k in self._names]
        else:
            if self._names:
                raise ValueError('You must enqueue a dictionary in a Queue with names')
            if not isinstance(vals, (list, tuple)):
                vals = [vals]
        return [ops.convert_to_tensor(val, dtype=dtype, name='component_%d' % i)
                for i, (val, dtype) in enumerate(zip(vals, self._dtypes))]

    def _scope_vals(self, vals):
        if isinstance(vals, (list, tuple)):
            return vals
        if isinstance(vals, dict):
            return vals.values()
        return [vals]

    def enqueue(self, vals, name=None):
        """Adds one element."""
        with ops.name_scope(name, '%s_enqueue' % self._name, self._scope_vals(vals)) as scope:
            vals = self._check_enqueue_dtypes(vals)
            for val, shape in zip(vals, self._shapes):
                val.get_shape().assert_is_compatible_with(shape)
            if self._queue_ref.dtype == _dtypes.resource:
                return gen_data_flow_ops.queue_enqueue_v2(self._queue_ref, vals, name=scope)
            return gen_data_flow_ops.queue_enqueue(self._queue_ref, vals, name=scope)

    def enqueue_many(self, vals, name=None):
        """Adds as many elements as the first dim of each component has."""
        with ops.name_scope(name, '%s_EnqueueMany' % self._name, self._scope_vals(vals)) as scope:
            vals = self._check_enqueue_dtypes(vals)
            batch_dim = tensor_shape.dimension_at_index(
                vals[0].get_shape().with_rank_at_least(1), 0)
            batch_dim = tensor_shape.Dimension(batch_dim)
            for val, shape in zip(vals, self._shapes):
                val_shape = val.get_shape().with_rank_at_least(1)
                batch_dim = batch_dim.merge_with(tensor_shape.dimension_at_index(val_shape, 0))
                val_shape[1:].assert_is_compatible_with(shape)
            return gen_data_flow_ops.queue_enqueue_many_v2(self._queue_ref, vals, name=scope)

    def _dequeue_return_value(self, tensors):
        if self._names:
            return dict(zip(self._names, tensors))
        if len(tensors) == 1:
            return tensors[0]
        return tensors

    def dequeue(self, name=None):
        """One element."""
        if name is None:
            name = '%s_Dequeue' % self._name
        if self._queue_ref.dtype == _dtypes.resource:
            found = gen_data_flow_ops.queue_dequeue_v2(self._queue_ref, self._dtypes, name=name)
        else:
            found = gen_data_flow_ops.queue_dequeue(self._queue_ref, self._dtypes, name=name)
        for tensor, shape in zip(found, self._shapes):
            tensor.set_shape(shape)
        return self._dequeue_return_value(found)

    def dequeue_many(self, n, name=None):
        """n elements, as the rows of one."""
        if name is None:
            name = '%s_DequeueMany' % self._name
        found = gen_data_flow_ops.queue_dequeue_many_v2(
            self._queue_ref, n=n, component_types=self._dtypes, name=name)
        if found:
            count = tensor_util.constant_value(found[0].op.inputs[1])
            batch = tensor_shape.TensorShape([None if count is None else int(count)])
            for tensor, shape in zip(found, self._shapes):
                tensor.set_shape(batch.concatenate(shape))
        return self._dequeue_return_value(found)

    def dequeue_up_to(self, n, name=None):
        """n elements, or what there is of a closed queue."""
        if name is None:
            name = '%s_DequeueUpTo' % self._name
        found = gen_data_flow_ops.queue_dequeue_up_to_v2(
            self._queue_ref, n=n, component_types=self._dtypes, name=name)
        for tensor, shape in zip(found, self._shapes):
            tensor.set_shape(tensor_shape.TensorShape([None]).concatenate(shape))
        return self._dequeue_return_value(found)

    def close(self, cancel_pending_enqueues=False, name=None):
        """No more elements are taken."""
        if name is None:
            name = '%s_Close' % self._name
        return gen_data_flow_ops.queue_close_v2(
            self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def is_closed(self, name=None):
        if name is None:
            name = '%s_Is_Closed' % self._name
        return gen_data_flow_ops.queue_is_closed_v2(self._queue_ref, name=name)

    def size(self, name=None):
        if name is None:
            name = '%s_Size' % self._name
        return gen_data_flow_ops.queue_size_v2(self._queue_ref, name=name)


@tf_export('queue.RandomShuffleQueue',
           v1=['queue.RandomShuffleQueue', 'io.RandomShuffleQueue', 'RandomShuffleQueue'])
class RandomShuffleQueue(QueueBase):
    """Gives its elements in random order."""

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None,
                 shared_name=None, name='random_shuffle_queue'):
        dtypes = _as_type_list(dtypes)
        shapes = _as_shape_list(shapes, dtypes)
        names = _as_name_list(names, dtypes)
        seed1, seed2 = random_seed.get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1, seed2 = 0, 0
        queue_ref = gen_data_flow_ops.random_shuffle_queue_v2(
            component_types=dtypes, shapes=shapes, capacity=capacity,
            min_after_dequeue=min_after_dequeue, seed=seed1, seed2=seed2,
            shared_name=_shared_name(shared_name), name=name)
        super(RandomShuffleQueue, self).__init__(dtypes, shapes, names, queue_ref)


@tf_export('queue.FIFOQueue', v1=['queue.FIFOQueue', 'FIFOQueue'])
class FIFOQueue(QueueBase):
    """Gives its elements in the order in which they came."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None,
                 name='fifo_queue'):
        dtypes = _as_type_list(dtypes)
        shapes = _as_shape_list(shapes, dtypes)
        names = _as_name_list(names, dtypes)
        queue_ref = gen_data_flow_ops.fifo_queue_v2(
            component_types=dtypes, shapes=shapes, capacity=capacity,
            shared_name=_shared_name(shared_name), name=name)
        super(FIFOQueue, self).__init__(dtypes, shapes, names, queue_ref)


@tf_export('queue.PaddingFIFOQueue',
           v1=['queue.PaddingFIFOQueue', 'io.PaddingFIFOQueue', 'PaddingFIFOQueue'])
class PaddingFIFOQueue(QueueBase):
    """Elements of different sizes, padded with zeros where several are taken."""

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None,
                 name='padding_fifo_queue'):
        dtypes = _as_type_list(dtypes)
        shapes = _as_shape_list(shapes, dtypes, unknown_dim_allowed=True)
        names = _as_name_list(names, dtypes)
        if len(dtypes) != len(shapes):
            raise ValueError('Shapes must be provided for all components, but received %d dtypes '
                             'and %d shapes.' % (len(dtypes), len(shapes)))
        queue_ref = gen_data_flow_ops.padding_fifo_queue_v2(
            component_types=dtypes, shapes=shapes, capacity=capacity,
            shared_name=_shared_name(shared_name), name=name)
        super(PaddingFIFOQueue, self).__init__(dtypes, shapes, names, queue_ref)


@tf_export('queue.PriorityQueue',
           v1=['queue.PriorityQueue', 'io.PriorityQueue', 'PriorityQueue'])
class PriorityQueue(QueueBase):
    """Gives the element with the least first component, an int64."""

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None,
                 name='priority_queue'):
        types = _as_type_list(types)
        shapes = _as_shape_list(shapes, types)
        queue_ref = gen_data_flow_ops.priority_queue_v2(
            component_types=types, shapes=shapes, capacity=capacity,
            shared_name=_shared_name(shared_name), name=name)
        priority_dtypes = [_dtypes.int64] + types
        priority_shapes = [()] + shapes if shapes else shapes
        super(PriorityQueue, self).__init__(priority_dtypes, priority_shapes, names, queue_ref)


class Barrier(object):
    """Values that come one by one under a key, and are taken when all of a key are there."""

    def __init__(self, types, shapes=None, shared_name=None, name='barrier'):
        self._types = _as_type_list(types)
        if shapes is not None:
            shapes = _as_shape_list(shapes, self._types)
            self._shapes = [tensor_shape.TensorShape(s) for s in shapes]
            for i, shape in enumerate(self._shapes):
                if shape.num_elements() == 0:
                    raise ValueError('Empty tensors are not supported, but received shape \'%s\' '
                                     'at index %d' % (shape, i))
        else:
            self._shapes = [tensor_shape.unknown_shape() for _ in self._types]
        self._barrier_ref = gen_data_flow_ops.barrier(
            component_types=self._types, shapes=self._shapes, shared_name=shared_name, name=name)
        self._name = self._barrier_ref.op.name.split('/')[-1]

    @property
    def barrier_ref(self):
        return self._barrier_ref

    @property
    def name(self):
        return self._barrier_ref.op.name

    def insert_many(self, component_index, keys, values, name=None):
        """Values of one component for several keys."""
        if name is None:
            name = '%s_BarrierInsertMany' % self._name
        return gen_data_flow_ops.barrier_insert_many(self._barrier_ref, keys, values,
                                                     component_index, name=name)

    def take_many(self, num_elements, allow_small_batch=False, timeout=None, name=None):
        """The indices, keys and values of complete elements, oldest first."""
        if name is None:
            name = '%s_BarrierTakeMany' % self._name
        found = gen_data_flow_ops.barrier_take_many(
            self._barrier_ref, num_elements, self._types, allow_small_batch, timeout, name=name)
        op = found[0].op
        if allow_small_batch:
            batch = None
        else:
            batch = tensor_util.constant_value(op.inputs[1])
        batch = tensor_shape.TensorShape([None if batch is None else int(batch)])
        op.outputs[0].set_shape(batch)
        op.outputs[1].set_shape(batch)
        for output, shape in zip(op.outputs[2:], self._shapes):
            output.set_shape(batch.concatenate(shape))
        return found

    def close(self, cancel_pending_enqueues=False, name=None):
        """No new keys are taken."""
        if name is None:
            name = '%s_BarrierClose' % self._name
        return gen_data_flow_ops.barrier_close(
            self._barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def ready_size(self, name=None):
        if name is None:
            name = '%s_BarrierReadySize' % self._name
        return gen_data_flow_ops.barrier_ready_size(self._barrier_ref, name=name)

    def incomplete_size(self, name=None):
        if name is None:
            name = '%s_BarrierIncompleteSize' % self._name
        return gen_data_flow_ops.barrier_incomplete_size(self._barrier_ref, name=name)


def _int64(value):
    from leat.python.ops import math_ops
    return math_ops.cast(ops.convert_to_tensor(value), _dtypes.int64)


@tf_export(v1=['ConditionalAccumulatorBase'])
class ConditionalAccumulatorBase(object):
    """Sums gradients that are not older than its step."""

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype = dtype
        if shape is not None:
            self._shape = tensor_shape.TensorShape(shape)
        else:
            self._shape = tensor_shape.unknown_shape()
        self._accumulator_ref = accumulator_ref
        self._name = self._accumulator_ref.op.name.split('/')[-1]

    @property
    def accumulator_ref(self):
        return self._accumulator_ref

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    def num_accumulated(self, name=None):
        if name is None:
            name = '%s_NumAccumulated' % self._name
        return gen_data_flow_ops.resource_accumulator_num_accumulated(self._accumulator_ref,
                                                                      name=name)

    def set_global_step(self, new_global_step, name=None):
        """Gradients of earlier steps are dropped from now on."""
        return gen_data_flow_ops.resource_accumulator_set_global_step(
            self._accumulator_ref, _int64(new_global_step), name=name)


@tf_export(v1=['ConditionalAccumulator'])
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """The one of dense gradients."""

    def __init__(self, dtype, shape=None, shared_name=None, name='conditional_accumulator',
                 reduction_type='MEAN'):
        accumulator_ref = gen_data_flow_ops.resource_conditional_accumulator(
            dtype=dtype, shape=shape, shared_name=shared_name, name=name,
            reduction_type=reduction_type)
        super(ConditionalAccumulator, self).__init__(dtype, shape, accumulator_ref)

    def apply_grad(self, grad, local_step=0, name=None):
        grad = ops.convert_to_tensor(grad, self._dtype)
        grad.get_shape().assert_is_compatible_with(self._shape)
        return gen_data_flow_ops.resource_accumulator_apply_gradient(
            self._accumulator_ref, local_step=_int64(local_step), gradient=grad, name=name)

    def take_grad(self, num_required, name=None):
        out = gen_data_flow_ops.resource_accumulator_take_gradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name)
        out.set_shape(self._shape)
        return out


@tf_export(v1=['sparse.SparseConditionalAccumulator', 'SparseConditionalAccumulator'])
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """The one of gradients of some rows."""

    def __init__(self, dtype, shape=None, shared_name=None, name='sparse_conditional_accumulator',
                 reduction_type='MEAN'):
        accumulator_ref = gen_data_flow_ops.sparse_conditional_accumulator(
            dtype=dtype, shape=shape, shared_name=shared_name, name=name,
            reduction_type=reduction_type)
        super(SparseConditionalAccumulator, self).__init__(dtype, shape, accumulator_ref)

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        return self.apply_grad(grad_indices=grad.indices, grad_values=grad.values,
                               grad_shape=grad.dense_shape, local_step=local_step, name=name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        from leat.python.ops import math_ops
        local_step = _int64(local_step)
        indices = math_ops.cast(grad_indices, _dtypes.int64)
        shape = math_ops.cast([] if grad_shape is None else grad_shape, _dtypes.int64)
        return gen_data_flow_ops.sparse_accumulator_apply_gradient(
            self._accumulator_ref, local_step=local_step, gradient_indices=indices,
            gradient_values=grad_values, gradient_shape=shape,
            has_known_shape=grad_shape is not None, name=name)

    def take_grad(self, num_required, name=None):
        return gen_data_flow_ops.sparse_accumulator_take_gradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name)

    def take_indexed_slices_grad(self, num_required, name=None):
        taken = gen_data_flow_ops.sparse_accumulator_take_gradient(
            self._accumulator_ref, num_required, dtype=self._dtype, name=name)
        return ops.IndexedSlices(indices=taken.indices, values=taken.values,
                                 dense_shape=taken.shape)

    def num_accumulated(self, name=None):
        if name is None:
            name = '%s_NumAccumulated' % self._name
        return gen_data_flow_ops.accumulator_num_accumulated(self._accumulator_ref, name=name)

    def set_global_step(self, new_global_step, name=None):
        return gen_data_flow_ops.accumulator_set_global_step(
            self._accumulator_ref, _int64(new_global_step), name=name)


class RecordInput(object):
    """Batches of the records of many files, read in parallel and shuffled."""

    def __init__(self, file_pattern, batch_size=1, buffer_size=1, parallelism=1, shift_ratio=0,
                 seed=0, name=None, batches=None, compression_type=None):
        from leat.python.lib.io import python_io
        self._batches = batches
        self._batch_size = batch_size * (batches or 1)
        self._file_pattern = file_pattern
        self._buffer_size = buffer_size
        self._parallelism = parallelism
        self._shift_ratio = shift_ratio
        self._seed = seed
        self._name = name
        self._compression_type = python_io.TFRecordCompressionType.NONE \
            if compression_type is None else compression_type

    def get_yield_op(self):
        """A batch; with `batches`, that many lists of records."""
        from leat.python.lib.io import python_io
        from leat.python.ops import array_ops
        packing = python_io.TFRecordOptions.get_compression_type_string(
            python_io.TFRecordOptions(self._compression_type))
        records = gen_data_flow_ops.record_input(
            file_pattern=self._file_pattern, file_buffer_size=self._buffer_size,
            file_parallelism=self._parallelism, file_shuffle_shift_ratio=self._shift_ratio,
            batch_size=self._batch_size, file_random_seed=self._seed, compression_type=packing,
            name=self._name)
        if self._batches is None:
            return records
        with ops.name_scope(self._name):
            batches = [[] for _ in range(self._batches)]
            for i, record in enumerate(array_ops.split(records, self._batch_size, 0)):
                batches[i % self._batches].append(array_ops.reshape(record, []))
            return batches


from leat.python.ops.data_flow_staging import (  # noqa: E402,F401
    BaseStagingArea, MapStagingArea, StagingArea)
