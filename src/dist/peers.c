/* SPDX-License-Identifier: Apache-2.0 */
/* The set of peers and their states: who is alive, lost, gone; and the one thread that looks at the
 * clock. It sends heartbeats when they are due, counts the silence of those who were seen, says
 * every ten seconds for whom one waits that never came, and ends such waits at their deadlines. A
 * thread that finds itself late by two intervals slept (or the machine did): it restarts its count
 * rather than to blame the others. Workload: some hundred peers, a look every few seconds. */
#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "dist/peers_impl.h"

#define MS_NS ((int64_t)1000000)
#define SAY_NS (10000 * MS_NS)

static int64_t deadline_from(int64_t given, const char *name, int64_t otherwise)
{
    const char *text = getenv(name);
    int64_t v;
    if (given > 0)
        return given;
    return text && str_to_i64(str_of(text), &v) && v > 0 ? v : otherwise;
}

static char *dup_or_null(const char *s)
{
    return s ? mem_strdup(s) : NULL;
}

struct peers *peers_new(const struct spec *spec, const struct rpc_security *security,
                        const struct peer_deadlines *deadlines)
{
    struct peers *p = mem_new(struct peers);
    p->spec = spec_dup(spec);
    if (security) {
        p->secured = true;
        p->security = (struct rpc_security){
            .cert_file = dup_or_null(security->cert_file),
            .key_file = dup_or_null(security->key_file),
            .ca_file = dup_or_null(security->ca_file),
            .token_file = dup_or_null(security->token_file),
            .insecure = security->insecure,
        };
    }
    struct peer_deadlines d = deadlines ? *deadlines : (struct peer_deadlines){0};
    p->deadlines.failure_ms = deadline_from(d.failure_ms, "LEAT_FAILURE_DEADLINE_MS", 30000);
    p->deadlines.start_ms = deadline_from(d.start_ms, "LEAT_START_TIMEOUT_MS", 7200000);
    p->interval_ns = clamp_i64(p->deadlines.failure_ms / 5, 5, 5000) * MS_NS;
    lock_init(&p->lock, "peers", LOCK_RANK_KERNEL + 5); /* calls start under locks of those */
    cond_init(&p->changed);
    p->n = spec->num_tasks;
    p->v = mem_new_array(struct peer, p->n + 1);
    for (int i = 0; i < p->n; i++) {
        const struct spec_task *t = &p->spec.tasks[i];
        p->v[i] = (struct peer){.set = p,
                                .name = spec_task_name(t->job, t->index),
                                .address = t->address,
                                .job = t->job};
        p->v[i].self = spec->job && spec->index == t->index && strcmp(spec->job, t->job) == 0;
    }
    return p;
}

struct peers *peers_like(const struct peers *p, const struct spec *spec)
{
    struct peers *out = peers_new(spec, p->secured ? &p->security : NULL, &p->deadlines);
    peers_set_self(out, "", p->self_incarnation); /* no name that others would know it by */
    out->brought = true;
    return out;
}

struct peers *peers_new_target(const char *address, const struct rpc_security *security,
                               const struct peer_deadlines *deadlines, struct status *st)
{
    int port;
    char *text = mem_strdup(address);
    struct spec_task task = {(char[]){"target"}, 0, text};
    struct spec s = {.tasks = &task, .num_tasks = 1};
    struct peers *p = NULL;
    if (spec_split_address(address, NULL, &port, st))
        p = peers_new(&s, security, deadlines);
    mem_free(text);
    if (!p)
        return NULL;
    p->v[0].anyone = true;
    mem_free(p->v[0].name);
    p->v[0].name = mem_strdup("the task");
    peers_set_self(p, "", 0);
    return p;
}

void peers_set_self(struct peers *p, const char *task, uint64_t incarnation)
{
    mem_free(p->self);
    p->self = mem_strdup(task);
    p->self_incarnation = incarnation;
}

void peers_set_standby(struct peers *p, const char *job, int index, const char *address)
{
    for (int i = 0; i < p->n; i++) {
        struct peer *x = &p->v[i];
        if (p->spec.tasks[i].index != index || strcmp(x->job, job) != 0 || x->addresses[0])
            continue;
        x->addresses[0] = mem_strdup(x->address);
        x->addresses[1] = mem_strdup(address);
        x->address = x->addresses[0];
    }
}

int64_t peers_failure_ms(const struct peers *p)
{
    return p->deadlines.failure_ms;
}

bool peer_has_standby(const struct peer *p)
{
    return p->addresses[1] != NULL;
}

