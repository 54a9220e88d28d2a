/* SPDX-License-Identifier: Apache-2.0 */
/* ExtractGlimpse: a part of each image around a place; what lies outside of the image is noise. */
#include <math.h>
#include <string.h>

#include "math/rng.h"
#include "op/floats.h"
#include "op/infer.h"

enum noise { NOISE_UNIFORM, NOISE_GAUSSIAN, NOISE_ZERO };

struct glimpse { /* a kernel's state */
    bool centered, normalized;
    enum noise noise;
};

static bool read_noise(const struct attrs *attrs, enum noise *out, struct status *st)
{
    struct str name = attrs_string(attrs, "noise");
    if (str_is(name, "uniform"))
        *out = NOISE_UNIFORM;
    else if (str_is(name, "gaussian"))
        *out = NOISE_GAUSSIAN;
    else if (str_is(name, "zero"))
        *out = NOISE_ZERO;
    else
        return status_invalid(st, "The noise could only be uniform, gaussian, or zero, got%.*s",
                              (int)name.n, name.p);
    return !attrs_bool(attrs, "uniform_noise") || *out == NOISE_UNIFORM ||
           status_invalid(st,
                          "The uniform_noise and noise should not be specified at the same time");
}

static bool glimpse_init(struct kernel *k, void *state, struct status *st)
{
    struct glimpse *g = state;
    g->centered = attrs_bool(k->attrs, "centered");
    g->normalized = attrs_bool(k->attrs, "normalized");
    return read_noise(k->attrs, &g->noise, st);
}

struct view { /* one image, and the part of it */
    const float *x;
    float *y;
    int64_t h, w, c, out_h, out_w, top, left;
};

/* The first pixel of a part of `size` of an axis. */
static int64_t first(const struct glimpse *g, float at, int64_t n, int64_t size)
{
    const float far = 1e15f;
    if (g->normalized)
        at *= (float)n;
    if (g->centered)
        at = at / 2 + (float)n / 2;
    at -= (float)size / 2;
    return at >= far ? (int64_t)far : at > -far ? (int64_t)at : -(int64_t)far;
}

/* Noise of the kind of the image's own numbers, in each channel. */
static void fill_noise(const struct view *v, enum noise kind, struct math_philox *rng)
{
    int64_t pixels = v->h * v->w, out = v->out_h * v->out_w;
    for (int64_t d = 0; d < v->c; d++) {
        float low = v->x[d], high = v->x[d];
        double sum = 0, squares = 0, drawn[2] = {0};
        for (int64_t i = 0; i < pixels; i++) {
            float x = v->x[i * v->c + d];
            low = fminf(low, x);
            high = fmaxf(high, x);
            sum += (double)x;
            squares += (double)x * (double)x;
        }
        double mean = sum / (double)pixels, spread = squares / (double)pixels - mean * mean;
        spread = sqrt(spread > 0 ? spread : 0);
        for (int64_t i = 0; i < out; i++) {
            if (i % 2 == 0 && kind == NOISE_UNIFORM)
                math_philox_uniforms(rng, drawn);
            else if (i % 2 == 0)
                math_philox_normals(rng, drawn);
            float *y = &v->y[i * v->c + d];
            if (kind == NOISE_UNIFORM)
                *y = low + (float)drawn[i % 2] * (high - low);
            else
                *y = fmaxf(fminf((float)(mean + spread * drawn[i % 2]), high), low);
        }
    }
}

static void glance(const struct view *v, enum noise kind, struct math_philox *rng)
{
    bool within =
        v->top >= 0 && v->left >= 0 && v->top + v->out_h <= v->h && v->left + v->out_w <= v->w;
    if (!within && kind != NOISE_ZERO && v->h * v->w > 0)
        fill_noise(v, kind, rng);
    else if (!within)
        memset(v->y, 0, (size_t)(v->out_h * v->out_w * v->c) * sizeof(*v->y));
    int64_t l = max_i64(v->left, 0), r = min_i64(v->left + v->out_w, v->w);
    for (int64_t i = max_i64(v->top, 0); l < r && i < min_i64(v->top + v->out_h, v->h); i++)
        memcpy(v->y + ((i - v->top) * v->out_w + l - v->left) * v->c, v->x + (i * v->w + l) * v->c,
               (size_t)((r - l) * v->c) * sizeof(*v->y));
}

