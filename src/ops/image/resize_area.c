/* SPDX-License-Identifier: Apache-2.0 */
/* ResizeArea: each pixel is the mean over the area that it covers of the image. */
#include <math.h>

#include "ops/image/resize.h"

struct span { /* pixels [begin, end) of an axis, the first and last of them in part */
    int64_t begin, end;
    float first, last; /* the parts, where both are the same pixel `first` alone counts */
};

static struct span span_of(int64_t i, float scale)
{
    float low = (float)i * scale, high = (float)(i + 1) * scale;
    struct span s = {(int64_t)floorf(low), (int64_t)ceilf(high), 0, 0};
    s.first = (float)(s.begin + 1) > high ? scale : (float)(s.begin + 1) - low;
    s.last = high - (float)(s.end - 1);
    return s;
}

static inline float part(const struct span *s, int64_t i)
{
    return i == s->begin ? s->first : i == s->end - 1 ? s->last : 1;
}

struct area_arg {
    const struct resize *r;
    const float *x;
    float *y, scale_h, scale_w;
};

static void area_pixel(const struct area_arg *a, const float *image, const struct span *v,
                       const struct span *u, float *y)
{
    const struct resize *r = a->r;
    int64_t c = r->channels;
    for (int64_t d = 0; d < c; d++)
        y[d] = 0;
    for (int64_t p = v->begin; p < v->end; p++) {
        const float *line = image + min_i64(p, r->in_h - 1) * r->in_w * c;
        float down = part(v, p);
        for (int64_t q = u->begin; q < u->end; q++) {
            const float *x = line + min_i64(q, r->in_w - 1) * c;
            float weight = down * part(u, q);
            for (int64_t d = 0; d < c; d++)
                y[d] += x[d] * weight;
        }
    }
    float norm = 1 / (a->scale_h * a->scale_w);
    for (int64_t d = 0; d < c; d++)
        y[d] *= norm;
}

static void area_rows(void *arg, int64_t begin, int64_t end)
{
    const struct area_arg *a = arg;
    const struct resize *r = a->r;
    for (int64_t row = begin; row < end; row++) {
        struct span v = span_of(row % r->out_h, a->scale_h);
        const float *image = a->x + row / r->out_h * r->in_h * r->in_w * r->channels;
        float *y = a->y + row * r->out_w * r->channels;
        for (int64_t j = 0; j < r->out_w; j++, y += r->channels) {
            struct span u = span_of(j, a->scale_w);
            area_pixel(a, image, &v, &u, y);
        }
    }
}

static bool area_run(struct kctx *c, struct status *st)
{
    struct resize r;
    if (!resize_check(c, &r, st))
        return false;
    struct tensor *y = resize_out(c, &r, st);
    if (!y || y->num_elems == 0)
        return y != NULL;
    struct area_arg a = {.r = &r, .x = kernel_floats(c, kernel_in(c, 0), st), .y = tensor_f32(y)};
    if (!a.x)
        return false;
    a.scale_h = math_resize_scale(r.in_h, r.out_h, r.align_corners);
    a.scale_w = math_resize_scale(r.in_w, r.out_w, r.align_corners);
    double pixels = (double)(a.scale_h + 2) * (double)(a.scale_w + 2);
    kernel_loop(c, r.batch * r.out_h, (double)(r.out_w * r.channels) * pixels, area_rows, &a);
    return true;
}

OP_DEF(resize_area) = {
    .name = "ResizeArea",
    .summary = "Images in another size, each pixel the mean of the area it covers.",
    .inputs = {"images: T", "size: int32"},
    .outputs = {"resized_images: float"},
    .attrs = {"T: {int8, uint8, int16, uint16, int32, int64, half, float, double}",
              "align_corners: bool = false"},
    .shape = resize_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(resize_area_cpu) = {.op = "ResizeArea", .device = "CPU", .run = area_run};
