/* SPDX-License-Identifier: Apache-2.0 */
/* The tasks of a cluster from messages and from a line of text, and back. Whatever the source,
 * tasks come in by add_task, which checks all that is said of one, and finish sorts them and finds
 * those that were named twice. Workload: a cluster of some thousand tasks, read once. */
#include "dist/spec.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dist/spec_impl.h"

void spec_clear(struct spec *s)
{
    for (int i = 0; i < s->num_tasks; i++) {
        mem_free(s->tasks[i].job);
        mem_free(s->tasks[i].address);
    }
    mem_free(s->tasks);
    mem_free(s->job);
    mem_free(s->protocol);
    mem_free(s->config);
    *s = (struct spec){0};
}

struct spec spec_dup(const struct spec *s)
{
    struct spec out = *s;
    out.tasks = mem_new_array(struct spec_task, s->num_tasks + 1);
    for (int i = 0; i < s->num_tasks; i++)
        out.tasks[i] = (struct spec_task){mem_strdup(s->tasks[i].job), s->tasks[i].index,
                                          mem_strdup(s->tasks[i].address)};
    out.job = s->job ? mem_strdup(s->job) : NULL;
    out.protocol = s->protocol ? mem_strdup(s->protocol) : NULL;
    out.config = NULL;
    if (s->config) {
        out.config = mem_alloc(s->config_bytes + 1);
        memcpy(out.config, s->config, s->config_bytes);
    }
    return out;
}

/* --- what is checked of each task --- */

static bool job_ok(struct str job)
{
    if (job.n == 0 || job.n > 200 || !isalpha((unsigned char)job.p[0]))
        return false;
    for (size_t i = 0; i < job.n; i++) {
        if (!isalnum((unsigned char)job.p[i]) && job.p[i] != '_')
            return false;
    }
    return true;
}

static bool host_ok(struct str host)
{
    if (host.n == 0 || host.n > 255)
        return false;
    bool bracketed = host.p[0] == '[';
    if (bracketed && (host.n < 4 || host.p[host.n - 1] != ']'))
        return false;
    for (size_t i = bracketed; i < host.n - bracketed; i++) {
        unsigned char c = (unsigned char)host.p[i];
        if (c == ':' || c == '%' ? !bracketed : !isalnum(c) && !strchr(".-_", c))
            return false;
    }
    return true;
}

bool spec_split_address(const char *address, char **host, int *port, struct status *st)
{
    size_t n = strlen(address);
    const char *colon = strrchr(address, ':');
    int64_t number = -1;
    struct str name = str_make(address, colon ? (size_t)(colon - address) : 0);
    struct str digits = colon ? str_of(colon + 1) : str_of("");
    if (!colon || !host_ok(name) || digits.n == 0 || !isdigit((unsigned char)digits.p[0]) ||
        !str_to_i64(digits, &number) || number > 65535)
        return status_invalid(st, "Could not interpret \"%.300s%s\" as a host-port pair.", address,
                              n > 300 ? "..." : "");
    *port = (int)number;
    if (host)
        *host = mem_strndup(name.p, name.n);
    return true;
}

bool spec_add_task(struct spec *s, struct str job, int64_t index, struct str address,
                   struct status *st)
{
    char *text = mem_strndup(address.n ? address.p : "", address.n);
    int port;
    bool ok = true;
    if (!job_ok(job))
        ok = status_invalid(st, "'%.*s' is no name of a job: letters, digits and _ are",
                            (int)min_i64((int64_t)job.n, 100), job.n ? job.p : "");
    else if (index < 0 || index > SPEC_MAX_INDEX)
        ok = status_invalid(st, "Task %lld of job \"%.*s\": the number is outside of 0 to %d",
                            (long long)index, (int)job.n, job.p, SPEC_MAX_INDEX);
    else if (strlen(text) != address.n || !spec_split_address(text, NULL, &port, st))
        ok = status_invalid(st, "the address holds a NUL");
    else if (s->num_tasks >= SPEC_MAX_TASKS)
        ok = status_invalid(st, "a cluster of more than %d tasks", SPEC_MAX_TASKS);
    if (!ok) {
        mem_free(text);
        return false;
    }
    if ((s->num_tasks & (s->num_tasks - 1)) == 0) /* grows at powers of two */
        s->tasks =
            mem_realloc(s->tasks, sizeof *s->tasks * (size_t)(s->num_tasks ? s->num_tasks * 2 : 1));
    s->tasks[s->num_tasks++] = (struct spec_task){mem_strndup(job.p, job.n), (int)index, text};
    return true;
}

