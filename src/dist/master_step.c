/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a master: one RunGraph per part, all at once; then one answer.
 *
 * The first error that is a part's own decides, not those that follow from another part's (which
 * say "[_Derived_]"); once it is there the other parts are cancelled. The part of the master's own
 * task runs last, on the calling thread where that has nothing else to do; but first if it is
 * light: what it sends by then goes with the others' requests, who need not ask for it. */
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "dist/master_impl.h"
#include "runtime/timer.h"

static const char derived[] = "[_Derived_]";

struct step_part {
    struct master_run *run;
    const struct registered_part *part;
    struct wire_value *send;
    struct str *recv_keys;
    int *fetched; /* per recv key: position in run->values */
    int num_send, num_recv;
    bool used;
    bool unknown;                /* its call was cancelled: perhaps it still runs */
    int64_t over;                /* an earlier step that its request says is over; 0: none */
    struct rpc_request *request; /* guarded by the run's lock */
};

struct master_run { /* counted: the starter, and who cancels */
    int refs;       /* atomic */
    struct step_request r;
    struct cancel *cancel;
    uint64_t token, outer_token;
    struct timer *timer;
    struct step_part *parts;
    int num_parts;
    bool own_first;      /* the part of the master's own task has begun before the others are */
    int left;            /* atomic: parts that run, and the starter; then those that are to end */
    struct status final; /* once no call is under way */
    struct tensor *values;
    int64_t num_values;
    struct lock lock;
    /* --- guarded by lock --- */
    struct status status, follows; /* a part's own error, and one that follows from another's */
    bool cancelled;
    struct strbuf stats; /* serialized StepStats, one after another, which merges them */
};

int64_t master_new_step_id(void)
{
    return (int64_t)random_name(56);
}

/* --- life --- */

static void free_part(struct step_part *p)
{
    rpc_request_unref(p->request);
    mem_free(p->send);
    mem_free(p->recv_keys);
    mem_free(p->fetched);
}

