/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a worker: a part's run, and the calls that feed it and take what it gives.
 *
 * A whole step is one run with one call; a piecewise one has a call for each piece, and the last
 * waits for the end. A call is over when what it takes has come, and, for the last one, the run has
 * ended; what has not come when the run ends well never will. A run that fails aborts the step's
 * rendezvous, so that nobody waits for what it would have sent. */
#include <string.h>

#include "base/mem.h"
#include "dist/replica.h"
#include "dist/worker_impl.h"

struct part_run { /* counted: the callable's, each call's, the step's table for a piecewise one */
    int refs;     /* atomic */
    struct worker *worker;
    struct worker_part *part;
    struct task_step *step;
    struct cancel *cancel;
    char *piecewise;               /* the graph handle; NULL: a whole step */
    struct part_run *next, **link; /* in step->runs; guarded by the worker's lock */
    struct lock lock;
    /* --- guarded by lock --- */
    bool over;
    struct status status;
    struct strbuf stats;
    struct run_call *calls;
};

struct step_waiter { /* for the end of a step's runs */
    step_over_fn over;
    void *arg;
    struct step_waiter *next;
};

struct call_recv {
    struct run_call *call;
    char *key;
    bool came, dead; /* guarded by the run's lock, like the rest */
    struct tensor value;
};

struct run_call {
    struct part_run *run;
    struct call_recv *recvs;
    int64_t num_recvs;
    struct cancel *cancel; /* the caller's; may be NULL */
    uint64_t token;
    worker_run_fn done;
    void *arg;
    /* --- guarded by the run's lock --- */
    int64_t pending; /* values to come, the starter, the end of the run if it is waited for */
    bool wants_end;
    struct status status;
    struct run_call *next, **link; /* in run->calls */
};

/* --- life --- */

static struct part_run *run_ref(struct part_run *run)
{
    __atomic_fetch_add(&run->refs, 1, __ATOMIC_RELAXED);
    return run;
}

