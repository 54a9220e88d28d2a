/* SPDX-License-Identifier: Apache-2.0 */
/* A task's server. It binds and makes its worker and master when it is made; what comes before
 * server_start is kept and answered then. Heartbeats and goodbyes are answered on the network's
 * threads from what was written down at the start: no lock of the runtime is taken for them.
 *
 * A ps ends by itself (CLUSTER.md, ending): every task of other jobs has been seen and has said
 * goodbye, and nobody has asked anything of it for a while. */
#include "dist/server.h"

#include <stdlib.h>

#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "dist/replica.h"
#include "dist/server_bind.h"
#include "dist/standbys.h"
#include "dist/witness.h"

#define MS_NS ((int64_t)1000000)
enum {
    MAX_HANDLERS = 64,
    GOODBYE_MS = 1000,
    STOP_GRACE_MS = 0,
    PS_IDLE_MS = 5000,
    JOIN_LOOK_MS = 40
};

struct route { /* the arg of a method */
    struct server *server;
    struct rpc_handler real;
    bool counts;   /* a session of somebody's asks for it */
    bool internal; /* between processes: answered from the beginning, whoever serves */
};
struct early { /* a call that came before the start */
    struct route *route;
    struct rpc_call *call;
    struct early *next;
};

struct server {
    struct spec spec;
    struct config config;
    struct peers *peers;
    struct standbys standbys;
    struct worker *worker;
    struct replica *replica; /* NULL: no task of the cluster is replicated */
    struct witness *witness; /* likewise */
    struct master *master;
    struct rpc_server *rpc;
    struct route routes[MAX_HANDLERS];
    int num_routes;
    char *target, *name;
    uint64_t incarnation;
    struct arena arena; /* holds devices */
    struct pb_device_attributes_vec devices;
    struct lock lock;
    struct cond changed;
    /* --- guarded by lock --- */
    bool started, stopping, stopped;
    bool other_left; /* the process that served as this task has left cleanly */
    struct early *early, **early_end;
    int64_t asked_ns; /* when somebody's session last asked for something */
    /* --- guarded by servers_lock --- */
    struct server *next;
    bool listed;
    int users; /* of master */
};

static struct lock servers_lock = LOCK_INIT("servers", LOCK_RANK_SERVER + 1);
static struct cond servers_changed = {PTHREAD_COND_INITIALIZER};
static struct server *servers; /* guarded by servers_lock */

/* --- methods --- */

static void run_route(void *arg, struct rpc_call *call);

static void refuse(struct rpc_call *call, struct status *st)
{
    rpc_call_reply(call, NULL, st);
    status_clear(st);
}

static void refuse_standing_by(struct server *s, struct rpc_call *call, uint64_t epoch)
{
    struct status st = {0};
    (void)status_fail(&st, STATUS_UNAVAILABLE,
                      "%s: this process stands by for another one, or may not answer now (epoch "
                      "%llu)",
                      s->name, (unsigned long long)epoch);
    refuse(call, &st);
}

/* Answers what came before the start, and before it was decided who serves. */
static void run_early(struct server *s)
{
    lock_take(&s->lock);
    struct early *e = s->early;
    s->early = NULL;
    s->early_end = &s->early;
    lock_drop(&s->lock);
    while (e) {
        struct early *next = e->next;
        run_route(e->route, e->call);
        mem_free(e);
        e = next;
    }
}

/* It may have been decided since that was looked at. */
static void decided_meanwhile(struct server *s)
{
    lock_take(&s->lock);
    const bool started = s->started;
    lock_drop(&s->lock);
    if (started && replica_is_decided(s->replica))
        run_early(s);
}

static void replica_decided(void *arg)
{
    decided_meanwhile(arg);
}

static void replica_over(void *arg)
{
    struct server *s = arg;
    lock_take(&s->lock);
    s->other_left = true;
    cond_broadcast(&s->changed);
    lock_drop(&s->lock);
}

