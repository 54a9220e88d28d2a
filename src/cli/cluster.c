/* SPDX-License-Identifier: Apache-2.0 */
/* leat cluster: a cluster of local processes around a command. Parameter servers are `leat serve`;
 * the command runs once for each worker, which it is to serve itself (leat_server_new, or
 * tf.train.Server), or, with --client, once beside workers that are `leat serve` too. */
#include "cli/cluster.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"

const char cluster_usage[] =
    "leat cluster --ps P --workers W [--sync] [--standby] [--client] -- COMMAND...\n"
    "leat cluster check [--cluster TEXT] [--timeout SECONDS]\n"
    "\n"
    "The first starts a cluster of processes on this machine: P parameter servers, and COMMAND "
    "once\n"
    "for each of W workers, with TF_CONFIG saying who is who. What they print comes with their "
    "names\n"
    "before each line. It ends when the command has ended in all workers, or with the exit code "
    "of\n"
    "the first that fails.\n"
    "\n"
    "  --sync     sets LEAT_SYNC=1, for programs that train synchronously then\n"
    "  --standby  a second process for each parameter server, which takes over when it is lost; "
    "the\n"
    "             first worker says which of them serves (LEAT_STANDBYS)\n"
    "  --client   workers are servers too; COMMAND runs once, beside them, with LEAT_TARGET\n"
    "             (grpc://... of the first worker) and TF_CONFIG without a task\n"
    "\n"
    "check asks each task of a running cluster (--cluster, or TF_CONFIG's) to reach all the "
    "others,\n"
    "and says what is wrong.\n";

struct plan { /* what was asked for */
    int ps, workers;
    bool sync, client, standby;
    char **command; /* NULL at the end */
};

/* --- words --- */

static bool count_of(struct args args, int *i, int *out, struct status *st)
{
    const char *word = args.words[*i], *text = args_value(args, i, st);
    int64_t v;
    if (!text)
        return false;
    if (!str_to_i64(str_of(text), &v) || v < 0 || v > 1000)
        return status_invalid(st, "%s %s: a number from 0 to 1000 is wanted", word, text);
    *out = (int)v;
    return true;
}

static bool read_words(struct args args, struct plan *p, struct status *st)
{
    for (int i = 0; i < args.n; i++) {
        const char *word = args.words[i];
        bool ok = true;
        if (strcmp(word, "--") == 0) {
            p->command = args.words + i + 1;
            return p->command[0] || status_invalid(st, "no command after --");
        }
        if (strcmp(word, "--ps") == 0)
            ok = count_of(args, &i, &p->ps, st);
        else if (strcmp(word, "--workers") == 0)
            ok = count_of(args, &i, &p->workers, st);
        else if (strcmp(word, "--sync") == 0)
            p->sync = true;
        else if (strcmp(word, "--client") == 0)
            p->client = true;
        else if (strcmp(word, "--standby") == 0)
            p->standby = true;
        else
            ok = args_unknown("cluster", word, st);
        if (!ok)
            return false;
    }
    return status_invalid(st, "the command to run is wanted, after --");
}

/* --- addresses --- */

/* A socket that holds a free port of the loopback; -1: there is none. */
static int hold_port(int *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t n = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&a, n) == 0 &&
        getsockname(fd, (struct sockaddr *)&a, &n) == 0) {
        *port = ntohs(a.sin_port);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* All ports are held until all are chosen. */
static bool choose_addresses(const struct plan *p, struct cluster_tasks *t,
                             struct cluster_tasks *standbys, struct status *st)
{
    const int tasks = p->ps + p->workers, n = tasks + (p->standby ? p->ps : 0);
    int port = 0, i = 0;
    int *fds = mem_new_array(int, n + 1);
    bool ok = true;
    for (; ok && i < n; i++) {
        fds[i] = hold_port(&port);
        ok = fds[i] >= 0 || status_exhausted(st, "no port is free for task %d", i);
        if (ok && i >= tasks)
            cluster_add(standbys, "ps", i - tasks, mem_printf("127.0.0.1:%d", port));
        else if (ok)
            cluster_add(t, i < p->ps ? "ps" : "worker", i < p->ps ? i : i - p->ps,
                        mem_printf("127.0.0.1:%d", port));
    }
    while (i-- > 0) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
    mem_free(fds);
    return ok;
}

/* --- processes --- */

static char *own_path(struct arena *a)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    return n > 0 ? arena_strndup(a, path, (size_t)n) : arena_strdup(a, "leat");
}

