/* SPDX-License-Identifier: Apache-2.0 */
/* leat cluster check: each task in turn is asked for the devices of all: it has to reach every
 * other one to answer. */
#include <stdlib.h>

#include "cli/cluster.h"
#include "leat/leat.h"

/* The tasks that a list of devices names. */
static int64_t count_tasks(const TF_DeviceList *l, const struct cluster_tasks *t)
{
    int64_t seen = 0;
    for (int64_t k = 0; k < t->n; k++) {
        struct strbuf name = {0};
        strbuf_printf(&name, "/job:%s/replica:0/task:%d/", t->v[k].job, t->v[k].index);
        bool there = false;
        for (int i = 0; i < TF_DeviceListCount(l); i++)
            there |= strncmp(TF_DeviceListName(l, i, NULL), name.p, name.n) == 0;
        seen += there;
        strbuf_release(&name);
    }
    return seen;
}

static bool check_task(const struct cluster_tasks *t, int64_t i, int64_t timeout_ms)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    struct strbuf target = {0};
    strbuf_printf(&target, "grpc://%s", t->v[i].address);
    TF_Session *session = leat_session_new(g, s, .target = target.p, .timeout_ms = timeout_ms);
    TF_DeviceList *l = session ? TF_SessionListDevices(session, s) : NULL;
    int64_t seen = l ? count_tasks(l, t) : 0;
    bool ok = l && seen == t->n;
    printf("%s:%d at %s: ", t->v[i].job, t->v[i].index, t->v[i].address);
    if (ok)
        printf("reaches all %lld tasks\n", (long long)t->n);
    else if (l)
        printf("knows only %lld of the %lld tasks: it has another cluster in mind\n",
               (long long)seen, (long long)t->n);
    else
        printf("%s\n", TF_Message(s));
    fflush(stdout);
    TF_DeleteDeviceList(l);
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    strbuf_release(&target);
    return ok;
}

static bool read_words(struct args args, struct cluster_tasks *t, int64_t *timeout_ms,
                       struct status *st)
{
    const char *text = NULL, *tf_config = getenv("TF_CONFIG");
    for (int i = 0; i < args.n; i++) {
        double s = 0;
        const char **to = NULL, *seconds = NULL;
        if (strcmp(args.words[i], "--cluster") == 0)
            to = &text;
        else if (strcmp(args.words[i], "--timeout") == 0)
            to = &seconds;
        else
            return args_unknown("cluster", args.words[i], st);
        *to = args_value(args, &i, st);
        if (!*to)
            return false;
        if (seconds && (!str_to_double(str_of(seconds), &s) || !(s > 0) || s > 1e6))
            return status_invalid(st, "%s is no number of seconds", seconds);
        if (seconds)
            *timeout_ms = (int64_t)(s * 1000) + 1;
    }
    if (text)
        return cluster_read_text(t, text, st);
    return tf_config ? cluster_read_json(t, tf_config, st)
                     : status_invalid(st, "which cluster? --cluster TEXT, or TF_CONFIG");
}

bool cluster_check_main(struct args args, struct status *st)
{
    struct cluster_tasks t = {0};
    int64_t timeout_ms = 10000, good = 0;
    bool ok = read_words(args, &t, &timeout_ms, st);
    for (int64_t i = 0; ok && i < t.n; i++)
        good += check_task(&t, i, timeout_ms);
    if (ok && good < t.n)
        ok = status_fail(st, STATUS_UNAVAILABLE, "%lld of %lld tasks do not reach all others",
                         (long long)(t.n - good), (long long)t.n);
    cluster_release(&t);
    return ok;
}
