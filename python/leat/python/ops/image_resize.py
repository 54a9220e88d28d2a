# SPDX-License-Identifier: Apache-2.0
"""Images in another size. Part of image_ops_impl."""
import numpy as np

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_image_ops
from leat.python.ops import image_ops_impl
from leat.python.ops import math_ops


class ResizeMethodV1(object):
    """How pixels between pixels are made."""
    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


class ResizeMethod(object):
    BILINEAR = 'bilinear'
    NEAREST_NEIGHBOR = 'nearest'
    BICUBIC = 'bicubic'
    AREA = 'area'
    LANCZOS3 = 'lanczos3'
    LANCZOS5 = 'lanczos5'
    GAUSSIAN = 'gaussian'
    MITCHELLCUBIC = 'mitchellcubic'


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    return gen_image_ops.resize_bilinear(images=images, size=size, align_corners=align_corners,
                                         half_pixel_centers=half_pixel_centers, name=name)


def resize_nearest_neighbor(images, size, align_corners=False, name=None,
                            half_pixel_centers=False):
    return gen_image_ops.resize_nearest_neighbor(
        images=images, size=size, align_corners=align_corners,
        half_pixel_centers=half_pixel_centers, name=name)


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    return gen_image_ops.resize_bicubic(images=images, size=size, align_corners=align_corners,
                                        half_pixel_centers=half_pixel_centers, name=name)


def _keeping_ratio(size, height, width):
    """The size as far as the ratio of height and width allows."""
    wanted = tensor_util.constant_value(size)
    parts = [int(n) for n in wanted] if wanted is not None else [size[0], size[1]]
    ratio_h = math_ops.cast(parts[0], dtypes.float32) / math_ops.cast(height, dtypes.float32)
    ratio_w = math_ops.cast(parts[1], dtypes.float32) / math_ops.cast(width, dtypes.float32)
    scale = math_ops.minimum(ratio_h, ratio_w)
    new = []
    known = []
    for n in (height, width):
        new.append(math_ops.cast(math_ops.round(scale * math_ops.cast(n, dtypes.float32)),
                                 dtypes.int32))
    if wanted is not None and isinstance(height, int) and isinstance(width, int):
        f = np.float32
        factor = min(f(parts[0]) / f(height), f(parts[1]) / f(width))
        known = [int(np.round(factor * f(n))) for n in (height, width)]
    return ops.convert_to_tensor(new, dtypes.int32, name='size'), known


def _resize_images_common(images, resizer_fn, size, preserve_aspect_ratio, name,
                          skip_resize_if_same):
    """resizer_fn on a batch of images, with the size checked."""
    with ops.name_scope(name, 'resize', [images, size]):
        images = ops.convert_to_tensor(images, name='images')
        if images.get_shape().ndims is None:
            raise ValueError('\'images\' contains no shape.')
        is_batch = True
        if images.get_shape().ndims == 3:
            is_batch = False
            images = array_ops.expand_dims(images, 0)
        elif images.get_shape().ndims != 4:
            raise ValueError('\'images\' must have either 3 or 4 dimensions.')
        _, height, width, _ = images.get_shape().as_list()
        try:
            size = ops.convert_to_tensor(size, dtypes.int32, name='size')
        except (TypeError, ValueError):
            raise ValueError('\'size\' must be a 1-D int32 Tensor') from None
        if not size.get_shape().is_compatible_with([2]):
            raise ValueError('\'size\' must be a 1-D Tensor of 2 elements: new_height, '
                             'new_width')
        ratio_dims = []
        if preserve_aspect_ratio:
            _, h, w, _ = image_ops_impl._ImageDimensions(images, rank=4)
            size, ratio_dims = _keeping_ratio(size, h, w)
        known = tensor_util.constant_value(size)
        new = ratio_dims or ([None, None] if known is None else [int(n) for n in known])
        if skip_resize_if_same and None not in new and new == [height, width]:
            return images if is_batch else array_ops.squeeze(images, axis=[0])
        images = resizer_fn(images, size)
        images.set_shape([None] + new + [None])
        return images if is_batch else array_ops.squeeze(images, axis=[0])


