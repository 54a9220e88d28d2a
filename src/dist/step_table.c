/* SPDX-License-Identifier: Apache-2.0 */
/* Steps, tombstones, request ids, and receiving from other tasks. */
#include "dist/step_table.h"

#include <string.h>

#include "base/mem.h"
#include "runtime/placer.h"
#include "runtime/session.h"

struct far_recv { /* one RecvTensor; counted: the starter, the call, and who cancels it */
    int refs;     /* guarded by the step's lock */
    struct task_step *step;
    struct plane_recv *request; /* NULL: not started; guarded by the step's lock */
    rendezvous_fn fn;
    void *arg;
    struct far_recv *next, **link; /* in step->recvs */
};

/* --- keys --- */

bool transfer_key_parse(const char *key, struct transfer_key *out, struct status *st)
{
    struct str rest = str_of(key), piece[5];
    int n = 0;
    while (n < 5 && str_split(&rest, ';', &piece[n]))
        n++;
    uint64_t incarnation = 0;
    bool ok = n == 5 && rest.n == 0 && piece[1].n >= 1 && piece[1].n <= 16;
    for (size_t i = 0; ok && i < piece[1].n; i++) {
        const char *digits = "0123456789abcdef", *at = strchr(digits, piece[1].p[i]);
        ok = at && piece[1].p[i];
        incarnation = incarnation << 4 | (uint64_t)(ok ? at - digits : 0);
    }
    if (!ok)
        return status_invalid(st, "Invalid rendezvous key: %.200s", key);
    *out = (struct transfer_key){piece[0], piece[2], piece[3], incarnation};
    return true;
}

bool device_in_task(struct str device, const char *task)
{
    size_t n = strlen(task);
    return device.n > n && memcmp(device.p, task, n) == 0 && device.p[n] == '/';
}

/* --- steps --- */

static void far_abort(void *arg, const struct status *why);
static bool far_recv(void *arg, const char *key, rendezvous_fn fn, void *fn_arg);

void step_table_init(
    struct step_table *t, const char *name, struct planes *planes, struct peers *peers,
    void (*ended)(void *arg, struct task_step *s, step_over_fn over, void *over_arg), void *arg)
{
    *t = (struct step_table){
        .peers = peers, .planes = planes, .name = mem_strdup(name), .ended = ended, .arg = arg};
    t->ring = mem_new_array(uint64_t, STEP_MAX_OVER);
    lock_init(&t->lock, "steps", LOCK_RANK_LEAF);
}

void step_table_release(struct step_table *t)
{
    step_table_end_all(t);
    u64map_release(&t->live);
    u64map_release(&t->over);
    lock_release_memory(&t->lock);
    mem_free(t->ring);
    mem_free(t->name);
}

static struct task_step *step_new(struct step_table *t, int64_t id)
{
    struct task_step *s = mem_new(struct task_step);
    s->refs = 1; /* the table's */
    s->id = id;
    s->table = t;
    lock_init(&s->lock, "task step", LOCK_RANK_LEAF);
    s->rendezvous = rendezvous_new_far(
        &(struct rendezvous_far){.arg = s, .recv = far_recv, .aborted = far_abort});
    return s;
}

