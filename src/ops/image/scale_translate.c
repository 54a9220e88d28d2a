/* SPDX-License-Identifier: Apache-2.0 */
/* ScaleAndTranslate and its gradient's op: images resampled with a kernel of some radius, first
 * down, then across. Each axis has a list of weights for each resampled pixel. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ops/image/resize.h"

/* --- kernels: the weight of a distance --- */

static float lanczos(float x, float radius)
{
    const float pi = 3.14159265f;
    if (x > radius)
        return 0;
    if (x <= 1e-3f)
        return 1;
    return radius * sinf(pi * x) * sinf(pi * x / radius) / (pi * pi * x * x);
}
static float lanczos1(float x)
{
    return lanczos(x, 1);
}
static float lanczos3(float x)
{
    return lanczos(x, 3);
}
static float lanczos5(float x)
{
    return lanczos(x, 5);
}
static float gaussian(float x)
{
    const float sigma = 0.5f; /* a third of the radius */
    return x >= 1.5f ? 0 : expf(-x * x / (2 * sigma * sigma));
}
static float box(float x)
{
    return x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0;
}
static float triangle(float x)
{
    return x < 1 ? 1 - x : 0;
}
static float keys_cubic(float x)
{
    if (x >= 2)
        return 0;
    return x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : ((1.5f * x - 2.5f) * x) * x + 1;
}
static float mitchell_cubic(float x)
{
    if (x >= 2)
        return 0;
    return x >= 1 ? (((-7.0f / 18) * x + 2) * x - 10.0f / 3) * x + 16.0f / 9
                  : (((7.0f / 6) * x - 2) * x) * x + 8.0f / 9;
}

struct filter {
    const char *name;
    float radius;
    float (*weight)(float distance);
};
static const struct filter filters[] = {
    {"lanczos1", 1, lanczos1},
    {"lanczos3", 3, lanczos3},
    {"lanczos5", 5, lanczos5},
    {"gaussian", 1.5f, gaussian},
    {"box", 1, box},
    {"triangle", 1, triangle},
    {"keyscubic", 2, keys_cubic},
    {"mitchellcubic", 2, mitchell_cubic},
};

struct resample { /* a kernel's state */
    const struct filter *filter;
    bool antialias;
};

static bool resample_init(struct kernel *k, void *state, struct status *st)
{
    struct resample *r = state;
    struct str name = attrs_string(k->attrs, "kernel_type");
    r->antialias = attrs_bool(k->attrs, "antialias");
    for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
        if (str_is(name, filters[i].name))
            r->filter = &filters[i];
    }
    return r->filter || status_invalid(st, "Unrecognized kernel type: %.*s", (int)name.n, name.p);
}

/* --- weights --- */

struct axis {
    int64_t in, out, most; /* most: of the weights of one pixel */
    float scale, translation;
    int64_t *start; /* pixel i is the sum of count[i] pixels from start[i] on */
    int64_t *count;
    float *weights; /* of pixel i from i * most on */
};

static float clamp(float x, float low, float high)
{
    return x > low ? x < high ? x : high : low; /* NaN: low */
}

static void weigh_pixel(const struct resample *r, struct axis *a, int64_t i, float spread)
{
    float back = 1 / a->scale, at = ((float)i + 0.5f) * back - back * a->translation;
    float reach = r->filter->radius * spread, last = (float)(a->in - 1), sum = 0;
    a->start[i] = a->count[i] = 0;
    if (!(at >= 0 && at <= (float)a->in))
        return;
    int64_t begin = (int64_t)clamp(ceilf(at - reach - 0.5f), 0, last);
    int64_t end = (int64_t)clamp(floorf(at + reach - 0.5f), 0, last) + 1;
    begin = min_i64(begin, a->in - 1); /* a float may lie beyond what it was made of */
    end = min_i64(end, a->in);
    float *w = a->weights + i * a->most;
    int64_t n = max_i64(min_i64(end - begin, a->most), 0);
    for (int64_t j = 0; j < n; j++) {
        w[j] = r->filter->weight(fabsf(((float)(begin + j) + 0.5f - at) * (1 / spread)));
        sum += w[j];
    }
    a->start[i] = begin;
    if (!(fabsf(sum) >= 1000 * FLT_MIN))
        return;
    a->count[i] = n;
    for (int64_t j = 0; j < n; j++)
        w[j] *= 1 / sum;
}

