/* SPDX-License-Identifier: Apache-2.0 */
/* NonMaxSuppression, its versions, and the one that is told how boxes overlap. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "op/infer.h"
#include "ops/image/suppress.h"

/* What the versions take and give besides boxes, scores, the number and its threshold. */
struct version {
    bool score_threshold, sigma, scores, count;
};

static bool check_inputs(const struct kctx *c, bool square, struct status *st)
{
    const struct tensor *a = kernel_in(c, 0), *scores = kernel_in(c, 1), *most = kernel_in(c, 2);
    if (tensor_rank(most) != 0)
        return status_bad_shape(st, "max_output_size must be 0-D, got shape ", &most->shape);
    if (tensor_rank(a) != 2)
        return status_bad_shape(st, square ? "overlaps must be 2-D" : "boxes must be 2-D",
                                &a->shape);
    int64_t n = tensor_dim(a, 0);
    if (n > INT32_MAX)
        return status_invalid(st, "too many boxes: %lld", (long long)n);
    if (square && tensor_dim(a, 1) != n)
        return status_bad_shape(st, "overlaps must be square", &a->shape);
    if (!square && tensor_dim(a, 1) != 4)
        return status_invalid(st, "boxes must have 4 columns");
    if (tensor_rank(scores) != 1)
        return status_bad_shape(st, "scores must be 1-D", &scores->shape);
    return tensor_dim(scores, 0) == n || status_invalid(st, "scores has incompatible shape");
}

/* Thresholds: by input, or by the attr of the first version. */
static bool get_thresholds(struct kctx *c, const struct version *v, struct suppress *s,
                           struct status *st)
{
    s->score_threshold = s->half ? -65504.0f : -FLT_MAX;
    if (kernel_num_inputs(c) == 3)
        s->threshold = attrs_float(kernel_attrs(c), "iou_threshold");
    else if (!kernel_scalar_float(c, 3, "iou_threshold", &s->threshold, st))
        return false;
    if (!(s->threshold >= 0 && s->threshold <= 1))
        return status_invalid(st, "iou_threshold must be in [0, 1]");
    if (v->score_threshold &&
        !kernel_scalar_float(c, 4, "score_threshold", &s->score_threshold, st))
        return false;
    if (v->sigma && !kernel_scalar_float(c, 5, "soft_nms_sigma", &s->sigma, st))
        return false;
    return s->sigma >= 0 || status_invalid(st, "soft_nms_sigma_val must be >= 0");
}

/* Chosen items as output 0, filled up with zeros to `size` where that is more; likewise scores. */
static bool put_chosen(struct kctx *c, const struct chosen *k, int64_t size, bool scores,
                       struct status *st)
{
    struct shape s = shape_1(max_i64(k->n, size));
    struct tensor *items = kernel_out(c, 0, &s, st);
    struct tensor *values = items && scores ? kernel_out(c, 1, &s, st) : NULL;
    if (!items || (scores && !values))
        return false;
    if (items->num_elems)
        memset(items->data, 0, tensor_bytes(items));
    if (scores && values->num_elems)
        memset(values->data, 0, tensor_bytes(values));
    for (int64_t i = 0; i < k->n; i++)
        tensor_i32(items)[i] = k->items[min_i64(i, k->kept - 1)];
    if (scores)
        tensor_put_floats(values, k->scores, k->kept);
    for (int64_t i = k->kept; scores && i < k->n; i++)
        memcpy((char *)values->data + (size_t)i * dtype_size(values->dtype),
               (char *)values->data + (size_t)(k->kept - 1) * dtype_size(values->dtype),
               dtype_size(values->dtype));
    return true;
}

static bool choose(struct kctx *c, const struct suppress *s, struct chosen *k, struct status *st)
{
    if (!chosen_room(c, s->num, k, st))
        return false;
    suppress_choose(s, k);
    return true;
}

