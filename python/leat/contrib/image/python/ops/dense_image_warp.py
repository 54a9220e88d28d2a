# SPDX-License-Identifier: Apache-2.0
"""Images whose pixels come from places that a flow says, interpolated."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import math_ops


def _places(queries, size, grid_type):
    """(the place before each query, the one after, how far between)"""
    query_type = queries.dtype
    max_floor = math_ops.cast(size - 2, query_type)
    min_floor = constant_op.constant(0.0, dtype=query_type)
    floor = math_ops.minimum(math_ops.maximum(min_floor, math_ops.floor(queries)), max_floor)
    int_floor = math_ops.cast(floor, dtypes.int32)
    after = int_floor + 1
    alpha = math_ops.cast(queries - floor, grid_type)
    min_alpha = constant_op.constant(0.0, dtype=grid_type)
    max_alpha = constant_op.constant(1.0, dtype=grid_type)
    alpha = math_ops.minimum(math_ops.maximum(min_alpha, alpha), max_alpha)
    return int_floor, after, array_ops.expand_dims(alpha, 2)


def _interpolate_bilinear(grid, query_points, name='interpolate_bilinear', indexing='ij'):
    """The values of grid [batch, height, width, channels] at points [batch, n, 2]."""
    if indexing not in ('ij', 'xy'):
        raise ValueError('Indexing mode must be \'ij\' or \'xy\'')
    with ops.name_scope(name):
        grid = ops.convert_to_tensor(grid)
        query_points = ops.convert_to_tensor(query_points)
        if len(grid.get_shape().as_list()) != 4:
            raise ValueError('Grid must be 4 dimensional. Received size: '
                             + str(grid.get_shape()))
        batch, height, width, channels = [array_ops.shape(grid)[i] for i in range(4)]
        with ops.control_dependencies([
                check_ops.assert_equal(len(query_points.get_shape()), 3,
                                       message='Query points must be 3 dimensional.'),
                check_ops.assert_equal(array_ops.shape(query_points)[2], 2,
                                       message='Query points must be size 2 in dim 2.')]):
            num_queries = array_ops.shape(query_points)[1]
        with ops.control_dependencies([
                check_ops.assert_greater_equal(height, 2,
                                               message='Grid height must be at least 2.'),
                check_ops.assert_greater_equal(width, 2,
                                               message='Grid width must be at least 2.')]):
            queries = array_ops.unstack(query_points, axis=2)
        found = []
        for dim in (0, 1) if indexing == 'ij' else (1, 0):
            with ops.name_scope('dim-' + str(dim)):
                found.append(_places(queries[dim], (height, width)[dim], grid.dtype))
        with ops.control_dependencies([check_ops.assert_less_equal(
                math_ops.cast(batch * height * width, dtype=dtypes.float32),
                np.iinfo(np.int32).max / 8,
                message='The image size or batch size is sufficiently large that the linearized '
                        'addresses used by array_ops.gather may exceed the int32 limit.')]):
            flat = array_ops.reshape(grid, [batch * height * width, channels])
            offsets = array_ops.reshape(math_ops.range(batch) * height * width, [batch, 1])

        def gather(y, x, name):
            with ops.name_scope('gather-' + name):
                values = array_ops.gather(flat, offsets + y * width + x)
                return array_ops.reshape(values, [batch, num_queries, channels])
        (top, bottom, down), (left, right, across) = found
        top_left, top_right = gather(top, left, 'top_left'), gather(top, right, 'top_right')
        bottom_left = gather(bottom, left, 'bottom_left')
        bottom_right = gather(bottom, right, 'bottom_right')
        with ops.name_scope('interpolate'):
            above = across * (top_right - top_left) + top_left
            below = across * (bottom_right - bottom_left) + bottom_left
            return down * (below - above) + above


def dense_image_warp(image, flow, name='dense_image_warp'):
    """result[b, j, i] is image at (j - flow[b, j, i, 0], i - flow[b, j, i, 1])."""
    with ops.name_scope(name):
        batch, height, width, channels = [array_ops.shape(image)[i] for i in range(4)]
        grid_x, grid_y = array_ops.meshgrid(math_ops.range(width), math_ops.range(height))
        grid = math_ops.cast(array_ops.stack([grid_y, grid_x], axis=2), flow.dtype)
        points = array_ops.expand_dims(grid, axis=0) - flow
        points = array_ops.reshape(points, [batch, height * width, 2])
        interpolated = _interpolate_bilinear(image, points)
        return array_ops.reshape(interpolated, [batch, height, width, channels])
