/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, hearing and ending the processes of a local cluster. */
#include "cli/task.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"

const char task_usage[] =
    "leat task JOB:INDEX CLUSTER [PROTOCOL]\n"
    "Serves as a task of a local cluster until its input ends; `leat demo` and `leat bench` start\n"
    "it for themselves.\n";

enum { MAX_TASKS = 16, END_MS = 10000 };

/* A socket with a port of the kernel's choice; -1: no. */
static int bind_any(int *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t n = sizeof a;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
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

/* All are held until all are known, so that no two are the same. */
bool task_cluster(int num_ps, int num_workers, struct strbuf *spec, struct status *st)
{
    int fds[MAX_TASKS], n = num_ps + num_workers, port = 0, i = 0;
    ASSERT(n <= MAX_TASKS);
    for (; i < n && (fds[i] = bind_any(&port)) >= 0; i++) {
        const char *before = i == 0 ? "ps=" : i == num_ps ? ";worker=" : ",";
        strbuf_printf(spec, "%slocalhost:%d", before, port);
    }
    bool ok = i == n || status_fail(st, STATUS_UNAVAILABLE, "no port is free: %s", strerror(errno));
    while (i-- > 0)
        close(fds[i]);
    return ok;
}

/* Between fork and exec: nothing but calls to the system. */
static void become(const char *const *words, const int in[2], const int out[2], int core,
                   pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    if (core >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((size_t)core, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    if (dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", (char *const *)(uintptr_t)words);
    _exit(127);
}

bool task_start(struct task *t, const char *const *words, int core, struct status *st)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    *t = (struct task){.in = -1, .out = -1};
    pid_t parent = getpid();
    signal(SIGPIPE, SIG_IGN); /* a task that is gone is an error of task_say */
    bool ok = pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && (t->pid = fork()) >= 0;
    if (ok && t->pid == 0)
        become(words, in, out, core, parent);
    if (!ok) {
        status_fail(st, STATUS_UNAVAILABLE, "a process of the cluster: %s", strerror(errno));
        t->pid = 0;
    }
    t->in = in[1];
    t->out = out[0];
    if (in[0] >= 0)
        close(in[0]);
    if (out[1] >= 0)
        close(out[1]);
    if (!ok)
        task_kill(t);
    return ok;
}

int task_poll(struct task *t, int ms)
{
    struct pollfd p = {.fd = t->out, .events = POLLIN};
    int64_t end = clock_now_ns() + (int64_t)ms * 1000000;
    if (t->out < 0)
        return -1;
    for (;;) {
        char c;
        int64_t left = ms < 0 ? -1 : (end - clock_now_ns()) / 1000000;
        int n = poll(&p, 1, ms < 0 ? -1 : left > 0 ? (int)left : 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            return 0;
        if (n < 0 || read(t->out, &c, 1) != 1)
            return -1;
        if (c == '\n') {
            t->line[t->n] = 0;
            t->n = 0;
            return 1;
        }
        if (t->n + 1 < sizeof t->line)
            t->line[t->n++] = c;
    }
}

bool task_said(const struct task *t, int polled, struct status *st)
{
    if (polled < 0)
        return status_fail(st, STATUS_UNAVAILABLE, "a task of the local cluster has ended");
    if (strncmp(t->line, "error ", 6) != 0)
        return true;
    char *words;
    long code = strtol(t->line + 6, &words, 10);
    if (code < 1 || code > STATUS_DATA_LOSS)
        code = STATUS_UNKNOWN;
    return status_fail(st, (int)code, "a task of the local cluster:%s", words);
}

bool task_line(struct task *t, struct status *st)
{
    return task_said(t, task_poll(t, -1), st);
}

bool task_say(struct task *t, const char *line, struct status *st)
{
    struct str rest = str_of(line);
    while (rest.n > 0) {
        ssize_t n = write(t->in, rest.p, rest.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return status_fail(st, STATUS_UNAVAILABLE, "a task of the local cluster: %s",
                               strerror(errno));
        rest.p += n;
        rest.n -= (size_t)n;
    }
    return true;
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void task_kill(struct task *t)
{
    close_end(&t->in);
    if (t->pid > 0) {
        kill(t->pid, SIGKILL);
        while (waitpid(t->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close_end(&t->out);
    t->pid = 0;
}

bool task_end(struct task *t, struct status *st)
{
    int code = 0, said;
    if (t->pid <= 0)
        return true;
    close_end(&t->in);
    while ((said = task_poll(t, END_MS)) == 1) {
    }
    if (said == 0) {
        task_kill(t);
        return status_fail(st, STATUS_DEADLINE_EXCEEDED,
                           "a task of the local cluster did not end within %d ms", END_MS);
    }
    while (waitpid(t->pid, &code, 0) < 0 && errno == EINTR) {
    }
    t->pid = 0;
    close_end(&t->out);
    return code == 0 || status_fail(st, STATUS_UNAVAILABLE, "a task of the local cluster failed");
}

/* ---- in the task */

static void tell_error(const TF_Status *s)
{
    struct strbuf one = {0};
    strbuf_puts(&one, TF_Message(s));
    for (char *c = one.p; c && *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    printf("error %d %s\n", (int)TF_GetCode(s), strbuf_text(&one));
    fflush(stdout);
    strbuf_release(&one);
}

TF_Server *task_serve(const char *job, int index, const char *cluster, const char *protocol,
                      TF_Status *s)
{
    TF_Server *server = leat_server_new(
        &(struct leat_server_args){
            .job = job, .task = index, .cluster = cluster, .protocol = protocol},
        s);
    if (server)
        TF_ServerStart(server, s);
    if (TF_GetCode(s) != TF_OK) {
        tell_error(s);
        TF_DeleteServer(server);
        return NULL;
    }
    puts("ready");
    fflush(stdout);
    return server;
}

void task_stop(TF_Server *server, TF_Status *s)
{
    if (!server)
        return;
    TF_ServerStop(server, s);
    TF_DeleteServer(server);
}

bool task_read_name(const char *name, char job[32], int *index, struct status *st)
{
    const char *colon = strchr(name, ':');
    int64_t i = 0;
    if (!colon || colon == name || colon - name >= 32 || !str_to_i64(str_of(colon + 1), &i) ||
        i < 0 || i > 1000000)
        return status_invalid(st, "JOB:INDEX is wanted, not '%s'", name);
    memcpy(job, name, (size_t)(colon - name));
    job[colon - name] = 0;
    *index = (int)i;
    return true;
}

bool task_main(struct args args, struct status *st)
{
    char job[32], c;
    int index;
    if (args.n != 2 && args.n != 3)
        return status_invalid(st, "task JOB:INDEX CLUSTER [PROTOCOL]");
    if (!task_read_name(args.words[0], job, &index, st))
        return false;
    TF_Status *s = TF_NewStatus();
    TF_Server *server = task_serve(job, index, args.words[1], args.n > 2 ? args.words[2] : NULL, s);
    while (server && read(STDIN_FILENO, &c, 1) > 0) {
    }
    task_stop(server, s);
    bool ok = cli_ok(s, st);
    TF_DeleteStatus(s);
    return ok;
}
