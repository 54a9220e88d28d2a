# SPDX-License-Identifier: Apache-2.0
"""How images differ, and how much they vary. Part of image_ops_impl."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn
from leat.python.ops import nn_ops
from leat.python.ops.image_checks import _flow
from leat.python.ops.image_color import convert_image_dtype

_MSSSIM_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def total_variation(images, name=None):
    """The sum of differences of neighbours."""
    with ops.name_scope(name, 'total_variation'):
        ndims = images.get_shape().ndims
        if ndims == 3:
            rows = images[1:, :, :] - images[:-1, :, :]
            columns = images[:, 1:, :] - images[:, :-1, :]
            axes = None
        elif ndims == 4:
            rows = images[:, 1:, :, :] - images[:, :-1, :, :]
            columns = images[:, :, 1:, :] - images[:, :, :-1, :]
            axes = [1, 2, 3]
        else:
            raise ValueError('\'images\' must be either 3 or 4-dimensional.')
        return math_ops.reduce_sum(math_ops.abs(rows), axis=axes) + math_ops.reduce_sum(
            math_ops.abs(columns), axis=axes)


def _verify_compatible_image_shapes(img1, img2):
    """(shape of the one, of the other, checks that they are of one size)."""
    first = img1.get_shape().with_rank_at_least(3)
    second = img2.get_shape().with_rank_at_least(3)
    first[-3:].assert_is_compatible_with(second[-3:])
    if first.ndims is not None and second.ndims is not None:
        for a, b in zip(reversed(first.as_list()[:-3]), reversed(second.as_list()[:-3])):
            if not (a in (None, 1) or b in (None, 1) or a == b):
                raise ValueError('Two images are not compatible: {} and {}'.format(first,
                                                                                   second))
    shape1, shape2 = array_ops.shape_n([img1, img2])
    checks = [
        _flow().Assert(math_ops.greater_equal(array_ops.size(shape1), 3), [shape1, shape2],
                       summarize=10),
        _flow().Assert(math_ops.reduce_all(math_ops.equal(shape1[-3:], shape2[-3:])),
                       [shape1, shape2], summarize=10)]
    return shape1, shape2, checks


def psnr(a, b, max_val, name=None):
    """The peak of the signal over the noise, in decibels."""
    with ops.name_scope(name, 'PSNR', [a, b]):
        max_val = convert_image_dtype(math_ops.cast(max_val, a.dtype), dtypes.float32)
        a = convert_image_dtype(a, dtypes.float32)
        b = convert_image_dtype(b, dtypes.float32)
        mse = math_ops.reduce_mean(math_ops.squared_difference(a, b), [-3, -2, -1])
        value = math_ops.subtract(
            20 * math_ops.log(max_val) / math_ops.log(10.0),
            np.float32(10 / np.log(10)) * math_ops.log(mse), name='psnr')
        _, _, checks = _verify_compatible_image_shapes(a, b)
        with ops.control_dependencies(checks):
            return array_ops.identity(value)


def _ssim_helper(x, y, reducer, max_val, compensation=1.0, k1=0.01, k2=0.03):
    """(luminance, contrast and structure) of windows."""
    c1 = (k1 * max_val) ** 2
    c2 = (k2 * max_val) ** 2
    mean0, mean1 = reducer(x), reducer(y)
    num0 = mean0 * mean1 * 2.0
    den0 = math_ops.square(mean0) + math_ops.square(mean1)
    luminance = (num0 + c1) / (den0 + c1)
    num1 = reducer(x * y) * 2.0
    den1 = reducer(math_ops.square(x) + math_ops.square(y))
    c2 *= compensation
    return luminance, (num1 - num0 + c2) / (den1 - den0 + c2)


def _fspecial_gauss(size, sigma):
    """A window of a Gaussian, its sum 1."""
    size = ops.convert_to_tensor(size, dtypes.int32)
    sigma = ops.convert_to_tensor(sigma)
    coords = math_ops.cast(math_ops.range(size), sigma.dtype)
    coords -= math_ops.cast(size - 1, sigma.dtype) / 2.0
    g = math_ops.square(coords)
    g *= -0.5 / math_ops.square(sigma)
    g = array_ops.reshape(g, shape=[1, -1]) + array_ops.reshape(g, shape=[-1, 1])
    g = nn_ops.softmax(array_ops.reshape(g, shape=[1, -1]))
    return array_ops.reshape(g, shape=[size, size, 1, 1])


def _ssim_per_channel(img1, img2, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01,
                      k2=0.03):
    """(the index, its part of contrast and structure) of each channel."""
    filter_size = constant_op.constant(filter_size, dtype=dtypes.int32)
    filter_sigma = constant_op.constant(filter_sigma, dtype=img1.dtype)
    shape1, shape2 = array_ops.shape_n([img1, img2])
    checks = [
        _flow().Assert(math_ops.reduce_all(math_ops.greater_equal(shape1[-3:-1], filter_size)),
                       [shape1, filter_size], summarize=8),
        _flow().Assert(math_ops.reduce_all(math_ops.greater_equal(shape2[-3:-1], filter_size)),
                       [shape2, filter_size], summarize=8)]
    with ops.control_dependencies(checks):
        img1 = array_ops.identity(img1)
    kernel = _fspecial_gauss(filter_size, filter_sigma)
    kernel = array_ops.tile(kernel, multiples=[1, 1, shape1[-1], 1])

    def reducer(x):
        shape = array_ops.shape(x)
        x = array_ops.reshape(x, shape=array_ops.concat([[-1], shape[-3:]], 0))
        y = nn.depthwise_conv2d(x, kernel, strides=[1, 1, 1, 1], padding='VALID')
        return array_ops.reshape(y, array_ops.concat([shape[:-3], array_ops.shape(y)[1:]], 0))

    luminance, cs = _ssim_helper(img1, img2, reducer, max_val, 1.0, k1, k2)
    axes = constant_op.constant([-3, -2], dtype=dtypes.int32)
    return math_ops.reduce_mean(luminance * cs, axes), math_ops.reduce_mean(cs, axes)


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity of images."""
    _, _, checks = _verify_compatible_image_shapes(img1, img2)
    with ops.control_dependencies(checks):
        img1 = array_ops.identity(img1)
    max_val = convert_image_dtype(math_ops.cast(max_val, img1.dtype), dtypes.float32)
    img1 = convert_image_dtype(img1, dtypes.float32)
    img2 = convert_image_dtype(img2, dtypes.float32)
    per_channel, _ = _ssim_per_channel(img1, img2, max_val, filter_size, filter_sigma, k1, k2)
    return math_ops.reduce_mean(per_channel, [-1])


