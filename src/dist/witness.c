/* SPDX-License-Identifier: Apache-2.0 */
/* Leases and epochs of replicated tasks. Asked a few times a second by each of their processes. */
#include "dist/witness.h"

#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "dist/service.h"

#define MS_NS ((int64_t)1000000)
enum { MAX_TASKS = 100000, LEASES_UNTIL_LOST = 4 }; /* the failure deadline (replica.h) */

struct holding { /* of a task; its own */
    uint64_t epoch;
    uint64_t holder; /* the incarnation that serves */
    uint64_t before; /* the epoch in which it stood by, and was promoted; 0: it was not */
    uint64_t number; /* of its last renewal */
    bool in_sync;    /* who stands by has everything */
    int64_t until_ns;
};
struct witness {
    struct lock lock;
    int64_t started_ns;
    struct strmap tasks; /* name -> struct holding; guarded by lock */
};

struct witness *witness_new(void)
{
    struct witness *w = mem_new(struct witness);
    lock_init(&w->lock, "witness", LOCK_RANK_LEAF);
    w->started_ns = clock_now_ns();
    return w;
}

void witness_free(struct witness *w)
{
    if (!w)
        return;
    const char *key;
    void *value;
    for (int64_t i = 0; strmap_next(&w->tasks, &i, &key, &value);)
        mem_free(value);
    strmap_release(&w->tasks);
    lock_release_memory(&w->lock);
    mem_free(w);
}

static bool renew(struct holding *h, const struct pb_leat_peer_lease_request *q, int64_t until)
{
    const bool newer = q->epoch > h->epoch; /* this witness has forgotten */
    if (q->epoch < h->epoch || q->epoch == 0 || (!newer && q->incarnation != h->holder))
        return false;
    if (!newer && q->number < h->number)
        return false; /* it was overtaken */
    if (q->silence_ms >= q->lease_ms)
        return false; /* it does not hear; this it may, and then it asks again */
    h->before = newer ? 0 : h->before;
    h->epoch = q->epoch;
    h->holder = q->incarnation;
    h->number = q->number;
    h->in_sync = q->in_sync;
    h->until_ns = max_i64(h->until_ns, until);
    return true;
}

static void hand_over(struct holding *h, const struct pb_leat_peer_lease_request *q, int64_t until)
{
    h->epoch = max_i64((int64_t)h->epoch, (int64_t)q->epoch) + 1;
    h->before = q->ask == PB_LEAT_PEER_LEASE_REQUEST_ASK_PROMOTE ? q->epoch : 0;
    h->holder = q->incarnation;
    h->number = q->number;
    h->in_sync = false;
    h->until_ns = until;
}

/* It was promoted, and asks as if it were not: the answer was lost. Without another one nobody
 * would serve ever more. */
static bool answer_again(struct holding *h, const struct pb_leat_peer_lease_request *q,
                         int64_t until)
{
    if (h->before == 0 || q->epoch != h->before || q->incarnation != h->holder ||
        q->number <= h->number)
        return false;
    h->number = q->number;
    h->until_ns = max_i64(h->until_ns, until);
    return true;
}

/* Under the lock. */
static bool decide(const struct witness *w, struct holding *h,
                   const struct pb_leat_peer_lease_request *q, int64_t now)
{
    const int64_t lease = min_i64(max_i64(q->lease_ms, 1), 3600000) * MS_NS;
    const bool over = now > h->until_ns + lease / 2;
    /* It has the state, or had: who is only slow is not replaced by one that has nothing. */
    const bool lost = now > h->until_ns + LEASES_UNTIL_LOST * lease;
    const bool settled =
        now > w->started_ns + lease + lease / 2; /* who serves would have said so */
    bool grant = false;
    if (q->ask == PB_LEAT_PEER_LEASE_REQUEST_ASK_RENEW)
        return renew(h, q, now + lease);
    if (q->epoch < h->epoch && q->ask == PB_LEAT_PEER_LEASE_REQUEST_ASK_PROMOTE)
        return answer_again(h, q, now + lease);
    if (q->ask == PB_LEAT_PEER_LEASE_REQUEST_ASK_LOOK)
        return h->in_sync;
    if (q->ask == PB_LEAT_PEER_LEASE_REQUEST_ASK_PROMOTE)
        grant = h->epoch == 0 ? settled && q->other_is_fresh
                              : over && h->in_sync && q->epoch == h->epoch;
    else if (h->epoch == 0)
        grant = settled || q->other_is_fresh;
    else
        grant = (over && q->other_is_fresh) || (lost && !h->in_sync);
    if (grant)
        hand_over(h, q, now + lease);
    return grant;
}

bool witness_ask(struct witness *w, const struct pb_leat_peer_lease_request *q, int64_t now_ns,
                 uint64_t *epoch)
{
    char *task = mem_strndup(q->task.n ? q->task.p : "", q->task.n);
    lock_take(&w->lock);
    struct holding *h = strmap_find(&w->tasks, task);
    if (!h && w->tasks.num_live < MAX_TASKS) {
        h = mem_new(struct holding);
        strmap_put(&w->tasks, task, h);
    }
    bool granted = h && decide(w, h, q, now_ns);
    *epoch = h ? h->epoch : 0;
    lock_drop(&w->lock);
    mem_free(task);
    return granted;
}

static void lease(void *arg, struct rpc_call *c)
{
    struct status st = {0};
    struct serving *s = serving_new(c, arg, &pb_leat_peer_lease_request_desc, NULL);
    if (!s)
        return;
    struct pb_leat_peer_lease_response *m = pb_leat_peer_lease_response_new(&s->arena);
    m->granted = witness_ask(s->owner, s->request, clock_now_ns(), &m->epoch);
    serving_reply_message(s, m, &st);
}

int witness_handlers(struct witness *w, struct rpc_handler *out, int cap)
{
    ASSERT(cap >= 1);
    out[0] = (struct rpc_handler){"/leat.Peer/Lease", lease, w};
    return 1;
}
