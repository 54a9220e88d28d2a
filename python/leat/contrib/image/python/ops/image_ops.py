# SPDX-License-Identifier: Apache-2.0
"""Images under projective maps: a map is 8 numbers, which say for each place of the result where it
comes from.

Not here: connected components and bipartite matches."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_image_ops
from leat.python.ops import linalg_ops
from leat.python.ops import math_ops

_IMAGE_DTYPES = frozenset([dtypes.uint8, dtypes.int32, dtypes.int64, dtypes.float16,
                           dtypes.float32, dtypes.float64])


def _as_images(images):
    """(the images with 4 dims, what takes the result back)"""
    if images.dtype.base_dtype not in _IMAGE_DTYPES:
        raise TypeError('Invalid dtype %s.' % images.dtype)
    rank = images.get_shape().ndims
    if rank is None:
        raise TypeError('image_or_images rank must be statically known')
    if rank == 2:
        return images[None, :, :, None], lambda result: result[0, :, :, 0]
    if rank == 3:
        return images[None, :, :, :], lambda result: result[0, :, :, :]
    if rank == 4:
        return images, lambda result: result
    raise TypeError('Images should have rank between 2 and 4.')


def rotate(images, angles, interpolation='NEAREST', name=None):
    """Images turned against the clock around their middles, by angles in radians."""
    with ops.name_scope(name, 'rotate'):
        image_or_images = ops.convert_to_tensor(images)
        images, back = _as_images(image_or_images)
        height = math_ops.cast(array_ops.shape(images)[1], dtypes.float32)[None]
        width = math_ops.cast(array_ops.shape(images)[2], dtypes.float32)[None]
        return back(transform(images, angles_to_projective_transforms(angles, height, width),
                              interpolation=interpolation))


def translate(images, translations, interpolation='NEAREST', name=None):
    """Images moved by [dx, dy]."""
    with ops.name_scope(name, 'translate'):
        return transform(images, translations_to_projective_transforms(translations),
                         interpolation=interpolation)


def angles_to_projective_transforms(angles, image_height, image_width, name=None):
    """The maps that turn images of a size."""
    with ops.name_scope(name, 'angles_to_projective_transforms'):
        angles = ops.convert_to_tensor(angles, name='angles', dtype=dtypes.float32)
        if len(angles.get_shape()) == 0:
            angles = angles[None]
        elif len(angles.get_shape()) != 1:
            raise TypeError('Angles should have rank 0 or 1.')
        x_offset = ((image_width - 1) - (math_ops.cos(angles) * (image_width - 1) -
                                         math_ops.sin(angles) * (image_height - 1))) / 2.0
        y_offset = ((image_height - 1) - (math_ops.sin(angles) * (image_width - 1) +
                                          math_ops.cos(angles) * (image_height - 1))) / 2.0
        num_angles = array_ops.shape(angles)[0]
        return array_ops.concat(
            values=[math_ops.cos(angles)[:, None], -math_ops.sin(angles)[:, None],
                    x_offset[:, None], math_ops.sin(angles)[:, None],
                    math_ops.cos(angles)[:, None], y_offset[:, None],
                    array_ops.zeros((num_angles, 2), dtypes.float32)], axis=1)


def translations_to_projective_transforms(translations, name=None):
    """The maps that move images."""
    with ops.name_scope(name, 'translations_to_projective_transforms'):
        translations = ops.convert_to_tensor(translations, name='translations',
                                             dtype=dtypes.float32)
        if translations.get_shape().ndims is None:
            raise TypeError('translations rank must be statically known')
        if len(translations.get_shape()) == 1:
            translations = translations[None]
        elif len(translations.get_shape()) != 2:
            raise TypeError('Translations should have rank 1 or 2.')
        count = array_ops.shape(translations)[0]
        return array_ops.concat(
            values=[array_ops.ones((count, 1), dtypes.float32),
                    array_ops.zeros((count, 1), dtypes.float32), -translations[:, 0, None],
                    array_ops.zeros((count, 1), dtypes.float32),
                    array_ops.ones((count, 1), dtypes.float32), -translations[:, 1, None],
                    array_ops.zeros((count, 2), dtypes.float32)], axis=1)


def transform(images, transforms, interpolation='NEAREST', output_shape=None, name=None):
    """Images under maps: one for all, or one for each."""
    with ops.name_scope(name, 'transform'):
        image_or_images = ops.convert_to_tensor(images, name='images')
        transforms = ops.convert_to_tensor(transforms, name='transforms', dtype=dtypes.float32)
        images, back = _as_images(image_or_images)
        if output_shape is None:
            output_shape = array_ops.shape(images)[1:3]
            known = tensor_util.constant_value(output_shape)
            output_shape = output_shape if known is None else known
        output_shape = ops.convert_to_tensor(output_shape, dtypes.int32, name='output_shape')
        if not output_shape.get_shape().is_compatible_with([2]):
            raise ValueError('output_shape must be a 1-D Tensor of 2 elements: new_height, '
                             'new_width')
        if transforms.get_shape().ndims is None:
            raise TypeError('transforms rank must be statically known')
        if len(transforms.get_shape()) == 1:
            transforms = transforms[None]
        elif len(transforms.get_shape()) != 2:
            raise TypeError('Transforms should have rank 1 or 2.')
        return back(gen_image_ops.image_projective_transform_v2(
            images, output_shape=output_shape, transforms=transforms,
            interpolation=interpolation.upper()))


def compose_transforms(*transforms):
    """The map that is all of them, the first first."""
    if not transforms:
        raise AssertionError('transforms cannot be empty')
    with ops.name_scope('compose_transforms'):
        composed = flat_transforms_to_matrices(transforms[0])
        for tr in transforms[1:]:
            composed = math_ops.matmul(composed, flat_transforms_to_matrices(tr))
        return matrices_to_flat_transforms(composed)


def flat_transforms_to_matrices(transforms):
    """Maps as matrices of 3 x 3."""
    with ops.name_scope('flat_transforms_to_matrices'):
        transforms = ops.convert_to_tensor(transforms, name='transforms')
        if transforms.shape.ndims not in (1, 2):
            raise ValueError('Transforms should be 1D or 2D, got: %s' % transforms)
        transforms = array_ops.reshape(transforms, constant_op.constant([-1, 8]))
        count = array_ops.shape(transforms)[0]
        return array_ops.reshape(
            array_ops.concat([transforms, array_ops.ones([count, 1])], axis=1),
            constant_op.constant([-1, 3, 3]))


def matrices_to_flat_transforms(transform_matrices):
    """Matrices as maps, divided by their last numbers."""
    with ops.name_scope('matrices_to_flat_transforms'):
        transform_matrices = ops.convert_to_tensor(transform_matrices, name='transform_matrices')
        if transform_matrices.shape.ndims not in (2, 3):
            raise ValueError('Matrices should be 2D or 3D, got: %s' % transform_matrices)
        transforms = array_ops.reshape(transform_matrices, constant_op.constant([-1, 9]))
        transforms /= transforms[:, 8:9]
        return transforms[:, :8]


@ops.RegisterGradient('ImageProjectiveTransformV2')
def _image_projective_transform_grad(op, grad):
    """The gradient's image under the inverse maps."""
    images, transforms = op.inputs[0], op.inputs[1]
    if images.dtype.base_dtype not in _IMAGE_DTYPES:
        raise TypeError('Invalid dtype %s.' % images.dtype)
    transforms = ops.convert_to_tensor(transforms, name='transforms', dtype=dtypes.float32)
    if len(transforms.get_shape()) == 1:
        transforms = transforms[None]
    elif len(transforms.get_shape()) != 2:
        raise TypeError('Transforms should have rank 1 or 2.')
    inverse = linalg_ops.matrix_inverse(flat_transforms_to_matrices(transforms=transforms))
    output = gen_image_ops.image_projective_transform_v2(
        images=grad, transforms=matrices_to_flat_transforms(inverse),
        output_shape=array_ops.shape(images)[1:3], interpolation=op.get_attr('interpolation'))
    return [output, None, None]
