# SPDX-License-Identifier: Apache-2.0
"""Tensors taken apart, put together, looked at and reshaped.

Slices are in array_slicing, what makes tensors of shapes in array_creation, gathers, masks and
repetition in array_gather; a name that is in none of them is the op's own function.
"""
import numpy as np

from leat.python.framework import common_shapes
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_math_ops
from leat.python.ops.array_creation import (  # noqa: F401
    _constant_if_small, _normalize_sparse_shape, fill, ones, ones_like, ones_like_impl,
    ones_like_v2, placeholder, placeholder_with_default, rank, rank_internal, shape,
    shape_internal, shape_n, shape_v2, size, size_internal, size_v2, sparse_placeholder, zeros,
    zeros_like, zeros_like_impl, zeros_like_v2)
from leat.python.ops.array_slicing import (  # noqa: F401
    _SLICE_TYPE_ERROR, _SUPPORTED_SLICE_DTYPES, _SliceHelperVar, _autopacking_conversion_function,
    _check_index, _slice_helper, newaxis, stack, strided_slice)
from leat.python.util import deprecation
from leat.python.util import dispatch

NEW_AXIS = -1
SHRINK_AXIS = -2


@dispatch.add_dispatch_support
def identity(input, name=None):
    """The same value by another name."""
    return gen_array_ops.identity(input, name=name)


@dispatch.add_dispatch_support
def expand_dims(input, axis=None, name=None, dim=None):
    """A dim of size 1 more, at axis."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'dim', dim)
    if axis is None:
        raise ValueError('Must specify an axis argument to tf.expand_dims()')
    return expand_dims_v2(input, axis, name)


def expand_dims_v2(input, axis, name=None):
    return gen_array_ops.expand_dims(input, axis, name)


def reshape(tensor, shape, name=None):
    """The same elements in another shape; one dim may be -1."""
    result = gen_array_ops.reshape(tensor, shape, name)
    tensor_util.maybe_set_static_shape(result, shape)
    return result


def listdiff(x, y, out_idx=None, name=None):
    return gen_array_ops.list_diff(x, y, out_idx, name)


def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
    """What is in x and not in y, and where."""
    return gen_array_ops.list_diff(x, y, index_dtype, name)


def broadcast_dynamic_shape(shape_x, shape_y):
    return gen_array_ops.broadcast_args(shape_x, shape_y)


def broadcast_static_shape(shape_x, shape_y):
    return common_shapes.broadcast_shape(shape_x, shape_y)


def slice(input_, begin, size, name=None):
    """size elements from begin on, in each dim."""
    return gen_array_ops._slice(input_, begin, size, name=name)


def parallel_stack(values, name='parallel_stack'):
    """stack() of values that are ready at different times."""
    with ops.name_scope(name):
        first = ops.convert_to_tensor(values[0])
        dims = first.get_shape()
        whole = tensor_shape_of(len(values)).concatenate(dims)
        return gen_array_ops.parallel_concat(
            values=[expand_dims(value, 0) for value in values], shape=whole)


def tensor_shape_of(*dims):
    from leat.python.framework import tensor_shape
    return tensor_shape.TensorShape(list(dims))


def unstack(value, num=None, axis=0, name='unstack'):
    """The slices along an axis as a list."""
    if num is None:
        value = ops.convert_to_tensor(value)
        known = value.get_shape()
        if known.ndims is not None:
            if axis < -known.ndims or axis >= known.ndims:
                raise ValueError('axis = %d not in [%d, %d)' % (axis, -known.ndims, known.ndims))
            num = known.as_list()[axis]
    if num is None:
        raise ValueError('Cannot infer num from shape %s' % known)
    return gen_array_ops.unpack(value, num=num, axis=axis, name=name)


@dispatch.add_dispatch_support
def concat(values, axis, name='concat'):
    """Tensors one after the other along an axis."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with ops.name_scope(name) as scope:
            ops.convert_to_tensor(axis, name='concat_dim',
                                  dtype=dtypes.int32).get_shape().assert_has_rank(0)
            return identity(values[0], name=name)
    return gen_array_ops.concat_v2(values=values, axis=axis, name=name)


