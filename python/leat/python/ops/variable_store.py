# SPDX-License-Identifier: Apache-2.0
"""The variables of a graph that get_variable made, by name. Imported by variable_scope, whose part
this is."""
import collections.abc
import functools
import traceback

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import traceback_utils
from leat.python.framework.graph_keys import GraphKeys
from leat.python.ops import variables
from leat.python.util import function_utils
from leat.python.util import tf_inspect

AUTO = variables.VariableSynchronization.AUTO
NONE = variables.VariableAggregation.NONE


class _PartitionInfo(object):
    """Which part of which whole an initializer makes."""

    def __init__(self, full_shape, var_offset):
        if not isinstance(full_shape, collections.abc.Sequence) or isinstance(full_shape, str):
            raise TypeError('`full_shape` must be a sequence (like tuple or list) instead of '
                            + type(full_shape).__name__)
        if not isinstance(var_offset, collections.abc.Sequence) or isinstance(var_offset, str):
            raise TypeError('`var_offset` must be a sequence (like tuple or list) instead of '
                            + type(var_offset).__name__)
        if len(var_offset) != len(full_shape):
            raise ValueError('Expected equal length, but `var_offset` is of length {} while '
                             'full_shape is of length {}.'.format(len(var_offset),
                                                                  len(full_shape)))
        for offset, shape in zip(var_offset, full_shape):
            if offset < 0 or offset >= shape:
                raise ValueError('Expected 0 <= offset < shape but found offset={}, shape={} for '
                                 'var_offset={}, full_shape={}'.format(offset, shape, var_offset,
                                                                       full_shape))
        self._full_shape = full_shape
        self._var_offset = var_offset

    @property
    def full_shape(self):
        return self._full_shape

    @property
    def var_offset(self):
        return self._var_offset

    def single_offset(self, shape):
        """The offset along the one dim that is cut."""
        dim = self.single_slice_dim(shape)
        return 0 if dim is None else self.var_offset[dim]

    def single_slice_dim(self, shape):
        """The one dim that is cut; None where none is."""
        if not isinstance(shape, collections.abc.Sequence) or isinstance(shape, str):
            raise TypeError('`shape` must be a sequence (like tuple or list) instead of '
                            + type(shape).__name__)
        if len(shape) != len(self.full_shape):
            raise ValueError('Expected equal length, but received shape={} of length {} while '
                             'self.full_shape={} is of length {}.'.format(
                                 shape, len(shape), self.full_shape, len(self.full_shape)))
        for i in range(len(shape)):
            if self.var_offset[i] + shape[i] > self.full_shape[i]:
                raise ValueError('With self.var_offset={}, a partition of shape={} would exceed '
                                 'self.full_shape={} in dimension {}.'.format(
                                     self.var_offset, shape, self.full_shape, i))
        cut = [i for i in range(len(shape)) if shape[i] != self.full_shape[i]]
        if len(cut) > 1:
            raise ValueError('Cannot use single_slice_dim() with shape={} and self.full_shape={} '
                             'since slice dim could be either dimension {} or {}.'.format(
                                 shape, self.full_shape, cut[1], cut[0]))
        return cut[0] if cut else None


