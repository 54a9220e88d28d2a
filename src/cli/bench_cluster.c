/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of `leat bench` on a cluster: a parameter server and a worker, each a process of this
 * command, and this process as their client; where a model is trained this process is the worker
 * too, as it is in a program that trains. The client and the worker are on the first core that this
 * process may use, the server on the last. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/mem.h"
#include "cli/bench_layers.h"
#include "cli/task.h"

#define PS "/job:ps/task:0"
#define WORKER "/job:worker/task:0"
enum { NUM_CLIENTS = 100, CLIENT_STEPS = 10, WIDTH = 128, ROWS = 32 };

struct clients;
struct client { /* one of many */
    pthread_t thread;
    TF_Session *session;
    struct clients *all;
    TF_Status *s;
};

struct clients { /* each with a thread, which waits between two runs */
    struct client v[NUM_CLIENTS];
    TF_Output fetch;
    struct lock lock;
    struct cond begun, ended;
    /* --- guarded by lock --- */
    int turn; /* which run they are to make; negative: none any more */
    int busy; /* who is not done with it */
    int num_threads;
};

struct cluster {
    struct task ps, worker;
    TF_Server *own;       /* the worker in this process; NULL: it has one of its own */
    const char *protocol; /* of both */
    struct strbuf spec, target;
    TF_Output fetch;
    struct clients *clients; /* NULL: the part has one */
};

static cpu_set_t cores;  /* of this process, while there was no cluster */
static int num_clusters; /* several parts may be there at once */

static int core_at(const cpu_set_t *set, bool last)
{
    int found = -1;
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, set) && (found < 0 || last))
            found = (int)i;
    return found;
}

static void cluster_free(struct bench_part *p)
{
    struct cluster *c = p->own;
    struct status st = {0};
    TF_Status *s = TF_NewStatus(); /* the part's is gone */
    task_stop(c->own, s);
    TF_DeleteStatus(s);
    if (!task_end(&c->worker, &st) || !task_end(&c->ps, &st))
        status_clear(&st);
    task_kill(&c->worker);
    task_kill(&c->ps);
    if (--num_clusters == 0)
        sched_setaffinity(0, sizeof cores, &cores);
    strbuf_release(&c->spec);
    strbuf_release(&c->target);
    mem_free(c->clients);
    mem_free(c);
}

static bool worker_start(struct cluster *c, int core, struct status *st)
{
    const char *worker[] = {"leat", "task", "worker:0", c->spec.p, c->protocol, NULL};
    return task_start(&c->worker, worker, core, st) && task_line(&c->worker, st);
}

static bool worker_here(struct cluster *c, struct status *st)
{
    TF_Status *s = TF_NewStatus();
    c->own = leat_server_new(
        &(struct leat_server_args){
            .job = "worker", .task = 0, .cluster = c->spec.p, .protocol = c->protocol},
        s);
    if (c->own)
        TF_ServerStart(c->own, s);
    const bool ok = cli_ok(s, st);
    TF_DeleteStatus(s);
    return ok;
}

static bool cluster_start(struct cluster *c, bool here, struct status *st)
{
    int first = core_at(&cores, false), last = core_at(&cores, true);
    if (!task_cluster(1, 1, &c->spec, st))
        return false;
    strbuf_printf(&c->target, "grpc://%s", strrchr(c->spec.p, '=') + 1);
    const char *ps[] = {"leat", "task", "ps:0", c->spec.p, c->protocol, NULL};
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET((size_t)first, &mine);
    if (sched_setaffinity(0, sizeof mine, &mine) != 0)
        return status_internal(st, "the process cannot be pinned");
    return task_start(&c->ps, ps, last, st) && task_line(&c->ps, st) &&
           (here ? worker_here(c, st) : worker_start(c, first, st));
}

/* Starts the tasks; the nodes made next are the server's. here: the worker is this process. */
static struct cluster *cluster_start_in(struct bench_part *p, const char *protocol, bool here)
{
    struct cluster *c = mem_new(struct cluster);
    struct status st = {0};
    c->ps = c->worker = (struct task){.in = -1, .out = -1};
    c->protocol = protocol;
    if (num_clusters++ == 0)
        sched_getaffinity(0, sizeof cores, &cores);
    p->own = c;
    p->release = cluster_free;
    if (!cluster_start(c, here, &st) && TF_GetCode(p->m.s) == TF_OK)
        TF_SetStatus(p->m.s, (TF_Code)st.code, status_message(&st));
    status_clear(&st);
    p->m.target = strbuf_text(&c->target);
    p->m.device = p->m.variable_device = PS;
    return c;
}

