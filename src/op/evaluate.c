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

static bool check_inputs(const struct kernel *k, struct tensor *const *inputs, int num_inputs,
                         struct status *st)
{
    if (k->num_inputs != num_inputs)
        return status_invalid(st, "%s: %d inputs given where %d are needed", k->op->name,
                              num_inputs, k->num_inputs);
    for (int i = 0; i < num_inputs; i++) {
        if (inputs[i]->dtype != k->input_types[i])
            return status_invalid(st, "%s: input %d is %s where %s is needed", k->op->name, i,
                                  dtype_name(inputs[i]->dtype), dtype_name(k->input_types[i]));
    }
    return true;
}

static void refuse_function(struct kernel_env *env UNUSED, struct kctx *caller UNUSED,
                            const struct attr_func *f, const struct tensor *inputs UNUSED,
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

bool evaluate_node(const struct op *op, const char *node_name, const struct attrs *attrs,
                   struct tensor *const *inputs, int num_inputs, struct tensor *outputs,
                   int num_outputs, struct status *st)
{
    if (!evaluate_possible(op))
        return status_unimplemented(st, "%s has state and cannot be evaluated by itself", op->name);
    const struct kernel_def *def = kernel_find(op, "CPU", attrs, node_name, st);
    if (!def)
        return false;
    if (!def->run || def->flags & REFUSED_FLAGS)
        return status_unimplemented(st, "%s may wait and cannot be evaluated by itself", op->name);
    struct kernel *k = kernel_new(def, op, node_name, attrs, "", st);
    if (!k)
        return false;
    bool ok = k->num_outputs == num_outputs ||
              status_invalid(st, "%s: room for %d outputs given where there are %d", op->name,
                             num_outputs, k->num_outputs);
    ok = ok && check_inputs(k, inputs, num_inputs, st) && run_kernel(k, inputs, outputs, st);
    kernel_free(k);
    return ok;
}
