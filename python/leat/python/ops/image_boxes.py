# SPDX-License-Identifier: Apache-2.0
"""Boxes in images. Part of image_ops_impl."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import random_seed
from leat.python.ops import gen_image_ops
from leat.python.util import deprecation

_NEG_INF = float('-inf')


def sample_distorted_bounding_box(image_size, bounding_boxes, seed=None, seed2=None,
                                  min_object_covered=0.1, aspect_ratio_range=None,
                                  area_range=None, max_attempts=None,
                                  use_image_if_no_bounding_boxes=None, name=None):
    """A random box that covers enough of some box."""
    with ops.name_scope(name, 'sample_distorted_bounding_box'):
        return gen_image_ops.sample_distorted_bounding_box_v2(
            image_size, bounding_boxes, seed=seed, seed2=seed2,
            min_object_covered=min_object_covered, aspect_ratio_range=aspect_ratio_range,
            area_range=area_range, max_attempts=max_attempts,
            use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes, name=name)


def sample_distorted_bounding_box_v2(image_size, bounding_boxes, seed=0, min_object_covered=0.1,
                                     aspect_ratio_range=None, area_range=None, max_attempts=None,
                                     use_image_if_no_bounding_boxes=None, name=None):
    seed1, seed2 = random_seed.get_seed(seed) if seed else (0, 0)
    return sample_distorted_bounding_box(image_size, bounding_boxes, seed1, seed2,
                                         min_object_covered, aspect_ratio_range, area_range,
                                         max_attempts, use_image_if_no_bounding_boxes, name)


def _thresholds(iou, score):
    return (ops.convert_to_tensor(iou, dtypes.float32, name='iou_threshold'),
            ops.convert_to_tensor(score, dtypes.float32, name='score_threshold'))


def non_max_suppression(boxes, scores, max_output_size, iou_threshold=0.5,
                        score_threshold=_NEG_INF, name=None):
    """The boxes of the highest scores that do not overlap a better one."""
    with ops.name_scope(name, 'non_max_suppression'):
        iou, score = _thresholds(iou_threshold, score_threshold)
        return gen_image_ops.non_max_suppression_v3(boxes, scores, max_output_size, iou, score)


def non_max_suppression_with_scores(boxes, scores, max_output_size, iou_threshold=0.5,
                                    score_threshold=_NEG_INF, soft_nms_sigma=0.0, name=None):
    with ops.name_scope(name, 'non_max_suppression_with_scores'):
        iou, score = _thresholds(iou_threshold, score_threshold)
        sigma = ops.convert_to_tensor(soft_nms_sigma, dtypes.float32, name='soft_nms_sigma')
        indices, chosen, _ = gen_image_ops.non_max_suppression_v5(
            boxes, scores, max_output_size, iou, score, sigma, pad_to_max_output_size=False)
        return indices, chosen


def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5,
                               score_threshold=_NEG_INF, pad_to_max_output_size=False, name=None):
    with ops.name_scope(name, 'non_max_suppression_padded'):
        iou, score = _thresholds(iou_threshold, score_threshold)
        return gen_image_ops.non_max_suppression_v4(boxes, scores, max_output_size, iou, score,
                                                    pad_to_max_output_size)


def non_max_suppression_with_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5,
                                      score_threshold=_NEG_INF, name=None):
    with ops.name_scope(name, 'non_max_suppression_overlaps'):
        threshold = ops.convert_to_tensor(overlap_threshold, dtypes.float32,
                                          name='overlap_threshold')
        return gen_image_ops.non_max_suppression_with_overlaps(
            overlaps, scores, max_output_size, threshold, score_threshold)


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size,
                                 iou_threshold=0.5, score_threshold=_NEG_INF, pad_per_class=False,
                                 clip_boxes=True, name=None):
    with ops.name_scope(name, 'combined_non_max_suppression'):
        iou, score = _thresholds(iou_threshold, score_threshold)
        return gen_image_ops.combined_non_max_suppression(
            boxes, scores, max_output_size_per_class, max_total_size, iou, score, pad_per_class,
            clip_boxes)


def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """Images with boxes drawn on them."""
    return draw_bounding_boxes_v2(images, boxes, colors, name)


def draw_bounding_boxes_v2(images, boxes, colors, name=None):
    if colors is None:
        return gen_image_ops.draw_bounding_boxes(images, boxes, name)
    return gen_image_ops.draw_bounding_boxes_v2(images, boxes, colors, name)


def crop_and_resize_v1(image, boxes, box_ind=None, crop_size=None, method='bilinear',
                       extrapolation_value=0, name=None, box_indices=None):
    """The pieces of images in boxes, in one size."""
    box_ind = deprecation.deprecated_argument_lookup('box_indices', box_indices, 'box_ind',
                                                     box_ind)
    return gen_image_ops.crop_and_resize(image, boxes, box_ind, crop_size, method,
                                         extrapolation_value, name)


def crop_and_resize_v2(image, boxes, box_indices, crop_size, method='bilinear',
                       extrapolation_value=0, name=None):
    return gen_image_ops.crop_and_resize(image, boxes, box_indices, crop_size, method,
                                         extrapolation_value, name)


def extract_glimpse(input, size, offsets, centered=True, normalized=True, uniform_noise=True,
                    name=None):
    """A window of each image about an offset."""
    return gen_image_ops.extract_glimpse(
        input=input, size=size, offsets=offsets, centered=centered, normalized=normalized,
        uniform_noise=uniform_noise, name=name)
