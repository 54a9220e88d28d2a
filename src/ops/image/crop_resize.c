/* SPDX-License-Identifier: Apache-2.0 */
/* CropAndResize and the ops of its gradients: boxes cut out of images, each in one size. */
#include <math.h>
#include <string.h>

#include "op/floats.h"
#include "op/grad.h"
#include "op/infer.h"

struct crop {
    int64_t batch, h, w, channels; /* of the images */
    int64_t num, out_h, out_w;     /* of the crops */
    const float *boxes;            /* y1 x1 y2 x2 of each, 0..1 over the image */
    const int32_t *image_of;
    bool nearest;
};

/* Where pixel i of n lies between a and b of an axis of `size` pixels. */
static float place(int64_t i, int64_t n, float a, float b, int64_t size)
{
    float last = (float)(size - 1);
    if (n == 1)
        return 0.5f * (a + b) * last;
    float scale = (b - a) * last / (float)(n - 1);
    return a * last + (float)i * scale;
}

/* (double: a float may lie beyond the size that it was made of) */
static bool inside(float at, int64_t size)
{
    return at >= 0 && (double)at <= (double)(size - 1);
}

static bool check_boxes(const struct kctx *c, int boxes, struct crop *k, struct status *st)
{
    const struct tensor *t = kernel_in(c, boxes), *of = kernel_in(c, boxes + 1);
    if (tensor_rank(t) != 2 && !(t->num_elems == 0 && of->num_elems == 0))
        return status_bad_shape(st, "boxes must be 2-D", &t->shape);
    k->num = tensor_rank(t) == 2 ? tensor_dim(t, 0) : 0;
    if (tensor_rank(t) == 2 && tensor_dim(t, 1) != 4)
        return status_invalid(st, "boxes must have 4 columns");
    if (tensor_rank(of) != 1)
        return status_bad_shape(st, "box_index must be 1-D", &of->shape);
    if (tensor_dim(of, 0) != k->num)
        return status_invalid(st, "box_index has incompatible shape");
    k->boxes = tensor_f32(t);
    k->image_of = tensor_i32(of);
    k->nearest = str_is(attrs_string(kernel_attrs(c), "method"), "nearest");
    return true;
}

/* Boxes say which images they are of. */
static bool check_images(const struct crop *k, struct status *st)
{
    for (int64_t i = 0; i < k->num; i++) {
        if (k->image_of[i] < 0 || k->image_of[i] >= k->batch)
            return status_fail(st, STATUS_OUT_OF_RANGE,
                               "box_index has values outside [0, batch_size)");
    }
    return true;
}

static bool check_image(const struct tensor *t, struct crop *k, struct status *st)
{
    if (tensor_rank(t) != 4)
        return status_bad_shape(st, "input image must be 4-D", &t->shape);
    k->batch = tensor_dim(t, 0);
    k->h = tensor_dim(t, 1);
    k->w = tensor_dim(t, 2);
    k->channels = tensor_dim(t, 3);
    return (k->h > 0 && k->w > 0) || status_invalid(st, "image dimensions must be positive");
}

static bool check_grads(const struct tensor *t, struct crop *k, struct status *st)
{
    if (tensor_rank(t) != 4)
        return status_bad_shape(st, "grads image must be 4-D", &t->shape);
    k->out_h = tensor_dim(t, 1);
    k->out_w = tensor_dim(t, 2);
    return (k->out_h > 0 && k->out_w > 0) ||
           status_invalid(st, "grads dimensions must be positive");
}

/* The four pixels around a place, and how far it is from the first. */
struct corners {
    int64_t top, bottom, left, right;
    float y, x;
};

static struct corners corners_of(float y, float x)
{
    struct corners k = {
        (int64_t)floorf(y), (int64_t)ceilf(y), (int64_t)floorf(x), (int64_t)ceilf(x), 0, 0};
    k.y = y - (float)k.top;
    k.x = x - (float)k.left;
    return k;
}

struct crop_arg {
    const struct crop *k;
    const float *x;
    float *y;
    float outside;
};