static void run_unref(struct master_run *run)
{
    if (__atomic_sub_fetch(&run->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int i = 0; i < run->num_parts; i++)
        free_part(&run->parts[i]);
    for (int64_t i = 0; i < run->num_values; i++)
        tensor_clear(&run->values[i]);
    cancel_unref(run->cancel);
    status_clear(&run->status);
    status_clear(&run->follows);
    status_clear(&run->final);
    strbuf_release(&run->stats);
    lock_release_memory(&run->lock);
    mem_free(run->values);
    mem_free(run->parts);
    mem_free(run);
}

/* Which position of the request feed or fetch `index` of the plan has; -1: none. */
static int64_t position_of(const int *index, int64_t n, int want)
{
    if (!index)
        return want < n ? want : -1;
    for (int64_t i = 0; i < n; i++) {
        if (index[i] == want)
            return i;
    }
    return -1;
}

static void fill_part(struct master_run *run, struct step_part *sp,
                      const struct registered_part *part)
{
    const struct step_request *r = &run->r;
    *sp = (struct step_part){.run = run, .part = part};
    sp->send = mem_new_array(struct wire_value, part->num_feeds + 1);
    sp->recv_keys = mem_new_array(struct str, part->num_fetches + 1);
    sp->fetched = mem_new_array(int, part->num_fetches + 1);
    for (int i = 0; i < part->num_feeds; i++) {
        int64_t at = position_of(r->feed_index, r->num_feeds, part->feeds[i].index);
        if (at >= 0)
            sp->send[sp->num_send++] = (struct wire_value){.name = str_of(part->feeds[i].key),
                                                           .value = r->feeds[at].value};
    }
    for (int i = 0; i < part->num_fetches; i++) {
        int64_t at = position_of(r->fetch_index, r->num_fetches, part->fetches[i].index);
        if (at < 0)
            continue;
        sp->fetched[sp->num_recv] = (int)at;
        sp->recv_keys[sp->num_recv++] = str_of(part->fetches[i].key);
    }
}

static struct master_run *run_new(const struct step_request *r)
{
    struct master_run *run = mem_new(struct master_run);
    *run = (struct master_run){.refs = 1, .r = *r, .num_parts = r->plan->num_parts};
    run->cancel = cancel_new(r->session->cancel);
    run->parts = mem_new_array(struct step_part, run->num_parts + 1);
    run->num_values = r->num_fetches;
    run->values = mem_new_array(struct tensor, r->num_fetches + 1);
    lock_init(&run->lock, "master run", LOCK_RANK_LEAF);
    for (int i = 0; i < run->num_parts; i++) {
        struct step_part *sp = &run->parts[i];
        fill_part(run, sp, &r->plan->parts[i]);
        sp->used = !r->partial || r->last || sp->num_send + sp->num_recv > 0 || !r->part_started[i];
    }
    return run;
}

/* --- cancelling --- */

/* Ends the calls that are under way; the local part has the cancellation itself. */
static void cancel_calls(void *arg)
{
    struct master_run *run = arg;
    __atomic_fetch_add(&run->refs, 1, __ATOMIC_RELAXED);
    lock_take(&run->lock);
    run->cancelled = true;
    lock_drop(&run->lock);
    for (int i = 0; i < run->num_parts; i++) {
        lock_take(&run->lock);
        struct rpc_request *request = run->parts[i].request;
        lock_drop(&run->lock);
        if (request)
            rpc_request_cancel(request);
    }
    run_unref(run);
}

static void client_cancelled(void *arg)
{
    struct master_run *run = arg;
    struct cancel *c = cancel_ref(run->cancel); /* the step may end by this, here */
    struct status st = {0};
    if (!cancel_check(run->r.cancel, &st))
        cancel_fire(c, st.code, status_message(&st));
    status_clear(&st);
    cancel_unref(c);
}

/* --- telling that it is over --- */

static void cleaned(void *arg, const struct status *st, struct rpc_msg *reply)
{
    (void)arg;
    (void)st;
    (void)reply;
}

/* The master's own part is over when this is called. */
static void cleanup_task(struct master_session *s, int task, int64_t step_id, rpc_done_fn done,
                         void *arg)
{
    struct peer *peer = s->tasks[task].peer;
    struct arena a = {0};
    struct rpc_msg m = {0};
    struct status st = {0};
    struct pb_cleanup_graph_request *q = pb_cleanup_graph_request_new(&a);
    q->step_id = step_id;
    if (!peer)
        worker_cleanup_graph(s->master->local, step_id, NULL, NULL);
    else if (wire_put(&m, q, &st))
        rpc_request_unref(
            peer_start(peer, "/tensorflow.WorkerService/CleanupGraph", &m, 0, done, arg));
    if (!peer || !status_ok(&st))
        done(arg, &st, NULL);
    status_clear(&st);
    arena_release(&a);
}

void master_cleanup(struct master_plan *p, int64_t step_id)
{
    for (int i = 0; i < p->num_parts; i++)
        cleanup_task(p->session, p->parts[i].task, step_id, cleaned, NULL);
}

void master_flush_over(struct master_session *s, int task)
{
    const int64_t step_id = __atomic_exchange_n(&s->tasks[task].over, 0, __ATOMIC_ACQ_REL);
    if (step_id != 0)
        cleanup_task(s, task, step_id, cleaned, NULL);
}

/* After a step that went well nothing waits at its tasks: one of Leat may hear of it with the next
 * step, in the same message. */
static void end_part(struct master_plan *p, int part, int64_t step_id)
{
    const int task = p->parts[part].task;
    struct master_task *t = &p->session->tasks[task];
    if (t->peer && peer_patience_ms(t->peer) > 0)
        step_id = __atomic_exchange_n(&t->over, step_id, __ATOMIC_ACQ_REL);
    if (step_id != 0)
        cleanup_task(p->session, task, step_id, cleaned, NULL);
}

/* --- the end --- */

/* Of errors that only follow, the mark is no news to the client. */
static void strip_derived(struct status *st)
{
    char *at = st->message ? strstr(st->message, derived) : NULL;
    if (at)
        memmove(at, at + strlen(derived), strlen(at + strlen(derived)) + 1);
}

static void final_status(struct master_run *run, struct status *st)
{
    if (status_ok(&run->status) && status_ok(&run->follows))
        return;
    if (!cancel_check(run->r.session->cancel, st)) /* closed: that is why */
        return;
    if (status_ok(&run->status) || run->status.code == STATUS_CANCELLED) {
        if (!cancel_check(run->cancel, st)) /* a deadline, or the client */
            return;
    }
    status_copy(st, status_ok(&run->status) ? &run->follows : &run->status);
    strip_derived(st);
}

static void make_metadata(struct master_run *run, struct strbuf *out)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_run_metadata *m = pb_run_metadata_new(&a);
    m->step_stats = pb_step_stats_new(&a);
    if (!pb_merge_bytes(&a, m->step_stats, run->stats.p, run->stats.n, PB_BORROW, &st) ||
        !pb_encode(m, out, &st))
        strbuf_clear(out); /* what a peer sent is no such message: there are no stats */
    status_clear(&st);
    arena_release(&a);
}

