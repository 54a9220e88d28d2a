/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a master's sessions, and what needs no session. */
#include "dist/master.h"

#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/pool.h"
#include "dist/master_impl.h"

struct master *master_new(struct worker *local, struct peers *peers, const struct config *config)
{
    struct master *m = mem_new(struct master);
    m->local = local;
    m->peers = peers;
    m->config = config_dup(config);
    m->pool = session_threads(config);
    request_ids_init(&m->requests);
    lock_init(&m->lock, "master", LOCK_RANK_SERVER + 3);
    cond_init(&m->idle);
    return m;
}

bool master_enter(struct master *m, struct status *st)
{
    lock_take(&m->lock);
    bool open = !m->closed;
    m->live += open;
    lock_drop(&m->lock);
    return open || status_fail(st, STATUS_CANCELLED, "The server is shutting down");
}

void master_leave(struct master *m)
{
    lock_take(&m->lock);
    if (--m->live == 0 && m->closed)
        cond_broadcast(&m->idle);
    lock_drop(&m->lock);
}

static void nothing(void *arg, const struct status *st)
{
    (void)arg;
    (void)st;
}

/* Any one that is left, out of the table. */
static struct master_session *take_any(struct master *m)
{
    const char *key;
    void *value = NULL;
    int64_t at = 0;
    lock_take(&m->lock);
    struct master_session *s =
        strmap_next(&m->sessions, &at, &key, &value) ? strmap_remove(&m->sessions, key) : NULL;
    lock_drop(&m->lock);
    return s;
}

void master_stop(struct master *m)
{
    lock_take(&m->lock);
    m->closed = true;
    lock_drop(&m->lock);
    for (struct master_session *s; (s = take_any(m));)
        master_session_close(s, nothing, NULL);
    lock_take(&m->lock);
    while (m->live > 0)
        cond_wait(&m->idle, &m->lock);
    lock_drop(&m->lock);
}

void master_free(struct master *m)
{
    if (!m)
        return;
    master_stop(m);
    strmap_release(&m->sessions);
    request_ids_release(&m->requests);
    config_clear(&m->config);
    cond_release(&m->idle);
    lock_release_memory(&m->lock);
    mem_free(m);
}

bool master_random(void *out, size_t bytes)
{
    return getrandom(out, bytes, 0) == (ssize_t)bytes;
}

/* --- sessions by handle --- */

