/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: their nodes, their registry and collections, and what gives them first values.
 *
 * A reference variable is VariableV2, Assign and an Identity that all readers share; a resource is
 * VarHandleOp, AssignVariableOp and a ReadVariableOp per reader. */
#include <string.h>

#include "build/build.h"

static const TF_Output none = {NULL, 0};

void leat_variable_args_init(struct leat_variable_args *args)
{
    *args = (struct leat_variable_args){.trainable = 1, .validate_shape = 1};
}

/* --- nodes; the current scope is NAME/ --- */

static TF_Output ref_nodes(TF_Graph *g, struct leat_variable_parts *v, struct leat_shape shape,
                           bool validate)
{
    v->ref = leat_variable_v2(g, .dtype = v->dtype, .shape = shape, .name = leat_current_scope(g));
    TF_Output assigned = leat_op_assign(g, v->ref, v->initial, .validate_shape = validate);
    v->init = assigned.oper;
    if (leat_valid(v->ref)) {
        leat_push_colocation(g, v->ref.oper);
        v->read = leat_identity(g, v->ref, .name = "read");
        leat_pop(g);
    }
    return leat_valid(assigned) && leat_valid(v->read) ? v->ref : none;
}

static TF_Output resource_nodes(TF_Graph *g, struct leat_variable_parts *v, struct leat_shape shape)
{
    const char *scope = leat_current_scope(g);
    char *name = mem_strndup(scope, strlen(scope) > 0 ? strlen(scope) - 1 : 0);
    leat_push_colocation_name(g, name);
    v->ref = leat_var_handle_op(g, .dtype = v->dtype, .shape = shape, .shared_name = name,
                                .name = scope);
    leat_pop(g);
    leat_push_scope(g, "IsInitialized");
    (void)leat_var_is_initialized_op(g, v->ref);
    leat_pop(g);
    leat_push_device(g, v->ref.oper ? TF_OperationDevice(v->ref.oper) : "");
    v->init = leat_assign_variable_op(g, v->ref, v->initial, .name = "Assign");
    leat_push_scope(g, "Read");
    v->read = leat_read_variable_op(g, v->ref, .dtype = v->dtype);
    leat_pop(g);
    leat_pop(g);
    mem_free(name);
    return v->init && leat_valid(v->read) ? v->ref : none;
}

static void collect(TF_Graph *g, const struct leat_variable_parts *v, const char *collection)
{
    leat_register_variable(g, v);
    leat_add_to_collection(g, collection ? collection : LEAT_GLOBAL_VARIABLES, v->ref);
    if (v->trainable)
        leat_add_to_collection(g, LEAT_TRAINABLE_VARIABLES, v->ref);
}

/* The variable under the current scope, whose first value is `initial`. */
static TF_Output make_variable(TF_Graph *g, TF_Output initial, const struct leat_variable_args *a,
                               bool shared)
{
    int64_t dims[254];
    struct leat_variable_parts v = {.initial = initial,
                                    .is_resource = a->resource != 0,
                                    .trainable = a->trainable != 0,
                                    .dtype = leat_dtype(g, initial),
                                    .shared = shared};
    if (!leat_valid(initial))
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                         "the first value of a variable is not a valid output");
    int rank = leat_static_shape(g, initial, dims, 254);
    bool known = rank >= 0;
    for (int i = 0; i < rank; i++)
        known = known && dims[i] >= 0;
    if (a->validate_shape && !known)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                         "initial_value must have a shape specified: '%s' has not (or give "
                         ".validate_shape = 0)",
                         TF_OperationName(initial.oper));
    struct leat_shape shape = {dims, a->validate_shape ? rank : LEAT_UNKNOWN_RANK};
    TF_Output out = v.is_resource ? resource_nodes(g, &v, shape)
                                  : ref_nodes(g, &v, shape, a->validate_shape != 0);
    if (leat_valid(out))
        collect(g, &v, a->collection);
    return out;
}

static struct leat_variable_args with_defaults(const struct leat_variable_args *args)
{
    struct leat_variable_args own;
    leat_variable_args_init(&own);
    return args ? *args : own;
}

TF_Output leat_variable_fn(TF_Graph *g, const char *name, TF_Output initial,
                           const struct leat_variable_args *args)
{
    struct leat_variable_args a = with_defaults(args);
    leat_push_control_dependencies(g, NULL, 0);
    leat_push_composite(g, name, "Variable", a.made_at);
    struct leat_variable_parts v;
    if (leat_find_variable(g, initial, &v)) /* begins with another variable's value */
        initial = leat_variable_value(g, initial);
    TF_Output out = make_variable(g, initial, &a, false);
    leat_pop(g);
    leat_pop(g);
    return out;
}

/* --- shared variables --- */

static TF_Output reused(TF_Graph *g, const struct leat_variable_parts *v, const char *name,
                        struct leat_shape shape, TF_DataType dtype)
{
    int64_t dims[254];
    int rank = leat_static_shape(g, v->ref, dims, 254);
    bool same = shape.rank < 0 || rank < 0 || rank == shape.rank;
    for (int i = 0; same && i < rank && shape.rank >= 0; i++)
        same = dims[i] < 0 || shape.dims[i] < 0 || dims[i] == shape.dims[i];
    if (!same)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                         "Trying to share variable %s, but its shape is another one", name);
    if (dtype != v->dtype)
        return leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                         "Trying to share variable %s, but specified dtype %d and found dtype %d",
                         name, (int)dtype, (int)v->dtype);
    return v->ref;
}

