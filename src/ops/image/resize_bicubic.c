/* SPDX-License-Identifier: Apache-2.0 */
/* ResizeBicubic and its gradient's op: each pixel lies between sixteen, with cubic weights of the
 * distance, which is rounded to 1/1024 of a pixel as TensorFlow's table does. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/image/resize.h"

struct cubic { /* four pixels of an axis and what each weighs */
    int64_t at[4];
    float weight[4];
};

/* Keys' kernel with parameter a: of distances up to 1, and from there up to 2. */
static double near_weight(double x, double a)
{
    return ((a + 2) * x - (a + 3)) * x * x + 1;
}
static double far_weight(double x, double a)
{
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

static struct cubic cubic_at(int64_t i, float scale, int64_t n, bool half_pixels)
{
    float at = half_pixels ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
    int64_t low = (int64_t)floorf(at);
    double a = half_pixels ? -0.5 : -0.75;
    double x = (double)lrintf((at - (float)low) * 1024) / 1024;
    struct cubic k = {.weight = {(float)far_weight(x + 1, a), (float)near_weight(x, a),
                                 (float)near_weight(1 - x, a), (float)far_weight(2 - x, a)}};
    float sum = 0;
    for (int j = 0; j < 4; j++) {
        int64_t pixel = low - 1 + j;
        k.at[j] = max_i64(min_i64(pixel, n - 1), 0);
        if (half_pixels && k.at[j] != pixel)
            k.weight[j] = 0; /* the rest share what lies outside */
        sum += k.weight[j];
    }
    for (int j = 0; j < 4 && half_pixels && fabsf(sum) >= 1000 * FLT_MIN; j++)
        k.weight[j] *= 1 / sum;
    return k;
}

struct cubics {
    struct cubic *rows, *cols;
};

/* Of every row and column of the resized image, in scratch. */
static bool make_cubics(struct kctx *c, const struct resize *r, struct cubics *k, struct status *st)
{
    float scale_h = math_resize_scale(r->in_h, r->out_h, r->align_corners);
    float scale_w = math_resize_scale(r->in_w, r->out_w, r->align_corners);
    k->rows = kernel_scratch(c, r->out_h * (int64_t)sizeof(struct cubic), st);
    k->cols = k->rows ? kernel_scratch(c, r->out_w * (int64_t)sizeof(struct cubic), st) : NULL;
    if (!k->cols)
        return false;
    for (int64_t i = 0; i < r->out_h; i++)
        k->rows[i] = cubic_at(i, scale_h, r->in_h, r->half_pixels);
    for (int64_t i = 0; i < r->out_w; i++)
        k->cols[i] = cubic_at(i, scale_w, r->in_w, r->half_pixels);
    return true;
}

struct bicubic_arg {
    const struct resize *r;
    const float *x;
    float *y;
    struct cubics cubics;
};

static void bicubic_rows(void *arg, int64_t begin, int64_t end)
{
    const struct bicubic_arg *a = arg;
    const struct resize *r = a->r;
    int64_t c = r->channels, line = r->in_w * c;
    for (int64_t row = begin; row < end; row++) {
        const struct cubic *v = &a->cubics.rows[row % r->out_h];
        const float *image = a->x + row / r->out_h * r->in_h * line;
        float *y = a->y + row * r->out_w * c;
        for (int64_t j = 0; j < r->out_w; j++, y += c) {
            const struct cubic *u = &a->cubics.cols[j];
            for (int64_t d = 0; d < c; d++) {
                float sum = 0;
                for (int q = 0; q < 4; q++) {
                    const float *x = image + u->at[q] * c + d;
                    float down = 0;
                    for (int p = 0; p < 4; p++)
                        down += x[v->at[p] * line] * v->weight[p];
                    sum += down * u->weight[q];
                }
                y[d] = sum;
            }
        }
    }
}

static bool bicubic_run(struct kctx *c, struct status *st)
{
    struct resize r;
    if (!resize_check(c, &r, st))
        return false;
    struct bicubic_arg a = {.r = &r};
    struct tensor *y = resize_out(c, &r, st);
    if (!y || y->num_elems == 0)
        return y != NULL;
    a.y = tensor_f32(y);
    a.x = kernel_floats(c, kernel_in(c, 0), st);
    if (!a.x || !make_cubics(c, &r, &a.cubics, st))
        return false;
    kernel_loop(c, r.batch * r.out_h, (double)(r.out_w * r.channels * 16), bicubic_rows, &a);
    return true;
}

static bool bicubic_grad(struct grad_ctx *g, struct status *st)
{
    int dtype = grad_type_of(g, grad_in(g, 0));
    if (dtype == DT_FLOAT || dtype == DT_DOUBLE)
        grad_set(g, 0, resize_back(g, "ResizeBicubicGrad", grad_in(g, 0)));
    return grad_done(g, st);
}

OP_DEF(resize_bicubic) = {
    .name = "ResizeBicubic",
    .summary = "Images in another size, by cubics through four pixels of each axis.",
    .inputs = {"images: T", "size: int32"},
    .outputs = {"resized_images: float"},
    .attrs = {"T: {int8, uint8, int16, uint16, int32, int64, half, float, double}",
              "align_corners: bool = false", "half_pixel_centers: bool = false"},
    .shape = resize_shape,
    .grad = bicubic_grad,
};
KERNEL_DEF(resize_bicubic_cpu) = {.op = "ResizeBicubic", .device = "CPU", .run = bicubic_run};

#define SPREAD(T)                                                                                  \
    static void spread_##T(const struct resize *r, const struct cubics *k, const float *dy, T *dx) \
    {                                                                                              \
        int64_t c = r->channels, line = r->in_w * c;                                               \
        for (int64_t row = 0; row < r->batch * r->out_h; row++) {                                  \
            const struct cubic *v = &k->rows[row % r->out_h];                                      \
            T *image = dx + row / r->out_h * r->in_h * line;                                       \
            for (int64_t j = 0; j < r->out_w; j++, dy += c) {                                      \
                const struct cubic *u = &k->cols[j];                                               \
                for (int64_t d = 0; d < c * 16; d++) {                                             \
                    int p = (int)(d / c / 4), q = (int)(d / c % 4);                                \
                    image[v->at[p] * line + u->at[q] * c + d % c] +=                               \
                        (T)dy[d % c] * (T)v->weight[p] * (T)u->weight[q];                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
SPREAD(float)
SPREAD(double)
#undef SPREAD

static bool back_run(struct kctx *c, struct status *st)
{
    struct resize r;
    struct cubics k;
    if (!resize_back_check(c, &r, st))
        return false;
    const struct tensor *dy = kernel_in(c, 0);
    struct tensor *dx = kernel_out(c, 0, &kernel_in(c, 1)->shape, st);
    if (!dx || dx->num_elems == 0)
        return dx != NULL;
    memset(dx->data, 0, tensor_bytes(dx));
    if (dy->num_elems == 0)
        return true;
    if (!make_cubics(c, &r, &k, st))
        return false;
    if (dx->dtype == DT_FLOAT)
        spread_float(&r, &k, tensor_f32(dy), tensor_f32(dx));
    else
        spread_double(&r, &k, tensor_f32(dy), tensor_f64(dx));
    return true;
}

OP_DEF(resize_bicubic_grad) = {
    .name = "ResizeBicubicGrad",
    .summary = "The gradient of ResizeBicubic: each pixel's goes to the sixteen it lay between.",
    .inputs = {"grads: float", "original_image: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {float, double}", "align_corners: bool = false",
              "half_pixel_centers: bool = false"},
    .shape = resize_back_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(resize_bicubic_grad_cpu) = {.op = "ResizeBicubicGrad", .device = "CPU", .run = back_run};
