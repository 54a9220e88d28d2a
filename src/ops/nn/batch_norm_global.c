/* SPDX-License-Identifier: Apache-2.0 */
/* BatchNormWithGlobalNormalization and its gradient: statistics are given, and taken for
 * independent of the input. Graphs since version 9 have batch normalisation in parts instead. */
#include <math.h>
#include <string.h>

#include "op/floats.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

struct norm {
    int64_t rows, depth;
    float epsilon;
    bool scale;
    const void *x, *mean, *var, *beta, *gamma, *dy;
    void *out[5];  /* y; or dx, dm, dv, db, dg */
    void *scratch; /* 3 * depth */
};

static float get_f16(const void *p, int64_t i)
{
    return f16_to_f32(((const struct f16 *)p)[i]);
}
static void put_f16(void *p, int64_t i, float v)
{
    ((struct f16 *)p)[i] = f16_from_f32(v);
}
#define PLAIN(name, real)                                                                          \
    static real get_##name(const void *p, int64_t i)                                               \
    {                                                                                              \
        return ((const real *)p)[i];                                                               \
    }                                                                                              \
    static void put_##name(void *p, int64_t i, real v)                                             \
    {                                                                                              \
        ((real *)p)[i] = v;                                                                        \
    }
PLAIN(f32, float)
PLAIN(f64, double)
#undef PLAIN

