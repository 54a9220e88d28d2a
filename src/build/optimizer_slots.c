/* SPDX-License-Identifier: Apache-2.0 */
/* The variables that optimizers keep: one per variable and slot, and the powers of Adam's betas.
 *
 * A slot stands under its variable's name ("W/Adam", "W/Adam_1"), whatever the scope, and is placed
 * with it; control dependencies of the caller do not count for it. */
#include <string.h>

#include "base/mem.h"
#include "build/optimizer.h"
#include "build/sync_replicas.h"
#include "leat/optimizer.h"

/* ---- finding ---- */

/* The operation whose name is `name` + suffix, or NULL. */
static TF_Operation *sibling(TF_Graph *g, const char *name, const char *suffix)
{
    char *full = mem_printf("%s%s", name, suffix);
    TF_Operation *op = TF_GraphOperationByName(g, full);
    mem_free(full);
    return op;
}

/* Of a node that was not made as a leat_variable (an imported graph): told by its kind. */
static bool foreign_variable(TF_Graph *g, TF_Operation *op, struct leat_variable_parts *out)
{
    const char *kind = TF_OperationOpType(op);
    bool resource = !strcmp(kind, "VarHandleOp");
    if (!resource && strcmp(kind, "VariableV2") != 0 && strcmp(kind, "Variable") != 0)
        return false;
    TF_Status *status = TF_NewStatus();
    *out = (struct leat_variable_parts){.ref = {op, 0}, .is_resource = resource};
    TF_OperationGetAttrType(op, "dtype", &out->dtype, status);
    bool ok = TF_GetCode(status) == TF_OK;
    TF_DeleteStatus(status);
    TF_Operation *read =
        sibling(g, TF_OperationName(op), resource ? "/Read/ReadVariableOp" : "/read");
    out->read = leat_output_of(read ? read : resource ? NULL : op, 0);
    return ok;
}

bool optimizer_find_variable(TF_Graph *g, TF_Output v, struct leat_variable_parts *out)
{
    if (leat_valid(v)) {
        if (leat_find_variable(g, v, out) || foreign_variable(g, v.oper, out))
            return true;
        const char *kind = TF_OperationOpType(v.oper);
        if (!strcmp(kind, "Identity") || !strcmp(kind, "ReadVariableOp")) {
            TF_Output from = TF_OperationInput((TF_Input){v.oper, 0});
            if (leat_find_variable(g, from, out) || foreign_variable(g, from.oper, out))
                return true;
        }
    }
    leat_fail(g, NULL, TF_INVALID_ARGUMENT, "optimizer: %s%s is not a variable",
              leat_valid(v) ? TF_OperationOpType(v.oper) : "an invalid output",
              leat_valid(v) ? TF_OperationName(v.oper) : "");
    return false;
}

struct slots *optimizer_find_slots(struct leat_optimizer *opt, TF_Operation *var)
{
    for (int i = 0; i < opt->num_slots; i++)
        if (opt->slots[i].var == var)
            return &opt->slots[i];
    return NULL;
}

TF_Output optimizer_read(TF_Graph *g, const struct leat_variable_parts *var)
{
    if (!var->is_resource)
        return var->read;
    TF_Output y = MK_NONE;
    leat_with_colocation(g, NULL) {
        TF_OperationDescription *d = leat_begin(g, "ReadVariableOp", NULL, NULL);
        if (d) {
            leat_add_input(d, var->ref);
            TF_SetAttrType(d, "dtype", var->dtype);
            y = leat_output_of(leat_finish(d), 0);
        }
    }
    return y;
}

/* ---- making ---- */

static void set_variable_attrs(TF_OperationDescription *d, TF_DataType dtype,
                               struct leat_shape shape)
{
    TF_SetAttrType(d, "dtype", dtype);
    TF_SetAttrShape(d, "shape", shape.dims, shape.rank);
}

