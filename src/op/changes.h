/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that change what outlives a step, and who wants to know: a replicated parameter server, and
 * every task of a cluster that has one.
 *
 * An executor hands the kernels of such ops to the hook of its step, where there is one, instead of
 * running them: the hook runs them, one at a time, and writes down what they changed. */
#ifndef LEAT_OP_CHANGES_H
#define LEAT_OP_CHANGES_H

#include "op/kernel.h"

struct changes { /* the holder's first member */
    /* In the place of c->kernel->def->run. Any thread. */
    bool (*run)(struct changes *h, struct kctx *c, struct status *st);
};

/* Whether an op of this name changes variables or other resources when its kernel runs. */
bool changes_writes(const char *op);

static inline bool changes_run(struct kctx *c, struct status *st)
{
    struct changes *h = c->env->changes;
    return h ? h->run(h, c, st) : c->kernel->def->run(c, st);
}

#endif