static char **environment(struct arena *a, const struct plan *p, const struct cluster_tasks *t,
                          int64_t task, const char *standbys)
{
    char **env = arena_array(a, char *, 6);
    struct strbuf json = {0};
    int n = 0;
    cluster_print_json(t, task, &json);
    env[n++] = arena_printf(a, "TF_CONFIG=%s", strbuf_text(&json));
    if (standbys[0])
        env[n++] = arena_printf(a, "LEAT_STANDBYS=%s", standbys);
    if (p->sync)
        env[n++] = arena_strdup(a, "LEAT_SYNC=1");
    if (task < 0 && p->workers > 0)
        env[n++] = arena_printf(a, "LEAT_TARGET=grpc://%s", t->v[p->ps].address);
    strbuf_release(&json);
    return env;
}

/* "/job:ps/task:0=HOST:PORT,..." */
static const char *standbys_text(struct arena *a, const struct cluster_tasks *standbys)
{
    const char *text = "";
    for (int64_t i = 0; i < standbys->n; i++)
        text = arena_printf(a, "%s%s/job:ps/task:%d=%s", text, i ? "," : "", standbys->v[i].index,
                            standbys->v[i].address);
    return text;
}

/* Those that stand by: as the tasks that they stand by for, and saying so. */
static int add_standbys(struct arena *a, const struct plan *p, const struct cluster_tasks *t,
                        const struct cluster_tasks *standbys, char **serve, struct process *v)
{
    for (int64_t i = 0; i < standbys->n; i++) {
        char **env = environment(a, p, t, i, standbys_text(a, standbys));
        int n = 0;
        while (env[n])
            n++;
        env[n] = arena_printf(a, "LEAT_STANDBY_OF=/job:ps/task:%d", standbys->v[i].index);
        v[i] = (struct process){.name = arena_printf(a, "standby:%d", standbys->v[i].index),
                                .words = serve,
                                .env = env};
    }
    return (int)standbys->n;
}

static int make_processes(struct arena *a, const struct plan *p, const struct cluster_tasks *t,
                          const struct cluster_tasks *standbys, struct process *v)
{
    char **serve = arena_array(a, char *, 3);
    const char *text = standbys_text(a, standbys);
    int n = 0;
    serve[0] = own_path(a);
    serve[1] = arena_strdup(a, "serve");
    for (int64_t i = 0; i < t->n; i++) {
        bool server = i < p->ps || p->client;
        v[n++] = (struct process){.name = arena_printf(a, "%s:%d", t->v[i].job, t->v[i].index),
                                  .words = server ? serve : p->command,
                                  .env = environment(a, p, t, i, text),
                                  .counts = !server};
    }
    if (p->client)
        v[n++] = (struct process){.name = arena_strdup(a, "client"),
                                  .words = p->command,
                                  .env = environment(a, p, t, -1, text),
                                  .counts = true};
    n += add_standbys(a, p, t, standbys, serve, v + n);
    return n;
}

bool cluster_main(struct args args, struct status *st)
{
    struct plan p = {.ps = 1, .workers = 1};
    struct cluster_tasks t = {0}, standbys = {0};
    struct arena a = {0};
    int code = 0;
    if (args.n > 0 && strcmp(args.words[0], "check") == 0)
        return cluster_check_main((struct args){args.words + 1, args.n - 1}, st);
    bool ok = read_words(args, &p, st) &&
              (p.workers > 0 || status_invalid(st, "--workers 0: somebody has to work")) &&
              choose_addresses(&p, &t, &standbys, st);
    if (ok) {
        struct process *v = arena_array(&a, struct process, t.n + standbys.n + 1);
        int n = make_processes(&a, &p, &t, &standbys, v);
        ok = processes_run(v, n, &code, st);
    }
    cluster_release(&t);
    cluster_release(&standbys);
    arena_release(&a);
    if (ok && code != 0)
        exit(code);
    return ok;
}
