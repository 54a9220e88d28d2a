/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedMaxPool and QuantizedAvgPool: order and means of quantised numbers are those of the
 * integers; a mean loses its fraction. */
#include "op/qrange.h"
#include "ops/nn/window.h"

static bool pool_shape(struct infer_ctx *c, struct status *st)
{
    const bool max = str_is(str_of(infer_op(c)->name), "QuantizedMaxPool");
    const struct shape *x;
    struct window w;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st) ||
        !window_read(infer_attrs(c), max ? "MaxPool" : "AvgPool", &w, st) ||
        !window_infer(c, &w, max, &x, st))
        return false;
    infer_set(c, 0, x);
    qrange_infer_limits(c, 1);
    return qrange_infer_scalars(c, 1, st);
}

struct mean_arg {
    const struct math_pooling *of;
    const uint8_t *x;
    uint8_t *y;
};

/* The part of a window that lies in an axis of n. */
static void clip(int64_t begin, int64_t size, int64_t n, int64_t out[2])
{
    out[0] = max_i64(begin, 0);
    out[1] = min_i64(begin + size, n);
}

/* Pixels [begin, end) of all results. */
static void mean_pixels(void *arg, int64_t begin, int64_t end)
{
    const struct mean_arg *a = arg;
    const struct math_pooling *p = a->of;
    const int64_t c = p->channels;
    for (int64_t i = begin; i < end; i++) {
        const int64_t image = i / (p->out_h * p->out_w);
        int64_t h[2], w[2];
        clip(i / p->out_w % p->out_h * p->stride_h - p->pad_top, p->window_h, p->in_h, h);
        clip(i % p->out_w * p->stride_w - p->pad_left, p->window_w, p->in_w, w);
        const int64_t count = (h[1] - h[0]) * (w[1] - w[0]);
        for (int64_t k = 0; k < c; k++) {
            int64_t sum = 0;
            for (int64_t y = h[0]; y < h[1]; y++) {
                const uint8_t *line = a->x + (image * p->in_h + y) * p->in_w * c + k;
                for (int64_t x = w[0]; x < w[1]; x++)
                    sum += line[x * c];
            }
            a->y[i * c + k] = (uint8_t)(count > 0 ? sum / count : 0);
        }
    }
}

static void mean_pool(struct kctx *c, const struct math_pooling *p, const void *x, void *y)
{
    struct mean_arg a = {p, x, y};
    kernel_loop(c, p->batch * p->out_h * p->out_w,
                (double)p->channels * (double)p->window_h * (double)p->window_w, mean_pixels, &a);
}

static void max_pool(struct kctx *c, const struct math_pooling *p, const void *x, void *y)
{
    math_maxpool(kernel_pool(c), p, x, y);
}

static bool run(struct kctx *c,
                void (*fn)(struct kctx *c, const struct math_pooling *p, const void *x, void *y),
                struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct window w;
    struct math_pooling p;
    struct qrange r;
    if (tensor_rank(x) != 4)
        return status_invalid(st, "tensor_in must be 4-dimensional");
    if (!qrange_in(c, 1, &r, st) || !window_read(kernel_attrs(c), c->kernel->op->name, &w, st) ||
        !window_check(&w, st))
        return false;
    if (w.depth != 1)
        return status_unimplemented(st, "Non-spatial pooling is not yet supported.");
    if (!window_sizes(&w, DT_UINT8, shape_dims(&x->shape), &p, st))
        return false;
    const struct shape s = window_out_shape(&p);
    struct tensor *y = kernel_out(c, 0, &s, st);
    if (!y)
        return false;
    if (y->num_elems > 0)
        fn(c, &p, x->data, y->data);
    return qrange_out(c, 1, r, st);
}

static bool max_run(struct kctx *c, struct status *st)
{
    return run(c, max_pool, st);
}

static bool mean_run(struct kctx *c, struct status *st)
{
    return run(c, mean_pool, st);
}

#define POOL(id, op_name, text, function)                                                          \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"input: T", "min_input: float", "max_input: float"},                            \
        .outputs = {"output: T", "min_output: float", "max_output: float"},                        \
        .attrs = {"T: " QTYPES, "ksize: list(int)", "strides: list(int)",                          \
                  "padding: {'SAME', 'VALID'}"},                                                   \
        .shape = pool_shape,                                                                       \
        .no_grad = "undefined: TensorFlow registers none",                                         \
        .no_kernel = "TensorFlow has one of quint8 alone",                                         \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name, .device = "CPU", .types = {"T: {quint8}"}, .run = function};
POOL(quantized_max_pool, "QuantizedMaxPool", "The greatest quantised number of each window.",
     max_run)
POOL(quantized_avg_pool, "QuantizedAvgPool", "The mean of the quantised numbers of each window.",
     mean_run)
