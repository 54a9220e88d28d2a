/* SPDX-License-Identifier: Apache-2.0 */
/* Members of one process meet.
 *
 * A meeting is a resource of the step, named after what its members agree on. Each member that
 * comes is compared with the first; the last one takes the list and computes, on its thread, in
 * the order of the devices, what all then share. A meeting that failed stays, so that those who
 * come later fail too; it ends with the step. A member belongs to the thread that took it out of
 * the list: one that is cancelled is taken out by the cancellation's callback. */
#include "op/collective.h"
#include "base/lock.h"
#include "base/mem.h"
#include "op/kernel.h"

static const struct collectives *offered; /* atomic */

void collectives_offer(const struct collectives *c)
{
    __atomic_store_n(&offered, c, __ATOMIC_RELEASE);
}

const struct collectives *collectives_offered(void)
{
    return __atomic_load_n(&offered, __ATOMIC_ACQUIRE);
}

struct meeting {
    struct resource base;
    struct lock lock;
    struct collective *members; /* guarded by lock; in the order of their devices */
    int64_t num_members;        /* guarded by lock */
    struct status failed;       /* guarded by lock */
    bool over;                  /* guarded by lock: all came */
};

static void meeting_release(struct resource *r)
{
    struct meeting *t = (struct meeting *)r;
    ASSERT(!t->members);
    status_clear(&t->failed);
    lock_release_memory(&t->lock);
    mem_free(t);
}

static void meeting_describe(struct resource *r, struct strbuf *out)
{
    struct meeting *t = (struct meeting *)r;
    lock_take(&t->lock);
    strbuf_printf(out, "collective, %lld members wait", (long long)t->num_members);
    lock_drop(&t->lock);
}

static const struct resource_type meeting_type = {
    .name = "collective", .release = meeting_release, .describe = meeting_describe};

static struct resource *meeting_make(void *arg, struct status *st)
{
    struct meeting *t = mem_new(struct meeting);
    (void)arg;
    (void)st;
    *t = (struct meeting){0};
    resource_init(&t->base, &meeting_type);
    lock_init(&t->lock, "collective", LOCK_RANK_RESOURCE);
    return &t->base;
}

/* --- whether they fit --- */

bool collective_matches(const struct collective *a, const struct collective *b, struct status *st)
{
    static const char *const kinds[] = {"a reduction", "a broadcast", "a gathering"};
    const long long key = (long long)a->instance_key;
    if (a->group_size != b->group_size)
        return status_invalid(st,
                              "Collective group %lld: %s joins with group size %lld but that "
                              "group has size %lld",
                              (long long)a->group_key, a->device, (long long)a->group_size,
                              (long long)b->group_size);
    if (a->kind != b->kind)
        return status_invalid(st,
                              "Collective instance %lld: %s joins with %s, another member with %s",
                              key, a->device, kinds[a->kind], kinds[b->kind]);
    if (a->dtype != b->dtype)
        return status_invalid(st,
                              "Collective instance %lld: %s joins with type %s, another member "
                              "with type %s",
                              key, a->device, dtype_name(a->dtype), dtype_name(b->dtype));
    if (a->kind == COLLECTIVE_REDUCE && (a->merge != b->merge || a->divide != b->divide))
        return status_invalid(st,
                              "Collective instance %lld: %s joins with another merge_op or "
                              "final_op than other members",
                              key, a->device);
    return true;
}

bool collective_shape_differs(const struct collective *m, const struct shape *other,
                              struct status *st)
{
    struct strbuf mine = {0}, its = {0};
    shape_print(&m->shape, &mine);
    shape_print(other, &its);
    status_invalid(st,
                   "Shape mismatch in the collective instance %lld. Op at device %s expected "
                   "shape %s but another member in the group expected shape %s. This is likely "
                   "due to different input shapes at different members of the collective op.",
                   (long long)m->instance_key, m->device, strbuf_text(&mine), strbuf_text(&its));
    strbuf_release(&mine);
    strbuf_release(&its);
    return false;
}

/* Rows may differ in number where the result was not declared. */
static bool rows_fit(const struct shape *a, const struct shape *b)
{
    if (a->rank != b->rank || a->rank == 0)
        return false;
    for (int i = 1; i < a->rank; i++) {
        if (shape_dim(a, i) != shape_dim(b, i))
            return false;
    }
    return true;
}

static bool fits(const struct collective *m, const struct collective *first, struct status *st)
{
    if (!collective_matches(m, first, st))
        return false;
    if (m->kind == COLLECTIVE_GATHER)
        return rows_fit(&m->in->shape, &first->in->shape) ||
               collective_shape_differs(m, &first->shape, st);
    return shape_equal(&m->shape, &first->shape) || collective_shape_differs(m, &first->shape, st);
}

