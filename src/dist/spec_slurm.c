/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster out of Slurm's environment: which hosts a job has, how many tasks run on each, and
 * which of them this process is. Tasks are dealt to hosts in blocks, as srun does by default. */
#include <ctype.h>
#include <limits.h>

#include "base/mem.h"
#include "dist/spec_impl.h"

struct hosts {
    char **v;
    int64_t n, cap;
};

static void hosts_release(struct hosts *h)
{
    for (int64_t i = 0; i < h->n; i++)
        mem_free(h->v[i]);
    mem_free(h->v);
    *h = (struct hosts){0};
}

static bool add_host(struct hosts *h, char *name, struct status *st)
{
    if (h->n >= SPEC_MAX_TASKS) {
        mem_free(name);
        return status_invalid(st, "a list of more than %d hosts", SPEC_MAX_TASKS);
    }
    h->v = vec_reserve(h->v, &h->cap, h->n + 1, sizeof *h->v);
    h->v[h->n++] = name;
    return true;
}

/* "01-03" or "7" between a prefix and a suffix. */
static bool add_range(struct hosts *h, struct str before, struct str range, struct str after,
                      struct status *st)
{
    struct str low, high = range;
    int64_t from, to;
    if (!str_split(&high, '-', &low) || low.n == 0 || low.n > 9 || high.n > 9)
        return status_invalid(st, "'%.*s' is no range of numbers",
                              (int)min_i64((int64_t)range.n, 50), range.n ? range.p : "");
    if (high.n == 0)
        high = low;
    if (!isdigit((unsigned char)low.p[0]) || !isdigit((unsigned char)high.p[0]) ||
        !str_to_i64(low, &from) || !str_to_i64(high, &to) || from > to)
        return status_invalid(st, "'%.*s' is no range of numbers", (int)range.n, range.p);
    for (; from <= to; from++) {
        char *name = mem_printf("%.*s%0*lld%.*s", (int)before.n, before.p, (int)low.n,
                                (long long)from, (int)after.n, after.n ? after.p : "");
        if (!add_host(h, name, st))
            return false;
    }
    return true;
}

/* One item of the list: a name, or one with a bracket in it. */
static bool add_item(struct hosts *h, struct str item, struct status *st)
{
    const char *open = memchr(item.p, '[', item.n);
    if (!open)
        return item.n == 0 ? status_invalid(st, "an empty name of a host")
                           : add_host(h, mem_strndup(item.p, item.n), st);
    const char *close = memchr(open, ']', (size_t)(item.p + item.n - open));
    if (!close || item.n > 10000)
        return status_invalid(st, "'[' without ']'");
    struct str before = str_make(item.p, (size_t)(open - item.p)), range;
    struct str ranges = str_make(open + 1, (size_t)(close - open - 1));
    struct str after = str_make(close + 1, (size_t)(item.p + item.n - close - 1));
    if (memchr(after.p, '[', after.n) || before.n > 255 || after.n > 255)
        return status_invalid(st, "two brackets in one name, or a name too long");
    if (ranges.n == 0)
        return status_invalid(st, "'[]' holds no numbers");
    while (str_split(&ranges, ',', &range)) {
        if (!add_range(h, before, range, after, st))
            return false;
    }
    return true;
}

static bool expand(const char *list, struct hosts *h, struct status *st)
{
    const char *from = list, *p = list;
    int depth = 0;
    for (;; p++) {
        depth += *p == '[';
        depth -= *p == ']';
        if (*p && (*p != ',' || depth > 0))
            continue;
        if (!add_item(h, str_make(from, (size_t)(p - from)), st))
            return false;
        if (!*p)
            return true;
        from = p + 1;
    }
}

bool spec_expand_hosts(const char *list, char ***hosts, int *num_hosts, struct status *st)
{
    struct hosts h = {0};
    if (!expand(list, &h, st)) {
        hosts_release(&h);
        status_append(st, " [hosts: %.100s]", list);
        return false;
    }
    *hosts = h.v;
    *num_hosts = (int)h.n;
    return true;
}

/* --- how many on each host: "2(x3),1" --- */

static bool add_counts(struct str item, int64_t *counts, int num_hosts, int *at, struct status *st)
{
    int64_t tasks, times = 1;
    struct str count;
    struct str rest = item;
    bool ok = str_split(&rest, '(', &count) && str_to_i64(count, &tasks) && tasks >= 0 &&
              tasks <= SPEC_MAX_TASKS;
    if (ok && rest.n)
        ok = rest.n > 2 && rest.p[0] == 'x' && rest.p[rest.n - 1] == ')' &&
             str_to_i64(str_make(rest.p + 1, rest.n - 2), &times) && times > 0;
    if (!ok)
        return status_invalid(st, "SLURM tasks per node: '%.*s' is no count",
                              (int)min_i64((int64_t)item.n, 50), item.n ? item.p : "");
    for (; times > 0 && *at < num_hosts; times--)
        counts[(*at)++] = tasks;
    return times == 0 || status_invalid(st, "SLURM tasks per node: more counts than nodes");
}

