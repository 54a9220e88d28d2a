/* SPDX-License-Identifier: Apache-2.0 */
/* QuantizedConcat: tensors of quantised numbers joined along an axis, each laid over the range that
 * holds all of theirs. */
#include <math.h>
#include <string.h>

#include "op/qrange.h"
#include "ops/array/concat.h"
#include "ops/array/text.h"

static int num_values(int num_inputs)
{
    return (num_inputs - 1) / 3;
}

static bool quantized_concat_shape(struct infer_ctx *c, struct status *st)
{
    const int n = num_values(infer_num_inputs(c));
    qrange_infer_limits(c, 1);
    return join_shape(c, (struct join){1, n, 0}, st) && qrange_infer_scalars(c, 1 + n, st);
}

/* From zero or below it; about zero where integers have signs. */
static bool whole_range(const struct kctx *c, int n, struct qrange *out, struct status *st)
{
    *out = (struct qrange){0, -INFINITY};
    for (int i = 0; i < n; i++) {
        const struct tensor *min = kernel_in(c, 1 + n + i), *max = kernel_in(c, 1 + 2 * n + i);
        if (min->num_elems != 1 || max->num_elems != 1)
            return array_fail_shape(st,
                                    "QuantizedConcatOp : limits must be scalars, but got shape ",
                                    min->num_elems == 1 ? &max->shape : &min->shape);
        out->min = fminf(out->min, tensor_f32(min)[0]);
        out->max = fmaxf(out->max, tensor_f32(max)[0]);
    }
    if (kernel_output_type(c, 0) == DT_QINT32) {
        out->max = fmaxf(fabsf(out->min), fabsf(out->max));
        out->min = -out->max;
    }
    return true;
}

/* n numbers over one range as numbers over another. */
static void change_range(const void *x, void *y, int64_t n, int dtype, struct qrange from,
                         struct qrange to)
{
    const struct qrange_floats f = qrange_floats(from, dtype), t = qrange_floats(to, dtype);
    if (dtype == DT_QINT32) {
        for (int64_t i = 0; i < n; i++) {
            const float real = qrange_float_real(&f, ((const int32_t *)x)[i]);
            ((int32_t *)y)[i] = (int32_t)qrange_float_nearest(&t, real);
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const float real = qrange_float_real(&f, ((const uint8_t *)x)[i]);
        ((uint8_t *)y)[i] = (uint8_t)qrange_float_nearest(&t, real);
    }
}

static bool quantized_concat_run(struct kctx *c, struct status *st)
{
    const int n = num_values(kernel_num_inputs(c));
    int64_t dims[SHAPE_MAX_RANK], rows = 1;
    int at = 0;
    struct qrange to;
    const struct tensor *axis = kernel_in(c, 0);
    if (axis->num_elems == 1 && tensor_i32(axis)[0] < 0)
        return status_invalid(st,
                              "ConcatOp : Expected concatenating dimensions in the range [0, %d), "
                              "but got %d",
                              tensor_rank(kernel_in(c, 1)), (int)tensor_i32(axis)[0]);
    if (!joined_shape(c, (struct join){1, n, 0}, dims, &at, st) || !whole_range(c, n, &to, st))
        return false;
    struct shape shape = shape_make(dims, tensor_rank(kernel_in(c, 1)));
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    for (int k = 0; k < at; k++)
        rows *= dims[k];
    const int64_t item = (int64_t)dtype_size(out->dtype);
    const int64_t out_run = out->num_elems > 0 ? out->num_elems / rows : 0;
    char *to_value = out->data;
    for (int i = 0; i < n && out_run > 0; i++) {
        const struct tensor *x = kernel_in(c, 1 + i);
        const int64_t run = x->num_elems / rows;
        const struct qrange from = {tensor_f32(kernel_in(c, 1 + n + i))[0],
                                    tensor_f32(kernel_in(c, 1 + 2 * n + i))[0]};
        const bool same = from.min == to.min && from.max == to.max;
        for (int64_t row = 0; row < rows && run > 0; row++) {
            const char *src = (const char *)x->data + row * run * item;
            char *dst = to_value + row * out_run * item;
            if (same)
                memcpy(dst, src, (size_t)(run * item));
            else
                change_range(src, dst, run, out->dtype, from, to);
        }
        to_value += run * item;
    }
    return qrange_out(c, 1, to, st);
}

OP_DEF(quantized_concat) = {
    .name = "QuantizedConcat",
    .summary = "Quantised numbers joined along an axis, over a range that holds those of all.",
    .inputs = {"concat_dim: int32", "values: N * T", "input_mins: N * float",
               "input_maxes: N * float"},
    .outputs = {"output: T", "output_min: float", "output_max: float"},
    .attrs = {"N: int >= 2", "T: type"},
    .shape = quantized_concat_shape,
    .no_grad = "undefined: TensorFlow registers none",
    .no_kernel = "TensorFlow has them of quint8 and qint32 alone",
};
KERNEL_DEF(quantized_concat_cpu) = {.op = "QuantizedConcat",
                                    .device = "CPU",
                                    .types = {"T: {quint8, qint32}"},
                                    .run = quantized_concat_run};
