/* SPDX-License-Identifier: Apache-2.0 */
/* Reading who stands by for whom. */
#include "dist/standbys.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *given_or_env(const char *given, const char *name)
{
    const char *text = given ? given : getenv(name);
    return text && text[0] ? text : NULL;
}

/* "/job:ps/task:0" or "/job:ps/replica:0/task:0"; job is for the caller to mem_free. */
static bool read_task(struct str text, const struct spec *spec, struct spec_task *out,
                      struct status *st)
{
    char *name = mem_strndup(text.p, text.n), *slash = NULL;
    int64_t index = -1;
    const char *task = strstr(name, "/task:");
    bool ok = strncmp(name, "/job:", 5) == 0 && task &&
              str_to_i64(str_of(task + strlen("/task:")), &index) && index >= 0 &&
              index <= INT32_MAX;
    char *job = ok ? mem_strdup(name + strlen("/job:")) : NULL;
    if (job && (slash = strchr(job, '/')))
        *slash = 0;
    ok = ok && spec_find(spec, job, (int)index);
    if (!ok)
        status_invalid(st, "'%s' is no task of the cluster (as in /job:ps/task:0)", name);
    else
        *out = (struct spec_task){.job = job, .index = (int)index};
    if (!ok)
        mem_free(job);
    mem_free(name);
    return ok;
}

static bool read_pair(struct str text, const struct spec *spec, struct standbys *out,
                      struct status *st)
{
    int port;
    const char *cut = memchr(text.p, '=', text.n);
    if (!cut)
        return status_invalid(st, "LEAT_STANDBYS: '%.*s' is not TASK=HOST:PORT", (int)text.n,
                              text.p);
    struct spec_task t = {0};
    if (!read_task(str_make(text.p, (size_t)(cut - text.p)), spec, &t, st))
        return false;
    t.address = mem_strndup(cut + 1, (size_t)(text.p + text.n - cut - 1));
    out->v = mem_realloc(out->v, sizeof *out->v * (size_t)(out->n + 1));
    out->v[out->n++] = t;
    return spec_split_address(t.address, NULL, &port, st);
}

static bool read_list(const char *list, const struct spec *spec, struct standbys *out,
                      struct status *st)
{
    while (*list) {
        size_t n = strcspn(list, ",");
        if (!read_pair(str_make(list, n), spec, out, st))
            return false;
        list += n + (list[n] == ',');
    }
    return true;
}

/* The chief, whoever it is. */
static void default_witness(const struct spec *spec, struct spec_task *out)
{
    static const char *const jobs[] = {"chief", "master", "worker"};
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
        const struct spec_task *t = spec_find(spec, jobs[i], 0);
        if (!t)
            continue;
        *out = (struct spec_task){mem_strdup(t->job), t->index, NULL};
        return;
    }
}

static bool check(const struct standbys *s, struct status *st)
{
    if (s->self.job && !standbys_address(s, s->self.job, s->self.index))
        return status_invalid(st,
                              "/job:%s/task:%d has no address to stand by at: LEAT_STANDBYS, or "
                              "--standbys, says it",
                              s->self.job, s->self.index);
    if (s->witness.job && standbys_address(s, s->witness.job, s->witness.index))
        return status_invalid(st, "/job:%s/task:%d is replicated, and cannot be the witness",
                              s->witness.job, s->witness.index);
    return true;
}

bool standbys_read(const struct spec *spec, const char *list, const char *standby_of,
                   const char *witness, struct standbys *out, struct status *st)
{
    *out = (struct standbys){0};
    list = given_or_env(list, "LEAT_STANDBYS");
    standby_of = given_or_env(standby_of, "LEAT_STANDBY_OF");
    witness = given_or_env(witness, "LEAT_WITNESS");
    bool ok = (!list || read_list(list, spec, out, st)) &&
              (!standby_of || read_task(str_of(standby_of), spec, &out->self, st)) &&
              (!witness || read_task(str_of(witness), spec, &out->witness, st));
    if (ok && !witness)
        default_witness(spec, &out->witness);
    if (ok && check(out, st))
        return true;
    standbys_clear(out);
    return false;
}

void standbys_clear(struct standbys *s)
{
    for (int i = 0; i < s->n; i++) {
        mem_free(s->v[i].job);
        mem_free(s->v[i].address);
    }
    mem_free(s->v);
    mem_free(s->self.job);
    mem_free(s->witness.job);
    *s = (struct standbys){0};
}

const char *standbys_address(const struct standbys *s, const char *job, int index)
{
    for (int i = 0; i < s->n; i++) {
        if (s->v[i].index == index && strcmp(s->v[i].job, job) == 0)
            return s->v[i].address;
    }
    return NULL;
}
