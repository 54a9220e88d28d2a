/* SPDX-License-Identifier: Apache-2.0 */
/* ResizeBilinear and its gradient's op: each pixel lies between four, and is computed in float. */
#include <math.h>
#include <string.h>

#include "ops/image/resize.h"

static inline float same(float x)
{
    return x;
}

struct bilinear_arg {
    const struct resize *r;
    const void *x;
    float *y;
    float scale_h;
    const struct math_between *cols;
};

#define ROWS(NAME, T, LOAD)                                                                        \
    static void rows_##NAME(void *arg, int64_t begin, int64_t end)                                 \
    {                                                                                              \
        const struct bilinear_arg *a = arg;                                                        \
        const struct resize *r = a->r;                                                             \
        int64_t c = r->channels, line = r->in_w * c;                                               \
        for (int64_t row = begin; row < end; row++) {                                              \
            struct math_between v =                                                                \
                math_between(row % r->out_h, a->scale_h, r->in_h, r->half_pixels);                 \
            const T *image = (const T *)a->x + row / r->out_h * r->in_h * line;                    \
            const T *top = image + v.low * line, *bottom = image + v.high * line;                  \
            float *y = a->y + row * r->out_w * c;                                                  \
            for (int64_t j = 0; j < r->out_w; j++, y += c) {                                       \
                const struct math_between *u = &a->cols[j];                                        \
                const T *tl = top + u->low * c, *tr = top + u->high * c;                           \
                const T *bl = bottom + u->low * c, *br = bottom + u->high * c;                     \
                for (int64_t k = 0; k < c; k++) {                                                  \
                    float t = LOAD(tl[k]) + (LOAD(tr[k]) - LOAD(tl[k])) * u->part;                 \
                    float b = LOAD(bl[k]) + (LOAD(br[k]) - LOAD(bl[k])) * u->part;                 \
                    y[k] = t + (b - t) * v.part;                                                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define TO_FLOAT(x) ((float)(x))
ROWS(f32, float, same)
ROWS(f64, double, TO_FLOAT)
ROWS(f16, struct f16, f16_to_f32)
ROWS(bf16, struct bf16, bf16_to_f32)
ROWS(i8, int8_t, TO_FLOAT)
ROWS(u8, uint8_t, TO_FLOAT)
ROWS(i16, int16_t, TO_FLOAT)
ROWS(u16, uint16_t, TO_FLOAT)
ROWS(i32, int32_t, TO_FLOAT)
ROWS(i64, int64_t, TO_FLOAT)

static pool_loop_fn rows_of(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return rows_f32;
    case DT_DOUBLE:
        return rows_f64;
    case DT_HALF:
        return rows_f16;
    case DT_BFLOAT16:
        return rows_bf16;
    case DT_INT8:
        return rows_i8;
    case DT_UINT8:
        return rows_u8;
    case DT_INT16:
        return rows_i16;
    case DT_UINT16:
        return rows_u16;
    case DT_INT32:
        return rows_i32;
    default:
        return rows_i64;
    }
}

static bool bilinear_run(struct kctx *c, struct status *st)
{
    struct resize r;
    if (!resize_check(c, &r, st))
        return false;
    struct tensor *y = resize_out(c, &r, st);
    struct math_between *cols =
        y ? kernel_scratch(c, r.out_w * (int64_t)sizeof(struct math_between), st) : NULL;
    if (!cols)
        return false;
    if (y->num_elems == 0)
        return true;
    float scale = math_resize_scale(r.in_w, r.out_w, r.align_corners);
    for (int64_t j = 0; j < r.out_w; j++)
        cols[j] = math_between(j, scale, r.in_w, r.half_pixels);
    struct bilinear_arg a = {.r = &r, .x = kernel_in(c, 0)->data, .y = tensor_f32(y), .cols = cols};
    a.scale_h = math_resize_scale(r.in_h, r.out_h, r.align_corners);
    kernel_loop(c, r.batch * r.out_h, (double)(r.out_w * (r.channels * 2 + 2)),
                rows_of(kernel_in(c, 0)->dtype), &a);
    return true;
}

static bool bilinear_grad(struct grad_ctx *g, struct status *st)
{
    if (dtype_is_float(grad_type_of(g, grad_in(g, 0))))
        grad_set(g, 0, resize_back(g, "ResizeBilinearGrad", grad_in(g, 0)));
    return grad_done(g, st);
}

OP_DEF(resize_bilinear) = {
    .name = "ResizeBilinear",
    .summary = "Images in another size, each pixel between four, as floats.",
    .inputs = {"images: T", "size: int32"},
    .outputs = {"resized_images: float"},
    .attrs = {"T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}",
              "align_corners: bool = false", "half_pixel_centers: bool = false"},
    .shape = resize_shape,
    .grad = bilinear_grad,
};
KERNEL_DEF(resize_bilinear_cpu) = {.op = "ResizeBilinear", .device = "CPU", .run = bilinear_run};

/* --- the gradient's op: input 1 is the image --- */

#define SPREAD(NAME, T, LOAD, STORE)                                                               \
    static void spread_##NAME(const struct resize *r, const float *dy, T *dx)                      \
    {                                                                                              \
        float scale_h = math_resize_scale(r->in_h, r->out_h, r->align_corners);                    \
        float scale_w = math_resize_scale(r->in_w, r->out_w, r->align_corners);                    \
        int64_t c = r->channels, line = r->in_w * c;                                               \
        for (int64_t row = 0; row < r->batch * r->out_h; row++) {                                  \
            struct math_between v =                                                                \
                math_between(row % r->out_h, scale_h, r->in_h, r->half_pixels);                    \
            T *image = dx + row / r->out_h * r->in_h * line;                                       \
            for (int64_t j = 0; j < r->out_w; j++) {                                               \
                struct math_between u = math_between(j, scale_w, r->in_w, r->half_pixels);         \
                for (int64_t k = 0; k < c; k++) {                                                  \
                    float d = *dy++;                                                               \
                    T *tl = image + v.low * line + u.low * c + k;                                  \
                    T *tr = image + v.low * line + u.high * c + k;                                 \
                    T *bl = image + v.high * line + u.low * c + k;                                 \
                    T *br = image + v.high * line + u.high * c + k;                                \
                    *tl = STORE(LOAD(*tl) + LOAD(STORE(d * (1 - v.part) * (1 - u.part))));         \
                    *tr = STORE(LOAD(*tr) + LOAD(STORE(d * (1 - v.part) * u.part)));               \
                    *bl = STORE(LOAD(*bl) + LOAD(STORE(d * v.part * (1 - u.part))));               \
                    *br = STORE(LOAD(*br) + LOAD(STORE(d * v.part * u.part)));                     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define SAME(x) (x)
SPREAD(f32, float, SAME, SAME)
SPREAD(f64, double, SAME, SAME)
SPREAD(f16, struct f16, f16_to_f32, f16_from_f32)

static bool back_run(struct kctx *c, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *x = kernel_in(c, 1);
    struct resize r;
    if (!resize_back_check(c, &r, st))
        return false;
    struct tensor *dx = kernel_out(c, 0, &x->shape, st);
    if (!dx)
        return false;
    if (dx->num_elems == 0)
        return true;
    memset(dx->data, 0, tensor_bytes(dx));
    if (dx->dtype == DT_FLOAT)
        spread_f32(&r, tensor_f32(dy), tensor_f32(dx));
    else if (dx->dtype == DT_DOUBLE)
        spread_f64(&r, tensor_f32(dy), tensor_f64(dx));
    else
        spread_f16(&r, tensor_f32(dy), dx->data);
    return true;
}

OP_DEF(resize_bilinear_grad) = {
    .name = "ResizeBilinearGrad",
    .summary = "The gradient of ResizeBilinear: each pixel's goes to the four it lay between.",
    .inputs = {"grads: float", "original_image: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, bfloat16, half, double}", "align_corners: bool = false",
              "half_pixel_centers: bool = false"},
    .shape = resize_back_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(resize_bilinear_grad_cpu) = {.op = "ResizeBilinearGrad",
                                        .device = "CPU",
                                        .types = {"T: {half, float, double}"},
                                        .run = back_run};
