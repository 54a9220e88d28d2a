/* SPDX-License-Identifier: Apache-2.0 */
/* What clients ask of a master's sessions: steps and callables, which wait for their plan and are
 * then one step each.
 *
 * While a plan is made, the client, the end of the session or the deadline may end the waiting:
 * whoever comes first, the plan or one of them, goes on with the request. */
#include <string.h>

#include "base/mem.h"
#include "dist/master_impl.h"
#include "runtime/session_impl.h"
#include "runtime/timer.h"

struct asked { /* counted: who goes on with it, the plan that will call, the starter */
    int refs;  /* atomic */
    int taken; /* atomic: somebody goes on with it */
    struct master_session *session;
    struct signature names;    /* each fetch once */
    const struct str *fetches; /* as asked for */
    int64_t num_fetches;
    struct str *unique, *feed_names;
    int *from; /* per fetch: which of names.fetches */
    const struct wire_value *feeds;
    struct piece *piece; /* NULL: a whole step */
    bool traced, elsewhere;
    int64_t deadline_ns;   /* 0: none */
    struct cancel *cancel; /* the client's; may be NULL */
    struct cancel *wait;   /* fires when it is not worth waiting any more */
    uint64_t token, outer_token;
    struct timer *timer;
    struct plan_waiter waiter;
    struct master_plan *making; /* atomic; referenced */
    uint64_t change_key;        /* 0: it is not tried again */
    int tries;
    int settling;          /* atomic: tasks that are waited for before it is tried again */
    struct status failure; /* of the last try */
    struct lock lock;      /* guards the next */
    struct status unsettled;
    master_step_fn done;
    void *arg;
};

struct master_callable { /* in its own arena; immutable */
    int refs;            /* atomic */
    struct arena arena;
    struct signature names;
    bool traced;
    int64_t timeout_ms;
};