static bool read_counts(const char *text, int64_t *counts, int num_hosts, struct status *st)
{
    struct str rest = str_of(text), item;
    int at = 0;
    while (str_split(&rest, ',', &item)) {
        if (!add_counts(item, counts, num_hosts, &at, st))
            return false;
    }
    for (; at > 0 && at < num_hosts; at++) /* SLURM_NTASKS_PER_NODE is one for all */
        counts[at] = counts[at - 1];
    return at == num_hosts || status_invalid(st, "SLURM tasks per node: no counts");
}

/* --- the jobs --- */

struct deal { /* places in the order of SLURM_PROCID */
    char **hosts;
    int64_t *counts;
    int num_hosts, port;
    int64_t places;
    int host;        /* the next place: */
    int64_t on_host; /* the place on it */
    int64_t dealt;
};

static bool deal_task(struct deal *d, struct spec *s, struct str job, int64_t index,
                      struct status *st)
{
    while (d->host < d->num_hosts && d->on_host == d->counts[d->host]) {
        d->host++;
        d->on_host = 0;
    }
    if (d->host == d->num_hosts)
        return status_invalid(st, "the jobs have more tasks than Slurm's %lld",
                              (long long)d->places);
    if (d->port + d->on_host > 65535)
        return status_invalid(st, "no port is left above %d", d->port);
    char *address = mem_printf("%s:%d", d->hosts[d->host], d->port + (int)d->on_host);
    bool ok = spec_add_task(s, job, index, str_of(address), st);
    mem_free(address);
    d->on_host++;
    d->dealt++;
    return ok;
}

/* What the jobs with a number take; -1: they are not as they should be. */
static int64_t sum_of_jobs(const char *jobs, struct status *st)
{
    struct str rest = str_of(jobs), item, name;
    int64_t sum = 0, n;
    int stars = 0;
    while (str_split(&rest, ';', &item)) {
        bool star = str_ends(item, "=*");
        stars += star;
        if (star)
            continue;
        if (!str_split(&item, '=', &name) || !str_to_i64(item, &n) || n < 0 || n > SPEC_MAX_TASKS) {
            status_invalid(st, "jobs: '%.100s' is not JOB=COUNT;...;JOB=*", jobs);
            return -1;
        }
        sum += n;
    }
    if (stars <= 1)
        return sum;
    status_invalid(st, "jobs: only one may have the rest: '%.100s'", jobs);
    return -1;
}

static bool deal_jobs(struct deal *d, const char *jobs, int64_t me, struct spec *s,
                      struct status *st)
{
    struct str rest = str_of(jobs), item, name;
    int64_t numbered = sum_of_jobs(jobs, st);
    if (numbered < 0)
        return false;
    while (str_split(&rest, ';', &item)) {
        int64_t n = d->places - numbered;
        if (!str_split(&item, '=', &name))
            continue;
        if (!str_is(item, "*") && !str_to_i64(item, &n))
            return status_invalid(st, "jobs: '%.100s'", jobs);
        for (int64_t i = 0; i < n; i++) {
            if (d->dealt == me) {
                mem_free(s->job);
                s->job = mem_strndup(name.p, name.n);
                s->index = (int)i;
            }
            if (!deal_task(d, s, name, i, st))
                return false;
        }
    }
    return s->job || status_invalid(st, "SLURM_PROCID %lld is none of the %lld tasks of the jobs",
                                    (long long)me, (long long)d->dealt);
}

/* The first of these variables that is set. */
static const char *first_of(const char *(*get)(const char *), const char *a, const char *b)
{
    const char *v = get(a);
    return v && *v ? v : get(b);
}

bool spec_from_slurm(const char *jobs, int port, const char *(*getenv_fn)(const char *name),
                     struct spec *out, struct status *st)
{
    const char *list = first_of(getenv_fn, "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST");
    const char *counts = first_of(getenv_fn, "SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE");
    const char *proc = getenv_fn("SLURM_PROCID");
    struct deal d = {.port = port};
    int64_t me;
    *out = (struct spec){0};
    counts = counts && *counts ? counts : getenv_fn("SLURM_NTASKS_PER_NODE");
    if (!list || !*list || !proc || !str_to_i64(str_of(proc), &me))
        return status_invalid(st, "no SLURM_JOB_NODELIST or SLURM_PROCID: this is no task of a "
                                  "Slurm job (start it with srun)");
    if (!spec_expand_hosts(list, &d.hosts, &d.num_hosts, st))
        return false;
    d.counts = mem_new_array(int64_t, d.num_hosts + 1);
    bool ok = read_counts(counts && *counts ? counts : "1", d.counts, d.num_hosts, st);
    for (int i = 0; i < d.num_hosts; i++)
        d.places += d.counts[i];
    ok = ok && deal_jobs(&d, jobs, me, out, st) && spec_finish(out, st);
    for (int i = 0; i < d.num_hosts; i++)
        mem_free(d.hosts[i]);
    mem_free(d.hosts);
    mem_free(d.counts);
    if (!ok)
        spec_clear(out);
    return ok;
}