/* --- order --- */

static int by_index(const void *x, const void *y)
{
    const struct spec_task *a = x, *b = y;
    return (a->index > b->index) - (a->index < b->index);
}

/* Tasks of one job lie side by side, as each source gives them job by job. */
bool spec_finish(struct spec *s, struct status *st)
{
    for (int from = 0, to; from < s->num_tasks; from = to) {
        for (to = from + 1; to < s->num_tasks && !strcmp(s->tasks[to].job, s->tasks[from].job);)
            to++;
        qsort(s->tasks + from, (size_t)(to - from), sizeof *s->tasks, by_index);
        for (int i = from + 1; i < to; i++) {
            if (s->tasks[i].index == s->tasks[i - 1].index)
                return status_invalid(st, "Task %d of job \"%s\" is there twice: %s and %s",
                                      s->tasks[i].index, s->tasks[i].job, s->tasks[i - 1].address,
                                      s->tasks[i].address);
        }
        for (int i = 0; i < from; i += 1) {
            if (strcmp(s->tasks[i].job, s->tasks[from].job) == 0)
                return status_invalid(st, "Duplicate job ID in cluster specification: %s",
                                      s->tasks[i].job);
        }
    }
    return true;
}

bool spec_set_task(struct spec *s, const char *job, int index, struct status *st)
{
    bool job_there = false;
    for (int i = 0; i < s->num_tasks; i++)
        job_there |= strcmp(s->tasks[i].job, job) == 0;
    if (!job_there) /* INTERNAL, as TensorFlow has it */
        return status_internal(st, "Job \"%.200s\" was not defined in cluster", job);
    if (!spec_find(s, job, index))
        return status_invalid(st, "Task %d was not defined in job \"%s\"", index, job);
    mem_free(s->job);
    s->job = mem_strdup(job);
    s->index = index;
    return true;
}

const struct spec_task *spec_find(const struct spec *s, const char *job, int index)
{
    for (int i = 0; i < s->num_tasks; i++) {
        if (s->tasks[i].index == index && strcmp(s->tasks[i].job, job) == 0)
            return &s->tasks[i];
    }
    return NULL;
}

char *spec_task_name(const char *job, int index)
{
    return mem_printf("/job:%s/replica:0/task:%d", job, index);
}

/* --- messages --- */

static bool add_job(struct spec *s, const struct pb_job_def *job, struct status *st)
{
    for (int i = 0; i < s->num_tasks; i++) {
        if (str_is(job->name, s->tasks[i].job))
            return status_invalid(st, "Duplicate job ID in cluster specification: %s",
                                  s->tasks[i].job);
    }
    for (int64_t i = 0; i < job->tasks.n; i++) {
        if (!spec_add_task(s, job->name, job->tasks.v[i]->key, job->tasks.v[i]->value, st))
            return false;
    }
    return true;
}

bool spec_from_cluster_def(const struct pb_cluster_def *def, struct spec *out, struct status *st)
{
    bool ok = true;
    *out = (struct spec){0};
    for (int64_t i = 0; ok && def && i < def->job.n; i++)
        ok = add_job(out, def->job.v[i], st);
    ok = ok && spec_finish(out, st);
    if (!ok)
        spec_clear(out);
    return ok;
}

