/* SPDX-License-Identifier: Apache-2.0 */
/* _Arg and _Retval: the feeds and fetches of a run, the arguments and results of a function; NoOp
 * and ControlTrigger. The executors handle the first two themselves where they can; the kernels
 * serve graphs that are run in other ways. */
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

struct index_state {
    int64_t index;
};

static bool index_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    ((struct index_state *)state)->index = attrs_int(k->attrs, "index");
    return true;
}

static bool arg_run(struct kctx *c, struct status *st)
{
    int64_t i = ((struct index_state *)kernel_state(c))->index;
    if (i >= c->env->num_args)
        return status_invalid(st, "_Arg %s: index %lld, but there are %d arguments",
                              c->kernel->node_name, (long long)i, c->env->num_args);
    kernel_out_share(c, 0, &c->env->args[i]);
    return true;
}

static bool retval_run(struct kctx *c, struct status *st)
{
    int64_t i = ((struct index_state *)kernel_state(c))->index;
    if (i >= c->env->num_retvals)
        return status_invalid(st, "_Retval %s: index %lld, but there are %d results",
                              c->kernel->node_name, (long long)i, c->env->num_retvals);
    c->env->retvals[i] = tensor_copy(kernel_in(c, 0));
    return true;
}

static bool arg_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    const struct attr_value *v = attrs_find(infer_attrs(c), "_output_shapes");
    if (v && v->is_list && v->kind == ATTR_SHAPE && v->n == 1)
        infer_set(c, 0, &v->shapes[0]);
    return true;
}

OP_DEF(arg) = {
    .name = "_Arg",
    .summary = "A feed of a run, or an argument of a function.",
    .outputs = {"output: T"},
    .attrs = {"T: type", "index: int >= 0"},
    .flags = OP_STATEFUL,
    .shape = arg_shape,
    .no_grad = "a source has no inputs",
};
KERNEL_DEF(arg_cpu) = {.op = "_Arg",
                       .device = "CPU",
                       .state_bytes = sizeof(struct index_state),
                       .init = index_init,
                       .run = arg_run};

OP_DEF(retval) = {
    .name = "_Retval",
    .summary = "A fetch of a run, or a result of a function.",
    .inputs = {"input: T"},
    .attrs = {"T: type", "index: int >= 0"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = "a sink has no outputs",
};
KERNEL_DEF(retval_cpu) = {.op = "_Retval",
                          .device = "CPU",
                          .state_bytes = sizeof(struct index_state),
                          .init = index_init,
                          .run = retval_run};

static bool nothing_run(struct kctx *c, struct status *st)
{
    (void)c;
    (void)st;
    return true;
}

OP_DEF(no_op) = {
    .name = "NoOp",
    .summary = "Does nothing: a place for control edges to meet.",
    .shape = infer_no_outputs,
    .no_grad = "it has no outputs",
};
KERNEL_DEF(no_op_cpu) = {.op = "NoOp", .device = "CPU", .run = nothing_run};

OP_DEF(control_trigger) = {
    .name = "ControlTrigger",
    .summary = "Does nothing, and is alive even when its control inputs are dead.",
    .shape = infer_no_outputs,
    .no_grad = "it has no outputs",
};
KERNEL_DEF(control_trigger_cpu) = {.op = "ControlTrigger", .device = "CPU", .run = nothing_run};