static bool new_handle(char out[17], struct status *st)
{
    unsigned char bytes[8];
    if (!master_random(bytes, sizeof bytes))
        return status_internal(st, "no random bytes for a session handle");
    for (int i = 0; i < 8; i++) {
        out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    out[16] = 0;
    return true;
}

char *master_create_session_for(struct master *m, const struct pb_graph_def *graph,
                                const struct pb_config_proto *config, struct str target,
                                struct status *st)
{
    char handle[17];
    struct master_session *s = NULL;
    if (new_handle(handle, st))
        s = master_session_new(m, graph, config, target, st);
    if (!s)
        return NULL;
    s->handle = mem_strdup(handle);
    lock_take(&m->lock);
    bool open = !m->closed;
    if (open)
        strmap_put(&m->sessions, handle, s);
    lock_drop(&m->lock);
    if (open)
        return mem_strdup(handle);
    status_fail(st, STATUS_CANCELLED, "The server is shutting down");
    master_session_unref(s);
    return NULL;
}

char *master_create_session(struct master *m, const struct pb_graph_def *graph,
                            const struct pb_config_proto *config, struct status *st)
{
    return master_create_session_for(m, graph, config, str_make("", 0), st);
}

static bool fails_session(struct str handle, struct status *st)
{
    return status_fail(st, STATUS_ABORTED,
                       "Session %.*s is not found. Possibly, this master has restarted.",
                       (int)handle.n, handle.p ? handle.p : "");
}

struct master_session *master_find(struct master *m, struct str handle, struct status *st)
{
    lock_take(&m->lock);
    struct master_session *s = strmap_find_n(&m->sessions, handle.p ? handle.p : "", handle.n);
    if (s)
        master_session_ref(s);
    lock_drop(&m->lock);
    if (!s)
        (void)!fails_session(handle, st);
    return s;
}

void master_close_session(struct master *m, struct str handle, master_done_fn done, void *arg)
{
    struct status st = {0};
    char *name = mem_strndup(handle.p ? handle.p : "", handle.n);
    lock_take(&m->lock);
    struct master_session *s = strmap_remove(&m->sessions, name);
    lock_drop(&m->lock);
    mem_free(name);
    if (s) {
        master_session_close(s, done, arg);
        return;
    }
    (void)!fails_session(handle, &st);
    done(arg, &st);
    status_clear(&st);
}

/* --- Reset: all sessions are closed, then all tasks clear their containers --- */

struct reset { /* owned by itself; counted: what is under way */
    int refs;  /* atomic */
    struct master *master;
    struct arena arena;
    struct pb_cleanup_all_request *request;
    struct strbuf filters; /* serialized ConfigProto with the device filters */
    int num_filters;
    char **filter;
    bool clearing;
    master_done_fn done;
    void *arg;
    struct lock lock;
    struct status status; /* guarded by lock */
};

static void clear_tasks(void *arg);

static void reset_leave(struct reset *r)
{
    if (__atomic_sub_fetch(&r->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (!r->clearing) {
        r->clearing = true;
        r->refs = 1;
        pool_submit(r->master->pool, clear_tasks, r);
        return;
    }
    struct master *m = r->master;
    r->done(r->arg, &r->status);
    status_clear(&r->status);
    lock_release_memory(&r->lock);
    arena_release(&r->arena);
    mem_free(r);
    master_leave(m);
}

static void session_closed(void *arg, const struct status *st)
{
    (void)st; /* what a session that ends meets does not keep others from being cleared */
    reset_leave(arg);
}

static void task_cleared(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct reset *r = arg;
    (void)reply;
    lock_take(&r->lock);
    status_copy(&r->status, st);
    lock_drop(&r->lock);
    reset_leave(r);
}

static void clear_peer(struct reset *r, struct peer *peer)
{
    struct rpc_msg m = {0};
    struct status st = {0};
    __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
    if (wire_put(&m, r->request, &st)) {
        rpc_request_unref(
            peer_start(peer, "/tensorflow.WorkerService/CleanupAll", &m, 0, task_cleared, r));
        return;
    }
    task_cleared(r, &st, NULL);
    status_clear(&st);
}

static void clear_tasks(void *arg)
{
    struct reset *r = arg;
    struct master *m = r->master;
    worker_cleanup_all(m->local, &r->request->container);
    for (int i = 0; i < peers_count(m->peers); i++) {
        struct peer *p = peers_at(m->peers, i);
        if (strcmp(peer_name(p), worker_name(m->local)) != 0 &&
            master_filtered(r->filter, r->num_filters, peer_name(p)))
            clear_peer(r, p);
    }
    reset_leave(r);
}

void master_reset(struct master *m, const struct pb_reset_request *q, master_done_fn done,
                  void *arg)
{
    struct status st = {0};
    if (!master_enter(m, &st)) {
        done(arg, &st);
        status_clear(&st);
        return;
    }
    struct reset *r = mem_new(struct reset);
    *r = (struct reset){.refs = 1, .master = m, .done = done, .arg = arg};
    lock_init(&r->lock, "reset", LOCK_RANK_LEAF);
    r->request = pb_cleanup_all_request_new(&r->arena);
    for (int64_t i = 0; i < q->container.n; i++)
        pb_add_str(&r->arena, &r->request->container, q->container.v[i]);
    r->filter = arena_array(&r->arena, char *, q->device_filters.n + 1);
    for (int64_t i = 0; i < q->device_filters.n; i++)
        r->filter[r->num_filters++] =
            arena_strndup(&r->arena, q->device_filters.v[i].p, q->device_filters.v[i].n);
    for (struct master_session *s; (s = take_any(m));) {
        __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
        master_session_close(s, session_closed, r);
    }
    reset_leave(r);
}