static bool weigh(struct kctx *c, struct axis *a, struct status *st)
{
    const struct resample *r = kernel_state(c);
    float spread = r->antialias ? fmaxf(1 / a->scale, 1) : 1;
    float most = 2 * ceilf(r->filter->radius * spread) + 1;
    int64_t bytes;
    a->most = most < (float)a->in ? (int64_t)most : a->in;
    if (!size_mul(a->most * (int64_t)sizeof(float), a->out, &bytes))
        return status_invalid(st, "too many weights");
    a->weights = kernel_scratch(c, max_i64(bytes, 1), st);
    a->start = a->weights ? kernel_scratch(c, a->out * (int64_t)sizeof(int64_t), st) : NULL;
    a->count = a->start ? kernel_scratch(c, a->out * (int64_t)sizeof(int64_t), st) : NULL;
    if (!a->count)
        return false;
    for (int64_t i = 0; i < a->out; i++)
        weigh_pixel(r, a, i, spread);
    return true;
}

/* Sizes of r, scales from input 2, translations from the next. */
static bool get_axes(struct kctx *c, const struct resize *r, struct axis axes[2], struct status *st)
{
    axes[0] = (struct axis){.in = r->in_h, .out = r->out_h};
    axes[1] = (struct axis){.in = r->in_w, .out = r->out_w};
    for (int j = 0; j < 2; j++) {
        const struct tensor *t = kernel_in(c, 2 + j);
        if (tensor_rank(t) != 1)
            return status_bad_shape(st, "t must be 1-dimensional", &t->shape);
        if (t->num_elems != 2)
            return status_bad_shape(st, "t must have two elements", &t->shape);
    }
    for (int j = 0; j < 2; j++) {
        axes[j].scale = tensor_f32(kernel_in(c, 2))[j];
        axes[j].translation = tensor_f32(kernel_in(c, 3))[j];
        if (!(axes[j].scale > 0))
            return status_invalid(st, "Scale must be greater than zero.");
    }
    return true;
}

/* --- the op --- */

struct pass { /* lines of a.in items of `size` numbers to lines of a.out */
    const struct axis *a;
    const float *x;
    float *y;
    int64_t size;
};

/* The weights of both axes, and room for images that are resampled down and not yet across. */
static float *between_passes(struct kctx *c, const struct resize *r, struct axis axes[2],
                             struct status *st)
{
    int64_t bytes;
    if (!weigh(c, &axes[0], st) || !weigh(c, &axes[1], st))
        return NULL;
    if (size_mul(r->batch * r->out_h, r->in_w * r->channels * (int64_t)sizeof(float), &bytes))
        return kernel_scratch(c, bytes, st);
    status_exhausted(st, "no memory for the images between two passes");
    return NULL;
}

static void gather_lines(void *arg, int64_t begin, int64_t end)
{
    const struct pass *p = arg;
    const struct axis *a = p->a;
    for (int64_t i = begin; i < end; i++) {
        int64_t line = i / a->out, at = i % a->out;
        float *y = p->y + i * p->size;
        memset(y, 0, (size_t)p->size * sizeof(*y));
        for (int64_t j = 0; j < a->count[at]; j++) {
            const float *x = p->x + (line * a->in + a->start[at] + j) * p->size;
            float w = a->weights[at * a->most + j];
            for (int64_t k = 0; k < p->size; k++)
                y[k] += w * x[k];
        }
    }
}

static bool resample_run(struct kctx *c, struct status *st)
{
    struct resize r;
    struct axis axes[2];
    if (!resize_check(c, &r, st) || !get_axes(c, &r, axes, st))
        return false;
    struct tensor *y = resize_out(c, &r, st);
    if (!y || y->num_elems == 0)
        return y != NULL;
    const float *x = kernel_floats(c, kernel_in(c, 0), st);
    float *middle = x ? between_passes(c, &r, axes, st) : NULL;
    if (!middle)
        return false;
    int64_t line = r.in_w * r.channels;
    struct pass down = {&axes[0], x, middle, line};
    kernel_loop(c, r.batch * r.out_h, (double)(line * axes[0].most), gather_lines, &down);
    struct pass across = {&axes[1], middle, tensor_f32(y), r.channels};
    kernel_loop(c, r.batch * r.out_h * r.out_w, (double)(r.channels * axes[1].most), gather_lines,
                &across);
    return true;
}

