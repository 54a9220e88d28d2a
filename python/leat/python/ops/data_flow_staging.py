# SPDX-License-Identifier: Apache-2.0
"""Staging areas: values put in one step and taken in another. Names of data_flow_ops."""
import threading

from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import gen_control_flow_ops
from leat.python.ops import gen_data_flow_ops


class BaseStagingArea(object):
    """What the areas share."""

    _identifier = 0
    _lock = threading.Lock()

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0,
                 memory_limit=0):
        if shared_name is None:
            self._name = ops.get_default_graph().unique_name(self.__class__.__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError('shared_name must be a string')
        self._dtypes = dtypes
        if shapes is not None:
            if len(shapes) != len(dtypes):
                raise ValueError('StagingArea shapes must be the same length as dtypes')
            self._shapes = [tensor_shape.TensorShape(s) for s in shapes]
        else:
            self._shapes = [tensor_shape.unknown_shape() for _ in self._dtypes]
        if names is not None:
            if len(names) != len(dtypes):
                raise ValueError('StagingArea names must be the same length as dtypes')
            self._names = names
        else:
            self._names = None
        self._capacity = capacity
        self._memory_limit = memory_limit
        with ops.name_scope('%s_root' % self._name):
            self._coloc_op = gen_control_flow_ops.no_op()

    @property
    def name(self):
        return self._name

    @property
    def dtypes(self):
        return self._dtypes

    @property
    def shapes(self):
        return self._shapes

    @property
    def names(self):
        return self._names

    @property
    def capacity(self):
        return self._capacity

    @property
    def memory_limit(self):
        return self._memory_limit

    def _place(self, dtypes=None):
        """The attrs that say which area it is."""
        return dict(dtypes=self._dtypes if dtypes is None else dtypes, shared_name=self._name,
                    capacity=self._capacity, memory_limit=self._memory_limit)

    def _check_put_dtypes(self, vals, indices=None):
        """(tensors, indices) of what is put."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError('Staging areas must have names to enqueue a dictionary')
            if not set(vals.keys()).issubset(self._names):
                raise ValueError('Keys in dictionary to put do not match names of staging area. '
                                 'Dictionary: (%s), Queue: (%s)'
                                 % (sorted(vals.keys()), sorted(self._names)))
            vals, indices = zip(*[(vals[k], i) for i, k in enumerate(self._names) if k in vals])
            vals, indices = list(vals), list(indices)
        else:
            if self._names:
                raise ValueError('You must enqueue a dictionary in a staging area with names')
            if indices is None:
                raise ValueError('Indices must be supplied when inserting a list of tensors')
            if len(indices) != len(vals):
                raise ValueError("Number of indices '%s' doesn't match number of values '%s'"
                                 % (len(indices), len(vals)))
            if not isinstance(vals, (list, tuple)):
                vals, indices = [vals], [0]
        if not len(vals) <= len(self._dtypes):
            raise ValueError("Unexpected number of inputs '%s' vs '%s'"
                             % (len(vals), len(self._dtypes)))
        tensors = []
        for val, i in zip(vals, indices):
            dtype, shape = self._dtypes[i], self._shapes[i]
            if val.dtype != dtype:
                raise ValueError("Datatypes do not match. '%s' != '%s'" % (val.dtype, dtype))
            val.get_shape().assert_is_compatible_with(shape)
            tensors.append(ops.convert_to_tensor(val, dtype=dtype, name='component_%d' % i))
        return tensors, indices

    def _create_device_transfers(self, tensors):
        """The tensors on the device that ops are put on now."""
        from leat.python.ops import array_ops
        if not isinstance(tensors, (tuple, list)):
            tensors = [tensors]
        if gen_control_flow_ops.no_op().device != self._coloc_op.device:
            return [array_ops.identity(t) for t in tensors]
        return tensors

    def _get_return_value(self, tensors, indices):
        tensors = self._create_device_transfers(tensors)
        for output, i in zip(tensors, indices):
            output.set_shape(self._shapes[i])
        if self._names:
            return {self._names[i]: t for t, i in zip(tensors, indices)}
        return tensors

    def _scope_vals(self, vals):
        if isinstance(vals, (list, tuple)):
            return vals
        if isinstance(vals, dict):
            return vals.values()
        return [vals]


class StagingArea(BaseStagingArea):
    """Values that leave in the order in which they came."""

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0,
                 memory_limit=0):
        super(StagingArea, self).__init__(dtypes, shapes, names, shared_name, capacity,
                                          memory_limit)

    def put(self, values, name=None):
        with ops.name_scope(name, '%s_put' % self._name, self._scope_vals(values)) as scope:
            if not isinstance(values, (list, tuple, dict)):
                values = [values]
            values, _ = self._check_put_dtypes(values, list(range(len(values))))
            with ops.colocate_with(self._coloc_op):
                return gen_data_flow_ops.stage(
                    values=values, shared_name=self._name, name=scope, capacity=self._capacity,
                    memory_limit=self._memory_limit)

    def __internal_get(self, get_fn, name):
        with ops.colocate_with(self._coloc_op):
            found = get_fn()
        return self._get_return_value(found, list(range(len(self._dtypes))))

    def get(self, name=None):
        """The oldest values; they leave."""
        if name is None:
            name = '%s_get' % self._name
        return self.__internal_get(
            lambda: gen_data_flow_ops.unstage(name=name, **self._place()), name)

    def peek(self, index, name=None):
        """The values at a place; they stay."""
        if name is None:
            name = '%s_peek' % self._name
        return self.__internal_get(
            lambda: gen_data_flow_ops.stage_peek(index, name=name, **self._place()), name)

    def size(self, name=None):
        if name is None:
            name = '%s_size' % self._name
        return gen_data_flow_ops.stage_size(name=name, **self._place())

    def clear(self, name=None):
        if name is None:
            name = '%s_clear' % self._name
        return gen_data_flow_ops.stage_clear(name=name, **self._place())


class MapStagingArea(BaseStagingArea):
    """Values under keys; they may come in parts."""

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, ordered=False,
                 capacity=0, memory_limit=0):
        super(MapStagingArea, self).__init__(dtypes, shapes, names, shared_name, capacity,
                                             memory_limit)
        prefix = 'ordered_map_' if ordered else 'map_'
        for what in ('stage', 'unstage', 'unstage_no_key', 'peek', 'size', 'incomplete_size',
                     'clear'):
            setattr(self, '_%s_fn' % what, getattr(gen_data_flow_ops, prefix + what))

    def put(self, key, vals, indices=None, name=None):
        with ops.name_scope(name, '%s_put' % self._name, self._scope_vals(vals)) as scope:
            vals, indices = self._check_put_dtypes(vals, indices)
            with ops.colocate_with(self._coloc_op):
                return self._stage_fn(key, indices, vals, name=scope, **self._place())

    def _get_indices_and_dtypes(self, indices=None):
        """(places, types) of names or places; all of None."""
        if indices is None:
            indices = list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError("Invalid indices type '%s'" % type(indices))
        if len(indices) == 0:
            raise ValueError('Empty indices')
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError("String indices provided '%s', but this Staging Area was not "
                                 "created with names." % indices)
            indices = [self._names.index(n) for n in indices]
        elif not all(isinstance(i, int) for i in indices):
            raise TypeError("Mixed types in indices '%s'. May only be str or int" % indices)
        return indices, [self._dtypes[i] for i in indices]

    def peek(self, key, indices=None, name=None):
        """The values under a key; they stay."""
        if name is None:
            name = '%s_pop' % self._name
        indices, dtypes = self._get_indices_and_dtypes(indices)
        with ops.colocate_with(self._coloc_op):
            found = self._peek_fn(key, indices, name=name, **self._place(dtypes))
        return self._get_return_value(found, indices)

    def get(self, key=None, indices=None, name=None):
        """(key, values) of a key, or of any; they leave."""
        if key is None:
            return self._popitem(indices=indices, name=name)
        return self._pop(key, indices=indices, name=name)

    def _pop(self, key, indices=None, name=None):
        if name is None:
            name = '%s_get' % self._name
        indices, dtypes = self._get_indices_and_dtypes(indices)
        with ops.colocate_with(self._coloc_op):
            found = self._unstage_fn(key, indices, name=name, **self._place(dtypes))
        return key, self._get_return_value(found, indices)

    def _popitem(self, indices=None, name=None):
        if name is None:
            name = '%s_get_nokey' % self._name
        indices, dtypes = self._get_indices_and_dtypes(indices)
        with ops.colocate_with(self._coloc_op):
            key, found = self._unstage_no_key_fn(indices, name=name, **self._place(dtypes))
        key = self._create_device_transfers(key)[0]
        return key, self._get_return_value(found, indices)

    def size(self, name=None):
        if name is None:
            name = '%s_size' % self._name
        return self._size_fn(name=name, **self._place())

    def incomplete_size(self, name=None):
        if name is None:
            name = '%s_incomplete_size' % self._name
        return self._incomplete_size_fn(name=name, **self._place())

    def clear(self, name=None):
        if name is None:
            name = '%s_clear' % self._name
        return self._clear_fn(name=name, **self._place())
