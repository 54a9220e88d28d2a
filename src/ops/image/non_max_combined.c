/* SPDX-License-Identifier: Apache-2.0 */
/* CombinedNonMaxSuppression: boxes of each image and class chosen by score, then the best of all
 * classes. */
#include <stdlib.h>
#include <string.h>

#include "op/infer.h"
#include "ops/image/suppress.h"

struct combined {
    const float *boxes, *scores;
    int64_t batch, num, kinds, classes; /* kinds: boxes for each class, or one for all */
    int64_t per_class, total;
    float threshold, score_threshold;
    bool clip;
};

static bool check_shapes(const struct kctx *c, struct combined *k, struct status *st)
{
    const struct tensor *boxes = kernel_in(c, 0), *scores = kernel_in(c, 1);
    if (tensor_rank(boxes) == 0 || tensor_rank(scores) == 0 ||
        tensor_dim(boxes, 0) != tensor_dim(scores, 0))
        return status_invalid(st, "boxes and scores must have same batch size");
    if (tensor_rank(boxes) != 4)
        return status_bad_shape(st, "boxes must be 4-D", &boxes->shape);
    if (tensor_rank(scores) != 3)
        return status_bad_shape(st, "scores must be 3-D", &scores->shape);
    *k = (struct combined){.boxes = tensor_f32(boxes), .scores = tensor_f32(scores)};
    k->batch = tensor_dim(boxes, 0);
    k->num = tensor_dim(boxes, 1);
    k->kinds = tensor_dim(boxes, 2);
    k->classes = tensor_dim(scores, 2);
    if (tensor_dim(boxes, 3) != 4)
        return status_invalid(st, "boxes must have 4 columns");
    if (k->kinds != 1 && k->kinds != k->classes)
        return status_invalid(st, "third dimension of boxes must be either 1 or num classes");
    if (k->num > INT32_MAX || k->classes > INT32_MAX)
        return status_invalid(st, "too many boxes or classes");
    return tensor_dim(scores, 1) == k->num || status_invalid(st, "scores has incompatible shape");
}

static bool get_limits(struct kctx *c, struct combined *k, struct status *st)
{
    static const char *const names[] = {"max_size_per_class", "max_total_size"};
    for (int i = 0; i < 2; i++) {
        if (tensor_rank(kernel_in(c, 2 + i)) == 0)
            continue;
        return status_invalid(st, "%s must be 0-D, got shape [%lld]", names[i],
                              (long long)tensor_dim(kernel_in(c, 2 + i), 0));
    }
    k->per_class = tensor_i32(kernel_in(c, 2))[0];
    k->total = tensor_i32(kernel_in(c, 3))[0];
    k->clip = attrs_bool(kernel_attrs(c), "clip_boxes");
    if (k->total <= 0)
        return status_invalid(st, "max_total_size must be > 0");
    if (!kernel_scalar_float(c, 4, "iou_threshold", &k->threshold, st) ||
        !kernel_scalar_float(c, 5, "score_threshold", &k->score_threshold, st))
        return false;
    if (!(k->threshold >= 0 && k->threshold <= 1))
        return status_invalid(st, "iou_threshold must be in [0, 1]");
    if (attrs_bool(kernel_attrs(c), "pad_per_class") && k->per_class >= 0)
        k->total = min_i64(k->total, k->per_class * k->classes);
    return true;
}

struct pick {
    float score;
    int32_t item, label;
    int64_t order;
};

