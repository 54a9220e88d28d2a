/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a cluster, as the command line and TF_CONFIG say it. What is wrong with names and
 * addresses is the library's to say, when it is given them. */
#include "base/json.h"
#include "base/mem.h"
#include "cli/cluster.h"

void cluster_add(struct cluster_tasks *t, const char *job, int index, char *address)
{
    t->v = vec_reserve(t->v, &t->cap, t->n + 1, sizeof *t->v);
    t->v[t->n++] = (struct cluster_task){mem_strdup(job), index, address};
}

void cluster_release(struct cluster_tasks *t)
{
    for (int64_t i = 0; i < t->n; i++) {
        mem_free(t->v[i].job);
        mem_free(t->v[i].address);
    }
    mem_free(t->v);
    *t = (struct cluster_tasks){0};
}

bool cluster_read_text(struct cluster_tasks *t, const char *text, struct status *st)
{
    struct str rest = str_of(text), list, job, address;
    while (str_split(&rest, ';', &list)) {
        int index = 0;
        if (!str_split(&list, '=', &job) || list.n == 0)
            return status_invalid(st, "--cluster: '%s' is not JOB=HOST:PORT,...;...", text);
        char *name = mem_strndup(job.p, job.n);
        while (str_split(&list, ',', &address))
            cluster_add(t, name, index++, mem_strndup(address.p, address.n));
        mem_free(name);
    }
    return t->n > 0 || status_invalid(st, "--cluster: there are no tasks in it");
}

static bool read_job(struct cluster_tasks *t, struct json *j, const char *job, struct status *st)
{
    bool more, list = json_peek(j) == '[';
    int64_t index = -1;
    if (!json_open(j, list ? '[' : '{', st))
        return false;
    while ((list ? json_next_item(j, &more, st) : json_next_key(j, &more, st)) && more) {
        index++;
        if (!list && (!str_to_i64(json_text(j), &index) || index < 0 || index > 1000000))
            return status_invalid(st, "job '%s': a task's number is wanted", job);
        if (!json_string(j, st))
            return false;
        cluster_add(t, job, (int)index, mem_strdup(strbuf_text(&j->text)));
    }
    return status_ok(st);
}

static bool read_jobs(struct cluster_tasks *t, struct json *j, struct status *st)
{
    bool more, ok = json_open(j, '{', st);
    while (ok && (ok = json_next_key(j, &more, st)) && more) {
        char *job = mem_strdup(strbuf_text(&j->text));
        ok = strcmp(job, "evaluator") == 0 ? json_skip(j, st) : read_job(t, j, job, st);
        mem_free(job);
    }
    return ok;
}

bool cluster_read_json(struct cluster_tasks *t, const char *json, struct status *st)
{
    struct json j;
    bool more, ok;
    json_init(&j, str_of(json));
    ok = json_open(&j, '{', st);
    while (ok && (ok = json_next_key(&j, &more, st)) && more)
        ok = str_is(json_text(&j), "cluster") ? read_jobs(t, &j, st) : json_skip(&j, st);
    ok = ok && json_end(&j, st);
    json_release(&j);
    if (!ok)
        status_prepend(st, "TF_CONFIG: ");
    return ok && (t->n > 0 || status_invalid(st, "TF_CONFIG: there is no cluster in it"));
}

void cluster_print_json(const struct cluster_tasks *t, int64_t i, struct strbuf *out)
{
    const char *job = "";
    strbuf_puts(out, "{\"cluster\": {");
    for (int64_t k = 0; k < t->n; k++) {
        bool same = strcmp(job, t->v[k].job) == 0;
        if (!same)
            strbuf_printf(out, "%s\"%s\": [", k ? "], " : "", t->v[k].job);
        strbuf_printf(out, "%s\"%s\"", same ? ", " : "", t->v[k].address);
        job = t->v[k].job;
    }
    strbuf_puts(out, t->n ? "]}" : "}");
    if (i >= 0)
        strbuf_printf(out, ", \"task\": {\"type\": \"%s\", \"index\": %d}", t->v[i].job,
                      t->v[i].index);
    strbuf_puts(out, "}");
}