static void answer(struct master_run *run)
{
    struct step_request r = run->r;
    struct strbuf metadata = {0};
    if (status_ok(&run->final) && run->stats.n > 0)
        make_metadata(run, &metadata);
    if (run->final.code == STATUS_ABORTED)
        master_plan_drop(r.plan); /* a task that restarted knows it no more */
    const bool ends = status_ok(&run->final) && (!r.partial || r.last);
    r.done(r.arg, &run->final, run->values, run->num_values, &metadata);
    for (int i = 0; ends && i < run->num_parts; i++)
        if (!run->parts[i].unknown)
            end_part(r.plan, i, r.step_id);
    strbuf_release(&metadata);
    run_unref(run);
    master_plan_unref(r.plan);
    master_session_leave(r.session);
    master_session_unref(r.session);
}

static void part_ended(void *arg, const struct status *st, struct rpc_msg *reply)
{
    struct master_run *run = arg;
    (void)st; /* a peer that is lost runs nothing of ours */
    (void)reply;
    if (__atomic_sub_fetch(&run->left, 1, __ATOMIC_ACQ_REL) == 0)
        answer(run);
}

/* A call that was cancelled says nothing of its part: that it runs no more its task tells when it
 * has ended the step, and the client hears of the end after that. */
static void run_over(struct master_run *run)
{
    const struct step_request *r = &run->r;
    timer_stop(run->timer);
    if (run->outer_token)
        cancel_remove(r->cancel, run->outer_token);
    if (run->token)
        cancel_remove(run->cancel, run->token);
    final_status(run, &run->final);
    __atomic_store_n(&run->left, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < run->num_parts; i++) {
        bool wait = run->parts[i].unknown;
        const int task = r->plan->parts[i].task;
        if (run->parts[i].over != 0 && !status_ok(&run->final)) /* perhaps it was not heard */
            cleanup_task(r->session, task, run->parts[i].over, cleaned, NULL);
        if (status_ok(&run->final) && ((r->partial && !r->last) || !wait))
            continue;
        if (wait)
            __atomic_fetch_add(&run->left, 1, __ATOMIC_RELAXED);
        cleanup_task(r->session, task, r->step_id, wait ? part_ended : cleaned, run);
    }
    part_ended(run, NULL, NULL);
}

static void part_over(struct master_run *run)
{
    if (__atomic_sub_fetch(&run->left, 1, __ATOMIC_ACQ_REL) == 0)
        run_over(run);
}

/* What peers.c says of a task names it already. */
static void part_failed(struct step_part *p, const struct status *st)
{
    struct master_run *run = p->run;
    const struct master_task *t = &run->r.session->tasks[p->part->task];
    struct status why = {0};
    bool follows = strstr(status_message(st), derived) != NULL;
    status_copy(&why, st);
    if (st->code != STATUS_UNAVAILABLE && !str_starts(str_of(status_message(st)), "From /job:"))
        status_prepend(&why, "From %s:\n", t->name);
    if (st->code == STATUS_ABORTED && !follows)
        master_session_forget(run->r.session, p->part->task); /* perhaps it was restarted */
    lock_take(&run->lock);
    bool first = !follows && status_ok(&run->status);
    status_copy(follows ? &run->follows : &run->status, &why);
    lock_drop(&run->lock);
    status_clear(&why);
    if (first)
        cancel_fire(run->cancel, STATUS_CANCELLED, "another part of the step failed");
}

