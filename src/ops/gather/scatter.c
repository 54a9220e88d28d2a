/* SPDX-License-Identifier: Apache-2.0 */
/* Scatters into variables, by rows (Scatter*, ResourceScatter*) or by index tuples (ScatterNd*,
 * ResourceScatterNd*). A bad index leaves the variable as it was. */
#include "ops/gather/gather.h"

struct scatter_state {
    enum math_scatter_op op;
    bool nd;
};

/* --- shapes --- */

static bool rows_infer(struct infer_ctx *c, const struct shape *var, struct status *st)
{
    const struct shape *indices = infer_input(c, 1), *updates = infer_input(c, 2), *merged;
    if (!infer_want_rank_min(c, var, 1, &var, st))
        return false;
    if (updates->rank == 0 || indices->rank < 0 || var->rank < 0)
        return true;
    const struct shape *want = infer_concat(c, indices, infer_slice(c, var, 1, SHAPE_MAX_RANK));
    return infer_merge(c, updates, want, &merged, st);
}

static bool rows_shape(struct infer_ctx *c, struct status *st)
{
    infer_set(c, 0, infer_input(c, 0));
    return rows_infer(c, infer_input(c, 0), st);
}

static bool nd_shape(struct infer_ctx *c, struct status *st)
{
    infer_set(c, 0, infer_input(c, 0));
    return tuples_infer(c, infer_input(c, 1), infer_input(c, 2), infer_input(c, 0), "input", st);
}

static const struct shape *behind(struct infer_ctx *c)
{
    struct infer_handle h = infer_handle_in(c, 0);
    return h.n == 1 ? h.shapes[0] : infer_unknown(c);
}

static bool resource_rows_shape(struct infer_ctx *c, struct status *st)
{
    return rows_infer(c, behind(c), st);
}

static bool resource_nd_shape(struct infer_ctx *c, struct status *st)
{
    return tuples_infer(c, infer_input(c, 1), infer_input(c, 2), behind(c), "input", st);
}

/* --- kernels --- */

