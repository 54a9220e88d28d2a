/* SPDX-License-Identifier: Apache-2.0 */
/* Random cuts of images: RandomCrop, and SampleDistortedBoundingBox, which draws until a cut of a
 * wanted area and aspect covers enough of an object. */
#include <math.h>
#include <string.h>

#include "op/floats.h"
#include "op/infer.h"
#include "ops/random/seeds.h"

/* --- RandomCrop --- */

static bool crop_run(struct kctx *c, struct status *st)
{
    const struct tensor *image = kernel_in(c, 0), *size = kernel_in(c, 1);
    if (tensor_rank(image) != 3)
        return status_bad_shape(st, "input must be 3-dimensional", &image->shape);
    if (tensor_rank(size) != 1)
        return status_bad_shape(st, "shape_t must be 1-dimensional", &size->shape);
    if (size->num_elems != 2)
        return status_bad_shape(st, "shape_t must have two elements", &size->shape);
    int64_t h = tensor_i64(size)[0], w = tensor_i64(size)[1], d = tensor_dim(image, 2);
    int64_t spare_h = tensor_dim(image, 0) - h, spare_w = tensor_dim(image, 1) - w;
    if (h < 0 || w < 0)
        return status_invalid(st, "size must not be negative: %lld, %lld", (long long)h,
                              (long long)w);
    if (spare_h < 0 || spare_w < 0)
        return status_precondition(st, "%s",
                                   spare_h < 0 ? "height must be >= target_height: "
                                               : "width must be >= target_width");
    if (spare_h >= UINT32_MAX || spare_w >= UINT32_MAX)
        return status_invalid(st, "the image is too big");
    struct shape s = shape_3(h, w, d);
    if (spare_h == 0 && spare_w == 0) {
        kernel_out_share(c, 0, image);
        return true;
    }
    struct tensor *out = kernel_out(c, 0, &s, st);
    if (!out || out->num_elems == 0)
        return out != NULL;
    struct math_philox g = seeds_reserve(kernel_state(c), 1, 1);
    struct math_philox_stream stream;
    math_philox_stream_init(&stream, &g);
    int64_t left = spare_w ? math_philox_below(&stream, (uint32_t)(spare_w + 1)) : 0;
    int64_t top = spare_h ? math_philox_below(&stream, (uint32_t)(spare_h + 1)) : 0;
    size_t pixel = (size_t)d * dtype_size(image->dtype);
    for (int64_t i = 0; i < h; i++)
        memcpy((char *)out->data + (size_t)(i * w) * pixel,
               (const char *)image->data +
                   (size_t)((top + i) * tensor_dim(image, 1) + left) * pixel,
               (size_t)w * pixel);
    return true;
}

static bool crop_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *image, *size;
    int64_t two, dims[3] = {DIM_UNKNOWN, DIM_UNKNOWN};
    if (!infer_want_rank(c, infer_input(c, 0), 3, &image, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &size, st) ||
        !infer_want_dim(c, infer_dim(size, 0), 2, &two, st))
        return false;
    const struct tensor *known = infer_const(c, 1);
    for (int i = 0; known && known->num_elems == 2 && i < 2; i++)
        dims[i] = max_i64(tensor_i64(known)[i], DIM_UNKNOWN);
    dims[2] = infer_dim(image, 2);
    infer_set(c, 0, infer_make(c, dims, 3));
    return true;
}

OP_DEF(random_crop) = {
    .name = "RandomCrop",
    .summary = "A part of an image, of a given size, from a random place.",
    .inputs = {"image: T", "size: int64"},
    .outputs = {"output: T"},
    .attrs = {"T: {uint8, int8, int16, int32, int64, float, double}", "seed: int = 0",
              "seed2: int = 0"},
    .flags = OP_STATEFUL,
    .deprecated_at = 8,
    .deprecated_why = "Random crop is now pure Python",
    .shape = crop_shape,
    .no_grad = "TensorFlow gives none",
};
KERNEL_DEF(random_crop_cpu) = {.op = "RandomCrop",
                               .device = "CPU",
                               .state_bytes = sizeof(struct seeds),
                               .init = seeds_only_init,
                               .release = seeds_only_release,
                               .run = crop_run};

/* --- SampleDistortedBoundingBox --- */

