# SPDX-License-Identifier: Apache-2.0
"""Sums of sums, and checks of shapes."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import check_ops
from leat.python.ops import confusion_matrix
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.util import deprecation

is_tensor = tensor_util.is_tensor
assert_same_float_dtype = check_ops.assert_same_float_dtype
assert_scalar = check_ops.assert_scalar
__all__ = ['assert_same_float_dtype', 'assert_scalar', 'assert_scalar_int', 'is_tensor',
           'reduce_sum_n', 'remove_squeezable_dimensions', 'with_shape', 'with_same_shape']


def reduce_sum_n(tensors, name=None):
    """The sum of all elements of all tensors."""
    if not tensors:
        raise ValueError('No tensors provided.')
    with ops.name_scope(name, 'reduce_sum_n', tensors) as name_scope:
        sums = [math_ops.reduce_sum(t, name='%s/sum' % t.op.name) for t in tensors]
        return sums[0] if len(sums) == 1 else math_ops.add_n(sums, name=name_scope)


@deprecation.deprecated(None, 'Please switch to tf.confusion_matrix.'
                        'remove_squeezable_dimensions. Note that order of the inputs and outputs '
                        'of labels and predictions have also been switched.')
def remove_squeezable_dimensions(predictions, labels, name=None):
    """(predictions, labels) without a last dim of size 1 that is one too many."""
    predictions = ops.convert_to_tensor(predictions)
    labels = ops.convert_to_tensor(labels)
    labels, predictions = confusion_matrix.remove_squeezable_dimensions(labels, predictions,
                                                                        name=name)
    return predictions, labels


def assert_scalar_int(tensor, name=None):
    """The tensor, which is a whole number."""
    with ops.name_scope(name, 'assert_scalar_int', [tensor]) as name_scope:
        tensor = ops.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError('Expected integer type for %s, received type: %s.'
                             % (tensor.name, tensor.dtype))
        return check_ops.assert_scalar(tensor, name=name_scope)


def with_same_shape(expected_tensor, tensor):
    """The tensor, whose shape is the other's."""
    with ops.name_scope('%s/' % tensor.op.name, values=[expected_tensor, tensor]):
        expected_shape = expected_tensor.get_shape()
        if expected_shape.is_fully_defined():
            return with_shape(expected_shape.as_list(), tensor)
        return with_shape(array_ops.shape(expected_tensor), tensor)


def with_shape(expected_shape, tensor):
    """The tensor, whose shape is as expected: ValueError, or an assertion in the graph."""
    if isinstance(expected_shape, (list, tuple)):
        expected_shape = ops.convert_to_tensor(list(expected_shape), dtype=dtypes.int32)
    if not isinstance(expected_shape, ops.Tensor):
        expected_shape = ops.convert_to_tensor(expected_shape, dtype=dtypes.int32)
    known = tensor_util.constant_value(expected_shape)
    with ops.name_scope('%s/' % tensor.op.name, values=[expected_shape, tensor]):
        actual = tensor.get_shape()
        if known is not None:
            known = [int(d) for d in known]
            if actual.is_fully_defined():
                if actual.as_list() != known:
                    raise ValueError('Invalid shape for tensor %s, expected %s, got %s.'
                                     % (tensor.name, known, actual.as_list()))
                return tensor
            if not actual.is_compatible_with([None if d < 0 else d for d in known]):
                raise ValueError('Invalid shape for tensor %s, expected %s, got %s.'
                                 % (tensor.name, known, actual))
        dynamic = array_ops.shape(tensor, name='shape')
        same = math_ops.reduce_all(math_ops.equal(expected_shape, dynamic))
        check = control_flow_ops.Assert(
            same, ['Wrong shape for %s [expected] [actual].' % tensor.name, expected_shape,
                   dynamic], name='assert_shape')
        with ops.control_dependencies([check]):
            checked = array_ops.identity(tensor, name='Identity')
        if known is not None:
            checked.set_shape(known)
        return checked
