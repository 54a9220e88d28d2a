/* SPDX-License-Identifier: Apache-2.0 */
/* The rendezvous of one process: a map from keys to what waits there, a value or a receiver.
 *
 * A key lives from the first of its two visits to the second. Loops give each iteration keys of
 * their own, so the map stays as small as what is under way. */
#include "op/rendezvous.h"

#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"

struct meeting {
    rendezvous_fn fn; /* a receiver waits; NULL: a value does */
    void *arg;
    struct tensor value;
    bool dead;
};

struct rendezvous {
    int refs;                  /* atomic */
    struct rendezvous_far far; /* recv NULL: there are no other tasks */
    struct lock lock;
    struct strmap meetings; /* key -> struct meeting; guarded by lock */
    struct status aborted;  /* guarded by lock; OK: not */
};

struct rendezvous *rendezvous_new(void)
{
    struct rendezvous *r = mem_new(struct rendezvous);
    r->refs = 1;
    lock_init(&r->lock, "rendezvous", LOCK_RANK_RENDEZVOUS);
    return r;
}

struct rendezvous *rendezvous_new_far(const struct rendezvous_far *far)
{
    struct rendezvous *r = rendezvous_new();
    r->far = *far;
    return r;
}

struct rendezvous *rendezvous_ref(struct rendezvous *r)
{
    __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
    return r;
}

static void meeting_free(struct meeting *m)
{
    tensor_clear(&m->value);
    mem_free(m);
}

/* Ends meetings that are in the map no more: receivers get the error. */
static void end_all(struct strmap *meetings, const struct status *st)
{
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(meetings, &i, &key, &value);) {
        struct meeting *m = value;
        if (m->fn)
            m->fn(m->arg, st, NULL, false);
        meeting_free(m);
    }
    strmap_release(meetings);
}