def _halved(img):
    """The mean of blocks of two by two; the last row and column are repeated when odd."""
    shape = array_ops.shape(img)
    flat = array_ops.reshape(img, array_ops.concat([[-1], shape[-3:]], 0))
    odd = shape[-3:-1] % 2
    paddings = array_ops.stack([[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]])
    flat = array_ops.pad(flat, paddings, mode='SYMMETRIC')
    pooled = nn_ops.avg_pool(flat, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID')
    return array_ops.reshape(pooled, array_ops.concat(
        [shape[:-3], array_ops.shape(pooled)[1:]], 0))


def ssim_multiscale(img1, img2, max_val, power_factors=_MSSSIM_WEIGHTS, filter_size=11,
                    filter_sigma=1.5, k1=0.01, k2=0.03):
    """The structural similarity over several scales."""
    with ops.name_scope(None, 'MS-SSIM', [img1, img2]):
        _, _, checks = _verify_compatible_image_shapes(img1, img2)
        with ops.control_dependencies(checks):
            img1 = array_ops.identity(img1)
        max_val = convert_image_dtype(math_ops.cast(max_val, img1.dtype), dtypes.float32)
        images = [convert_image_dtype(img1, dtypes.float32),
                  convert_image_dtype(img2, dtypes.float32)]
        contrasts = []
        for k in range(len(power_factors)):
            with ops.name_scope(None, 'Scale%d' % k, images):
                if k > 0:
                    images = [_halved(x) for x in images]
                per_channel, cs = _ssim_per_channel(images[0], images[1], max_val, filter_size,
                                                    filter_sigma, k1, k2)
                contrasts.append(nn_ops.relu(cs))
        contrasts.pop()
        both = array_ops.stack(contrasts + [nn_ops.relu(per_channel)], axis=-1)
        return math_ops.reduce_mean(
            math_ops.reduce_prod(math_ops.pow(both, power_factors), [-1]), [-1])


def image_gradients(image):
    """(differences down, differences to the right)."""
    if image.get_shape().ndims != 4:
        raise ValueError('image_gradients expects a 4D tensor [batch_size, h, w, d], not %s.',
                         image.get_shape())
    shape = array_ops.shape(image)
    batch, height, width, depth = array_ops.unstack(shape)
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]
    dy = array_ops.concat([dy, array_ops.zeros(array_ops.stack([batch, 1, width, depth]),
                                               image.dtype)], 1)
    dy = array_ops.reshape(dy, shape)
    dx = array_ops.concat([dx, array_ops.zeros(array_ops.stack([batch, height, 1, depth]),
                                               image.dtype)], 2)
    return dy, array_ops.reshape(dx, shape)


def sobel_edges(image):
    """Sobel's estimates of the gradients down and to the right."""
    static = image.get_shape()
    shape = array_ops.shape(image)
    kernels = np.asarray([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]],
                          [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])
    kernels = np.expand_dims(np.transpose(kernels, (1, 2, 0)), -2)
    kernels = constant_op.constant(kernels, dtype=dtypes.float32)
    kernels = array_ops.tile(kernels, [1, 1, shape[-1], 1], name='sobel_filters')
    padded = array_ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode='REFLECT')
    output = nn.depthwise_conv2d(padded, kernels, [1, 1, 1, 1], 'VALID')
    output = array_ops.reshape(output, shape=array_ops.concat([shape, [2]], 0))
    output.set_shape(static.concatenate([2]))
    return output
