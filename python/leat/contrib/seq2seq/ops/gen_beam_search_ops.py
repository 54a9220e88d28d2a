# SPDX-License-Identifier: Apache-2.0
"""gather_tree, of ops of the core."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import tensor_array_ops


def gather_tree(step_ids, parent_ids, max_sequence_lengths, end_token, name=None):
    """The beams [time, batch, beam] that steps' ids and parents make, from the last step back.

    What follows a beam's first end_token, or its sequence's length, is end_token."""
    with ops.name_scope(name, 'GatherTree', [step_ids, parent_ids]):
        step_ids = ops.convert_to_tensor(step_ids, dtype=dtypes.int32, name='step_ids')
        parent_ids = ops.convert_to_tensor(parent_ids, dtype=dtypes.int32, name='parent_ids')
        lengths = ops.convert_to_tensor(max_sequence_lengths, dtype=dtypes.int32)
        end_token = ops.convert_to_tensor(end_token, dtype=dtypes.int32)
        for tensor, what in ((step_ids, 'step_ids'), (parent_ids, 'parent_ids')):
            if tensor.shape.ndims not in (None, 3):
                raise ValueError('Shape must be rank 3 but is rank %d for %s of gather_tree'
                                 % (tensor.shape.ndims, what))
        shape = array_ops.shape(step_ids)
        time, batch, width = shape[0], shape[1], shape[2]
        own = array_ops.tile(array_ops.expand_dims(math_ops.range(width), 0), [batch, 1])
        rows = array_ops.tile(array_ops.expand_dims(math_ops.range(batch), 1), [1, width])
        inside = array_ops.tile(array_ops.expand_dims(lengths, 1), [1, width])

        def body(t, parents, beams):
            at = array_ops.stack([rows, parents], axis=-1)
            there = t < inside
            ids = array_ops.where(there, array_ops.gather_nd(step_ids[t], at),
                                  array_ops.fill([batch, width], end_token))
            parents = array_ops.where(there, array_ops.gather_nd(parent_ids[t], at), own)
            return t - 1, parents, beams.write(t, ids)
        beams = tensor_array_ops.TensorArray(dtypes.int32, size=time)
        _, _, beams = control_flow_ops.while_loop(
            lambda t, *_: t >= 0, body, (time - 1, own, beams), back_prop=False)
        beams = beams.stack()
        ended = math_ops.cumsum(math_ops.cast(math_ops.equal(beams, end_token), dtypes.int32),
                                axis=0, exclusive=True) > 0
        result = array_ops.where(ended, array_ops.fill(shape, end_token), beams)
        result.set_shape(step_ids.get_shape())
        return result