#define NORM(name, real, SQRT)                                                                     \
    static void forward_##name(const struct norm *n)                                               \
    {                                                                                              \
        real *factor = n->scratch;                                                                 \
        for (int64_t c = 0; c < n->depth; c++) {                                                   \
            factor[c] = 1 / SQRT(get_##name(n->var, c) + (real)n->epsilon);                        \
            factor[c] *= n->scale ? get_##name(n->gamma, c) : 1;                                   \
        }                                                                                          \
        for (int64_t i = 0; i < n->rows; i++) {                                                    \
            for (int64_t c = 0; c < n->depth; c++) {                                               \
                const int64_t k = i * n->depth + c;                                                \
                put_##name(n->out[0], k,                                                           \
                           (get_##name(n->x, k) - get_##name(n->mean, c)) * factor[c] +            \
                               get_##name(n->beta, c));                                            \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void backward_##name(const struct norm *n)                                              \
    {                                                                                              \
        real *root = n->scratch, *sum = root + n->depth, *product = sum + n->depth;                \
        for (int64_t c = 0; c < n->depth; c++) {                                                   \
            root[c] = 1 / SQRT(get_##name(n->var, c) + (real)n->epsilon);                          \
            sum[c] = product[c] = 0;                                                               \
        }                                                                                          \
        for (int64_t i = 0; i < n->rows; i++) {                                                    \
            for (int64_t c = 0; c < n->depth; c++) {                                               \
                const int64_t k = i * n->depth + c;                                                \
                const real dy = get_##name(n->dy, k);                                              \
                const real gamma = n->scale ? get_##name(n->gamma, c) : 1;                         \
                put_##name(n->out[0], k, dy *(root[c] * gamma));                                   \
                sum[c] += dy;                                                                      \
                product[c] += dy * (get_##name(n->x, k) - get_##name(n->mean, c));                 \
            }                                                                                      \
        }                                                                                          \
        for (int64_t c = 0; c < n->depth; c++) {                                                   \
            const real gamma = n->scale ? get_##name(n->gamma, c) : 1;                             \
            const real cube = root[c] / (get_##name(n->var, c) + (real)n->epsilon);                \
            put_##name(n->out[1], c, -sum[c] * (root[c] * gamma));                                 \
            put_##name(n->out[2], c, product[c] * ((real)-0.5 * cube * gamma));                    \
            put_##name(n->out[3], c, sum[c]);                                                      \
            put_##name(n->out[4], c, n->scale ? product[c] * root[c] : 0);                         \
        }                                                                                          \
    }
NORM(f16, float, sqrtf)
NORM(f32, float, sqrtf)
NORM(f64, double, sqrt)
#undef NORM

static bool read_common(struct kctx *c, struct norm *n, struct status *st)
{
    static const char *const names[2][5] = {{"input", "mean", "var", "beta", "gamma"},
                                            {"input", "mean", "var", "gamma", "out_backprop"}};
    const bool backward = kernel_num_outputs(c) > 1;
    const struct tensor *x = kernel_in(c, 0);
    if (tensor_rank(x) != 4)
        return status_invalid(st, "input must be 4-dimensional, not of rank %d", tensor_rank(x));
    n->depth = tensor_dim(x, 3);
    n->rows = n->depth ? x->num_elems / n->depth : 0;
    for (int i = 1; i < 5; i++) {
        const struct tensor *t = kernel_in(c, i);
        const bool like_x = backward && i == 4;
        if (like_x ? !shape_equal(&t->shape, &x->shape)
                   : tensor_rank(t) != 1 || t->num_elems != n->depth)
            return status_invalid(st, "%s must %s", names[backward][i],
                                  like_x
                                      ? "have the shape of input"
                                      : "be 1-dimensional, of as many elements as input is deep");
    }
    n->epsilon = attrs_float(kernel_attrs(c), "variance_epsilon");
    n->scale = attrs_bool(kernel_attrs(c), "scale_after_normalization");
    n->x = x->data;
    n->mean = kernel_in(c, 1)->data;
    n->var = kernel_in(c, 2)->data;
    n->scratch = kernel_scratch(c, 3 * n->depth * (int64_t)sizeof(double) + 1, st);
    return n->scratch != NULL;
}

static bool forward_run(struct kctx *c, struct status *st)
{
    struct norm n = {.rows = 0};
    if (!read_common(c, &n, st))
        return false;
    struct tensor *y = kernel_out(c, 0, &kernel_in(c, 0)->shape, st);
    if (!y)
        return false;
    n.beta = kernel_in(c, 3)->data;
    n.gamma = kernel_in(c, 4)->data;
    n.out[0] = y->data;
    (y->dtype == DT_HALF ? forward_f16 : y->dtype == DT_FLOAT ? forward_f32 : forward_f64)(&n);
    return true;
}

static bool backward_run(struct kctx *c, struct status *st)
{
    struct norm n = {.rows = 0};
    if (!read_common(c, &n, st))
        return false;
    n.gamma = kernel_in(c, 3)->data;
    n.dy = kernel_in(c, 4)->data;
    const struct shape v = shape_1(n.depth);
    for (int i = 0; i < 5; i++) {
        struct tensor *t = kernel_out(c, i, i ? &v : &kernel_in(c, 0)->shape, st);
        if (!t)
            return false;
        n.out[i] = t->data;
    }
    const int t = kernel_in(c, 0)->dtype;
    (t == DT_HALF ? backward_f16 : t == DT_FLOAT ? backward_f32 : backward_f64)(&n);
    return true;
}

static bool depth_of(struct infer_ctx *c, int num_vectors, const struct shape **x, int64_t *depth,
                     struct status *st)
{
    if (!infer_want_rank(c, infer_input(c, 0), 4, x, st))
        return false;
    *depth = infer_dim(*x, 3);
    for (int i = 1; i <= num_vectors; i++) {
        const struct shape *v;
        if (!infer_want_rank(c, infer_input(c, i), 1, &v, st) ||
            !infer_merge_dim(*depth, infer_dim(v, 0), depth, st))
            return false;
    }
    return true;
}

static bool forward_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x;
    int64_t depth;
    if (!depth_of(c, 4, &x, &depth, st))
        return false;
    infer_set(c, 0, infer_with_dim(c, x, 3, depth));
    return true;
}

static bool backward_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *dy;
    int64_t depth;
    if (!depth_of(c, 3, &x, &depth, st) || !infer_want_rank(c, infer_input(c, 4), 4, &dy, st) ||
        !infer_merge(c, x, dy, &x, st) || !infer_merge_dim(depth, infer_dim(x, 3), &depth, st))
        return false;
    infer_set(c, 0, infer_with_dim(c, x, 3, depth));
    for (int i = 1; i < 5; i++)
        infer_set(c, i, infer_vector(c, depth));
    return true;
}

static bool forward_grad(struct grad_ctx *g, struct status *st)
{
    const struct attrs *a = grad_attrs(g);
    struct node *n =
        grad_nodev(g, "BatchNormWithGlobalNormalizationGrad", 5,
                   (struct output[]){grad_in(g, 0), grad_in(g, 1), grad_in(g, 2), grad_in(g, 4),
                                     grad_dy(g, 0)},
                   2,
                   (struct attr[]){
                       {(char *)"variance_epsilon", attr_float(attrs_float(a, "variance_epsilon"))},
                       {(char *)"scale_after_normalization",
                        attr_bool(attrs_bool(a, "scale_after_normalization"))}});
    for (int i = 0; i < 5; i++)
        grad_set(g, i, grad_node_out(g, n, i));
    return grad_done(g, st);
}

#define ATTRS "T: numbertype", "variance_epsilon: float", "scale_after_normalization: bool"

OP_DEF(batch_norm_with_global_normalization) = {
    .name = "BatchNormWithGlobalNormalization",
    .summary = "Pictures with given means and variances of their channels taken out.",
    .inputs = {"t: T", "m: T", "v: T", "beta: T", "gamma: T"},
    .outputs = {"result: T"},
    .attrs = {ATTRS},
    .deprecated_at = 9,
    .deprecated_why = "Use tf.nn.batch_normalization()",
    .shape = forward_shape,
    .grad = forward_grad,
    .no_kernel = "real numbers alone have roots",
};
KERNEL_DEF(batch_norm_with_global_normalization_cpu) = {.op = "BatchNormWithGlobalNormalization",
                                                        .device = "CPU",
                                                        .types = {"T: {half, float, double}"},
                                                        .run = forward_run};

OP_DEF(batch_norm_with_global_normalization_grad) = {
    .name = "BatchNormWithGlobalNormalizationGrad",
    .summary = "Gradients of the inputs of BatchNormWithGlobalNormalization.",
    .inputs = {"t: T", "m: T", "v: T", "gamma: T", "backprop: T"},
    .outputs = {"dx: T", "dm: T", "dv: T", "db: T", "dg: T"},
    .attrs = {ATTRS},
    .deprecated_at = 9,
    .deprecated_why = "Use tf.nn.batch_normalization()",
    .shape = backward_shape,
    .no_grad = "undefined: TensorFlow has no second derivative of it",
    .no_kernel = "real numbers alone have roots",
};
KERNEL_DEF(batch_norm_with_global_normalization_grad_cpu) = {
    .op = "BatchNormWithGlobalNormalizationGrad",
    .device = "CPU",
    .types = {"T: {half, float, double}"},
    .run = backward_run};
