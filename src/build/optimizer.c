/* SPDX-License-Identifier: Apache-2.0 */
/* What every optimizer does: gradients, slots, one update a variable, and the train operation that
 * waits for all of them and counts the step. */
#include "build/optimizer.h"
#include "base/mem.h"
#include "build/sync_replicas.h"
#include "leat/allreduce.h"
#include "leat/optimizer.h"

/* ---- compute ---- */

int leat_compute_gradients(leat_optimizer *opt, TF_Output loss, struct leat_outputs vars,
                           TF_Output grad_loss, struct leat_grad *grads)
{
    if (!opt || vars.n < 0 || (vars.n > 0 && (!vars.v || !grads)))
        return 0;
    TF_Graph *g = opt->g;
    TF_Output *xs = mem_new_array(TF_Output, vars.n + 1);
    bool ok = true;
    for (int i = 0; ok && i < vars.n; i++) {
        struct leat_variable_parts parts;
        ok = optimizer_find_variable(g, vars.v[i], &parts);
        xs[i] = ok ? parts.ref : MK_NONE;
    }
    if (ok)
        ok = leat_gradients(g, &loss, 1, xs, vars.n, grads,
                            .grad_ys = leat_valid(grad_loss) ? &grad_loss : NULL);
    if (ok && opt->allreduce)
        ok = leat_allreduce_gradients(g, grads, vars.n, opt->allreduce_bytes);
    mem_free(xs);
    return ok;
}

/* ---- apply ---- */

/* The constants of one application, in its scope. */
static void make_constants(struct leat_optimizer *opt)
{
    for (int i = 0; i < MAX_HYPER && opt->rule->hyper[i]; i++)
        opt->constants[i] = i == 0 && leat_valid(opt->rate)
                                ? opt->rate
                                : mk_scalar(opt->g, opt->rule->hyper[i], TF_FLOAT, opt->hyper[i]);
}

/* global_step += 1, as an operation named after the scope. */
static TF_Operation *count_step(struct leat_optimizer *opt, const char *scope,
                                const struct leat_variable_parts *step)
{
    TF_Graph *g = opt->g;
    TF_Operation *made = NULL;
    leat_with_colocation(g, step->ref.oper) {
        TF_Output one = mk_scalar(g, step->is_resource ? "Const" : "value", step->dtype, 1);
        TF_OperationDescription *d =
            leat_begin(g, step->is_resource ? "AssignAddVariableOp" : "AssignAdd", scope, NULL);
        if (d) {
            leat_add_input(d, step->ref);
            leat_add_input(d, one);
            made = leat_finish(d);
        }
    }
    return made;
}

/* The updates of vars[0, n) by grads, into ops, which has room for two more. How many operations
 * there are, or -1 after an error. */
static int make_updates(struct leat_optimizer *opt, const struct leat_variable_parts *vars,
                        const struct leat_grad *grads, int n, TF_Operation **ops)
{
    for (int i = 0; i < n; i++) {
        ops[i] = optimizer_update(opt, &vars[i], &grads[i]);
        if (!ops[i])
            return -1;
    }
    int more = optimizer_move_powers(opt, ops, n, ops + n);
    return more < 0 ? -1 : n + more;
}

/* In the scope of the application. */
static TF_Operation *apply_in_scope(struct leat_optimizer *opt,
                                    const struct leat_variable_parts *vars,
                                    const struct leat_grad *grads, int n, TF_Operation **ops,
                                    const struct leat_variable_parts *step)
{
    TF_Graph *g = opt->g;
    make_constants(opt);
    int num_ops = make_updates(opt, vars, grads, n, ops);
    if (num_ops < 0)
        return NULL;
    if (!step)
        return mk_group(g, leat_current_scope(g), ops, num_ops);
    TF_Operation *updated = mk_group(g, "update", ops, num_ops), *made = NULL;
    if (!updated)
        return NULL;
    leat_with_control_dependencies(g, &updated, 1)
        made = count_step(opt, leat_current_scope(g), step);
    return made;
}

