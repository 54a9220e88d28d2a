# SPDX-License-Identifier: Apache-2.0
"""Features as columns ask for them: raw ones by name, and what each column makes, made once."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor as sparse_tensor_lib
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops


class Inputs(object):
    """The features of a batch, and what columns have made of them."""

    def __init__(self, features):
        self._features = dict(features)
        self._made = {}

    def get(self, key):
        """A feature by its name, or what a column transforms its features to."""
        if key in self._made:
            return self._made[key]
        if isinstance(key, str):
            if key not in self._features:
                raise ValueError('Feature {} is not in features dictionary.'.format(key))
            self._made[key] = self._raw(key)
            return self._made[key]
        made = key._transform_feature(self)
        if made is None:
            raise ValueError('Column {} is not supported.'.format(key.name))
        self._made[key] = made
        return made

    def _raw(self, key):
        """A feature with a dim for its numbers beside the batch's."""
        tensor = sparse_tensor_lib.convert_to_tensor_or_sparse_tensor(self._features[key])
        if isinstance(tensor, sparse_tensor_lib.SparseTensor):
            return tensor
        rank = tensor.get_shape().ndims
        if rank is not None:
            if rank == 0:
                raise ValueError('Feature (key: {}) cannot have rank 0. Given: {}'.format(
                    key, tensor))
            return tensor if rank != 1 else array_ops.expand_dims(tensor, -1)
        with ops.control_dependencies([_assert_some_rank(tensor, key)]):
            return control_flow_ops.cond(math_ops.equal(1, array_ops.rank(tensor)),
                                         lambda: array_ops.expand_dims(tensor, -1),
                                         lambda: tensor)


def _assert_some_rank(tensor, key):
    return check_ops.assert_positive(array_ops.rank(tensor), message=(
        'Feature (key: {}) cannot have rank 0. Given: {}'.format(key, tensor)))


def to_sparse(tensor, ignore_value=None):
    """A dense tensor of categories as a sparse one: '' and -1 stand for none."""
    tensor = sparse_tensor_lib.convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, sparse_tensor_lib.SparseTensor):
        return tensor
    with ops.name_scope(None, 'to_sparse_input', (tensor, ignore_value)):
        if ignore_value is None:
            if tensor.dtype == dtypes.string:
                ignore_value = ''
            elif tensor.dtype.is_integer:
                ignore_value = -1
            else:
                ignore_value = tensor.dtype.as_numpy_dtype()
        ignore_value = math_ops.cast(ignore_value, tensor.dtype, name='ignore_value')
        indices = array_ops.where(math_ops.not_equal(tensor, ignore_value), name='indices')
        return sparse_tensor_lib.SparseTensor(
            indices=indices, values=array_ops.gather_nd(tensor, indices, name='values'),
            dense_shape=array_ops.shape(tensor, out_type=dtypes.int64, name='dense_shape'))


def check_string_or_int(dtype, prefix):
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError('{} dtype must be string or integer. dtype: {}.'.format(prefix, dtype))


def check_same_kind(column, tensor, word='dtype'):
    """Both strings, or both integers."""
    if (column.dtype == dtypes.string) != (tensor.dtype == dtypes.string):
        raise ValueError('Column dtype and SparseTensors dtype must be compatible. key: {}, column '
                         '{}: {}, tensor dtype: {}'.format(column.key, word, column.dtype,
                                                           tensor.dtype))