static void peer_release(struct peer *p)
{
    rpc_channel_unref(p->other_channel);
    mem_free(p->addresses[0]);
    mem_free(p->addresses[1]);
    rpc_channel_unref(p->calls_channel);
    rpc_channel_unref(p->beat_channel);
    rpc_request_unref(p->beat);
    peer_release_devices(p->devices);
    mem_free(p->trouble);
    mem_free(p->name);
    while (p->watches) {
        struct peer_watch *w = p->watches;
        p->watches = w->next;
        status_clear(&w->why);
        mem_free(w);
    }
}

void peers_free(struct peers *p)
{
    if (!p)
        return;
    struct status st = {0};
    (void)status_fail(&st, STATUS_CANCELLED, "the server of this task has stopped");
    lock_take(&p->lock);
    p->stopping = true;
    cond_broadcast(&p->changed);
    for (int i = 0; i < p->n; i++) {
        rpc_request_cancel(p->v[i].beat);
        peer_end_calls(&p->v[i], &st, 0);
        for (struct peer_waiter *w = p->v[i].waiters; w; w = w->next)
            status_copy(&w->why, &st);
    }
    lock_drop(&p->lock);
    if (p->started)
        pthread_join(p->thread, NULL);
    for (int i = 0; i < p->n; i++)
        peer_run_due(&p->v[i]);
    lock_take(&p->lock);
    while (p->live > 0)
        cond_wait(&p->changed, &p->lock);
    lock_drop(&p->lock);
    for (int i = 0; i < p->n; i++)
        peer_release(&p->v[i]);
    mem_free(p->v);
    mem_free(p->self);
    mem_free(p->security.cert_file);
    mem_free(p->security.key_file);
    mem_free(p->security.ca_file);
    mem_free(p->security.token_file);
    spec_clear(&p->spec);
    status_clear(&st);
    cond_release(&p->changed);
    lock_release_memory(&p->lock);
    mem_free(p);
}

/* --- who --- */

static struct peer *find_name(struct peers *p, struct str name)
{
    for (int i = 0; i < p->n; i++) {
        if (str_is(name, p->v[i].name))
            return &p->v[i];
    }
    return NULL;
}

struct peer *peers_find(struct peers *p, const char *job, int index, struct status *st)
{
    for (int i = 0; i < p->n; i++) {
        if (p->spec.tasks[i].index == index && strcmp(p->spec.tasks[i].job, job) == 0)
            return &p->v[i];
    }
    struct strbuf b = {0};
    for (int i = 0; i < p->n && b.n < 300; i++)
        strbuf_printf(&b, "%s%s", i ? ", " : "", p->v[i].name);
    (void)status_not_found(st, "/job:%.200s/task:%d is not in the cluster, which has %s%s", job,
                           index, p->n ? strbuf_text(&b) : "no tasks", b.n < 300 ? "" : ", ...");
    strbuf_release(&b);
    return NULL;
}

int peers_count(const struct peers *p)
{
    return p->n;
}

struct peer *peers_at(struct peers *p, int i)
{
    return &p->v[i];
}

int peers_index(const struct peers *p, const struct peer *peer)
{
    return peer->set == p ? (int)(peer - p->v) : -1;
}

const struct rpc_security *peers_security(const struct peers *p)
{
    return p->secured ? &p->security : NULL;
}

const char *peer_name(const struct peer *p)
{
    return p->name;
}

const char *peer_address(const struct peer *p)
{
    lock_take(&p->set->lock);
    const char *address = p->address; /* either lives as long as the set */
    lock_drop(&p->set->lock);
    return address;
}

uint64_t peer_incarnation(struct peer *p)
{
    lock_take(&p->set->lock);
    uint64_t incarnation = p->incarnation;
    lock_drop(&p->set->lock);
    return incarnation;
}

bool peer_is_tensorflow_2(struct peer *p)
{
    lock_take(&p->set->lock);
    const bool is = p->tensorflow_2;
    lock_drop(&p->set->lock);
    return is;
}

int64_t peer_patience_ms(struct peer *p)
{
    lock_take(&p->set->lock);
    bool known = p->state == PEER_ALIVE && !p->tensorflow;
    lock_drop(&p->set->lock);
    return known ? p->set->deadlines.failure_ms : 0;
}

/* --- what is said of one --- */

const char *peer_trouble_of(const struct status *st)
{
    static const struct {
        const char *word, *means;
    } known[] = {
        {"Connection refused", "connection refused"},
        {"Connection reset", "connection reset"},
        {"Broken pipe", "connection reset"},
        {"Socket closed", "connection closed"},
        {"Stream removed", "connection closed"},
        {"GOAWAY", "connection closed"},
        {"Endpoint read failed", "connection closed"},
        {"DNS resolution failed", "name not found"},
        {"Name or service not known", "name not found"},
        {"Domain name not found", "name not found"},
        {"No route to host", "no route to the host"},
        {"Network is unreachable", "no route to the host"},
        {"FD Shutdown", "no answer to connecting"},
        {"Trying to connect an http1.x server", "what answers there is no task"},
        {"settings frame", "what answers there is no task"},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (strstr(status_message(st), known[i].word))
            return known[i].means;
    }
    return st->code == STATUS_DEADLINE_EXCEEDED ? "no answer" : status_message(st);
}

