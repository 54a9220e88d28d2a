# SPDX-License-Identifier: Apache-2.0
"""Rows picked by index or mask, repeated, and moved between space, batch and depth.

Part of array_ops, which hands its names on.
"""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_math_ops
from leat.python.util import dispatch


@dispatch.add_dispatch_support
def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """Slices of params along an axis, by index."""
    del validate_indices
    if axis is None:
        axis = batch_dims
    if tensor_util.constant_value(axis) != 0:
        return gen_array_ops.gather_v2(params, indices, axis, batch_dims=batch_dims, name=name)
    try:  # variables that live in a resource read just those rows; others say that they do not
        return params.sparse_read(indices, name=name)
    except AttributeError:
        return gen_array_ops.gather_v2(params, indices, axis, name=name)


def gather_v2(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    return gather(params, indices, validate_indices, name, axis, batch_dims)


@dispatch.add_dispatch_support
def batch_gather(params, indices, name=None):
    """gather() with all dims of indices but the last as batch dims."""
    with ops.name_scope(name, 'BatchGather', [params, indices]):
        indices = ops.convert_to_tensor(indices, name='indices')
        params = ops.convert_to_tensor(params, name='params')
        if indices.shape.ndims is None:
            raise ValueError('batch_gather does not allow indices with unknown shape.')
        return _batch_gather(params, indices, batch_dims=indices.shape.ndims - 1)


def _flat_batch_indices(indices, params_shape, batch_dims):
    """indices into the params whose batch dims and gathered dim are made one."""
    dtype = indices.dtype.base_dtype
    ndims = indices.shape.ndims
    stride = array_ops.ones((), dtype=dtype)
    dims = gen_math_ops.cast(params_shape, dtype)
    result = indices
    for dim in range(batch_dims, 0, -1):
        length = dims[dim - 1]
        stride *= dims[dim]
        places = gen_math_ops._range(array_ops.zeros((), dtype=dtype), length,
                                     array_ops.ones((), dtype=dtype))
        places *= stride
        shape = array_ops.stack([1] * (dim - 1) + [length] + [1] * (ndims - dim), axis=0)
        result += array_ops.reshape(places, shape)
    return result


def _batch_gather(params, indices, batch_dims, axis=None):
    """What 1.15 builds for batch_gather: one gather in a flattened tensor."""
    indices_shape = array_ops.shape(indices)
    params_shape = array_ops.shape(params)
    ndims = indices.shape.ndims
    if ndims is None:
        raise ValueError('tf.gather does not allow indices with unknown rank when batch_dims is '
                         'specified.')
    if batch_dims < 0:
        batch_dims += ndims
    if not 0 <= batch_dims < ndims:
        raise ValueError('batch_dims = %d must be less than rank(indices) = %d'
                         % (batch_dims, ndims))
    flat = array_ops.reshape(_flat_batch_indices(indices, params_shape, batch_dims), [-1])
    rest = params_shape[batch_dims + 1:]
    rows = gen_math_ops.prod(params_shape[:batch_dims + 1], [0], False)
    table = array_ops.reshape(params, array_ops.concat([[rows], rest], axis=0))
    result = array_ops.reshape(gather(table, flat),
                               array_ops.concat([indices_shape, rest], axis=0))
    known = indices.get_shape()[:batch_dims].merge_with(params.get_shape()[:batch_dims])
    known = known.concatenate(indices.get_shape().dims[batch_dims:])
    result.set_shape(known.concatenate(params.get_shape()[batch_dims + 1:]))
    return result


@dispatch.add_dispatch_support
def gather_nd(params, indices, name=None, batch_dims=0):
    """Slices of params by vectors of indices."""
    batch = tensor_util.constant_value(ops.convert_to_tensor(batch_dims)) if isinstance(
        batch_dims, ops.Tensor) else batch_dims
    if batch is None:
        raise ValueError('tf.gather_nd does not allow dynamic batch_dims.')
    if batch != 0:
        return batch_gather_nd(params, indices, batch_dims=int(batch), name=name)
    try:
        return params.gather_nd(indices, name=name)
    except AttributeError:
        return gen_array_ops.gather_nd(params, indices, name=name)


def gather_nd_v2(params, indices, batch_dims=0, name=None):
    return gather_nd(params, indices, name=name, batch_dims=batch_dims)


def batch_gather_nd(params, indices, batch_dims, name=None):
    """gather_nd() where the first dims of both are a batch."""
    with ops.name_scope(name, 'BatchGatherND', [params, indices]):
        indices = ops.convert_to_tensor(indices, name='indices')
        params = ops.convert_to_tensor(params, name='params')
        if batch_dims < 0:
            raise ValueError('tf.gather_nd does not allow negative batch_dims.')
        known = (params.shape.ndims, indices.shape.ndims)
        if known[1] is not None and batch_dims >= known[1]:
            raise ValueError('batch_dims = %d must be less than rank(indices) = %d'
                             % (batch_dims, known[1]))
        if known[0] is not None and batch_dims >= known[0]:
            raise ValueError('batch_dims = %d must be less than rank(params) = %d'
                             % (batch_dims, known[0]))
        params_shape = array_ops.shape(params)
        indices_shape = array_ops.shape(indices)
        batch_shape = params_shape[:batch_dims]
        batch_size = gen_math_ops.prod(batch_shape, [0])
        inner_dims = array_ops.rank(indices) - batch_dims - 1
        inner_shape = indices_shape[batch_dims:-1]
        grid = _batch_grid(batch_shape, indices.dtype, inner_dims, inner_shape)
        flat = array_ops.reshape(indices, shape=array_ops.concat(
            ([batch_size], indices_shape[batch_dims:]), axis=0))
        picked = gen_array_ops.gather_nd(params, array_ops.concat((grid, flat), axis=-1))
        picked_shape = array_ops.shape(picked)
        return array_ops.reshape(picked, shape=array_ops.concat(
            (batch_shape, picked_shape[1:]), axis=0))


def _batch_grid(batch_shape, dtype, inner_dims, inner_shape):
    """For each slice its indices in the batch dims."""
    ranges = [gen_math_ops.cast(gen_math_ops._range(0, n, 1), dtype)
              for n in array_ops.unstack(batch_shape, axis=0)]
    mesh = array_ops.meshgrid(*ranges, indexing='ij') if ranges else []
    grid = array_ops.transpose(array_ops.stack([array_ops.reshape(x, (-1,)) for x in mesh],
                                               axis=0))
    shape = array_ops.shape(grid)
    grid = array_ops.reshape(grid, array_ops.concat(
        [shape[:1], array_ops.ones(inner_dims, dtype=dtypes.int32), shape[1:]], axis=0))
    return gen_array_ops.tile(grid, array_ops.concat(((1,), inner_shape, (1,)), axis=0))


def boolean_mask_v2(tensor, mask, axis=None, name='boolean_mask'):
    return boolean_mask(tensor, mask, name, axis)


def _apply_mask_1d(reshaped_tensor, mask, axis=None):
    """The slices along an axis where a vector says True."""
    indices = array_ops.squeeze(array_ops.where(mask), axis=[1])
    return gather(reshaped_tensor, indices, axis=axis)


def boolean_mask(tensor, mask, name='boolean_mask', axis=None):
    """The elements where a mask of the dims from axis on says True."""
    with ops.name_scope(name, values=[tensor, mask]):
        tensor = ops.convert_to_tensor(tensor, name='tensor')
        mask = ops.convert_to_tensor(mask, name='mask')
        mask_shape, tensor_dims = mask.get_shape(), tensor.get_shape()
        ndims = mask_shape.ndims
        if ndims == 0:
            raise ValueError('mask cannot be scalar.')
        if ndims is None:
            raise ValueError('Number of mask dimensions must be specified, even if some '
                             'dimensions are None.  E.g. shape=[None] is ok, but shape=None is '
                             'not.')
        axis = 0 if axis is None else axis
        end = axis + ndims
        tensor_dims[axis:end].assert_is_compatible_with(mask_shape)
        count = gen_math_ops.prod(array_ops.shape(tensor)[axis:end], [0])
        tensor = array_ops.reshape(tensor, array_ops.concat(
            [array_ops.shape(tensor)[:axis], [count], array_ops.shape(tensor)[end:]], 0))
        known = tensor_dims[axis:end].num_elements()
        tensor.set_shape(tensor_shape.as_shape(tensor_dims[:axis]).concatenate(
            [known]).concatenate(tensor_dims[end:]))
        return _apply_mask_1d(tensor, array_ops.reshape(mask, [-1]), axis)


# ---- repetition ----

def repeat(input, repeats, axis=None, name=None):
    """Each slice along an axis (of the flat tensor, without one) repeated."""
    if axis is None:
        input = array_ops.reshape(input, [-1])
        axis = 0
    return repeat_with_axis(input, repeats, axis, name)


def tile_one_dimension(data, axis, multiple):
    """tile() along one axis alone."""
    if data.shape.ndims is not None:
        multiples = [1] * data.shape.ndims
        multiples[axis] = multiple
        return gen_array_ops.tile(data, multiples)
    one = array_ops.ones(data.shape.ndims or array_ops.rank(data), dtypes.int32)
    multiples = array_ops.concat([one[:axis], [multiple], one[axis + 1:]], axis=0)
    return gen_array_ops.tile(data, multiples)


def _with_nonzero_rank(data):
    """A scalar as a vector of one."""
    if data.shape.ndims is not None:
        return array_ops.stack([data]) if data.shape.ndims == 0 else data
    dims = array_ops.shape(data)
    rank = array_ops.rank(data)
    return array_ops.reshape(data, array_ops.concat(
        [array_ops.ones(1 - gen_math_ops.minimum(rank, 1), dtypes.int32), dims], axis=0))


def repeat_with_axis(data, repeats, axis, name=None):
    """repeat() along an axis."""
    if not isinstance(axis, int):
        raise TypeError('axis must be an int; got %s' % type(axis).__name__)
    with ops.name_scope(name, 'Repeat', [data, repeats]):
        data = ops.convert_to_tensor(data, name='data')
        repeats = array_ops.convert_to_int_tensor(repeats, name='repeats')
        repeats.shape.with_rank_at_most(1)
        data = _with_nonzero_rank(data)
        data_shape = array_ops.shape(data)
        axis = array_ops.get_positive_axis(axis, data.shape.ndims)
        if repeats.shape.num_elements() == 1:
            repeats = array_ops.reshape(repeats, []) if repeats.shape.ndims else repeats
            tiled = tile_one_dimension(array_ops.expand_dims(data, axis + 1), axis + 1, repeats)
            shape = array_ops.concat([data_shape[:axis], [-1], data_shape[axis + 1:]], axis=0)
            return array_ops.reshape(tiled, shape)
        if repeats.shape.ndims == 0:
            repeats = array_ops.reshape(repeats, [1])
        elif repeats.shape.ndims is None:
            repeats = array_ops.broadcast_to(repeats, data_shape[axis:axis + 1])
            repeats.set_shape([None])
        return _repeat_each(data, repeats, axis, data_shape)


def _repeat_each(data, repeats, axis, data_shape):
    """A number of times of its own for each slice: tiled to the most, then masked."""
    most = gen_math_ops.maximum(0, gen_math_ops._max(repeats, array_ops._all_dimensions(repeats)))
    mask = array_ops.sequence_mask(repeats, most)
    tiled = tile_one_dimension(array_ops.expand_dims(data, axis + 1), axis + 1, most)
    if axis == 0:
        return boolean_mask(tiled, mask)
    ndims = tiled.shape.ndims
    if ndims is not None:
        front = [axis, axis + 1] + list(range(axis)) + list(range(axis + 2, ndims))
        back = list(range(1, axis + 1)) + [0] + list(range(axis + 1, ndims - 1))
        masked = boolean_mask(array_ops.transpose(tiled, front), mask)
        return array_ops.transpose(masked, back)
    return boolean_mask(tiled, mask, axis=axis)


# ---- space, batch and depth ----

def space_to_depth(input, block_size, name=None, data_format='NHWC'):
    return gen_array_ops.space_to_depth(input, block_size, data_format, name=name)


def space_to_depth_v2(input, block_size, data_format='NHWC', name=None):
    return gen_array_ops.space_to_depth(input, block_size, data_format, name=name)


def depth_to_space(input, block_size, name=None, data_format='NHWC'):
    return gen_array_ops.depth_to_space(input, block_size, data_format, name=name)


def depth_to_space_v2(input, block_size, data_format='NHWC', name=None):
    return gen_array_ops.depth_to_space(input, block_size, data_format, name=name)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """Blocks of an image moved into the batch."""
    if block_size is None:
        return space_to_batch_v2(input, block_shape, paddings, name)
    from leat.python.util import deprecation
    block_shape = deprecation.deprecated_argument_lookup('block_shape', block_shape, 'block_size',
                                                         None)
    result = gen_array_ops.space_to_batch_nd(
        input, paddings=paddings, block_shape=np.array([block_size, block_size], dtype=np.int64),
        name=name)
    result.set_shape(result.get_shape().with_rank(4))
    return result


def space_to_batch_v2(input, block_shape, paddings, name=None):
    return gen_array_ops.space_to_batch_nd(input, block_shape, paddings, name)


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """space_to_batch() undone."""
    if block_shape is not None:
        block_size = block_shape
    result = gen_array_ops.batch_to_space_nd(
        input, crops=crops, block_shape=np.array([block_size, block_size], dtype=np.int64),
        name=name)
    result.set_shape(result.get_shape().with_rank(4))
    return result


def batch_to_space_v2(input, block_shape, crops, name=None):
    """space_to_batch_v2() undone; a number stands for a square block."""
    if isinstance(block_shape, int):
        block_shape = np.array([block_shape, block_shape], dtype=np.int64)
    return gen_array_ops.batch_to_space_nd(input=input, block_shape=block_shape, crops=crops,
                                           name=name)


def _known_block_paddings(input_value, block_value, base_value):
    """(paddings, crops) as arrays."""
    start, end = base_value[:, 0], base_value[:, 1]
    extra = (block_value - (input_value + start + end) % block_value) % block_value
    paddings = np.stack([start, end + extra], axis=1)
    return paddings, np.stack([np.zeros_like(extra), extra], axis=1)


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """The padding that makes blocks divide a space evenly, and the crop that undoes it."""
    with ops.name_scope(name, 'required_space_to_batch_paddings', [input_shape, block_shape]):
        input_shape = ops.convert_to_tensor(input_shape, dtype=dtypes.int32, name='input_shape')
        block_shape = ops.convert_to_tensor(block_shape, dtype=dtypes.int32, name='block_shape')
        block_shape.get_shape().assert_is_fully_defined()
        block_shape.get_shape().assert_has_rank(1)
        count = block_shape.get_shape().as_list()[0]
        if count == 0:
            return array_ops.zeros([0, 2], dtypes.int32), array_ops.zeros([0, 2], dtypes.int32)
        input_shape.get_shape().assert_is_compatible_with([count])
        if base_paddings is not None:
            base_paddings = ops.convert_to_tensor(base_paddings, dtype=dtypes.int32,
                                                  name='base_paddings')
            base_paddings.get_shape().assert_is_compatible_with([count, 2])
        else:
            base_paddings = array_ops.zeros([count, 2], dtypes.int32)
        values = [tensor_util.constant_value(t) for t in (input_shape, block_shape,
                                                          base_paddings)]
        if all(v is not None for v in values):
            paddings, crops = _known_block_paddings(*values)
            return (ops.convert_to_tensor(paddings, name='paddings'),
                    ops.convert_to_tensor(crops, name='crops'))
        start, end = base_paddings[:, 0], base_paddings[:, 1]
        whole = input_shape + start + end
        extra = (block_shape - whole % block_shape) % block_shape
        end = end + extra
        paddings = array_ops.stack([[start[i], end[i]] for i in range(count)], name='paddings')
        crops = array_ops.stack([[0, extra[i]] for i in range(count)], name='crops')
        return paddings, crops
