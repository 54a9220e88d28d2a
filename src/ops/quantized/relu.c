/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedRelu and QuantizedRelu6: the integers that stand for 0 and 6 are the bounds.
 * QuantizedReluX has a definition alone. */
#include "op/qrange.h"

static bool run_relu(struct kctx *c, bool six, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct qrange r;
    struct tensor *y;
    if (!qrange_unary(c, &r, &y, st))
        return false;
    int64_t low = qrange_nearest(r, x->dtype, 0);
    int64_t high = six ? qrange_nearest(r, x->dtype, 6) : qtype_highest(x->dtype);
    for (int64_t i = 0; i < x->num_elems; i++)
        qtype_put(y, i, min_i64(max_i64(qtype_get(x, i), low), high));
    return qrange_out(c, 1, r, st);
}

static bool relu_run(struct kctx *c, struct status *st)
{
    return run_relu(c, false, st);
}
static bool relu6_run(struct kctx *c, struct status *st)
{
    return run_relu(c, true, st);
}

static const char NO_KERNEL[] = "TensorFlow has them from quint8 or qint32 to the same alone";

#define RELU(id, op_name, text, function)                                                          \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"features: Tinput", "min_features: float", "max_features: float"},              \
        .outputs = {"activations: out_type", "min_activations: float", "max_activations: float"},  \
        .attrs = {"Tinput: " QTYPES, "out_type: " QTYPES " = DT_QUINT8"},                          \
        .shape = qrange_infer_unchanged,                                                           \
        .no_grad = "undefined: TensorFlow registers none",                                         \
        .no_kernel = NO_KERNEL,                                                                    \
    };                                                                                             \
    KERNEL_DEF(id##_quint8_cpu) = {.op = op_name,                                                  \
                                   .device = "CPU",                                                \
                                   .types = {"Tinput: {quint8}", "out_type: {quint8}"},            \
                                   .run = function};                                               \
    KERNEL_DEF(id##_qint32_cpu) = {.op = op_name,                                                  \
                                   .device = "CPU",                                                \
                                   .types = {"Tinput: {qint32}", "out_type: {qint32}"},            \
                                   .run = function};
RELU(quantized_relu, "QuantizedRelu", "The positive part of quantised numbers.", relu_run)
RELU(quantized_relu6, "QuantizedRelu6", "Quantised numbers kept between 0 and 6.", relu6_run)

OP_DEF(quantized_relu_x) = {
    .name = "QuantizedReluX",
    .summary = "Quantised numbers kept between 0 and another.",
    .inputs = {"features: Tinput", "max_value: float", "min_features: float",
               "max_features: float"},
    .outputs = {"activations: out_type", "min_activations: float", "max_activations: float"},
    .attrs = {"Tinput: " QTYPES, "out_type: " QTYPES " = DT_QUINT8"},
    .shape = qrange_infer_unchanged,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = "TensorFlow has none",
};
