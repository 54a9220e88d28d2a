/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of `leat serve`, started with a pipe for what they print and PR_SET_PDEATHSIG. */
#include "cluster.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lock.h"
#include "dist/wire.h"
#include "netns.h"

bool faults_available(void)
{
    struct status st = {0};
    bool have = rpc_available(&st);
    if (!have)
        print_message("skipped: %s\n", status_message(&st));
    status_clear(&st);
    return have;
}

int64_t faults_deadline_ms(void)
{
    const char *text = getenv("LEAT_TEST_DEADLINE_MS");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return text ? atoll(text) : 5000;
#else
    return text ? atoll(text) : 1000;
#endif
}

/* The first port that the kernel gives to those who name none; what connects out has such a one, so
 * a task that is killed may find its own taken when it comes back. Those below are asked for. */
static int first_port_of_others(void)
{
    int first = 0;
    FILE *f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r");
    if (f && fscanf(f, "%d", &first) != 1)
        first = 0;
    if (f)
        fclose(f);
    return first;
}

static bool bind_port(int fd, int port)
{
    const struct sockaddr_in a = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return bind(fd, (const struct sockaddr *)&a, sizeof a) == 0;
}

/* A socket that holds a port of the loopback: tests that run at the same time begin apart. */
static int hold_port(int *port)
{
    enum { LOWEST = 10000, TRIES = 2000 };
    static int used;
    const int on = 1, range = first_port_of_others() - LOWEST;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0);
    for (int tries = 0; range > 0 && tries < TRIES; tries++) {
        *port = LOWEST + (int)(((int64_t)getpid() * FAULTS_MAX_TASKS + used++) % range);
        if (bind_port(fd, *port))
            return fd;
    }
    struct sockaddr_in a;
    socklen_t n = sizeof a;
    assert_true(bind_port(fd, 0) && getsockname(fd, (struct sockaddr *)&a, &n) == 0);
    *port = ntohs(a.sin_port);
    return fd;
}

/* A port that is free now, and held until all are chosen; in a namespace of its own, any is. */
static int place(struct faults_task *t, int at, bool apart)
{
    enum { APART_PORT = 2222 };
    t->host = apart ? netns_address(at) : "127.0.0.1";
    t->apart = apart;
    t->ns = at;
    t->port = APART_PORT;
    return apart ? -1 : hold_port(&t->port);
}

