/* SPDX-License-Identifier: Apache-2.0 */
/* Fractional pooling (Graham, "Fractional Max-Pooling", 2014): rows and columns are cut into ranges
 * that differ by one in length and are drawn afresh in each step, then each cell is reduced to its
 * largest element or its mean. The bounds of the ranges are outputs, and what the gradients read.
 *
 * With `overlapping` a range reaches one further, to the first of the next. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/rng.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

/* --- shapes --- */

static bool forward_shape(struct infer_ctx *c, struct status *st)
{
    const struct attr_value *ratio = attrs_list(infer_attrs(c), "pooling_ratio");
    const struct shape *x;
    int64_t dims[4];
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st))
        return false;
    if (ratio->n != 4)
        return status_invalid(st, "pooling_ratio field must specify 4 dimensions");
    for (int i = 0; i < 4; i++) {
        const int64_t d = infer_dim(x, i);
        const float out = floorf((float)d / ratio->fs[i]);
        if (d != DIM_UNKNOWN && !(out >= 0))
            return status_invalid(st, "Size computed for dim %d is negative: %g", i, (double)out);
        if (d != DIM_UNKNOWN && out > (float)INT32_MAX)
            return status_invalid(st, "Size computed for dim %d is too large: %g", i, (double)out);
        dims[i] = d == DIM_UNKNOWN ? d : (int64_t)out;
    }
    infer_set(c, 0, infer_make(c, dims, 4));
    /* TensorFlow says of the bounds that they are as many as the ranges, and graphs say so too. */
    for (int i = 1; i <= 2; i++)
        infer_set(c, i, infer_vector(c, DIM_UNKNOWN));
    return true;
}