void peer_set_trouble(struct peer *p, const struct status *st)
{
    char *text = mem_printf("%.500s", peer_trouble_of(st));
    mem_free(p->trouble);
    p->trouble = text;
}

static double seconds_since(int64_t since_ns)
{
    return (double)(clock_now_ns() - since_ns) * 1e-9;
}

bool peer_fail(const struct peer *p, struct status *st)
{
    if (p->state == PEER_LEFT)
        return status_fail(st, STATUS_UNAVAILABLE, "%s at %s has left the cluster", p->name,
                           p->address);
    return status_fail(st, STATUS_UNAVAILABLE, "%s at %s lost: %s after %.1f s", p->name,
                       p->address, p->trouble ? p->trouble : "no answer",
                       seconds_since(p->heard_ns));
}

bool peer_fail_broken(const struct peer *p, const char *trouble, int64_t since_ns,
                      struct status *st)
{
    return status_fail(st, STATUS_UNAVAILABLE, "%s at %s lost: %.500s after %.1f s", p->name,
                       p->address, trouble, seconds_since(since_ns));
}

bool peer_fail_unseen(const struct peer *p, int64_t since_ns, struct status *st)
{
    const char *what = p->state == PEER_ALIVE ? "does not answer" : "was never seen";
    return status_fail(st, STATUS_DEADLINE_EXCEEDED, "%s at %s %s: %s; waited %.1f s", p->name,
                       p->address, what, p->trouble ? p->trouble : "no answer",
                       seconds_since(since_ns));
}

void peer_add_trouble(struct peer *p, struct status *st)
{
    lock_take(&p->set->lock);
    if (!status_ok(st) && p->state != PEER_ALIVE)
        status_append(st, "; %s at %s: %s", p->name, p->address,
                      p->trouble ? p->trouble : "no answer");
    lock_drop(&p->set->lock);
}

/* --- states --- */

void peer_gone(struct peer *p, enum peer_state state, const struct status *why)
{
    p->state = state;
    peer_end_calls(p, why, 0);
    peer_mark_watches(p, why);
    for (struct peer_waiter *w = p->waiters; w; w = w->next)
        status_copy(&w->why, why);
}

void peer_alive(struct peer *p)
{
    p->heard_ns = clock_now_ns();
}

static void *tick_thread(void *arg);

/* With all signals blocked: they are the program's. */
static void start_thread(struct peers *set)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    set->started = pthread_create(&set->thread, NULL, tick_thread, set) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!set->started)
        log_error("no thread can be started for heartbeats; lost tasks will not be seen");
}

void peer_want(struct peer *p)
{
    struct peers *set = p->set;
    int64_t now = clock_now_ns();
    if (p->wanted_ns == 0) {
        p->wanted_ns = p->said_ns = now;
        p->next_beat_ns = now;
        cond_broadcast(&set->changed);
    }
    if (!set->started && !set->stopping)
        start_thread(set);
}

void peers_heard(struct peers *set, struct str task, uint64_t incarnation, bool leaving)
{
    lock_take(&set->lock);
    struct peer *p = find_name(set, task);
    if (p && !leaving && incarnation != 0 && incarnation == p->gone)
        p = NULL; /* sent before its goodbye, or while it ends: it has left all the same */
    bool same = p && (p->incarnation == 0 || p->incarnation == incarnation);
    if (p) {
        p->said_hello = true;
        p->said_goodbye = leaving;
        p->gone = leaving && incarnation != 0 ? incarnation : p->gone;
    }
    if (same && leaving && p->state == PEER_ALIVE) {
        struct status why = {0};
        p->state = PEER_LEFT;
        (void)!peer_fail(p, &why);
        peer_gone(p, PEER_LEFT, &why);
        status_clear(&why);
    } else if (same && !leaving) {
        peer_alive(p);
    }
    if (p && !leaving && (!same || p->state != PEER_ALIVE)) {
        p->next_beat_ns = clock_now_ns(); /* it is there, or there anew */
        cond_broadcast(&set->changed);
    }
    lock_drop(&set->lock);
    if (p)
        peer_run_due(p);
}