static struct cluster *cluster_of(struct bench_part *p)
{
    return cluster_start_in(p, "grpc", false);
}

/* ---- one number of the server's is fetched */

static void build_null(struct bench_part *p, int part)
{
    (void)part;
    cluster_of(p);
    p->fetch = make_variable_from(&p->m, NULL, 0, make_scalar(&p->m, 1));
    p->work = 1;
}

/* Each client makes some steps, one after the other: the time of one is what a client sees. */
static void client_steps(struct client *me)
{
    for (int i = 0; i < CLIENT_STEPS && TF_GetCode(me->s) == TF_OK; i++) {
        TF_Tensor *out = NULL;
        TF_SessionRun(me->session, NULL, NULL, NULL, 0, &me->all->fetch, &out, 1, NULL, 0, NULL,
                      me->s);
        TF_DeleteTensor(out);
    }
}

static void *client_main(void *arg)
{
    struct client *me = arg;
    struct clients *all = me->all;
    int turn = 0;
    for (;;) {
        lock_take(&all->lock);
        while (all->turn == turn)
            cond_wait(&all->begun, &all->lock);
        turn = all->turn;
        lock_drop(&all->lock);
        if (turn < 0)
            return NULL;
        client_steps(me);
        lock_take(&all->lock);
        if (--all->busy == 0)
            cond_signal(&all->ended);
        lock_drop(&all->lock);
    }
}

static bool clients_open(struct bench_part *p, struct status *st)
{
    struct cluster *c = p->own;
    struct clients *all = c->clients = mem_new(struct clients);
    lock_init(&all->lock, "clients", LOCK_RANK_LEAF);
    cond_init(&all->begun);
    cond_init(&all->ended);
    all->fetch = c->fetch;
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_SetTarget(options, p->m.target);
    for (int i = 0; i < NUM_CLIENTS && TF_GetCode(p->m.s) == TF_OK; i++) {
        struct client *me = &all->v[i];
        *me = (struct client){.all = all, .s = TF_NewStatus()};
        me->session = TF_NewSession(p->m.graph, options, p->m.s);
        if (pthread_create(&me->thread, NULL, client_main, me) != 0)
            TF_SetStatus(p->m.s, TF_RESOURCE_EXHAUSTED, "no thread is left");
        else
            all->num_threads++;
    }
    TF_DeleteSessionOptions(options);
    return cli_ok(p->m.s, st);
}

static bool clients_run(struct bench_part *p, struct status *st)
{
    struct cluster *c = p->own;
    bool ok = c->clients ? cli_ok(p->m.s, st) : clients_open(p, st);
    struct clients *all = c->clients;
    if (!ok)
        return false;
    lock_take(&all->lock);
    all->turn++;
    all->busy = NUM_CLIENTS;
    cond_broadcast(&all->begun);
    while (all->busy > 0)
        cond_wait(&all->ended, &all->lock);
    lock_drop(&all->lock);
    for (int i = 0; ok && i < NUM_CLIENTS; i++)
        ok = cli_ok(all->v[i].s, st);
    p->runs++;
    return ok;
}

static void clients_end(struct clients *all)
{
    TF_Status *s = TF_NewStatus();
    lock_take(&all->lock);
    all->turn = -1;
    cond_broadcast(&all->begun);
    lock_drop(&all->lock);
    for (int i = 0; i < all->num_threads; i++)
        pthread_join(all->v[i].thread, NULL);
    for (int i = 0; i < NUM_CLIENTS && all->v[i].s; i++) {
        if (all->v[i].session)
            TF_DeleteSession(all->v[i].session, s);
        TF_DeleteStatus(all->v[i].s);
    }
    TF_DeleteStatus(s);
    cond_release(&all->begun);
    cond_release(&all->ended);
    lock_release_memory(&all->lock);
}

static void clients_free(struct bench_part *p)
{
    struct cluster *c = p->own;
    if (c->clients)
        clients_end(c->clients);
    cluster_free(p);
}