static void take_values(struct step_part *p, struct wire_values *values, struct status *st)
{
    struct master_run *run = p->run;
    for (int i = 0; i < p->num_recv; i++) {
        struct tensor *to = &run->values[p->fetched[i]];
        int64_t k = i < values->n && str_eq(values->v[i].name, p->recv_keys[i]) ? i : 0;
        while (k < values->n && !str_eq(values->v[k].name, p->recv_keys[i]))
            k++;
        if (k == values->n)
            status_internal(st, "RunGraph: the reply lacks %.*s", (int)p->recv_keys[i].n,
                            p->recv_keys[i].p);
        else
            *to = tensor_take(&values->v[k].value);
    }
}

static void part_done(void *arg, const struct status *st, struct wire_values *values,
                      struct strbuf *stats)
{
    struct step_part *p = arg;
    struct master_run *run = p->run;
    struct status why = {0};
    status_copy(&why, st);
    if (status_ok(&why))
        take_values(p, values, &why); /* each part has positions of its own */
    if (!status_ok(&why)) {
        part_failed(p, &why);
    } else if (stats && stats->n > 0) {
        lock_take(&run->lock);
        strbuf_add(&run->stats, stats->p, stats->n);
        lock_drop(&run->lock);
    }
    status_clear(&why);
    part_over(run);
}

/* --- parts at other tasks --- */

static void add_stats(const struct pb_run_graph_response *m, struct strbuf *stats)
{
    struct status st = {0};
    if (m->step_stats && !pb_encode(m->step_stats, stats, &st))
        strbuf_clear(stats);
    status_clear(&st);
}

static void replied(void *arg, const struct status *st, struct rpc_msg *reply)
{
    const struct wire_tensors where = {.number = 1, .named = true};
    struct arena a = {0};
    struct status why = {0};
    struct wire_values values = {0};
    struct strbuf stats = {0};
    struct pb_run_graph_response *m = NULL;
    struct step_part *p = arg;
    status_copy(&why, st);
    p->unknown = st->code == STATUS_CANCELLED;
    if (status_ok(st) &&
        wire_read(reply, &pb_run_graph_response_desc, &where, &a, &m, &values, &why)) {
        if (m->status_code != STATUS_OK)
            status_fail(&why, m->status_code, "%.*s", (int)m->status_error_message.n,
                        m->status_error_message.p ? m->status_error_message.p : "");
        else
            add_stats(m, &stats);
    }
    part_done(arg, &why, &values, &stats);
    wire_values_clear(&values);
    strbuf_release(&stats);
    status_clear(&why);
    arena_release(&a);
}

static bool put_sent(struct rpc_msg *m, const struct wire_value *v, int64_t n, struct status *st)
{
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++) {
        char *key = mem_strndup(v[i].name.p, v[i].name.n);
        ok = wire_put_named_tensor(m, 3, key, &v[i].value, st);
        mem_free(key);
    }
    return ok;
}

/* What the master's own part has for this one. */
static bool put_made(struct step_part *p, struct arena *a, struct rpc_msg *m, struct status *st)
{
    const struct master_session *s = p->run->r.session;
    struct wire_values made = {0};
    if (!p->run->own_first || !worker_gives_at_once(s->master->local))
        return true;
    worker_values_for(s->master->local, p->run->r.step_id, s->tasks[p->part->task].name, a, &made);
    const bool ok = put_sent(m, made.v, made.n, st);
    wire_values_clear(&made);
    return ok;
}

static bool make_request(struct step_part *p, struct rpc_msg *m, struct status *st)
{
    const struct step_request *r = &p->run->r;
    struct arena a = {0};
    struct pb_run_graph_request *q = pb_run_graph_request_new(&a);
    q->session_handle = str_of(r->session->handle);
    q->create_worker_session_called = true;
    q->graph_handle = str_of(p->part->graph);
    q->step_id = r->step_id;
    q->recv_key = (struct pb_strs){.v = p->recv_keys, .n = p->num_recv};
    q->is_partial = r->partial;
    q->is_last_partial_run = r->partial && r->last;
    q->store_errors_in_response_body = true;
    q->exec_opts = pb_executor_opts_new(&a);
    q->exec_opts->record_timeline = r->traced;
    q->request_id = master_new_step_id();
    q->change_key = r->change_key;
    p->over = __atomic_exchange_n(&r->session->tasks[p->part->task].over, 0, __ATOMIC_ACQ_REL);
    q->over_step_id = p->over;
    bool ok = wire_put(m, q, st) && put_sent(m, p->send, p->num_send, st) && put_made(p, &a, m, st);
    arena_release(&a);
    return ok;
}

