/* SPDX-License-Identifier: Apache-2.0 */
/* RequantizePerChannel and RequantizationRangePerChannel: definitions alone. TensorFlow has kernels
 * for them in builds with MKL, so graphs that name them are read, and say so when they are run. */
#include "op/qrange.h"

static const char NO_GRAD[] = "undefined: TensorFlow registers none";
static const char NO_KERNEL[] = "TensorFlow has one in builds with MKL alone";

/* Input 0 of any shape, the limits of its channels vectors. */
static bool want_limits(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    return infer_want_rank(c, infer_input(c, 1), 1, &s, st) &&
           infer_want_rank(c, infer_input(c, 2), 1, &s, st);
}

static bool requantize_shape(struct infer_ctx *c, struct status *st)
{
    infer_set(c, 0, infer_input(c, 0));
    qrange_infer_limits(c, 1);
    return want_limits(c, st) && qrange_infer_scalars(c, 3, st);
}

static bool range_shape(struct infer_ctx *c, struct status *st)
{
    qrange_infer_limits(c, 0);
    return want_limits(c, st);
}

OP_DEF(requantize_per_channel) = {
    .name = "RequantizePerChannel",
    .summary = "Quantised numbers, with a range for each channel, over another range.",
    .inputs = {"input: T", "input_min: float", "input_max: float", "requested_output_min: float",
               "requested_output_max: float"},
    .outputs = {"output: out_type", "output_min: float", "output_max: float"},
    .attrs = {"T: " QTYPES " = DT_QINT32", "out_type: " QTYPES " = DT_QUINT8"},
    .shape = requantize_shape,
    .no_grad = NO_GRAD,
    .no_kernel = NO_KERNEL,
};

OP_DEF(requantization_range_per_channel) = {
    .name = "RequantizationRangePerChannel",
    .summary = "The range that quantised numbers with a range for each channel make use of.",
    .inputs = {"input: T", "input_min: float", "input_max: float"},
    .outputs = {"output_min: float", "output_max: float"},
    .attrs = {"T: " QTYPES " = DT_QINT32", "clip_value_max: float"},
    .shape = range_shape,
    .no_grad = NO_GRAD,
    .no_kernel = NO_KERNEL,
};
