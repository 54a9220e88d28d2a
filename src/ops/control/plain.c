/* SPDX-License-Identifier: Apache-2.0 */
/* Ops without inputs that tell something: Timestamp, Fact. */
#include <time.h>

#include "op/infer.h"
#include "op/kernel.h"

static bool timestamp_run(struct kctx *c, struct status *st)
{
    struct shape scalar = {0};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    if (out)
        tensor_f64(out)[0] = (double)now.tv_sec + 1e-6 * (double)(now.tv_nsec / 1000);
    return out != NULL;
}

OP_DEF(timestamp) = {
    .name = "Timestamp",
    .summary = "Seconds since 1970, when it runs.",
    .outputs = {"ts: double"},
    .flags = OP_STATEFUL,
    .shape = infer_scalars,
    .no_grad = "a clock is no function of anything",
};
KERNEL_DEF(timestamp_cpu) = {.op = "Timestamp", .device = "CPU", .run = timestamp_run};

static bool fact_run(struct kctx *c, struct status *st)
{
    struct shape scalar = {0};
    struct str text = str_of("0! == 1");
    struct tensor *out = kernel_out(c, 0, &scalar, st);
    return out && (tstr_set(tensor_str(out), text.p, text.n) ||
                   status_exhausted(st, "no memory for strings"));
}

OP_DEF(fact) = {
    .name = "Fact",
    .summary = "A fact about factorials.",
    .outputs = {"fact: string"},
    .shape = infer_scalars,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(fact_cpu) = {.op = "Fact", .device = "CPU", .run = fact_run};
