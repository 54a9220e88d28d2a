/* SPDX-License-Identifier: Apache-2.0 */
/* Dilation2D, the greatest of sums of a window and a filter in each channel, and the ops of its
 * gradients, which go to where the greatest was (the first of equal ones). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/value_add.h"
#include "op/floats.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/window_axis.h"

struct dilation {
    struct window_axis h, w;
    int64_t batch, channels;
};

struct place {             /* where an output's greatest sum came from */
    int64_t input, filter; /* elements; input -1: outside of the image */
};

/* Places of the n-th output pixel's channels, and the sums as elements of the type; either may be
 * NULL. */
typedef void (*best_fn)(const struct dilation *k, const void *x, const void *f, int64_t n,
                        struct place *places, void *sums);

/* Where TensorFlow puts the gradient if no sum is greater than the least number: the window's first
 * pixel, or that of the image. */
static int64_t first_pixel(const struct dilation *k, int64_t h, int64_t w)
{
    int64_t y = max_i64(window_axis_at(&k->h, h, 0), 0);
    int64_t x = max_i64(window_axis_at(&k->w, w, 0), 0);
    return y < k->h.in && x < k->w.in ? y * k->w.in + x : -1;
}

#define BEST(NAME, T, ACC, LOAD, SUM, LOWEST)                                                      \
    static void best_##NAME(const struct dilation *k, const void *xs, const void *fs, int64_t n,   \
                            struct place *places, void *sums)                                      \
    {                                                                                              \
        const T *x = xs, *f = fs;                                                                  \
        int64_t c = k->channels, w = n % k->w.out, h = n / k->w.out % k->h.out;                    \
        int64_t image = n / k->w.out / k->h.out * k->h.in * k->w.in * c;                           \
        int64_t at_first = first_pixel(k, h, w);                                                   \
        for (int64_t d = 0; d < c; d++) {                                                          \
            ACC best = LOWEST;                                                                     \
            struct place from = {at_first < 0 ? -1 : image + at_first * c + d, d};                 \
            for (int64_t i = 0; i < k->h.size * k->w.size; i++) {                                  \
                int64_t y = window_axis_at(&k->h, h, i / k->w.size);                               \
                int64_t z = window_axis_at(&k->w, w, i % k->w.size);                               \
                if (y < 0 || y >= k->h.in || z < 0 || z >= k->w.in)                                \
                    continue;                                                                      \
                int64_t at = image + (y * k->w.in + z) * c + d;                                    \
                ACC sum = SUM(x[at], f[i * c + d]);                                                \
                if (sum > best) {                                                                  \
                    best = sum;                                                                    \
                    from = (struct place){at, i * c + d};                                          \
                }                                                                                  \
            }                                                                                      \
            if (places)                                                                            \
                places[d] = from;                                                                  \
            if (sums)                                                                              \
                ((T *)sums)[d] = LOAD(best);                                                       \
        }                                                                                          \
    }
#define SAME(x) (x)
#define PLUS(a, b) ((a) + (b))
#define PLUS_F16(a, b) f16_to_f32(f16_from_f32(f16_to_f32(a) + f16_to_f32(b)))
#define PLUS_BF16(a, b) bf16_to_f32(bf16_from_f32(bf16_to_f32(a) + bf16_to_f32(b)))
#define PLUS_I8(a, b) ((int8_t)((a) + (b)))
#define PLUS_U8(a, b) ((uint8_t)((a) + (b)))
#define PLUS_I16(a, b) ((int16_t)((a) + (b)))
#define PLUS_U16(a, b) ((uint16_t)((a) + (b)))
#define PLUS_I32(a, b) ((int32_t)((uint32_t)(a) + (uint32_t)(b)))
#define PLUS_I64(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
BEST(f32, float, float, SAME, PLUS, -FLT_MAX)
BEST(f64, double, double, SAME, PLUS, -DBL_MAX)
BEST(f16, struct f16, float, f16_from_f32, PLUS_F16, -65504.0f)
BEST(bf16, struct bf16, float, bf16_from_f32, PLUS_BF16, -FLT_MAX)
BEST(i8, int8_t, int8_t, SAME, PLUS_I8, INT8_MIN)
BEST(u8, uint8_t, uint8_t, SAME, PLUS_U8, 0)
BEST(i16, int16_t, int16_t, SAME, PLUS_I16, INT16_MIN)
BEST(u16, uint16_t, uint16_t, SAME, PLUS_U16, 0)
BEST(i32, int32_t, int32_t, SAME, PLUS_I32, INT32_MIN)
BEST(i64, int64_t, int64_t, SAME, PLUS_I64, INT64_MIN)

static best_fn best_of(int dtype)
{
    switch (dtype) {
    case DT_FLOAT:
        return best_f32;
    case DT_DOUBLE:
        return best_f64;
    case DT_HALF:
        return best_f16;
    case DT_BFLOAT16:
        return best_bf16;
    case DT_INT8:
        return best_i8;
    case DT_UINT8:
        return best_u8;
    case DT_INT16:
        return best_i16;
    case DT_UINT16:
        return best_u16;
    case DT_INT32:
        return best_i32;
    default:
        return best_i64;
    }
}