static void crop_pixel(const struct crop_arg *a, const float *image, float y, float x, float *to)
{
    const struct crop *k = a->k;
    int64_t c = k->channels;
    if (!inside(y, k->h) || !inside(x, k->w)) {
        for (int64_t d = 0; d < c; d++)
            to[d] = a->outside;
        return;
    }
    if (k->nearest) {
        memcpy(to, image + ((int64_t)roundf(y) * k->w + (int64_t)roundf(x)) * c,
               (size_t)c * sizeof(*to));
        return;
    }
    struct corners q = corners_of(y, x);
    const float *top = image + q.top * k->w * c, *bottom = image + q.bottom * k->w * c;
    for (int64_t d = 0; d < c; d++) {
        float tl = top[q.left * c + d], tr = top[q.right * c + d];
        float bl = bottom[q.left * c + d], br = bottom[q.right * c + d];
        float t = tl + (tr - tl) * q.x, b = bl + (br - bl) * q.x;
        to[d] = t + (b - t) * q.y;
    }
}

static void crop_rows(void *arg, int64_t begin, int64_t end)
{
    const struct crop_arg *a = arg;
    const struct crop *k = a->k;
    for (int64_t row = begin; row < end; row++) {
        int64_t i = row / k->out_h;
        const float *box = k->boxes + 4 * i;
        const float *image = a->x + k->image_of[i] * k->h * k->w * k->channels;
        float y = place(row % k->out_h, k->out_h, box[0], box[2], k->h);
        float *to = a->y + row * k->out_w * k->channels;
        for (int64_t j = 0; j < k->out_w; j++, to += k->channels)
            crop_pixel(a, image, y, place(j, k->out_w, box[1], box[3], k->w), to);
    }
}

static bool crop_run(struct kctx *c, struct status *st)
{
    const struct tensor *image = kernel_in(c, 0), *size = kernel_in(c, 3);
    struct crop k = {0};
    int64_t elems;
    if (!check_image(image, &k, st) || !check_boxes(c, 1, &k, st))
        return false;
    if (tensor_rank(size) != 1)
        return status_bad_shape(st, "crop_size must be 1-D", &size->shape);
    if (size->num_elems != 2)
        return status_bad_shape(st, "crop_size must have two elements", &size->shape);
    k.out_h = tensor_i32(size)[0];
    k.out_w = tensor_i32(size)[1];
    if (k.out_h <= 0 || k.out_w <= 0)
        return status_invalid(st, "crop dimensions must be positive");
    struct shape s = shape_4(k.num, k.out_h, k.out_w, k.channels);
    struct tensor *out =
        shape_num_elems(&s, &elems, st) && check_images(&k, st) ? kernel_out(c, 0, &s, st) : NULL;
    if (!out || elems == 0)
        return out != NULL;
    struct crop_arg a = {&k, kernel_floats(c, image, st), tensor_f32(out),
                         attrs_float(kernel_attrs(c), "extrapolation_value")};
    if (!a.x)
        return false;
    kernel_loop(c, k.num * k.out_h, (double)(k.out_w * (k.channels * 2 + 8)), crop_rows, &a);
    return true;
}

static bool crop_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *image, *boxes, *of, *size;
    int64_t num, n, dims[4] = {DIM_UNKNOWN, DIM_UNKNOWN, DIM_UNKNOWN, DIM_UNKNOWN};
    if (!infer_want_rank(c, infer_input(c, 0), 4, &image, st) ||
        !infer_want_rank(c, infer_input(c, 1), 2, &boxes, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &of, st) ||
        !infer_want_rank(c, infer_input(c, 3), 1, &size, st) ||
        !infer_merge_dim(infer_dim(boxes, 0), infer_dim(of, 0), &num, st) ||
        !infer_want_dim(c, infer_dim(boxes, 1), 4, &n, st) ||
        !infer_want_dim(c, infer_dim(size, 0), 2, &n, st))
        return false;
    const struct tensor *known = infer_const(c, 3);
    for (int i = 0; known && known->num_elems == 2 && i < 2; i++)
        dims[1 + i] = max_i64(tensor_i32(known)[i], DIM_UNKNOWN);
    dims[0] = num;
    dims[3] = infer_dim(image, 3);
    infer_set(c, 0, infer_make(c, dims, 4));
    return true;
}

static bool crop_grad(struct grad_ctx *g, struct status *st)
{
    int dtype = grad_type_of(g, grad_in(g, 0));
    struct output dy = grad_dy(g, 0), image = grad_in(g, 0), boxes = grad_in(g, 1);
    struct str method = attrs_string(grad_attrs(g), "method");
    if (dtype == DT_FLOAT || dtype == DT_DOUBLE || dtype == DT_HALF)
        grad_set(g, 0,
                 grad_opv(g, "CropAndResizeGradImage", 4,
                          (struct output[]){dy, boxes, grad_in(g, 2), grad_shape(g, image)}, 2,
                          (struct attr[]){{(char *)"T", attr_type(dtype)},
                                          {(char *)"method", attr_string(method)}}));
    /* Of boxes there is the bilinear one alone: what another method's is, is not asked. */
    grad_set(g, 1,
             grad_opv(g, "CropAndResizeGradBoxes", 4,
                      (struct output[]){dy, image, boxes, grad_in(g, 2)}, 0, NULL));
    return grad_done(g, st);
}

