# SPDX-License-Identifier: Apache-2.0
"""Colours, contrast, types and files of images. Part of image_ops_impl."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_image_ops
from leat.python.ops import math_ops
from leat.python.ops import random_ops
from leat.python.ops.image_checks import _AssertAtLeast3DImage, _AssertGrayscaleImage, _flow


def per_image_standardization(image):
    """Each image moved and scaled to mean 0 and deviation 1."""
    with ops.name_scope(None, 'per_image_standardization', [image]) as scope:
        image = ops.convert_to_tensor(image, name='image')
        image = _AssertAtLeast3DImage(image)
        image, original = _as_float(image)
        count = math_ops.reduce_prod(array_ops.shape(image)[-3:])
        mean = math_ops.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        stddev = math_ops.reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        least = math_ops.rsqrt(math_ops.cast(count, image.dtype))
        adjusted = math_ops.maximum(stddev, least)
        image = math_ops.div(image - mean, adjusted, name=scope)
        return convert_image_dtype(image, original, saturate=True)


# ---- brightness and contrast ----

def random_brightness(image, max_delta, seed=None):
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    delta = random_ops.random_uniform([], -max_delta, max_delta, seed=seed)
    return adjust_brightness(image, delta)


def random_contrast(image, lower, upper, seed=None):
    if upper <= lower:
        raise ValueError('upper must be > lower.')
    if lower < 0:
        raise ValueError('lower must be non-negative.')
    factor = random_ops.random_uniform([], lower, upper, seed=seed)
    return adjust_contrast(image, factor)


def _as_float(image):
    """(the image as floating numbers, its own type)."""
    original = image.dtype
    if original in (dtypes.float16, dtypes.float32):
        return image, original
    return convert_image_dtype(image, dtypes.float32), original


def adjust_brightness(image, delta):
    """delta added, on a scale of 0 to 1."""
    with ops.name_scope(None, 'adjust_brightness', [image, delta]) as name:
        image = ops.convert_to_tensor(image, name='image')
        values, original = _as_float(image)
        adjusted = math_ops.add(values, math_ops.cast(delta, values.dtype), name=name)
        return convert_image_dtype(adjusted, original, saturate=True)


def adjust_contrast(images, contrast_factor):
    """The distance from each channel's mean scaled."""
    with ops.name_scope(None, 'adjust_contrast', [images, contrast_factor]) as name:
        images = ops.convert_to_tensor(images, name='images')
        values, original = _as_float(images)
        adjusted = gen_image_ops.adjust_contrastv2(values, contrast_factor=contrast_factor,
                                                   name=name)
        return convert_image_dtype(adjusted, original, saturate=True)


def adjust_gamma(image, gamma=1, gain=1):
    """gain * image ** gamma."""
    with ops.name_scope(None, 'adjust_gamma', [image, gamma, gain]):
        image = ops.convert_to_tensor(image, name='image')
        values, original = _as_float(image)
        if isinstance(gamma, ops.Tensor):
            check = _flow().Assert(gamma >= 0, ['Gamma should be a non-negative real number.'])
            gamma = _flow().with_dependencies([check], gamma)
        elif gamma < 0:
            raise ValueError('Gamma should be a non-negative real number.')
        return convert_image_dtype(gain * values ** gamma, original, saturate=True)


# ---- types ----

def convert_image_dtype(image, dtype, saturate=False, name=None):
    """Another type, the values on its scale: floating ones go from 0 to 1."""
    image = ops.convert_to_tensor(image, name='image')
    dtype = dtypes.as_dtype(dtype)
    if dtype == image.dtype:
        return array_ops.identity(image, name=name)
    with ops.name_scope(name, 'convert_image', [image]) as name:
        if image.dtype.is_integer and dtype.is_integer:
            return _between_integers(image, dtype, saturate, name)
        if image.dtype.is_floating and dtype.is_floating:
            return math_ops.cast(image, dtype, name=name)
        if image.dtype.is_integer:
            return math_ops.multiply(math_ops.cast(image, dtype), 1. / image.dtype.max,
                                     name=name)
        scaled = math_ops.multiply(image, dtype.max + 0.5)
        if saturate:
            return math_ops.saturate_cast(scaled, dtype, name=name)
        return math_ops.cast(scaled, dtype, name=name)


