/* SPDX-License-Identifier: Apache-2.0 */
/* Resource variables: a handle stands for a variable of the session's container; reads are
 * snapshots, writes follow the rules of op/variable.h. */
#include <string.h>

#include "op/grad.h"
#include "op/infer.h"
#include "ops/state/update.h"

/* --- VarHandleOp --- */

static bool var_handle_run(struct kctx *c, struct status *st)
{
    const char *container, *name;
    struct tensor handle = {0};
    resource_names(c, true, &container, &name);
    if (!resource_make_handle(c, container, name, &variable_type, &handle, st))
        return false;
    kernel_out_take(c, 0, &handle);
    return true;
}

static bool var_handle_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    const struct attr_value *shape = attrs_find(infer_attrs(c), "shape");
    int dtype = attrs_type(infer_attrs(c), "dtype");
    const struct shape *s = shape && shape->kind == ATTR_SHAPE ? &shape->shape : infer_unknown(c);
    infer_set(c, 0, infer_scalar(c));
    infer_set_handle(c, 0, (struct infer_handle){1, &dtype, &s});
    return true;
}

OP_DEF(var_handle_op) = {
    .name = "VarHandleOp",
    .summary = "A handle to a variable.",
    .outputs = {"resource: resource"},
    .attrs = {"container: string = ''", "shared_name: string = ''", "dtype: type", "shape: shape"},
    .flags = OP_STATEFUL,
    .shape = var_handle_shape,
    .no_grad = "it has no inputs",
};
KERNEL_DEF(var_handle_op_cpu) = {.op = "VarHandleOp", .device = "CPU", .run = var_handle_run};

/* --- reading --- */

static struct variable *variable_of(struct kctx *c, struct status *st)
{
    return (struct variable *)resource_from_input(c, 0, &variable_type, st);
}

static const char *handle_name(const struct kctx *c)
{
    struct handle *const *h = kernel_in(c, 0)->data;
    return kernel_in(c, 0)->num_elems == 1 && *h ? (*h)->name : "?";
}

static bool read_run(struct kctx *c, struct status *st)
{
    struct status why = {0};
    struct tensor value = {0};
    struct variable *v = variable_of(c, &why);
    bool ok = v && variable_read(v, &value, &why);
    if (!ok && (why.code == STATUS_NOT_FOUND || why.code == STATUS_FAILED_PRECONDITION))
        status_precondition(st,
                            "Error while reading resource variable %s from Container: localhost. "
                            "This could mean that "
                            "the variable was uninitialized. %s",
                            handle_name(c), status_message(&why));
    else if (!ok)
        status_copy(st, &why);
    if (ok && value.dtype != kernel_output_type(c, 0))
        ok = status_invalid(st, "Trying to read variable with wrong dtype. Expected %s got %s",
                            dtype_name(kernel_output_type(c, 0)), dtype_name(value.dtype));
    if (ok)
        kernel_out_take(c, 0, &value);
    tensor_clear(&value);
    variable_unref(v);
    status_clear(&why);
    return ok;
}

static bool read_shape(struct infer_ctx *c, struct status *st)
{
    struct infer_handle h = infer_handle_in(c, 0);
    int want = attrs_type(infer_attrs(c), "dtype");
    if (h.n == 1 && h.dtypes[0] != DT_INVALID && h.dtypes[0] != want)
        return status_invalid(st, "Trying to read variable with wrong dtype. Expected %s got %s",
                              dtype_name(h.dtypes[0]), dtype_name(want));
    if (h.n == 1)
        infer_set(c, 0, h.shapes[0]);
    return true;
}

static bool read_grad(struct grad_ctx *g, struct status *st)
{
    struct grad_slices s;
    if (grad_dy_slices(g, 0, &s))
        grad_set_slices(g, 0, s);
    else if (grad_has_dy(g, 0))
        grad_set(g, 0, grad_dy(g, 0));
    return grad_done(g, st);
}

OP_DEF(read_variable_op) = {
    .name = "ReadVariableOp",
    .summary = "The value of the variable behind a handle.",
    .inputs = {"resource: resource"},
    .outputs = {"value: dtype"},
    .attrs = {"dtype: type"},
    .flags = OP_STATEFUL,
    .shape = read_shape,
    .grad = read_grad,
};
KERNEL_DEF(read_variable_op_cpu) = {.op = "ReadVariableOp", .device = "CPU", .run = read_run};

/* --- writing --- */

static bool assign_run(struct kctx *c, struct status *st)
{
    struct tensor own;
    struct variable *v = variable_of_handle(c, 0, kernel_in(c, 1)->dtype, st);
    bool ok = v && update_own_value(c, 1, &own, st);
    if (ok)
        variable_assign(v, &own);
    variable_unref(v);
    return ok;
}

/* The value must fit what is known behind the handle. */
static bool assign_shape(struct infer_ctx *c, struct status *st)
{
    struct infer_handle h = infer_handle_in(c, 0);
    const struct shape *s;
    int want = attrs_type(infer_attrs(c), "dtype");
    if (h.n != 1)
        return true;
    if (h.dtypes[0] != DT_INVALID && h.dtypes[0] != want)
        return status_invalid(st, "Trying to assign variable with wrong dtype. Expected %s got %s",
                              dtype_name(h.dtypes[0]), dtype_name(want));
    return infer_merge(c, h.shapes[0], infer_input(c, 1), &s, st);
}

