/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel, run here and now on given values.
 *
 * For folding and shape inference: small tensors, any op, often never run again. So the kernel is
 * made for the occasion, there is no pool and no step, and whatever would need one is refused. */
#include "op/evaluate.h"

#include "base/mem.h"

enum { REFUSED_FLAGS = KERNEL_ASYNC | KERNEL_BLOCKING };

bool evaluate_possible(const struct op *op)
{
    if (op->def->flags & OP_STATEFUL || op->function)
        return false;
    for (int i = 0; i < op->num_inputs; i++) {
        if (op->inputs[i].is_ref || op->inputs[i].type == DT_RESOURCE)
            return false;
    }
    for (int i = 0; i < op->num_outputs; i++) {
        if (op->outputs[i].is_ref || op->outputs[i].type == DT_RESOURCE)
            return false;
    }
    return true;
}

static bool check_call(const struct kernel *k, const struct evaluate_call *e, struct status *st)
{
    if (k->num_inputs != e->num_inputs)
        return status_invalid(st, "%s: %d inputs given where %d are needed", k->op->name,
                              e->num_inputs, k->num_inputs);
    if (k->num_outputs != e->num_outputs)
        return status_invalid(st, "%s: room for %d outputs given where there are %d", k->op->name,
                              e->num_outputs, k->num_outputs);
    for (int i = 0; i < e->num_inputs; i++) {
        if (e->inputs[i]->dtype != k->input_types[i])
            return status_invalid(st, "%s: input %d is %s where %s is needed", k->op->name, i,
                                  dtype_name(e->inputs[i]->dtype), dtype_name(k->input_types[i]));
    }
    return true;
}

static void refuse_function(struct kernel_env *env UNUSED, struct kctx *caller UNUSED,
                            const struct attr_func *f, struct tensor *inputs UNUSED,
                            int num_inputs UNUSED, function_done_fn done, void *arg)
{
    struct status st = {0};
    status_unimplemented(&st, "Function %s cannot be called while a constant is computed", f->name);
    done(arg, &st, NULL, 0);
    status_clear(&st);
}

static bool run_kernel(struct kernel *k, struct tensor *const *inputs, struct tensor *outputs,
                       struct status *st)
{
    struct kernel_env env = {.session_handle = "", .run_function = refuse_function};
    struct kctx c = {.kernel = k,
                     .in = (struct tensor **)(uintptr_t)inputs,
                     .out = outputs,
                     .env = &env,
                     .frame = "",
                     .expected_alive = -1};
    for (int i = 0; i < k->num_outputs; i++)
        outputs[i] = (struct tensor){0};
    bool ok = k->def->run(&c, st);
    kernel_scratch_release(&c);
    for (int i = 0; ok && i < k->num_outputs; i++) {
        if (outputs[i].dtype != dtype_base(k->output_types[i]))
            ok = status_unimplemented(st, "%s: output %d has no value that could be kept",
                                      k->op->name, i);
    }
    for (int i = 0; !ok && i < k->num_outputs; i++)
        tensor_clear(&outputs[i]);
    if (!ok && status_ok(st))
        status_internal(st, "%s failed and did not say why", k->op->name);
    return ok;
}

bool evaluate_node(const struct evaluate_call *e, struct tensor *outputs, struct status *st)
{
    const struct op *op = e->op;
    if (!evaluate_possible(op))
        return status_unimplemented(st, "%s has state and cannot be evaluated by itself", op->name);
    const struct kernel_def *def = kernel_find(op, "CPU", e->attrs, e->node_name, st);
    if (!def)
        return false;
    if (!def->run || def->flags & REFUSED_FLAGS)
        return status_unimplemented(st, "%s may wait and cannot be evaluated by itself", op->name);
    struct kernel *k = kernel_new(def, op, e->node_name, e->attrs, "", st);
    if (!k)
        return false;
    bool ok = check_call(k, e, st) && run_kernel(k, e->inputs, outputs, st);
    kernel_free(k);
    return ok;
}
