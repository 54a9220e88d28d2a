/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and GatherV2: slices of a tensor along one axis, picked by indices.
 *
 * With batch_dims, the leading dims of params and indices are walked together. Their gradient along
 * axis 0 is indexed slices, so that a table's gradient costs what was looked up; along other axes
 * it is a sum over segments. */
#include <string.h>

#include "ops/gather/gather.h"
#include "ops/gather/gather_grad.h"

/* --- shapes --- */

static bool gather_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *params;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &params, st))
        return false;
    infer_set(c, 0, infer_concat(c, infer_input(c, 1), infer_slice(c, params, 1, SHAPE_MAX_RANK)));
    return true;
}

static bool batch_of(const struct infer_ctx *c, const struct shape *indices, int64_t *batch,
                     bool *known, struct status *st)
{
    *batch = attrs_int(infer_attrs(c), "batch_dims");
    *known = *batch >= 0 || indices->rank >= 0;
    if (*batch < 0 && *known)
        *batch += indices->rank;
    if (*known && indices->rank >= 0 && (*batch < 0 || *batch > indices->rank))
        return status_invalid(st, "Expected batch_dims in the range [-%d, %d], but got %lld",
                              indices->rank, indices->rank,
                              (long long)attrs_int(infer_attrs(c), "batch_dims"));
    return true;
}

static bool gather_v2_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *params, *axis_shape, *indices = infer_input(c, 1);
    bool known, batch_known;
    int64_t axis, batch;
    if (!infer_want_rank_min(c, infer_input(c, 0), 1, &params, st) ||
        !infer_want_rank(c, infer_input(c, 2), 0, &axis_shape, st) ||
        !infer_const_int(c, 2, &known, &axis, st) ||
        !batch_of(c, indices, &batch, &batch_known, st))
        return false;
    if (known && (axis >= SHAPE_MAX_RANK || axis < -SHAPE_MAX_RANK))
        return status_invalid(st, "Shape must be at least rank %lld", (long long)axis);
    if (known && !infer_want_rank_min(c, params, (int)(axis < 0 ? -axis : axis + 1), &params, st))
        return false;
    if (indices->rank < 0 || !batch_known || params->rank < 0)
        return true;
    if (batch > params->rank)
        return status_invalid(st, "batch_dims (%lld) must be less than the rank of params (%d)",
                              (long long)batch, params->rank);
    if (!known) {
        int rank = params->rank + indices->rank - 1 - (int)batch;
        infer_set(c, 0, rank <= SHAPE_MAX_RANK ? infer_of_rank(c, rank) : infer_unknown(c));
        return true;
    }
    int at = (int)(axis < 0 ? axis + params->rank : axis);
    if (batch > at)
        return status_invalid(st, "batch_dims (%lld) must be less than or equal to axis (%d)",
                              (long long)batch, at);
    const struct shape *out = infer_slice(c, params, 0, at);
    out = infer_concat(c, out, infer_slice(c, indices, (int)batch, indices->rank));
    infer_set(c, 0, infer_concat(c, out, infer_slice(c, params, at + 1, params->rank)));
    return true;
}

/* --- gradients --- */

/* As int32; tf.gradients goes by way of int64. */
static struct output shape_of_params(struct grad_ctx *g)
{
    struct output params = grad_in(g, 0);
    if (!grad_as_python(g))
        return grad_shape(g, params);
    grad_beside(g, params);
    struct output shape = grad_cast(g, grad_shape_as(g, params, DT_INT64), DT_INT32);
    grad_beside_end(g);
    return shape;
}

static bool gather_grad(struct grad_ctx *g, struct status *st)
{
    grad_set_slices(g, 0, gather_slices(g, shape_of_params(g)));
    return grad_done(g, st);
}

static bool gather_v2_grad(struct grad_ctx *g, struct status *st)
{
    const struct tensor *axis = grad_const_of(g, grad_in(g, 2));
    struct output shape = shape_of_params(g);
    int64_t batch = attrs_int(grad_attrs(g), "batch_dims");
    if (batch == 0 && axis && axis->num_elems == 1 && tensor_index(axis, 0) == 0)
        grad_set_slices(g, 0, gather_slices(g, shape));
    else if (!gather_set_dense(g, shape, grad_in(g, 2), batch, st))
        return false;
    return grad_done(g, st);
}

/* --- kernels --- */

static bool gather_run(struct kctx *c, struct status *st)
{
    if (tensor_rank(kernel_in(c, 0)) < 1)
        return status_invalid(st, "params must be at least 1 dimensional");
    return gather_rows(c, kernel_in(c, 0), kernel_in(c, 1), 0, 0, st);
}

static bool gather_v2_run(struct kctx *c, struct status *st)
{
    const struct tensor *params = kernel_in(c, 0), *indices = kernel_in(c, 1);
    const struct tensor *axis_in = kernel_in(c, 2);
    int rank = tensor_rank(params);
    if (rank < 1)
        return status_invalid(st, "params must be at least 1 dimensional");
    if (tensor_rank(axis_in) != 0)
        return status_invalid(st, "axis must be scalar");
    int64_t axis = tensor_index(axis_in, 0), batch = *(int64_t *)kernel_state(c);
    if (axis < -rank || axis >= rank)
        return status_invalid(st, "Expected axis in the range [%d, %d), but got %lld", -rank, rank,
                              (long long)axis);
    return gather_rows(c, params, indices, axis < 0 ? axis + rank : axis, batch, st);
}

static bool gather_v2_init(struct kernel *k, void *state, struct status *st)
{
    return attrs_get_int(k->attrs, "batch_dims", state, st);
}

OP_DEF(gather) = {
    .name = "Gather",
    .summary = "Rows of params, picked by indices.",
    .inputs = {"params: Tparams", "indices: Tindices"},
    .outputs = {"output: Tparams"},
    .attrs = {"validate_indices: bool = true", "Tparams: type", "Tindices: {int32, int64}"},
    .shape = gather_shape,
    .grad = gather_grad,
};
KERNEL_DEF(gather_cpu) = {
    .op = "Gather", .device = "CPU", .run = gather_run, .flags = KERNEL_EXPENSIVE};

OP_DEF(gather_v2) = {
    .name = "GatherV2",
    .summary = "Slices of params along an axis, picked by indices.",
    .inputs = {"params: Tparams", "indices: Tindices", "axis: Taxis"},
    .outputs = {"output: Tparams"},
    .attrs = {"batch_dims: int = 0", "Tparams: type", "Tindices: {int32, int64}",
              "Taxis: {int32, int64}"},
    .shape = gather_v2_shape,
    .grad = gather_v2_grad,
};
KERNEL_DEF(gather_v2_cpu) = {.op = "GatherV2",
                             .device = "CPU",
                             .state_bytes = sizeof(int64_t),
                             .init = gather_v2_init,
                             .run = gather_v2_run,
                             .flags = KERNEL_EXPENSIVE};
