# SPDX-License-Identifier: Apache-2.0
"""Values and gradients kept within bounds."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_nn_ops
from leat.python.ops import math_ops
from leat.python.util import dispatch


@dispatch.add_dispatch_support
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """t, but not below the one nor above the other."""
    with ops.name_scope(name, 'clip_by_value', [t, clip_value_min, clip_value_max]) as name:
        values = ops.convert_to_tensor(t.values if isinstance(t, ops.IndexedSlices) else t,
                                       name='t')
        low = math_ops.minimum(values, clip_value_max)
        values.shape.assert_is_compatible_with(low.shape)
        both = math_ops.maximum(low, clip_value_min, name=name)
        values.shape.assert_is_compatible_with(both.shape)
        if isinstance(t, ops.IndexedSlices):
            return ops.IndexedSlices(both, t.indices, t.dense_shape)
        return both


def clip_by_norm(t, clip_norm, axes=None, name=None):
    """t scaled down where its length is above clip_norm."""
    with ops.name_scope(name, 'clip_by_norm', [t, clip_norm]) as name:
        values = ops.convert_to_tensor(t.values if isinstance(t, ops.IndexedSlices) else t,
                                       name='t')
        squares = math_ops.reduce_sum(values * values, axes, keepdims=True)
        positive = squares > 0
        safe = array_ops.where(positive, squares, array_ops.ones_like(squares))
        length = array_ops.where(positive, math_ops.sqrt(safe), squares)
        scaled = values * clip_norm
        values.shape.assert_is_compatible_with(scaled.shape)
        clipped = array_ops.identity(scaled / math_ops.maximum(length, clip_norm), name=name)
        if isinstance(t, ops.IndexedSlices):
            return ops.IndexedSlices(clipped, t.indices, t.dense_shape)
        return clipped


def global_norm(t_list, name=None):
    """The length of all tensors as one vector."""
    if not isinstance(t_list, (list, tuple)) or isinstance(t_list, str):
        raise TypeError('t_list should be a sequence')
    t_list = list(t_list)
    with ops.name_scope(name, 'global_norm', t_list) as name:
        values = [ops.convert_to_tensor(t.values if isinstance(t, ops.IndexedSlices) else t,
                                        name='t_%d' % i) if t is not None else t
                  for i, t in enumerate(t_list)]
        halves = []
        for v in values:
            if v is not None:
                with ops.colocate_with(v):
                    halves.append(gen_nn_ops.l2_loss(v))
        half = math_ops.reduce_sum(array_ops.stack(halves))
        return math_ops.sqrt(half * constant_op.constant(2.0, dtype=half.dtype),
                             name='global_norm')


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Tensors scaled together so that their length is at most clip_norm; and that length."""
    if not isinstance(t_list, (list, tuple)) or isinstance(t_list, str):
        raise TypeError('t_list should be a sequence')
    t_list = list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    with ops.name_scope(name, 'clip_by_global_norm', t_list + [clip_norm]) as name:
        ratio = clip_norm * math_ops.minimum(
            1.0 / use_norm, constant_op.constant(1.0, dtype=use_norm.dtype) / clip_norm)
        scale = array_ops.where(math_ops.is_finite(use_norm), ratio,
                                constant_op.constant(float('nan'), dtype=use_norm.dtype))
        values = [ops.convert_to_tensor(t.values if isinstance(t, ops.IndexedSlices) else t,
                                        name='t_%d' % i) if t is not None else t
                  for i, t in enumerate(t_list)]
        clipped = []
        for i, v in enumerate(values):
            if v is None:
                clipped.append(None)
                continue
            with ops.colocate_with(v):
                clipped.append(array_ops.identity(v * scale, name='%s_%d' % (name, i)))
        return [ops.IndexedSlices(c, t.indices, t.dense_shape)
                if isinstance(t, ops.IndexedSlices) else c
                for c, t in zip(clipped, t_list)], use_norm


def clip_by_average_norm(t, clip_norm, name=None):
    """t scaled down where its mean length is above clip_norm."""
    with ops.name_scope(name, 'clip_by_average_norm', [t, clip_norm]) as name:
        t = ops.convert_to_tensor(t, name='t')
        count = math_ops.cast(array_ops.size(t), dtypes.float32)
        inverse = math_ops.rsqrt(math_ops.reduce_sum(t * t, math_ops.range(array_ops.rank(t))))
        return array_ops.identity(
            t * clip_norm * math_ops.minimum(inverse * count,
                                             constant_op.constant(1.0) / clip_norm), name=name)