OP_DEF(crop_and_resize) = {
    .name = "CropAndResize",
    .summary = "Boxes cut out of images, each brought to one size.",
    .inputs = {"image: T", "boxes: float", "box_ind: int32", "crop_size: int32"},
    .outputs = {"crops: float"},
    .attrs = {"T: {uint8, uint16, int8, int16, int32, int64, half, float, double}",
              "method: {'bilinear', 'nearest'} = 'bilinear'", "extrapolation_value: float = 0"},
    .shape = crop_shape,
    .grad = crop_grad,
};
KERNEL_DEF(crop_and_resize_cpu) = {.op = "CropAndResize", .device = "CPU", .run = crop_run};

/* --- the gradient of the images --- */

static void spread_pixel(const struct crop *k, float y, float x, const float *dy, double *image)
{
    int64_t c = k->channels;
    if (!inside(y, k->h) || !inside(x, k->w))
        return;
    if (k->nearest) {
        double *to = image + ((int64_t)roundf(y) * k->w + (int64_t)roundf(x)) * c;
        for (int64_t d = 0; d < c; d++)
            to[d] += (double)dy[d];
        return;
    }
    struct corners q = corners_of(y, x);
    double *top = image + q.top * k->w * c, *bottom = image + q.bottom * k->w * c;
    for (int64_t d = 0; d < c; d++) {
        float t = (1 - q.y) * dy[d], b = q.y * dy[d];
        top[q.left * c + d] += (double)((1 - q.x) * t);
        top[q.right * c + d] += (double)(q.x * t);
        bottom[q.left * c + d] += (double)((1 - q.x) * b);
        bottom[q.right * c + d] += (double)(q.x * b);
    }
}

