# SPDX-License-Identifier: Apache-2.0
"""What images must be: checked while building where shapes are known, by Assert ops else.

Part of image_ops_impl."""
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops


def _flow():
    from leat.python.ops import control_flow_ops
    return control_flow_ops


def _assert(cond, ex_type, msg):
    """[] for what is known to hold, an error for what is known not to, else [an Assert]."""
    if isinstance(cond, ops.Tensor):
        return [_flow().Assert(cond, [msg])]
    if not cond:
        raise ex_type(msg)
    return []


def _is_tensor(x):
    return tensor_util.is_tensor(x)


def _ImageDimensions(image, rank):
    """The dims, as scalars where they are not known."""
    if image.get_shape().is_fully_defined():
        return image.get_shape().as_list()
    static = image.get_shape().with_rank(rank).as_list()
    dynamic = array_ops.unstack(array_ops.shape(image), rank)
    return [s if s is not None else d for s, d in zip(static, dynamic)]


def _Check3DImage(image, require_static=True):
    """Checks for an image of height, width and channels."""
    from leat.python.ops import check_ops
    try:
        shape = image.get_shape().with_rank(3)
    except ValueError:
        raise ValueError('\'image\' (shape %s) must be three-dimensional.'
                         % image.shape) from None
    if require_static and not shape.is_fully_defined():
        raise ValueError('\'image\' (shape %s) must be fully defined.' % shape)
    if shape.ndims is not None and any(d == 0 for d in shape.as_list()):
        raise ValueError('all dims of \'image.shape\' must be > 0: %s' % shape)
    if not shape.is_fully_defined():
        return [check_ops.assert_positive(array_ops.shape(image), [
            'all dims of \'image.shape\' must be > 0.'])]
    return []


def _CheckAtLeast3DImage(image, require_static=True):
    """Checks for images: height, width and channels come last."""
    from leat.python.ops import check_ops
    try:
        if image.get_shape().ndims is None:
            shape = image.get_shape().with_rank(3)
        else:
            shape = image.get_shape().with_rank_at_least(3)
    except ValueError:
        raise ValueError('\'image\' must be at least three-dimensional.') from None
    if require_static and not shape.is_fully_defined():
        raise ValueError('\'image\' must be fully defined.')
    if any(d == 0 for d in shape.as_list()[-3:]):
        raise ValueError('inner 3 dims of \'image.shape\' must be > 0: %s' % shape)
    if None in shape.as_list()[-3:]:
        return [
            check_ops.assert_positive(
                array_ops.shape(image), ['all dims of \'image.shape\' must be > 0.']),
            check_ops.assert_greater_equal(
                array_ops.rank(image), 3,
                message='\'image\' must be at least three-dimensional.')]
    return []


def _AssertAtLeast3DImage(image):
    return _flow().with_dependencies(_CheckAtLeast3DImage(image, require_static=False), image)


def _Assert3DImage(image):
    return _flow().with_dependencies(_Check3DImage(image, require_static=False), image)


def _CheckGrayscaleImage(image, require_static=True):
    """Checks for a last dim of 1."""
    from leat.python.ops import check_ops
    try:
        if image.get_shape().ndims is None:
            shape = image.get_shape().with_rank(2)
        else:
            shape = image.get_shape().with_rank_at_least(2)
    except ValueError:
        raise ValueError('A grayscale image (shape %s) must be at least two-dimensional.'
                         % image.shape) from None
    if require_static and not shape.is_fully_defined():
        raise ValueError('\'image\' must be fully defined.')
    if shape.is_fully_defined():
        if shape.as_list()[-1] != 1:
            raise ValueError('Last dimension of a grayscale image should be size 1.')
        return []
    return [check_ops.assert_equal(array_ops.shape(image)[-1], 1,
                                   message='Last dimension of a grayscale image should be size '
                                           '1.'),
            check_ops.assert_greater_equal(array_ops.rank(image), 3,
                                           message='A grayscale image must be at least '
                                                   'two-dimensional.')]


def _AssertGrayscaleImage(image):
    return _flow().with_dependencies(_CheckGrayscaleImage(image, require_static=False), image)


def fix_image_flip_shape(image, result):
    """A result that has the image's shape."""
    if image.get_shape().ndims is None:
        result.set_shape([None, None, None])
    else:
        result.set_shape(image.get_shape())
    return result