/* CPU:2 before CPU:10. */
static int device_order(const char *a, const char *b)
{
    const size_t na = strlen(a), nb = strlen(b);
    return na != nb ? (na < nb ? -1 : 1) : strcmp(a, b);
}

/* Under the lock. Puts m in its place among those that it fits. */
static bool enter(struct meeting *t, struct collective *m, struct status *st)
{
    if (!status_ok(&t->failed)) {
        status_copy(st, &t->failed);
        return false;
    }
    if (t->over)
        return status_invalid(st, "Collective instance %lld: %s comes after all %lld members",
                              (long long)m->instance_key, m->device, (long long)m->group_size);
    if (t->members && !fits(m, t->members, st))
        return false;
    for (const struct collective *o = t->members; o && m->sends; o = o->next) {
        if (o->sends)
            return status_internal(st, "Instance %lld already has source %s, %s sends too",
                                   (long long)m->instance_key, o->device, m->device);
    }
    struct collective **at = &t->members;
    for (; *at; at = &(*at)->next) {
        const int order = device_order(m->device, (*at)->device);
        if (order == 0)
            return status_invalid(st, "Collective instance %lld: two members stand on %s",
                                  (long long)m->instance_key, m->device);
        if (order < 0)
            break;
    }
    m->next = *at;
    *at = m;
    t->num_members++;
    return true;
}

/* --- what they get --- */

struct merging {
    const struct collective *first;
    char *out;
    size_t elem;
};

static void merge_range(void *arg, int64_t begin, int64_t end)
{
    const struct merging *g = arg;
    const struct collective *m = g->first;
    char *out = g->out + (size_t)begin * g->elem;
    const size_t skip = (size_t)begin * g->elem;
    memcpy(out, (const char *)m->in->data + skip, (size_t)(end - begin) * g->elem);
    for (const struct collective *o = m->next; o; o = o->next)
        collective_merge(out, (const char *)o->in->data + skip, end - begin, m->dtype, m->merge);
    if (m->divide)
        collective_divide(out, end - begin, m->dtype, m->group_size);
}

static bool reduce(const struct collective *first, struct tensor *out, struct status *st)
{
    enum { COST_NS = 1 };
    if (!tensor_new(out, first->dtype, &first->shape, st))
        return false;
    struct merging g = {first, out->data, dtype_size(first->dtype)};
    const double cost = COST_NS * (double)first->group_size;
    if (out->num_elems > 0)
        pool_loop(first->pool, out->num_elems, pool_grain(out->num_elems, cost), cost, merge_range,
                  &g);
    return true;
}

static bool gather(const struct collective *first, struct tensor *out, struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK] = {0};
    const struct shape *s = &first->in->shape;
    memcpy(dims, shape_dims(s), sizeof *dims * (size_t)s->rank);
    dims[0] = 0;
    for (const struct collective *m = first; m; m = m->next) {
        if (__builtin_add_overflow(dims[0], shape_dim(&m->in->shape, 0), &dims[0]))
            return status_invalid(st, "CollectiveGather: too many rows");
    }
    struct shape whole = shape_make(dims, s->rank);
    bool ok = true;
    for (const struct collective *m = first; ok && m; m = m->next)
        ok = shape_compatible(&m->shape, &whole) || collective_shape_differs(m, &whole, st);
    ok = ok && tensor_new(out, first->dtype, &whole, st);
    shape_clear(&whole);
    char *to = ok ? out->data : NULL;
    for (const struct collective *m = first; ok && m; m = m->next) {
        const size_t n = tensor_bytes(m->in);
        if (n > 0)
            memcpy(to, m->in->data, n);
        to += n;
    }
    return ok;
}

static bool broadcast(const struct collective *first, struct tensor *out, struct status *st)
{
    for (const struct collective *m = first; m; m = m->next) {
        if (!m->sends)
            continue;
        if (!tensor_is_borrowed(m->in)) {
            *out = tensor_copy(m->in);
            return true;
        }
        return tensor_dup(m->in, out, st);
    }
    return status_internal(st,
                           "Instance %lld found no source for broadcast: all %lld members receive",
                           (long long)first->instance_key, (long long)first->group_size);
}

/* --- the end --- */

/* All of a list that no other thread sees any more. */
static void end_all(struct collective *members, const struct status *why, const struct tensor *out)
{
    for (struct collective *m = members, *next; m; m = next) {
        next = m->next;
        struct status st = {0};
        struct tensor t = out && status_ok(why) ? tensor_copy(out) : (struct tensor){0};
        status_copy(&st, why);
        if (m->token)
            cancel_remove(m->cancel, m->token);
        struct resource *meeting = m->carrier;
        m->done(m, &st, &t);
        tensor_clear(&t);
        status_clear(&st);
        resource_unref(meeting);
    }
}

