/* SPDX-License-Identifier: Apache-2.0 */
/* Which ops of steps with a key have run, and what they gave; and those that log what they change
 * themselves (KERNEL_NOTES) while they run.
 *
 * Such an op may be asked for again while it is still under way: the task was thought lost, and its
 * master tries the step once more. Then the second waits for the first, which is cancelled, and
 * runs only where the first came to nothing; so two of them never both take an element. */
#include "base/mem.h"
#include "dist/replica_impl.h"

#define KIND(name) PB_LEAT_PEER_CHANGE_KIND_##name

struct follower {
    struct follower *next;
    struct kctx *c;
};
struct flight { /* in the table; guarded by marks_lock */
    struct kctx *c;
    void (*done)(struct kctx *c, struct status *st); /* of an asynchronous one: c's own */
    struct follower *followers;
};

/* --- marks --- */

static void mark_free(struct mark *m)
{
    for (int i = 0; m && i < m->n; i++)
        tensor_clear(&m->outputs[i]);
    mem_free(m);
}

void replica_add_mark(struct replica *r, uint64_t key, const struct tensor *outputs, int n,
                      int64_t progress)
{
    struct mark *m = mem_alloc(sizeof *m + sizeof m->outputs[0] * (size_t)n), *old = NULL;
    m->progress = progress;
    m->n = n;
    for (int i = 0; i < n; i++)
        m->outputs[i] = tensor_copy(&outputs[i]);
    lock_take(&r->marks_lock);
    struct mark *same = u64map_put(&r->marks, key, m);
    if (!same) { /* a new key: the oldest makes room */
        uint64_t *at = &r->ring[r->next_mark++ % CHANGE_MARKS_KEPT];
        old = *at ? u64map_remove(&r->marks, *at) : NULL;
        *at = key;
    }
    lock_drop(&r->marks_lock);
    mark_free(same);
    mark_free(old);
}

bool replica_has_mark(struct replica *r, uint64_t key)
{
    lock_take(&r->marks_lock);
    const struct mark *m = u64map_find(&r->marks, key);
    const bool over = m && m->progress == 0;
    lock_drop(&r->marks_lock);
    return over;
}

int64_t replica_progress(struct changes *h, uint64_t key)
{
    struct replica *r = (struct replica *)h;
    lock_take(&r->marks_lock);
    const struct mark *m = u64map_find(&r->marks, key);
    const int64_t progress = m ? m->progress : 0;
    lock_drop(&r->marks_lock);
    return progress;
}

void replica_clear_marks(struct replica *r)
{
    uint64_t key;
    void *value;
    lock_take(&r->marks_lock);
    for (int64_t i = 0; u64map_next(&r->marks, &i, &key, &value);)
        mark_free(value);
    u64map_release(&r->marks);
    r->marks = (struct u64map){0};
    memset(r->ring, 0, sizeof *r->ring * CHANGE_MARKS_KEPT);
    lock_drop(&r->marks_lock);
}

void replica_each_mark(struct replica *r, void (*fn)(void *arg, uint64_t key, const struct mark *m),
                       void *arg)
{
    uint64_t key;
    void *value;
    lock_take(&r->marks_lock);
    for (int64_t i = 0; u64map_next(&r->marks, &i, &key, &value);)
        fn(arg, key, value);
    lock_drop(&r->marks_lock);
}

int replica_list_outputs(const struct kctx *c, struct tensor *out, int cap)
{
    int n = 0;
    for (int i = 0; i < c->kernel->num_outputs && n < cap; i++) {
        if (!dtype_is_ref(c->kernel->output_types[i]) && c->out[i].dtype != DT_INVALID)
            out[n++] = c->out[i];
    }
    return n;
}

void replica_put_mark(struct entry *e, uint64_t key, const struct tensor *outputs, int n,
                      int64_t progress)
{
    struct shape scalar = shape_scalar();
    struct status st = {0};
    e->mark = key;
    struct change *m = entry_add(e, progress ? KIND(PROGRESS) : KIND(MARK), "", "", n + 1);
    for (int i = 0; i < n; i++)
        m->values[m->num_values++] = tensor_copy(&outputs[i]);
    if (progress && tensor_new(&m->values[n], DT_INT64, &scalar, &st)) {
        *tensor_i64(&m->values[n]) = progress;
        m->num_values++;
    }
    status_clear(&st);
}