static bool keep_config(struct spec *s, const struct pb_server_def *def, struct status *st)
{
    struct strbuf b = {0};
    if (!def->default_session_config)
        return true;
    if (!pb_encode(def->default_session_config, &b, st))
        return false;
    s->config_bytes = b.n;
    s->config = strbuf_take(&b);
    return true;
}

bool spec_from_server_def(const struct pb_server_def *def, struct spec *out, struct status *st)
{
    if (!spec_from_cluster_def(def->cluster, out, st))
        return false;
    char *job = mem_strndup(def->job_name.n ? def->job_name.p : "", def->job_name.n);
    bool ok = spec_set_task(out, job, def->task_index, st) && keep_config(out, def, st);
    mem_free(job);
    if (ok && def->protocol.n > 0)
        out->protocol = mem_strndup(def->protocol.p, def->protocol.n);
    if (!ok)
        spec_clear(out);
    return ok;
}

struct pb_cluster_def *spec_to_cluster_def(const struct spec *s, struct arena *a)
{
    struct pb_cluster_def *def = pb_new(a, &pb_cluster_def_desc);
    struct pb_job_def *job = NULL;
    for (int i = 0; i < s->num_tasks; i++) {
        const struct spec_task *t = &s->tasks[i];
        if (!job || !str_is(job->name, t->job)) {
            job = pb_add_msg(a, &def->job, &pb_job_def_desc);
            pb_set_str(a, &job->name, t->job);
        }
        struct pb_job_def_tasks_entry *e = pb_add_msg(a, &job->tasks, &pb_job_def_tasks_entry_desc);
        e->key = t->index;
        pb_set_str(a, &e->value, t->address);
    }
    return def;
}

struct pb_server_def *spec_to_server_def(const struct spec *s, struct arena *a)
{
    struct pb_server_def *def = pb_new(a, &pb_server_def_desc);
    struct status st = {0};
    def->cluster = spec_to_cluster_def(s, a);
    pb_set_str(a, &def->job_name, s->job ? s->job : "");
    pb_set_str(a, &def->protocol, s->protocol ? s->protocol : "grpc");
    def->task_index = s->index;
    if (s->config && !pb_config_proto_decode(a, s->config, s->config_bytes, 0,
                                             &def->default_session_config, &st))
        status_clear(&st);
    return def;
}

/* --- "ps=h1:2222,h2:2222;worker=h3:2222" --- */

static bool add_text_job(struct spec *s, struct str job, struct str addresses, struct status *st)
{
    struct str address;
    int64_t index = 0;
    for (int i = 0; i < s->num_tasks; i++) {
        if (str_is(job, s->tasks[i].job))
            return status_invalid(st, "Duplicate job ID in cluster specification: %s",
                                  s->tasks[i].job);
    }
    while (str_split(&addresses, ',', &address)) {
        if (!spec_add_task(s, job, index++, str_trim(address), st))
            return false;
    }
    return index > 0 || status_invalid(st, "job '%.*s' has no tasks", (int)job.n, job.p);
}

bool spec_from_text(const char *text, struct spec *out, struct status *st)
{
    struct str rest = str_of(text), piece, job;
    bool ok = true;
    *out = (struct spec){0};
    while (ok && str_split(&rest, ';', &piece)) {
        struct str list = str_trim(piece);
        if (list.n == 0)
            continue;
        if (!memchr(list.p, '=', list.n))
            ok = status_invalid(st, "cluster: '%.*s' is not JOB=HOST:PORT,...",
                                (int)min_i64((int64_t)list.n, 100), list.p);
        else
            ok = str_split(&list, '=', &job) && add_text_job(out, str_trim(job), list, st);
    }
    ok = ok && (out->num_tasks > 0 || status_invalid(st, "cluster: there are no tasks in it")) &&
         spec_finish(out, st);
    if (!ok)
        spec_clear(out);
    return ok;
}