/* In the scope of the variable's name: the nodes of a reference variable around its first value. */
static bool make_reference(TF_Graph *g, TF_Output initial, struct leat_shape shape,
                           struct leat_variable_parts *out)
{
    TF_OperationDescription *d = leat_begin(g, "VariableV2", leat_current_scope(g), NULL);
    if (!d)
        return false;
    set_variable_attrs(d, out->dtype, shape);
    out->ref = leat_output_of(leat_finish(d), 0);
    d = leat_begin(g, "Assign", "Assign", NULL);
    if (!d)
        return false;
    leat_add_input(d, out->ref);
    leat_add_input(d, initial);
    TF_SetAttrBool(d, "use_locking", 1);
    out->init = leat_finish(d);
    out->read = mk_unary(g, "Identity", "read", out->ref);
    return leat_valid(out->read) && out->init;
}

/* The same of a resource, whose handle's name is the key of its value. */
static bool make_resource(TF_Graph *g, TF_Output initial, struct leat_shape shape,
                          struct leat_variable_parts *out)
{
    const char *scope = leat_current_scope(g);
    TF_OperationDescription *d = leat_begin(g, "VarHandleOp", scope, NULL);
    if (!d)
        return false;
    set_variable_attrs(d, out->dtype, shape);
    TF_SetAttrString(d, "shared_name", scope, strlen(scope) - 1);
    out->ref = leat_output_of(leat_finish(d), 0);
    leat_with_scope(g, "IsInitialized")
        mk_unary(g, "VarIsInitializedOp", NULL, out->ref);
    leat_with_colocation(g, NULL) {
        d = leat_begin(g, "AssignVariableOp", "Assign", NULL);
        if (!d)
            return false;
        leat_add_input(d, out->ref);
        leat_add_input(d, initial);
        out->init = leat_finish(d);
    }
    leat_with_scope(g, "Read") {
        d = leat_begin(g, "ReadVariableOp", NULL, NULL);
        if (!d)
            return false;
        leat_add_input(d, out->ref);
        TF_SetAttrType(d, "dtype", out->dtype);
        out->read = leat_output_of(leat_finish(d), 0);
    }
    return leat_valid(out->read) && out->init;
}

static bool make_variable(TF_Graph *g, TF_Output initial, struct leat_shape shape,
                          struct leat_variable_parts *out)
{
    if (!leat_valid(initial))
        return false;
    out->initial = initial;
    out->trainable = false;
    if (!(out->is_resource ? make_resource : make_reference)(g, initial, shape, out))
        return false;
    leat_register_variable(g, out);
    leat_add_to_collection(g, LEAT_GLOBAL_VARIABLES, out->ref);
    return true;
}

/* zeros or ones of a slot, under "Initializer". */
static TF_Output uniform_start(TF_Graph *g, const char *name, TF_DataType dtype,
                               struct leat_shape shape, double value)
{
    enum { SMALL = 1000 };
    TF_Output y = MK_NONE;
    int64_t n = 1;
    for (int i = 0; i < shape.rank; i++)
        if (__builtin_mul_overflow(n, shape.dims[i], &n))
            n = INT64_MAX;
    if (n < SMALL)
        return mk_full(g, name, dtype, shape, value);
    leat_with_scope(g, name) {
        TF_Output dims = mk_i32s(g, "shape_as_tensor", (struct leat_ints){shape.dims, shape.rank});
        TF_Output one = mk_scalar(g, "Const", dtype, value);
        y = mk_op(g, "Fill", leat_current_scope(g), leat_outputs(dims, one));
    }
    return y;
}

static TF_Output slot_start(struct leat_optimizer *opt, enum slot_start start, TF_DataType dtype,
                            struct leat_shape shape)
{
    TF_Output y = MK_NONE;
    leat_with_scope(opt->g, "Initializer") {
        if (start == START_FULL)
            y = mk_full(opt->g, "Const", dtype, shape, opt->initial_accumulator);
        else
            y = uniform_start(opt->g, start == START_ONES ? "ones" : "zeros", dtype, shape,
                              start == START_ONES);
    }
    return y;
}

