/* SPDX-License-Identifier: Apache-2.0 */
/* Reference variables: VariableV2, its assignments, and temporary variables.
 *
 * The kernel of a variable finds or makes it in the session's container once and hands out
 * references. Assign stores a value of the variable's own: it takes the input's buffer only where
 * nobody else can see it, so neither a fed buffer nor a constant is ever written to later. */
#include "ops/state/update.h"

#include <string.h>

#include "base/mem.h"
#include "op/grad.h"
#include "op/infer.h"

struct variable_state {
    struct variable *v; /* atomic; found at the first run */
};

struct make_args {
    const struct kctx *c;
    const char *container, *name;
};

/* Without elements there is nothing to set: such a variable is initialised from the start. */
static bool make_empty_value(struct variable *v, struct status *st)
{
    if (!shape_known(&v->shape)) {
        struct strbuf text = {0};
        shape_print(&v->shape, &text);
        status_invalid(st, "Shape %s is not fully defined", strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    int64_t num;
    if (!shape_num_elems(&v->shape, &num, st))
        return false;
    return num > 0 || tensor_new(&v->value, v->dtype, &v->shape, st);
}

static struct resource *make_variable(void *arg, struct status *st)
{
    const struct make_args *m = arg;
    struct variable *v = variable_new(m->name, dtype_base(m->c->kernel->output_types[0]));
    v->container = mem_strdup(m->container);
    const struct attr_value *shape = attrs_find(kernel_attrs(m->c), "shape");
    bool scalar_means_any = strcmp(m->c->kernel->op->name, "Variable") == 0;
    if (shape && shape->kind == ATTR_SHAPE && !(scalar_means_any && shape->shape.rank == 0))
        v->shape = shape_copy(&shape->shape);
    if (v->shape.rank >= 0 && !make_empty_value(v, st)) {
        variable_unref(v);
        return NULL;
    }
    return &v->base;
}

static bool variable_run(struct kctx *c, struct status *st)
{
    struct variable_state *s = kernel_state(c);
    struct variable *v = __atomic_load_n(&s->v, __ATOMIC_ACQUIRE);
    if (!v) {
        const char *container, *name;
        resource_names(c, true, &container, &name);
        struct make_args m = {c, container, name};
        struct resource *r = resource_find_or_make(c->env->container_resources, container,
                                                   &variable_type, name, make_variable, &m, st);
        if (!r)
            return false;
        struct variable *none = NULL;
        v = (struct variable *)r;
        if (!__atomic_compare_exchange_n(&s->v, &none, v, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE))
            variable_unref(v); /* another step was first: it is the same variable */
    }
    kernel_out_ref(c, 0, v);
    return true;
}

static void variable_release(void *state)
{
    variable_unref(((struct variable_state *)state)->v);
}

static bool variable_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    const struct attr_value *v = attrs_find(infer_attrs(c), "shape");
    if (v && v->kind == ATTR_SHAPE)
        infer_set(c, 0, &v->shape);
    return true;
}

/* The old Variable writes an unknown shape as a scalar's. */
static bool old_variable_shape(struct infer_ctx *c, struct status *st)
{
    const struct attr_value *v = attrs_find(infer_attrs(c), "shape");
    return !v || v->kind != ATTR_SHAPE || v->shape.rank == 0 || variable_shape(c, st);
}

#define VARIABLE(id, op_name, shape_fn)                                                            \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = "A tensor that lives on from step to step, as a reference.",                    \
        .outputs = {"ref: Ref(dtype)"},                                                            \
        .attrs = {"shape: shape", "dtype: type", "container: string = ''",                         \
                  "shared_name: string = ''"},                                                     \
        .flags = OP_STATEFUL,                                                                      \
        .shape = shape_fn,                                                                         \
        .no_grad = "a variable has no inputs",                                                     \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct variable_state),                          \
                            .release = variable_release,                                           \
                            .run = variable_run}
VARIABLE(variable, "Variable", old_variable_shape);
VARIABLE(variable_v2, "VariableV2", variable_shape);

/* --- Assign --- */

struct assign_state {
    bool validate_shape;
};

static bool assign_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    ((struct assign_state *)state)->validate_shape = attrs_bool(k->attrs, "validate_shape");
    return true;
}

bool update_own_value(struct kctx *c, int i, struct tensor *out, struct status *st)
{
    struct tensor *value = c->in[i];
    bool last = i < 64 && (c->in_last_use >> i & 1);
    if (last && tensor_is_sole(value)) {
        *out = tensor_take(value);
        return true;
    }
    return tensor_dup(value, out, st);
}

static bool assign_run(struct kctx *c, struct status *st)
{
    struct variable *v = kernel_ref(c, 0);
    struct tensor own;
    if (((struct assign_state *)kernel_state(c))->validate_shape &&
        !variable_accepts(v, &kernel_in(c, 1)->shape, st))
        return false;
    if (!update_own_value(c, 1, &own, st))
        return false;
    variable_assign(v, &own);
    kernel_out_ref(c, 0, v);
    return true;
}