static TF_Output new_shared(TF_Graph *g, const char *name, struct leat_shape shape,
                            const struct leat_variable_args *a)
{
    TF_DataType dtype = a->dtype ? a->dtype : TF_FLOAT;
    leat_push_control_dependencies(g, NULL, 0);
    leat_push_scope(g, NULL);
    leat_push_scope(g, name);
    const char *scope = leat_current_scope(g);
    char *own = mem_strndup(scope, strlen(scope) > 0 ? strlen(scope) - 1 : 0);
    leat_push_colocation_name(g, own);
    leat_push_scope(g, "Initializer");
    leat_push_device(g, NULL); /* it runs where the variable is, by its class */
    TF_Output initial = leat_initial_value(g, a->initializer, shape, dtype);
    leat_pop(g);
    leat_pop(g);
    if (a->resource) /* of whose nodes the handle alone is placed so */
        leat_pop(g);
    TF_Output out = make_variable(g, initial, a, true);
    for (int i = a->resource ? 1 : 0; i < 4; i++)
        leat_pop(g);
    mem_free(own);
    return out;
}

TF_Output leat_get_variable_fn(TF_Graph *g, const char *name, struct leat_shape shape,
                               const struct leat_variable_args *args)
{
    struct leat_variable_args a = with_defaults(args);
    TF_DataType dtype = a.dtype ? a.dtype : TF_FLOAT;
    struct leat_variable_parts v;
    int reuse;
    TF_Output out;
    if (!g || !name || !name[0])
        return leat_fail(g, a.made_at, TF_INVALID_ARGUMENT, "leat_get_variable: no name");
    char *full = mem_printf("%s%s", leat_current_variable_scope(g, &reuse), name);
    bool found = leat_find_variable_named(g, full, &v) && v.shared;
    leat_push_caller(g, a.made_at);
    if (found && reuse == LEAT_NO_REUSE)
        out = leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                        "Variable %s already exists, disallowed. Did you mean to set reuse in its "
                        "variable scope (LEAT_REUSE, LEAT_AUTO_REUSE)?",
                        full);
    else if (!found && reuse == LEAT_REUSE)
        out = leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                        "Variable %s does not exist, or was not created with leat_get_variable. "
                        "Did you mean LEAT_AUTO_REUSE?",
                        full);
    else if (found)
        out = reused(g, &v, full, shape, dtype);
    else
        out = new_shared(g, full, shape, &a);
    leat_pop(g);
    mem_free(full);
    return out;
}

/* --- reading and updating --- */

static TF_Output read_now(TF_Graph *g, const struct leat_variable_parts *v)
{
    leat_push_colocation(g, NULL);
    leat_push_device(g, TF_OperationDevice(v->ref.oper));
    TF_Output value = leat_read_variable_op(g, v->ref, .dtype = v->dtype);
    leat_pop(g);
    leat_pop(g);
    return value;
}

TF_Output leat_variable_value(TF_Graph *g, TF_Output v)
{
    struct leat_variable_parts parts;
    if (!leat_find_variable(g, v, &parts))
        return v;
    return parts.is_resource ? read_now(g, &parts) : parts.read;
}

enum update { ASSIGN, ADD, SUB };

static TF_Output update(TF_Graph *g, TF_Output v, TF_Output value,
                        const struct leat_const_args *args, enum update how)
{
    struct leat_variable_parts parts;
    const char *name = args ? args->name : NULL;
    bool known = leat_find_variable(g, v, &parts) != 0;
    TF_Output out;
    leat_push_caller(g, args ? args->made_at : NULL);
    if (known && parts.is_resource) {
        TF_Operation *op = how == ASSIGN ? leat_assign_variable_op(g, v, value, .name = name)
                           : how == ADD  ? leat_assign_add_variable_op(g, v, value, .name = name)
                                         : leat_assign_sub_variable_op(g, v, value, .name = name);
        leat_push_control_dependencies(g, op ? &op : NULL, op ? 1 : 0);
        out = op ? leat_read_variable_op(g, parts.ref, .dtype = parts.dtype) : none;
        leat_pop(g);
    } else {
        if (known)
            v = parts.ref;
        out = how == ASSIGN ? leat_op_assign(g, v, value, .name = name)
              : how == ADD  ? leat_op_assign_add(g, v, value, .name = name)
                            : leat_op_assign_sub(g, v, value, .name = name);
    }
    leat_pop(g);
    return out;
}

TF_Output leat_assign_fn(TF_Graph *g, TF_Output v, TF_Output value,
                         const struct leat_const_args *args)
{
    return update(g, v, value, args, ASSIGN);
}

TF_Output leat_assign_add_fn(TF_Graph *g, TF_Output v, TF_Output delta,
                             const struct leat_const_args *args)
{
    return update(g, v, delta, args, ADD);
}

TF_Output leat_assign_sub_fn(TF_Graph *g, TF_Output v, TF_Output delta,
                             const struct leat_const_args *args)
{
    return update(g, v, delta, args, SUB);
}