def resize_images(images, size, method=ResizeMethodV1.BILINEAR, align_corners=False,
                  preserve_aspect_ratio=False, name=None):
    """Images in the size [height, width]."""
    def resizer_fn(images, size):
        if method in (ResizeMethodV1.BILINEAR, ResizeMethod.BILINEAR):
            return gen_image_ops.resize_bilinear(images, size, align_corners=align_corners)
        if method in (ResizeMethodV1.NEAREST_NEIGHBOR, ResizeMethod.NEAREST_NEIGHBOR):
            return gen_image_ops.resize_nearest_neighbor(images, size,
                                                         align_corners=align_corners)
        if method in (ResizeMethodV1.BICUBIC, ResizeMethod.BICUBIC):
            return gen_image_ops.resize_bicubic(images, size, align_corners=align_corners)
        if method in (ResizeMethodV1.AREA, ResizeMethod.AREA):
            return gen_image_ops.resize_area(images, size, align_corners=align_corners)
        raise ValueError('Resize method is not implemented.')

    return _resize_images_common(images, resizer_fn, size,
                                 preserve_aspect_ratio=preserve_aspect_ratio, name=name,
                                 skip_resize_if_same=True)


def resize_images_v2(images, size, method=ResizeMethod.BILINEAR, preserve_aspect_ratio=False,
                     antialias=False, name=None):
    """resize_images() with pixels' centres at halves."""
    def resizer_fn(images, size):
        plain = {ResizeMethod.BILINEAR: 'resize_bilinear',
                 ResizeMethod.NEAREST_NEIGHBOR: 'resize_nearest_neighbor'}
        if antialias or method not in plain:
            raise ValueError('Resize method is not implemented.')
        return getattr(gen_image_ops, plain[method])(images, size, half_pixel_centers=True)

    return _resize_images_common(images, resizer_fn, size,
                                 preserve_aspect_ratio=preserve_aspect_ratio, name=name,
                                 skip_resize_if_same=False)


def _resize_image_with_pad_common(image, target_height, target_width, resize_fn):
    """Resized with its ratio kept, and padded to the size."""
    with ops.name_scope(None, 'resize_image_with_pad', [image]):
        image = ops.convert_to_tensor(image, name='image')
        image, is_batch = image_ops_impl._as_batch(image)
        checks = image_ops_impl._CheckAtLeast3DImage(image, require_static=False)
        checks += image_ops_impl._assert(target_width > 0, ValueError,
                                         'target_width must be > 0.')
        checks += image_ops_impl._assert(target_height > 0, ValueError,
                                         'target_height must be > 0.')
        image = image_ops_impl._flow().with_dependencies(checks, image)
        _, height, width, _ = image_ops_impl._ImageDimensions(image, rank=4)
        f_height, f_width = (math_ops.cast(v, dtypes.float64) for v in (height, width))
        f_target_height = math_ops.cast(target_height, dtypes.float64)
        f_target_width = math_ops.cast(target_width, dtypes.float64)
        ratio = math_ops.maximum(f_width / f_target_width, f_height / f_target_height)
        r_height, r_width = f_height / ratio, f_width / ratio
        r_height_f = math_ops.floor(r_height)
        r_width_f = math_ops.floor(r_width)
        i_height = math_ops.cast(r_height_f, dtypes.int32)
        i_width = math_ops.cast(r_width_f, dtypes.int32)
        p_height = math_ops.maximum(0, math_ops.cast((f_target_height - r_height_f) / 2,
                                                     dtypes.int32))
        p_width = math_ops.maximum(0, math_ops.cast((f_target_width - r_width_f) / 2,
                                                    dtypes.int32))
        resized = resize_fn(image, array_ops.concat([[i_height], [i_width]], axis=0))
        padded = image_ops_impl.pad_to_bounding_box(resized, p_height, p_width, target_height,
                                                    target_width)
        return padded if is_batch else array_ops.squeeze(padded, axis=[0])


def resize_image_with_pad_v1(image, target_height, target_width, method=ResizeMethodV1.BILINEAR,
                             align_corners=False):
    return _resize_image_with_pad_common(
        image, target_height, target_width,
        lambda im, size: resize_images(im, size, method, align_corners=align_corners))


def resize_image_with_pad_v2(image, target_height, target_width, method=ResizeMethod.BILINEAR,
                             antialias=False):
    return _resize_image_with_pad_common(
        image, target_height, target_width,
        lambda im, size: resize_images_v2(im, size, method, antialias=antialias))