def unique(x, out_idx=dtypes.int32, name=None):
    """The values that occur, and for each element which one it is."""
    return gen_array_ops.unique(x, out_idx, name)


def unique_with_counts(x, out_idx=dtypes.int32, name=None):
    return gen_array_ops.unique_with_counts(x, out_idx, name)


def split(value, num_or_size_splits, axis=0, num=None, name='split'):
    """Pieces along an axis: so many alike, or of given sizes."""
    sizes = ops.convert_to_tensor(num_or_size_splits)
    if isinstance(num_or_size_splits, int) or hasattr(num_or_size_splits, '__index__') and \
            not isinstance(num_or_size_splits, np.ndarray):
        return gen_array_ops.split(axis=axis, num_split=int(num_or_size_splits), value=value,
                                   name=name)
    if sizes._rank() == 0:
        raise ValueError('Rank-0 tensors are not supported as the num_or_size_splits argument to '
                         'split. Argument provided: %s' % (num_or_size_splits,))
    if num is None:
        known = sizes._shape_tuple()
        num = known[0] if known else None
        if num is None:
            raise ValueError('Cannot infer num from shape %s' % num_or_size_splits)
    return gen_array_ops.split_v(value=value, size_splits=sizes, axis=axis, num_split=num,
                                 name=name)


def transpose(a, perm=None, name='transpose', conjugate=False):
    """The dims in another order: reversed, or perm's."""
    with ops.name_scope(name, 'transpose', [a]) as name:
        if not isinstance(a, ops.Tensor):
            a = ops.convert_to_tensor(a, name='a')
        make = gen_array_ops.transpose
        if conjugate and a.dtype.is_complex:
            make = gen_array_ops.conjugate_transpose
        if perm is not None:
            return make(a, perm, name=name)
        if a._rank() is not None:
            return make(a, np.arange(a._rank() - 1, -1, -1, dtype=np.int32), name=name)
        dims = gen_array_ops.rank(a)
        perm = (dims - 1) - gen_math_ops._range(0, dims, 1)
        return make(a, perm, name=name)


def transpose_v2(a, perm=None, conjugate=False, name='transpose'):
    return transpose(a, perm=perm, name=name, conjugate=conjugate)


def matrix_transpose(a, name='matrix_transpose', conjugate=False):
    """The last two dims exchanged."""
    with ops.name_scope(name, values=[a]):
        a = ops.convert_to_tensor(a, name='a')
        ndims = a.get_shape().ndims
        if ndims is not None:
            if ndims < 2:
                raise ValueError('Argument \'a\' should be a (batch) matrix, with rank >= 2.  '
                                 'Found: %s' % a.get_shape())
            perm = list(range(ndims - 2)) + [ndims - 1] + [ndims - 2]
        else:
            dims = rank(a)
            perm = concat((gen_math_ops._range(0, dims - 2, 1), [dims - 1, dims - 2]), 0)
        return transpose(a, perm=perm, conjugate=conjugate)



def matrix_diag(diagonal, name='diag', k=0, num_rows=-1, num_cols=-1, padding_value=0):
    """Matrices with given diagonals; 1.15 knows the main one alone, whatever k is."""
    return gen_array_ops.matrix_diag(diagonal=diagonal, name=name)


def matrix_diag_part(input, name='diag_part', k=0, padding_value=0):
    """The main diagonals of matrices."""
    return gen_array_ops.matrix_diag_part(input=input, name=name)


def matrix_set_diag(input, diagonal, name='set_diag', k=0):
    """Matrices with their main diagonals replaced."""
    return gen_array_ops.matrix_set_diag(input=input, diagonal=diagonal, name=name)


def _known_paddings(paddings):
    """The paddings as nested lists, with None where they are not known; None if nothing is."""
    if isinstance(paddings, ops.Tensor):
        value = tensor_util.constant_value(paddings, partial=True)
        return None if value is None else value.tolist()
    if isinstance(paddings, (list, tuple)):
        return [_known_paddings(p) for p in paddings]
    return paddings.tolist() if isinstance(paddings, np.ndarray) else paddings


