/* SPDX-License-Identifier: Apache-2.0 */
/* MutexV2, MutexLock and ConsumeMutexLock: a lock that a step holds as long as the value that
 * MutexLock gave is there. Those who wait get it in the order in which they came. */
#include "base/mem.h"
#include "op/infer.h"
#include "op/waits.h"
#include "ops/data_flow/maker.h"

struct mutex {
    struct resource base;
    struct waits waits;
    bool held; /* guarded by waits */
};

static void release(struct resource *r)
{
    waits_release(&((struct mutex *)r)->waits);
    mem_free(r);
}

static void describe(struct resource *r, struct strbuf *out)
{
    struct mutex *m = (struct mutex *)r;

    lock_take(&m->waits.lock);
    strbuf_printf(out, "mutex%s%s", m->held ? ", held" : "", m->waits.first ? ", steps wait" : "");
    lock_drop(&m->waits.lock);
}

static const struct resource_type mutex_type = {
    .name = "N10tensorflow12_GLOBAL__N_15MutexE", .release = release, .describe = describe};

static struct resource *make(void *arg, struct status *st)
{
    struct mutex *m = mem_new(struct mutex);

    (void)arg;
    (void)st;
    resource_init(&m->base, &mutex_type);
    waits_init(&m->waits, "mutex");
    return &m->base;
}

static bool make_run(struct kctx *c, struct status *st)
{
    return maker_run(c, &mutex_type, make, st);
}

/* --- the value: the mutex is free when it goes --- */

struct hold {
    struct variant base;
    struct mutex *mutex; /* counted */
};

static void hold_release(struct variant *v)
{
    struct mutex *m = ((struct hold *)v)->mutex;

    waits_begin(&m->waits);
    m->held = false;
    waits_end(&m->waits);
    resource_unref(&m->base);
    mem_free(v);
}

static void hold_print(const struct variant *v, struct strbuf *out)
{
    (void)v;
    strbuf_puts(out, "SharedLockReleaser");
}

static const struct variant_type hold_type = {.name = "(anonymous namespace)::SharedLockReleaser",
                                              .release = hold_release,
                                              .print = hold_print};

struct locking {
    struct waiter base;
    struct kctx *c;
    struct mutex *m;
};

static bool try_lock(struct waiter *w)
{
    struct mutex *m = ((struct locking *)w)->m;

    if (m->held)
        return false;
    m->held = true;
    return true;
}

/* Hands the mutex, which is held now, to a value. */
static void locked(struct waiter *w)
{
    struct locking *l = (struct locking *)w;
    struct kctx *c = l->c;
    struct shape scalar = shape_scalar();
    struct status st = {0};

    status_move(&st, &w->status);
    if (status_ok(&st)) {
        struct hold *h = mem_new(struct hold);

        h->base = (struct variant){.refs = 1, .type = &hold_type};
        h->mutex = l->m;
        resource_ref(&l->m->base);
        struct tensor *out = kernel_out(c, 0, &scalar, &st);

        if (out)
            *(struct variant **)out->data = &h->base;
        else
            variant_unref(&h->base);
    }
    mem_free(l);
    kernel_done(c, &st);
    status_clear(&st);
}

static void lock_start(struct kctx *c)
{
    struct status st = {0};
    struct mutex *m = (struct mutex *)resource_from_input(c, 0, &mutex_type, &st);

    if (!m) {
        kernel_done(c, &st);
        status_clear(&st);
        return;
    }
    struct locking *l = mem_new(struct locking);

    *l = (struct locking){.base = {.attempt = try_lock,
                                   .done = locked,
                                   .cancel = c->env->cancel,
                                   .cancelled = "Lock acquisition cancelled.",
                                   .owner = &m->base},
                          .c = c,
                          .m = m};
    waits_start(&m->waits, &l->base);
    resource_unref(&m->base);
}

static bool consume_run(struct kctx *c, struct status *st)
{
    const struct tensor *t = kernel_in(c, 0);

    if (t->num_elems != 1)
        return status_invalid(st, "mutex_lock must be a scalar");
    const struct variant *v = *(struct variant *const *)t->data;

    if (!v || v->type != &hold_type)
        return status_invalid(st,
                              "Expected input to contain a SharedLockReleaser object, but saw "
                              "variant: '%s'",
                              v ? v->type->name : "empty");
    return true; /* the value goes with its last holder, which is this step */
}

static bool lock_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_scalar(c));
    return true;
}

#define MUTEX_NO_GRAD "undefined: no gradient is registered for a mutex's ops"

OP_DEF(mutex_v2) = {
    .name = "MutexV2",
    .summary = "Makes a mutex that steps can lock.",
    .outputs = {"resource: resource"},
    .attrs = {"container: string = ''", "shared_name: string = ''"},
    .flags = OP_STATEFUL,
    .shape = infer_scalars,
    .no_grad = MUTEX_NO_GRAD,
};
KERNEL_DEF(mutex_v2_cpu) = {.op = "MutexV2",
                            .device = "CPU",
                            .state_bytes = sizeof(struct maker),
                            .init = maker_init,
                            .release = maker_release,
                            .run = make_run};

OP_DEF(mutex_lock) = {
    .name = "MutexLock",
    .summary = "Waits for a mutex and locks it until the output has gone.",
    .inputs = {"mutex: resource"},
    .outputs = {"mutex_lock: variant"},
    .flags = OP_STATEFUL,
    .shape = lock_shape,
    .no_grad = MUTEX_NO_GRAD,
};
KERNEL_DEF(mutex_lock_cpu) = {
    .op = "MutexLock", .device = "CPU", .flags = KERNEL_ASYNC, .run_async = lock_start};

OP_DEF(consume_mutex_lock) = {
    .name = "ConsumeMutexLock",
    .summary = "Keeps a mutex locked until it has run.",
    .inputs = {"mutex_lock: variant"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = MUTEX_NO_GRAD,
};
KERNEL_DEF(consume_mutex_lock_cpu) = {
    .op = "ConsumeMutexLock", .device = "CPU", .run = consume_run};