static void choose(struct faults_cluster *c, int ps, int workers, int standbys, bool apart)
{
    int fds[FAULTS_MAX_TASKS];
    char deadline[32];
    faults_clear(c); /* of a test that failed as it began */
    memset(c, 0, sizeof *c);
    assert_true(ps + workers + standbys <= FAULTS_MAX_TASKS);
    for (int i = 0; i < ps + workers; i++) {
        struct faults_task *t = &c->v[c->n++];
        size_t at = strlen(c->spec);
        *t = (struct faults_task){.job = i < ps ? "ps" : "worker", .index = i < ps ? i : i - ps};
        fds[i] = place(t, i, apart);
        snprintf(c->spec + at, sizeof c->spec - at, "%s%s:%d",
                 i == 0    ? ps ? "ps=" : "worker="
                 : i == ps ? ";worker="
                           : ",",
                 t->host, t->port);
    }
    for (int i = 0; i < standbys; i++) {
        struct faults_task *t = &c->v[c->n];
        size_t at = strlen(c->standbys);
        *t = (struct faults_task){.job = "ps", .index = i, .standby = true};
        fds[c->n] = place(t, c->n, apart);
        c->n++;
        snprintf(c->standbys + at, sizeof c->standbys - at, "%s/job:ps/task:%d=%s:%d", i ? "," : "",
                 i, t->host, t->port);
    }
    for (int i = 0; i < c->n; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    if (standbys > 0)
        setenv("LEAT_STANDBYS", c->standbys, 1);
    else
        unsetenv("LEAT_STANDBYS");
    if (apart)
        setenv("LEAT_INSECURE", "1", 1); /* no addresses of the loopback */
    snprintf(deadline, sizeof deadline, "%lld", (long long)faults_deadline_ms());
    setenv("LEAT_FAILURE_DEADLINE_MS", deadline, 1); /* ours, and the tasks' */
    setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
}

void faults_init(struct faults_cluster *c, int ps, int workers)
{
    choose(c, ps, workers, 0, false);
}

void faults_init_standby(struct faults_cluster *c, int ps, int workers)
{
    choose(c, ps, workers, ps, false);
}

void faults_init_apart(struct faults_cluster *c, int ps, int workers)
{
    choose(c, ps, workers, ps, true);
}

struct faults_task *faults_standby(struct faults_cluster *c, int index)
{
    for (int i = 0; i < c->n; i++) {
        if (c->v[i].standby && c->v[i].index == index)
            return &c->v[i];
    }
    fail_msg("nobody stands by for ps %d", index);
    return NULL;
}

static bool in_sync(struct rpc_channel *c, int index)
{
    struct arena a = {0};
    struct status st = {0};
    struct rpc_msg m = {0}, reply = {0};
    struct pb_leat_peer_lease_request *q = pb_leat_peer_lease_request_new(&a);
    struct pb_leat_peer_lease_response *out = NULL;
    const struct rpc_options o = {.timeout_ms = 1000, .fail_fast = true};
    q->task = str_of(arena_printf(&a, "/job:ps/replica:0/task:%d", index));
    q->ask = PB_LEAT_PEER_LEASE_REQUEST_ASK_LOOK;
    bool ok = wire_put(&m, q, &st) &&
              rpc_call_wait(c, "/leat.Peer/Lease", &m, &o, NULL, &reply, &st) &&
              wire_read(&reply, &pb_leat_peer_lease_response_desc, NULL, &a, &out, NULL, &st) &&
              out->granted;
    rpc_msg_clear(&reply);
    status_clear(&st);
    arena_release(&a);
    return ok;
}

static struct rpc_channel *to_witness(struct faults_cluster *c)
{
    char address[40];
    struct status st = {0};
    const struct faults_task *witness = faults_task(c, "worker", 0);
    snprintf(address, sizeof address, "%s:%d", witness->host, witness->port);
    struct rpc_channel *channel = rpc_channel_new(address, NULL, true, &st);
    assert_non_null(channel);
    return channel;
}

void faults_wait_in_sync(struct faults_cluster *c, int index)
{
    struct rpc_channel *channel = to_witness(c);
    int64_t until = clock_now_ns() + faults_deadline_ms() * 60000000;
    while (!in_sync(channel, index)) {
        if (clock_now_ns() > until)
            fail_msg("nobody has everything of ps %d", index);
        usleep(5000);
    }
    rpc_channel_unref(channel);
}

struct faults_task *faults_task(struct faults_cluster *c, const char *job, int index)
{
    for (int i = 0; i < c->n; i++) {
        if (!c->v[i].standby && c->v[i].index == index && strcmp(c->v[i].job, job) == 0)
            return &c->v[i];
    }
    fail_msg("there is no %s %d", job, index);
    return NULL;
}

void faults_use_relay(struct faults_cluster *c, uint64_t seed)
{
    c->relay = relay_new((int)(faults_deadline_ms() / 60), seed);
    for (int i = 0; i < c->n; i++) {
        for (int k = 0; k < c->n; k++) {
            if (i != k)
                c->links[i][k] = relay_add(c->relay, c->v[k].port, &c->ports[i][k]);
        }
    }
}

void faults_set_links(struct faults_cluster *c, const struct faults_task *a,
                      const struct faults_task *b, enum relay_mode mode)
{
    const enum relay_mode other = mode == RELAY_THERE  ? RELAY_BACK
                                  : mode == RELAY_BACK ? RELAY_THERE
                                                       : mode;
    const int i = (int)(a - c->v);
    for (int k = 0; k < c->n; k++) {
        if (k == i || (b && b != &c->v[k]))
            continue;
        relay_set(c->relay, c->links[i][k], mode);
        relay_set(c->relay, c->links[k][i], other);
    }
}

/* How this process sees the others. */
static void set_ports(const struct faults_cluster *c, const struct faults_task *t, char *spec,
                      size_t n)
{
    const int self = (int)(t - c->v);
    const char *job = "";
    char standbys[300] = "";
    spec[0] = 0;
    for (int i = 0; i < c->n; i++) {
        const struct faults_task *x = &c->v[i];
        const int port = i == self ? x->port : c->ports[self][i];
        if (x->standby) {
            size_t at = strlen(standbys);
            snprintf(standbys + at, sizeof standbys - at, "%s/job:ps/task:%d=127.0.0.1:%d",
                     at ? "," : "", x->index, port);
            continue;
        }
        size_t at = strlen(spec);
        const bool same = strcmp(job, x->job) == 0;
        snprintf(spec + at, n - at, "%s%s%s127.0.0.1:%d", at && !same ? ";" : "",
                 same ? "," : x->job, same ? "" : "=", port);
        job = x->job;
    }
    if (standbys[0])
        setenv("LEAT_STANDBYS", standbys, 1);
}

static const char *leat_path(char *path, size_t n)
{
    char self[400];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = 0;
    char *slash = strrchr(self, '/');
    *slash = 0;
    snprintf(path, n, "%s/../bin/leat", self);
    return path;
}

static void become(const struct faults_cluster *c, const struct faults_task *t, int out,
                   pid_t parent)
{
    char path[450], index[16], spec[600];
    snprintf(spec, sizeof spec, "%s", c->spec);
    if (c->relay)
        set_ports(c, t, spec, sizeof spec);
    snprintf(index, sizeof index, "%d", t->index);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    if (t->apart && !netns_enter(t->ns))
        _exit(126);
    dup2(out, 1);
    if (t->standby) {
        char name[40];
        snprintf(name, sizeof name, "/job:ps/task:%d", t->index);
        setenv("LEAT_STANDBY_OF", name, 1);
    }
    execl(leat_path(path, sizeof path), "leat", "serve", "--cluster", spec, "--job", t->job,
          "--task", index, (char *)NULL);
    _exit(127);
}

/* False: it ended without a word. */
static bool try_to_start(struct faults_cluster *c, struct faults_task *t)
{
    int ends[2], status;
    char said[200];
    pid_t parent = getpid();
    assert_int_equal(pipe(ends), 0);
    t->pid = fork();
    if (t->pid == 0)
        become(c, t, ends[1], parent);
    close(ends[1]);
    ssize_t n = read(ends[0], said, sizeof said - 1); /* one line, or the end */
    close(ends[0]);
    said[n > 0 ? n : 0] = 0;
    if (strstr(said, "serves at"))
        return true;
    assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
    t->pid = 0;
    return false;
}

void faults_catch(struct faults_cluster *c, struct faults_task *t)
{
    struct rpc_channel *channel = to_witness(c);
    for (bool caught = false; !caught;) {
        int status;
        faults_wait_in_sync(c, t->index);
        faults_signal(t, SIGSTOP);
        assert_int_equal(waitpid(t->pid, &status, WUNTRACED), t->pid);
        assert_true(WIFSTOPPED(status));
        caught = in_sync(channel, t->index);
        if (!caught)
            faults_signal(t, SIGCONT);
    }
    rpc_channel_unref(channel);
}

/* Its port may be somebody's for a moment: connections of other processes have ports, too. */
void faults_start(struct faults_cluster *c, struct faults_task *t)
{
    assert_int_equal(t->pid, 0);
    for (int tries = 0; tries < 40; tries++) {
        if (try_to_start(c, t))
            return;
        usleep(50000);
    }
    fail_msg("%s:%d does not serve", t->job, t->index);
}

void faults_start_all(struct faults_cluster *c)
{
    for (int i = 0; i < c->n; i++)
        faults_start(c, &c->v[i]);
}

void faults_signal(struct faults_task *t, int sig)
{
    assert_true(t->pid > 0 && kill(t->pid, sig) == 0);
}

void faults_kill(struct faults_task *t)
{
    int status;
    faults_signal(t, SIGKILL);
    assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
    t->pid = 0;
}

int faults_end(struct faults_task *t)
{
    int status;
    faults_signal(t, SIGTERM);
    assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
    t->pid = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void faults_clear(struct faults_cluster *c)
{
    for (int i = 0; i < c->n; i++) {
        if (c->v[i].pid > 0)
            faults_kill(&c->v[i]);
    }
    relay_free(c->relay);
    c->relay = NULL;
}

const char *faults_target(const struct faults_task *t)
{
    static char target[64];
    snprintf(target, sizeof target, "grpc://%s:%d", t->host, t->port);
    return target;
}