def pad_v2(tensor, paddings, mode='CONSTANT', constant_values=0, name=None):
    return pad(tensor, paddings, mode, name, constant_values)


def pad(tensor, paddings, mode='CONSTANT', name=None, constant_values=0):
    """Elements added around: of one value, or mirrored."""
    mode = mode.upper()
    if mode == 'CONSTANT':
        if not isinstance(constant_values, ops._TensorLike) and np.isscalar(
                constant_values) and constant_values == 0:
            result = gen_array_ops.pad(tensor, paddings, name=name)
        else:
            result = gen_array_ops.pad_v2(tensor, paddings, constant_values, name=name)
    elif mode in ('REFLECT', 'SYMMETRIC'):
        result = gen_array_ops.mirror_pad(tensor, paddings, mode=mode, name=name)
    else:
        raise ValueError('Unknown padding mode: %s' % mode)
    known = _known_paddings(paddings)
    before = result.op.inputs[0].shape
    if before.ndims is not None and known is not None and not result.shape.is_fully_defined():
        dims = []
        for amount, dim in zip(known, before.as_list()):
            if amount is None or dim is None or any(x is None for x in amount):
                dims.append(None)
            else:
                dims.append(sum(amount) + dim)
        result.set_shape(dims)
    return result


def meshgrid(*args, **kwargs):
    """Coordinates of a grid of the given axes."""
    indexing = kwargs.pop('indexing', 'xy')
    name = kwargs.pop('name', 'meshgrid')
    if kwargs:
        raise TypeError('\'{}\' is an invalid keyword argument for this function'.format(
            list(kwargs)[0]))
    if indexing not in ('xy', 'ij'):
        raise ValueError('indexing parameter must be either \'xy\' or \'ij\'')
    with ops.name_scope(name, 'meshgrid', args):
        ndim = len(args)
        ones_around = (1,) * ndim
        output = [reshape(stack(x), ones_around[:i] + (-1,) + ones_around[i + 1:])
                  for i, x in enumerate(args)]
        shapes = [size(x) for x in args]
        dtype = ops.convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == 'xy' and ndim > 1:
            output[0] = reshape(output[0], (1, -1) + (1,) * (ndim - 2))
            output[1] = reshape(output[1], (-1, 1) + (1,) * (ndim - 2))
            shapes[0], shapes[1] = shapes[1], shapes[0]
        factor = ones(shapes, dtype)
        return [x * factor for x in output]


def edit_distance(hypothesis, truth, normalize=True, name='edit_distance'):
    """The Levenshtein distances of sequences in two SparseTensors."""
    from leat.python.framework import sparse_tensor
    kinds = (sparse_tensor.SparseTensor, sparse_tensor.SparseTensorValue)
    if not isinstance(hypothesis, kinds):
        raise TypeError('Hypothesis must be a SparseTensor.')
    if not isinstance(truth, kinds):
        raise TypeError('Truth must be a SparseTensor.')
    return gen_array_ops.edit_distance(hypothesis.indices, hypothesis.values,
                                       hypothesis.dense_shape, truth.indices, truth.values,
                                       truth.dense_shape, normalize=normalize, name=name)