static void asked_unref(struct asked *a)
{
    if (__atomic_sub_fetch(&a->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    master_plan_unref(a->making);
    cancel_unref(a->wait);
    status_clear(&a->failure);
    status_clear(&a->unsettled);
    lock_release_memory(&a->lock);
    mem_free(a->unique);
    mem_free(a->feed_names);
    mem_free(a->from);
    mem_free(a);
}

static void asked_ref(struct asked *a)
{
    __atomic_fetch_add(&a->refs, 1, __ATOMIC_RELAXED);
}

static void refuse(master_step_fn done, void *arg, const struct status *st)
{
    struct wire_values none = {0};
    struct strbuf empty = {0};
    done(arg, st, &none, &empty);
}

void master_refuse(struct master_session *s, master_step_fn done, void *arg,
                   const struct status *st)
{
    refuse(done, arg, st);
    master_session_leave(s);
    master_session_unref(s);
}

/* Ends what does not become a step; for whoever goes on with it. */
static void give_up(struct asked *a, const struct status *st)
{
    struct master_session *s = a->session;
    refuse(a->done, a->arg, st);
    asked_unref(a);
    master_session_leave(s);
    master_session_unref(s);
}

/* --- once more, after a task was replaced by the process that stood by for it --- */

static void begin(struct asked *a);

static void try_again(struct asked *a)
{
    const bool settled = status_ok(&a->unsettled);
    struct status why = {0};
    status_move(&why, &a->failure);
    if (!settled) {
        give_up(a, &why);
    } else {
        cancel_unref(a->wait);
        master_plan_unref(a->making);
        a->wait = NULL;
        a->making = NULL;
        a->timer = NULL;
        a->token = a->outer_token = 0;
        a->taken = 0;
        begin(a);
    }
    status_clear(&why);
}

static void settled(void *arg, const struct status *st,
                    const struct pb_device_attributes_vec *devices)
{
    struct asked *a = arg;
    (void)devices;
    lock_take(&a->lock);
    status_copy(&a->unsettled, st);
    lock_drop(&a->lock);
    if (__atomic_sub_fetch(&a->settling, 1, __ATOMIC_ACQ_REL) == 0)
        try_again(a);
}

/* Whether a step that failed so is worth another try; then all of its replicated tasks are waited
 * for, until somebody serves as each of them, or none does within the deadline. The session is
 * entered, and belongs to a. */
static bool wait_to_try_again(struct asked *a, const struct status *st)
{
    enum { MAX_TRIES = 4 };
    struct master_session *s = a->session;
    static const struct status fine;
    if (a->change_key == 0 || a->tries >= MAX_TRIES ||
        (st->code != STATUS_UNAVAILABLE && st->code != STATUS_ABORTED) ||
        (a->deadline_ns && clock_now_ns() >= a->deadline_ns) || cancel_fired(s->cancel) ||
        (a->cancel && cancel_fired(a->cancel)))
        return false;
    a->tries++;
    status_copy(&a->failure, st);
    a->settling = 1;
    for (int i = 0; i < s->num_tasks; i++) {
        struct peer *p = s->tasks[i].peer;
        if (!p || !peer_has_standby(p) || peer_incarnation(p) == 0)
            continue;
        __atomic_fetch_add(&a->settling, 1, __ATOMIC_RELAXED);
        peer_settle(p, 0, settled, a);
    }
    settled(a, &fine, NULL);
    return true;
}

static uint64_t key_of(const struct master_session *s)
{
    if (s->isolate || __atomic_load_n(&s->uncovered, __ATOMIC_ACQUIRE))
        return 0; /* its state is the session's own, or nobody else has all of it */
    for (int i = 0; i < s->num_tasks; i++) {
        if (s->tasks[i].peer && peer_has_standby(s->tasks[i].peer))
            return (uint64_t)master_new_step_id();
    }
    return 0;
}

/* --- the step --- */

/* The step has let go of the session, which another try enters again. */
static bool goes_on(struct asked *a, const struct status *st)
{
    struct status closed = {0};
    if (status_ok(st) || a->change_key == 0 || !master_session_enter(a->session, &closed)) {
        status_clear(&closed);
        return false;
    }
    struct master_session *s = master_session_ref(a->session);
    if (wait_to_try_again(a, st))
        return true;
    master_session_leave(s);
    master_session_unref(s);
    return false;
}

static void step_over(void *arg, const struct status *st, struct tensor *fetched, int64_t n,
                      struct strbuf *metadata)
{
    struct asked *a = arg;
    struct wire_values values = {0};
    (void)n;
    if (goes_on(a, st))
        return;
    if (status_ok(st)) {
        values.v = mem_new_array(struct wire_value, a->num_fetches + 1);
        values.cap = a->num_fetches + 1;
        for (int64_t i = 0; i < a->num_fetches; i++)
            values.v[values.n++] = (struct wire_value){.name = a->fetches[i],
                                                       .value = tensor_copy(&fetched[a->from[i]])};
    }
    for (int64_t i = 0; i < n; i++)
        tensor_clear(&fetched[i]); /* so that one that was asked for once has one holder */
    a->done(a->arg, st, &values, metadata);
    wire_values_clear(&values);
    asked_unref(a);
}

static bool check_feeds(const struct asked *a, const struct master_plan *p, struct status *st)
{
    int64_t n = a->piece ? a->piece->num_feeds : a->names.num_feeds;
    for (int64_t i = 0; i < n; i++) {
        int64_t feed = a->piece ? a->piece->feed_index[i] : i;
        if (!session_check_feeds(&p->feeds[feed], &a->feeds[i].value, 1, st))
            return false;
    }
    return true;
}

static int64_t time_left_ms(const struct asked *a)
{
    if (a->deadline_ns == 0)
        return 0;
    int64_t left = (a->deadline_ns - clock_now_ns()) / 1000000;
    return left > 0 ? left : 1;
}

/* Takes the reference of p. */
static void go_on(struct asked *a, struct master_plan *p)
{
    struct status st = {0};
    if (!check_feeds(a, p, &st)) {
        master_plan_unref(p);
        give_up(a, &st);
        status_clear(&st);
        return;
    }
    struct step_request r = {.session = a->session,
                             .plan = p,
                             .change_key = a->change_key,
                             .feeds = a->feeds,
                             .num_feeds = a->names.num_feeds,
                             .num_fetches = a->names.num_fetches,
                             .traced = a->traced,
                             .elsewhere = a->elsewhere,
                             .timeout_ms = time_left_ms(a),
                             .cancel = a->cancel,
                             .done = step_over,
                             .arg = a};
    if (a->piece) {
        a->piece->keep(a->piece, p);
        r.partial = true;
        r.last = a->piece->last;
        r.step_id = a->piece->step_id;
        r.feed_index = a->piece->feed_index;
        r.fetch_index = a->piece->fetch_index;
        r.num_feeds = a->piece->num_feeds;
        r.num_fetches = a->piece->num_fetches;
        r.part_started = a->piece->part_started;
    } else {
        r.step_id = master_new_step_id();
    }
    master_start_step(&r);
}

/* --- waiting for the plan --- */

/* For whoever goes on. */
static void stop_waiting(struct asked *a)
{
    timer_stop(a->timer);
    if (a->outer_token)
        cancel_remove(a->cancel, a->outer_token);
    if (a->token)
        cancel_remove(a->wait, a->token);
}

static void have_plan(void *arg, struct master_plan *p, const struct status *st)
{
    struct asked *a = arg;
    if (__atomic_exchange_n(&a->taken, 1, __ATOMIC_ACQ_REL)) {
        master_plan_unref(p);
    } else {
        stop_waiting(a);
        if (p)
            go_on(a, p);
        else if (!wait_to_try_again(a, st))
            give_up(a, st);
    }
    asked_unref(a);
}

/* Also called where nothing is waited for yet; the starter looks again then. */
static void waiting_ended(void *arg)
{
    struct asked *a = arg;
    struct status st = {0};
    struct master_plan *making = __atomic_load_n(&a->making, __ATOMIC_ACQUIRE);
    if (!making || __atomic_exchange_n(&a->taken, 1, __ATOMIC_ACQ_REL))
        return;
    if (master_plan_stop_waiting(making, &a->waiter))
        asked_unref(a); /* the plan's */
    stop_waiting(a);
    if (cancel_check(a->wait, &st))
        status_fail(&st, STATUS_CANCELLED, "The step was cancelled");
    give_up(a, &st);
    status_clear(&st);
}

static void client_cancelled(void *arg)
{
    struct asked *a = arg;
    struct cancel *c = cancel_ref(a->wait);
    cancel_fire(c, STATUS_CANCELLED, "The client cancelled the step");
    cancel_unref(c);
}

static void wait_for_plan(struct asked *a)
{
    struct master_plan *making = NULL;
    a->wait = cancel_new(a->session->cancel);
    a->waiter = (struct plan_waiter){.fn = have_plan, .arg = a};
    a->token = cancel_add(a->wait, waiting_ended, a);
    a->outer_token = a->cancel ? cancel_add(a->cancel, client_cancelled, a) : 0;
    if (a->cancel && !a->outer_token)
        client_cancelled(a);
    if (a->deadline_ns)
        a->timer = timer_start(a->wait, time_left_ms(a));
    asked_ref(a); /* the plan's */
    if (!master_plan_get(a->session, &a->names, &a->waiter, &making)) {
        __atomic_store_n(&a->making, making, __ATOMIC_RELEASE);
        if (cancel_fired(a->wait))
            waiting_ended(a);
    }
}

/* --- what is asked --- */

static bool check_names(const struct str *names, int64_t n, struct status *st)
{
    for (int64_t i = 0; i < n; i++) {
        if (names[i].n == 0 || memchr(names[i].p, 0, names[i].n) ||
            memchr(names[i].p, '\n', names[i].n))
            return status_invalid(st, "'%.*s' is not a name of a tensor or node", (int)names[i].n,
                                  names[i].p ? names[i].p : "");
    }
    return true;
}

bool master_check_names(const struct signature *g, struct status *st)
{
    return check_names(g->feeds, g->num_feeds, st) && check_names(g->fetches, g->num_fetches, st) &&
           check_names(g->targets, g->num_targets, st);
}

static void find_unique(struct asked *a, const struct str *fetches, int64_t n)
{
    struct strmap seen = {0};
    a->unique = mem_new_array(struct str, n + 1);
    a->from = mem_new_array(int, n + 1);
    a->names.num_fetches = 0;
    for (int64_t i = 0; i < n; i++) {
        intptr_t at = n > 1 ? (intptr_t)strmap_find_n(&seen, fetches[i].p, fetches[i].n) : 0;
        if (!at) {
            a->unique[a->names.num_fetches++] = fetches[i];
            at = (intptr_t)a->names.num_fetches;
            if (n > 1)
                strmap_put_n(&seen, fetches[i].p, fetches[i].n, (void *)at);
        }
        a->from[i] = (int)at - 1;
    }
    a->fetches = fetches;
    a->num_fetches = n;
    a->names.fetches = a->unique;
    strmap_release(&seen);
}

static void name_piece(struct asked *a, const struct question *q)
{
    int64_t n = q->piece->num_fetches;
    a->fetches = q->fetches;
    a->num_fetches = n;
    a->from = mem_new_array(int, n + 1);
    for (int64_t i = 0; i < n; i++)
        a->from[i] = (int)i;
}

static struct master_plan *plan_there(struct asked *a)
{
    if (a->piece && a->piece->plan)
        return master_plan_ref(a->piece->plan);
    return master_plan_find(a->session, &a->names);
}

/* For whoever goes on with it. */
static void begin(struct asked *a)
{
    asked_ref(a);
    struct master_plan *ready = plan_there(a);
    if (ready)
        go_on(a, ready);
    else
        wait_for_plan(a);
    asked_unref(a);
}

void master_ask(struct master_session *s, const struct question *q, struct str *feed_names)
{
    struct asked *a = mem_new(struct asked);
    *a = (struct asked){.refs = 1, /* who goes on */
                        .session = s,
                        .names = q->names,
                        .feed_names = feed_names,
                        .feeds = q->feeds,
                        .piece = q->piece,
                        .traced = q->traced,
                        .elsewhere = q->elsewhere,
                        .cancel = q->cancel,
                        .done = q->done,
                        .arg = q->arg};
    if (q->piece)
        name_piece(a, q);
    else
        find_unique(a, q->names.fetches, q->names.num_fetches);
    if (q->timeout_ms > 0)
        a->deadline_ns = clock_now_ns() + q->timeout_ms * 1000000;
    lock_init(&a->lock, "asked", LOCK_RANK_LEAF);
    if (!a->piece)
        a->change_key = key_of(s);
    begin(a);
}

int64_t master_timeout(const struct master_session *s, int64_t own)
{
    enum { MAX_MS = 1000000000 };
    int64_t ms = own > 0 ? own : s->config.operation_timeout_ms;
    return ms < MAX_MS ? ms : MAX_MS;
}

/* The session, counted in; NULL: the request was refused and done was called. */
static struct master_session *enter(struct master *m, struct str handle, int64_t request_id,
                                    const char *method, master_step_fn done, void *arg)
{
    struct status st = {0};
    struct master_session *s = master_find(m, handle, &st);
    if (s && request_ids_add(&m->requests, request_id, method, &st) && master_session_enter(s, &st))
        return s;
    master_session_unref(s);
    refuse(done, arg, &st);
    status_clear(&st);
    return NULL;
}

void master_run_step(struct master *m, const struct master_step *step, struct cancel *cancel,
                     master_step_fn done, void *arg)
{
    struct status st = {0};
    struct master_session *s = enter(m, step->session, step->request_id, "RunStep", done, arg);
    if (!s)
        return;
    if (step->partial_handle.n > 0) {
        master_run_piece(s, step, cancel, done, arg);
        return;
    }
    struct str *feed_names = mem_new_array(struct str, step->num_feeds + 1);
    for (int64_t i = 0; i < step->num_feeds; i++)
        feed_names[i] = step->feeds[i].name;
    const struct pb_run_options *o = step->options;
    const struct question q = {.names = {.feeds = feed_names,
                                         .fetches = step->fetches,
                                         .targets = step->targets,
                                         .num_feeds = step->num_feeds,
                                         .num_fetches = step->num_fetches,
                                         .num_targets = step->num_targets},
                               .feeds = step->feeds,
                               .timeout_ms = master_timeout(s, o ? o->timeout_in_ms : 0),
                               .traced = o && o->trace_level > 0,
                               .elsewhere = step->elsewhere,
                               .cancel = cancel,
                               .done = done,
                               .arg = arg};
    if (master_check_names(&q.names, &st)) {
        master_ask(s, &q, feed_names);
        return;
    }
    mem_free(feed_names);
    master_refuse(s, done, arg, &st);
    status_clear(&st);
}

/* --- callables --- */

static const struct str *keep_names(struct arena *a, const struct pb_strs *names)
{
    struct str *out = arena_array(a, struct str, names->n + 1);
    for (int64_t i = 0; i < names->n; i++)
        out[i] = pb_str_dup(a, names->v[i]);
    return out;
}

void master_callable_unref(struct master_callable *c)
{
    if (!c || __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    arena_release(&c->arena);
    mem_free(c);
}

static struct master_callable *callable_make(const struct pb_callable_options *o, struct status *st)
{
    struct master_callable *c = mem_new(struct master_callable);
    c->refs = 1;
    c->names = (struct signature){.feeds = keep_names(&c->arena, &o->feed),
                                  .fetches = keep_names(&c->arena, &o->fetch),
                                  .targets = keep_names(&c->arena, &o->target),
                                  .num_feeds = o->feed.n,
                                  .num_fetches = o->fetch.n,
                                  .num_targets = o->target.n};
    c->traced = o->run_options && o->run_options->trace_level > 0;
    c->timeout_ms = o->run_options ? o->run_options->timeout_in_ms : 0;
    bool ok = o->tensor_connection.n == 0 ||
              status_unimplemented(st, "MakeCallable: tensor_connection on a cluster");
    if (ok && master_check_names(&c->names, st))
        return c;
    master_callable_unref(c);
    return NULL;
}

/* Names that the graph lacks are told now, all else by the first run. */
static bool names_exist(struct master_session *s, const struct signature *g, struct status *st)
{
    for (int64_t i = 0; i < g->num_feeds + g->num_fetches; i++) {
        struct str n = i < g->num_feeds ? g->feeds[i] : g->fetches[i - g->num_feeds];
        char *name = mem_strndup(n.p, n.n);
        struct output o;
        bool ok = graph_get_output(s->graph, name, &o, st);
        mem_free(name);
        if (!ok)
            return false;
    }
    for (int64_t i = 0; i < g->num_targets; i++) {
        char *name = mem_strndup(g->targets[i].p, g->targets[i].n);
        bool ok = graph_get(s->graph, name, st) != NULL;
        mem_free(name);
        if (!ok)
            return false;
    }
    return true;
}

int64_t master_make_callable(struct master *m, struct str session,
                             const struct pb_callable_options *options, struct status *st)
{
    struct master_session *s = master_find(m, session, st);
    struct master_callable *c = s ? callable_make(options, st) : NULL;
    int64_t handle = 0;
    if (c && names_exist(s, &c->names, st)) {
        lock_take(&s->lock);
        handle = (int64_t)s->next_callable++;
        u64map_put(&s->callables, (uint64_t)handle, c);
        lock_drop(&s->lock);
        c = NULL;
    }
    master_callable_unref(c);
    master_session_unref(s);
    return handle;
}

static bool fails_callable(int64_t handle, struct status *st)
{
    return status_invalid(st, "No such callable handle: %lld", (long long)handle);
}

bool master_release_callable(struct master *m, struct str session, int64_t handle,
                             struct status *st)
{
    struct master_session *s = master_find(m, session, st);
    if (!s)
        return false;
    lock_take(&s->lock);
    struct master_callable *c = u64map_remove(&s->callables, (uint64_t)handle);
    lock_drop(&s->lock);
    master_callable_unref(c);
    master_session_unref(s);
    return c || fails_callable(handle, st);
}

struct calling { /* a run of a callable: keeps it until the end */
    struct master_callable *callable;
    master_step_fn done;
    void *arg;
};

static void call_over(void *arg, const struct status *st, struct wire_values *values,
                      struct strbuf *metadata)
{
    struct calling *c = arg;
    c->done(c->arg, st, values, metadata);
    master_callable_unref(c->callable);
    mem_free(c);
}

void master_run_callable(struct master *m, const struct master_call *asked, struct cancel *cancel,
                         master_step_fn done, void *arg)
{
    struct status st = {0};
    struct master_session *s =
        enter(m, asked->session, asked->request_id, "RunCallable", done, arg);
    if (!s)
        return;
    lock_take(&s->lock);
    struct master_callable *c = u64map_find(&s->callables, (uint64_t)asked->handle);
    if (c)
        __atomic_fetch_add(&c->refs, 1, __ATOMIC_RELAXED);
    lock_drop(&s->lock);
    if (!c)
        (void)!fails_callable(asked->handle, &st);
    else if (asked->num_feeds != c->names.num_feeds)
        status_invalid(&st, "Expected %lld feed tensors, but got %lld",
                       (long long)c->names.num_feeds, (long long)asked->num_feeds);
    if (!status_ok(&st)) {
        master_callable_unref(c);
        master_refuse(s, done, arg, &st);
        status_clear(&st);
        return;
    }
    struct calling *call = mem_new(struct calling);
    *call = (struct calling){c, done, arg};
    const struct question q = {.names = c->names,
                               .feeds = asked->feeds,
                               .timeout_ms = master_timeout(s, c->timeout_ms),
                               .traced = c->traced,
                               .elsewhere = true,
                               .cancel = cancel,
                               .done = call_over,
                               .arg = call};
    master_ask(s, &q, NULL);
}
