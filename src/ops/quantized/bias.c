/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedBiasAdd: a vector added along the last dim, both laid over a range that holds the sum of
 * many such terms. */
#include <math.h>

#include "op/qrange.h"

struct bias {
    const struct tensor *x;
    const int32_t *bias; /* over the result's range */
    int64_t channels;
    struct qrange_floats from, to;
    int32_t *y;
};

static void bias_rows(void *arg, int64_t begin, int64_t end)
{
    const struct bias *b = arg;
    for (int64_t i = begin * b->channels; i < end * b->channels; i++) {
        const float real = qrange_float_real(&b->from, qtype_get(b->x, i));
        const int64_t q = qrange_float_nearest(&b->to, real);
        b->y[i] = (int32_t)((uint32_t)q + (uint32_t)b->bias[i % b->channels]);
    }
}

static bool bias_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *bias = kernel_in(c, 1);
    struct qrange rx, rb;
    if (!qrange_in(c, 2, &rx, st) || !qrange_in(c, 4, &rb, st))
        return false;
    if (tensor_rank(x) < 2)
        return status_bad_shape(st, "Input tensor must be at least 2D: ", &x->shape);
    if (tensor_rank(bias) != 1)
        return status_bad_shape(st, "Biases must be 1D: ", &bias->shape);
    if (bias->num_elems != tensor_dim(x, tensor_rank(x) - 1))
        return status_bad_shape(
            st, "Must provide as many biases as the last dimension of the input tensor: ",
            &bias->shape);
    const float most = fmaxf(fmaxf(rx.max, -rx.min), fmaxf(rb.max, -rb.min)) * (1 << 17);
    const struct qrange out = {-most, most};
    struct tensor *y = kernel_out(c, 0, &x->shape, st);
    int32_t *b = y ? kernel_scratch(c, max_i64(bias->num_elems, 1) * (int64_t)sizeof *b, st) : NULL;
    if (!b)
        return false;
    struct bias arg = {
        x, b, bias->num_elems, qrange_floats(rx, x->dtype), qrange_floats(out, DT_QINT32), y->data};
    const int64_t zero = qrange_zero(out, DT_QINT32); /* 0, or -1 as it is rounded */
    const struct qrange_floats from = qrange_floats(rb, bias->dtype);
    for (int64_t i = 0; i < bias->num_elems; i++)
        b[i] =
            (int32_t)(uint32_t)(zero + qrange_float_nearest(
                                           &arg.to, qrange_float_real(&from, qtype_get(bias, i))));
    if (y->num_elems > 0)
        kernel_loop(c, y->num_elems / arg.channels, (double)arg.channels * 4, bias_rows, &arg);
    return qrange_out(c, 1, out, st);
}

static bool bias_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *bias;
    int64_t n;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &bias, st) || !qrange_infer_scalars(c, 2, st) ||
        !infer_merge_dim(infer_dim(bias, 0), infer_dim(x, -1), &n, st))
        return false;
    infer_set(c, 0, x->rank >= 0 ? infer_with_dim(c, x, -1, n) : x);
    qrange_infer_limits(c, 1);
    return true;
}

OP_DEF(quantized_bias_add) = {
    .name = "QuantizedBiasAdd",
    .summary = "A vector added along the last dim of quantised numbers.",
    .inputs = {"input: T1", "bias: T2", "min_input: float", "max_input: float", "min_bias: float",
               "max_bias: float"},
    .outputs = {"output: out_type", "min_out: float", "max_out: float"},
    .attrs = {"T1: " QTYPES, "T2: " QTYPES, "out_type: " QTYPES},
    .shape = bias_shape,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = "TensorFlow has them of eight bits to qint32 alone",
};
#define KERNEL(type)                                                                               \
    KERNEL_DEF(quantized_bias_add_##type) = {                                                      \
        .op = "QuantizedBiasAdd",                                                                  \
        .device = "CPU",                                                                           \
        .types = {"T1: {" #type "}", "T2: {" #type "}", "out_type: {qint32}"},                     \
        .run = bias_run}
KERNEL(qint8);
KERNEL(quint8);