static int compare_picks(const void *a, const void *b)
{
    const struct pick *p = a, *q = b;
    if (p->score != q->score)
        return p->score > q->score ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

struct room { /* scratch for one image at a time */
    float *scores;
    struct chosen chosen;
    struct pick *picks;
};

static bool make_room(struct kctx *c, const struct combined *k, struct room *r, struct status *st)
{
    int64_t num_picks, bytes;
    if (!size_mul(k->num + 1, k->classes + 1, &num_picks) ||
        !size_mul(num_picks, (int64_t)sizeof(*r->picks), &bytes))
        return status_invalid(st, "too many boxes and classes");
    r->scores = kernel_scratch(c, (k->num + 1) * (int64_t)sizeof(float), st);
    r->picks = r->scores ? kernel_scratch(c, bytes, st) : NULL;
    return r->picks && chosen_room(c, k->num, &r->chosen, st);
}

/* The picks of image b of all classes, best first; their number, at most the total. */
static int64_t pick_of_image(const struct combined *k, int64_t b, struct room *r)
{
    struct suppress s = {.scores = r->scores, .num = k->num, .alike = boxes_alike, .once = true};
    s.threshold = k->threshold;
    s.score_threshold = k->score_threshold;
    s.most = k->per_class < 0 ? k->num : min_i64(k->per_class, k->num);
    int64_t n = 0;
    for (int64_t label = 0; label < k->classes; label++) {
        struct boxes boxes = {.step = k->kinds * 4};
        boxes.corners = k->boxes + b * k->num * boxes.step + (k->kinds > 1 ? label * 4 : 0);
        s.arg = &boxes;
        for (int64_t i = 0; i < k->num; i++)
            r->scores[i] = k->scores[(b * k->num + i) * k->classes + label];
        suppress_choose(&s, &r->chosen);
        for (int64_t i = 0; i < r->chosen.n; i++, n++) {
            int32_t item = r->chosen.items[i];
            r->picks[n] = (struct pick){r->scores[item], item, (int32_t)label, n};
        }
    }
    qsort(r->picks, (size_t)n, sizeof(*r->picks), compare_picks);
    return min_i64(n, k->total);
}

static float unit(float x)
{
    return x > 1 ? 1 : x < 0 ? 0 : x;
}

static bool combined_run(struct kctx *c, struct status *st)
{
    struct combined k;
    if (!check_shapes(c, &k, st) || !get_limits(c, &k, st))
        return false;
    struct shape shapes[] = {shape_3(k.batch, k.total, 4), shape_2(k.batch, k.total),
                             shape_2(k.batch, k.total), shape_1(k.batch)};
    struct tensor *out[4];
    for (int i = 0; i < 4; i++) {
        int64_t elems;
        if (!shape_num_elems(&shapes[i], &elems, st) ||
            !(out[i] = kernel_out(c, i, &shapes[i], st)))
            return false;
        if (elems)
            memset(out[i]->data, 0, tensor_bytes(out[i]));
    }
    struct room r = {0};
    if (!make_room(c, &k, &r, st))
        return false;
    for (int64_t b = 0; b < k.batch; b++) {
        int64_t n = pick_of_image(&k, b, &r);
        for (int64_t i = 0; i < n; i++) {
            struct pick p = r.picks[i];
            const float *box =
                k.boxes + ((b * k.num + p.item) * k.kinds + (k.kinds > 1 ? p.label : 0)) * 4;
            for (int j = 0; j < 4; j++)
                tensor_f32(out[0])[(b * k.total + i) * 4 + j] = k.clip ? unit(box[j]) : box[j];
            tensor_f32(out[1])[b * k.total + i] = p.score;
            tensor_f32(out[2])[b * k.total + i] = (float)p.label;
        }
        tensor_i32(out[3])[b] = (int32_t)n;
    }
    return true;
}

static bool combined_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *boxes, *scores, *scalar;
    int64_t batch, n, per_class, total;
    bool known = false, known_class = true;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &boxes, st) ||
        !infer_want_rank(c, infer_input(c, 1), 3, &scores, st))
        return false;
    for (int i = 2; i < 6; i++) {
        if (!infer_want_rank(c, infer_input(c, i), 0, &scalar, st))
            return false;
    }
    if (!infer_want_dim(c, infer_dim(boxes, 3), 4, &n, st) ||
        !infer_merge_dim(infer_dim(boxes, 0), infer_dim(scores, 0), &batch, st) ||
        !infer_merge_dim(infer_dim(boxes, 1), infer_dim(scores, 1), &n, st) ||
        !infer_const_int(c, 3, &known, &total, st))
        return false;
    if (known && total <= 0)
        return status_invalid(st, "max_total_size should be > 0");
    if (known && attrs_bool(infer_attrs(c), "pad_per_class")) {
        if (!infer_const_int(c, 2, &known_class, &per_class, st))
            return false;
        known = known_class && per_class >= 0 && infer_dim(scores, 2) >= 0;
        total = known ? min_i64(total, per_class * infer_dim(scores, 2)) : 0;
    }
    total = known ? total : DIM_UNKNOWN;
    infer_set(c, 0, infer_make(c, (int64_t[]){batch, total, 4}, 3));
    infer_set(c, 1, infer_matrix(c, batch, total));
    infer_set(c, 2, infer_matrix(c, batch, total));
    infer_set(c, 3, infer_vector(c, batch));
    return true;
}

OP_DEF(combined_non_max_suppression) = {
    .name = "CombinedNonMaxSuppression",
    .summary = "The best boxes of each image, of all classes, chosen for each class by score.",
    .inputs = {"boxes: float", "scores: float", "max_output_size_per_class: int32",
               "max_total_size: int32", "iou_threshold: float", "score_threshold: float"},
    .outputs = {"nmsed_boxes: float", "nmsed_scores: float", "nmsed_classes: float",
                "valid_detections: int32"},
    .attrs = {"pad_per_class: bool = false", "clip_boxes: bool = true"},
    .shape = combined_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(combined_non_max_suppression_cpu) = {
    .op = "CombinedNonMaxSuppression", .device = "CPU", .run = combined_run};