static bool check_inputs(const struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *size = kernel_in(c, 1), *at = kernel_in(c, 2);
    if (tensor_rank(x) != 4)
        return status_bad_shape(
            st, "input must be 4-dimensional (batch_size, height, width, depth)", &x->shape);
    if (tensor_rank(size) != 1 || size->num_elems != 2)
        return status_bad_shape(st, "input must be a vector of size 2 (height, width)",
                                &size->shape);
    if (tensor_i32(size)[0] < 0 || tensor_i32(size)[1] < 0)
        return status_invalid(st, "size must not be negative: %d, %d", tensor_i32(size)[0],
                              tensor_i32(size)[1]);
    if (tensor_rank(at) != 2)
        return status_bad_shape(st, "input must be a matrix", &at->shape);
    if (tensor_dim(at, 0) != tensor_dim(x, 0))
        return status_bad_shape(st, "first dimension should be batch", &at->shape);
    return tensor_dim(at, 1) == 2 ||
           status_bad_shape(st, "second dimension should be of size 2 (y,x)", &at->shape);
}

static bool glimpse_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *size = kernel_in(c, 1), *at = kernel_in(c, 2);
    const struct glimpse *g = kernel_state(c);
    int64_t elems;
    if (!check_inputs(c, st))
        return false;
    struct view v = {.h = tensor_dim(x, 1), .w = tensor_dim(x, 2), .c = tensor_dim(x, 3)};
    v.out_h = tensor_i32(size)[0];
    v.out_w = tensor_i32(size)[1];
    struct shape s = shape_4(tensor_dim(x, 0), v.out_h, v.out_w, v.c);
    struct tensor *y = shape_num_elems(&s, &elems, st) ? kernel_out(c, 0, &s, st) : NULL;
    if (!y || elems == 0)
        return y != NULL;
    struct math_philox rng;
    math_philox_init(&rng, math_random_seed(), math_random_seed());
    for (int64_t b = 0; b < tensor_dim(x, 0); b++) {
        v.x = tensor_f32(x) + b * v.h * v.w * v.c;
        v.y = tensor_f32(y) + b * v.out_h * v.out_w * v.c;
        v.top = first(g, tensor_f32(at)[2 * b], v.h, v.out_h);
        v.left = first(g, tensor_f32(at)[2 * b + 1], v.w, v.out_w);
        glance(&v, g->noise, &rng);
    }
    return true;
}

static bool glimpse_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *size, *at;
    enum noise noise;
    int64_t n, dims[4] = {DIM_UNKNOWN, DIM_UNKNOWN, DIM_UNKNOWN, DIM_UNKNOWN};
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &size, st) ||
        !infer_want_rank(c, infer_input(c, 2), 2, &at, st) ||
        !infer_want_dim(c, infer_dim(size, 0), 2, &n, st) ||
        !infer_want_dim(c, infer_dim(at, 1), 2, &n, st) ||
        !infer_merge_dim(infer_dim(x, 0), infer_dim(at, 0), &dims[0], st) ||
        !read_noise(infer_attrs(c), &noise, st))
        return false;
    const struct tensor *known = infer_const(c, 1);
    for (int i = 0; known && known->num_elems == 2 && i < 2; i++)
        dims[1 + i] = max_i64(tensor_i32(known)[i], DIM_UNKNOWN);
    dims[3] = infer_dim(x, 3);
    infer_set(c, 0, infer_make(c, dims, 4));
    return true;
}

OP_DEF(extract_glimpse) = {
    .name = "ExtractGlimpse",
    .summary = "A part of each image around a place of its own; noise where it leaves the image.",
    .inputs = {"input: float", "size: int32", "offsets: float"},
    .outputs = {"glimpse: float"},
    .attrs = {"centered: bool = true", "normalized: bool = true", "uniform_noise: bool = true",
              "noise: string = 'uniform'"},
    .shape = glimpse_shape,
    .no_grad = "TensorFlow gives none",
};
KERNEL_DEF(extract_glimpse_cpu) = {.op = "ExtractGlimpse",
                                   .device = "CPU",
                                   .state_bytes = sizeof(struct glimpse),
                                   .init = glimpse_init,
                                   .run = glimpse_run};