static bool give_again(struct kctx *c, const struct mark *m, struct status *st)
{
    int next = 0;
    for (int i = 0; i < c->kernel->num_outputs; i++) {
        if (dtype_is_ref(c->kernel->output_types[i])) {
            if (c->kernel->num_inputs <= i || !dtype_is_ref(c->in[i]->dtype))
                return status_internal(st, "%s: no reference to give back", c->kernel->op->name);
            kernel_out_ref(c, i, kernel_ref(c, i));
        } else if (next < m->n) {
            kernel_out_share(c, i, &m->outputs[next++]);
        } else {
            return status_internal(st, "%s: what it gave is not known", c->kernel->op->name);
        }
    }
    return true;
}

/* Under marks_lock. */
static enum run_before look_back(struct replica *r, struct kctx *c, uint64_t key, struct status *st)
{
    lock_take(&r->lock);
    const bool serves = r->role == REPLICA_SERVES;
    const uint64_t epoch = r->epoch;
    lock_drop(&r->lock);
    if (!serves) {
        status_fail(st, STATUS_ABORTED, "%s: another process serves now (epoch %llu)", r->task,
                    (unsigned long long)epoch);
        return RUN_REFUSED;
    }
    const struct mark *m = key ? u64map_find(&r->marks, key) : NULL;
    if (!m || m->progress > 0)
        return RUN_NEW;
    return give_again(c, m, st) ? RUN_AGAIN : RUN_REFUSED;
}

enum run_before replica_look_back(struct replica *r, struct kctx *c, uint64_t key,
                                  struct status *st)
{
    lock_take(&r->marks_lock);
    const enum run_before before = look_back(r, c, key, st);
    lock_drop(&r->marks_lock);
    return before;
}

/* --- ops under way --- */

/* False: the op has run, or is not to. The flight is the table's. */
static bool take_off(struct replica *r, struct kctx *c, uint64_t key, bool *ok, struct status *st)
{
    lock_take(&r->marks_lock);
    while (key && u64map_find(&r->flights, key))
        cond_wait(&r->landed, &r->marks_lock); /* it does not wait for anything */
    const enum run_before before = look_back(r, c, key, st);
    if (before == RUN_NEW && key) {
        struct flight *f = mem_new(struct flight);
        *f = (struct flight){.c = c};
        u64map_put(&r->flights, key, f);
    }
    lock_drop(&r->marks_lock);
    *ok = before == RUN_AGAIN;
    return before == RUN_NEW;
}

/* The flight, out of the table; the caller frees it. */
static struct flight *land(struct replica *r, uint64_t key)
{
    lock_take(&r->marks_lock);
    struct flight *f = u64map_remove(&r->flights, key);
    cond_broadcast(&r->landed);
    lock_drop(&r->marks_lock);
    return f;
}

bool replica_run_noted(struct replica *r, struct kctx *c, struct status *st)
{
    const uint64_t key = changes_key(c);
    bool ok;
    if (!take_off(r, c, key, &ok, st))
        return ok;
    ok = c->kernel->def->run(c, st);
    if (key)
        mem_free(land(r, key));
    return ok;
}

static void async_over(struct kctx *c, struct status *st)
{
    struct changes *h = c->env->changes;
    struct flight *f = land((struct replica *)h, changes_key(c));
    struct follower *next;
    c->done = f->done;
    kernel_done(c, st); /* c, and what it was part of, may be gone */
    for (struct follower *w = f->followers; w; w = next) {
        next = w->next;
        h->start(h, w->c);
        mem_free(w);
    }
    mem_free(f);
}

/* Under marks_lock: c waits for the end of f, which comes soon: its step is given up. */
static struct cancel *follow(struct flight *f, struct kctx *c)
{
    struct follower **end = &f->followers;
    while (*end)
        end = &(*end)->next;
    *end = mem_new(struct follower);
    **end = (struct follower){.c = c};
    return f->c->env->cancel ? cancel_ref(f->c->env->cancel) : NULL;
}

void replica_start_noted(struct changes *h, struct kctx *c)
{
    struct replica *r = (struct replica *)h;
    const uint64_t key = changes_key(c);
    struct status st = {0};
    struct cancel *former = NULL;
    enum run_before before = RUN_NEW;
    lock_take(&r->marks_lock);
    struct flight *f = key ? u64map_find(&r->flights, key) : NULL;
    const bool follows = f != NULL;
    if (follows)
        former = follow(f, c);
    else
        before = look_back(r, c, key, &st);
    if (!follows && key && before == RUN_NEW) {
        f = mem_new(struct flight);
        *f = (struct flight){.c = c, .done = c->done};
        c->done = async_over;
        u64map_put(&r->flights, key, f);
    }
    lock_drop(&r->marks_lock);
    if (former)
        cancel_fire(former, STATUS_ABORTED, "The step was begun again");
    cancel_unref(former);
    if (!follows && before == RUN_NEW)
        c->kernel->def->run_async(c);
    else if (!follows)
        kernel_done(c, &st);
    status_clear(&st);
}