void peers_list_left(struct peers *set, struct arena *a, struct pb_strs *out)
{
    lock_take(&set->lock);
    for (int i = 0; i < set->n; i++) {
        if (set->v[i].said_goodbye)
            pb_add_str(a, out, str_of(set->v[i].name));
    }
    lock_drop(&set->lock);
}

bool peers_all_left(struct peers *set, const char *but_job)
{
    int others = 0, left = 0;
    lock_take(&set->lock);
    for (int i = 0; i < set->n; i++) {
        const struct peer *p = &set->v[i];
        if (p->self || strcmp(p->job, but_job) == 0)
            continue;
        others++;
        left += (p->said_hello && p->said_goodbye) || (p->tensorflow && p->state == PEER_LOST);
    }
    lock_drop(&set->lock);
    return others > 0 && left == others;
}

/* --- the clock --- */

/* Waits that have lasted long enough. */
static void end_waits(struct peer *p, int64_t now)
{
    int64_t start_ns = p->set->deadlines.start_ms * MS_NS;
    if (p->state != PEER_UNSEEN && p->state != PEER_ALIVE)
        return;
    for (struct peer_waiter *w = p->waiters; w; w = w->next) {
        if (status_ok(&w->why) && now >= w->deadline_ns)
            (void)!peer_fail_unseen(p, w->started_ns, &w->why);
    }
    if (p->state != PEER_UNSEEN)
        return;
    for (struct peer_call *c = p->calls; c; c = c->next) {
        if (status_ok(&c->verdict) && now - c->started_ns >= start_ns) {
            (void)!peer_fail_unseen(p, c->started_ns, &c->verdict);
            rpc_request_cancel(c->request);
        }
    }
}

static void say_waiting(struct peer *p, int64_t now)
{
    if (p->state != PEER_UNSEEN || now - p->said_ns < SAY_NS || (!p->calls && !p->waiters))
        return;
    p->said_ns = now;
    log_warning("waiting for %s at %s: %s (for %.0f s so far)", p->name, p->address,
                p->trouble ? p->trouble : "no answer", seconds_since(p->wanted_ns));
}

/* Where somebody answered since who stands by, a take-over may be under way: as long again. */
static int64_t patience_ns(const struct peer *p)
{
    const bool hope = p->hunts && p->stands_by_ns > p->heard_ns;
    return p->set->deadlines.failure_ms * MS_NS * (hope ? 2 : 1);
}

/* Who has answered a call, and no heartbeat yet, may be lost as well. */
static void judge(struct peer *p, int64_t now)
{
    const bool there = p->state == PEER_ALIVE || (p->state == PEER_UNSEEN && p->answered);
    if (!there || now - p->heard_ns < patience_ns(p))
        return;
    struct status why = {0};
    p->state = PEER_LOST;
    (void)!peer_fail(p, &why);
    log_warning("%s", status_message(&why));
    peer_gone(p, PEER_LOST, &why);
    status_clear(&why);
}

/* Whether a heartbeat is due; *next: when the next may be. */
static bool beat_due(struct peer *p, int64_t now, int64_t *next)
{
    bool idle = p->state == PEER_UNSEEN && !p->calls && !p->waiters && !p->said_hello;
    if (p->wanted_ns == 0 || idle || p->beating)
        return false;
    if (p->next_beat_ns <= now)
        return true;
    *next = min_i64(*next, p->next_beat_ns);
    return false;
}

/* Looks at everybody once; when to look again. */
static int64_t tick(struct peers *set)
{
    int64_t now = clock_now_ns(), next = now + set->interval_ns / 2;
    lock_take(&set->lock);
    for (int i = 0; i < set->n && !set->stopping; i++) {
        struct peer *p = &set->v[i];
        end_waits(p, now);
        say_waiting(p, now);
        judge(p, now);
        bool beat = beat_due(p, now, &next);
        p->beating |= beat;
        set->live += beat;
        lock_drop(&set->lock);
        peer_run_due(p);
        if (beat)
            peer_send_beat(p);
        lock_take(&set->lock);
    }
    lock_drop(&set->lock);
    return next;
}

static void restart_counts(struct peers *set)
{
    int64_t now = clock_now_ns();
    lock_take(&set->lock);
    for (int i = 0; i < set->n; i++)
        set->v[i].heard_ns = now;
    lock_drop(&set->lock);
}

static void *tick_thread(void *arg)
{
    struct peers *set = arg;
    for (;;) {
        int64_t next = tick(set);
        lock_take(&set->lock);
        if (!set->stopping)
            (void)cond_wait_until(&set->changed, &set->lock, next);
        bool stop = set->stopping;
        lock_drop(&set->lock);
        if (stop)
            return NULL;
        if (clock_now_ns() - next > 2 * set->interval_ns)
            restart_counts(set);
    }
}
