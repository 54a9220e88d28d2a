# SPDX-License-Identifier: Apache-2.0
"""Images turned, cut and padded; resized in image_resize, coloured in image_color, compared in
image_quality, boxes in image_boxes. A name that is in none of them is the op's own function."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_image_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops.image_boxes import (  # noqa: F401
    combined_non_max_suppression, crop_and_resize_v1, crop_and_resize_v2, draw_bounding_boxes,
    draw_bounding_boxes_v2, extract_glimpse, non_max_suppression, non_max_suppression_padded,
    non_max_suppression_with_overlaps, non_max_suppression_with_scores,
    sample_distorted_bounding_box, sample_distorted_bounding_box_v2)
from leat.python.ops.image_checks import (  # noqa: F401
    _Assert3DImage, _AssertAtLeast3DImage, _AssertGrayscaleImage, _Check3DImage,
    _CheckAtLeast3DImage, _CheckGrayscaleImage, _ImageDimensions, _assert, _flow, _is_tensor,
    fix_image_flip_shape)
from leat.python.ops.image_color import (  # noqa: F401
    adjust_brightness, adjust_contrast, adjust_gamma, adjust_hue, adjust_jpeg_quality,
    adjust_saturation, convert_image_dtype, grayscale_to_rgb, per_image_standardization,
    random_brightness, random_contrast, random_hue, random_jpeg_quality, random_saturation,
    rgb_to_grayscale, rgb_to_yiq, rgb_to_yuv, yiq_to_rgb, yuv_to_rgb)
from leat.python.ops.image_files import decode_image, is_jpeg  # noqa: F401
from leat.python.ops.image_quality import (  # noqa: F401
    image_gradients, psnr, sobel_edges, ssim, ssim_multiscale, total_variation)


def __getattr__(name):
    from leat.python.ops import image_resize
    if hasattr(image_resize, name):
        return getattr(image_resize, name)
    return getattr(gen_image_ops, name)


# ---- turned ----

def random_flip_up_down(image, seed=None):
    """Upside down by a chance of a half."""
    return _random_flip(image, 0, seed, 'random_flip_up_down')


def random_flip_left_right(image, seed=None):
    """Left to right by a chance of a half."""
    return _random_flip(image, 1, seed, 'random_flip_left_right')


def _random_flip(image, flip_index, seed, scope_name):
    with ops.name_scope(None, scope_name, [image]) as scope:
        image = ops.convert_to_tensor(image, name='image')
        image = _AssertAtLeast3DImage(image)
        shape = image.get_shape()
        if shape.ndims == 3 or shape.ndims is None:
            drawn = random_ops.random_uniform([], 0, 1.0, seed=seed)
            result = _flow().cond(math_ops.less(drawn, .5),
                                  lambda: array_ops.reverse(image, [flip_index]), lambda: image,
                                  name=scope)
            return fix_image_flip_shape(image, result)
        if shape.ndims != 4:
            raise ValueError('\'image\' must have either 3 or 4 dimensions.')
        count = array_ops.shape(image)[0]
        drawn = random_ops.random_uniform([count], 0, 1.0, seed=seed)
        flips = math_ops.round(array_ops.reshape(drawn, [count, 1, 1, 1]))
        flips = math_ops.cast(flips, image.dtype)
        flipped = array_ops.reverse(image, [flip_index + 1])
        return flips * flipped + (1 - flips) * image


def flip_left_right(image):
    """The columns in the other order."""
    return _flip(image, 1, 'flip_left_right')


def flip_up_down(image):
    """The rows in the other order."""
    return _flip(image, 0, 'flip_up_down')


def _flip(image, flip_index, scope_name):
    with ops.name_scope(None, scope_name, [image]):
        image = ops.convert_to_tensor(image, name='image')
        image = _AssertAtLeast3DImage(image)
        shape = image.get_shape()
        if shape.ndims == 3 or shape.ndims is None:
            return fix_image_flip_shape(image, array_ops.reverse(image, [flip_index]))
        if shape.ndims == 4:
            return array_ops.reverse(image, [flip_index + 1])
        raise ValueError('\'image\' must have either 3 or 4 dimensions.')


def rot90(image, k=1, name=None):
    """Turned k times by 90 degrees, against the clock."""
    with ops.name_scope(name, 'rot90', [image, k]) as scope:
        image = ops.convert_to_tensor(image, name='image')
        image = _AssertAtLeast3DImage(image)
        k = ops.convert_to_tensor(k, dtype=dtypes.int32, name='k')
        k.get_shape().assert_has_rank(0)
        k = math_ops.mod(k, 4)
        ndims = image.get_shape().ndims
        if ndims not in (None, 3, 4):
            raise ValueError('\'image\' must have either 3 or 4 dimensions.')
        first = 1 if ndims == 4 else 0
        swapped = [0, 2, 1, 3] if first else [1, 0, 2]

        def once():
            return array_ops.transpose(array_ops.reverse_v2(image, [first + 1]), swapped)

        def twice():
            return array_ops.reverse_v2(image, [first, first + 1])

        def thrice():
            return array_ops.reverse_v2(array_ops.transpose(image, swapped), [first + 1])

        cases = [(math_ops.equal(k, 1), once), (math_ops.equal(k, 2), twice),
                 (math_ops.equal(k, 3), thrice)]
        result = _flow().case(cases, default=lambda: image, exclusive=True, name=scope)
        if first:
            shape = image.get_shape()
            result.set_shape([shape[0], None, None, shape[3]])
        else:
            result.set_shape([None, None, image.get_shape()[2] if ndims else None])
        return result


def transpose(image, name=None):
    """Rows and columns exchanged."""
    with ops.name_scope(name, 'transpose', [image]):
        image = ops.convert_to_tensor(image, name='image')
        image = _AssertAtLeast3DImage(image)
        ndims = image.get_shape().ndims
        if ndims == 3 or ndims is None:
            return array_ops.transpose(image, [1, 0, 2], name='transpose')
        if ndims == 4:
            return array_ops.transpose(image, [0, 2, 1, 3], name='transpose')
        raise ValueError('\'image\' must have either 3 or 4 dimensions.')


# ---- cut and padded ----

def _crop_start(size, fraction):
    """(where a central crop begins, its size) of one dim; as numbers where the dim is one."""
    if isinstance(size, int):
        start = int((size - size * fraction) / 2)
        return start, size - start * 2
    wide = math_ops.cast(size, dtypes.float64)
    return math_ops.cast((wide - wide * fraction) / 2, dtypes.int32), None


def central_crop(image, central_fraction):
    """The middle of the image."""
    with ops.name_scope(None, 'central_crop', [image]):
        image = ops.convert_to_tensor(image, name='image')
        if central_fraction <= 0.0 or central_fraction > 1.0:
            raise ValueError('central_fraction must be within (0, 1]')
        if central_fraction == 1.0:
            return image
        _AssertAtLeast3DImage(image)
        rank = image.get_shape().ndims
        if rank not in (3, 4):
            raise ValueError('`image` should either be a Tensor with rank = 3 or rank = 4. Had '
                             'rank = {}.'.format(rank))
        at = rank - 3
        known = image.get_shape().as_list()
        sizes = []
        for d in (at, at + 1):
            sizes.append(known[d] if known[d] is not None else array_ops.shape(image)[d])
        parts = [_crop_start(s, central_fraction) for s in sizes]
        starts = [p[0] for p in parts]
        lengths = [p[1] if p[1] is not None else s - p[0] * 2 for p, s in zip(parts, sizes)]
        outer = [0] * at
        begin = array_ops.stack(outer + starts + [0])
        size = array_ops.stack([-1] * at + lengths + [-1])
        image = array_ops.slice(image, begin, size)
        dims = [None if isinstance(n, ops.Tensor) else n for n in lengths]
        image.set_shape(known[:at] + dims + [known[-1]])
        return image


def _as_batch(image):
    """(the image with a batch dim, whether it had one)."""
    ndims = image.get_shape().ndims
    if ndims == 3:
        return array_ops.expand_dims(image, 0), False
    if ndims is None:
        image = array_ops.expand_dims(image, 0)
        image.set_shape([None] * 4)
        return image, False
    if ndims != 4:
        raise ValueError('\'image\' must have either 3 or 4 dimensions.')
    return image, True


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The image in a larger one of zeros."""
    with ops.name_scope(None, 'pad_to_bounding_box', [image]):
        image = ops.convert_to_tensor(image, name='image')
        image, is_batch = _as_batch(image)
        checks = _CheckAtLeast3DImage(image, require_static=False)
        batch, height, width, depth = _ImageDimensions(image, rank=4)
        after_width = target_width - offset_width - width
        after_height = target_height - offset_height - height
        checks += _assert(offset_height >= 0, ValueError, 'offset_height must be >= 0')
        checks += _assert(offset_width >= 0, ValueError, 'offset_width must be >= 0')
        checks += _assert(after_width >= 0, ValueError, 'width must be <= target - offset')
        checks += _assert(after_height >= 0, ValueError, 'height must be <= target - offset')
        image = _flow().with_dependencies(checks, image)
        paddings = array_ops.reshape(array_ops.stack(
            [0, 0, offset_height, after_height, offset_width, after_width, 0, 0]), [4, 2])
        padded = array_ops.pad(image, paddings)
        padded.set_shape([None if _is_tensor(i) else i
                          for i in (batch, target_height, target_width, depth)])
        return padded if is_batch else array_ops.squeeze(padded, axis=[0])


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """A piece of the image."""
    with ops.name_scope(None, 'crop_to_bounding_box', [image]):
        image = ops.convert_to_tensor(image, name='image')
        image, is_batch = _as_batch(image)
        checks = _CheckAtLeast3DImage(image, require_static=False)
        batch, height, width, depth = _ImageDimensions(image, rank=4)
        checks += _assert(offset_width >= 0, ValueError, 'offset_width must be >= 0.')
        checks += _assert(offset_height >= 0, ValueError, 'offset_height must be >= 0.')
        checks += _assert(target_width > 0, ValueError, 'target_width must be > 0.')
        checks += _assert(target_height > 0, ValueError, 'target_height must be > 0.')
        checks += _assert(width >= (target_width + offset_width), ValueError,
                          'width must be >= target + offset.')
        checks += _assert(height >= (target_height + offset_height), ValueError,
                          'height must be >= target + offset.')
        image = _flow().with_dependencies(checks, image)
        cropped = array_ops.slice(
            image, array_ops.stack([0, offset_height, offset_width, 0]),
            array_ops.stack([-1, target_height, target_width, -1]))
        cropped.set_shape([None if _is_tensor(i) else i
                           for i in (batch, target_height, target_width, depth)])
        return cropped if is_batch else array_ops.squeeze(cropped, axis=[0])


