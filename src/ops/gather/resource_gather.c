/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceGather and ResourceGatherNd: rows of the variable behind a handle.
 *
 * A variable that is updated sparsely is read under its lock, row by row: the table is never
 * copied. */
#include "ops/gather/gather.h"
#include "ops/gather/gather_grad.h"

static const struct shape *behind(struct infer_ctx *c)
{
    struct infer_handle h = infer_handle_in(c, 0);
    return h.n == 1 ? h.shapes[0] : infer_unknown(c);
}

static bool rows_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *params = behind(c), *indices = infer_input(c, 1);
    int64_t batch = attrs_int(infer_attrs(c), "batch_dims");
    if (!infer_want_rank_min(c, params, 1, &params, st))
        return false;
    if (params->rank < 0 || indices->rank < 0)
        return true;
    if (batch < 0)
        batch += indices->rank;
    if (batch < 0 || batch > indices->rank || batch >= params->rank)
        return status_invalid(st,
                              "batch_dims (%lld) does not suit indices of rank %d and params "
                              "of rank %d",
                              (long long)batch, indices->rank, params->rank);
    const struct shape *out = infer_slice(c, params, 0, (int)batch);
    out = infer_concat(c, out, infer_slice(c, indices, (int)batch, indices->rank));
    infer_set(c, 0, infer_concat(c, out, infer_slice(c, params, (int)batch + 1, params->rank)));
    return true;
}

/* tf.gradients has it as a constant where the variable tells. */
static struct output variable_shape(struct grad_ctx *g, struct output handle)
{
    int32_t dims[SHAPE_MAX_RANK];
    const struct shape *s = grad_shape_behind(g, handle);
    bool known = grad_as_python(g) && shape_known(s);
    for (int i = 0; known && i < s->rank; i++) {
        known = shape_dim(s, i) <= INT32_MAX;
        dims[i] = (int32_t)shape_dim(s, i);
    }
    if (!known)
        return grad_op1(g, "VariableShape", handle);
    grad_name(g, "Const");
    return grad_const_i32s(g, dims, s->rank);
}

static bool rows_grad(struct grad_ctx *g, struct status *st)
{
    struct output shape = variable_shape(g, grad_in(g, 0));
    int64_t batch = attrs_int(grad_attrs(g), "batch_dims");
    if (batch == 0)
        grad_set_slices(g, 0, gather_slices(g, shape));
    else if (!gather_set_dense(g, shape, grad_const_i32(g, (int32_t)batch), batch, st))
        return false;
    return grad_done(g, st);
}

static bool check_value(const struct kctx *c, const struct tensor *value, struct status *st)
{
    if (value->dtype != kernel_output_type(c, 0))
        return status_invalid(st, "the variable has type %s, not %s", dtype_name(value->dtype),
                              dtype_name(kernel_output_type(c, 0)));
    return true;
}

static bool pick_rows(struct kctx *c, const struct tensor *value, struct status *st)
{
    int64_t batch = attrs_int(kernel_attrs(c), "batch_dims");
    if (batch < 0)
        batch += tensor_rank(kernel_in(c, 1));
    if (!check_value(c, value, st))
        return false;
    if (tensor_rank(value) < 1)
        return status_invalid(st, "params must be at least 1 dimensional");
    return gather_rows(c, value, kernel_in(c, 1), batch, batch, st);
}

typedef bool (*pick_fn)(struct kctx *c, const struct tensor *value, struct status *st);

/* Picks from a snapshot; where a snapshot would be a copy, from the value itself, locked. */
static bool pick_from(struct kctx *c, pick_fn pick, struct status *st)
{
    struct variable *v = (struct variable *)resource_from_input(c, 0, &variable_type, st);
    if (!v)
        return false;
    struct tensor value = {0};
    bool ok;
    lock_take(&v->lock);
    bool locked = v->copy_on_read && v->value.dtype != DT_INVALID;
    if (locked)
        ok = pick(c, &v->value, st);
    lock_drop(&v->lock);
    if (!locked)
        ok = variable_read(v, &value, st) && pick(c, &value, st);
    tensor_clear(&value);
    variable_unref(v);
    return ok;
}

static bool rows_run(struct kctx *c, struct status *st)
{
    return pick_from(c, pick_rows, st);
}

OP_DEF(resource_gather) = {
    .name = "ResourceGather",
    .summary = "Rows, picked by indices, of the variable behind a handle.",
    .inputs = {"resource: resource", "indices: Tindices"},
    .outputs = {"output: dtype"},
    .attrs = {"batch_dims: int = 0", "validate_indices: bool = true", "dtype: type",
              "Tindices: {int32, int64}"},
    .flags = OP_STATEFUL,
    .shape = rows_shape,
    .grad = rows_grad,
};
KERNEL_DEF(resource_gather_cpu) = {
    .op = "ResourceGather",
    .device = "CPU",
    .types = {"dtype: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant, qint32, qint8, quint8}"},
    .run = rows_run,
    .flags = KERNEL_EXPENSIVE,
};

/* --- ResourceGatherNd --- */

static bool nd_shape(struct infer_ctx *c, struct status *st)
{
    return gather_nd_infer(c, behind(c), infer_input(c, 1), st);
}

static bool nd_grad(struct grad_ctx *g, struct status *st)
{
    struct output shape = grad_op1(g, "VariableShape", grad_in(g, 0));
    shape = grad_cast(g, shape, grad_type_of(g, grad_in(g, 1)));
    gather_nd_set(g, shape);
    return grad_done(g, st);
}

static bool pick_tuples(struct kctx *c, const struct tensor *value, struct status *st)
{
    return check_value(c, value, st) && gather_by_tuples(c, value, kernel_in(c, 1), st);
}

static bool nd_run(struct kctx *c, struct status *st)
{
    return pick_from(c, pick_tuples, st);
}

OP_DEF(resource_gather_nd) = {
    .name = "ResourceGatherNd",
    .summary = "Slices, named by index tuples, of the variable behind a handle.",
    .inputs = {"resource: resource", "indices: Tindices"},
    .outputs = {"output: dtype"},
    .attrs = {"dtype: type", "Tindices: {int32, int64}"},
    .flags = OP_STATEFUL,
    .shape = nd_shape,
    .grad = nd_grad,
};
KERNEL_DEF(resource_gather_nd_cpu) = {
    .op = "ResourceGatherNd",
    .device = "CPU",
    .types = {"dtype: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, complex128, bool, string, resource, variant}"},
    .run = nd_run,
    .flags = KERNEL_EXPENSIVE,
};