static bool run_version(struct kctx *c, const struct version *v, struct status *st)
{
    if (!check_inputs(c, false, st))
        return false;
    const struct tensor *boxes = kernel_in(c, 0), *scores = kernel_in(c, 1);
    struct suppress s = {.num = scores->num_elems, .half = scores->dtype == DT_HALF};
    s.most = tensor_i32(kernel_in(c, 2))[0];
    bool pad = attrs_bool(kernel_attrs(c), "pad_to_max_output_size");
    if (pad && s.most < 0)
        return status_invalid(st, "max_output_size must not be negative: %lld", (long long)s.most);
    if (!get_thresholds(c, v, &s, st))
        return false;
    struct boxes b = {kernel_floats(c, boxes, st), 4, s.half};
    s.scores = b.corners ? kernel_floats(c, scores, st) : NULL;
    s.alike = boxes_alike;
    s.arg = &b;
    struct chosen k = {0};
    if (!s.scores || !choose(c, &s, &k, st) || !put_chosen(c, &k, pad ? s.most : 0, v->scores, st))
        return false;
    if (v->count) {
        struct shape scalar = shape_scalar();
        struct tensor *count = kernel_out(c, v->scores ? 2 : 1, &scalar, st);
        if (!count)
            return false;
        tensor_i32(count)[0] = (int32_t)k.n;
    }
    return true;
}

static bool run_plain(struct kctx *c, struct status *st)
{
    return run_version(c, &(struct version){0}, st);
}
static bool run_v3(struct kctx *c, struct status *st)
{
    return run_version(c, &(struct version){.score_threshold = true}, st);
}
static bool run_v4(struct kctx *c, struct status *st)
{
    return run_version(c, &(struct version){.score_threshold = true, .count = true}, st);
}
static bool run_v5(struct kctx *c, struct status *st)
{
    return run_version(c, &(struct version){true, true, true, true}, st);
}

static float told_alike(const void *arg, int64_t i, int64_t j)
{
    const struct tensor *t = arg;
    return tensor_f32(t)[i * tensor_dim(t, 0) + j];
}

static bool run_overlaps(struct kctx *c, struct status *st)
{
    struct suppress s = {.alike = told_alike, .arg = kernel_in(c, 0)};
    struct chosen k = {0};
    if (!check_inputs(c, true, st) ||
        !kernel_scalar_float(c, 3, "overlap_threshold", &s.threshold, st) ||
        !kernel_scalar_float(c, 4, "score_threshold", &s.score_threshold, st))
        return false;
    s.most = tensor_i32(kernel_in(c, 2))[0];
    s.scores = tensor_f32(kernel_in(c, 1));
    s.num = kernel_in(c, 1)->num_elems;
    return choose(c, &s, &k, st) && put_chosen(c, &k, 0, false, st);
}

/* --- shapes --- */

static bool infer_checked(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *scores, *scalar;
    int64_t n;
    if (!infer_want_rank(c, infer_input(c, 0), 2, &a, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &scores, st))
        return false;
    for (int i = 2; i < infer_num_inputs(c); i++) {
        if (!infer_want_rank(c, infer_input(c, i), 0, &scalar, st))
            return false;
    }
    if (!infer_merge_dim(infer_dim(a, 0), infer_dim(scores, 0), &n, st))
        return false;
    infer_set(c, 0, infer_vector(c, DIM_UNKNOWN));
    return true;
}

static bool boxes_shape(struct infer_ctx *c, struct status *st)
{
    int64_t four;
    return infer_checked(c, st) && infer_want_dim(c, infer_dim(infer_input(c, 0), 1), 4, &four, st);
}

static bool overlaps_shape(struct infer_ctx *c, struct status *st)
{
    int64_t n;
    const struct shape *a = infer_input(c, 0);
    return infer_checked(c, st) && infer_merge_dim(infer_dim(a, 0), infer_dim(a, 1), &n, st);
}

/* V4 and V5: the last output is a count, those before it vectors alike. */
static bool padded_shape(struct infer_ctx *c, struct status *st)
{
    bool known = false;
    int64_t most = 0;
    if (!boxes_shape(c, st))
        return false;
    if (attrs_bool(infer_attrs(c), "pad_to_max_output_size") &&
        !infer_const_int(c, 2, &known, &most, st))
        return false;
    int last = infer_num_outputs(c) - 1;
    for (int i = 0; i < last; i++)
        infer_set(c, i, infer_vector(c, known && most >= 0 ? most : DIM_UNKNOWN));
    infer_set(c, last, infer_scalar(c));
    return true;
}

