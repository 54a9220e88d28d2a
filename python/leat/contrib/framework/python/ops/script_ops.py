# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.framework.py_func: tf.py_func with shapes and structures."""
from leat.python.framework import tensor_shape
from leat.python.ops import script_ops
from leat.python.util import nest

__all__ = ['py_func']


def py_func(func, args=(), kwargs=None, output_types=None, output_shapes=None, stateful=True,
            name=None):
    """func(*args, **kwargs) of the values of tensors, as an op; structures stay."""
    kwargs = kwargs or {}
    if not isinstance(args, (list, tuple)):
        raise TypeError('args must be list and not {}. args: {}'.format(type(args), args))
    if not isinstance(kwargs, dict):
        raise TypeError('kwargs must be dict and not {}. args: {}'.format(type(kwargs), kwargs))
    if output_types is None:
        raise ValueError('output_types must be specified')
    given = (tuple(args), kwargs)

    def flat(*values):
        own_args, own_kwargs = nest.pack_sequence_as(given, values)
        return nest.flatten(func(*own_args, **own_kwargs))
    types = nest.flatten(output_types)
    outputs = script_ops.py_func(flat, nest.flatten(given), types, stateful=stateful, name=name)
    if output_shapes is not None:
        shapes = nest.flatten_up_to(output_types, output_shapes)
        for output, shape in zip(outputs, shapes):
            output.set_shape(tensor_shape.as_shape(shape))
    return nest.pack_sequence_as(output_types, outputs)