struct sample {
    struct seeds seeds;
    float aspect[2], area[2], covered;
    int max_attempts;
    bool whole_image;
};

static bool get_range(const struct attrs *attrs, const char *name, const char *words, float *out,
                      struct status *st)
{
    const struct attr_value *v = attrs_list(attrs, name);
    if (v->n != 2)
        return status_invalid(st, "%s range field must specify 2 dimensions", words);
    out[0] = v->fs[0];
    out[1] = v->fs[1];
    return true;
}

static bool sample_init(struct kernel *k, void *state, struct status *st)
{
    struct sample *s = state;
    seeds_init(&s->seeds, k);
    s->max_attempts = (int)attrs_int(k->attrs, "max_attempts");
    s->whole_image = attrs_bool(k->attrs, "use_image_if_no_bounding_boxes");
    s->covered = attrs_float(k->attrs, "min_object_covered");
    if (!(s->covered >= 0))
        return status_invalid(st, "Min object covered must be non-negative: %g",
                              (double)s->covered);
    if (!get_range(k->attrs, "aspect_ratio_range", "Aspect ratio", s->aspect, st) ||
        !get_range(k->attrs, "area_range", "Area", s->area, st))
        return false;
    if (!(s->aspect[0] > 0 && s->aspect[1] > 0))
        return status_invalid(st, "Aspect ratio range must be non-negative: [%g, %g]",
                              (double)s->aspect[0], (double)s->aspect[1]);
    if (!(s->area[0] > 0 && s->area[1] > 0 && s->area[0] <= 1 && s->area[1] <= 1))
        return status_invalid(st, "Area range must be non-negative: [%g, %g]", (double)s->area[0],
                              (double)s->area[1]);
    return s->max_attempts > 0 ||
           status_invalid(st, "Max attempts must be non-negative: %d", s->max_attempts);
}

static void sample_release(void *state)
{
    seeds_only_release(&((struct sample *)state)->seeds);
}

struct rect {
    int top, left, bottom, right;
};

static float rect_area(struct rect r)
{
    return r.bottom > r.top && r.right > r.left
               ? (float)((int64_t)(r.bottom - r.top) * (r.right - r.left))
               : 0;
}

static struct rect rect_shared(struct rect a, struct rect b)
{
    return (struct rect){a.top > b.top ? a.top : b.top, a.left > b.left ? a.left : b.left,
                         a.bottom < b.bottom ? a.bottom : b.bottom,
                         a.right < b.right ? a.right : b.right};
}

/* Rounded; what is no int, 0: no cut. */
static int64_t rounded(float x)
{
    return x > -1e9f && x < 1e9f ? lrintf(x) : 0;
}

/* A cut of this aspect, of a random area in the range, at a random place; false: none fits. */
static bool draw_cut(const struct sample *s, int64_t w, int64_t h, float aspect,
                     struct math_philox_stream *rng, struct rect *out)
{
    if (!(s->area[0] <= s->area[1]) || w <= 0 || h <= 0)
        return false;
    float least = s->area[0] * (float)w * (float)h, most = s->area[1] * (float)w * (float)h;
    int64_t height = rounded(sqrtf(least / aspect)), highest = rounded(sqrtf(most / aspect));
    if (rounded((float)highest * aspect) > w) {
        highest = (int64_t)fmin(((float)w + 0.5 - 1e-7) / (double)aspect, INT32_MAX);
        highest -= rounded((float)highest * aspect) > w;
    }
    highest = min_i64(highest, h);
    height = min_i64(height, highest);
    if (height < highest)
        height += math_philox_below(rng, (uint32_t)(highest - height + 1));
    int64_t width = rounded((float)height * aspect);
    if ((float)(width * height) < least)
        width = rounded((float)++height * aspect);
    if ((float)(width * height) > most)
        width = rounded((float)--height * aspect);
    float area = (float)(width * height);
    if (area < least || area > most || width > w || height > h || width <= 0 || height <= 0)
        return false;
    int64_t top = height < h ? math_philox_below(rng, (uint32_t)(h - height)) : 0;
    int64_t left = width < w ? math_philox_below(rng, (uint32_t)(w - width)) : 0;
    *out = (struct rect){(int)top, (int)left, (int)(top + height), (int)(left + width)};
    return true;
}