static void build_clients(struct bench_part *p, int part)
{
    (void)part;
    struct cluster *c = cluster_of(p);
    c->fetch = make_variable_from(&p->m, NULL, 0, make_scalar(&p->m, 1));
    p->call = clients_run;
    p->release = clients_free;
    p->work = CLIENT_STEPS;
}

/* ---- rows and arrays go from the server to the worker */

static const int table_mb[] = {1, 16, 128, 1024};

/* Arrays of one size, so many in a step: of one that is small the step takes more time than its
 * bytes do. */
static const struct {
    int mb, num;
} recv[] = {{1, 1}, {1, 16}, {16, 1}, {100, 1}, {1024, 1}};
enum { NUM_RECV = ARRAY_LEN(recv), MOST_ARRAYS = 16 };

static void lookup_name(int part, char *name, size_t size)
{
    snprintf(name, size, "%d MB", table_mb[part]);
}

static void recv_name(int part, char *name, size_t size)
{
    if (recv[part].num == 1)
        snprintf(name, size, "%d MB", recv[part].mb);
    else
        snprintf(name, size, "%d MB, %d a step", recv[part].mb, recv[part].num);
}

/* A variable of zeros: no graph holds its bytes. */
static TF_Output filled(struct maker *m, const int64_t *dims, int n)
{
    int32_t shape[2];
    for (int i = 0; i < n; i++)
        shape[i] = (int32_t)dims[i];
    return make_slot(m, dims, n, op2(m, "Fill", make_ints(m, shape, n), make_scalar(m, 0.5f)));
}

static void build_lookup(struct bench_part *p, int part)
{
    struct maker *m = &p->m;
    int32_t ids[ROWS];
    const int64_t rows = (int64_t)table_mb[part] * (1 << 20) / (WIDTH * 4);
    cluster_of(p);
    const TF_Output table = filled(m, (int64_t[]){rows, WIDTH}, 2);
    for (int i = 0; i < ROWS; i++)
        ids[i] = (int32_t)(maker_random(&m->seed) % (uint64_t)rows);
    m->device = WORKER;
    const TF_Output at = op1(m, "Identity", make_ints(m, ids, ROWS));
    m->device = PS;
    const TF_Output zero = make_int(m, 0), got = op3(m, "GatherV2", table, at, zero);
    m->device = WORKER;
    p->fetch = op2(m, "Sum", got, make_ints(m, (int32_t[]){0, 1}, 2));
    p->work = 1;
}

/* Arrays of the cluster that is there. */
static void build_arrays(struct bench_part *p, int64_t values, int num)
{
    struct maker *m = &p->m;
    TF_Output sent[MOST_ARRAYS];
    TF_Operation *got[MOST_ARRAYS];
    for (int i = 0; i < num; i++)
        sent[i] = op1(m, "Identity", filled(m, &values, 1));
    m->device = WORKER;
    for (int i = 0; i < num; i++)
        got[i] = op1(m, "Identity", sent[i]).oper;
    if (num == 1)
        p->target = got[0];
    else
        bench_target(p, got, num);
    p->work = (double)values * 4e-9 * num;
}

static void build_received(struct bench_part *p, int64_t values, int num)
{
    cluster_of(p);
    build_arrays(p, values, num);
}

static void build_recv(struct bench_part *p, int part)
{
    build_received(p, (int64_t)recv[part].mb * 250000, recv[part].num);
}

/* The same by the protocol grpc+ucx: shared memory, then UCX over TCP. The tasks read which planes
 * they may use from their environment. */
static const char *const tcp_only[][2] = {
    {"LEAT_PLANES", "ucx"}, {"LEAT_INSECURE", "1"}, {"UCX_TLS", "tcp"}, {"UCX_NET_DEVICES", "lo"}};

static void plane_name(int part, char *name, size_t size)
{
    char what[BENCH_PART_NAME / 2];
    recv_name(part % NUM_RECV, what, sizeof what);
    snprintf(name, size, "%s, %s", part < NUM_RECV ? "shared" : "tcp", what);
}

static void build_plane(struct bench_part *p, int part)
{
    for (size_t i = 0; part >= NUM_RECV && i < ARRAY_LEN(tcp_only); i++)
        setenv(tcp_only[i][0], tcp_only[i][1], 1);
    cluster_start_in(p, "grpc+ucx", false);
    for (size_t i = 0; part >= NUM_RECV && i < ARRAY_LEN(tcp_only); i++)
        unsetenv(tcp_only[i][0]);
    build_arrays(p, (int64_t)recv[part % NUM_RECV].mb * 250000, recv[part % NUM_RECV].num);
}