/* The sums, in double; out holds as many elements. */
static bool spread(struct kctx *c, const struct crop *k, struct tensor *out, struct status *st)
{
    const float *dy = tensor_f32(kernel_in(c, 0));
    int64_t image = k->h * k->w * k->channels, n = out->num_elems, bytes;
    double *sums =
        size_mul(n, (int64_t)sizeof(*sums), &bytes) ? kernel_scratch(c, bytes, st) : NULL;
    if (!sums)
        return status_exhausted(st, "no memory for the sums of %lld numbers", (long long)n);
    memset(sums, 0, (size_t)bytes);
    for (int64_t i = 0; i < k->num; i++) {
        const float *box = k->boxes + 4 * i;
        for (int64_t h = 0; h < k->out_h; h++) {
            float y = place(h, k->out_h, box[0], box[2], k->h);
            for (int64_t w = 0; w < k->out_w; w++, dy += k->channels)
                spread_pixel(k, y, place(w, k->out_w, box[1], box[3], k->w), dy,
                             sums + k->image_of[i] * image);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        if (out->dtype == DT_DOUBLE)
            tensor_f64(out)[i] = sums[i];
        else if (out->dtype == DT_FLOAT)
            tensor_f32(out)[i] = (float)sums[i];
        else
            ((struct f16 *)out->data)[i] = f16_from_f32((float)sums[i]);
    }
    return true;
}

static bool image_run(struct kctx *c, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *size = kernel_in(c, 3);
    struct crop k = {0};
    int64_t elems;
    if (!check_grads(dy, &k, st) || !check_boxes(c, 1, &k, st))
        return false;
    if (tensor_dim(dy, 0) != k.num)
        return status_invalid(st, "boxes and grads have incompatible shape");
    if (tensor_rank(size) != 1)
        return status_bad_shape(st, "image_size must be 1-D", &size->shape);
    if (size->num_elems != 4)
        return status_bad_shape(st, "image_size must have 4 elements", &size->shape);
    const int32_t *n = tensor_i32(size);
    if (n[1] <= 0 || n[2] <= 0)
        return status_invalid(st, "image dimensions must be positive");
    if (n[3] != tensor_dim(dy, 3))
        return status_invalid(st, "image_size and grads are incompatible");
    struct shape s = shape_4(n[0], n[1], n[2], n[3]);
    k.batch = n[0];
    k.h = n[1];
    k.w = n[2];
    k.channels = n[3];
    struct tensor *out =
        shape_num_elems(&s, &elems, st) && check_images(&k, st) ? kernel_out(c, 0, &s, st) : NULL;
    return out && (elems == 0 || spread(c, &k, out, st));
}

static bool image_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_const_shape(c, 3, &s, st) || !infer_want_rank(c, s, 4, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

OP_DEF(crop_and_resize_grad_image) = {
    .name = "CropAndResizeGradImage",
    .summary = "The gradient of CropAndResize by the images.",
    .inputs = {"grads: float", "boxes: float", "box_ind: int32", "image_size: int32"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, half, double}", "method: {'bilinear', 'nearest'} = 'bilinear'"},
    .shape = image_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(crop_and_resize_grad_image_cpu) = {
    .op = "CropAndResizeGradImage", .device = "CPU", .run = image_run};

/* --- the gradient of the boxes --- */

/* What a place's change is to the ends that it lies between: *a and *b get their parts of d. */
static void to_ends(float d, int64_t i, int64_t n, int64_t size, float *a, float *b)
{
    float last = (float)(size - 1);
    if (n == 1) {
        *a += d * 0.5f * last;
        *b += d * 0.5f * last;
        return;
    }
    float part = (float)i * (last / (float)(n - 1));
    *a += d * (last - part);
    *b += d * part;
}

static void box_pixel(const struct crop *k, const float *image, const float at[2], const float *dy,
                      float slope[2])
{
    struct corners q = corners_of(at[0], at[1]);
    int64_t c = k->channels;
    const float *top = image + q.top * k->w * c, *bottom = image + q.bottom * k->w * c;
    slope[0] = slope[1] = 0;
    for (int64_t d = 0; d < c; d++) {
        float tl = top[q.left * c + d], tr = top[q.right * c + d];
        float bl = bottom[q.left * c + d], br = bottom[q.right * c + d];
        slope[0] += dy[d] * ((1 - q.x) * (bl - tl) + q.x * (br - tr));
        slope[1] += dy[d] * ((1 - q.y) * (tr - tl) + q.y * (br - bl));
    }
}

static bool boxes_run(struct kctx *c, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *image = kernel_in(c, 1);
    struct crop k = {0};
    if (!check_grads(dy, &k, st) || !check_image(image, &k, st))
        return false;
    if (tensor_dim(dy, 3) != k.channels)
        return status_invalid(st, "image, grads depth differ");
    if (!check_boxes(c, 2, &k, st))
        return false;
    if (tensor_dim(dy, 0) != k.num)
        return status_invalid(st, "boxes and grads have incompatible shape");
    struct shape s = shape_2(k.num, 4);
    struct tensor *out = check_images(&k, st) ? kernel_out(c, 0, &s, st) : NULL;
    const float *x = out ? kernel_floats(c, image, st) : NULL, *d = tensor_f32(dy);
    if (!x)
        return false;
    for (int64_t i = 0; i < k.num; i++) {
        const float *box = k.boxes + 4 * i;
        float *to = tensor_f32(out) + 4 * i, at[2], slope[2];
        memset(to, 0, 4 * sizeof(*to));
        for (int64_t h = 0; h < k.out_h; h++) {
            at[0] = place(h, k.out_h, box[0], box[2], k.h);
            for (int64_t w = 0; w < k.out_w; w++, d += k.channels) {
                at[1] = place(w, k.out_w, box[1], box[3], k.w);
                if (!inside(at[0], k.h) || !inside(at[1], k.w))
                    continue;
                box_pixel(&k, x + k.image_of[i] * k.h * k.w * k.channels, at, d, slope);
                to_ends(slope[0], h, k.out_h, k.h, &to[0], &to[2]);
                to_ends(slope[1], w, k.out_w, k.w, &to[1], &to[3]);
            }
        }
    }
    return true;
}

static bool boxes_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_input(c, 2));
    return true;
}

OP_DEF(crop_and_resize_grad_boxes) = {
    .name = "CropAndResizeGradBoxes",
    .summary = "The gradient of CropAndResize by the boxes.",
    .inputs = {"grads: float", "image: T", "boxes: float", "box_ind: int32"},
    .outputs = {"output: float"},
    .attrs = {"T: {uint8, uint16, int8, int16, int32, int64, half, float, double}",
              "method: {'bilinear'} = 'bilinear'"},
    .shape = boxes_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(crop_and_resize_grad_boxes_cpu) = {
    .op = "CropAndResizeGradBoxes", .device = "CPU", .run = boxes_run};