/* --- checks --- */

static bool read_attrs(const struct attrs *attrs, struct dilation *k, struct status *st)
{
    const struct attr_value *strides = attrs_list(attrs, "strides"), *rates;
    rates = attrs_list(attrs, "rates");
    if (strides->n != 4 || rates->n != 4)
        return status_invalid(st, "%s must specify 4 dimensions",
                              strides->n != 4 ? "Sliding window stride field"
                                              : "Input stride (atrous rate) field");
    if (strides->is[0] != 1 || strides->is[3] != 1)
        return status_unimplemented(st, "Stride is only supported across spatial dimensions.");
    if (rates->is[0] != 1 || rates->is[3] != 1)
        return status_unimplemented(st, "Rate is only supported across spatial dimensions.");
    for (int i = 1; i < 3; i++) {
        if (strides->is[i] < 1 || rates->is[i] < 1 || strides->is[i] > INT32_MAX ||
            rates->is[i] > INT32_MAX)
            return status_invalid(st, "strides and rates must be positive");
    }
    k->h = (struct window_axis){.stride = strides->is[1], .rate = rates->is[1]};
    k->w = (struct window_axis){.stride = strides->is[2], .rate = rates->is[2]};
    return true;
}

static bool read_dilation(const struct kctx *c, struct dilation *k, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *f = kernel_in(c, 1);
    struct str padding = attrs_string(kernel_attrs(c), "padding");
    if (!read_attrs(kernel_attrs(c), k, st))
        return false;
    if (tensor_rank(x) != 4)
        return status_bad_shape(st, "input must be 4-dimensional", &x->shape);
    if (tensor_rank(f) != 3)
        return status_bad_shape(st, "filter must be 3-dimensional: ", &f->shape);
    k->batch = tensor_dim(x, 0);
    k->h.in = tensor_dim(x, 1);
    k->w.in = tensor_dim(x, 2);
    k->channels = tensor_dim(x, 3);
    k->h.size = tensor_dim(f, 0);
    k->w.size = tensor_dim(f, 1);
    if (k->channels != tensor_dim(f, 2))
        return status_invalid(st, "input and filter must have the same depth: %lld vs %lld",
                              (long long)k->channels, (long long)tensor_dim(f, 2));
    if (k->h.size < 1 || k->w.size < 1 || k->h.size > INT32_MAX || k->w.size > INT32_MAX)
        return status_invalid(st, "filter must not be empty");
    return window_axis_set(&k->h, padding, st) && window_axis_set(&k->w, padding, st);
}

/* --- Dilation2D --- */

struct dilation_arg {
    const struct dilation *k;
    const struct tensor *x, *f;
    struct tensor *y;
};

static void dilate_pixels(void *arg, int64_t begin, int64_t end)
{
    const struct dilation_arg *a = arg;
    best_fn best = best_of(a->x->dtype);
    size_t pixel = (size_t)a->k->channels * dtype_size(a->x->dtype);
    for (int64_t n = begin; n < end; n++)
        best(a->k, a->x->data, a->f->data, n, NULL, (char *)a->y->data + (size_t)n * pixel);
}

static bool dilation_run(struct kctx *c, struct status *st)
{
    struct dilation k;
    int64_t elems;
    if (!read_dilation(c, &k, st))
        return false;
    struct shape s = shape_4(k.batch, k.h.out, k.w.out, k.channels);
    struct tensor *y = shape_num_elems(&s, &elems, st) ? kernel_out(c, 0, &s, st) : NULL;
    if (!y || elems == 0)
        return y != NULL;
    struct dilation_arg a = {&k, kernel_in(c, 0), kernel_in(c, 1), y};
    kernel_loop(c, elems / k.channels, (double)(k.channels * k.h.size * k.w.size), dilate_pixels,
                &a);
    return true;
}

static bool dilation_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *f;
    struct dilation k = {0};
    int64_t dims[4], depth;
    struct str padding = attrs_string(infer_attrs(c), "padding");
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 3, &f, st) || !read_attrs(infer_attrs(c), &k, st) ||
        !infer_merge_dim(infer_dim(x, 3), infer_dim(f, 2), &depth, st))
        return false;
    dims[0] = infer_dim(x, 0);
    dims[1] = dims[2] = DIM_UNKNOWN;
    dims[3] = depth;
    struct window_axis *axes[] = {&k.h, &k.w};
    for (int i = 0; i < 2; i++) {
        axes[i]->in = infer_dim(x, 1 + i);
        axes[i]->size = infer_dim(f, i);
        if (axes[i]->size >= 0 && !window_axis_count(axes[i], padding, &dims[1 + i], st))
            return false;
    }
    infer_set(c, 0, infer_make(c, dims, 4));
    return true;
}

