/* SPDX-License-Identifier: Apache-2.0 */
/* Images as PNG. Floats become bytes by one scale an image: 0 stays black where all are at least 0,
 * else 0 is grey 128. The arithmetic is of the tensor's type, rounded after each step. */
#include <float.h>
#include <math.h>

#include "codec/png.h"
#include "ops/summary/build.h"

struct image {
    const struct tensor *t;
    const uint8_t *bad;
    int64_t first, num_pixels;
    int depth;
};

static double round_to(int dtype, double v)
{
    if (dtype == DT_HALF)
        return f16_to_f32(f16_from_f32((float)v));
    return dtype == DT_FLOAT ? (double)(float)v : v;
}

static double element(const struct image *im, int64_t pixel, int k)
{
    return summary_number(im->t, im->first + pixel * im->depth + k);
}

static bool finite_pixel(const struct image *im, int64_t pixel)
{
    for (int k = 0; k < im->depth; k++) {
        if (!isfinite(element(im, pixel, k)))
            return false;
    }
    return true;
}

static void scale_of(const struct image *im, double *scale, double *offset)
{
    const double threshold = round_to(im->t->dtype, 1e-6f);
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < im->num_pixels; i++) {
        int depth = finite_pixel(im, i) ? im->depth : 0;
        for (int k = 0; k < depth; k++) {
            double v = element(im, i, k);
            least = v < least ? v : least;
            most = v > most ? v : most;
        }
    }
    bool signs = least < 0;
    double range = signs ? fmax(fabs(least), fabs(most)) : most;
    *offset = signs ? 128 : 0;
    *scale = range < threshold ? 0 : round_to(im->t->dtype, (signs ? 127 : 255) / range);
}

static void to_bytes(const struct image *im, uint8_t *out)
{
    int dtype = im->t->dtype;
    double scale, offset;
    if (dtype == DT_UINT8) {
        memcpy(out, (const uint8_t *)im->t->data + im->first, (size_t)(im->num_pixels * im->depth));
        return;
    }
    scale_of(im, &scale, &offset);
    for (int64_t i = 0; i < im->num_pixels; i++, out += im->depth) {
        bool fine = finite_pixel(im, i);
        for (int k = 0; k < im->depth; k++) {
            double v = fine ? round_to(dtype, element(im, i, k) * scale) : im->bad[k];
            v = fine ? round_to(dtype, v + offset) : v;
            out[k] = v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v;
        }
    }
}

static bool check(const struct summary_images *in, struct status *st)
{
    const struct tensor *t = in->images;
    struct strbuf text = {0};
    int64_t depth = tensor_rank(t) == 4 ? tensor_dim(t, 3) : 0;
    shape_print(&t->shape, &text);
    bool ok = depth == 1 || depth == 3 || depth == 4;
    if (!ok) {
        status_invalid(st, "Tensor must be 4-D with last dim 1, 3, or 4, not %s",
                       strbuf_text(&text));
    } else if (tensor_dim(t, 0) > INT32_MAX || tensor_dim(t, 1) > INT32_MAX ||
               tensor_dim(t, 2) > INT32_MAX || tensor_dim(t, 1) * tensor_dim(t, 2) > INT32_MAX) {
        ok = status_invalid(st, "Tensor too large for summary %s", strbuf_text(&text));
    } else if (tensor_rank(in->bad_color) != 1) {
        strbuf_clear(&text);
        shape_print(&in->bad_color->shape, &text);
        ok = status_invalid(st, "bad_color must be a vector, got shape %s", strbuf_text(&text));
    } else if (in->bad_color->num_elems < depth && t->dtype != DT_UINT8) {
        ok = status_invalid(
            st, "expected depth <= bad_color.size, got depth = %lld, bad_color.size = %lld",
            (long long)depth, (long long)in->bad_color->num_elems);
    } else if (tensor_dim(t, 0) > 0 && tensor_dim(t, 1) * tensor_dim(t, 2) == 0) {
        ok = status_invalid(st, "input tensor must have non-zero dims. Found: %s.",
                            strbuf_text(&text));
    }
    strbuf_release(&text);
    return ok;
}

bool summary_add_images(struct summary_to *s, const struct summary_images *in, struct kctx *c,
                        struct status *st)
{
    if (!check(in, st))
        return false;
    const struct tensor *t = in->images;
    int64_t n = min_i64(in->max_images, tensor_dim(t, 0));
    struct image im = {.t = t,
                       .bad = in->bad_color->data,
                       .num_pixels = tensor_dim(t, 1) * tensor_dim(t, 2),
                       .depth = (int)tensor_dim(t, 3)};
    uint8_t *pixels = kernel_scratch(c, max_i64(im.num_pixels * im.depth, 1), st);
    for (int64_t i = 0; pixels && i < n; i++) {
        struct picture p = {.pixels = pixels,
                            .height = tensor_dim(t, 1),
                            .width = tensor_dim(t, 2),
                            .channels = im.depth,
                            .compression = -1};
        struct strbuf png = {0};
        struct pb_summary_value *v = pb_summary_value_add(s->arena, &s->message->value);
        im.first = i * im.num_pixels * im.depth;
        to_bytes(&im, pixels);
        v->tag = str_of(
            in->max_images > 1
                ? arena_printf(s->arena, "%.*s/image/%lld", (int)in->tag.n, in->tag.p, (long long)i)
                : arena_printf(s->arena, "%.*s/image", (int)in->tag.n, in->tag.p));
        v->which_value = 4;
        v->image = pb_summary_image_new(s->arena);
        v->image->height = (int32_t)p.height;
        v->image->width = (int32_t)p.width;
        v->image->colorspace = im.depth;
        bool ok = png_encode(&p, &png, st);
        v->image->encoded_image_string = pb_str_dup(s->arena, str_make(png.p, png.n));
        strbuf_release(&png);
        if (!ok)
            return false;
    }
    return pixels != NULL;
}