static void run_route(void *arg, struct rpc_call *call)
{
    struct route *r = arg;
    struct server *s = r->server;
    uint64_t epoch = 0;
    const bool decided = r->internal || !s->replica || replica_is_decided(s->replica);
    const bool serves = r->internal || !s->replica || replica_serves(s->replica, &epoch);
    lock_take(&s->lock);
    const bool refuse_it = s->started && decided && !serves;
    bool now = (s->started && decided) || r->internal;
    if (r->counts)
        s->asked_ns = clock_now_ns();
    if (!now) {
        struct early *e = mem_new(struct early);
        *e = (struct early){.route = r, .call = call};
        *s->early_end = e;
        s->early_end = &e->next;
    }
    lock_drop(&s->lock);
    if (refuse_it)
        refuse_standing_by(s, call, epoch);
    else if (now)
        r->real.run(r->real.arg, call);
    else if (!decided)
        decided_meanwhile(s);
}

static void reply_with(struct rpc_call *call, const void *message)
{
    struct strbuf b = {0};
    struct rpc_msg m = {0};
    struct status st = {0};
    if (pb_encode(message, &b, &st))
        rpc_msg_add_strbuf(&m, &b);
    rpc_call_reply(call, &m, &st);
    status_clear(&st);
    strbuf_release(&b);
}

static void heartbeat(void *arg, struct rpc_call *call)
{
    struct server *s = arg;
    struct arena a = {0};
    struct status st = {0};
    struct pb_leat_peer_heartbeat_request *in;
    struct str bytes = rpc_msg_flat(rpc_call_request(call), &a);
    if (pb_leat_peer_heartbeat_request_decode(&a, bytes.p, bytes.n, 0, &in, &st)) {
        struct pb_leat_peer_heartbeat_response *out = pb_leat_peer_heartbeat_response_new(&a);
        peers_heard(s->peers, in->task, in->incarnation, false);
        out->task = str_of(s->name);
        out->incarnation = s->incarnation;
        out->stands_by = s->replica && !replica_serves(s->replica, &out->epoch);
        if (in->want_devices)
            out->device = s->devices;
        reply_with(call, out);
    } else {
        refuse(call, &st);
    }
    arena_release(&a);
}

static void goodbye(void *arg, struct rpc_call *call)
{
    struct server *s = arg;
    struct arena a = {0};
    struct status st = {0};
    struct pb_leat_peer_goodbye_request *in;
    struct str bytes = rpc_msg_flat(rpc_call_request(call), &a);
    if (pb_leat_peer_goodbye_request_decode(&a, bytes.p, bytes.n, 0, &in, &st)) {
        peers_heard(s->peers, in->task, in->incarnation, true);
        reply_with(call, pb_leat_peer_goodbye_response_new(&a));
        lock_take(&s->lock);
        cond_broadcast(&s->changed);
        lock_drop(&s->lock);
    } else {
        refuse(call, &st);
    }
    arena_release(&a);
}

static void add_routes(struct server *s)
{
    struct rpc_handler all[MAX_HANDLERS] = {{"/leat.Peer/Heartbeat", heartbeat, s},
                                            {"/leat.Peer/Goodbye", goodbye, s}};
    int n = 2;
    if (s->replica)
        n += replica_handlers(s->replica, all + n, MAX_HANDLERS - n);
    if (s->witness)
        n += witness_handlers(s->witness, all + n, MAX_HANDLERS - n);
    const int internal = n;
    n += worker_handlers(s->worker, all + n, MAX_HANDLERS - n);
    n += master_handlers(s->master, all + n, MAX_HANDLERS - n);
    for (int i = 0; i < n; i++)
        s->routes[s->num_routes++] = (struct route){
            .server = s,
            .real = all[i],
            .counts = i >= internal && !strstr(all[i].path, "/GetStatus"),
            .internal = i < internal,
        };
}