/* Whether the cut has enough of one of the boxes (of the image, where there is no box). */
static bool covers(struct rect cut, const struct rect *objects, int64_t n, float least)
{
    if (rect_area(cut) < 1)
        return false;
    for (int64_t i = 0; i < n; i++) {
        float area = rect_area(objects[i]);
        if (area >= 1 && rect_area(rect_shared(objects[i], cut)) / area >= least)
            return true;
    }
    return false;
}

/* The boxes in pixels, in scratch. */
static struct rect *read_boxes(struct kctx *c, const int64_t size[2], int64_t *n, struct status *st)
{
    const struct tensor *boxes = kernel_in(c, 1);
    const struct sample *s = kernel_state(c);
    *n = boxes->num_elems / 4;
    struct rect *r = kernel_scratch(c, (*n + 1) * (int64_t)sizeof(*r), st);
    if (!r)
        return NULL;
    for (int64_t i = 0; i < boxes->num_elems; i++) {
        float at = tensor_f32(boxes)[i];
        if (!(at >= 0 && at <= 1)) {
            status_invalid(st, "All bounding box coordinates must be in [0.0, 1.0]: %g",
                           (double)at);
            return NULL;
        }
    }
    for (int64_t i = 0; i < *n; i++) {
        const float *b = tensor_f32(boxes) + 4 * i;
        float h = (float)size[0], w = (float)size[1];
        r[i] = (struct rect){(int)(b[0] * h), (int)(b[1] * w), (int)(b[2] * h), (int)(b[3] * w)};
    }
    if (*n == 0 && !s->whole_image) {
        status_invalid(st, "No bounding boxes provided as input. One must enable "
                           "use_image_if_no_bounding_boxes if you wish to not provide any "
                           "bounding boxes.");
        return NULL;
    }
    if (*n == 0)
        r[(*n)++] = (struct rect){0, 0, (int)size[0], (int)size[1]};
    return r;
}

static bool check_inputs(const struct kctx *c, int64_t size[2], struct status *st)
{
    const struct tensor *t = kernel_in(c, 0), *boxes = kernel_in(c, 1);
    static const char *const names[] = {"height", "width"};
    if (tensor_rank(t) != 1)
        return status_bad_shape(st, "image_size must be 1-dimensional", &t->shape);
    if (t->num_elems != 3)
        return status_bad_shape(st, "image_size must contain 3 elements", &t->shape);
    for (int i = 0; i < 2; i++) {
        size[i] = t->dtype == DT_INT64 ? tensor_i64(t)[i] : (int64_t)tensor_as_float(t, i);
        if (t->dtype == DT_INT32)
            size[i] = tensor_i32(t)[i];
        if (size[i] < 0 || size[i] > INT32_MAX - 128)
            return status_invalid(st, "image %s cannot be >= int32 max", names[i]);
    }
    if (tensor_rank(boxes) != 3)
        return status_bad_shape(
            st, "input boxes must be 3-dimensional [batch, num_boxes, coords]: ", &boxes->shape);
    if (tensor_dim(boxes, 2) != 4)
        return status_bad_shape(st, "bounding boxes must have shape [4] or [*, 4], got ",
                                &boxes->shape);
    return true;
}

/* Integers of any width. */
static void put_ints(struct tensor *t, const int64_t *x, int n)
{
    for (int i = 0; i < n; i++)
        memcpy((char *)t->data + (size_t)i * dtype_size(t->dtype), &x[i], dtype_size(t->dtype));
}

static bool put_cut(struct kctx *c, struct rect cut, const int64_t size[2], struct status *st)
{
    struct shape three = shape_1(3), box = shape_3(1, 1, 4);
    struct tensor *begin = kernel_out(c, 0, &three, st);
    struct tensor *extent = begin ? kernel_out(c, 1, &three, st) : NULL;
    struct tensor *boxes = extent ? kernel_out(c, 2, &box, st) : NULL;
    if (!boxes)
        return false;
    float h = (float)size[0], w = (float)size[1], *b = tensor_f32(boxes);
    put_ints(begin, (int64_t[]){cut.top, cut.left, 0}, 3);
    put_ints(extent, (int64_t[]){cut.bottom - cut.top, cut.right - cut.left, -1}, 3);
    b[0] = (float)cut.top / h;
    b[1] = (float)cut.left / w;
    b[2] = (float)cut.bottom / h;
    b[3] = (float)cut.right / w;
    return true;
}