/* ---- training */

static void mlp_name(int part, char *name, size_t size)
{
    snprintf(name, size, "%s", part ? "one process" : "cluster");
}

/* Here the variables alone are the server's. Without a cluster: what the kernels take. */
static void build_mlp(struct bench_part *p, int part)
{
    struct maker *m = &p->m;
    if (part == 0)
        cluster_start_in(p, "grpc", true);
    m->device = part ? NULL : WORKER;
    TF_Output x = bench_input(p, TF_FLOAT, (int64_t[]){1024, 784}, 2, 0);
    const TF_Output y = bench_input(p, TF_INT32, (int64_t[]){1024}, 1, 10);
    m->device = NULL;
    x = op1(m, "Relu", layer_dense(m, x, 784, 512));
    x = op1(m, "Relu", layer_dense(m, x, 512, 512));
    bench_train(p, layer_loss(m, layer_dense(m, x, 512, 10), y), TRAIN_SGD, 0.05f, NULL, 0);
}

/* Updates of a server's variable by values that the worker has; the same without a cluster; and
 * what comes of as many bytes of the server's to the worker. */
enum { ASYNC_CLUSTER, ASYNC_LOCAL, ASYNC_RECV, ASYNC_FORMS };

static void async_name(int part, char *name, size_t size)
{
    static const char *const forms[] = {"cluster", "one process", "received"};
    snprintf(name, size, "%s, %s", part / ASYNC_FORMS ? "1024 rows of 128" : "16 MB",
             forms[part % ASYNC_FORMS]);
}

static void build_update(struct maker *m, bool sparse, bool local, struct bench_part *p)
{
    const int64_t dims[] = {sparse ? 100000 : 4000000, WIDTH}, rows[] = {1024, WIDTH};
    const TF_Output var = filled(m, dims, sparse ? 2 : 1);
    m->device = m->variable_device = local ? NULL : WORKER;
    const TF_Output by = op1(m, "Identity", filled(m, sparse ? rows : dims, sparse ? 2 : 1));
    TF_Output ids = {0};
    if (sparse) {
        int32_t at[1024];
        for (int i = 0; i < 1024; i++)
            at[i] = (int32_t)(maker_random(&m->seed) % 100000);
        ids = op1(m, "Identity", make_ints(m, at, 1024));
    }
    m->device = local ? NULL : PS;
    p->target = (sparse ? op3(m, "ScatterSub", var, ids, by)
                        : op3(m, "ApplyGradientDescent", var, make_scalar(m, 0.01f), by))
                    .oper;
}

static void build_async(struct bench_part *p, int part)
{
    const bool sparse = part / ASYNC_FORMS;
    const int form = part % ASYNC_FORMS;
    const int64_t values = sparse ? 1024 * WIDTH : 4000000;
    p->work = (double)values * 4e-9;
    if (form == ASYNC_RECV) {
        build_received(p, values, 1);
        return;
    }
    if (form == ASYNC_CLUSTER)
        cluster_of(p);
    build_update(&p->m, sparse, form == ASYNC_LOCAL, p);
}

const struct bench_case bench_cluster_cases[] = {
    {"cluster_null", BENCH_NS, "one number of a server's, through a worker", 1, NULL, build_null},
    {"cluster_clients", BENCH_NS, "the same for 100 sessions at once: what each waits", 1, NULL,
     build_clients},
    {"cluster_lookup", BENCH_NS, "32 rows of a server's table, to the worker", 4, lookup_name,
     build_lookup},
    {"cluster_recv", BENCH_GBS, "a server's array, to the worker", NUM_RECV, recv_name, build_recv},
    {"cluster_planes", BENCH_GBS, "the same by grpc+ucx: shared memory, TCP", 2 * NUM_RECV,
     plane_name, build_plane},
    {"cluster_mlp", BENCH_STEPS, "a perceptron, batch 1,024: a server and a worker", 2, mlp_name,
     build_mlp},
    {"cluster_async", BENCH_GBS, "updates of a server's variable by the worker", 2 * ASYNC_FORMS,
     async_name, build_async},
    {0},
};