static bool serve(struct server *s, const struct server_bind *bind,
                  const struct rpc_security *security, struct status *st)
{
    struct rpc_handler all[MAX_HANDLERS];
    for (int i = 0; i < s->num_routes; i++)
        all[i] = (struct rpc_handler){s->routes[i].real.path, run_route, &s->routes[i]};
    struct rpc_server_options o = {.bind = (const char *const *)bind->v,
                                   .num_bind = bind->n,
                                   .handlers = all,
                                   .num_handlers = s->num_routes,
                                   .security = security};
    s->rpc = rpc_server_new(&o, st);
    return s->rpc != NULL;
}

/* --- servers of this process --- */

static struct server *find_target(const char *target)
{
    for (struct server *s = servers; s; s = s->next) {
        if (strcmp(s->target, target) == 0)
            return s;
    }
    return NULL;
}

struct master *server_find_master(const char *target)
{
    lock_take(&servers_lock);
    struct server *s = find_target(target);
    if (s)
        s->users++;
    lock_drop(&servers_lock);
    return s ? s->master : NULL;
}

/* It was found, and so its server is there; listed no more, perhaps. */
void server_unref_master(struct master *m)
{
    lock_take(&servers_lock);
    struct server *s = servers;
    while (s && s->master != m)
        s = s->next;
    if (s && --s->users == 0)
        cond_broadcast(&servers_changed);
    lock_drop(&servers_lock);
}

static void say_goodbyes(void)
{
    lock_take(&servers_lock);
    for (struct server *s = servers; s; s = s->next) {
        s->users++;
        lock_drop(&servers_lock);
        peers_goodbye(s->peers, GOODBYE_MS);
        lock_take(&servers_lock);
        s->users--;
    }
    cond_broadcast(&servers_changed);
    lock_drop(&servers_lock);
}

static void list_server(struct server *s)
{
    static bool at_exit; /* guarded by servers_lock */
    lock_take(&servers_lock);
    s->next = servers;
    servers = s;
    s->listed = true;
    bool first = !at_exit;
    at_exit = true;
    lock_drop(&servers_lock);
    if (first && atexit(say_goodbyes) != 0)
        log_warning("no goodbye will be said at the end of this process");
}

static void unlist_server(struct server *s)
{
    lock_take(&servers_lock);
    struct server **at = &servers;
    while (s->users > 0)
        cond_wait(&servers_changed, &servers_lock);
    while (*at && *at != s)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
    s->listed = false;
    lock_drop(&servers_lock);
}

/* --- life --- */

static const char *env_text(const char *name)
{
    const char *v = getenv(name);
    return v && v[0] ? v : NULL;
}

bool server_security_from_env(struct rpc_security *out)
{
    const char *insecure = env_text("LEAT_INSECURE");
    *out = (struct rpc_security){.cert_file = getenv("LEAT_TLS_CERT"),
                                 .key_file = getenv("LEAT_TLS_KEY"),
                                 .ca_file = getenv("LEAT_TLS_CA"),
                                 .token_file = getenv("LEAT_TOKEN_FILE"),
                                 .insecure = insecure && strcmp(insecure, "0") != 0};
    return out->cert_file || out->key_file || out->ca_file || out->token_file || out->insecure;
}

static bool check_task(struct server *s, struct status *st)
{
    if (!s->spec.job)
        return status_invalid(st, "a server must know which task it is (job and index)");
    char *job = mem_strdup(s->spec.job);
    bool ok = spec_set_task(&s->spec, job, s->spec.index, st);
    if (!ok && strcmp(job, "evaluator") == 0)
        status_append(st, ": an evaluator stands outside of the cluster, and serves nobody");
    mem_free(job);
    return ok;
}

/* The address of the spec, or of whoever stands by for that task. */
static const char *address_of(const struct server *s, const struct spec_task *t)
{
    const struct spec_task *in = t->job ? spec_find(&s->spec, t->job, t->index) : NULL;
    return in ? in->address : NULL;
}

