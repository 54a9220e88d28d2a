/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that stand for tasks, watched by one thread: their output comes through pipes and goes
 * on line by line; their ends and the user's signals come through a signalfd. Each is a process
 * group of its own, dies with this process, and is signalled only while it is not reaped. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/mem.h"
#include "cli/cluster.h"

#define GRACE_NS ((int64_t)10000000000)
enum { MAX_LINE = 16384 };

struct run {
    struct process *v;
    int n;
    int signals; /* the signalfd */
    sigset_t old;
    int code; /* the first failure's, or the signal's that ended all */
    bool ending;
    int64_t kill_ns; /* when patience ends */
};

/* --- children --- */

static void become(const struct process *p, int out, pid_t parent, const sigset_t *mask)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it died before */
        _exit(127);
    sigprocmask(SIG_SETMASK, mask, NULL);
    dup2(out, 1);
    dup2(out, 2);
    for (char **e = p->env; *e; e++)
        putenv(*e);
    execvp(p->words[0], p->words);
    dprintf(2, "%s: %s\n", p->words[0], strerror(errno));
    _exit(127);
}

static bool start(struct run *r, struct process *p, struct status *st)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return status_exhausted(st, "no pipe: %s", strerror(errno));
    fflush(stdout);
    p->pid = fork();
    if (p->pid == 0)
        become(p, ends[1], parent, &r->old);
    close(ends[1]);
    p->out = ends[0];
    if (p->pid > 0)
        setpgid(p->pid, p->pid); /* whoever is first */
    return p->pid > 0 || status_exhausted(st, "no process: %s", strerror(errno));
}

static void signal_all(struct run *r, int sig)
{
    for (int i = 0; i < r->n; i++) {
        if (r->v[i].pid > 0 && kill(-r->v[i].pid, sig) != 0)
            kill(r->v[i].pid, sig);
    }
}

static void end_all(struct run *r, int code)
{
    if (r->code == 0)
        r->code = code;
    if (r->ending)
        return;
    r->ending = true;
    r->kill_ns = clock_now_ns() + GRACE_NS;
    signal_all(r, SIGTERM);
}

/* --- what they say --- */

static void print_line(struct process *p)
{
    printf("[%s] %s\n", p->name, strbuf_text(&p->line));
    strbuf_clear(&p->line);
}

static void take_output(struct process *p)
{
    char bytes[4096];
    ssize_t n = read(p->out, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] == '\n' || p->line.n >= MAX_LINE)
            print_line(p);
        if (bytes[i] != '\n')
            strbuf_putc(&p->line, bytes[i]);
    }
    if (n <= 0) {
        if (p->line.n > 0)
            print_line(p);
        close(p->out);
        p->out = -1;
    }
    fflush(stdout);
}

/* --- ends --- */

static int code_of(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool work_is_done(const struct run *r)
{
    for (int i = 0; i < r->n; i++) {
        if (r->v[i].counts && r->v[i].pid > 0)
            return false;
    }
    return true;
}

static void reap(struct run *r)
{
    for (int i = 0; i < r->n; i++) {
        struct process *p = &r->v[i];
        if (p->pid <= 0 || waitpid(p->pid, &p->status, WNOHANG) != p->pid)
            continue;
        p->pid = 0;
        int code = code_of(p->status);
        if (code == 0 || r->ending)
            continue;
        printf("[%s] ended with %d%s\n", p->name, code,
               WIFSIGNALED(p->status) ? ", by a signal" : "");
        fflush(stdout);
        end_all(r, code);
    }
    if (work_is_done(r))
        end_all(r, 0);
}

static void take_signal(struct run *r)
{
    struct signalfd_siginfo info;
    if (read(r->signals, &info, sizeof info) != sizeof info || info.ssi_signo == SIGCHLD)
        return;
    end_all(r, 128 + (int)info.ssi_signo);
}

static bool all_over(const struct run *r)
{
    for (int i = 0; i < r->n; i++) {
        if (r->v[i].pid > 0)
            return false;
    }
    return true;
}

static void wait_once(struct run *r, struct pollfd *fds)
{
    fds[0] = (struct pollfd){r->signals, POLLIN, 0};
    for (int i = 0; i < r->n; i++)
        fds[i + 1] = (struct pollfd){r->v[i].out, POLLIN, 0}; /* -1 is passed over */
    int64_t left = r->ending ? (r->kill_ns - clock_now_ns()) / 1000000 + 1 : -1;
    if (poll(fds, (nfds_t)r->n + 1, (int)(r->ending ? max_i64(left, 0) : -1)) < 0)
        return;
    for (int i = 0; i < r->n; i++) {
        if (fds[i + 1].revents)
            take_output(&r->v[i]);
    }
    if (fds[0].revents)
        take_signal(r);
    reap(r);
    if (r->ending && clock_now_ns() >= r->kill_ns) {
        signal_all(r, SIGKILL);
        r->kill_ns += GRACE_NS;
    }
}

/* What is still in the pipes; grandchildren may hold them open, so there is no waiting. */
static void drain(struct run *r)
{
    for (int i = 0; i < r->n; i++) {
        struct process *p = &r->v[i];
        struct pollfd fd = {p->out, POLLIN, 0};
        while (p->out >= 0 && poll(&fd, 1, 0) > 0)
            take_output(p);
        if (p->out >= 0)
            close(p->out);
        p->out = -1;
        strbuf_release(&p->line);
    }
}

bool processes_run(struct process *v, int n, int *code, struct status *st)
{
    struct run r = {.v = v, .n = n};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &r.old);
    r.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (r.signals < 0)
        return status_exhausted(st, "no signalfd: %s", strerror(errno));
    struct pollfd *fds = mem_new_array(struct pollfd, n + 1);
    for (int i = 0; i < n; i++)
        v[i].out = -1;
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = start(&r, &v[i], st);
    if (!ok)
        end_all(&r, 1);
    while (!all_over(&r))
        wait_once(&r, fds);
    drain(&r);
    *code = r.code;
    close(r.signals);
    sigprocmask(SIG_SETMASK, &r.old, NULL);
    mem_free(fds);
    return ok;
}
