/* SPDX-License-Identifier: Apache-2.0 */
/* replica_device_setter: counts what it has given to each parameter server. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "leat/device_setter.h"

struct leat_device_setter {
    int ps_tasks;
    char *ps_device, *worker_device, *ps_job; /* ps_job: "" where ps_device names none */
    enum leat_ps_strategy strategy;
    char **ps_ops; /* NULL at the end */
    int next;      /* round robin */
    int64_t *load; /* bytes, per task */
    char *said;    /* the last answer */
};

static const char *const state_ops[] = {
    "Variable",
    "VariableV2",
    "AutoReloadVariable",
    "MutableHashTable",
    "MutableHashTableV2",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "VarHandleOp",
    "BoostedTreesEnsembleResourceHandleOp",
    "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
};

/* The job that a device names, for mem_free; "" none. */
static char *job_of(const char *device)
{
    const char *job = strstr(device, "/job:");
    if (!job)
        return mem_strdup("");
    job += strlen("/job:");
    return mem_strndup(job, strcspn(job, "/"));
}

static char **copy_names(struct leat_strings names)
{
    if (!names.v)
        names = (struct leat_strings){state_ops, (int)(sizeof state_ops / sizeof state_ops[0])};
    char **out = mem_new_array(char *, names.n + 1);
    for (int i = 0; i < names.n; i++)
        out[i] = mem_strdup(names.v[i]);
    return out;
}

leat_device_setter *leat_replica_device_setter_fn(const struct leat_device_setter_args *args)
{
    static const struct leat_device_setter_args defaults;
    const struct leat_device_setter_args *a = args ? args : &defaults;
    leat_device_setter *s = mem_new(leat_device_setter);
    s->ps_tasks = a->ps_tasks > 0 ? a->ps_tasks : 0;
    s->ps_device = mem_strdup(a->ps_device ? a->ps_device : "/job:ps");
    s->worker_device = mem_strdup(a->worker_device ? a->worker_device : "/job:worker");
    s->ps_job = job_of(s->ps_device);
    s->strategy = a->strategy;
    s->ps_ops = copy_names(a->ps_ops);
    s->load = mem_new_array(int64_t, s->ps_tasks + 1);
    return s;
}

void leat_device_setter_free(leat_device_setter *s)
{
    if (!s)
        return;
    for (char **op = s->ps_ops; *op; op++)
        mem_free(*op);
    mem_free(s->ps_ops);
    mem_free(s->ps_device);
    mem_free(s->worker_device);
    mem_free(s->ps_job);
    mem_free(s->load);
    mem_free(s->said);
    mem_free(s);
}

static bool holds_state(const leat_device_setter *s, const char *op)
{
    for (char **name = s->ps_ops; *name; name++) {
        if (strcmp(*name, op) == 0)
            return true;
    }
    return false;
}

static int next_task(leat_device_setter *s, int64_t bytes)
{
    int task = s->next;
    if (s->strategy == LEAT_PS_ROUND_ROBIN) {
        s->next = (s->next + 1) % s->ps_tasks;
        return task;
    }
    task = 0;
    for (int i = 1; i < s->ps_tasks; i++)
        task = s->load[i] < s->load[task] ? i : task;
    if (bytes > 0 && __builtin_add_overflow(s->load[task], bytes, &s->load[task]))
        s->load[task] = INT64_MAX;
    return task;
}

/* Where state goes, before what inner scopes say of it. */
static char *ps_device(leat_device_setter *s, const struct leat_device_request *r)
{
    char *job = job_of(r->device);
    bool choose = s->ps_job[0] && (!job[0] || strcmp(job, s->ps_job) == 0);
    mem_free(job);
    if (!choose)
        return mem_strdup(s->ps_device);
    char *task = mem_printf("/task:%d", next_task(s, r->output_bytes));
    char *device = leat_merge_devices(s->ps_device, task, NULL);
    mem_free(task);
    return device;
}

const char *leat_device_setter_place(void *setter, const struct leat_device_request *r)
{
    leat_device_setter *s = setter;
    bool state = s->ps_tasks > 0 && holds_state(s, r->op);
    char *device = state ? ps_device(s, r) : mem_strdup(s->worker_device);
    mem_free(s->said);
    s->said = leat_merge_devices(device, r->device, NULL);
    mem_free(device);
    return s->said ? s->said : s->worker_device; /* what is no device is reported by the builder */
}
