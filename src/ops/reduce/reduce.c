/* SPDX-License-Identifier: Apache-2.0 */
/* Sum, Mean, Prod, Max, Min, All and Any over a set of axes. The loops are math/reduce.h's; the
 * gradients are in reduce_grad.c. */
#include "math/reduce.h"
#include "op/infer.h"
#include "ops/reduce/axes.h"

bool reduce_axes_read(const struct tensor *axes, int rank, struct reduce_axes *out,
                      struct status *st)
{
    out->rank = rank;
    out->num_reduced = 0;
    for (int i = 0; i < rank; i++)
        out->reduced[i] = false;
    for (int64_t i = 0; i < axes->num_elems; i++) {
        int64_t axis = tensor_index(axes, i);
        if (axis < -rank || axis >= rank)
            return status_invalid(st,
                                  "Invalid reduction dimension (%lld for input with %d "
                                  "dimension(s)",
                                  (long long)axis, rank);
        axis = axis < 0 ? axis + rank : axis;
        if (out->reduced[axis])
            return status_invalid(
                st, "Invalid reduction arguments: Axes contains duplicate dimension: %lld",
                (long long)axis);
        out->reduced[axis] = true;
        out->num_reduced++;
    }
    return true;
}

struct shape reduce_axes_shape(const struct reduce_axes *a, const struct shape *in, bool keep_dims)
{
    int64_t dims[SHAPE_MAX_RANK];
    int rank = 0;
    for (int i = 0; i < a->rank; i++) {
        if (!a->reduced[i])
            dims[rank++] = shape_dim(in, i);
        else if (keep_dims)
            dims[rank++] = 1;
    }
    return shape_make(dims, rank);
}

struct reduce_state {
    enum math_reduce_op op;
    bool keep_dims;
};

static bool reduce_init_as(struct kernel *k, void *state, enum math_reduce_op op)
{
    struct reduce_state *s = state;
    s->op = op;
    s->keep_dims = attrs_bool(k->attrs, "keep_dims");
    return true;
}

static bool reduce_run(struct kctx *c, struct status *st)
{
    const struct reduce_state *s = kernel_state(c);
    const struct tensor *x = kernel_in(c, 0);
    struct reduce_axes axes;
    if (!reduce_axes_read(kernel_in(c, 1), tensor_rank(x), &axes, st))
        return false;
    if (axes.num_reduced == 0) {
        kernel_out_share(c, 0, x);
        return true;
    }
    struct shape shape = reduce_axes_shape(&axes, &x->shape, s->keep_dims);
    struct tensor *y = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!y)
        return false;
    struct math_reduce_axes r = {.op = s->op,
                                 .dtype = x->dtype,
                                 .x = x->data,
                                 .y = y->data,
                                 .rank = axes.rank,
                                 .dims = shape_dims(&x->shape),
                                 .reduced = axes.reduced,
                                 .in_order = true};
    int64_t bytes = math_reduce_axes_scratch_bytes(&r);
    if (bytes > 0 && !(r.scratch = kernel_scratch(c, bytes, st)))
        return false;
    math_reduce_axes(kernel_pool(c), &r);
    return true;
}

#define REDUCE_NUMBERS "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64"

#define REDUCE_KERNEL(id, op_name, which, ...)                                                     \
    static bool id##_init(struct kernel *k, void *state, struct status *st)                        \
    {                                                                                              \
        (void)st;                                                                                  \
        return reduce_init_as(k, state, which);                                                    \
    }                                                                                              \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct reduce_state),                            \
                            .init = id##_init,                                                     \
                            .run = reduce_run,                                                     \
                            .flags = KERNEL_EXPENSIVE,                                             \
                            __VA_ARGS__}

#define REDUCE_OP(id, op_name, which, text, kernel_types, ...)                                     \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"input: T", "reduction_indices: Tidx"},                                         \
        .outputs = {"output: T"},                                                                  \
        .attrs = {"keep_dims: bool = false", "T: numbertype", "Tidx: {int32, int64} = DT_INT32"},  \
        .shape = infer_reduction,                                                                  \
        __VA_ARGS__};                                                                              \
    REDUCE_KERNEL(id, op_name, which, .types = {"T: {" kernel_types "}"})

REDUCE_OP(sum, "Sum", MATH_REDUCE_SUM, "The sum of the elements along the given axes.",
          REDUCE_NUMBERS ", complex64, complex128", .grad = reduce_sum_grad);
REDUCE_OP(mean, "Mean", MATH_REDUCE_MEAN, "The mean of the elements along the given axes.",
          REDUCE_NUMBERS ", complex64, complex128", .grad = reduce_mean_grad);
REDUCE_OP(prod, "Prod", MATH_REDUCE_PROD, "The product of the elements along the given axes.",
          REDUCE_NUMBERS ", complex64, complex128", .grad = reduce_prod_grad);
REDUCE_OP(max, "Max", MATH_REDUCE_MAX, "The greatest of the elements along the given axes.",
          REDUCE_NUMBERS, .grad = reduce_extreme_grad);
REDUCE_OP(min, "Min", MATH_REDUCE_MIN, "The smallest of the elements along the given axes.",
          REDUCE_NUMBERS, .grad = reduce_extreme_grad);

#define REDUCE_BOOL_OP(id, op_name, which, text)                                                   \
    OP_DEF(id) = {.name = op_name,                                                                 \
                  .summary = text,                                                                 \
                  .inputs = {"input: bool", "reduction_indices: Tidx"},                            \
                  .outputs = {"output: bool"},                                                     \
                  .attrs = {"keep_dims: bool = false", "Tidx: {int32, int64} = DT_INT32"},         \
                  .shape = infer_reduction,                                                        \
                  .no_grad = "truth values have no gradient"};                                     \
    REDUCE_KERNEL(id, op_name, which, .label = NULL)

REDUCE_BOOL_OP(all, "All", MATH_REDUCE_ALL,
               "Whether all the elements along the given axes are true.");
REDUCE_BOOL_OP(any, "Any", MATH_REDUCE_ANY,
               "Whether any of the elements along the given axes is true.");