def _max(x, y):
    if _is_tensor(x) or _is_tensor(y):
        return math_ops.maximum(x, y)
    return max(x, y)


def _min(x, y):
    if _is_tensor(x) or _is_tensor(y):
        return math_ops.minimum(x, y)
    return min(x, y)


def _same(x, y):
    if _is_tensor(x) or _is_tensor(y):
        return math_ops.equal(x, y)
    return x == y


def resize_image_with_crop_or_pad(image, target_height, target_width):
    """Cut or padded about the middle to a size."""
    with ops.name_scope(None, 'resize_image_with_crop_or_pad', [image]):
        image = ops.convert_to_tensor(image, name='image')
        image, is_batch = _as_batch(image)
        checks = _CheckAtLeast3DImage(image, require_static=False)
        checks += _assert(target_width > 0, ValueError, 'target_width must be > 0.')
        checks += _assert(target_height > 0, ValueError, 'target_height must be > 0.')
        image = _flow().with_dependencies(checks, image)
        if _is_tensor(target_height):
            target_height = _flow().with_dependencies(checks, target_height)
        if _is_tensor(target_width):
            target_width = _flow().with_dependencies(checks, target_width)
        _, height, width, _ = _ImageDimensions(image, rank=4)
        width_diff = target_width - width
        crop_width = _max(-width_diff // 2, 0)
        pad_width = _max(width_diff // 2, 0)
        height_diff = target_height - height
        crop_height = _max(-height_diff // 2, 0)
        pad_height = _max(height_diff // 2, 0)
        cropped = crop_to_bounding_box(image, crop_height, crop_width,
                                       _min(target_height, height), _min(target_width, width))
        resized = pad_to_bounding_box(cropped, pad_height, pad_width, target_height,
                                      target_width)
        if resized.get_shape().ndims is None:
            raise ValueError('resized contains no shape.')
        _, new_height, new_width, _ = _ImageDimensions(resized, rank=4)
        checks = []
        checks += _assert(_same(new_height, target_height), ValueError,
                          'resized height is not correct.')
        checks += _assert(_same(new_width, target_width), ValueError,
                          'resized width is not correct.')
        resized = _flow().with_dependencies(checks, resized)
        return resized if is_batch else array_ops.squeeze(resized, axis=[0])