static void complete(struct collective *members)
{
    struct status st = {0};
    struct tensor out = {0};
    bool ok = members->kind == COLLECTIVE_REDUCE   ? reduce(members, &out, &st)
              : members->kind == COLLECTIVE_GATHER ? gather(members, &out, &st)
                                                   : broadcast(members, &out, &st);
    (void)ok; /* st says it */
    end_all(members, &st, &out);
    tensor_clear(&out);
    status_clear(&st);
}

static bool take_out(struct meeting *t, const struct collective *m)
{
    for (struct collective **at = &t->members; *at; at = &(*at)->next) {
        if (*at == m) {
            *at = m->next;
            t->num_members--;
            return true;
        }
    }
    return false;
}

static void on_cancel(void *arg)
{
    struct collective *m = arg;
    struct meeting *t = m->carrier;
    lock_take(&t->lock);
    const bool mine = take_out(t, m);
    lock_drop(&t->lock);
    if (!mine)
        return; /* whoever took it waits for this callback */
    struct status st = {0};
    struct tensor none = {0};
    if (cancel_check(m->cancel, &st))
        status_internal(&st, "Collective instance %lld: cancelled for no reason",
                        (long long)m->instance_key);
    m->done(m, &st, &none);
    status_clear(&st);
    resource_unref(&t->base);
}

/* Under the lock. Who is over now, with st where that is an error; NULL: m waits. */
static struct collective *admit(struct meeting *t, struct collective *m, struct status *st)
{
    struct collective *over = NULL;
    if (enter(t, m, st)) {
        if (t->num_members < m->group_size) {
            m->token = m->cancel ? cancel_add(m->cancel, on_cancel, m) : 0;
            if (m->token || !m->cancel)
                return NULL;
            take_out(t, m);
            over = m;
            m->next = NULL;
            if (cancel_check(m->cancel, st))
                status_fail(st, STATUS_CANCELLED, "the step was cancelled");
            return over;
        }
        over = t->members;
        t->over = true;
    } else {
        status_copy(&t->failed, st);
        m->next = t->members;
        over = m;
    }
    t->members = NULL;
    t->num_members = 0;
    return over;
}

static void join(struct kernel_env *env, struct collective *m, struct meeting *t, const char *name)
{
    struct status st = {0}, gone = {0};
    m->carrier = t;
    m->token = 0;
    m->next = NULL;
    resource_ref(&t->base);
    lock_take(&t->lock);
    struct collective *over = admit(t, m, &st);
    const bool met = over && status_ok(&st);
    lock_drop(&t->lock);
    if (met && !resource_remove(env->step_resources, "", &meeting_type, name, &gone))
        status_clear(&gone); /* the step has ended otherwise */
    if (met)
        complete(over);
    else
        end_all(over, &st, NULL);
    status_clear(&st);
}

static bool prepare(struct kernel_env *env, const struct collective *m, struct status *st)
{
    if (m->group_size < 1 || m->group_size > COLLECTIVE_MAX_GROUP)
        return status_invalid(st, "group_size must be from 1 to %d, not %lld", COLLECTIVE_MAX_GROUP,
                              (long long)m->group_size);
    if (m->kind == COLLECTIVE_GATHER && m->in->shape.rank == 0)
        return status_invalid(st,
                              "CollectiveGather: input must be at least a vector, not a scalar");
    if (!env->collectives && m->group_size > 1 && strcmp(m->hint, "mpi") == 0)
        return status_precondition(st,
                                   "a collective over MPI needs leat_allreduce_init, in a job of "
                                   "more than one process");
    return env->step_resources ||
           status_internal(st, "a collective needs a step that others can take part in");
}

static void fail(struct collective *m, struct status *st)
{
    struct tensor none = {0};
    m->done(m, st, &none);
    status_clear(st);
}

void collective_join(struct kernel_env *env, struct collective *m)
{
    struct status st = {0};
    const struct collectives *far = env->collectives;
    if (!prepare(env, m, &st)) {
        fail(m, &st);
        return;
    }
    if (far && far->covers(m, &st)) {
        far->join(m);
        return;
    }
    if (!status_ok(&st)) {
        fail(m, &st);
        return;
    }
    char *name = mem_printf("%lld;%lld;%s;%lld", (long long)m->group_key,
                            (long long)m->instance_key, m->frame, (long long)m->iter);
    struct resource *r = resource_find_or_make(env->step_resources, "", &meeting_type, name,
                                               meeting_make, NULL, &st);
    if (r)
        join(env, m, (struct meeting *)r, name);
    else
        fail(m, &st);
    resource_unref(r);
    mem_free(name);
}