static void start_far(struct step_part *p, struct peer *peer)
{
    struct master_run *run = p->run;
    struct rpc_msg m = {0};
    struct status st = {0};
    if (!make_request(p, &m, &st)) {
        rpc_msg_clear(&m);
        part_done(p, &st, NULL, NULL);
        status_clear(&st);
        return;
    }
    struct rpc_request *request = peer_start_at(
        peer, p->part->incarnation, "/tensorflow.WorkerService/RunGraph", &m, 0, replied, p);
    lock_take(&run->lock); /* the starter keeps the run */
    p->request = request;
    bool stop = run->cancelled;
    lock_drop(&run->lock);
    if (stop && request)
        rpc_request_cancel(request);
}

static void start_here(struct step_part *p)
{
    const struct step_request *r = &p->run->r;
    const struct worker_run w = {.session = str_of(r->session->handle),
                                 .graph = str_of(p->part->graph),
                                 .step_id = r->step_id,
                                 .change_key = r->change_key,
                                 .send = p->send,
                                 .num_send = p->num_send,
                                 .recv_keys = p->recv_keys,
                                 .num_recv = p->num_recv,
                                 .partial = r->partial,
                                 .last_partial = r->partial && r->last,
                                 .timeline = r->traced,
                                 .elsewhere = r->elsewhere};
    worker_run_graph(r->session->master->local, &w, p->run->cancel, part_done, p);
}

/* Tasks of another kind hear of the step before they are asked for its values. */
static bool own_comes_first(const struct master_run *run)
{
    const struct step_request *r = &run->r;
    bool light = false;
    for (int i = 0; i < run->num_parts; i++) {
        const struct registered_part *part = run->parts[i].part;
        struct peer *peer = r->session->tasks[part->task].peer;
        if (r->partial || (peer && peer_patience_ms(peer) == 0))
            return false;
        light |= !peer && part->light;
    }
    return light;
}

/* One turn has those of other tasks, the other the master's own. */
static void start_parts(struct master_run *run)
{
    const struct master_session *s = run->r.session;
    run->own_first = own_comes_first(run);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < run->num_parts; i++) {
            struct step_part *p = &run->parts[i];
            struct peer *peer = s->tasks[p->part->task].peer;
            if (!p->used || (peer != NULL) != (turn == run->own_first))
                continue;
            if (run->r.partial)
                __atomic_store_n(&run->r.part_started[i], true, __ATOMIC_RELAXED);
            __atomic_fetch_add(&run->left, 1, __ATOMIC_RELAXED);
            if (peer)
                start_far(p, peer);
            else
                start_here(p);
        }
    }
}

void master_start_step(const struct step_request *r)
{
    struct status st = {0};
    struct master_run *run = run_new(r);
    run->left = 1;
    __atomic_fetch_add(&run->refs, 1, __ATOMIC_RELAXED); /* of this thread */
    bool ok = master_plan_check(r->plan, &st);
    run->token = cancel_add(run->cancel, cancel_calls, run);
    if (!run->token)
        cancel_calls(run);
    run->outer_token = r->cancel ? cancel_add(r->cancel, client_cancelled, run) : 0;
    if (r->cancel && !run->outer_token)
        client_cancelled(run);
    if (r->timeout_ms > 0)
        run->timer = timer_start(run->cancel, r->timeout_ms);
    if (ok && cancel_check(run->cancel, &st)) {
        start_parts(run);
    } else {
        lock_take(&run->lock);
        status_copy(&run->status, &st);
        lock_drop(&run->lock);
    }
    status_clear(&st);
    part_over(run);
    run_unref(run);
}