/* In a cluster with replicated tasks each one has marks of what its steps did (replica.h). */
static void make_replica(struct server *s, const struct rpc_security *security)
{
    const struct standbys *b = &s->standbys;
    const struct spec_task self = {s->spec.job, s->spec.index, NULL};
    const bool standby = b->self.job != NULL;
    const char *at = standbys_address(b, self.job, self.index);
    const struct replica_options o = {.task = s->name,
                                      .incarnation = s->incarnation,
                                      .standby = standby,
                                      .other_address = standby ? address_of(s, &self) : at,
                                      .witness_address = address_of(s, &b->witness),
                                      .security = security,
                                      .failure_ms = peers_failure_ms(s->peers),
                                      .worker = s->worker,
                                      .peers = s->peers,
                                      .decided = replica_decided,
                                      .over = replica_over,
                                      .arg = s};
    s->replica = replica_new(&o);
    s->witness = witness_new();
    worker_set_replica(s->worker, s->replica);
    for (int i = 0; i < b->n; i++)
        peers_set_standby(s->peers, b->v[i].job, b->v[i].index, b->v[i].address);
}

static bool make_parts(struct server *s, const struct server_options *o,
                       const struct rpc_security *security, struct status *st)
{
    s->peers = peers_new(&s->spec, security, &o->deadlines);
    s->worker = worker_new(&s->spec, s->peers, &s->config, st);
    if (!s->worker)
        return false;
    s->master = master_new(s->worker, s->peers, &s->config);
    s->devices = worker_devices(s->worker, &s->arena);
    s->incarnation = s->devices.n > 0 ? s->devices.v[0]->incarnation : 1;
    peers_set_self(s->peers, s->name, s->incarnation);
    if (s->standbys.n > 0)
        make_replica(s, security);
    add_routes(s);
    return true;
}

/* A process that stands by is the task that it stands by for. */
static bool read_standbys(struct server *s, const struct server_options *o, struct status *st)
{
    if (!standbys_read(&s->spec, o->standbys, o->standby_of, o->witness, &s->standbys, st))
        return false;
    const struct spec_task *self = &s->standbys.self;
    return !self->job || spec_set_task(&s->spec, self->job, self->index, st);
}

static bool open_server(struct server *s, const struct server_options *o, struct status *st)
{
    struct server_bind bind = {.n = 0};
    struct rpc_security from_env;
    const struct rpc_security *security = o->security;
    if (!security && server_security_from_env(&from_env))
        security = &from_env;
    if (!read_standbys(s, o, st) || !check_task(s, st) || !rpc_available(st))
        return false;
    s->name = spec_task_name(s->spec.job, s->spec.index);
    if (s->spec.config && !config_parse(&s->config, s->spec.config, s->spec.config_bytes, st))
        return false;
    struct spec_task at = *spec_find(&s->spec, s->spec.job, s->spec.index);
    if (s->standbys.self.job)
        at.address = (char *)(uintptr_t)standbys_address(&s->standbys, s->spec.job, s->spec.index);
    bool ok = server_bind_find(&at, o->bind ? o->bind : env_text("LEAT_BIND"), &bind, st) &&
              make_parts(s, o, security, st) && serve(s, &bind, security, st);
    server_bind_clear(&bind);
    if (ok)
        s->target = mem_printf("grpc://localhost:%d", rpc_server_port(s->rpc));
    return ok;
}

struct server *server_new(const struct server_options *o, struct status *st)
{
    struct server *s = mem_new(struct server);
    s->spec = spec_dup(o->spec);
    s->early_end = &s->early;
    config_init(&s->config);
    lock_init(&s->lock, "server", LOCK_RANK_SERVER + 2);
    cond_init(&s->changed);
    if (open_server(s, o, st)) {
        list_server(s);
        return s;
    }
    server_free(s);
    return NULL;
}

bool server_start(struct server *s, struct status *st)
{
    lock_take(&s->lock);
    bool gone = s->stopping;
    s->started |= !gone;
    s->asked_ns = clock_now_ns();
    lock_drop(&s->lock);
    if (!gone && s->replica)
        replica_start(s->replica);
    if (!gone)
        run_early(s);
    return !gone || status_precondition(st, "Server has been stopped; make another one");
}