static bool sample_run(struct kctx *c, struct status *st)
{
    struct sample *s = kernel_state(c);
    int64_t size[2], n;
    float covered = s->covered;
    if (!check_inputs(c, size, st) ||
        (kernel_num_inputs(c) == 3 &&
         !kernel_scalar_float(c, 2, "min_object_covered", &covered, st)))
        return false;
    if (!(covered >= 0))
        return status_invalid(st, "Min object covered must be non-negative: %g", (double)covered);
    struct rect *objects = read_boxes(c, size, &n, st);
    if (!objects)
        return false;
    struct rect cut = {0};
    struct math_philox g = seeds_reserve(&s->seeds, s->max_attempts, 1);
    struct math_philox_stream rng;
    math_philox_stream_init(&rng, &g);
    bool found = false;
    for (int i = 0; i < s->max_attempts && !found; i++) {
        float aspect = math_philox_float(&rng) * (s->aspect[1] - s->aspect[0]) + s->aspect[0];
        found =
            draw_cut(s, size[1], size[0], aspect, &rng, &cut) && covers(cut, objects, n, covered);
    }
    if (!found)
        cut = (struct rect){0, 0, (int)size[0], (int)size[1]};
    return put_cut(c, cut, size, st);
}

static bool sample_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *size, *boxes;
    int64_t n;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &size, st) ||
        !infer_want_rank(c, infer_input(c, 1), 3, &boxes, st) ||
        !infer_want_dim(c, infer_dim(size, 0), 3, &n, st) ||
        !infer_want_dim(c, infer_dim(boxes, 2), 4, &n, st))
        return false;
    infer_set(c, 0, infer_vector(c, 3));
    infer_set(c, 1, infer_vector(c, 3));
    infer_set(c, 2, infer_make(c, (int64_t[]){1, 1, 4}, 3));
    return true;
}

#define SAMPLE_ATTRS                                                                               \
    "aspect_ratio_range: list(float) = [0.75, 1.33]", "area_range: list(float) = [0.05, 1.0]",     \
        "max_attempts: int = 100", "use_image_if_no_bounding_boxes: bool = false"
#define SAMPLE_OUTPUTS "begin: T", "size: T", "bboxes: float"
#define SAMPLE_TYPES "T: {uint8, int8, int16, int32, int64}", "seed: int = 0", "seed2: int = 0"

OP_DEF(sample_distorted_bounding_box) = {
    .name = "SampleDistortedBoundingBox",
    .summary = "A random cut of an image that covers enough of one of the boxes.",
    .inputs = {"image_size: T", "bounding_boxes: float"},
    .outputs = {SAMPLE_OUTPUTS},
    .attrs = {SAMPLE_TYPES, "min_object_covered: float = 0.1", SAMPLE_ATTRS},
    .flags = OP_STATEFUL,
    .shape = sample_shape,
    .no_grad = "a draw has no gradient",
};
OP_DEF(sample_distorted_bounding_box_v2) = {
    .name = "SampleDistortedBoundingBoxV2",
    .summary = "As SampleDistortedBoundingBox, with the least share of a box as an input.",
    .inputs = {"image_size: T", "bounding_boxes: float", "min_object_covered: float"},
    .outputs = {SAMPLE_OUTPUTS},
    .attrs = {SAMPLE_TYPES, SAMPLE_ATTRS},
    .flags = OP_STATEFUL,
    .shape = sample_shape,
    .no_grad = "a draw has no gradient",
};
#define SAMPLE_KERNEL(id, name)                                                                    \
    KERNEL_DEF(id) = {.op = name,                                                                  \
                      .device = "CPU",                                                             \
                      .state_bytes = sizeof(struct sample),                                        \
                      .init = sample_init,                                                         \
                      .release = sample_release,                                                   \
                      .run = sample_run};
SAMPLE_KERNEL(sample_distorted_bounding_box_cpu, "SampleDistortedBoundingBox")
SAMPLE_KERNEL(sample_distorted_bounding_box_v2_cpu, "SampleDistortedBoundingBoxV2")