static bool dilation_grad(struct grad_ctx *g, struct status *st)
{
    static const char *const ops[] = {"Dilation2DBackpropInput", "Dilation2DBackpropFilter"};
    static const char *const names[] = {"strides", "rates", "padding"};
    for (int i = 0; i < 2; i++) {
        struct attr copies[3];
        for (int j = 0; j < 3; j++)
            copies[j] = (struct attr){(char *)names[j],
                                      attr_value_dup(attrs_find(grad_attrs(g), names[j]))};
        grad_set(g, i,
                 grad_opv(g, ops[i], 3,
                          (struct output[]){grad_in(g, 0), grad_in(g, 1), grad_dy(g, 0)}, 3,
                          copies));
    }
    return grad_done(g, st);
}

/* --- the gradients --- */

static struct place *room_for_places(struct kctx *c, int64_t n, struct status *st)
{
    int64_t bytes;
    return size_mul(n + 1, (int64_t)sizeof(struct place), &bytes) ? kernel_scratch(c, bytes, st)
                                                                  : NULL;
}

static bool run_back(struct kctx *c, bool to_filter, struct status *st)
{
    struct dilation k;
    const struct tensor *dy = kernel_in(c, 2), *like = kernel_in(c, to_filter);
    if (!read_dilation(c, &k, st))
        return false;
    struct shape s = shape_4(k.batch, k.h.out, k.w.out, k.channels);
    if (!shape_equal(&dy->shape, &s))
        return status_bad_shape(st, "out_backprop has incompatible size: ", &dy->shape);
    struct tensor *dx = kernel_out(c, 0, &like->shape, st);
    if (!dx || dx->num_elems == 0)
        return dx != NULL;
    struct place *places = room_for_places(c, k.channels, st);
    if (!places)
        return false;
    memset(dx->data, 0, tensor_bytes(dx));
    best_fn best = best_of(dx->dtype);
    value_add_fn add = value_add_of(dx->dtype);
    size_t size = dtype_size(dx->dtype);
    for (int64_t n = 0; k.channels && n < dy->num_elems / k.channels; n++) {
        best(&k, kernel_in(c, 0)->data, kernel_in(c, 1)->data, n, places, NULL);
        for (int64_t d = 0; d < k.channels; d++) {
            int64_t at = to_filter ? places[d].filter : places[d].input;
            if (at >= 0)
                add((char *)dx->data + (size_t)at * size,
                    (const char *)dy->data + (size_t)(n * k.channels + d) * size, 1);
        }
    }
    return true;
}

static bool input_run(struct kctx *c, struct status *st)
{
    return run_back(c, false, st);
}
static bool filter_run(struct kctx *c, struct status *st)
{
    return run_back(c, true, st);
}

static bool as_input(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_input(c, 0));
    return true;
}
static bool as_filter(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_input(c, 1));
    return true;
}

#define ATTRS                                                                                      \
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "        \
    "uint64}",                                                                                     \
        "strides: list(int) >= 4", "rates: list(int) >= 4", "padding: {'SAME', 'VALID'}"
#define KERNEL_TYPES "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half}"
static const char NO_KERNEL[] = "TensorFlow has none for uint32 and uint64";

OP_DEF(dilation2d) = {
    .name = "Dilation2D",
    .summary = "The greatest sum of a window and a filter, in each channel.",
    .inputs = {"input: T", "filter: T"},
    .outputs = {"output: T"},
    .attrs = {ATTRS},
    .shape = dilation_shape,
    .grad = dilation_grad,
    .no_kernel = NO_KERNEL,
};
KERNEL_DEF(dilation2d_cpu) = {
    .op = "Dilation2D", .device = "CPU", .types = {KERNEL_TYPES}, .run = dilation_run};

OP_DEF(dilation2d_backprop_input) = {
    .name = "Dilation2DBackpropInput",
    .summary = "The gradient of Dilation2D by its input.",
    .inputs = {"input: T", "filter: T", "out_backprop: T"},
    .outputs = {"in_backprop: T"},
    .attrs = {ATTRS},
    .shape = as_input,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = NO_KERNEL,
};
KERNEL_DEF(dilation2d_backprop_input_cpu) = {
    .op = "Dilation2DBackpropInput", .device = "CPU", .types = {KERNEL_TYPES}, .run = input_run};

OP_DEF(dilation2d_backprop_filter) = {
    .name = "Dilation2DBackpropFilter",
    .summary = "The gradient of Dilation2D by its filter.",
    .inputs = {"input: T", "filter: T", "out_backprop: T"},
    .outputs = {"filter_backprop: T"},
    .attrs = {ATTRS},
    .shape = as_filter,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = NO_KERNEL,
};
KERNEL_DEF(dilation2d_backprop_filter_cpu) = {
    .op = "Dilation2DBackpropFilter", .device = "CPU", .types = {KERNEL_TYPES}, .run = filter_run};