void rendezvous_unref(struct rendezvous *r)
{
    if (!r || __atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    struct status gone = {0};
    status_fail(&gone, STATUS_CANCELLED, "The step ended before this value was sent");
    end_all(&r->meetings, &gone);
    status_clear(&gone);
    status_clear(&r->aborted);
    lock_release_memory(&r->lock);
    mem_free(r);
}

/* Under the lock: what is to be done once it is dropped. */
struct send_plan {
    struct meeting *receiver; /* to be called */
    bool twice;
};

static struct send_plan plan_send(struct rendezvous *r, const char *key, const struct tensor *value,
                                  bool dead)
{
    struct meeting *m = strmap_find(&r->meetings, key);
    if (m && m->fn) {
        strmap_remove(&r->meetings, key);
        return (struct send_plan){.receiver = m};
    }
    if (m)
        return (struct send_plan){.twice = true};
    m = mem_new(struct meeting);
    m->dead = dead;
    if (value && !dead)
        m->value = tensor_copy(value);
    strmap_put(&r->meetings, key, m);
    return (struct send_plan){0};
}

bool rendezvous_send(struct rendezvous *r, const char *key, const struct tensor *value, bool dead,
                     struct status *st)
{
    struct send_plan plan = {0};
    lock_take(&r->lock);
    bool ok = status_ok(&r->aborted);
    if (ok)
        plan = plan_send(r, key, value, dead);
    else
        status_copy(st, &r->aborted);
    lock_drop(&r->lock);
    if (plan.twice)
        return status_internal(st, "Rendezvous: key %s was sent twice", key);
    if (plan.receiver) {
        struct status fine = {0};
        plan.receiver->fn(plan.receiver->arg, &fine, dead ? NULL : value, dead);
        meeting_free(plan.receiver);
    }
    return ok;
}

static bool has_value(struct rendezvous *r, const char *key)
{
    lock_take(&r->lock);
    const struct meeting *m = r->meetings.num_live > 0 ? strmap_find(&r->meetings, key) : NULL;
    const bool has = m && !m->fn;
    lock_drop(&r->lock);
    return has;
}

void rendezvous_recv(struct rendezvous *r, const char *key, rendezvous_fn fn, void *arg)
{
    struct status st = {0};
    struct meeting *found = NULL;
    bool waits = false;
    if (r->far.recv && !has_value(r, key) && r->far.recv(r->far.arg, key, fn, arg))
        return;
    lock_take(&r->lock);
    struct meeting *m = strmap_find(&r->meetings, key);
    if (!status_ok(&r->aborted)) {
        status_copy(&st, &r->aborted);
    } else if (!m) {
        m = mem_new(struct meeting);
        m->fn = fn;
        m->arg = arg;
        strmap_put(&r->meetings, key, m);
        waits = true;
    } else if (m->fn) {
        status_internal(&st, "Rendezvous: key %s is received twice", key);
    } else {
        found = strmap_remove(&r->meetings, key);
    }
    lock_drop(&r->lock);
    if (waits)
        return;
    if (found) {
        fn(arg, &st, found->dead ? NULL : &found->value, found->dead);
        meeting_free(found);
    } else {
        fn(arg, &st, NULL, false);
    }
    status_clear(&st);
}

void rendezvous_each(struct rendezvous *r,
                     void (*fn)(void *arg, const char *key, const struct tensor *value), void *arg)
{
    const char *key;
    void *value;
    lock_take(&r->lock);
    for (int64_t i = 0; strmap_next(&r->meetings, &i, &key, &value);) {
        const struct meeting *m = value;
        if (!m->fn && !m->dead)
            fn(arg, key, &m->value);
    }
    lock_drop(&r->lock);
}

bool rendezvous_forget(struct rendezvous *r, const char *key, const void *arg)
{
    lock_take(&r->lock);
    struct meeting *m = strmap_find(&r->meetings, key);
    bool there = m && m->fn && m->arg == arg;
    if (there)
        strmap_remove(&r->meetings, key);
    lock_drop(&r->lock);
    if (there)
        meeting_free(m);
    return there;
}

int64_t rendezvous_waiting(struct rendezvous *r)
{
    lock_take(&r->lock);
    int64_t n = r->meetings.num_live;
    lock_drop(&r->lock);
    return n;
}

void rendezvous_abort(struct rendezvous *r, const struct status *st)
{
    struct status why = {0};
    if (status_ok(st))
        status_fail(&why, STATUS_CANCELLED, "Rendezvous: aborted");
    else
        status_copy(&why, st);
    struct strmap meetings = {0};
    rendezvous_ref(r); /* the step may end by this, here */
    lock_take(&r->lock);
    bool first = status_ok(&r->aborted);
    if (first) {
        status_copy(&r->aborted, &why);
        meetings = r->meetings;
        r->meetings = (struct strmap){0};
    }
    lock_drop(&r->lock);
    if (first && r->far.aborted)
        r->far.aborted(r->far.arg, &why);
    end_all(&meetings, &why);
    rendezvous_unref(r);
    status_clear(&why);
}

/* --- frames --- */

/* MurmurHash64A with the seed that TensorFlow has: its tasks must make the same of a frame's id. */
uint64_t rendezvous_frame_hash(const char *text)
{
    const uint64_t m = 0xc6a4a7935bd1e995u;
    size_t n = strlen(text);
    uint64_t h = 0xDECAFCAFFEu ^ (n * m);
    for (; n >= 8; text += 8, n -= 8) {
        uint64_t k;
        memcpy(&k, text, sizeof k);
        k *= m;
        k ^= k >> 47;
        h = (h ^ (k * m)) * m;
    }
    if (n > 0) {
        uint64_t rest = 0;
        memcpy(&rest, text, n);
        h = (h ^ rest) * m;
    }
    h = (h ^ (h >> 47)) * m;
    return h ^ (h >> 47);
}

static uint64_t combine(uint64_t a, uint64_t b)
{
    return a ^ (b + 0x9e3779b97f4a7800u + (a << 10) + (a >> 4));
}

uint64_t rendezvous_frame_number(uint64_t parent, int64_t iteration, const char *name)
{
    return combine(parent, combine((uint64_t)iteration, rendezvous_frame_hash(name)));
}
