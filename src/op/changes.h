/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that change what outlives a step, and who wants to know: a replicated parameter server, and
 * every task of a cluster that has one.
 *
 * An executor hands the kernels of such ops to the hook of its step, where there is one, instead of
 * running them. Those that write variables, and tables, run one at a time, and the hook finds out
 * what they wrote. Those of other resources (kernels with KERNEL_NOTES) run as they would, perhaps
 * waiting; the resource logs what changes when it does, by its journal (op/notes.h). */
#ifndef LEAT_OP_CHANGES_H
#define LEAT_OP_CHANGES_H

#include "op/kernel.h"
#include "op/notes.h"

struct noted {                    /* the op that did it, or a part of it */
    uint64_t key;                 /* changes_key; 0: nobody will ask for it again */
    const struct tensor *outputs; /* what it gives, where that is known only now */
    int num_outputs;
    int64_t progress; /* so far it has done so much of what it does; 0: all */
};

struct changes { /* the holder's first member */
    /* In the place of c->kernel->def->run, and run_async. Any thread. */
    bool (*run)(struct changes *h, struct kctx *c, struct status *st);
    void (*start)(struct changes *h, struct kctx *c);
    /* How much an op had done when it was run before: what changes_progress says. */
    int64_t (*progress)(struct changes *h, uint64_t key);
    /* What notes hold is taken. */
    void (*log)(struct changes *h, struct journal *j, struct note *notes, int n,
                const struct noted *op);
};

/* Whether this kernel changes variables or other resources when it runs. */
bool changes_applies(const struct kernel *k);
/* Which op of which step this is, the same when the step is tried again; 0: it is not. */
uint64_t changes_key(const struct kctx *c);
int64_t changes_progress(const struct kctx *c);
/* Under the lock that guards r, so that changes are logged in the order in which they happen. What
 * notes hold is taken. An op that ends well and changes nothing need log nothing. */
void changes_log(struct resource *r, struct note *notes, int n, const struct noted *op);
static inline bool changes_logged(const struct resource *r) /* else it need not make notes */
{
    return r->journal != NULL;
}

static inline bool changes_run(struct kctx *c, struct status *st)
{
    struct changes *h = c->env->changes;
    return h ? h->run(h, c, st) : c->kernel->def->run(c, st);
}

/* An asynchronous kernel, whatever it does. */
static inline void changes_start(struct kctx *c)
{
    struct changes *h = c->env->changes;
    if (LIKELY(!h) || !(c->kernel->def->flags & KERNEL_NOTES))
        c->kernel->def->run_async(c);
    else
        h->start(h, c);
}

#endif
