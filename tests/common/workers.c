/* SPDX-License-Identifier: Apache-2.0 */
/* Children that run cases: the parent writes the number of a case to one pipe and reads the verdict
 * from another. The parent itself never calls the library, so that forking is safe. What a child
 * prints goes to a file of its own, of which the end is shown when it dies. */
#include "common/workers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 16, MAX_TEXT = 1 << 16, END_SECONDS = 60 };

struct worker {
    pid_t pid;    /* 0: none */
    int to, from; /* pipes */
    FILE *log;    /* what it printed since its case began; NULL when verbose */
    bool busy;
    size_t current; /* the case */
    int64_t started;
};

/* Instead of a case's number. Closing the pipe would not do: children hold each other's ends. */
static const uint64_t STOP = UINT64_MAX;

/* What precedes the two texts of a verdict in the pipe. */
struct reply {
    int32_t outcome;
    uint32_t why_bytes, missing_bytes;
    int64_t num_runs, shapes_compared, shapes_contradicting, micros;
};

static int64_t now_micros(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool read_all(int fd, void *p, size_t n)
{
    for (char *at = p; n;) {
        ssize_t got = read(fd, at, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const void *p, size_t n)
{
    for (const char *at = p; n;) {
        ssize_t put = write(fd, at, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        n -= (size_t)put;
    }
    return true;
}

/* ---- the child ---- */

static bool send_verdict(int to, const struct verdict *v)
{
    struct reply r = {.outcome = v->outcome,
                      .why_bytes = (uint32_t)(v->why.n < MAX_TEXT ? v->why.n : MAX_TEXT),
                      .missing_bytes = (uint32_t)(v->missing.n < MAX_TEXT ? v->missing.n : 0),
                      .num_runs = v->num_runs,
                      .shapes_compared = v->shapes_compared,
                      .shapes_contradicting = v->shapes_contradicting,
                      .micros = v->micros};
    return write_all(to, &r, sizeof(r)) && write_all(to, text_str(&v->why), r.why_bytes) &&
           write_all(to, text_str(&v->missing), r.missing_bytes);
}

static _Noreturn void child_main(const struct suite *s, const struct harness_options *o, int from,
                                 int to, bool logged)
{
    for (uint64_t i; read_all(from, &i, sizeof(i)) && i != STOP;) {
        if (logged && (ftruncate(STDERR_FILENO, 0) != 0 || lseek(STDERR_FILENO, 0, SEEK_SET) != 0))
            break;
        struct verdict v = {0};
        int64_t started = now_micros();
        s->run(s, o, (size_t)i, &v);
        v.micros = now_micros() - started;
        fflush(stdout);
        bool sent = send_verdict(to, &v);
        text_release(&v.why);
        text_release(&v.missing);
        if (!sent)
            break;
    }
    exit(0); /* not _exit: a leak checker speaks up at exit */
}

static bool worker_start(struct worker *w, const struct suite *s, const struct harness_options *o)
{
    int down[2], up[2];
    if (pipe(down) != 0)
        return false;
    if (pipe(up) != 0) {
        close(down[0]);
        close(down[1]);
        return false;
    }
    if (!w->log && !o->verbose)
        w->log = tmpfile();
    fflush(stdout);
    pid_t parent = getpid();
    w->pid = fork();
    if (w->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        close(down[1]);
        close(up[0]);
        if (w->log) {
            dup2(fileno(w->log), STDOUT_FILENO);
            dup2(fileno(w->log), STDERR_FILENO);
        }
        child_main(s, o, down[0], up[1], w->log != NULL);
    }
    close(down[0]);
    close(up[1]);
    w->to = down[1];
    w->from = up[0];
    w->busy = false;
    if (w->pid < 0) {
        w->pid = 0;
        close(w->to);
        close(w->from);
        return false;
    }
    return true;
}

/* ---- the parent ---- */

/* The line of the child's output that says most: a sanitizer's report, else the last one. */
static void add_log_end(const struct worker *w, struct text *why)
{
    if (!w->log)
        return;
    char line[600], best[600] = "";
    rewind(w->log);
    while (fgets(line, sizeof(line), w->log)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0])
            snprintf(best, sizeof(best), "%s", line);
        if (strstr(line, "ERROR:") || strstr(line, "runtime error:"))
            break;
    }
    if (best[0])
        text_printf(why, ": %s", best);
}

static void worker_close(struct worker *w)
{
    close(w->to);
    close(w->from);
    w->pid = 0;
    w->busy = false;
}

/* The child ended, or has to: its case is wrong. */
static void worker_died(struct worker *w, struct verdict *v, bool hangs, int timeout_s)
{
    int status = 0;
    if (hangs)
        kill(w->pid, SIGKILL);
    waitpid(w->pid, &status, 0);
    v->outcome = OUTCOME_WRONG;
    text_clear(&v->why);
    if (hangs)
        text_printf(&v->why, "HANG: no answer within %d s", timeout_s);
    else if (WIFSIGNALED(status))
        text_printf(&v->why, "CRASH: %s", strsignal(WTERMSIG(status)));
    else
        text_printf(&v->why, "CRASH: the process ended with status %d", WEXITSTATUS(status));
    add_log_end(w, &v->why);
    worker_close(w);
}

static bool read_text(int fd, uint32_t n, struct text *out)
{
    char buf[MAX_TEXT];
    if (n > MAX_TEXT || !read_all(fd, buf, n))
        return false;
    text_clear(out);
    text_add(out, buf, n);
    return true;
}

static bool read_verdict(int from, struct verdict *v)
{
    struct reply r;
    if (!read_all(from, &r, sizeof(r)) || !read_text(from, r.why_bytes, &v->why) ||
        !read_text(from, r.missing_bytes, &v->missing))
        return false;
    v->outcome = (enum outcome)r.outcome;
    v->num_runs = r.num_runs;
    v->shapes_compared = r.shapes_compared;
    v->shapes_contradicting = r.shapes_contradicting;
    v->micros = r.micros;
    return true;
}

static void worker_give(struct worker *w, size_t i)
{
    uint64_t number = i;
    w->current = i;
    w->busy = true;
    w->started = now_micros();
    /* A child that is gone is noticed at the other pipe. */
    (void)!write_all(w->to, &number, sizeof(number));
}

/* Waits for the children of `workers` to answer, for a while, and takes what came. */
static void collect(struct worker *workers, int num, const struct harness_options *o,
                    struct verdict *verdicts)
{
    struct pollfd fds[MAX_JOBS];
    for (int i = 0; i < num; i++)
        fds[i] = (struct pollfd){.fd = workers[i].busy ? workers[i].from : -1, .events = POLLIN};
    poll(fds, (nfds_t)num, 200);
    for (int i = 0; i < num; i++) {
        struct worker *w = &workers[i];
        if (!w->busy)
            continue;
        struct verdict *v = &verdicts[w->current];
        if (fds[i].revents) {
            if (read_verdict(w->from, v))
                w->busy = false;
            else
                worker_died(w, v, false, o->timeout_s);
        } else if (now_micros() - w->started > (int64_t)o->timeout_s * 1000000) {
            worker_died(w, v, true, o->timeout_s);
        }
    }
}

/* Lets a child that has no more to do end by itself. */
static bool worker_end(struct worker *w, struct text *ending)
{
    if (w->pid == 0)
        return true;
    (void)!write_all(w->to, &STOP, sizeof(STOP));
    close(w->to);
    int status = 0;
    pid_t got = 0;
    for (int i = 0; i < END_SECONDS * 50 && got == 0; i++) {
        got = waitpid(w->pid, &status, WNOHANG);
        if (got == 0)
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    if (got == 0) {
        kill(w->pid, SIGKILL);
        waitpid(w->pid, &status, 0);
    }
    close(w->from);
    w->pid = 0;
    if (got != 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (ending->n == 0) {
        text_puts(ending, got == 0 ? "a child did not end" : "a child ended badly");
        add_log_end(w, ending);
    }
    return false;
}

bool workers_run(const struct suite *s, const struct harness_options *o, const size_t *order,
                 size_t num, struct verdict *verdicts, struct text *ending)
{
    struct worker workers[MAX_JOBS] = {0};
    int jobs = o->jobs < 1 ? 1 : o->jobs < MAX_JOBS ? o->jobs : MAX_JOBS;
    signal(SIGPIPE, SIG_IGN);
    size_t next = 0;
    bool ok = true, busy = true;
    while (ok && busy) {
        busy = false;
        for (int i = 0; i < jobs; i++) {
            if (!workers[i].busy && next < num) {
                if (workers[i].pid == 0 && !worker_start(&workers[i], s, o)) {
                    text_puts(ending, "no child process could be started");
                    ok = false;
                    break;
                }
                worker_give(&workers[i], order[next++]);
            }
            busy = busy || workers[i].busy;
        }
        if (busy)
            collect(workers, jobs, o, verdicts);
    }
    for (int i = 0; i < jobs; i++) {
        ok = worker_end(&workers[i], ending) && ok;
        if (workers[i].log)
            fclose(workers[i].log);
    }
    return ok;
}