static bool resample_grad(struct grad_ctx *g, struct status *st)
{
    const struct attrs *attrs = grad_attrs(g);
    struct output x = grad_in(g, 0);
    int dtype = grad_type_of(g, x);
    struct output dx = grad_opv(
        g, "ScaleAndTranslateGrad", 4,
        (struct output[]){grad_dy(g, 0), dtype == DT_FLOAT ? x : grad_cast(g, x, DT_FLOAT),
                          grad_in(g, 2), grad_in(g, 3)},
        2,
        (struct attr[]){{(char *)"antialias", attr_bool(attrs_bool(attrs, "antialias"))},
                        {(char *)"kernel_type", attr_string(attrs_string(attrs, "kernel_type"))}});
    if (dtype_is_float(dtype))
        grad_set(g, 0, grad_cast(g, dx, dtype));
    return grad_done(g, st);
}

#define RESAMPLE_ATTRS "kernel_type: string = 'lanczos3'", "antialias: bool = true"

OP_DEF(scale_and_translate) = {
    .name = "ScaleAndTranslate",
    .summary = "Images scaled and moved, resampled with a kernel.",
    .inputs = {"images: T", "size: int32", "scale: float", "translation: float"},
    .outputs = {"resized_images: float"},
    .attrs = {"T: {int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}",
              RESAMPLE_ATTRS},
    .shape = resize_shape,
    .grad = resample_grad,
};
KERNEL_DEF(scale_and_translate_cpu) = {.op = "ScaleAndTranslate",
                                       .device = "CPU",
                                       .state_bytes = sizeof(struct resample),
                                       .init = resample_init,
                                       .run = resample_run};

/* --- the gradient's op --- */

/* Lines of p->a->out items back to lines of a->in: sums. */
static void spread_lines(const struct pass *p, int64_t lines)
{
    const struct axis *a = p->a;
    memset(p->y, 0, (size_t)(lines * a->in * p->size) * sizeof(*p->y));
    for (int64_t i = 0; i < lines * a->out; i++) {
        int64_t at = i % a->out;
        const float *x = p->x + i * p->size;
        for (int64_t j = 0; j < a->count[at]; j++) {
            float *y = p->y + (i / a->out * a->in + a->start[at] + j) * p->size;
            float w = a->weights[at * a->most + j];
            for (int64_t k = 0; k < p->size; k++)
                y[k] += w * x[k];
        }
    }
}

static bool back_run(struct kctx *c, struct status *st)
{
    struct resize r;
    struct axis axes[2];
    if (!resize_back_check(c, &r, st) || !get_axes(c, &r, axes, st))
        return false;
    struct tensor *dx = kernel_out(c, 0, &kernel_in(c, 1)->shape, st);
    if (!dx || dx->num_elems == 0)
        return dx != NULL;
    if (kernel_in(c, 0)->num_elems == 0) {
        memset(dx->data, 0, tensor_bytes(dx));
        return true;
    }
    float *middle = between_passes(c, &r, axes, st);
    if (!middle)
        return false;
    int64_t line = r.in_w * r.channels;
    spread_lines(&(struct pass){&axes[1], tensor_f32(kernel_in(c, 0)), middle, r.channels},
                 r.batch * r.out_h);
    spread_lines(&(struct pass){&axes[0], middle, tensor_f32(dx), line}, r.batch);
    return true;
}

OP_DEF(scale_and_translate_grad) = {
    .name = "ScaleAndTranslateGrad",
    .summary = "The gradient of ScaleAndTranslate by the images.",
    .inputs = {"grads: T", "original_image: T", "scale: float", "translation: float"},
    .outputs = {"output: T"},
    .attrs = {"T: {float}", RESAMPLE_ATTRS},
    .shape = resize_back_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(scale_and_translate_grad_cpu) = {.op = "ScaleAndTranslateGrad",
                                            .device = "CPU",
                                            .state_bytes = sizeof(struct resample),
                                            .init = resample_init,
                                            .run = back_run};
