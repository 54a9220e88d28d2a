# SPDX-License-Identifier: Apache-2.0
"""Cases of ops on images that boxes, windows and random draws choose parts of."""
import numpy as np

from values import array, is_real, pick

F = np.float32


def i32(*values):
    return np.array(values if len(values) != 1 else values[0], np.int32)


def boxes_of(rng, t, n):
    """Corners in any order, near to each other now and then, none without an area."""
    base = rng.rand(max(n // 2, 1), 2)
    at = base[rng.randint(len(base), size=n)] if n else np.zeros((0, 2))
    sides = rng.uniform(0.2, 0.6, size=(n, 2)) * rng.choice([-1, 1], size=(n, 2))
    at = at + rng.uniform(-0.1, 0.1, size=(n, 2))
    return np.concatenate([at, at + sides], axis=1).astype(t)


def non_max(op, rng, types):
    t = pick(rng, types(op, 'T')) if op[-2:] in ('V2', 'V3', 'V4', 'V5') else F
    n = rng.randint(0, 12)
    scores = rng.permutation(n + 1)[:n].astype(t) / 8
    if n > 2 and rng.rand() < 0.3:
        scores[1] = scores[0]
    inputs = [('boxes', boxes_of(rng, t, n)), ('scores', scores),
              ('max_output_size', i32(rng.randint(0, 12)))]
    attrs = {}
    threshold = np.array(rng.uniform(0.1, 0.9) if rng.rand() < 0.95 else 1.5)
    if op == 'NonMaxSuppression':
        attrs['iou_threshold'] = float(threshold)
    else:
        inputs.append(('iou_threshold', threshold.astype(t)))
    if op[-2:] in ('V3', 'V4', 'V5'):
        inputs.append(('score_threshold', np.array(rng.uniform(-0.5, 0.5), t)))
    if op.endswith('V5'):
        inputs.append(('soft_nms_sigma', np.array(pick(rng, [0, 0.3, 0.8]), t)))
    if op[-2:] in ('V4', 'V5'):
        attrs['pad_to_max_output_size'] = bool(rng.rand() < 0.5)
    return inputs, attrs, False


def overlaps(op, rng, types):
    n = rng.randint(1, 8)
    known = rng.rand(n, n).astype(F)
    np.fill_diagonal(known, 1)
    return [('overlaps', known), ('scores', rng.permutation(n).astype(F)), ('max_output_size', i32(rng.randint(0, 9))),
            ('overlap_threshold', np.array(rng.uniform(0.1, 0.95), F)),
            ('score_threshold', np.array(0.5, F))], {}, False


def combined(op, rng, types):
    b, n, c = rng.randint(0, 3), rng.randint(0, 6), rng.randint(1, 4)
    q = pick(rng, [1, c])
    boxes = np.stack([boxes_of(rng, F, n * q).reshape(n, q, 4) for _ in range(b)]) if b else np.zeros((0, n, q, 4), F)
    scores = (rng.permutation(b * n * c).reshape(b, n, c) / F(20)).astype(F)
    return [('boxes', boxes), ('scores', scores), ('max_output_size_per_class', i32(rng.randint(1, 5))),
            ('max_total_size', i32(rng.randint(0 if rng.rand() < 0.1 else 1, 9))),
            ('iou_threshold', np.array(rng.uniform(0.1, 0.9), F)), ('score_threshold', np.array(0.3, F))], \
        {'pad_per_class': bool(rng.rand() < 0.5), 'clip_boxes': bool(rng.rand() < 0.5)}, False


def crop(op, rng, types):
    t = pick(rng, types(op, 'T'))
    b, h, w, c, m, n = (int(d) for d in rng.randint(1, 6, size=6))
    k = rng.randint(0, 4)
    method = 'bilinear' if op.endswith('Boxes') else pick(rng, ['bilinear', 'nearest'])
    corners = rng.uniform(-0.2, 1.2, size=(k, 4)).astype(F)
    of = rng.randint(0, b + (rng.rand() < 0.05), size=k).astype(np.int32)
    image, grads = ('image', array(rng, t, (b, h, w, c))), ('grads', array(rng, F, (k, m, n, c)))
    if op == 'CropAndResizeGradImage':
        return [grads, ('boxes', corners), ('box_ind', of), ('image_size', i32(b, h, w, c))], \
            {'T': t, 'method': method}, False
    if op == 'CropAndResizeGradBoxes':
        return [grads, image, ('boxes', corners), ('box_ind', of)], {}, False
    return [image, ('boxes', corners), ('box_ind', of), ('crop_size', i32(m, n))], \
        {'method': method, 'extrapolation_value': 0.5}, t == F and method == 'bilinear', 1, {'once': True}


def draw(op, rng, types):
    t = F   # DIFFERENCES: drawing in half
    b, n = (int(d) for d in rng.randint(0, 4, size=2))
    h, w = (int(d) for d in rng.randint(1, 7, size=2))
    c = pick(rng, [1, 3, 4, 2] if rng.rand() < 0.1 else [1, 3, 4])
    inputs = [('images', array(rng, t, (b, h, w, c), 0, 1)),
              ('boxes', rng.uniform(-0.3, 1.3, size=(b, n, 4)).astype(F))]
    if op.endswith('V2'):
        inputs.append(('colors', array(rng, F, (rng.randint(0, 3), 4), 0, 1)))
    return inputs, {}, False


def sample(op, rng, types):
    t = pick(rng, types(op, 'T'))
    low = rng.uniform(0, 0.6, size=(1, rng.randint(0, 4), 2))
    boxes = np.concatenate([low, low + rng.uniform(0, 0.4, size=low.shape)], axis=2).astype(F)
    attrs = {'seed': int(rng.randint(1, 99)), 'seed2': int(rng.randint(99)), 'max_attempts': int(rng.randint(1, 30)),
             'use_image_if_no_bounding_boxes': bool(rng.rand() < 0.8),
             'area_range': [0.05 + rng.rand() / 4, 0.4 + rng.rand() * 0.6],
             'aspect_ratio_range': [0.3 + rng.rand(), 0.7 + rng.rand() * 2]}
    covered = float(F(rng.rand()))
    inputs = [('image_size', np.append(rng.randint(1, 120, size=2), 3).astype(t)), ('bounding_boxes', boxes)]
    if op.endswith('V2'):
        inputs.append(('min_object_covered', np.array(covered, F)))
    else:
        attrs['min_object_covered'] = covered
    return inputs, attrs, False, 3


def resized(op, rng, types):
    t = pick(rng, types(op, 'T'))
    b, h, w, c, m, n = (int(d) for d in rng.randint(1, 8, size=6))
    attrs = pick(rng, [{}, {'align_corners': True}] + [{'half_pixel_centers': True}] * ('Bicubic' in op))
    if op.endswith('Grad'):
        return [('grads', array(rng, F, (b, m, n, c))), ('original_image', array(rng, t, (b, h, w, c)))], attrs, False
    b = 0 if rng.rand() < 0.05 else b
    return [('images', array(rng, t, (b, h, w, c))), ('size', i32(m, n))], attrs, \
        t in (F, np.float64) and 'Bicubic' in op and b > 0, 1, {'once': True}


KERNELS = ['lanczos1', 'lanczos3', 'lanczos5', 'gaussian', 'box', 'triangle', 'keyscubic', 'mitchellcubic']


def scaled(op, rng, types):
    t = pick(rng, types(op, 'T'))
    b, h, w, c, m, n = (int(d) for d in rng.randint(1, 8, size=6))
    attrs = {'kernel_type': pick(rng, KERNELS), 'antialias': bool(rng.rand() < 0.5)}
    how = [('scale', rng.uniform(0.3, 3, size=2).astype(F)), ('translation', rng.uniform(-2, 2, size=2).astype(F))]
    if op.endswith('Grad'):
        return [('grads', array(rng, F, (b, m, n, c))), ('original_image', array(rng, t, (b, h, w, c)))] + how, \
            attrs, False
    return [('images', array(rng, t, (b, h, w, c))), ('size', i32(m, n))] + how, attrs, t == F, 1, {'once': True}


def patches(op, rng, types):
    t = pick(rng, types(op, 'T'))
    dims = [int(d) for d in rng.randint(1, 7, size=4 if 'Image' in op else 5)]
    dims[0] = 0 if rng.rand() < 0.05 else dims[0]
    attrs = {'padding': pick(rng, ['SAME', 'VALID'])}
    for name, most in (('ksizes', 4), ('strides', 4), ('rates', 3))[:3 if 'Image' in op else 2]:
        attrs[name] = [1] + [int(k) for k in rng.randint(1, most, size=len(dims) - 2)] + [1]
    return [('images' if 'Image' in op else 'input', array(rng, t, tuple(dims), special=is_real(t) and rng.rand() < 0.1))], \
        attrs, t in (F, np.float64) and min(dims) > 0, 1, \
        {'once': True, 'unshaped': 'Volume' in op}


def glimpse(op, rng, types):
    b, h, w, c, m, n = (int(d) for d in rng.randint(1, 6, size=6))
    b = 0 if rng.rand() < 0.1 else b
    return [('input', array(rng, F, (b, h, w, c))), ('size', i32(m, n)), ('offsets', array(rng, F, (b, 2), -1.5, 1.5))], \
        {'centered': bool(rng.rand() < 0.5), 'normalized': bool(rng.rand() < 0.5), 'uniform_noise': False,
         'noise': 'zero'}, False


def contrast(op, rng, types):
    t = pick(rng, types(op, 'T'))
    dims = tuple(int(d) for d in rng.randint(1, 6, size=pick(rng, [3, 4])))
    return [('images', array(rng, t, dims)), ('contrast_factor', np.array(rng.uniform(0, 2), F)),
            ('min_value', np.array(-2, F)), ('max_value', np.array(2.5, F))], {}, False, 1, {'producer': 1}


def random_crop(op, rng, types):
    t = pick(rng, types(op, 'T'))
    h, w, c = (int(d) for d in rng.randint(1, 9, size=3))
    size = np.array([rng.randint(1, h + 1), rng.randint(1, w + 1 + (rng.rand() < 0.1))], np.int64)
    return [('image', array(rng, t, (h, w, c))), ('size', size)], \
        {'seed': int(rng.randint(1, 99)), 'seed2': int(rng.randint(99))}, False, 3, {'producer': 7}


GENERATORS = {
    'CombinedNonMaxSuppression': combined, 'NonMaxSuppressionWithOverlaps': overlaps,
    'CropAndResize': crop, 'CropAndResizeGradBoxes': crop, 'CropAndResizeGradImage': crop,
    'DrawBoundingBoxes': draw, 'DrawBoundingBoxesV2': draw,
    'SampleDistortedBoundingBox': sample, 'SampleDistortedBoundingBoxV2': sample,
    'ResizeArea': resized, 'ResizeBicubic': resized, 'ResizeBicubicGrad': resized,
    'ScaleAndTranslate': scaled, 'ScaleAndTranslateGrad': scaled,
    'ExtractImagePatches': patches, 'ExtractVolumePatches': patches, 'ExtractGlimpse': glimpse,
    'AdjustContrast': contrast, 'RandomCrop': random_crop,
}
GENERATORS.update({'NonMaxSuppression' + v: non_max for v in ('', 'V2', 'V3', 'V4', 'V5')})