static bool assign_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s = infer_input(c, 1);
    if (attrs_bool(infer_attrs(c), "validate_shape") &&
        !infer_merge(c, infer_input(c, 0), s, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

OP_DEF(assign) = {
    .name = "Assign",
    .summary = "Gives a variable a new value, and its reference back once it has it.",
    .inputs = {"ref: Ref(T)", "value: T"},
    .outputs = {"output_ref: Ref(T)"},
    .attrs = {"T: type", "validate_shape: bool = true", "use_locking: bool = true"},
    .flags = OP_UNINIT_OK,
    .shape = assign_shape,
    .no_grad = "an assignment is no function of its inputs",
};
KERNEL_DEF(assign_cpu) = {
    .op = "Assign",
    .device = "CPU",
    .types =
        {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "
         "complex128, bool, string, resource, variant, qint32, qint8, quint16, quint8}"},
    .state_bytes = sizeof(struct assign_state),
    .init = assign_init,
    .run = assign_run,
};

/* --- AssignAdd, AssignSub --- */

static bool merged_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_merge(c, infer_input(c, 0), infer_input(c, 1), &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

static bool update_run(struct kctx *c, struct status *st)
{
    struct variable *v = kernel_ref(c, 0);
    if (!update_add(c, v, st))
        return false;
    kernel_out_ref(c, 0, v);
    return true;
}

#define UPDATE_TYPES                                                                               \
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64, complex64, "     \
    "complex128}"
#define UPDATE(id, op_name, text, init_fn)                                                         \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"ref: Ref(T)", "value: T"},                                                     \
        .outputs = {"output_ref: Ref(T)"},                                                         \
        .attrs = {"T: numbertype", "use_locking: bool = false"},                                   \
        .shape = merged_shape,                                                                     \
        .no_grad = "an assignment is no function of its inputs",                                   \
        .no_kernel = "TensorFlow has none for quantised and unsigned 32 and 64 bit types",         \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .types = {UPDATE_TYPES},                                               \
                            .state_bytes = sizeof(update_fn),                                      \
                            .init = init_fn,                                                       \
                            .run = update_run}
UPDATE(assign_add, "AssignAdd", "Adds a value to a variable.", update_add_init);
UPDATE(assign_sub, "AssignSub", "Subtracts a value from a variable.", update_sub_init);

/* --- IsVariableInitialized --- */

static bool is_initialized_run(struct kctx *c, struct status *st)
{
    struct shape scalar = shape_scalar();
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    if (!out)
        return false;
    tensor_bool(out)[0] = variable_initialized(kernel_ref(c, 0));
    return true;
}

OP_DEF(is_variable_initialized) = {
    .name = "IsVariableInitialized",
    .summary = "Says whether a variable has a value.",
    .inputs = {"ref: Ref(dtype)"},
    .outputs = {"is_initialized: bool"},
    .attrs = {"dtype: type"},
    .flags = OP_UNINIT_OK,
    .shape = infer_scalars,
    .no_grad = "its result is boolean",
};
KERNEL_DEF(is_variable_initialized_cpu) = {
    .op = "IsVariableInitialized", .device = "CPU", .run = is_initialized_run};

/* --- temporary variables: in the step's own resources --- */

static char *temporary_name(const struct kctx *c)
{
    struct str name = attrs_string(kernel_attrs(c), "var_name");
    if (name.n == 0)
        name = str_of(c->kernel->node_name);
    return mem_printf("%s:%lld:%.*s", c->frame ? c->frame : "", (long long)c->frame_iter,
                      (int)name.n, name.p);
}

static bool temporary_run(struct kctx *c, struct status *st)
{
    const struct attr_value *shape = attrs_find(kernel_attrs(c), "shape");
    struct tensor value = {0};
    if (!tensor_new(&value, kernel_output_type(c, 0), &shape->shape, st))
        return false;
    char *name = temporary_name(c);
    struct variable *v = variable_new(c->kernel->node_name, value.dtype);
    variable_assign(v, &value);
    variable_ref(v); /* the map takes one */
    bool ok = resource_create(c->env->step_resources, "", name, &v->base, st);
    if (ok)
        kernel_out_ref(c, 0, v);
    else
        variable_unref(v);
    variable_unref(v);
    mem_free(name);
    return ok;
}

OP_DEF(temporary_variable) = {
    .name = "TemporaryVariable",
    .summary = "A variable that lives until DestroyTemporaryVariable, within one step.",
    .outputs = {"ref: Ref(dtype)"},
    .attrs = {"shape: shape", "dtype: type", "var_name: string = ''"},
    .flags = OP_STATEFUL,
    .shape = variable_shape,
    .no_grad = "a variable has no inputs",
};
KERNEL_DEF(temporary_variable_cpu) = {
    .op = "TemporaryVariable", .device = "CPU", .run = temporary_run};

static bool destroy_temporary_run(struct kctx *c, struct status *st)
{
    struct tensor value = {0};
    char *name = temporary_name(c);
    bool ok = variable_read(kernel_ref(c, 0), &value, st) &&
              resource_remove(c->env->step_resources, "", &variable_type, name, st);
    mem_free(name);
    if (ok)
        kernel_out_take(c, 0, &value);
    tensor_clear(&value);
    return ok;
}

OP_DEF(destroy_temporary_variable) = {
    .name = "DestroyTemporaryVariable",
    .summary = "Ends a temporary variable and gives its last value.",
    .inputs = {"ref: Ref(T)"},
    .outputs = {"value: T"},
    .attrs = {"T: type", "var_name: string"},
    .shape = infer_unchanged,
    .no_grad = "an assignment is no function of its inputs",
};
KERNEL_DEF(destroy_temporary_variable_cpu) = {
    .op = "DestroyTemporaryVariable", .device = "CPU", .run = destroy_temporary_run};
