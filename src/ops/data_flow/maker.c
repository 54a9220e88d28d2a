/* SPDX-License-Identifier: Apache-2.0 */
/* Making a resource once, and handing out its handle in every step. */
#include "ops/data_flow/maker.h"

#include "op/resource_pair.h"

bool maker_init(struct kernel *k, void *state, struct status *st)
{
    struct maker *s = state;

    (void)k;
    (void)st;
    lock_init(&s->lock, "maker", LOCK_RANK_PLAN);
    return true;
}

void maker_release(void *state)
{
    struct maker *s = state;

    resource_unref(s->r);
    tensor_clear(&s->handle);
    variable_unref(s->pair);
    lock_release_memory(&s->lock);
}

static bool make_pair(struct kctx *c, struct maker *s, const char *container, const char *name,
                      struct status *st)
{
    struct tensor t;

    if (!resource_pair(c, container, name, &t, st))
        return false;
    s->pair = variable_new(c->kernel->node_name, DT_STRING);
    variable_assign(s->pair, &t);
    return true;
}

/* Under the state's lock. */
static bool find(struct kctx *c, struct maker *s, const struct resource_type *type,
                 struct resource *(*make)(void *, struct status *), struct status *st)
{
    const char *container, *name;

    resource_names(c, false, &container, &name);
    struct maker_args m = {c->kernel, name};
    struct resource *r =
        resource_find_or_make(c->env->container_resources, container, type, name, make, &m, st);

    if (!r)
        return false;
    if (dtype_is_ref(c->kernel->output_types[0])
            ? make_pair(c, s, container, name, st)
            : resource_make_handle(c, container, name, type, &s->handle, st)) {
        s->r = r;
        return true;
    }
    resource_unref(r);
    return false;
}

bool maker_run(struct kctx *c, const struct resource_type *type,
               struct resource *(*make)(void *arg, struct status *st), struct status *st)
{
    struct maker *s = kernel_state(c);

    lock_take(&s->lock);
    bool ok = s->r || find(c, s, type, make, st);
    lock_drop(&s->lock);
    if (!ok)
        return false;
    if (s->pair)
        kernel_out_ref(c, 0, s->pair);
    else
        kernel_out_share(c, 0, &s->handle);
    return true;
}
