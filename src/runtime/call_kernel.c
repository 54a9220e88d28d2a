/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of nodes whose op is a function of the graph's library: it runs the function's body.
 *
 * Asynchronous: the body runs on whatever threads its executor uses, and this kernel holds none. */
#include "runtime/call_kernel.h"

#include "op/call.h"

struct call_state {
    struct attr_func f; /* what is called: borrowed name and attrs of the node */
};

static bool call_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    struct call_state *s = state;
    s->f = (struct attr_func){.name = (char *)(uintptr_t)k->op->name, .attrs = *k->attrs};
    return true;
}

static void call_start(struct kctx *c)
{
    const struct call_state *s = kernel_state(c);
    kernel_call(c, &s->f, 0, kernel_num_inputs(c));
}

const struct kernel_def call_kernel_def = {
    .op = "",
    .device = "CPU",
    .flags = KERNEL_ASYNC,
    .state_bytes = sizeof(struct call_state),
    .init = call_init,
    .run_async = call_start,
};
