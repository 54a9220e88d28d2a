/* SPDX-License-Identifier: Apache-2.0 */
/* TF_CONFIG: the environment variable by which TensorFlow's programs and their operators say who is
 * in a cluster. Keys that are not of this are skipped, as TensorFlow does ("environment", ...). */
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "dist/spec_impl.h"

struct task { /* "task" of TF_CONFIG */
    char *type;
    int64_t index;
};

/* A number, or a text that is one (operators write both). */
static bool read_index(struct json *j, int64_t *out, struct status *st)
{
    if (json_peek(j) != '"')
        return json_int(j, out, st);
    return json_string(j, st) &&
           (str_to_i64(json_text(j), out) ||
            status_invalid(st, "a task's number is wanted, not \"%.50s\"", strbuf_text(&j->text)));
}

static bool read_task(struct json *j, struct task *t, struct status *st)
{
    bool more, ok = json_open(j, '{', st);
    while (ok && (ok = json_next_key(j, &more, st)) && more) {
        if (str_is(json_text(j), "type")) {
            ok = json_string(j, st);
            mem_free(t->type);
            t->type = mem_strdup(strbuf_text(&j->text));
        } else if (str_is(json_text(j), "index")) {
            ok = read_index(j, &t->index, st);
        } else {
            ok = json_skip(j, st);
        }
    }
    return ok;
}

/* Its addresses in a list, or by number in an object. */
static bool read_job(struct json *j, const char *job, struct spec *s, struct status *st)
{
    bool more, list = json_peek(j) == '[';
    int64_t index = -1;
    if (!json_open(j, list ? '[' : '{', st))
        return false;
    while ((list ? json_next_item(j, &more, st) : json_next_key(j, &more, st)) && more) {
        index++;
        if (!list && !str_to_i64(json_text(j), &index))
            return status_invalid(st, "job '%s': a task's number is wanted, not \"%.50s\"", job,
                                  strbuf_text(&j->text));
        if (!json_string(j, st) || !spec_add_task(s, str_of(job), index, json_text(j), st))
            return false;
    }
    return status_ok(st);
}

static bool read_cluster(struct json *j, struct spec *s, struct status *st)
{
    bool more, ok = json_open(j, '{', st);
    while (ok && (ok = json_next_key(j, &more, st)) && more) {
        if (str_is(json_text(j), "evaluator")) {
            ok = json_skip(j, st);
            continue;
        }
        char *job = mem_strdup(strbuf_text(&j->text));
        ok = read_job(j, job, s, st);
        mem_free(job);
    }
    return ok;
}

static bool read_config(struct json *j, struct spec *s, struct task *t, struct status *st)
{
    bool more, ok = json_open(j, '{', st);
    while (ok && (ok = json_next_key(j, &more, st)) && more) {
        if (str_is(json_text(j), "cluster"))
            ok = s->num_tasks ? status_invalid(st, "two clusters") : read_cluster(j, s, st);
        else if (str_is(json_text(j), "task"))
            ok = read_task(j, t, st);
        else
            ok = json_skip(j, st);
    }
    return ok && json_end(j, st);
}

static bool set_task(struct spec *s, const struct task *t, struct status *st)
{
    if (!t->type || !t->type[0])
        return true;
    if (t->index < 0 || t->index > SPEC_MAX_INDEX)
        return status_invalid(st, "task %lld is outside of 0 to %d", (long long)t->index,
                              SPEC_MAX_INDEX);
    if (strcmp(t->type, "evaluator") == 0 || s->num_tasks == 0) { /* no task of the cluster */
        s->job = mem_strdup(t->type);
        s->index = (int)t->index;
        return true;
    }
    return spec_set_task(s, t->type, (int)t->index, st);
}

bool spec_from_tf_config(const char *json, struct spec *out, struct status *st)
{
    struct json j;
    struct task t = {0};
    *out = (struct spec){0};
    json_init(&j, str_of(json));
    bool ok = read_config(&j, out, &t, st) && spec_finish(out, st) && set_task(out, &t, st);
    json_release(&j);
    mem_free(t.type);
    if (!ok) {
        spec_clear(out);
        status_prepend(st, "TF_CONFIG: ");
    }
    return ok;
}
