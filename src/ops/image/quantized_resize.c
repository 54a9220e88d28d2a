/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedResizeBilinear: each pixel lies between four, as in ResizeBilinear; integers are
 * computed in whole numbers, with the place between two pixels in parts of 2^7 or 2^30. */
#include <string.h>

#include "op/qrange.h"
#include "ops/image/resize.h"

struct quantized_resize {
    struct resize size;
    const void *x;
    void *y;
    float scale_h;
    const struct math_between *cols;
};

/* The four neighbours of one number. */
struct four {
    int64_t tl, tr, bl, br;
};

static inline float mix(float a, float b, float part)
{
    return a + (b - a) * part;
}

static void pixel_f32(const struct quantized_resize *a, struct four at, float u, float v, int64_t i)
{
    const float *x = a->x;
    ((float *)a->y)[i] = mix(mix(x[at.tl], x[at.tr], u), mix(x[at.bl], x[at.br], u), v);
}

/* In whole numbers, a part of a pixel in 2^bits of it. */
static inline int64_t between_four(int64_t tl, int64_t tr, int64_t bl, int64_t br, float u, float v,
                                   int bits)
{
    const int64_t one = (int64_t)1 << bits;
    const int64_t along = (int64_t)(u * (float)one), down = (int64_t)(v * (float)one);
    const int64_t top = tl * one + (tr - tl) * along, low = bl * one + (br - bl) * along;
    return (top + (low - top) / one * down + one / 2) / one;
}

static void pixel_u8(const struct quantized_resize *a, struct four at, float u, float v, int64_t i)
{
    const uint8_t *x = a->x;
    ((uint8_t *)a->y)[i] = (uint8_t)between_four(x[at.tl], x[at.tr], x[at.bl], x[at.br], u, v, 7);
}

static void pixel_i32(const struct quantized_resize *a, struct four at, float u, float v, int64_t i)
{
    const int32_t *x = a->x; /* read as floats, which rounds what is great */
    ((int32_t *)a->y)[i] =
        (int32_t)between_four((int64_t)(float)x[at.tl], (int64_t)(float)x[at.tr],
                              (int64_t)(float)x[at.bl], (int64_t)(float)x[at.br], u, v, 30);
}

typedef void (*pixel_fn)(const struct quantized_resize *a, struct four at, float u, float v,
                         int64_t i);

static void resize_rows(const struct quantized_resize *a, int64_t begin, int64_t end,
                        pixel_fn pixel)
{
    const struct resize *r = &a->size;
    const int64_t c = r->channels, line = r->in_w * c;
    for (int64_t row = begin; row < end; row++) {
        const struct math_between v =
            math_between(row % r->out_h, a->scale_h, r->in_h, r->half_pixels);
        const int64_t image = row / r->out_h * r->in_h * line;
        const int64_t top = image + v.low * line, low = image + v.high * line;
        for (int64_t j = 0; j < r->out_w; j++) {
            const struct math_between *u = &a->cols[j];
            for (int64_t k = 0; k < c; k++) {
                const int64_t left = u->low * c + k, right = u->high * c + k;
                const struct four at = {top + left, top + right, low + left, low + right};
                pixel(a, at, u->part, v.part, (row * r->out_w + j) * c + k);
            }
        }
    }
}

#define ROWS(name)                                                                                 \
    static void rows_##name(void *arg, int64_t begin, int64_t end)                                 \
    {                                                                                              \
        resize_rows(arg, begin, end, pixel_##name);                                                \
    }
ROWS(f32)
ROWS(u8)
ROWS(i32)

static bool quantized_resize_run(struct kctx *c, struct status *st)
{
    struct quantized_resize a;
    struct qrange range;
    struct resize *r = &a.size;
    if (!resize_check(c, r, st) || !qrange_in(c, 2, &range, st))
        return false;
    struct tensor *y = resize_out(c, r, st);
    if (y && r->in_h == r->out_h && r->in_w == r->out_w) {
        memcpy(y->data, kernel_in(c, 0)->data, tensor_bytes(y));
        return qrange_out(c, 1, range, st);
    }
    struct math_between *cols = y ? kernel_scratch(c, r->out_w * (int64_t)sizeof *cols, st) : NULL;
    if (!cols)
        return false;
    const float scale = math_resize_scale(r->in_w, r->out_w, r->align_corners);
    for (int64_t j = 0; j < r->out_w; j++)
        cols[j] = math_between(j, scale, r->in_w, r->half_pixels);
    a.x = kernel_in(c, 0)->data;
    a.y = y->data;
    a.cols = cols;
    a.scale_h = math_resize_scale(r->in_h, r->out_h, r->align_corners);
    if (y->num_elems > 0)
        kernel_loop(c, r->batch * r->out_h, (double)(r->out_w * (r->channels * 8 + 2)),
                    y->dtype == DT_FLOAT    ? rows_f32
                    : y->dtype == DT_QUINT8 ? rows_u8
                                            : rows_i32,
                    &a);
    return qrange_out(c, 1, range, st);
}

static bool quantized_resize_shape(struct infer_ctx *c, struct status *st)
{
    qrange_infer_limits(c, 1);
    return resize_shape(c, st) && qrange_infer_scalars(c, 2, st);
}

OP_DEF(quantized_resize_bilinear) = {
    .name = "QuantizedResizeBilinear",
    .summary = "Images of quantised numbers in another size, each pixel between four.",
    .inputs = {"images: T", "size: int32", "min: float", "max: float"},
    .outputs = {"resized_images: T", "out_min: float", "out_max: float"},
    .attrs = {"T: {quint8, qint32, float}", "align_corners: bool = false",
              "half_pixel_centers: bool = false"},
    .shape = quantized_resize_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(quantized_resize_bilinear_cpu) = {
    .op = "QuantizedResizeBilinear", .device = "CPU", .run = quantized_resize_run};
