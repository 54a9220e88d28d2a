/* SPDX-License-Identifier: Apache-2.0 */
/* The update of one variable by one gradient: the op of the rule, its inputs by the rule's letters;
 * and the updates by slices that take several nodes.
 *
 * Slices that name a row twice are summed first, so that each row is changed once; plain descent
 * needs no such care, as its update is linear. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "build/optimizer.h"

TF_Output optimizer_constant(struct leat_optimizer *opt, int which, TF_DataType dtype)
{
    return mk_cast(opt->g, opt->constants[which], dtype);
}

/* The inputs of an update, by letter. */
struct update {
    struct leat_optimizer *opt;
    const struct leat_variable_parts *var;
    const struct slots *slots;
    TF_Output values, indices;
};

static TF_Output power(struct leat_optimizer *opt, int which, TF_DataType dtype)
{
    return mk_cast(opt->g, optimizer_read(opt->g, &opt->powers[which]), dtype);
}

static TF_Output input_of(const struct update *u, char letter)
{
    switch (letter) {
    case 'v':
        return u->var->ref;
    case 's':
    case 't':
    case 'u':
        return u->slots->slot[letter - 's'].ref;
    case 'p':
    case 'q':
        return power(u->opt, letter - 'p', u->var->dtype);
    case 'g':
        return u->values;
    case 'i':
        return u->indices;
    default:
        return optimizer_constant(u->opt, letter - 'a', u->var->dtype);
    }
}

/* The op with inputs by letters, in the scope of its own name, where reads of its inputs stand. */
static TF_Operation *run_rule(const struct update *u, const char *letters, const char *prefix)
{
    enum { MAX_INPUTS = 12 };
    TF_Graph *g = u->opt->g;
    TF_Output in[MAX_INPUTS];
    char op[64];
    int n = (int)strlen(letters);
    TF_OperationDescription *d = NULL;
    snprintf(op, sizeof op, "%s%s%s", u->var->is_resource ? "Resource" : "", prefix,
             u->opt->rule->op);
    bool float_powers = u->var->dtype == TF_FLOAT;
    for (int i = 0; i < n && i < MAX_INPUTS; i++)
        if (!float_powers || !strchr("pq", letters[i]))
            in[i] = input_of(u, letters[i]);
    leat_with_scope(g, op) {
        for (int i = 0; i < n && i < MAX_INPUTS; i++)
            if (float_powers && strchr("pq", letters[i]))
                in[i] = input_of(u, letters[i]);
        d = leat_begin(g, op, leat_current_scope(g), NULL);
    }
    if (!d)
        return NULL;
    for (int i = 0; i < n && i < MAX_INPUTS; i++)
        leat_add_input(d, in[i]);
    TF_SetAttrBool(d, "use_locking", u->opt->use_locking);
    if (u->opt->has_nesterov)
        TF_SetAttrBool(d, "use_nesterov", u->opt->use_nesterov);
    return leat_finish(d);
}

/* Each index once, with the sum of its values. */
static void sum_duplicates(TF_Graph *g, TF_Output *values, TF_Output *indices)
{
    TF_Output unique = mk_unary(g, "Unique", "Unique", *indices);
    TF_Output count = mk_slice1(g, "strided_slice", mk_shape(g, "Shape", unique), 0, 0, true);
    *values = mk_op(g, "UnsortedSegmentSum", "UnsortedSegmentSum",
                    leat_outputs(*values, leat_output(unique, 1), count));
    *indices = unique;
}

TF_Operation *optimizer_update(struct leat_optimizer *opt, const struct leat_variable_parts *var,
                               const struct leat_grad *grad)
{
    TF_Operation *made = NULL;
    char *scope = mem_printf("update_%s", TF_OperationName(var->ref.oper));
    struct update u = {opt, var, optimizer_find_slots(opt, var->ref.oper), grad->values,
                       grad->indices};
    leat_with_scope(opt->g, scope)
        leat_with_colocation(opt->g, var->ref.oper) {
            if (!leat_valid(grad->indices)) {
                made = run_rule(&u, opt->rule->dense, "Apply");
            } else if (opt->rule->update_sparse == optimizer_sparse_descent) {
                made = optimizer_sparse_descent(opt, var, grad);
            } else {
                sum_duplicates(opt->g, &u.values, &u.indices);
                struct leat_grad summed = {u.values, u.indices, grad->dense_shape};
                made = opt->rule->sparse ? run_rule(&u, opt->rule->sparse, "SparseApply")
                                         : opt->rule->update_sparse(opt, var, &summed);
            }
        }
    mem_free(scope);
    return made;
}

/* ---- several nodes ---- */

/* An op on the variable with indices and values. */
static TF_Operation *scatter(struct leat_optimizer *opt, const char *op,
                             const struct leat_variable_parts *var, TF_Output indices,
                             TF_Output values)
{
    TF_OperationDescription *d = leat_begin(opt->g, op, NULL, NULL);
    if (!d)
        return NULL;
    leat_add_input(d, var->ref);
    leat_add_input(d, indices);
    leat_add_input(d, values);
    if (!var->is_resource)
        TF_SetAttrBool(d, "use_locking", opt->use_locking);
    return leat_finish(d);
}

TF_Operation *optimizer_sparse_descent(struct leat_optimizer *opt,
                                       const struct leat_variable_parts *var,
                                       const struct leat_grad *grad)
{
    TF_Graph *g = opt->g;
    if (!var->is_resource) {
        TF_Output rate = optimizer_constant(opt, 0, var->dtype);
        TF_Output step = mk_math(g, "Mul", "mul", mk_t(grad->values), mk_t(rate));
        return scatter(opt, "ScatterSub", var, grad->indices, step);
    }
    TF_Output down = mk_unary(g, "Neg", NULL, grad->values);
    struct mk_arg rate = leat_valid(opt->rate) ? mk_t(opt->rate) : mk_n(opt->hyper[0]);
    TF_Output step = mk_math(g, "Mul", "mul", mk_t(down), rate);
    return scatter(opt, "ResourceScatterAdd", var, grad->indices, step);
}

