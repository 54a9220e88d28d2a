# SPDX-License-Identifier: Apache-2.0
"""tf.map_fn."""
from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import functional_ops
from leat.python.ops import tensor_array_ops
from leat.python.util import nest


def _checked_elems(elems):
    for elem in nest.flatten(elems):
        if isinstance(elem, sparse_tensor.SparseTensor):
            raise TypeError(
                'To perform a map on the values of a sparse tensor use either  '
                'SparseTensor(input.indices, fn(input.values), input.dense_shape) or  '
                'SparseTensor(input.indices, map_fn(fn, input.values), input.dense_shape)')


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False,
           infer_shape=True, name=None):
    """fn of each elem along the first dim, put together again."""
    if not callable(fn):
        raise TypeError('fn must be callable.')
    _checked_elems(elems)
    parallel_iterations = parallel_iterations or 10
    input_flatten, input_pack = functional_ops._packer(elems)
    output_flatten, output_pack = functional_ops._packer(elems if dtype is None else dtype)
    elems_flat = input_flatten(elems)
    with ops.name_scope(name, 'map', elems_flat), functional_ops._cached_variables():
        elems_flat = [ops.convert_to_tensor(elem, name='elem') for elem in elems_flat]
        dtype = dtype or input_pack([elem.dtype for elem in elems_flat])
        dtype_flat = output_flatten(dtype)
        shape = elems_flat[0].shape
        if shape.ndims is not None and shape.ndims < 1:
            if len(elems_flat) == 1:
                raise ValueError('elems must be a 1+ dimensional Tensor, not a scalar')
            raise ValueError('elements in elems must be 1+ dimensional Tensors, not scalars')
        n = functional_ops._length(elems_flat[0])
        elems_ta = [tensor_array_ops.TensorArray(dtype=elem.dtype, size=n, dynamic_size=False,
                                                 infer_shape=True) for elem in elems_flat]
        elems_ta = [ta.unstack(elem) for ta, elem in zip(elems_ta, elems_flat)]
        i = constant_op.constant(0)
        accs_ta = [tensor_array_ops.TensorArray(dtype=dt, size=n, dynamic_size=False,
                                                infer_shape=infer_shape) for dt in dtype_flat]

        def compute(i, tas):
            values = fn(input_pack([ta.read(i) for ta in elems_ta]))
            nest.assert_same_structure(dtype or elems, values)
            tas = [ta.write(i, value) for ta, value in zip(tas, output_flatten(values))]
            return (i + 1, tas)
        _, arrays = functional_ops._loop(
            lambda i, _: i < n, compute, (i, accs_ta), parallel_iterations=parallel_iterations,
            back_prop=back_prop, swap_memory=swap_memory, maximum_iterations=n)
        return output_pack(functional_ops._stacked(arrays, elems_flat))


map_fn_v2 = map_fn