/* One slot, named after the variable and the optimizer. */
static bool make_slot(struct leat_optimizer *opt, const struct leat_variable_parts *var,
                      enum slot_start start, struct leat_variable_parts *out)
{
    TF_Graph *g = opt->g;
    int64_t dims[MK_MAX_RANK];
    TF_Output seen = leat_valid(var->read) ? var->read : var->ref;
    const char *var_name = TF_OperationName(var->ref.oper);
    if (mk_num_elements(g, seen) < 0) {
        leat_fail(g, NULL, TF_UNIMPLEMENTED,
                  "%s: the shape of variable '%s' is not wholly known: its slots have none",
                  opt->name, var_name);
        return false;
    }
    struct leat_shape shape = {dims, mk_dims(g, seen, dims)};
    char *name = mem_printf("%s/%s", var_name, opt->name);
    TF_Output initial = MK_NONE;
    *out = (struct leat_variable_parts){.dtype = var->dtype, .is_resource = var->is_resource};
    if (start == START_TENSOR)
        initial = mk_full(g, "Const", var->dtype, shape, opt->initial_accumulator);
    bool ok = false;
    leat_with_scope(g, NULL)
        leat_with_scope(g, name) {
            if (start != START_TENSOR)
                initial = slot_start(opt, start, var->dtype, shape);
            ok = make_variable(g, initial, shape, out);
        }
    mem_free(name);
    return ok;
}

static bool make_slots_of(struct leat_optimizer *opt, const struct leat_variable_parts *var)
{
    if (optimizer_find_slots(opt, var->ref.oper))
        return true;
    opt->slots = vec_reserve(opt->slots, &opt->cap_slots, opt->num_slots + 1, sizeof *opt->slots);
    struct slots *made = &opt->slots[opt->num_slots];
    *made = (struct slots){.var = var->ref.oper};
    for (int i = 0; i < MAX_SLOTS && opt->rule->slots[i].name; i++) {
        bool ok = false;
        leat_with_colocation(opt->g, var->ref.oper)
            ok = make_slot(opt, var, opt->rule->slots[i].start, &made->slot[i]);
        if (!ok)
            return false;
    }
    opt->num_slots++;
    return true;
}

/* beta1_power and beta2_power, in the scope of the caller, placed with the first variable by name.
 */
static bool make_powers(struct leat_optimizer *opt, const struct leat_variable_parts *vars, int n)
{
    static const char *const names[] = {"beta1_power", "beta2_power"};
    const struct leat_variable_parts *first = vars;
    if (leat_valid(opt->powers[0].ref))
        return true;
    for (int i = 1; i < n; i++)
        if (strcmp(TF_OperationName(vars[i].ref.oper), TF_OperationName(first->ref.oper)) < 0)
            first = &vars[i];
    for (int i = 0; i < 2; i++) {
        TF_Graph *g = opt->g;
        TF_Output start = MK_NONE;
        bool ok = false;
        opt->powers[i] =
            (struct leat_variable_parts){.dtype = TF_FLOAT, .is_resource = first->is_resource};
        leat_with_colocation(g, first->ref.oper)
            leat_with_scope(g, names[i]) {
                if (first->is_resource)
                    leat_with_scope(g, "Initializer")
                        start = mk_scalar(g, "initial_value", TF_FLOAT, opt->hyper[1 + i]);
                else
                    start = mk_scalar(g, "initial_value", TF_FLOAT, opt->hyper[1 + i]);
                ok = make_variable(g, start, (struct leat_shape){NULL, 0}, &opt->powers[i]);
            }
        if (!ok) {
            opt->powers[0].ref = MK_NONE;
            return false;
        }
    }
    return true;
}

bool optimizer_make_slots(struct leat_optimizer *opt, const struct leat_variable_parts *vars, int n)
{
    bool ok = true;
    leat_with_control_dependencies(opt->g, NULL, 0) {
        if (opt->rule->dense && strchr(opt->rule->dense, 'p'))
            ok = make_powers(opt, vars, n);
        for (int i = 0; ok && i < n; i++)
            ok = make_slots_of(opt, &vars[i]);
    }
    return ok;
}

TF_Output leat_get_slot(leat_optimizer *opt, TF_Output var, const char *slot)
{
    struct leat_variable_parts parts;
    if (opt && opt->sync)
        return leat_get_slot(opt->sync->inner, var, slot);
    if (!opt || !slot || !leat_valid(var) || !optimizer_find_variable(opt->g, var, &parts))
        return MK_NONE;
    struct slots *slots = optimizer_find_slots(opt, parts.ref.oper);
    for (int i = 0; slots && i < MAX_SLOTS && opt->rule->slots[i].name; i++)
        if (!strcmp(opt->rule->slots[i].name, slot))
            return slots->slot[i].ref;
    return MK_NONE;
}