static void run_unref(struct part_run *run)
{
    if (__atomic_sub_fetch(&run->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    struct worker *w = run->worker;
    cancel_unref(run->cancel);
    task_step_unref(run->step);
    worker_part_unref(run->part);
    status_clear(&run->status);
    strbuf_release(&run->stats);
    lock_release_memory(&run->lock);
    mem_free(run->piecewise);
    mem_free(run);
    worker_leave(w);
}

/* Takes part and step. */
static struct part_run *run_new(struct worker *w, struct worker_part *part, struct task_step *step,
                                const struct worker_run *r)
{
    struct part_run *run = mem_new(struct part_run);
    *run = (struct part_run){.refs = 1, .worker = w, .part = part, .step = step};
    run->cancel = cancel_new(part->session->cancel);
    if (r->partial)
        run->piecewise = mem_strndup(r->graph.p ? r->graph.p : "", r->graph.n);
    lock_init(&run->lock, "part run", LOCK_RANK_LEAF);
    return run;
}

/* --- the end of a call --- */

static void add_values(struct run_call *c, struct wire_values *out, struct status *st)
{
    out->v = mem_new_array(struct wire_value, c->num_recvs + 1);
    out->cap = c->num_recvs + 1;
    for (int64_t i = 0; i < c->num_recvs; i++) {
        struct call_recv *v = &c->recvs[i];
        if (!v->came || v->dead)
            status_invalid(st, "The tensor returned for %s was not valid.", v->key);
        out->v[out->n++] =
            (struct wire_value){.name = str_of(v->key), .value = tensor_take(&v->value)};
    }
}

static void call_free(struct run_call *c)
{
    for (int64_t i = 0; i < c->num_recvs; i++) {
        tensor_clear(&c->recvs[i].value);
        mem_free(c->recvs[i].key);
    }
    mem_free(c->recvs);
    status_clear(&c->status);
    mem_free(c);
}

static void forget_piecewise(struct part_run *run)
{
    lock_take(&run->worker->lock);
    bool there = strmap_find(&run->step->parts, run->piecewise) == run;
    if (there)
        strmap_remove(&run->step->parts, run->piecewise);
    lock_drop(&run->worker->lock);
    if (there)
        run_unref(run);
}

/* False: the step is over, and the run is not to start. */
static bool join_step(struct part_run *run)
{
    struct task_step *s = run->step;
    lock_take(&run->worker->lock);
    bool open = !s->ended;
    if (open) {
        run->next = s->runs;
        run->link = &s->runs;
        if (s->runs)
            s->runs->link = &run->next;
        s->runs = run;
    }
    lock_drop(&run->worker->lock);
    return open;
}

static void leave_step(struct part_run *run)
{
    struct step_waiter *waiters = NULL;
    lock_take(&run->worker->lock);
    if (run->link) {
        *run->link = run->next;
        if (run->next)
            run->next->link = run->link;
        run->link = NULL;
    }
    if (!run->step->runs) {
        waiters = run->step->waiters;
        run->step->waiters = NULL;
    }
    lock_drop(&run->worker->lock);
    while (waiters) {
        struct step_waiter *w = waiters;
        waiters = w->next;
        w->over(w->arg);
        mem_free(w);
    }
}

/* No run starts from now on. Those under way, referenced; who waits for them is kept. */
static struct part_run **end_runs(struct worker *w, struct task_step *s, struct step_waiter *waiter,
                                  int64_t *n)
{
    *n = 0;
    lock_take(&w->lock);
    s->ended = true;
    for (struct part_run *run = s->runs; run; run = run->next)
        ++*n;
    struct part_run **all = mem_new_array(struct part_run *, *n + 1);
    int64_t i = 0;
    for (struct part_run *run = s->runs; run; run = run->next)
        all[i++] = run_ref(run);
    if (*n > 0 && waiter) {
        waiter->next = s->waiters;
        s->waiters = waiter;
    }
    lock_drop(&w->lock);
    return all;
}

static void cancel_runs(struct worker *w, struct task_step *s, step_over_fn over, void *arg)
{
    int64_t n;
    struct step_waiter *waiter = NULL;
    if (over) {
        waiter = mem_new(struct step_waiter);
        *waiter = (struct step_waiter){.over = over, .arg = arg};
    }
    struct part_run **runs = end_runs(w, s, waiter, &n);
    for (int64_t i = 0; i < n; i++) {
        cancel_fire(runs[i]->cancel, STATUS_CANCELLED, "The step was ended by its master");
        run_unref(runs[i]);
    }
    mem_free(runs);
    if (n > 0 || !over)
        return;
    mem_free(waiter);
    over(arg);
}

void worker_step_ended(void *worker, struct task_step *s, step_over_fn over, void *over_arg)
{
    struct worker *w = worker;
    offers_drop_step(w->offers, s->id);
    cancel_runs(w, s, over, over_arg);
    for (;;) {
        const char *key;
        void *value = NULL;
        int64_t at = 0;
        lock_take(&w->lock);
        struct part_run *run =
            strmap_next(&s->parts, &at, &key, &value) ? strmap_remove(&s->parts, key) : NULL;
        lock_drop(&w->lock);
        if (!run)
            return;
        run_unref(run);
    }
}

/* safe: whether what the run changed is with the task's other process. */
static void call_answer(void *arg, const struct status *safe)
{
    struct run_call *c = arg;
    struct part_run *run = c->run;
    struct status st = {0};
    struct wire_values values = {0};
    struct strbuf stats = {0};
    if (c->token)
        cancel_remove(c->cancel, c->token);
    lock_take(&run->lock);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    if (run->over && !status_ok(&run->status))
        status_copy(&st, &run->status);
    else
        status_copy(&st, &c->status);
    if (!status_ok(safe)) {
        status_clear(&st);
        status_copy(&st, safe);
    }
    if (c->wants_end) {
        stats = run->stats;
        run->stats = (struct strbuf){0};
    }
    lock_drop(&run->lock);
    if (status_ok(&st))
        add_values(c, &values, &st);
    if (run->piecewise && c->wants_end)
        forget_piecewise(run);
    c->done(c->arg, &st, &values, &stats);
    wire_values_clear(&values);
    strbuf_release(&stats);
    status_clear(&st);
    call_free(c);
    run_unref(run);
}

static void call_over(struct run_call *c)
{
    static const struct status fine;
    struct replica *r = c->run->worker->replica;
    if (r && c->wants_end)
        replica_when_safe(r, call_answer, c);
    else
        call_answer(c, &fine);
}

static void call_release(struct run_call *c)
{
    lock_take(&c->run->lock);
    bool last = --c->pending == 0;
    lock_drop(&c->run->lock);
    if (last)
        call_over(c);
}

/* --- what comes --- */

static void value_came(void *arg, const struct status *st, const struct tensor *value, bool dead)
{
    struct call_recv *v = arg;
    lock_take(&v->call->run->lock);
    if (status_ok(st)) {
        v->came = true;
        v->dead = dead;
        if (!dead)
            v->value = tensor_copy(value);
    } else {
        status_copy(&v->call->status, st);
    }
    lock_drop(&v->call->run->lock);
    call_release(v->call);
}

/* The run ended well: what has not been sent will not be. */
static void stop_waiting(struct run_call *c)
{
    for (int64_t i = 0; i < c->num_recvs; i++) {
        if (rendezvous_forget(c->run->step->rendezvous, c->recvs[i].key, &c->recvs[i]))
            call_release(c);
    }
}

/* RunMetadata has the stats that a reply has alone. */
static void keep_stats(struct part_run *run, const struct strbuf *metadata)
{
    struct arena a = {0};
    struct status st = {0};
    struct pb_run_metadata *m;
    if (metadata->n > 0 &&
        pb_run_metadata_decode(&a, metadata->p, metadata->n, PB_BORROW, &m, &st) && m->step_stats &&
        !pb_encode(m->step_stats, &run->stats, &st))
        strbuf_clear(&run->stats);
    status_clear(&st);
    arena_release(&a);
}

/* The calls that wait, each kept by one more thing it waits for. Under the lock. */
static struct run_call **hold_calls(struct part_run *run, int64_t *n)
{
    *n = 0;
    for (struct run_call *c = run->calls; c; c = c->next)
        ++*n;
    struct run_call **all = mem_new_array(struct run_call *, *n + 1);
    int64_t i = 0;
    for (struct run_call *c = run->calls; c; c = c->next) {
        c->pending++;
        all[i++] = c;
    }
    return all;
}

static void run_over(void *arg, const struct status *st, struct strbuf *metadata)
{
    struct part_run *run = arg;
    int64_t n;
    leave_step(run);
    if (!status_ok(st))
        rendezvous_abort(run->step->rendezvous, st);
    lock_take(&run->lock);
    run->over = true;
    status_copy(&run->status, st);
    keep_stats(run, metadata);
    struct run_call **calls = hold_calls(run, &n);
    lock_drop(&run->lock);
    for (int64_t i = 0; i < n; i++) {
        bool waits = calls[i]->wants_end;
        if (status_ok(st))
            stop_waiting(calls[i]);
        if (waits)
            call_release(calls[i]);
        call_release(calls[i]);
    }
    mem_free(calls);
    run_unref(run);
}

/* --- the beginning of a call --- */

static void call_cancelled(void *arg)
{
    struct part_run *run = arg;
    struct cancel *c = cancel_ref(run->cancel); /* the run may end by this, here */
    cancel_fire(c, STATUS_CANCELLED, "RunGraph was cancelled");
    cancel_unref(c);
}

/* Takes a reference of the run. */
static struct run_call *call_new(struct part_run *run, const struct worker_run *r,
                                 struct cancel *cancel, worker_run_fn done, void *arg)
{
    struct run_call *c = mem_new(struct run_call);
    *c = (struct run_call){.run = run, .cancel = cancel, .done = done, .arg = arg};
    c->wants_end = !r->partial || r->last_partial;
    c->num_recvs = r->num_recv;
    c->recvs = mem_new_array(struct call_recv, r->num_recv + 1);
    for (int64_t i = 0; i < r->num_recv; i++)
        c->recvs[i] = (struct call_recv){
            .call = c,
            .key = mem_strndup(r->recv_keys[i].p ? r->recv_keys[i].p : "", r->recv_keys[i].n)};
    lock_take(&run->lock);
    c->pending = r->num_recv + 1 + (c->wants_end && !run->over);
    c->next = run->calls;
    c->link = &run->calls;
    if (run->calls)
        run->calls->link = &c->next;
    run->calls = c;
    lock_drop(&run->lock);
    return c;
}

static bool send_values(struct part_run *run, const struct worker_run *r, struct status *st)
{
    bool ok = rendezvous_waiting(run->step->rendezvous) + r->num_send <= STEP_MAX_WAITING ||
              status_exhausted(st, "Step %lld: more than %d values wait", (long long)r->step_id,
                               STEP_MAX_WAITING);
    for (int64_t i = 0; ok && i < r->num_send; i++) {
        char *key = mem_strndup(r->send[i].name.p ? r->send[i].name.p : "", r->send[i].name.n);
        ok = rendezvous_send(run->step->rendezvous, key, &r->send[i].value, false, st);
        mem_free(key);
    }
    return ok;
}

/* What is asked for after the run has ended is there or will not come. */
static void call_begin(struct run_call *c, const struct worker_run *r)
{
    struct part_run *run = c->run;
    struct status st = {0};
    if (c->cancel)
        c->token = cancel_add(c->cancel, call_cancelled, run);
    if (c->cancel && !c->token)
        call_cancelled(run);
    if (!send_values(run, r, &st)) {
        lock_take(&run->lock);
        status_copy(&c->status, &st);
        lock_drop(&run->lock);
        rendezvous_abort(run->step->rendezvous, &st);
        status_clear(&st);
    }
    for (int64_t i = 0; i < c->num_recvs; i++)
        rendezvous_recv(run->step->rendezvous, c->recvs[i].key, value_came, &c->recvs[i]);
    lock_take(&run->lock);
    bool over = run->over;
    lock_drop(&run->lock);
    if (over)
        stop_waiting(c);
}

/* Keys of values that this task makes: others are not for a client to ask for here. */
static bool check_keys(const struct worker *w, const struct worker_part *p,
                       const struct worker_run *r, struct status *st)
{
    const char *task = p->session->name ? p->session->name : w->name;
    for (int64_t i = 0; i < r->num_send + r->num_recv; i++) {
        struct str s = i < r->num_send ? r->send[i].name : r->recv_keys[i - r->num_send];
        char *key = mem_strndup(s.p ? s.p : "", s.n);
        struct transfer_key k;
        bool ok = transfer_key_parse(key, &k, st);
        if (ok && i >= r->num_send && !device_in_task(k.src, task))
            ok = status_invalid(st, "Invalid rendezvous key (src): %s @ %s", key, task);
        mem_free(key);
        if (!ok)
            return false;
    }
    return true;
}

/* The piecewise run that is under way, referenced, or a new one, which the step then knows. Takes
 * part and step. */
static struct part_run *find_piecewise(struct worker *w, struct worker_part *part,
                                       struct task_step *step, const struct worker_run *r,
                                       bool *fresh)
{
    struct part_run *made = run_new(w, part, step, r);
    lock_take(&w->lock);
    struct part_run *run = strmap_find(&step->parts, made->piecewise);
    *fresh = !run;
    if (run)
        run_ref(run);
    else if (!step->ended)
        strmap_put(&step->parts, made->piecewise, run_ref(made));
    lock_drop(&w->lock);
    if (!run)
        return made;
    run_unref(made);
    return run;
}

static void begin(struct part_run *run, struct callable *callable, bool fresh,
                  const struct worker_run *r, struct run_call *call)
{
    call_begin(call, r);
    if (fresh && !join_step(run)) {
        struct status st = {0};
        struct strbuf none = {0};
        status_fail(&st, STATUS_ABORTED, "Step %lld is over", (long long)r->step_id);
        run_over(run_ref(run), &st, &none);
        status_clear(&st);
    } else if (fresh) {
        const struct callable_step s = {
            .rendezvous = run->step->rendezvous,
            .cancel = run->cancel,
            .step_id = r->step_id,
            .changes = run->worker->replica ? replica_changes(run->worker->replica) : NULL,
            .change_key = r->change_key,
            .traced = r->timeline,
            .elsewhere = r->elsewhere};
        callable_start(callable, &s, run_over, run_ref(run));
    }
    call_release(call);
}

void worker_run_graph(struct worker *w, const struct worker_run *r, struct cancel *cancel,
                      worker_run_fn done, void *arg)
{
    struct status st = {0};
    struct wire_values none = {0};
    struct strbuf no_stats = {0};
    bool fresh = true;
    struct part_run *run = NULL;
    struct callable *callable = NULL;
    struct worker_part *part = NULL;
    struct task_step *step = NULL;
    bool in = worker_enter(w, &st);
    if (in && request_ids_add(&w->requests, r->request_id, "RunGraph", &st))
        part = worker_find_part(w, r->session, r->graph, &st);
    if (part && check_keys(w, part, r, &st))
        callable = r->partial ? worker_piecewise(part, &st) : part->whole;
    if (callable)
        step = step_table_get(&w->steps, r->step_id, &st);
    if (step) {
        if (part->session->name)
            task_step_place(step, str_of(part->session->name), part->session->peers);
        run = r->partial ? find_piecewise(w, part, step, r, &fresh) : run_new(w, part, step, r);
        begin(run, callable, fresh, r, call_new(run, r, cancel, done, arg));
        return;
    }
    worker_part_unref(part);
    if (in)
        worker_leave(w);
    done(arg, &st, &none, &no_stats);
    status_clear(&st);
}

/* --- values for other tasks --- */

bool worker_is_light(struct worker *w, struct str session, struct str graph)
{
    struct status st = {0};
    struct worker_part *p = worker_find_part(w, session, graph, &st);
    const bool light = p && callable_is_light(p->whole);
    worker_part_unref(p);
    status_clear(&st);
    return light;
}

/* What goes with a request is copied where it arrives, once more than what is asked for. */
enum { GIVEN_VALUES = 64, GIVEN_BYTES = 1 << 20 };

struct gathering {
    const char *task;
    struct arena *arena;
    size_t left; /* bytes */
    struct wire_values *out;
};

static void gather(void *arg, const char *key, const struct tensor *value)
{
    struct gathering *g = arg;
    struct status st = {0};
    struct transfer_key k;
    const size_t bytes = dtype_is_managed(value->dtype) ? SIZE_MAX : tensor_bytes(value);
    if (bytes <= g->left && g->out->n < GIVEN_VALUES && transfer_key_parse(key, &k, &st) &&
        device_in_task(k.dst, g->task)) {
        g->left -= bytes;
        g->out->v[g->out->n++] = (struct wire_value){.name = str_of(arena_strdup(g->arena, key)),
                                                     .value = tensor_copy(value)};
    }
    status_clear(&st);
}

bool worker_gives_at_once(const struct worker *w)
{
    return !w->replica; /* else a value waits for the task's other process: see for_peer() */
}

void worker_values_for(struct worker *w, int64_t step_id, const char *task, struct arena *a,
                       struct wire_values *out)
{
    struct status st = {0};
    struct task_step *step = step_table_get(&w->steps, step_id, &st);
    if (step && rendezvous_waiting(step->rendezvous) > 0) {
        struct gathering g = {.task = task,
                              .arena = a,
                              .left = planes_tried(w->planes) ? PLANE_MIN_BYTES : GIVEN_BYTES,
                              .out = out};
        out->v = mem_new_array(struct wire_value, GIVEN_VALUES);
        out->cap = GIVEN_VALUES;
        rendezvous_each(step->rendezvous, gather, &g);
    }
    task_step_unref(step);
    status_clear(&st);
}

struct waiting { /* counted: who started it and the value to come */
    int refs;    /* atomic */
    struct worker *worker;
    struct task_step *step;
    char *key;
    struct cancel *cancel;
    uint64_t token;
    int cancelled; /* atomic */
    worker_recv_fn fn;
    void *arg;
    struct tensor value; /* that is there, and whether it is dead */
    bool dead;
};

static void waiting_unref(struct waiting *v)
{
    if (__atomic_sub_fetch(&v->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    struct worker *w = v->worker;
    task_step_unref(v->step);
    tensor_clear(&v->value);
    mem_free(v->key);
    mem_free(v);
    worker_leave(w);
}

static void give_to_peer(void *arg, const struct status *safe)
{
    struct waiting *v = arg;
    v->fn(v->arg, safe, status_ok(safe) ? &v->value : NULL, v->dead);
    waiting_unref(v);
}

/* What another part's failure brings says so, so that the failure itself is reported. A value may
 * tell of what has changed here, and another task writes down what it does with it (a token becomes
 * its step): so it leaves when the changes are with the task's other process, which would give the
 * same one again. */
static void for_peer(void *arg, const struct status *st, const struct tensor *value, bool dead)
{
    struct waiting *v = arg;
    struct status why = {0};
    struct replica *r = v->worker->replica;
    if (v->token)
        cancel_remove(v->cancel, v->token);
    if (status_ok(st) && r) {
        v->dead = dead;
        if (!dead)
            v->value = tensor_copy(value);
        replica_when_safe(r, give_to_peer, v);
        return;
    }
    if (!status_ok(st)) {
        status_copy(&why, st);
        if (!str_starts(str_of(status_message(st)), "[_Derived_]"))
            status_prepend(&why, "[_Derived_]");
    }
    v->fn(v->arg, &why, value, dead);
    status_clear(&why);
    waiting_unref(v);
}

static void give_up(struct waiting *v)
{
    struct status st = {0};
    if (!rendezvous_forget(v->step->rendezvous, v->key, v))
        return;
    status_fail(&st, STATUS_CANCELLED, "RecvTensor was cancelled");
    for_peer(v, &st, NULL, false);
    status_clear(&st);
}

static void recv_cancelled(void *arg)
{
    struct waiting *v = arg;
    __atomic_fetch_add(&v->refs, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&v->cancelled, 1, __ATOMIC_RELEASE);
    give_up(v);
    waiting_unref(v);
}

/* task: the name that the key has for this task. */
static bool check_source(const struct worker *w, const struct transfer_key *k, struct str *task,
                         struct status *st)
{
    const char *have = NULL;
    uint64_t now = 0;
    for (int i = 0; i < w->num_devices; i++) {
        const char *tail = w->devices[i].name + strlen(w->name); /* as the cluster may differ */
        if (!str_ends(k->src, tail))
            continue;
        have = tail;
        *task = str_make(k->src.p, k->src.n - strlen(tail));
        now = w->devices[i].incarnation;
    }
    if (!have)
        return status_invalid(st, "RecvTensor: %s has no device '%.*s'", w->name, (int)k->src.n,
                              k->src.p);
    return now == k->incarnation ||
           status_fail(st, STATUS_ABORTED,
                       "RecvTensor expects a different device incarnation: %llu vs. %llu. Your "
                       "worker job (\"%s\") was probably restarted. Check your worker job for the "
                       "reason why it was restarted.",
                       (unsigned long long)k->incarnation, (unsigned long long)now, w->name);
}

static struct task_step *step_for_recv(struct worker *w, int64_t step_id, const char *key,
                                       int64_t request_id, struct status *st)
{
    struct transfer_key k;
    struct str task;
    if (!transfer_key_parse(key, &k, st) || !check_source(w, &k, &task, st) ||
        !request_ids_add(&w->requests, request_id, "RecvTensor", st))
        return NULL;
    struct task_step *step = step_table_get(&w->steps, step_id, st);
    if (step && !str_is(task, w->name)) /* perhaps before the part itself came */
        task_step_place(step, task, NULL);
    if (step && rendezvous_waiting(step->rendezvous) >= STEP_MAX_WAITING) {
        status_exhausted(st, "Step %lld: more than %d values wait", (long long)step_id,
                         STEP_MAX_WAITING);
        task_step_unref(step);
        return NULL;
    }
    return step;
}

void worker_recv_tensor(struct worker *w, int64_t step_id, struct str key, int64_t request_id,
                        struct cancel *cancel, worker_recv_fn fn, void *arg)
{
    struct status st = {0};
    char *name = mem_strndup(key.p ? key.p : "", key.n);
    bool in = worker_enter(w, &st);
    struct task_step *step = in ? step_for_recv(w, step_id, name, request_id, &st) : NULL;
    if (!step) {
        if (in)
            worker_leave(w);
        mem_free(name);
        fn(arg, &st, NULL, false);
        status_clear(&st);
        return;
    }
    struct waiting *v = mem_new(struct waiting);
    *v = (struct waiting){.refs = 2, .worker = w, .step = step, .key = name, .fn = fn, .arg = arg};
    v->cancel = cancel;
    v->token = cancel ? cancel_add(cancel, recv_cancelled, v) : 0;
    if (cancel && !v->token)
        __atomic_store_n(&v->cancelled, 1, __ATOMIC_RELEASE);
    rendezvous_recv(step->rendezvous, name, for_peer, v);
    if (__atomic_load_n(&v->cancelled, __ATOMIC_ACQUIRE))
        give_up(v);
    waiting_unref(v);
}