@dispatch.add_dispatch_support
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Without the dims of size 1, or some of them."""
    axis = deprecation.deprecated_argument_lookup('axis', axis, 'squeeze_dims', squeeze_dims)
    if np.isscalar(axis):
        axis = [axis]
    return gen_array_ops.squeeze(input, axis, name)


def squeeze_v2(input, axis=None, name=None):
    return squeeze(input, axis, name)


@dispatch.add_dispatch_support
def where(condition, x=None, y=None, name=None):
    """Where a condition holds: x there and y elsewhere, or the places."""
    if x is None and y is None:
        with ops.name_scope(name, 'Where', [condition]) as name:
            condition = ops.convert_to_tensor(condition, preferred_dtype=dtypes.bool,
                                              name='condition')
            return gen_array_ops.where(condition=condition, name=name)
    if x is None or y is None:
        raise ValueError('x and y must both be non-None or both be None.')
    return gen_math_ops.select(condition=condition, x=x, y=y, name=name)


def where_v2(condition, x=None, y=None, name=None):
    """where() that broadcasts."""
    if x is None and y is None:
        return where(condition, name=name)
    if x is None or y is None:
        raise ValueError('x and y must both be non-None or both be None.')
    return gen_math_ops.select_v2(condition=condition, t=x, e=y, name=name)


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None,
                     batch_dim=None):
    """The first elements of each sequence reversed."""
    seq_axis = deprecation.deprecated_argument_lookup('seq_axis', seq_axis, 'seq_dim', seq_dim)
    batch_axis = deprecation.deprecated_argument_lookup('batch_axis', batch_axis, 'batch_dim',
                                                        batch_dim)
    return gen_array_ops.reverse_sequence(input=input, seq_lengths=seq_lengths, seq_dim=seq_axis,
                                          batch_dim=0 if batch_axis is None else batch_axis,
                                          name=name)


def reverse_sequence_v2(input, seq_lengths, seq_axis=None, batch_axis=None, name=None):
    return reverse_sequence(input, seq_lengths, seq_axis, batch_axis, name)


def reverse(tensor, axis, name=None):
    """The order of elements turned around along some axes."""
    return gen_array_ops.reverse_v2(tensor, axis, name)


reverse_v2 = reverse


def _given_dtype(value):
    return None if value is None else ops.convert_to_tensor(value).dtype.base_dtype


@dispatch.add_dispatch_support
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """Vectors that are on_value at an index and off_value elsewhere."""
    with ops.name_scope(name, 'one_hot',
                        [indices, depth, on_value, off_value, axis, dtype]) as name:
        on_dtype, off_dtype = _given_dtype(on_value), _given_dtype(off_value)
        if on_dtype is not None or off_dtype is not None:
            if dtype is not None:
                for which, found in (('on', on_dtype), ('off', off_dtype)):
                    if found is not None and found != dtype:
                        raise TypeError('dtype %s of %s_value does not match dtype parameter %s'
                                        % (found, which, dtype))
            else:
                dtype = on_dtype if on_dtype is not None else off_dtype
        else:
            dtype = dtypes.float32 if dtype is None else dtype
        if on_value is None:
            on_value = ops.convert_to_tensor(1, dtype, name='on_value')
            on_dtype = dtype
        if off_value is None:
            off_value = ops.convert_to_tensor(0, dtype, name='off_value')
            off_dtype = dtype
        if on_dtype != off_dtype:
            raise TypeError('dtype %s of on_value does not match dtype %s of off_value'
                            % (on_dtype, off_dtype))
        return gen_array_ops.one_hot(indices, depth, on_value, off_value,
                                     -1 if axis is None else axis, name)


def _all_dimensions(x):
    """0 to the rank of x, as a constant where the rank is known."""
    ndims = ops.convert_to_tensor(x)._rank()
    if ndims is not None:
        return constant_op.constant(np.arange(ndims), dtype=dtypes.int32)
    return gen_math_ops._range(0, rank(x), 1)


def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None):
    """True for the first `length` places of each row of maxlen."""
    with ops.name_scope(name, 'SequenceMask', [lengths, maxlen]):
        lengths = ops.convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = gen_math_ops._max(lengths, _all_dimensions(lengths))
            maxlen = gen_math_ops.maximum(constant_op.constant(0, maxlen.dtype), maxlen)
        else:
            maxlen = ops.convert_to_tensor(maxlen)
        if maxlen.get_shape().ndims is not None and maxlen.get_shape().ndims != 0:
            raise ValueError('maxlen must be scalar for sequence_mask')
        places = gen_math_ops._range(constant_op.constant(0, maxlen.dtype), maxlen,
                                     constant_op.constant(1, maxlen.dtype))
        ends = gen_math_ops.cast(expand_dims(lengths, -1), maxlen.dtype)
        result = places < ends
        if dtype is None or dtypes.as_dtype(dtype).is_compatible_with(result.dtype):
            return result
        return gen_math_ops.cast(result, dtype)


def sparse_mask(a, mask_indices, name=None):
    """IndexedSlices without the rows of some indices."""
    with ops.name_scope(name, 'sparse_mask', [a, mask_indices]) as name:
        kept, places = setdiff1d(a.indices, mask_indices)
        return ops.IndexedSlices(gather(a.values, places, name=name), kept, a.dense_shape)


def searchsorted(sorted_sequence, values, side='left', out_type=dtypes.int32, name=None):
    """Where values would stand in sorted rows."""
    length = shape_internal(sorted_sequence)[-1]
    count = shape_internal(values)[-1]
    rows = reshape(sorted_sequence, [-1, length])
    wanted = reshape(values, [-1, count])
    if side == 'right':
        output = gen_array_ops.upper_bound(rows, wanted, out_type, name)
    elif side == 'left':
        output = gen_array_ops.lower_bound(rows, wanted, out_type, name)
    else:
        raise ValueError('side must be either \'right\' or \'left\'.  Saw: %s.' % side)
    return reshape(output, shape_internal(values))


def quantize(input, min_range, max_range, T, mode='MIN_COMBINED', round_mode='HALF_AWAY_FROM_ZERO',
             name=None):
    """Numbers as small integers over a range."""
    return gen_array_ops.quantize_v2(input, min_range, max_range, T=T, mode=mode,
                                     round_mode=round_mode, name=name)


def quantize_v2(input, min_range, max_range, T, mode='MIN_COMBINED', name=None,
                round_mode='HALF_AWAY_FROM_ZERO'):
    return quantize(input, min_range, max_range, T, mode, round_mode, name)


def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8,
                            range_given=False, round_mode='HALF_TO_EVEN', name=None,
                            narrow_range=False):
    """Numbers rounded to those that a quantized type can hold."""
    return gen_array_ops.quantize_and_dequantize_v2(
        input, input_min=input_min, input_max=input_max, signed_input=signed_input,
        num_bits=num_bits, range_given=range_given, round_mode=round_mode,
        narrow_range=narrow_range, name=name)


def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None,
                          sizes=None):
    """Patches of images, each in the depth of its place."""
    ksizes = deprecation.deprecated_argument_lookup('sizes', sizes, 'ksizes', ksizes)
    return gen_array_ops.extract_image_patches(images, ksizes, strides, rates, padding, name)


def extract_image_patches_v2(images, sizes, strides, rates, padding, name=None):
    return gen_array_ops.extract_image_patches(images, sizes, strides, rates, padding, name)


def fingerprint(data, method='farmhash64', name=None):
    """A hash of each row."""
    return gen_array_ops.fingerprint(data, method, name)


def convert_to_int_tensor(tensor, name, dtype=dtypes.int32):
    """The tensor as integers of a type; TypeError when it is none."""
    tensor = ops.convert_to_tensor(tensor, name=name, preferred_dtype=dtype)
    if not tensor.dtype.is_integer:
        raise TypeError('%s must be an integer tensor; dtype=%s' % (name, tensor.dtype))
    return gen_math_ops.cast(tensor, dtype)


def get_positive_axis(axis, ndims):
    """The axis counted from the front."""
    if not isinstance(axis, int):
        raise TypeError('axis must be an int; got %s' % type(axis).__name__)
    if ndims is not None:
        if 0 <= axis < ndims:
            return axis
        if -ndims <= axis < 0:
            return axis + ndims
        raise ValueError('axis=%s out of bounds: expected %s<=axis<%s' % (axis, -ndims, ndims))
    if axis < 0:
        raise ValueError('axis may only be negative if ndims is statically known.')
    return axis


from leat.python.ops.array_gather import (  # noqa: E402,F401
    _apply_mask_1d, _batch_gather, batch_gather, batch_gather_nd, batch_to_space,
    batch_to_space_v2, boolean_mask, boolean_mask_v2, depth_to_space, depth_to_space_v2, gather,
    gather_nd, gather_nd_v2, gather_v2, repeat, repeat_with_axis, required_space_to_batch_paddings,
    space_to_batch, space_to_batch_v2, space_to_depth, space_to_depth_v2, tile_one_dimension)


def __getattr__(name):
    return getattr(gen_array_ops, name)