static bool max_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool avg_grad_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_const(c, 0)) {
        infer_set(c, 0, infer_of_rank(c, 4));
        return true;
    }
    if (!infer_const_shape(c, 0, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

/* --- ranges --- */

struct fractional {
    bool pseudo, overlapping;
    uint64_t seed, seed2; /* 0, 0: others in each step */
    float ratio[4];
};

static bool fractional_init(struct kernel *k, void *state, struct status *st)
{
    struct fractional *f = state;
    const struct attr_value *ratio = attrs_list(k->attrs, "pooling_ratio");
    f->pseudo = attrs_bool(k->attrs, "pseudo_random");
    f->overlapping = attrs_bool(k->attrs, "overlapping");
    f->seed = (uint64_t)attrs_int(k->attrs, "seed");
    f->seed2 = (uint64_t)attrs_int(k->attrs, "seed2");
    if (ratio->n != 4)
        return status_invalid(st, "pooling_ratio field must specify 4 dimensions");
    memcpy(f->ratio, ratio->fs, sizeof f->ratio);
    const bool unseeded = f->seed == 0 && f->seed2 == 0;
    if (!attrs_bool(k->attrs, "deterministic"))
        return unseeded || status_invalid(st, "Both seed and seed2 should be 0 if deterministic is "
                                              "false.");
    if (unseeded) {
        f->seed = math_random_seed();
        f->seed2 = math_random_seed();
    }
    return true;
}

/* Bounds ceil(a (i + u)) with one u for all: a = in / out. */
static void cut_by_one_draw(struct math_philox *g, int64_t in, int64_t out, int64_t *bounds)
{
    const double a = (double)in / (double)out;
    const int64_t k = in / out;
    const double most = fmin((double)(k + 2) / a - 1, (double)(in + 1 - k) / a - (double)(out - 1));
    struct math_philox mine = math_philox_reserve(g, 1, 1);
    struct math_philox_stream stream;
    math_philox_stream_init(&stream, &mine);
    const double u = math_philox_double(&stream) * most;
    for (int64_t i = 1; i < out; i++) {
        const int64_t at = (int64_t)ceil(a * ((double)i + u)) - 1;
        bounds[i] = at > in ? in : at;
    }
}

/* The in % out longer ranges, shuffled among the others. */
static void cut_by_shuffle(struct math_philox *g, int64_t in, int64_t out, int64_t *bounds)
{
    int64_t *lengths = bounds + 1;
    for (int64_t i = 0; i < out; i++)
        lengths[i] = in / out + (i < in % out);
    struct math_philox mine = math_philox_reserve(g, (out + 3) / 4, 1);
    struct math_philox_stream stream;
    math_philox_stream_init(&stream, &mine);
    for (int64_t i = 0; i + 1 < out; i++) {
        const int64_t j = i + math_philox_u32(&stream) % (uint32_t)(out - i);
        const int64_t was = lengths[i];
        lengths[i] = lengths[j];
        lengths[j] = was;
    }
    for (int64_t i = 1; i < out; i++)
        bounds[i] += bounds[i - 1];
}

/* out + 1 bounds, from 0 to in. */
static void cut(const struct fractional *f, struct math_philox *g, int64_t in, int64_t out,
                int64_t *bounds)
{
    bounds[0] = 0;
    if (f->pseudo)
        cut_by_one_draw(g, in, out, bounds);
    else
        cut_by_shuffle(g, in, out, bounds);
    bounds[out] = in;
}

/* --- loops --- */

struct cells { /* x [batch, in[0], in[1], depth]; y [batch, out[0], out[1], depth] */
    int64_t in[2], out[2], depth;
    const int64_t *bounds[2]; /* out + 1 each, none negative */
    bool overlapping;
    const void *x, *from;
    void *to;
    double *sums; /* of the gradient of means: as many as there are elements of x */
};

struct range {
    int64_t begin, end;
};

static struct range range_of(const struct cells *s, int axis, int64_t i)
{
    const int64_t end = s->bounds[axis][i + 1] + s->overlapping;
    return (struct range){s->bounds[axis][i], end < s->in[axis] ? end : s->in[axis]};
}

static int64_t length(struct range r)
{
    return r.end > r.begin ? r.end - r.begin : 0;
}

/* Item i of a forward loop is row i of y, of a backward one picture i. */
#define LOOPS(name, type, sum_type, lowest)                                                        \
    static void name##_max(void *arg, int64_t begin, int64_t end)                                  \
    {                                                                                              \
        const struct cells *s = arg;                                                               \
        const int64_t n = s->depth;                                                                \
        for (int64_t k = begin * s->out[1]; k < end * s->out[1]; k++) {                            \
            const int64_t row = k / s->out[1], picture = row / s->out[0];                          \
            const struct range h = range_of(s, 0, row % s->out[0]);                                \
            const struct range w = range_of(s, 1, k % s->out[1]);                                  \
            type *restrict y = (type *)s->to + k * n;                                              \
            for (int64_t c = 0; c < n; c++)                                                        \
                y[c] = lowest;                                                                     \
            for (int64_t i = h.begin; i < h.end; i++) {                                            \
                for (int64_t j = w.begin; j < w.end; j++) {                                        \
                    const type *restrict x =                                                       \
                        (const type *)s->x + ((picture * s->in[0] + i) * s->in[1] + j) * n;        \
                    for (int64_t c = 0; c < n; c++)                                                \
                        y[c] = y[c] < x[c] ? x[c] : y[c];                                          \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_avg(void *arg, int64_t begin, int64_t end)                                  \
    {                                                                                              \
        const struct cells *s = arg;                                                               \
        const int64_t n = s->depth;                                                                \
        for (int64_t k = begin * s->out[1]; k < end * s->out[1]; k++) {                            \
            const int64_t row = k / s->out[1], picture = row / s->out[0];                          \
            const struct range h = range_of(s, 0, row % s->out[0]);                                \
            const struct range w = range_of(s, 1, k % s->out[1]);                                  \
            const int64_t count = length(h) * length(w);                                           \
            sum_type *y = (sum_type *)s->to + k * n;                                               \
            memset(y, 0, (size_t)n * sizeof *y);                                                   \
            for (int64_t i = h.begin; i < h.end; i++) {                                            \
                for (int64_t j = w.begin; j < w.end; j++) {                                        \
                    const sum_type *restrict x =                                                   \
                        (const sum_type *)s->x + ((picture * s->in[0] + i) * s->in[1] + j) * n;    \
                    for (int64_t c = 0; c < n; c++)                                                \
                        y[c] += x[c];                                                              \
                }                                                                                  \
            }                                                                                      \
            type *mean = (type *)s->to + k * n;                                                    \
            for (int64_t c = 0; c < n; c++)                                                        \
                mean[c] = count || (type)0.5 != 0 ? mean[c] / (type)count : 0;                     \
        }                                                                                          \
    }                                                                                              \
    static void name##_max_grad(void *arg, int64_t begin, int64_t end)                             \
    {                                                                                              \
        const struct cells *s = arg;                                                               \
        const int64_t n = s->depth, each = s->out[0] * s->out[1];                                  \
        for (int64_t k = begin * each; k < end * each; k++) {                                      \
            const int64_t row = k / s->out[1], picture = row / s->out[0];                          \
            const struct range h = range_of(s, 0, row % s->out[0]);                                \
            const struct range w = range_of(s, 1, k % s->out[1]);                                  \
            for (int64_t c = 0; c < n; c++) {                                                      \
                type most = lowest;                                                                \
                int64_t at = -1;                                                                   \
                for (int64_t i = h.begin; i < h.end; i++) {                                        \
                    for (int64_t j = w.begin; j < w.end; j++) {                                    \
                        const int64_t p = ((picture * s->in[0] + i) * s->in[1] + j) * n + c;       \
                        const type v = ((const type *)s->x)[p];                                    \
                        if (at < 0 ? most <= v : most < v) {                                       \
                            at = p;                                                                \
                            most = v;                                                              \
                        }                                                                          \
                    }                                                                              \
                }                                                                                  \
                if (at >= 0)                                                                       \
                    ((sum_type *)s->to)[at] += ((const sum_type *)s->from)[k * n + c];             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_avg_grad(void *arg, int64_t begin, int64_t end)                             \
    {                                                                                              \
        const struct cells *s = arg;                                                               \
        const int64_t n = s->depth, each = s->out[0] * s->out[1];                                  \
        const int64_t size = s->in[0] * s->in[1] * n;                                              \
        memset(s->sums + begin * size, 0, (size_t)((end - begin) * size) * sizeof *s->sums);       \
        for (int64_t k = begin * each; k < end * each; k++) {                                      \
            const int64_t row = k / s->out[1], picture = row / s->out[0];                          \
            const struct range h = range_of(s, 0, row % s->out[0]);                                \
            const struct range w = range_of(s, 1, k % s->out[1]);                                  \
            const double count = (double)(length(h) * length(w));                                  \
            const type *restrict dy = (const type *)s->from + k * n;                               \
            for (int64_t i = h.begin; i < h.end; i++) {                                            \
                for (int64_t j = w.begin; j < w.end; j++) {                                        \
                    double *restrict dx = s->sums + ((picture * s->in[0] + i) * s->in[1] + j) * n; \
                    for (int64_t c = 0; c < n; c++)                                                \
                        dx[c] += (double)dy[c] / count;                                            \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        for (int64_t k = begin * size; k < end * size; k++)                                        \
            ((type *)s->to)[k] = (type)s->sums[k];                                                 \
    }

LOOPS(f32, float, float, -FLT_MAX)
LOOPS(f64, double, double, -DBL_MAX)
LOOPS(i32, int32_t, uint32_t, INT32_MIN)
LOOPS(i64, int64_t, uint64_t, INT64_MIN)
#undef LOOPS

#define PICK(op, t)                                                                                \
    ((t) == DT_FLOAT    ? f32_##op                                                                 \
     : (t) == DT_DOUBLE ? f64_##op                                                                 \
     : (t) == DT_INT32  ? i32_##op                                                                 \
                        : i64_##op)

/* --- kernels --- */

/* The dims of y; the bounds are outputs 1 and 2. */
static bool cut_both(struct kctx *c, struct cells *s, struct status *st)
{
    const struct fractional *f = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    struct math_philox g;
    uint64_t seed = f->seed, seed2 = f->seed2;
    if (seed == 0 && seed2 == 0) {
        seed = math_random_seed();
        seed2 = math_random_seed();
    }
    math_philox_init(&g, seed, seed2);
    for (int i = 0; i < 2; i++) {
        s->in[i] = tensor_dim(x, 1 + i);
        const float out = floorf((float)s->in[i] / f->ratio[1 + i]);
        if (!(out >= 1) || out > (float)INT32_MAX)
            return status_invalid(st, "pooling_ratio[%d] = %g makes of %lld elements %g", 1 + i,
                                  (double)f->ratio[1 + i], (long long)s->in[i], (double)out);
        s->out[i] = (int64_t)out;
        const struct shape v = shape_1(s->out[i] + 1);
        struct tensor *bounds = kernel_out(c, 1 + i, &v, st);
        if (!bounds)
            return false;
        cut(f, &g, s->in[i], s->out[i], tensor_i64(bounds));
        s->bounds[i] = tensor_i64(bounds);
    }
    return true;
}

static bool forward_run(struct kctx *c, bool max, struct status *st)
{
    const struct fractional *f = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    if (tensor_rank(x) != 4)
        return status_invalid(st, "tensor_in must be 4-dimensional");
    if (f->ratio[0] != 1 || f->ratio[3] != 1)
        return status_invalid(st,
                              "pooling is over rows and columns: pooling_ratio[0] and [3] must "
                              "be 1, not %g and %g",
                              (double)f->ratio[0], (double)f->ratio[3]);
    struct cells s = {.depth = tensor_dim(x, 3), .overlapping = f->overlapping, .x = x->data};
    if (!cut_both(c, &s, st))
        return false;
    const int64_t rows = tensor_dim(x, 0) * s.out[0];
    const struct shape shape = shape_4(tensor_dim(x, 0), s.out[0], s.out[1], s.depth);
    struct tensor *y = kernel_out(c, 0, &shape, st);
    if (!y)
        return false;
    s.to = y->data;
    if (y->num_elems > 0)
        kernel_loop(c, rows, (double)x->num_elems / (double)rows,
                    max ? PICK(max, x->dtype) : PICK(avg, x->dtype), &s);
    return true;
}

static bool max_run(struct kctx *c, struct status *st)
{
    return forward_run(c, true, st);
}

static bool avg_run(struct kctx *c, struct status *st)
{
    return forward_run(c, false, st);
}

/* The bounds are inputs `first` and the next, dy is input first - 1. */
static bool read_bounds(const struct kctx *c, struct cells *s, int first, struct status *st)
{
    for (int a = 0; a < 2; a++) {
        const struct tensor *t = kernel_in(c, first + a);
        const char *name = a ? "col_pooling_sequence" : "row_pooling_sequence";
        if (tensor_rank(t) != 1 || t->num_elems < 1)
            return status_invalid(st, "%s must be a vector with an element or more", name);
        s->bounds[a] = tensor_i64(t);
        s->out[a] = t->num_elems - 1;
        for (int64_t i = 0; i <= s->out[a]; i++) {
            if (s->bounds[a][i] < 0 || s->bounds[a][i] > INT64_MAX - 1)
                return status_invalid(st, "%s[%lld] = %lld is not a place", name, (long long)i,
                                      (long long)s->bounds[a][i]);
        }
    }
    return true;
}

static bool backward_run(struct kctx *c, const struct shape *x, int first, pool_loop_fn fn,
                         struct cells *s, struct status *st)
{
    const struct tensor *dy = kernel_in(c, first - 1);
    if (!read_bounds(c, s, first, st))
        return false;
    s->in[0] = shape_dim(x, 1);
    s->in[1] = shape_dim(x, 2);
    s->depth = shape_dim(x, 3);
    const struct shape want = shape_4(shape_dim(x, 0), s->out[0], s->out[1], s->depth);
    if (!shape_equal(&dy->shape, &want))
        return status_invalid(st,
                              "out_backprop must have the shape of the forward output, "
                              "[%lld,%lld,%lld,%lld]",
                              (long long)shape_dim(x, 0), (long long)s->out[0],
                              (long long)s->out[1], (long long)s->depth);
    struct tensor *dx = kernel_out(c, 0, x, st);
    if (!dx)
        return false;
    memset(dx->data, 0, tensor_bytes(dx));
    s->from = dy->data;
    s->to = dx->data;
    if (dx->num_elems == 0)
        return true;
    if (!s->x && !(s->sums = kernel_scratch(c, dx->num_elems * (int64_t)sizeof(double), st)))
        return false;
    kernel_loop(c, tensor_dim(dx, 0), (double)dx->num_elems / (double)tensor_dim(dx, 0), fn, s);
    return true;
}

static bool max_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1);
    struct cells s = {.overlapping = attrs_bool(kernel_attrs(c), "overlapping"), .x = x->data};
    if (tensor_rank(x) != 4 || tensor_rank(y) != 4)
        return status_invalid(st, "orig_input and orig_output must be 4-dimensional");
    return backward_run(c, &x->shape, 3, PICK(max_grad, x->dtype), &s, st);
}

static bool avg_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *dims = kernel_in(c, 0);
    struct cells s = {.overlapping = attrs_bool(kernel_attrs(c), "overlapping")};
    struct shape x;
    if (tensor_rank(dims) != 1 || dims->num_elems != 4)
        return status_invalid(st,
                              "original input tensor shape must be 1-dimensional and 4 elements");
    if (!kernel_shape_from(dims, &x, st))
        return false;
    bool ok = backward_run(c, &x, 2, PICK(avg_grad, kernel_in(c, 1)->dtype), &s, st);
    shape_clear(&x);
    return ok;
}

/* --- gradients --- */

static struct attr overlapping_of(struct grad_ctx *g)
{
    return (struct attr){(char *)"overlapping",
                         attr_bool(attrs_bool(grad_attrs(g), "overlapping"))};
}

static bool max_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0,
             grad_opv(g, "FractionalMaxPoolGrad", 5,
                      (struct output[]){grad_in(g, 0), grad_out(g, 0), grad_dy(g, 0),
                                        grad_out(g, 1), grad_out(g, 2)},
                      1, (struct attr[]){overlapping_of(g)}));
    return grad_done(g, st);
}

static bool avg_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0,
             grad_opv(g, "FractionalAvgPoolGrad", 4,
                      (struct output[]){grad_shape_as(g, grad_in(g, 0), DT_INT64), grad_dy(g, 0),
                                        grad_out(g, 1), grad_out(g, 2)},
                      1, (struct attr[]){overlapping_of(g)}));
    return grad_done(g, st);
}

#define POOL(id, op_name, what)                                                                    \
    OP_DEF(fractional_##id##_pool) = {                                                             \
        .name = op_name,                                                                           \
        .summary = "The " what " of each cell of a grid of uneven cells, drawn at random.",        \
        .inputs = {"value: T"},                                                                    \
        .outputs = {"output: T", "row_pooling_sequence: int64", "col_pooling_sequence: int64"},    \
        .attrs = {"pooling_ratio: list(float) >= 4", "pseudo_random: bool = false",                \
                  "overlapping: bool = false", "deterministic: bool = false", "seed: int = 0",     \
                  "seed2: int = 0", "T: {float, double, int32, int64}"},                           \
        .shape = forward_shape,                                                                    \
        .grad = id##_grad,                                                                         \
    };                                                                                             \
    KERNEL_DEF(fractional_##id##_pool_cpu) = {                                                     \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .state_bytes = sizeof(struct fractional),                                                  \
        .init = fractional_init,                                                                   \
        .run = id##_run,                                                                           \
    };

POOL(max, "FractionalMaxPool", "largest element")
POOL(avg, "FractionalAvgPool", "mean")

OP_DEF(fractional_max_pool_grad) = {
    .name = "FractionalMaxPoolGrad",
    .summary = "Gradients of FractionalMaxPool's input: those of a cell go to its first largest "
               "element.",
    .inputs = {"orig_input: T", "orig_output: T", "out_backprop: T", "row_pooling_sequence: int64",
               "col_pooling_sequence: int64"},
    .outputs = {"output: T"},
    .attrs = {"overlapping: bool = false", "T: {float, double, int32, int64}"},
    .shape = max_grad_shape,
    .no_grad = "undefined: TensorFlow has no second derivative of it",
};
KERNEL_DEF(fractional_max_pool_grad_cpu) = {
    .op = "FractionalMaxPoolGrad", .device = "CPU", .run = max_grad_run};

OP_DEF(fractional_avg_pool_grad) = {
    .name = "FractionalAvgPoolGrad",
    .summary = "Gradients of FractionalAvgPool's input: those of a cell are spread evenly.",
    .inputs = {"orig_input_tensor_shape: int64", "out_backprop: T", "row_pooling_sequence: int64",
               "col_pooling_sequence: int64"},
    .outputs = {"output: T"},
    .attrs = {"overlapping: bool = false", "T: {float, double, int32, int64}"},
    .shape = avg_grad_shape,
    .no_grad = "undefined: TensorFlow has no second derivative of it",
};
KERNEL_DEF(fractional_avg_pool_grad_cpu) = {
    .op = "FractionalAvgPoolGrad", .device = "CPU", .run = avg_grad_run};