static bool fail_updates(struct status *st, const struct tensor *table,
                         const struct tensor *indices, const struct tensor *updates)
{
    gather_fail_shapes(st,
                       "Must have updates.shape = indices.shape + params.shape[1:] or "
                       "updates.shape = [], got updates.shape ",
                       &updates->shape, ", indices.shape ", &indices->shape, ", params.shape ");
    struct strbuf text = {0};
    shape_print(&table->shape, &text);
    status_append(st, "%s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

static bool updates_fit(const struct tensor *table, const struct tensor *indices,
                        const struct tensor *updates)
{
    int a = tensor_rank(indices), b = tensor_rank(table), n = tensor_rank(updates);
    bool fit = n == a + b - 1;
    for (int i = 0; fit && i < n; i++)
        fit = tensor_dim(updates, i) ==
              (i < a ? tensor_dim(indices, i) : tensor_dim(table, i - a + 1));
    return fit;
}

static bool scatter_rows(struct kctx *c, enum math_scatter_op op, struct tensor *table,
                         struct status *st)
{
    const struct tensor *indices = kernel_in(c, 1), *updates = kernel_in(c, 2);
    if (tensor_rank(table) < 1)
        return gather_fail_shapes(st, "params must be at least 1-D, got shape ", &table->shape, "",
                                  NULL, "");
    bool scalar = tensor_rank(updates) == 0;
    if (!scalar && !updates_fit(table, indices, updates))
        return fail_updates(st, table, indices, updates);
    struct math_scatter s = {.op = op,
                             .dtype = table->dtype,
                             .index_dtype = indices->dtype,
                             .indices = indices->data,
                             .num = indices->num_elems,
                             .limit = tensor_dim(table, 0),
                             .row_items = gather_span(&table->shape, 1, tensor_rank(table)),
                             .updates = updates->data,
                             .scalar = scalar,
                             .table = table->data};
    int64_t bad;
    if (!dtype_is_managed(table->dtype)) {
        bad = math_scatter(kernel_pool(c), &s);
        if (bad < 0)
            return true;
        s.num = bad; /* the rows before it are updated all the same, as TensorFlow has it */
        (void)math_scatter(kernel_pool(c), &s);
        return gather_fail_index(st, indices, bad, tensor_dim(table, 0));
    }
    bad = math_find_bad_index(s.index_dtype, s.indices, s.num, s.limit);
    if (bad >= 0)
        return gather_fail_index(st, indices, bad, s.limit);
    return scatter_managed(&s, st);
}

static bool scatter_var(struct kctx *c, struct variable *v, struct status *st)
{
    const struct scatter_state *how = kernel_state(c);
    struct tensor *table;
    if (!variable_write_begin(v, true, &table, st))
        return false;
    bool ok = table->dtype == kernel_in(c, 2)->dtype ||
              status_invalid(st, "the variable has type %s, the updates %s",
                             dtype_name(table->dtype), dtype_name(kernel_in(c, 2)->dtype));
    if (ok && how->nd && table->num_elems == 0 && kernel_in(c, 2)->num_elems > 0)
        ok = status_invalid(st, "Indices and updates specified for empty output shape");
    if (ok)
        ok = how->nd ? tuples_scatter(c, how->op, kernel_in(c, 1), kernel_in(c, 2), table, st)
                     : scatter_rows(c, how->op, table, st);
    variable_write_end(v);
    return ok;
}

static bool ref_run(struct kctx *c, struct status *st)
{
    kernel_out_share(c, 0, kernel_in(c, 0));
    return scatter_var(c, kernel_ref(c, 0), st);
}

static bool resource_run(struct kctx *c, struct status *st)
{
    struct variable *v = (struct variable *)resource_from_input(c, 0, &variable_type, st);
    bool ok = v && scatter_var(c, v, st);
    variable_unref(v);
    return ok;
}

#define INIT(name, code, is_nd)                                                                    \
    static bool name##_init(struct kernel *k, void *state, struct status *st)                      \
    {                                                                                              \
        (void)k;                                                                                   \
        (void)st;                                                                                  \
        *(struct scatter_state *)state = (struct scatter_state){.op = code, .nd = is_nd};          \
        return true;                                                                               \
    }
INIT(update, MATH_SCATTER_UPDATE, false)
INIT(add, MATH_SCATTER_ADD, false)
INIT(sub, MATH_SCATTER_SUB, false)
INIT(mul, MATH_SCATTER_MUL, false)
INIT(div, MATH_SCATTER_DIV, false)
INIT(min, MATH_SCATTER_MIN, false)
INIT(max, MATH_SCATTER_MAX, false)
INIT(nd_update, MATH_SCATTER_UPDATE, true)
INIT(nd_add, MATH_SCATTER_ADD, true)
INIT(nd_sub, MATH_SCATTER_SUB, true)

#define REALS "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64"
#define NUMBERS REALS ", complex64, complex128"

#define REF(id, op_name, text, constraint, locking, types_, how, shape_fn, why)                    \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"ref: Ref(T)", "indices: Tindices", "updates: T"},                              \
        .outputs = {"output_ref: Ref(T)"},                                                         \
        .attrs = {"T: " constraint, "Tindices: {int32, int64}", "use_locking: bool = " locking},   \
        .shape = shape_fn,                                                                         \
        .no_grad = why,                                                                            \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"T: {" types_ "}"},                                                              \
        .state_bytes = sizeof(struct scatter_state),                                               \
        .init = how##_init,                                                                        \
        .run = ref_run,                                                                            \
    }

#define NONE "a variable is changed"
#define UNDEFINED "undefined: TensorFlow registers none"
#define EXTREMES "{half, bfloat16, float, double, int32, int64}"
REF(scatter_update, "ScatterUpdate", "Replaces the rows of a variable that indices name.", "type",
    "true", NUMBERS ", bool, string, resource, variant", update, rows_shape, UNDEFINED);
REF(scatter_add, "ScatterAdd", "Adds to the rows of a variable that indices name.", "numbertype",
    "false", NUMBERS, add, rows_shape, NONE);
REF(scatter_sub, "ScatterSub", "Subtracts from the rows of a variable that indices name.",
    "numbertype", "false", NUMBERS, sub, rows_shape, NONE);
REF(scatter_mul, "ScatterMul", "Multiplies the rows of a variable that indices name.", "numbertype",
    "false", NUMBERS, mul, rows_shape, NONE);
REF(scatter_div, "ScatterDiv", "Divides the rows of a variable that indices name.", "numbertype",
    "false", NUMBERS, div, rows_shape, NONE);
