# SPDX-License-Identifier: Apache-2.0
"""Matrices out of vectors, and vectors out of triangular matrices. Public by util.py."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.distributions.shapes_util import prefer_static_shape


def matrix_diag_transform(matrix, transform=None, name=None):
    """The matrix with a function of its diagonal."""
    with ops.name_scope(name, 'matrix_diag_transform', [matrix]):
        matrix = ops.convert_to_tensor(matrix, name='matrix')
        if transform is None:
            return matrix
        diag = transform(array_ops.matrix_diag_part(matrix))
        return array_ops.matrix_set_diag(matrix, diag)


def fill_triangular(x, upper=False, name=None):
    """A triangular matrix of the n (n + 1) / 2 numbers of a vector."""
    with ops.name_scope(name, 'fill_triangular', values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        m = tensor_shape.dimension_value(x.shape.with_rank_at_least(1)[-1])
        if m is not None:
            m = np.int32(m)
            n = np.sqrt(0.25 + 2. * m) - 0.5
            if n != np.floor(n):
                raise ValueError('Input right-most shape ({}) does not correspond to a triangular '
                                 'matrix.'.format(m))
            n = np.int32(n)
            static_final_shape = x.shape[:-1].concatenate([n, n])
        else:
            m = array_ops.shape(x)[-1]
            n = math_ops.cast(math_ops.sqrt(0.25 + math_ops.cast(2 * m, dtypes.float32)),
                              dtypes.int32)
            static_final_shape = x.shape.with_rank_at_least(1)[:-1].concatenate([None, None])
        turned = array_ops.reverse(x, axis=[-1]) if not upper else None
        parts = [x, array_ops.reverse(x[..., n:], axis=[-1])] if upper else [x[..., n:], turned]
        new_shape = array_ops.concat([prefer_static_shape(x)[:-1], [n, n]], axis=0)
        x = array_ops.reshape(array_ops.concat(parts, axis=-1), new_shape)
        x = array_ops.matrix_band_part(x, num_lower=0 if upper else -1,
                                       num_upper=-1 if upper else 0)
        x.set_shape(static_final_shape)
        return x


def fill_triangular_inverse(x, upper=False, name=None):
    """The vector that fill_triangular makes the matrix of."""
    with ops.name_scope(name, 'fill_triangular_inverse', values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        n = tensor_shape.dimension_value(x.shape.with_rank_at_least(2)[-1])
        static_final_shape = x.shape.with_rank_at_least(2)[:-2].concatenate(
            [None if n is None else n * (n + 1) // 2])
        if n is None:
            n = array_ops.shape(x)[-1]
        # Which place of the vector each of the matrix's is of, and so the other way round.
        m = n * (n + 1) // 2
        numbers = math_ops.range(1, m + 1)
        places = array_ops.reshape(fill_triangular_places(numbers, n, upper), [n * n])
        order = math_ops.cast(array_ops.squeeze(array_ops.where(places > 0), axis=[1]),
                              dtypes.int32)
        of_number = math_ops.unsorted_segment_sum(
            order, array_ops.gather(places, order) - 1, num_segments=m)
        flat = array_ops.reshape(x, array_ops.concat([array_ops.shape(x)[:-2], [n * n]], 0))
        result = array_ops.gather(flat, of_number, axis=-1)
        result.set_shape(static_final_shape)
        return result


def fill_triangular_places(numbers, n, upper):
    """fill_triangular of one vector of n (n + 1) / 2 numbers."""
    parts = ([numbers, array_ops.reverse(numbers[n:], axis=[0])] if upper else
             [numbers[n:], array_ops.reverse(numbers, axis=[0])])
    matrix = array_ops.reshape(array_ops.concat(parts, axis=0), [n, n])
    return array_ops.matrix_band_part(matrix, num_lower=0 if upper else -1,
                                      num_upper=-1 if upper else 0)


def tridiag(below=None, diag=None, above=None, name=None):
    """A matrix of a diagonal and those beside it, each a number shorter."""
    def beside(v, paddings, name):
        v = ops.convert_to_tensor(v, name=name)
        inner = array_ops.matrix_diag(v)
        return array_ops.pad(inner, [[0, 0]] * (inner.shape.ndims - 2) + paddings)
    with ops.name_scope(name, 'tridiag', [below, diag, above]):
        parts = []
        if below is not None:
            parts.append(beside(below, [[1, 0], [0, 1]], 'below'))
        if diag is not None:
            parts.append(array_ops.matrix_diag(ops.convert_to_tensor(diag, name='diag')))
        if above is not None:
            parts.append(beside(above, [[0, 1], [1, 0]], 'above'))
        if not parts:
            raise ValueError('Must specify at least one of `below`, `diag`, `above`.')
        total = parts[0]
        for part in parts[1:]:
            total += part
        return total