def _between_integers(image, dtype, saturate, name):
    scale_in, scale_out = image.dtype.max, dtype.max
    if scale_in > scale_out:
        scaled = math_ops.div(image, (scale_in + 1) // (scale_out + 1))
        if saturate:
            return math_ops.saturate_cast(scaled, dtype, name=name)
        return math_ops.cast(scaled, dtype, name=name)
    values = math_ops.saturate_cast(image, dtype) if saturate else math_ops.cast(image, dtype)
    return math_ops.multiply(values, (scale_out + 1) // (scale_in + 1), name=name)


# ---- colours ----

def rgb_to_grayscale(images, name=None):
    """The brightness that eyes see."""
    with ops.name_scope(name, 'rgb_to_grayscale', [images]) as name:
        images = ops.convert_to_tensor(images, name='images')
        original = images.dtype
        values = convert_image_dtype(images, dtypes.float32)
        gray = math_ops.tensordot(values, [0.2989, 0.5870, 0.1140], [-1, -1])
        gray = array_ops.expand_dims(gray, -1)
        return convert_image_dtype(gray, original, name=name)


def grayscale_to_rgb(images, name=None):
    """Three channels alike."""
    with ops.name_scope(name, 'grayscale_to_rgb', [images]) as name:
        images = _AssertGrayscaleImage(images)
        images = ops.convert_to_tensor(images, name='images')
        outer = array_ops.expand_dims(array_ops.rank(images) - 1, 0)
        ones = array_ops.ones(outer, dtype=dtypes.int32)
        multiples = array_ops.concat([ones, array_ops.expand_dims(3, 0)], 0)
        rgb = array_ops.tile(images, multiples, name=name)
        rgb.set_shape(images.get_shape()[:-1].concatenate([3]))
        return rgb


def random_hue(image, max_delta, seed=None):
    if max_delta > 0.5:
        raise ValueError('max_delta must be <= 0.5.')
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    delta = random_ops.random_uniform([], -max_delta, max_delta, seed=seed)
    return adjust_hue(image, delta)


def adjust_hue(image, delta, name=None):
    """The hue turned by delta, on a scale of -1 to 1."""
    with ops.name_scope(name, 'adjust_hue', [image]) as name:
        image = ops.convert_to_tensor(image, name='image')
        values, original = _as_float(image)
        return convert_image_dtype(gen_image_ops.adjust_hue(values, delta), original)


def random_saturation(image, lower, upper, seed=None):
    if upper <= lower:
        raise ValueError('upper must be > lower.')
    if lower < 0:
        raise ValueError('lower must be non-negative.')
    factor = random_ops.random_uniform([], lower, upper, seed=seed)
    return adjust_saturation(image, factor)


def adjust_saturation(image, saturation_factor, name=None):
    """The saturation scaled."""
    with ops.name_scope(name, 'adjust_saturation', [image]) as name:
        image = ops.convert_to_tensor(image, name='image')
        values, original = _as_float(image)
        return convert_image_dtype(gen_image_ops.adjust_saturation(values, saturation_factor),
                                   original)


_TO_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617],
           [0.114, -0.32134392, 0.31119955]]
_FROM_YIQ = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021],
             [0.6208248, -0.64720424, 1.70423049]]
_TO_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512],
           [0.114, 0.43601035, -0.10001026]]
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def _by_matrix(images, matrix):
    """Each pixel times a matrix."""
    images = ops.convert_to_tensor(images, name='images')
    kernel = ops.convert_to_tensor(matrix, dtype=images.dtype, name='kernel')
    return math_ops.tensordot(images, kernel, axes=[[images.get_shape().ndims - 1], [0]])


def rgb_to_yiq(images):
    return _by_matrix(images, _TO_YIQ)


def yiq_to_rgb(images):
    return _by_matrix(images, _FROM_YIQ)


def rgb_to_yuv(images):
    return _by_matrix(images, _TO_YUV)


def yuv_to_rgb(images):
    return _by_matrix(images, _FROM_YUV)


# ---- files ----

def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    if min_jpeg_quality < 0 or max_jpeg_quality < 0 or min_jpeg_quality > 100 or \
            max_jpeg_quality > 100:
        raise ValueError('jpeg encoding range must be between 0 and 100.')
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError('`min_jpeg_quality` must be less than `max_jpeg_quality`.')
    quality = random_ops.random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed,
                                        dtype=dtypes.int32)
    return adjust_jpeg_quality(image, quality)


def adjust_jpeg_quality(image, jpeg_quality, name=None):
    """What the image would be after it was written as a JPEG file."""
    with ops.name_scope(name, 'adjust_jpeg_quality', [image]) as name:
        image = ops.convert_to_tensor(image, name='image')
        original = image.dtype
        values = convert_image_dtype(image, dtypes.uint8)
        if not isinstance(jpeg_quality, ops.Tensor):
            jpeg_quality = ops.convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
        written = gen_image_ops.encode_jpeg_variable_quality(values, jpeg_quality)
        return convert_image_dtype(gen_image_ops.decode_jpeg(written), original)