static const char WHY[] = "chooses: TensorFlow registers none";
#define TYPE "T: {half, float} = DT_FLOAT"
#define THRESHOLD_TYPE "T_threshold: {half, float} = DT_FLOAT"

OP_DEF(non_max_suppression) = {
    .name = "NonMaxSuppression",
    .summary = "Boxes by falling score, those left out that overlap one chosen before.",
    .inputs = {"boxes: float", "scores: float", "max_output_size: int32"},
    .outputs = {"selected_indices: int32"},
    .attrs = {"iou_threshold: float = 0.5"},
    .shape = boxes_shape,
    .no_grad = WHY,
};
KERNEL_DEF(non_max_suppression_cpu) = {
    .op = "NonMaxSuppression", .device = "CPU", .run = run_plain};

OP_DEF(non_max_suppression_v2) = {
    .name = "NonMaxSuppressionV2",
    .summary = "As NonMaxSuppression, with the threshold as an input.",
    .inputs = {"boxes: T", "scores: T", "max_output_size: int32", "iou_threshold: T_threshold"},
    .outputs = {"selected_indices: int32"},
    .attrs = {TYPE, THRESHOLD_TYPE},
    .shape = boxes_shape,
    .no_grad = WHY,
};
KERNEL_DEF(non_max_suppression_v2_cpu) = {
    .op = "NonMaxSuppressionV2", .device = "CPU", .run = run_plain};

OP_DEF(non_max_suppression_v3) = {
    .name = "NonMaxSuppressionV3",
    .summary = "As NonMaxSuppressionV2, of the boxes whose score exceeds a threshold.",
    .inputs = {"boxes: T", "scores: T", "max_output_size: int32", "iou_threshold: T_threshold",
               "score_threshold: T_threshold"},
    .outputs = {"selected_indices: int32"},
    .attrs = {TYPE, THRESHOLD_TYPE},
    .shape = boxes_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(non_max_suppression_v3_cpu) = {
    .op = "NonMaxSuppressionV3", .device = "CPU", .run = run_v3};

OP_DEF(non_max_suppression_v4) = {
    .name = "NonMaxSuppressionV4",
    .summary = "As NonMaxSuppressionV3, with how many there are, and on wish filled up with zeros.",
    .inputs = {"boxes: T", "scores: T", "max_output_size: int32", "iou_threshold: T_threshold",
               "score_threshold: T_threshold"},
    .outputs = {"selected_indices: int32", "valid_outputs: int32"},
    .attrs = {TYPE, THRESHOLD_TYPE, "pad_to_max_output_size: bool = false"},
    .shape = padded_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(non_max_suppression_v4_cpu) = {
    .op = "NonMaxSuppressionV4", .device = "CPU", .run = run_v4};

OP_DEF(non_max_suppression_v5) = {
    .name = "NonMaxSuppressionV5",
    .summary = "As NonMaxSuppressionV4; with a sigma, overlap lowers scores instead.",
    .inputs = {"boxes: T", "scores: T", "max_output_size: int32", "iou_threshold: T",
               "score_threshold: T", "soft_nms_sigma: T"},
    .outputs = {"selected_indices: int32", "selected_scores: T", "valid_outputs: int32"},
    .attrs = {TYPE, "pad_to_max_output_size: bool = false"},
    .shape = padded_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(non_max_suppression_v5_cpu) = {
    .op = "NonMaxSuppressionV5", .device = "CPU", .run = run_v5};

OP_DEF(non_max_suppression_with_overlaps) = {
    .name = "NonMaxSuppressionWithOverlaps",
    .summary = "As NonMaxSuppressionV3, by a matrix of how much each two overlap.",
    .inputs = {"overlaps: float", "scores: float", "max_output_size: int32",
               "overlap_threshold: float", "score_threshold: float"},
    .outputs = {"selected_indices: int32"},
    .shape = overlaps_shape,
    .no_grad = WHY,
};
KERNEL_DEF(non_max_suppression_with_overlaps_cpu) = {
    .op = "NonMaxSuppressionWithOverlaps", .device = "CPU", .run = run_overlaps};
