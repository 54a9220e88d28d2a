/* SPDX-License-Identifier: Apache-2.0 */
/* UnravelIndex: places in a flat array as coordinates. Nothing is checked against the bounds: a
 * place beyond the end wraps around in the first dimension. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/array/text.h"

static int64_t at(const struct tensor *t, int64_t i)
{
    return t->dtype == DT_INT32 ? tensor_i32(t)[i] : tensor_i64(t)[i];
}

static void put(struct tensor *t, int64_t i, int64_t v)
{
    if (t->dtype == DT_INT32)
        tensor_i32(t)[i] = (int32_t)v;
    else
        tensor_i64(t)[i] = v;
}

/* Dimension d of all places: what is left of them, divided by the dimensions behind it. */
static bool one_dim(const struct tensor *indices, const struct tensor *dims, int64_t d,
                    struct tensor *out, struct status *st)
{
    int64_t behind = 1, whole;
    for (int64_t k = d + 1; k < dims->num_elems; k++) {
        if (__builtin_mul_overflow(behind, at(dims, k), &behind))
            return status_invalid(st, "UnravelIndex: dims describe too many elements");
    }
    if (__builtin_mul_overflow(behind, at(dims, d), &whole))
        return status_invalid(st, "UnravelIndex: dims describe too many elements");
    if (whole == 0)
        return status_invalid(st, "UnravelIndex: dims must not hold 0");
    for (int64_t i = 0; i < indices->num_elems; i++) {
        int64_t rest = whole == -1 ? 0 : at(indices, i) % whole;
        put(out, d * indices->num_elems + i, behind == -1 ? -rest : rest / behind);
    }
    return true;
}

static bool unravel_run(struct kctx *c, struct status *st)
{
    const struct tensor *indices = kernel_in(c, 0), *dims = kernel_in(c, 1);
    if (tensor_rank(indices) > 1)
        return array_fail_shapes(st, "The indices can only be scalar or vector, got \"",
                                 &indices->shape, "\" beside ", &dims->shape, "");
    if (tensor_rank(dims) != 1)
        return array_fail_shapes(st, "The indices can only be 1-D, got \"", &dims->shape,
                                 "\" beside ", &indices->shape, "");
    const int64_t sizes[] = {dims->num_elems, indices->num_elems};
    struct shape shape = shape_make(sizes, tensor_rank(indices) + 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    for (int64_t d = 0; out && d < dims->num_elems; d++) {
        if (!one_dim(indices, dims, d, out, st))
            return false;
    }
    return out != NULL;
}

static bool unravel_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *indices = infer_input(c, 0), *dims;
    if (!infer_want_rank(c, infer_input(c, 1), 1, &dims, st))
        return false;
    int64_t places = indices->rank < 0 ? DIM_UNKNOWN : 1;
    for (int i = 0; i < indices->rank; i++)
        places = infer_dim_mul(places, infer_dim(indices, i));
    if (indices->rank == 0)
        infer_set(c, 0, dims);
    else if (indices->rank > 0)
        infer_set(c, 0, infer_matrix(c, infer_dim(dims, 0), places));
    return true;
}

OP_DEF(unravel_index) = {
    .name = "UnravelIndex",
    .summary = "Coordinates, in a tensor of shape `dims`, of places in its flat form.",
    .inputs = {"indices: Tidx", "dims: Tidx"},
    .outputs = {"output: Tidx"},
    .attrs = {"Tidx: {int32, int64} = DT_INT32"},
    .shape = unravel_shape,
    .no_grad = "undefined: it takes integers",
};
KERNEL_DEF(unravel_index_cpu) = {.op = "UnravelIndex", .device = "CPU", .run = unravel_run};