/* Keeps those that have a gradient: parts and grads; how many, or -1 after an error. */
static int choose(struct leat_optimizer *opt, const struct leat_apply_gradients_args *a,
                  struct leat_variable_parts *vars, struct leat_grad *grads)
{
    int n = 0;
    for (int i = 0; i < a->vars.n; i++) {
        if (!leat_valid(a->grads[i].values))
            continue;
        if (!optimizer_find_variable(opt->g, a->vars.v[i], &vars[n]))
            return -1;
        grads[n++] = a->grads[i];
    }
    if (n == 0) {
        leat_fail(opt->g, a->made_at, TF_INVALID_ARGUMENT,
                  "%s: No gradients provided for any variable: none of %d depends on the loss",
                  opt->name, a->vars.n);
        return -1;
    }
    return n;
}

static TF_Operation *apply(leat_optimizer *opt, const struct leat_apply_gradients_args *a,
                           struct leat_variable_parts *vars, struct leat_grad *grads,
                           TF_Operation **ops)
{
    TF_Graph *g = opt->g;
    struct leat_variable_parts step;
    TF_Operation *made = NULL;
    int n = choose(opt, a, vars, grads);
    bool has_step = leat_valid(a->global_step);
    if (n < 0 || (has_step && !optimizer_find_variable(g, a->global_step, &step)))
        return NULL;
    if (!optimizer_make_slots(opt, vars, n))
        return NULL;
    leat_with_scope(g, a->name && *a->name ? a->name : opt->name)
        made = apply_in_scope(opt, vars, grads, n, ops, has_step ? &step : NULL);
    leat_add_to_collection(g, "train_op", leat_output_of(made, 0));
    return made;
}

TF_Operation *leat_apply_gradients_fn(const struct leat_apply_gradients_args *a)
{
    if (!a || !a->opt || a->vars.n < 0 || (a->vars.n > 0 && (!a->vars.v || !a->grads)))
        return NULL;
    if (a->opt->sync)
        return sync_replicas_apply(a);
    leat_optimizer *opt = a->opt;
    int64_t n = a->vars.n;
    struct leat_variable_parts *vars = mem_new_array(struct leat_variable_parts, n + 1);
    struct leat_grad *grads = mem_new_array(struct leat_grad, n + 1);
    TF_Operation **ops = mem_new_array(TF_Operation *, n + 2), *made = NULL;
    leat_with_caller(opt->g, a->made_at)
        made = apply(opt, a, vars, grads, ops);
    mem_free(vars);
    mem_free(grads);
    mem_free(ops);
    return made;
}

/* ---- both ---- */

/* The trainable variables, for the caller to free; *n is their number, 0 an error. */
static TF_Output *trainable_variables(leat_optimizer *opt, int *n)
{
    *n = leat_get_collection(opt->g, LEAT_TRAINABLE_VARIABLES, NULL, NULL, 0);
    TF_Output *vars = mem_new_array(TF_Output, *n + 1);
    if (*n == 0)
        leat_fail(opt->g, NULL, TF_INVALID_ARGUMENT, "%s: No variables to optimize.", opt->name);
    leat_get_collection(opt->g, LEAT_TRAINABLE_VARIABLES, NULL, vars, *n);
    return vars;
}

static TF_Operation *minimize(const struct leat_minimize_args *a, struct leat_outputs vars)
{
    TF_Operation *made = NULL;
    struct leat_grad *grads = mem_new_array(struct leat_grad, vars.n + 1);
    if (leat_compute_gradients(a->opt, a->loss, vars, a->grad_loss, grads))
        made = leat_apply_gradients(a->opt, grads, vars, .global_step = a->global_step,
                                    .name = a->name);
    mem_free(grads);
    return made;
}

TF_Operation *leat_minimize_fn(const struct leat_minimize_args *a)
{
    if (!a || !a->opt)
        return NULL;
    leat_optimizer *opt = a->opt;
    TF_Operation *made = NULL;
    leat_with_caller(opt->g, a->made_at) {
        if (!leat_valid(a->loss)) {
            leat_fail(opt->g, a->made_at, TF_INVALID_ARGUMENT, "%s: the loss is an invalid output",
                      opt->name);
        } else if (a->var_list.n >= 0) {
            made = minimize(a, a->var_list);
        } else {
            int n;
            TF_Output *vars = trainable_variables(opt, &n);
            if (n > 0)
                made = minimize(a, (struct leat_outputs){vars, n});
            mem_free(vars);
        }
    }
    return made;
}