static void refuse_early(struct server *s)
{
    lock_take(&s->lock);
    struct early *e = s->early;
    s->early = NULL;
    s->early_end = &s->early;
    lock_drop(&s->lock);
    while (e) {
        struct status st = {0};
        struct early *next = e->next;
        status_fail(&st, STATUS_UNAVAILABLE, "%s is stopping", s->name);
        refuse(e->call, &st);
        mem_free(e);
        e = next;
    }
}

bool server_stop(struct server *s, struct status *st)
{
    (void)st;
    lock_take(&s->lock);
    bool first = !s->stopping;
    bool was_started = s->started;
    s->stopping = true;
    s->started = true; /* nothing more is kept for later */
    cond_broadcast(&s->changed);
    while (!first && !s->stopped)
        cond_wait(&s->changed, &s->lock);
    lock_drop(&s->lock);
    if (!first)
        return true;
    refuse_early(s);
    if (was_started)
        peers_goodbye(s->peers, GOODBYE_MS);
    if (s->replica)
        replica_stop(s->replica);
    if (s->master)
        master_stop(s->master); /* sessions of this process end too */
    if (s->listed)
        unlist_server(s);
    if (s->rpc)
        rpc_server_stop(s->rpc, STOP_GRACE_MS);
    lock_take(&s->lock);
    s->stopped = true;
    cond_broadcast(&s->changed);
    lock_drop(&s->lock);
    return true;
}

/* When a ps may end by itself, after so long without a question; -1: never. */
static int64_t idle_ms(const struct server *s)
{
    const char *text = env_text("LEAT_PS_EXIT");
    int64_t v;
    if (strcmp(s->spec.job, "ps") != 0 || (text && strcmp(text, "never") == 0))
        return -1;
    return text && str_to_i64(str_of(text), &v) && v >= 0 ? v : PS_IDLE_MS;
}

bool server_join(struct server *s, struct status *st)
{
    int64_t idle = idle_ms(s);
    lock_take(&s->lock);
    bool asked = false; /* to give up: Ctrl-C; the server serves on */
    while (!s->stopped && !asked) {
        int64_t now = clock_now_ns();
        bool quiet = s->started && idle >= 0 && now - s->asked_ns >= idle * MS_NS;
        bool all_left = idle >= 0 && !s->stopping && peers_all_left(s->peers, "ps");
        if ((all_left && quiet) || (idle >= 0 && s->other_left))
            break;
        if (idle < 0) {
            asked = !cond_wait_or_stop(&s->changed, &s->lock);
        } else if (!cond_wait_until(&s->changed, &s->lock, now + JOIN_LOOK_MS * MS_NS)) {
            lock_drop(&s->lock); /* tasks of TensorFlow leave without a word */
            asked = thread_should_stop();
            lock_take(&s->lock);
        }
    }
    bool over = s->stopped;
    lock_drop(&s->lock);
    if (asked && !over)
        return status_fail(st, STATUS_CANCELLED, "The wait for the server to stop was given up");
    return over || server_stop(s, st);
}

void server_free(struct server *s)
{
    struct status st = {0};
    if (!s)
        return;
    if (!server_stop(s, &st))
        status_clear(&st);
    rpc_server_free(s->rpc);
    master_free(s->master);
    replica_free(s->replica);
    worker_free(s->worker);
    witness_free(s->witness);
    standbys_clear(&s->standbys);
    peers_free(s->peers);
    spec_clear(&s->spec);
    config_clear(&s->config);
    arena_release(&s->arena);
    cond_release(&s->changed);
    lock_release_memory(&s->lock);
    mem_free(s->target);
    mem_free(s->name);
    mem_free(s);
}

const char *server_target(const struct server *s)
{
    return s->target;
}

const char *server_name(const struct server *s)
{
    return s->name;
}
