/* SPDX-License-Identifier: Apache-2.0 */
/* Partial runs: a step that is started at once, waits for its feeds, and gives its fetches
 * piecewise.
 *
 * Such a step's plan receives feeds from the step's rendezvous and sends fetches to it, so it is an
 * ordinary step that other devices take part in, and waits without a thread. Closing the session,
 * an error or a deadline ends it by its cancellation, which reaches the rendezvous. A fed value is
 * copied, as the step outlives the call that feeds it.
 *
 * A run is in the session's list until its client is done with it: everything was fed and fetched,
 * or a call failed. It is freed there and when the session is freed; the step holds no reference,
 * but says under the lock that it is over, as the last thing it does. */
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "op/cancel.h"
#include "op/rendezvous.h"
#include "op/session_store.h"
#include "runtime/session_impl.h"
#include "runtime/session_kind.h"

struct partial_fetch {
    struct partial *run;
    struct output output;
    bool asked, came, dead;
    struct tensor value;
};

struct partial {
    struct session *session;
    char *handle;
    struct plan *plan;
    struct step *step;
    struct cancel *cancel;
    uint64_t token; /* of the callback in cancel */
    struct rendezvous *rendezvous;
    struct output *feeds;
    struct partial_fetch *fetches;
    int num_feeds, num_fetches;
    struct lock lock;
    struct cond changed;
    /* --- guarded by lock --- */
    bool *fed;
    bool over;
    struct status status; /* of the step, once it is over */
    /* --- guarded by the session's lock --- */
    int users; /* calls in progress */
    bool removed;
    struct partial *next;
};

/* --- keys: what _Recv and _Send make of the attrs that prune.c gives them --- */

static char *transfer_key(const char *kind, int i)
{
    return mem_printf("client;%016llx;client;%s:%d;0:0", 0ull, kind, i);
}

/* --- the step's side --- */

static void cancelled(void *arg)
{
    struct partial *p = arg;
    struct status st = {0};
    if (!cancel_check(p->cancel, &st))
        rendezvous_abort(p->rendezvous, &st);
    status_clear(&st);
}

static void fetch_came(void *arg, const struct status *st, const struct tensor *value, bool dead)
{
    struct partial_fetch *f = arg;
    struct partial *p = f->run;
    if (!status_ok(st))
        return; /* the step's own status tells */
    lock_take(&p->lock);
    f->came = true;
    f->dead = dead;
    if (!dead)
        f->value = tensor_copy(value);
    cond_broadcast(&p->changed);
    lock_drop(&p->lock);
}

static void step_over(void *arg, struct status *st)
{
    struct partial *p = arg;
    struct session *s = p->session;
    lock_take(&p->lock);
    status_move(&p->status, st);
    p->over = true;
    cond_broadcast(&p->changed);
    lock_drop(&p->lock); /* p may be gone now; s may not */
    session_leave(s);
}

/* --- life --- */

static void partial_free(struct partial *p)
{
    if (!p)
        return;
    if (p->token)
        (void)cancel_remove(p->cancel, p->token);
    if (p->rendezvous) { /* fetches nobody asked for: their callbacks must not come later */
        struct status gone = {0};
        status_fail(&gone, STATUS_CANCELLED, "PRun cancellation");
        rendezvous_abort(p->rendezvous, &gone);
        status_clear(&gone);
    }
    rendezvous_unref(p->rendezvous);
    cancel_unref(p->cancel);
    if (p->step)
        session_step_give(p->session, p->step);
    plan_unref(p->plan);
    for (int i = 0; i < p->num_fetches; i++)
        tensor_clear(&p->fetches[i].value);
    status_clear(&p->status);
    cond_release(&p->changed);
    lock_release_memory(&p->lock);
    mem_free(p->fetches);
    mem_free(p->feeds);
    mem_free(p->fed);
    mem_free(p->handle);
    mem_free(p);
}

