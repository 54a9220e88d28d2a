/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of nodes whose op is a function of the graph's library: it runs the function's body.
 *
 * Asynchronous: the body runs on whatever threads its executor uses, and this kernel holds none.
 * Inputs are shared with the body; results are taken from it. */
#include "runtime/call_kernel.h"

#include "base/mem.h"

struct call_state {
    struct attr_func f; /* what is called: borrowed name and attrs of the node */
};

struct call { /* one run of the kernel; owned by itself until the body is over */
    struct kctx *c;
    struct tensor inputs[];
};

static bool call_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct call_state *s = state;
    s->f = (struct attr_func){.name = (char *)(uintptr_t)k->op->name, .attrs = *k->attrs};
    return true;
}

static void call_over(void *arg, struct status *st, struct tensor *outputs, int num_outputs)
{
    struct call *call = arg;
    struct kctx *c = call->c;
    struct status out = {0};
    status_copy(&out, st);
    if (status_ok(&out) && num_outputs != kernel_num_outputs(c))
        status_internal(&out, "function %s gave %d results, its signature has %d",
                        c->kernel->op->name, num_outputs, kernel_num_outputs(c));
    for (int i = 0; status_ok(&out) && i < num_outputs; i++)
        kernel_out_take(c, i, &outputs[i]);
    for (int i = 0; i < kernel_num_inputs(c); i++)
        tensor_clear(&call->inputs[i]);
    mem_free(call);
    kernel_done(c, &out);
    status_clear(&out);
}

static void call_start(struct kctx *c)
{
    int n = kernel_num_inputs(c);
    struct call *call = mem_zalloc(sizeof *call + sizeof(struct tensor) * (size_t)n);
    call->c = c;
    for (int i = 0; i < n; i++)
        call->inputs[i] = tensor_copy(kernel_in(c, i));
    struct call_state *s = kernel_state(c);
    c->env->run_function(c->env, c, &s->f, call->inputs, n, call_over, call);
}

const struct kernel_def call_kernel_def = {
    .op = "",
    .device = "CPU",
    .flags = KERNEL_ASYNC,
    .state_bytes = sizeof(struct call_state),
    .init = call_init,
    .run_async = call_start,
};