OP_DEF(assign_variable_op) = {
    .name = "AssignVariableOp",
    .summary = "Gives the variable behind a handle a new value.",
    .inputs = {"resource: resource", "value: dtype"},
    .attrs = {"dtype: type"},
    .flags = OP_STATEFUL,
    .shape = assign_shape,
    .no_grad = "undefined: it has no outputs",
};
KERNEL_DEF(assign_variable_op_cpu) = {
    .op = "AssignVariableOp",
    .device = "CPU",
    .types = {"dtype: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, "
              "complex64, "
              "complex128, bool, string, resource, variant, qint32, qint8, quint8}"},
    .run = assign_run,
};

static bool add_run(struct kctx *c, struct status *st)
{
    struct variable *v = variable_of(c, st);
    bool ok = v && update_add(c, v, st);
    variable_unref(v);
    return ok;
}

#define UPDATE(id, op_name, text, init_fn)                                                         \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"resource: resource", "value: dtype"},                                          \
        .attrs = {"dtype: type"},                                                                  \
        .flags = OP_STATEFUL,                                                                      \
        .shape = assign_shape,                                                                     \
        .no_grad = "undefined: it has no outputs",                                                 \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {                                                                       \
        .op = op_name,                                                                             \
        .device = "CPU",                                                                           \
        .types = {"dtype: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, "     \
                  "int64, complex64, complex128}"},                                                \
        .state_bytes = sizeof(update_fn),                                                          \
        .init = init_fn,                                                                           \
        .run = add_run}
UPDATE(assign_add_variable_op, "AssignAddVariableOp",
       "Adds a value to the variable behind a handle.", update_add_init);
UPDATE(assign_sub_variable_op, "AssignSubVariableOp",
       "Subtracts a value from the variable behind a handle.", update_sub_init);

/* --- asking --- */

static bool is_initialized_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    if (!out)
        return false;
    struct status gone = {0};
    struct variable *v = variable_of(c, &gone);
    tensor_bool(out)[0] = v && variable_initialized(v);
    variable_unref(v);
    status_clear(&gone);
    return true;
}

OP_DEF(var_is_initialized_op) = {
    .name = "VarIsInitializedOp",
    .summary = "Says whether the variable behind a handle has a value.",
    .inputs = {"resource: resource"},
    .outputs = {"is_initialized: bool"},
    .flags = OP_STATEFUL,
    .shape = infer_scalars,
    .no_grad = "its result is boolean",
};
KERNEL_DEF(var_is_initialized_op_cpu) = {
    .op = "VarIsInitializedOp", .device = "CPU", .run = is_initialized_run};

static bool shape_run(struct kctx *c, struct status *st)
{
    struct variable *v = variable_of(c, st);
    struct tensor value = {0};
    bool ok = v && variable_read(v, &value, st);
    struct shape vector = shape_1(ok ? value.shape.rank : 0);
    struct tensor *out = ok ? kernel_out(c, 0, &vector, st) : NULL;
    for (int i = 0; out && i < value.shape.rank; i++) {
        if (out->dtype == DT_INT32)
            tensor_i32(out)[i] = (int32_t)tensor_dim(&value, i);
        else
            tensor_i64(out)[i] = tensor_dim(&value, i);
    }
    tensor_clear(&value);
    variable_unref(v);
    return out != NULL;
}

static bool shape_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    struct infer_handle h = infer_handle_in(c, 0);
    infer_set(c, 0, infer_vector(c, h.n == 1 ? h.shapes[0]->rank : DIM_UNKNOWN));
    return true;
}

OP_DEF(variable_shape_op) = {
    .name = "VariableShape",
    .summary = "The shape of the variable behind a handle.",
    .inputs = {"input: resource"},
    .outputs = {"output: out_type"},
    .attrs = {"out_type: {int32, int64} = DT_INT32"},
    .flags = OP_STATEFUL,
    .shape = shape_shape,
    .no_grad = "a shape has no gradient",
};
KERNEL_DEF(variable_shape_op_cpu) = {.op = "VariableShape", .device = "CPU", .run = shape_run};

static bool destroy_run(struct kctx *c, struct status *st)
{
    struct handle *const *h = kernel_in(c, 0)->data;
    if (kernel_in(c, 0)->num_elems != 1 || !*h)
        return status_invalid(st, "DestroyResourceOp: the input is not a resource handle");
    struct status gone = {0};
    bool ok = resource_remove_named(c->env->container_resources, (*h)->container, (*h)->type_name,
                                    (*h)->name, &gone);
    bool ignore = attrs_bool(kernel_attrs(c), "ignore_lookup_error");
    if (!ok && !ignore)
        status_copy(st, &gone);
    status_clear(&gone);
    return ok || ignore;
}

OP_DEF(destroy_resource_op) = {
    .name = "DestroyResourceOp",
    .summary = "Removes the resource behind a handle; it goes when nobody uses it any more.",
    .inputs = {"resource: resource"},
    .attrs = {"ignore_lookup_error: bool = true"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = "it has no outputs",
};
KERNEL_DEF(destroy_resource_op_cpu) = {
    .op = "DestroyResourceOp", .device = "CPU", .run = destroy_run};