void session_partials_free(struct session *s)
{
    while (s->partials) {
        struct partial *p = s->partials;
        s->partials = p->next;
        partial_free(p);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_names(struct strbuf *b, char **names, int n)
{
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        strbuf_printf(b, "%s%s", i ? "," : "", names[i]);
        mem_free(names[i]);
    }
    mem_free(names);
}

static char **output_names(const struct output *o, int n)
{
    char **names = mem_new_array(char *, n + 1);
    for (int i = 0; i < n; i++)
        names[i] = mem_printf("%s:%d", o[i].node->name, o[i].index);
    return names;
}

/* As TensorFlow's: sorted names, and a number. */
static char *make_handle(struct session *s, const struct run_args *a)
{
    struct strbuf b = {0};
    char **targets = mem_new_array(char *, a->num_targets + 1);
    for (int i = 0; i < a->num_targets; i++)
        targets[i] = mem_strdup(a->targets[i]->name);
    add_names(&b, output_names(a->feeds, a->num_feeds), a->num_feeds);
    strbuf_puts(&b, "->");
    add_names(&b, output_names(a->fetches, a->num_fetches), a->num_fetches);
    strbuf_puts(&b, "/");
    add_names(&b, targets, a->num_targets);
    lock_take(&s->lock);
    const long long number = s->num_handles++;
    lock_drop(&s->lock);
    strbuf_printf(&b, "/1/;%lld", number);
    char *handle = mem_strdup(strbuf_text(&b));
    strbuf_release(&b);
    return handle;
}

static struct partial *partial_new(struct session *s, const struct run_args *a, struct plan *plan)
{
    struct partial *p = mem_new(struct partial);
    p->session = s;
    p->plan = plan;
    p->handle = make_handle(s, a);
    lock_init(&p->lock, "partial", LOCK_RANK_SESSION); /* before the graph's */
    cond_init(&p->changed);
    p->num_feeds = a->num_feeds;
    p->num_fetches = a->num_fetches;
    p->fed = mem_new_array(bool, a->num_feeds + 1);
    p->feeds = mem_new_array(struct output, a->num_feeds + 1);
    p->fetches = mem_new_array(struct partial_fetch, a->num_fetches + 1);
    for (int i = 0; i < a->num_feeds; i++)
        p->feeds[i] = a->feeds[i];
    for (int i = 0; i < a->num_fetches; i++)
        p->fetches[i] = (struct partial_fetch){.run = p, .output = a->fetches[i]};
    p->step = session_step_take(s);
    p->cancel = cancel_new(s->cancel);
    p->rendezvous = rendezvous_new();
    p->step->env.cancel = p->cancel;
    p->step->env.rendezvous = p->rendezvous;
    return p;
}

static void partial_start(struct partial *p)
{
    for (int i = 0; i < p->num_fetches; i++) {
        char *key = transfer_key("fetch", i);
        rendezvous_recv(p->rendezvous, key, fetch_came, &p->fetches[i]);
        mem_free(key);
    }
    p->token = cancel_add(p->cancel, cancelled, p);
    if (!p->token)
        cancelled(p); /* closed meanwhile */
    uint64_t mode = cpu_float_mode_enter();
    plan_start(p->plan, &p->step->env, NULL, step_over, p);
    cpu_float_mode_restore(mode);
}

char *session_partial_setup(struct session *s, const struct run_args *signature, struct status *st)
{
    struct run_args a = *signature;
    a.partial = true;
    if (!session_enter(s, st))
        return NULL;
    if (s->kind) {
        char *remote = s->kind->partial_setup(s->remote, signature, st);
        session_leave(s);
        return remote;
    }
    uint64_t mode = cpu_float_mode_enter();
    struct plan *plan = session_plan(s, &a, st);
    cpu_float_mode_restore(mode);
    if (!plan) {
        session_leave(s);
        return NULL;
    }
    struct partial *p = partial_new(s, &a, plan);
    char *handle = mem_strdup(p->handle);
    lock_take(&s->lock);
    p->next = s->partials;
    s->partials = p;
    p->users = 1;
    lock_drop(&s->lock);
    partial_start(p); /* which leaves the session when it is over */
    lock_take(&s->lock);
    p->users--;
    lock_drop(&s->lock);
    return handle;
}

/* --- the client's side --- */

static struct partial *take(struct session *s, const char *handle, struct status *st)
{
    lock_take(&s->lock);
    struct partial *p = s->partials;
    while (p && (p->removed || !handle || strcmp(p->handle, handle) != 0))
        p = p->next;
    if (p)
        p->users++;
    lock_drop(&s->lock);
    if (!p)
        status_invalid(st, "Must run 'setup' before performing partial runs!");
    return p;
}

/* Waits for the step where it is to go. */
static void give(struct partial *p, bool remove)
{
    struct session *s = p->session;
    if (remove) {
        lock_take(&p->lock);
        while (!p->over)
            cond_wait(&p->changed, &p->lock);
        lock_drop(&p->lock);
    }
    lock_take(&s->lock);
    p->removed |= remove;
    bool last = --p->users == 0 && p->removed;
    for (struct partial **at = &s->partials; last && *at; at = &(*at)->next) {
        if (*at == p) {
            *at = p->next;
            break;
        }
    }
    lock_drop(&s->lock);
    if (last)
        partial_free(p);
}

static int find_feed(const struct partial *p, struct output o)
{
    for (int i = 0; i < p->num_feeds; i++) {
        if (p->feeds[i].node == o.node && p->feeds[i].index == o.index)
            return i;
    }
    return -1;
}

/* One that was not asked for yet, where there are several of it. */
static int find_fetch(const struct partial *p, struct output o)
{
    int found = -1;
    for (int i = 0; i < p->num_fetches; i++) {
        if (p->fetches[i].output.node == o.node && p->fetches[i].output.index == o.index &&
            (found < 0 || p->fetches[found].asked))
            found = i;
    }
    return found;
}

struct want { /* one call, on its way */
    const struct run_args *a;
    int *feeds, *fetches; /* positions in the run */
};

static bool check_names(struct partial *p, struct want *w, struct status *st)
{
    const struct run_args *a = w->a;
    for (int i = 0; i < a->num_feeds + a->num_fetches; i++) {
        struct output o = i < a->num_feeds ? a->feeds[i] : a->fetches[i - a->num_feeds];
        if (!o.node)
            return status_invalid(st, "PRun: %s %d is not a valid output",
                                  i < a->num_feeds ? "feed" : "fetch", i);
    }
    for (int i = 0; i < a->num_feeds; i++) {
        const struct output o = a->feeds[i];
        w->feeds[i] = find_feed(p, o);
        if (w->feeds[i] < 0)
            return status_invalid(st, "The feed %s:%d was not specified in partial_run_setup.",
                                  o.node->name, o.index);
        bool twice = p->fed[w->feeds[i]];
        for (int k = 0; k < i; k++)
            twice = twice || w->feeds[k] == w->feeds[i];
        if (twice)
            return status_invalid(st, "The feed %s:%d has already been fed.", o.node->name,
                                  o.index);
    }
    for (int i = 0; i < a->num_fetches; i++) {
        const struct output o = a->fetches[i];
        const int at = w->fetches[i] = find_fetch(p, o);
        if (at < 0)
            return status_invalid(st, "The fetch %s:%d was not specified in partial_run_setup.",
                                  o.node->name, o.index);
        bool twice = p->fetches[at].asked;
        for (int k = 0; k < i; k++)
            twice = twice || w->fetches[k] == at;
        if (twice)
            return status_invalid(st, "The fetch %s:%d has already been fetched.", o.node->name,
                                  o.index);
    }
    return true;
}

/* With those of this call marked as fed. Under the run's lock. */
static bool check_fetches(struct partial *p, const struct want *w, struct status *st)
{
    return partial_can_fetch(p->session->graph, p->feeds, p->fed, p->num_feeds, w->a->fetches,
                             w->a->num_fetches, st);
}

/* Marks what this call feeds and fetches; nothing is marked after an error. */
static bool check_and_mark(struct partial *p, struct want *w, struct status *st)
{
    const struct run_args *a = w->a;
    bool ok =
        check_names(p, w, st) && session_check_feeds(a->feeds, a->feed_values, a->num_feeds, st);
    for (int i = 0; ok && i < a->num_feeds; i++)
        p->fed[w->feeds[i]] = true;
    if (ok && !check_fetches(p, w, st)) {
        for (int i = 0; i < a->num_feeds; i++)
            p->fed[w->feeds[i]] = false;
        ok = false;
    }
    for (int i = 0; ok && i < a->num_fetches; i++)
        p->fetches[w->fetches[i]].asked = true;
    return ok;
}

static bool send_feeds(struct partial *p, const struct want *w, struct status *st)
{
    for (int i = 0; i < w->a->num_feeds; i++) {
        struct tensor own = {0};
        if (!tensor_dup(&w->a->feed_values[i], &own, st))
            return false;
        char *key = transfer_key("feed", w->feeds[i]);
        bool ok = rendezvous_send(p->rendezvous, key, &own, false, st);
        mem_free(key);
        tensor_clear(&own);
        if (!ok)
            return false;
    }
    return true;
}

static bool all_came(const struct partial *p, const struct want *w)
{
    for (int i = 0; i < w->a->num_fetches; i++) {
        if (!p->fetches[w->fetches[i]].came)
            return false;
    }
    return true;
}

/* Under the lock. A step that is over has sent all that it sends. */
static bool wait_for_fetches(struct partial *p, const struct want *w, struct status *st)
{
    const int64_t timeout = p->session->config.operation_timeout_ms;
    const int64_t deadline = timeout > 0 ? clock_now_ns() + timeout * 1000000 : INT64_MAX;
    while (!all_came(p, w) && !p->over) {
        if (!cond_wait_until(&p->changed, &p->lock, deadline))
            return status_fail(st, STATUS_DEADLINE_EXCEEDED,
                               "Timed out waiting for notification: a partial run did not give "
                               "its fetches within %lld ms",
                               (long long)timeout);
    }
    if (p->over && !status_ok(&p->status)) {
        status_copy(st, &p->status);
        return false;
    }
    if (!all_came(p, w))
        return status_internal(st, "a partial run ended without all of its fetches");
    for (int i = 0; i < w->a->num_fetches; i++) {
        const struct partial_fetch *f = &p->fetches[w->fetches[i]];
        if (f->dead)
            return status_invalid(st,
                                  "Retval[%d] does not have value: '%s:%d' is dead, it lies in a "
                                  "branch that this run did not take",
                                  i, f->output.node->name, f->output.index);
    }
    return true;
}

static void hand_out(struct partial *p, const struct want *w)
{
    for (int i = 0; i < w->a->num_fetches; i++) {
        struct partial_fetch *f = &p->fetches[w->fetches[i]];
        session_store_keep(p->step->resources, p->session->container, f->output.node->op->name,
                           &f->value);
        w->a->fetch_values[i] = f->value;
        f->value = (struct tensor){0};
    }
}

static bool all_done(const struct partial *p)
{
    for (int i = 0; i < p->num_feeds; i++) {
        if (!p->fed[i])
            return false;
    }
    for (int i = 0; i < p->num_fetches; i++) {
        if (!p->fetches[i].asked)
            return false;
    }
    return true;
}

/* The last call also waits for the targets. Under the lock. */
static bool wait_for_end(struct partial *p, struct status *st)
{
    const int64_t timeout = p->session->config.operation_timeout_ms;
    const int64_t deadline = timeout > 0 ? clock_now_ns() + timeout * 1000000 : INT64_MAX;
    while (!p->over) {
        if (!cond_wait_until(&p->changed, &p->lock, deadline))
            return status_fail(st, STATUS_DEADLINE_EXCEEDED,
                               "Timed out waiting for notification: a partial run did not end "
                               "within %lld ms",
                               (long long)timeout);
    }
    if (!status_ok(&p->status))
        status_copy(st, &p->status);
    return status_ok(st);
}

/* ended: the run cannot go on, or has nothing left to do. */
static bool go_on(struct partial *p, struct want *w, bool *ended, struct status *st)
{
    lock_take(&p->lock);
    bool ok = check_and_mark(p, w, st);
    lock_drop(&p->lock);
    if (!ok)
        return false;
    ok = send_feeds(p, w, st);
    lock_take(&p->lock);
    if (!ok && p->over && !status_ok(&p->status)) { /* why nothing can be sent any more */
        status_clear(st);
        status_copy(st, &p->status);
    }
    ok = ok && wait_for_fetches(p, w, st);
    *ended = !ok || all_done(p);
    ok = ok && (!*ended || wait_for_end(p, st));
    if (ok)
        hand_out(p, w);
    lock_drop(&p->lock);
    if (!ok)
        cancel_fire(p->cancel, STATUS_CANCELLED, "PRun cancellation");
    return ok;
}

bool session_partial_run(struct session *s, const char *handle, const struct run_args *a,
                         struct status *st)
{
    for (int i = 0; i < a->num_fetches; i++)
        a->fetch_values[i] = (struct tensor){0};
    if (!session_enter(s, st))
        return false;
    if (s->kind) {
        bool done = session_check_feeds(a->feeds, a->feed_values, a->num_feeds, st) &&
                    s->kind->partial_run(s->remote, handle, a, st);
        session_leave(s);
        return done;
    }
    struct partial *p = take(s, handle, st);
    bool ok = false, ended = false;
    if (p) {
        struct want w = {.a = a,
                         .feeds = mem_new_array(int, a->num_feeds + 1),
                         .fetches = mem_new_array(int, a->num_fetches + 1)};
        ok = go_on(p, &w, &ended, st);
        mem_free(w.feeds);
        mem_free(w.fetches);
        give(p, ended);
    }
    session_leave(s);
    return ok;
}