/* var = value, and a node that reads it after that. */
static TF_Operation *assign(struct leat_optimizer *opt, const struct leat_variable_parts *var,
                            const char *op, const char *resource_op, TF_Output value)
{
    TF_Graph *g = opt->g;
    TF_OperationDescription *d = leat_begin(g, var->is_resource ? resource_op : op, NULL, NULL);
    if (!d)
        return NULL;
    leat_add_input(d, var->ref);
    leat_add_input(d, value);
    if (!var->is_resource)
        TF_SetAttrBool(d, "use_locking", opt->use_locking);
    TF_Operation *made = leat_finish(d);
    if (made && var->is_resource)
        leat_with_control_dependencies(g, &made, 1) {
            d = leat_begin(g, "ReadVariableOp", NULL, NULL);
            if (!d)
                return NULL;
            leat_add_input(d, var->ref);
            TF_SetAttrType(d, "dtype", var->dtype);
            if (!leat_finish(d))
                return NULL;
        }
    return made;
}

/* slot = slot * beta; slot[indices] += values * (1 - beta): what the slot then is, made after the
 * scatter. */
static TF_Output decay_slot(struct leat_optimizer *opt, const struct leat_variable_parts *slot,
                            const struct leat_grad *grad, TF_Output values, TF_Output beta)
{
    TF_Graph *g = opt->g;
    TF_Output rest = mk_math(g, "Sub", "sub", mk_n(1), mk_t(beta));
    TF_Output add = mk_math(g, "Mul", "mul", mk_t(values), mk_t(rest));
    TF_Output old = optimizer_read(g, slot);
    TF_Output kept = mk_math(g, "Mul", "mul", mk_t(old), mk_t(beta));
    TF_Operation *assigned = assign(opt, slot, "Assign", "AssignVariableOp", kept), *added = NULL;
    TF_Output now = MK_NONE;
    if (!assigned)
        return now;
    leat_with_control_dependencies(g, &assigned, 1) {
        added = scatter(opt, slot->is_resource ? "ResourceScatterAdd" : "ScatterAdd", slot,
                        grad->indices, add);
        if (added && slot->is_resource)
            leat_with_control_dependencies(g, &added, 1)
                now = optimizer_read(g, slot);
        else
            now = leat_output_of(added, 0);
    }
    return now;
}

TF_Operation *optimizer_sparse_adam(struct leat_optimizer *opt,
                                    const struct leat_variable_parts *var,
                                    const struct leat_grad *grad)
{
    TF_Graph *g = opt->g;
    const struct slots *slots = optimizer_find_slots(opt, var->ref.oper);
    if (!slots)
        return NULL;
    TF_Output rate = optimizer_constant(opt, 0, var->dtype);
    TF_Output beta1 = optimizer_constant(opt, 1, var->dtype);
    TF_Output beta2 = optimizer_constant(opt, 2, var->dtype);
    TF_Output epsilon = optimizer_constant(opt, 3, var->dtype);
    /* rate * sqrt(1 - beta2^t) / (1 - beta1^t) */
    TF_Output left2 = mk_math(g, "Sub", "sub", mk_n(1), mk_t(power(opt, 1, var->dtype)));
    TF_Output root = mk_unary(g, "Sqrt", NULL, left2);
    TF_Output scaled = mk_math(g, "Mul", "mul", mk_t(rate), mk_t(root));
    TF_Output left1 = mk_math(g, "Sub", "sub", mk_n(1), mk_t(power(opt, 0, var->dtype)));
    TF_Output step = mk_math(g, "RealDiv", "truediv", mk_t(scaled), mk_t(left1));
    TF_Output m = decay_slot(opt, &slots->slot[0], grad, grad->values, beta1);
    TF_Output square = mk_math(g, "Mul", "mul", mk_t(grad->values), mk_t(grad->values));
    TF_Output v = decay_slot(opt, &slots->slot[1], grad, square, beta2);
    TF_Output v_root = mk_unary(g, "Sqrt", NULL, v);
    TF_Output up = mk_math(g, "Mul", "mul", mk_t(step), mk_t(m));
    TF_Output down = mk_math(g, "AddV2", "add", mk_t(v_root), mk_t(epsilon));
    TF_Output change = mk_math(g, "RealDiv", "truediv", mk_t(up), mk_t(down));
    TF_Operation *moved = assign(opt, var, "AssignSub", "AssignSubVariableOp", change);
    return mk_group(g, "group_deps", (TF_Operation *[]){moved, m.oper, v.oper}, 3);
}

int optimizer_move_powers(struct leat_optimizer *opt, TF_Operation *const *updates, int n,
                          TF_Operation **out)
{
    TF_Graph *g = opt->g;
    int made = 0;
    if (!leat_valid(opt->powers[0].ref))
        return 0;
    leat_with_control_dependencies(g, updates, n)
        leat_with_colocation(g, opt->powers[0].ref.oper) {
            for (int i = 0; i < 2; i++) {
                TF_Output old = optimizer_read(g, &opt->powers[i]);
                TF_Output next = mk_math(g, "Mul", "mul", mk_t(old), mk_t(opt->constants[1 + i]));
                out[i] = assign(opt, &opt->powers[i], "Assign", "AssignVariableOp", next);
                made = out[i] && made >= 0 ? made + 1 : -1;
            }
        }
    return made;
}