class _VariableStore(object):
    """Makes variables, and finds them again."""

    def __init__(self):
        self._vars = {}
        self._partitioned_vars = {}
        self._store_eager_variables = False

    def get_variable(self, name, shape=None, dtype=dtypes.float32, initializer=None,
                     regularizer=None, reuse=None, trainable=None, collections=None,
                     caching_device=None, partitioner=None, validate_shape=True,
                     use_resource=None, custom_getter=None, constraint=None, synchronization=AUTO,
                     aggregation=NONE):
        """The variable of the full name; by the custom getter, if there is one."""
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError('Passed a custom_getter which is not callable: %s' % custom_getter)
        try:
            dtype = dtype.base_dtype
        except AttributeError:
            pass
        synchronization, aggregation, trainable = (
            variables.validate_synchronization_aggregation_trainable(
                synchronization, aggregation, trainable, name))
        arguments = dict(
            name=name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
            reuse=reuse, trainable=trainable, collections=collections,
            caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape,
            use_resource=use_resource, synchronization=synchronization, aggregation=aggregation)
        if custom_getter is None:
            return self._true_getter(constraint=constraint, **arguments)
        if 'constraint' in function_utils.fn_args(custom_getter) or \
                function_utils.has_kwargs(custom_getter):
            arguments['constraint'] = constraint
        return custom_getter(getter=self._true_getter, **arguments)

    def _true_getter(self, name, shape=None, dtype=dtypes.float32, initializer=None,
                     regularizer=None, reuse=None, trainable=None, collections=None,
                     caching_device=None, partitioner=None, validate_shape=True,
                     use_resource=None, constraint=None, synchronization=AUTO, aggregation=NONE):
        """What a custom getter calls at last."""
        is_scalar = shape is not None and isinstance(shape, (list, tuple)) and not shape
        common = dict(
            name=name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
            reuse=reuse, trainable=trainable, collections=collections,
            caching_device=caching_device, validate_shape=validate_shape,
            use_resource=use_resource, constraint=constraint, synchronization=synchronization,
            aggregation=aggregation)
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError('Partitioner must be callable, but received: %s' % partitioner)
            with ops.name_scope(None):
                return self._get_partitioned_variable(partitioner=partitioner, **common)
        if reuse is True and partitioner is None and name in self._partitioned_vars:
            return self._get_partitioned_variable(partitioner=None, **common)
        if '%s/part_0' % name in self._vars:
            raise ValueError('No partitioner was provided, but a partitioned version of the '
                             'variable was found: %s/part_0. Perhaps a variable of the same name '
                             'was already created with partitioning?' % name)
        return self._get_single_variable(**common)

    # ---- partitioned ones ----

    def _get_partitioned_variable(self, name, partitioner, shape=None, dtype=dtypes.float32,
                                  initializer=None, **common):
        initializing_from_value = initializer is not None and not callable(initializer)
        if name in self._vars:
            raise ValueError('A partitioner was provided, but an unpartitioned version of the '
                             'variable was found: %s.  Perhaps a variable of the same name was '
                             'already created without partitioning?' % name)
        shape = tensor_shape.as_shape(shape)
        if initializing_from_value:
            shape = shape.merge_with(initializer.get_shape())
        partitions = None
        if not common['reuse'] or partitioner:
            partitions = self._partitions(partitioner, shape, dtype)
        if name in self._partitioned_vars:
            return self._found_partitioned(name, shape, dtype, common['reuse'], partitions)
        if common['reuse'] is True:
            raise ValueError('PartitionedVariable %s does not exist, or was not created with '
                             'tf.get_variable(). Did you mean to set reuse=False or '
                             'reuse=tf.AUTO_REUSE in VarScope?' % name)
        slice_dim, num_slices = _get_slice_dim_and_num_slices(partitions)
        if '%s/part_0' % name in self._vars:
            if '%s/part_%d' % (name, num_slices - 1) not in self._vars:
                raise ValueError('Partitioner returned a different partitioning than what was '
                                 'already found.  Partitioner returned %d shards, and shard '
                                 '%s/part_0 was found, but %s/part_%d was not.'
                                 % (num_slices, name, name, num_slices - 1))
            if '%s/part_%d' % (name, num_slices) in self._vars:
                raise ValueError('Partitioner returned a different partitioning than what was '
                                 'already found.  Partitioner returned %d shards, and shard '
                                 '%s/part_0 was found, but so was the extra shard %s/part_%d.'
                                 % (num_slices, name, name, num_slices))
        parts = [self._get_part(i, name, shape, offset, size, dtype, initializer, common)
                 for i, (offset, size) in enumerate(
                     _iter_slices(shape.as_list(), num_slices, slice_dim))]
        whole = variables.PartitionedVariable(name=name, shape=shape, dtype=dtype,
                                              variable_list=parts, partitions=partitions)
        self._partitioned_vars[name] = whole
        return whole

    @staticmethod
    def _partitions(partitioner, shape, dtype):
        if not shape.is_fully_defined():
            raise ValueError('Shape of a new partitioned variable must be fully defined, but '
                             'instead was %s.' % shape)
        if shape.ndims < 1:
            raise ValueError('A partitioned Variable must have rank at least 1, shape: %s' % shape)
        partitions = partitioner(shape=shape, dtype=dtype)
        if not isinstance(partitions, collections.abc.Sequence):
            raise ValueError('Partitioner must return a sequence, but saw: %s' % partitions)
        if len(partitions) != shape.ndims:
            raise ValueError('Partitioner returned a partition list that does not match the '
                             'Variable\'s rank: %s vs. %s' % (partitions, shape))
        if any(p < 1 for p in partitions):
            raise ValueError('Partitioner returned zero partitions for some axes: %s' % partitions)
        if sum(p > 1 for p in partitions) > 1:
            raise ValueError('Can only slice a variable along one dimension: shape: %s, '
                             'partitioning: %s' % (shape, partitions))
        return partitions

    def _found_partitioned(self, name, shape, dtype, reuse, partitions):
        if reuse is False:
            raise ValueError('Partitioned variable with name %s already exists. Did you mean to '
                             'set reuse=True or reuse=tf.AUTO_REUSE in VarScope?' % name)
        existing = self._partitioned_vars[name]
        if not shape.is_compatible_with(existing.get_shape()):
            raise ValueError('Trying to reuse partitioned variable %s, but specified shape %s and '
                             'found shape %s.' % (name, shape, existing.get_shape()))
        if not dtypes.as_dtype(dtype).is_compatible_with(existing.dtype):
            raise ValueError('Trying to reuse partitioned variable %s, but specified dtype %s and '
                             'found dtype %s.' % (name, dtypes.as_dtype(dtype).name,
                                                  existing.dtype.name))
        if partitions is not None and list(existing._get_partitions()) != list(partitions):
            raise ValueError('Trying to reuse partitioned variable %s, but specified partitions '
                             '%s and found partitions %s.'
                             % (name, partitions, existing._get_partitions()))
        return existing

    def _get_part(self, i, name, shape, offset, size, dtype, initializer, common):
        from leat.python.ops import array_ops
        full_name = '%s/part_%d' % (name, i)
        part_shape = size
        with ops.name_scope(full_name + '/PartitionedInitializer'):
            if initializer is None:
                init, from_value = self._get_default_initializer(name=name, shape=shape,
                                                                 dtype=dtype)
                if from_value:
                    part_shape = None
            elif callable(initializer):
                init = initializer
            else:
                if not isinstance(initializer, ops.Tensor):
                    initializer = ops.convert_to_tensor(initializer, dtype=dtype)
                init = array_ops.slice(initializer, offset, size)
                dtype = init.dtype.base_dtype
                part_shape = None
        with ops.name_scope(None):
            var = self._get_single_variable(
                name=full_name, shape=part_shape, dtype=dtype, initializer=init,
                partition_info=_PartitionInfo(full_shape=shape.as_list(), var_offset=offset),
                **common)
        var._set_save_slice_info(variables.Variable.SaveSliceInfo(name, shape.as_list(), offset,
                                                                  size))
        return var

    # ---- single ones ----

    def _get_single_variable(self, name, shape=None, dtype=dtypes.float32, initializer=None,
                             regularizer=None, partition_info=None, reuse=None, trainable=None,
                             collections=None, caching_device=None, validate_shape=True,
                             use_resource=None, constraint=None, synchronization=AUTO,
                             aggregation=NONE):
        from_value = initializer is not None and not callable(initializer)
        if shape is not None and from_value:
            raise ValueError('If initializer is a constant, do not specify shape.')
        dtype = dtypes.as_dtype(dtype)
        shape = tensor_shape.as_shape(shape)
        if name in self._vars:
            return self._found(name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError('Variable %s does not exist, or was not created with '
                             'tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in '
                             'VarScope?' % name)
        if initializer is None:
            initializer, from_value = self._get_default_initializer(name=name, shape=shape,
                                                                    dtype=dtype)
        with ops.init_scope():
            if from_value:
                init_val, variable_dtype = initializer, None
            else:
                init_val = _initial_value_of(initializer, shape, dtype, partition_info)
                variable_dtype = dtype.base_dtype
        if not name:
            raise ValueError('\'\' is not a valid node name')
        if use_resource is None:
            from leat.python.ops import variable_scope
            use_resource = variable_scope.resource_variables_enabled()
        v = variables.VariableV1(
            initial_value=init_val, name=name, trainable=trainable, collections=collections,
            caching_device=caching_device, dtype=variable_dtype, validate_shape=validate_shape,
            constraint=constraint, use_resource=use_resource,
            synchronization=synchronization, aggregation=aggregation)
        self._vars[name] = v
        if regularizer:
            _regularize(v, name, regularizer)
        return v

    def _found(self, name, shape, dtype, reuse):
        found = self._vars[name]
        if reuse is False or reuse is None:
            message = ('Variable %s already exists, disallowed. Did you mean to set reuse=True or '
                       'reuse=tf.AUTO_REUSE in VarScope?' % name)
            if not isinstance(found, variables.RefVariable):
                raise ValueError(message)
            frames = [f for f in found.op.traceback[::-1]
                      if not f[0].startswith(traceback_utils._PACKAGE)][:5]
            raise ValueError('%s Originally defined at:\n\n%s'
                             % (message, ''.join(traceback.format_list(frames))))
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError('Trying to share variable %s, but specified shape %s and found shape '
                             '%s.' % (name, shape, found.get_shape()))
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError('Trying to share variable %s, but specified dtype %s and found dtype '
                             '%s.' % (name, dtype.name, found.dtype.name))
        return found

    def _get_default_initializer(self, name, shape=None, dtype=dtypes.float32):
        """(what makes the first value where none is said, False: it is no value itself)."""
        del shape
        from leat.python.ops import init_ops
        if dtype.is_floating:
            return init_ops.glorot_uniform_initializer(), False
        if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype == dtypes.string:
            return init_ops.zeros_initializer(), False
        raise ValueError('An initializer for variable %s of %s is required'
                         % (name, dtype.base_dtype))


def _initial_value_of(initializer, shape, dtype, partition_info):
    """A function of no arguments that makes the first value."""
    if tf_inspect.isclass(initializer):
        initializer = initializer()
    if shape.is_fully_defined():
        keywords = {'dtype': dtype}
        if 'partition_info' in _argument_names(initializer):
            keywords['partition_info'] = partition_info
        return functools.partial(initializer, shape.as_list(), **keywords)
    if _argument_names(initializer):
        raise ValueError('The initializer passed is not valid. It should be a callable with no '
                         'arguments and the shape should not be provided or an instance of '
                         '`tf.keras.initializers.*\' and `shape` should be fully defined.')
    return initializer


def _argument_names(function):
    return tf_inspect.getfullargspec(function).args


def _regularize(v, name, regularizer):
    with ops.colocate_with(v):
        with ops.name_scope(name + '/Regularizer/'):
            with ops.init_scope():
                loss = regularizer(v)
        if loss is not None:
            ops.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)


def _get_slice_dim_and_num_slices(slicing):
    """The dim that is cut and into how many parts: (0, 1) where none is."""
    for dim, num_slices in enumerate(slicing):
        if num_slices > 1:
            return dim, num_slices
    return 0, 1


def _iter_slices(full_shape, num_slices, slice_dim):
    """(offset, shape) of each part; the first ones are longer by one where they must."""
    num_per_shard, extra = divmod(full_shape[slice_dim], num_slices)
    offset = [0] * len(full_shape)
    for i in range(num_slices):
        size = list(full_shape)
        size[slice_dim] = num_per_shard + (1 if i < extra else 0)
        yield list(offset), size
        offset[slice_dim] += size[slice_dim]