static struct task_step *step_ref(struct task_step *s)
{
    __atomic_fetch_add(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

void task_step_unref(struct task_step *s)
{
    if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    rendezvous_unref(s->rendezvous);
    strmap_release(&s->parts);
    status_clear(&s->aborted);
    lock_release_memory(&s->lock);
    mem_free(s->name);
    mem_free(s);
}

void task_step_place(struct task_step *s, struct str name, struct peers *peers)
{
    lock_take(&s->lock);
    if (!s->name)
        __atomic_store_n(&s->name, mem_strndup(name.p, name.n), __ATOMIC_RELEASE);
    if (!s->peers)
        __atomic_store_n(&s->peers, peers, __ATOMIC_RELEASE);
    lock_drop(&s->lock);
}

struct task_step *step_table_get(struct step_table *t, int64_t id, struct status *st)
{
    struct task_step *s = NULL;
    lock_take(&t->lock);
    if (u64map_find(&t->over, (uint64_t)id)) {
        status_fail(st, STATUS_ABORTED, "Step %lld is over", (long long)id);
    } else if ((s = u64map_find(&t->live, (uint64_t)id))) {
        step_ref(s);
    } else if (t->live.num_live >= STEP_MAX_LIVE) {
        status_exhausted(st, "%s takes part in %d steps already", t->name, STEP_MAX_LIVE);
    } else {
        s = step_new(t, id);
        u64map_put(&t->live, (uint64_t)id, step_ref(s));
    }
    lock_drop(&t->lock);
    return s;
}

/* Under the lock. */
static struct task_step *bury(struct step_table *t, int64_t id)
{
    struct task_step *s = u64map_remove(&t->live, (uint64_t)id);
    if (u64map_find(&t->over, (uint64_t)id))
        return s;
    uint64_t *slot = &t->ring[t->next_over++ % STEP_MAX_OVER];
    if (t->next_over > STEP_MAX_OVER)
        u64map_remove(&t->over, *slot);
    *slot = (uint64_t)id;
    u64map_put(&t->over, (uint64_t)id, t);
    return s;
}

static void end_step(struct task_step *s, step_over_fn over_fn, void *arg)
{
    struct status over = {0};
    status_fail(&over, STATUS_ABORTED, "Step %lld is over", (long long)s->id);
    rendezvous_abort(s->rendezvous, &over);
    status_clear(&over);
    s->table->ended(s->table->arg, s, over_fn, arg);
    task_step_unref(s);
}

void step_table_end(struct step_table *t, int64_t id, step_over_fn over, void *arg)
{
    lock_take(&t->lock);
    struct task_step *s = bury(t, id);
    lock_drop(&t->lock);
    if (s)
        end_step(s, over, arg);
    else if (over)
        over(arg);
}

void step_table_end_all(struct step_table *t)
{
    for (;;) {
        uint64_t id = 0;
        void *value = NULL;
        int64_t at = 0;
        lock_take(&t->lock);
        struct task_step *s = u64map_next(&t->live, &at, &id, &value) ? bury(t, (int64_t)id) : NULL;
        lock_drop(&t->lock);
        if (!s)
            return;
        end_step(s, NULL, NULL);
    }
}

/* --- request ids --- */

void request_ids_init(struct request_ids *r)
{
    *r = (struct request_ids){.ring = mem_new_array(uint64_t, REQUESTS_REMEMBERED)};
    lock_init(&r->lock, "request ids", LOCK_RANK_LEAF);
}

void request_ids_release(struct request_ids *r)
{
    u64map_release(&r->seen);
    lock_release_memory(&r->lock);
    mem_free(r->ring);
}

bool request_ids_add(struct request_ids *r, int64_t id, const char *method, struct status *st)
{
    if (id == 0)
        return true;
    lock_take(&r->lock);
    bool seen = u64map_find(&r->seen, (uint64_t)id) != NULL;
    if (!seen) {
        uint64_t *slot = &r->ring[r->next++ % REQUESTS_REMEMBERED];
        if (r->next > REQUESTS_REMEMBERED)
            u64map_remove(&r->seen, *slot);
        *slot = (uint64_t)id;
        u64map_put(&r->seen, (uint64_t)id, r);
    }
    lock_drop(&r->lock);
    return !seen || status_fail(st, STATUS_ABORTED,
                                "The same %s request was received twice: request_id %lld", method,
                                (long long)id);
}

/* --- receiving from other tasks --- */

/* Under the step's lock: whether it was the last reference. */
static bool drop_ref(struct far_recv *r)
{
    return --r->refs == 0;
}

static void far_free(struct far_recv *r)
{
    plane_recv_unref(r->request);
    task_step_unref(r->step);
    mem_free(r);
}

static void far_unref(struct far_recv *r)
{
    lock_take(&r->step->lock);
    bool last = drop_ref(r);
    lock_drop(&r->step->lock);
    if (last)
        far_free(r);
}

static void unlink_recv(struct far_recv *r)
{
    if (!r->link)
        return;
    *r->link = r->next;
    if (r->next)
        r->next->link = r->link;
    r->link = NULL;
}

static void far_end(struct far_recv *r, const struct status *st, const struct tensor *value,
                    bool dead)
{
    lock_take(&r->step->lock);
    unlink_recv(r);
    lock_drop(&r->step->lock);
    r->fn(r->arg, st, value, dead);
    far_unref(r);
}

static void far_done(void *arg, const struct status *st, const struct tensor *value, bool dead)
{
    struct far_recv *r = arg;
    struct status why = {0};
    if (!status_ok(st)) {
        lock_take(&r->step->lock); /* why the call was cancelled says more */
        status_copy(&why, status_ok(&r->step->aborted) ? st : &r->step->aborted);
        lock_drop(&r->step->lock);
    }
    const bool lent = thread_lend_to_steps(true); /* who waits for it is a step, most often */
    far_end(r, &why, value, dead);
    thread_lend_to_steps(lent);
    status_clear(&why);
}

static struct peer *find_peer(struct task_step *s, struct str device, struct status *st)
{
    struct device_spec spec;
    char *name = mem_strndup(device.p, device.n);
    bool ok = device_spec_parse(name, &spec, st) && spec.job[0] && spec.task >= 0;
    if (!ok)
        status_invalid(st, "Invalid rendezvous key: no task in '%.200s'", name);
    mem_free(name);
    struct peers *peers = __atomic_load_n(&s->peers, __ATOMIC_ACQUIRE);
    return ok ? peers_find(peers ? peers : s->table->peers, spec.job, spec.task, st) : NULL;
}

/* False: the step was aborted. */
static bool link_recv(struct far_recv *r, struct status *st)
{
    struct task_step *s = r->step;
    lock_take(&s->lock);
    status_copy(st, &s->aborted);
    if (status_ok(st)) {
        r->next = s->recvs;
        r->link = &s->recvs;
        if (s->recvs)
            s->recvs->link = &r->next;
        s->recvs = r;
    }
    lock_drop(&s->lock);
    return status_ok(st);
}

static void far_start(struct far_recv *r, struct peer *peer, const char *key)
{
    struct task_step *s = r->step;
    struct plane_recv *request = planes_recv(s->table->planes, peer, s->id, key, far_done, r);
    lock_take(&s->lock);
    r->request = request;
    bool stop = !status_ok(&s->aborted);
    lock_drop(&s->lock);
    if (stop)
        plane_recv_cancel(request);
}

static bool far_recv(void *arg, const char *key, rendezvous_fn fn, void *fn_arg)
{
    struct task_step *s = arg;
    struct transfer_key k;
    struct status st = {0};
    bool parsed = transfer_key_parse(key, &k, &st);
    const char *name = __atomic_load_n(&s->name, __ATOMIC_ACQUIRE);
    if (parsed && device_in_task(k.src, name ? name : s->table->name))
        return false;
    struct far_recv *r = mem_new(struct far_recv);
    *r = (struct far_recv){.refs = 2, .step = step_ref(s), .fn = fn, .arg = fn_arg};
    struct peer *peer = parsed ? find_peer(s, k.src, &st) : NULL;
    if (peer && link_recv(r, &st))
        far_start(r, peer, key);
    else
        far_end(r, &st, NULL, false);
    far_unref(r);
    status_clear(&st);
    return true;
}

static void far_abort(void *arg, const struct status *why)
{
    struct task_step *s = arg;
    int64_t n = 0;
    step_ref(s);
    lock_take(&s->lock);
    status_copy(&s->aborted, why);
    for (struct far_recv *r = s->recvs; r; r = r->next)
        n++;
    struct far_recv **all = mem_new_array(struct far_recv *, n + 1);
    n = 0;
    for (struct far_recv *r = s->recvs; r; r = r->next) {
        r->refs++;
        all[n++] = r;
    }
    lock_drop(&s->lock);
    for (int64_t i = 0; i < n; i++) {
        lock_take(&s->lock);
        struct plane_recv *request = all[i]->request; /* stays while all[i] does */
        lock_drop(&s->lock);
        if (request)
            plane_recv_cancel(request);
        far_unref(all[i]);
    }
    mem_free(all);
    task_step_unref(s);
}
