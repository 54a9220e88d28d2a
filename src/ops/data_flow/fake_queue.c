/* SPDX-License-Identifier: Apache-2.0 */
/* FakeQueue: the V1 handle of a queue that has a V2 handle. */
#include "base/mem.h"
#include "op/grad.h"
#include "op/resource_pair.h"
#include "ops/data_flow/queue_ops.h"

struct fake_state {
    struct variable *pair; /* container and name */
};

static bool fake_init(struct kernel *k, void *state, struct status *st)
{
    (void)st;
    ((struct fake_state *)state)->pair = variable_new(k->node_name, DT_STRING);
    return true;
}

static void fake_release(void *state)
{
    variable_unref(((struct fake_state *)state)->pair);
}

static bool fake_run(struct kctx *c, struct status *st)
{
    struct fake_state *s = kernel_state(c);
    struct queue *q = queue_of_input(c, st);
    struct tensor t;
    bool ok;

    if (!q)
        return false;
    queue_unref(q);
    const struct handle *h = *(struct handle *const *)kernel_in(c, 0)->data;

    ok = resource_pair(c, h->container ? h->container : "", h->name ? h->name : "", &t, st);
    if (!ok)
        return false;
    variable_assign(s->pair, &t);
    kernel_out_ref(c, 0, s->pair);
    return true;
}

OP_DEF(fake_queue) = {
    .name = "FakeQueue",
    .summary = "The old form of a queue's handle, for ops that know no other.",
    .inputs = {"resource: resource"},
    .outputs = {"handle: Ref(string)"},
    .flags = OP_STATEFUL,
    .shape = queue_infer_handle_v1,
    .no_grad = QUEUE_NO_GRAD,
};
KERNEL_DEF(fake_queue_cpu) = {.op = "FakeQueue",
                              .device = "CPU",
                              .state_bytes = sizeof(struct fake_state),
                              .init = fake_init,
                              .release = fake_release,
                              .run = fake_run};
