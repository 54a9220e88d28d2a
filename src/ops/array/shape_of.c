/* SPDX-License-Identifier: Apache-2.0 */
/* Shape, ShapeN, Size, Rank: what is known of a tensor without its elements. */
#include "op/infer.h"
#include "op/kernel.h"

static bool shape_n_shape(struct infer_ctx *c, struct status *st UNUSED)
{
    for (int i = 0; i < infer_num_inputs(c); i++) {
        const struct shape *s = infer_input(c, i);
        infer_set(c, i, infer_vector(c, s->rank < 0 ? DIM_UNKNOWN : s->rank));
    }
    return true;
}

static bool shape_run_at(struct kctx *c, int i, struct status *st)
{
    const struct shape *s = &kernel_in(c, i)->shape;
    struct shape vec = shape_1(s->rank);
    struct tensor *out = kernel_out(c, i, &vec, st);
    if (!out)
        return false;
    const int64_t *dims = shape_dims(s);
    if (out->dtype == DT_INT64) {
        for (int k = 0; k < s->rank; k++)
            tensor_i64(out)[k] = dims[k];
        return true;
    }
    for (int k = 0; k < s->rank; k++) {
        if (UNLIKELY(dims[k] > INT32_MAX))
            return status_invalid(st, "Shape output type is 32-bit but dim %d is %lld", k,
                                  (long long)dims[k]);
        tensor_i32(out)[k] = (int32_t)dims[k];
    }
    return true;
}

static bool shape_run(struct kctx *c, struct status *st)
{
    return shape_run_at(c, 0, st);
}

static bool shape_n_run(struct kctx *c, struct status *st)
{
    for (int i = 0; i < kernel_num_inputs(c); i++) {
        if (!shape_run_at(c, i, st))
            return false;
    }
    return true;
}

OP_DEF(shape) = {
    .name = "Shape",
    .summary = "The dims of the input, as a vector.",
    .inputs = {"input: T"},
    .outputs = {"output: out_type"},
    .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
    .shape = shape_n_shape,
    .no_grad = "shapes are integers",
};
KERNEL_DEF(shape_cpu) = {.op = "Shape", .device = "CPU", .run = shape_run};

OP_DEF(shape_n) = {
    .name = "ShapeN",
    .summary = "The dims of each input, as vectors.",
    .inputs = {"input: N * T"},
    .outputs = {"output: N * out_type"},
    .attrs = {"N: int >= 1", "T: type", "out_type: {int32, int64} = DT_INT32"},
    .shape = shape_n_shape,
    .no_grad = "shapes are integers",
};
KERNEL_DEF(shape_n_cpu) = {.op = "ShapeN", .device = "CPU", .run = shape_n_run};

/* --- Size, Rank --- */

static bool scalar_out(struct kctx *c, int64_t v, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    if (!out)
        return false;
    if (out->dtype == DT_INT64)
        tensor_i64(out)[0] = v;
    else
        tensor_i32(out)[0] = (int32_t)v;
    return true;
}

static bool size_run(struct kctx *c, struct status *st)
{
    int64_t n = kernel_in(c, 0)->num_elems;
    if (kernel_output_type(c, 0) == DT_INT32 && n > INT32_MAX)
        return status_invalid(
            st, "Number of elements was larger than representable by 32-bit output type");
    return scalar_out(c, n, st);
}

static bool rank_run(struct kctx *c, struct status *st)
{
    return scalar_out(c, tensor_rank(kernel_in(c, 0)), st);
}

OP_DEF(size) = {
    .name = "Size",
    .summary = "The number of elements in the input.",
    .inputs = {"input: T"},
    .outputs = {"output: out_type"},
    .attrs = {"T: type", "out_type: {int32, int64} = DT_INT32"},
    .shape = infer_scalars,
    .no_grad = "sizes are integers",
};
KERNEL_DEF(size_cpu) = {.op = "Size", .device = "CPU", .run = size_run};

OP_DEF(rank) = {
    .name = "Rank",
    .summary = "The number of dims of the input.",
    .inputs = {"input: T"},
    .outputs = {"output: int32"},
    .attrs = {"T: type"},
    .shape = infer_scalars,
    .no_grad = "ranks are integers",
};
KERNEL_DEF(rank_cpu) = {.op = "Rank", .device = "CPU", .run = rank_run};