REF(scatter_min, "ScatterMin", "Lowers the rows of a variable that indices name to updates.",
    EXTREMES, "false", "half, bfloat16, float, double, int32, int64", min, rows_shape, UNDEFINED);
REF(scatter_max, "ScatterMax", "Raises the rows of a variable that indices name to updates.",
    EXTREMES, "false", "half, bfloat16, float, double, int32, int64", max, rows_shape, UNDEFINED);
REF(scatter_nd_update, "ScatterNdUpdate",
    "Replaces the slices of a variable that index tuples name.", "type", "true", NUMBERS ", bool",
    nd_update, nd_shape, NONE);
REF(scatter_nd_add, "ScatterNdAdd", "Adds to the slices of a variable that index tuples name.",
    "numbertype", "false", NUMBERS, nd_add, nd_shape, NONE);
REF(scatter_nd_sub, "ScatterNdSub",
    "Subtracts from the slices of a variable that index tuples name.", "numbertype", "false",
    NUMBERS, nd_sub, nd_shape, NONE);

#define RESOURCE(id, op_name, text, constraint, types_, how)                                       \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"resource: resource", "indices: Tindices", "updates: dtype"},                   \
        .attrs = {"dtype: " constraint, "Tindices: {int32, int64}"},                               \
        .flags = OP_STATEFUL,                                                                      \
        .shape = resource_rows_shape,                                                              \
        .no_grad = UNDEFINED,                                                                      \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"dtype: {" types_ "}"},                                                          \
        .state_bytes = sizeof(struct scatter_state),                                               \
        .init = how##_init,                                                                        \
        .run = resource_run,                                                                       \
    }
RESOURCE(resource_scatter_update, "ResourceScatterUpdate",
         "Replaces the rows, named by indices, of the variable behind a handle.", "type",
         NUMBERS ", bool, string, variant", update);
RESOURCE(resource_scatter_add, "ResourceScatterAdd",
         "Adds to the rows, named by indices, of the variable behind a handle.", "numbertype",
         NUMBERS, add);
RESOURCE(resource_scatter_sub, "ResourceScatterSub",
         "Subtracts from the rows, named by indices, of the variable behind a handle.",
         "numbertype", NUMBERS, sub);
RESOURCE(resource_scatter_mul, "ResourceScatterMul",
         "Multiplies the rows, named by indices, of the variable behind a handle.", "numbertype",
         NUMBERS, mul);
RESOURCE(resource_scatter_div, "ResourceScatterDiv",
         "Divides the rows, named by indices, of the variable behind a handle.", "numbertype",
         NUMBERS, div);
RESOURCE(resource_scatter_min, "ResourceScatterMin",
         "Lowers the rows, named by indices, of the variable behind a handle.", "numbertype", REALS,
         min);
RESOURCE(resource_scatter_max, "ResourceScatterMax",
         "Raises the rows, named by indices, of the variable behind a handle.", "numbertype", REALS,
         max);

#define RESOURCE_ND(id, op_name, text, types_, how)                                                \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"ref: resource", "indices: Tindices", "updates: T"},                            \
        .attrs = {"T: type", "Tindices: {int32, int64}", "use_locking: bool = true"},              \
        .flags = OP_STATEFUL,                                                                      \
        .shape = resource_nd_shape,                                                                \
        .no_kernel = "there are kernels for numbers and booleans alone",                           \
        .no_grad = UNDEFINED,                                                                      \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"T: {" types_ "}"},                                                              \
        .state_bytes = sizeof(struct scatter_state),                                               \
        .init = how##_init,                                                                        \
        .run = resource_run,                                                                       \
    }
RESOURCE_ND(resource_scatter_nd_update, "ResourceScatterNdUpdate",
            "Replaces the slices, named by tuples, of the variable behind a handle.",
            NUMBERS ", bool", nd_update);
RESOURCE_ND(resource_scatter_nd_add, "ResourceScatterNdAdd",
            "Adds to the slices, named by tuples, of the variable behind a handle.",
            NUMBERS ", bool", nd_add);
RESOURCE_ND(resource_scatter_nd_sub, "ResourceScatterNdSub",
            "Subtracts from the slices, named by tuples, of the variable behind a handle.",
            NUMBERS ", bool", nd_sub);
