/* SPDX-License-Identifier: Apache-2.0 */
/* The older sessions, which own their graph and know tensors by name; and TF_Reset.
 *
 * A call turns names into outputs and goes on as its newer kin. The words of errors are
 * TensorFlow's. */
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

struct TF_DeprecatedSession {
    TF_Session session;
    struct graph *graph; /* the session's own */
    int extended;        /* atomic: a graph was given */
};

/* --- life --- */

TF_DeprecatedSession *TF_NewDeprecatedSession(const TF_SessionOptions *opts, TF_Status *status)
{
    TF_Graph *g = TF_NewGraph();
    TF_Session *s = TF_NewSession(g, opts, status);
    TF_DeprecatedSession *d = NULL;
    if (s) {
        d = mem_new(TF_DeprecatedSession);
        d->session = *s;
        d->graph = api_graph(g);
        mem_free(s);
    } else {
        TF_DeleteGraph(g);
    }
    return d;
}

void TF_CloseDeprecatedSession(TF_DeprecatedSession *d, TF_Status *status)
{
    TF_CloseSession(d ? &d->session : NULL, status);
}

void TF_DeleteDeprecatedSession(TF_DeprecatedSession *d, TF_Status *status)
{
    struct status st = {0};
    if (d) {
        session_free(d->session.s);
        graph_unref(d->graph);
        mem_free(d);
    }
    api_return(status, &st);
}

TF_DeviceList *TF_DeprecatedSessionListDevices(TF_DeprecatedSession *d, TF_Status *status)
{
    return TF_SessionListDevices(d ? &d->session : NULL, status);
}

void TF_Reset(const TF_SessionOptions *opt, const char **containers, int ncontainers,
              TF_Status *status)
{
    struct status st = {0};
    static const struct config defaults;
    bool ok = ncontainers >= 0 && (ncontainers == 0 || containers);
    for (int i = 0; ok && i < ncontainers; i++)
        ok = containers[i];
    if (!ok)
        status_invalid(&st, "TF_Reset: %d containers, or a NULL", ncontainers);
    else if (api_target_ok(opt ? opt->config.target : NULL, &st))
        (void)!sessions_reset_at(opt ? &opt->config : &defaults, containers, ncontainers, &st);
    api_return(status, &st);
}

/* --- extending --- */

void TF_ExtendGraph(TF_DeprecatedSession *d, const void *proto, size_t proto_len, TF_Status *status)
{
    struct status st = {0}, why = {0};
    struct arena a = {0};
    struct pb_graph_def *def;
    if (!d || (!proto && proto_len > 0)) {
        status_invalid(&st, "TF_ExtendGraph: no session, or no GraphDef");
    } else if (session_open(d->session.s, &st)) {
        if (!pb_graph_def_decode(&a, proto ? proto : "", proto_len, PB_BORROW, &def, &why))
            status_invalid(&st, "Invalid GraphDef: %s", why.message ? why.message : "");
        else if (graph_extend(d->graph, def, &st))
            __atomic_store_n(&d->extended, 1, __ATOMIC_RELEASE);
    }
    status_clear(&why);
    arena_release(&a);
    api_return(status, &st);
}

/* --- names --- */

static bool find_tensor(struct graph *g, const char *name, TF_Output *out, struct status *st)
{
    const char *colon = strrchr(name, ':');
    int64_t index = 0;
    bool indexed = colon && str_to_i64(str_of(colon + 1), &index) && index >= 0;
    char *node = mem_strndup(name, indexed ? (size_t)(colon - name) : strlen(name));
    struct node *n = graph_find(g, node);
    mem_free(node);
    if (!n)
        return status_invalid(st,
                              "Tensor %s%s, specified in either feed_devices or fetch_devices was "
                              "not found in the Graph",
                              name, indexed ? "" : ":0");
    if (index >= n->num_outputs)
        return status_fail(st, STATUS_OUT_OF_RANGE,
                           "Node '%s' (type: '%s', num of outputs: %d) does not have output %lld",
                           n->name, n->op->name, n->num_outputs, (long long)index);
    *out = (TF_Output){api_oper(n), (int)index};
    return true;
}

static bool find_target(struct graph *g, const char *name, const TF_Operation **out,
                        struct status *st)
{
    char *node = mem_strdup(name), *colon = strrchr(node, ':');
    if (colon)
        *colon = 0;
    struct node *n = graph_find(g, node);
    mem_free(node);
    *out = n ? api_oper(n) : NULL;
    return n || status_not_found(st, "PruneForTargets: Some target nodes not found: %s ", name);
}

struct named { /* what a call's names stand for */
    TF_Output *inputs, *outputs;
    const TF_Operation **targets;
};

static void named_release(struct named *n)
{
    mem_free(n->inputs);
    mem_free(n->outputs);
    mem_free(n->targets);
}

struct name_lists {
    const char **inputs, **outputs, **targets;
    int ninputs, noutputs, ntargets;
};

static bool names_ok(const char **names, int n, struct status *st)
{
    bool ok = n >= 0 && (n == 0 || names);
    for (int i = 0; ok && i < n; i++)
        ok = names[i];
    return ok || status_invalid(st, "%d names, or a NULL", n);
}

static bool resolve(TF_DeprecatedSession *d, const struct name_lists *l, struct named *n,
                    struct status *st)
{
    if (!d)
        return status_invalid(st, "no session");
    if (!names_ok(l->inputs, l->ninputs, st) || !names_ok(l->outputs, l->noutputs, st) ||
        !names_ok(l->targets, l->ntargets, st) || !session_open(d->session.s, st))
        return false;
    if (!__atomic_load_n(&d->extended, __ATOMIC_ACQUIRE))
        return status_invalid(st, "Session was not created with a graph before Run()!");
    n->inputs = mem_new_array(TF_Output, l->ninputs + 1);
    n->outputs = mem_new_array(TF_Output, l->noutputs + 1);
    n->targets = mem_new_array(const TF_Operation *, l->ntargets + 1);
    for (int i = 0; i < l->ninputs; i++) {
        if (!find_tensor(d->graph, l->inputs[i], &n->inputs[i], st))
            return false;
    }
    for (int i = 0; i < l->noutputs; i++) {
        if (!find_tensor(d->graph, l->outputs[i], &n->outputs[i], st))
            return false;
    }
    for (int i = 0; i < l->ntargets; i++) {
        if (!find_target(d->graph, l->targets[i], &n->targets[i], st))
            return false;
    }
    return true;
}

static void clear_outputs(TF_Tensor **outputs, int n)
{
    for (int i = 0; outputs && i < n; i++)
        outputs[i] = NULL;
}

/* --- runs --- */

void TF_Run(TF_DeprecatedSession *d, const TF_Buffer *run_options, const char **input_names,
            TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs,
            int noutputs, const char **target_oper_names, int ntargets, TF_Buffer *run_metadata,
            TF_Status *status)
{
    struct status st = {0};
    struct named n = {0};
    struct name_lists l = {input_names, output_names, target_oper_names,
                           ninputs,     noutputs,     ntargets};
    clear_outputs(outputs, noutputs);
    if (resolve(d, &l, &n, &st))
        TF_SessionRun(&d->session, run_options, n.inputs, inputs, ninputs, n.outputs, outputs,
                      noutputs, n.targets, ntargets, run_metadata, status);
    else
        api_return(status, &st);
    named_release(&n);
}

void TF_PRunSetup(TF_DeprecatedSession *d, const char **input_names, int ninputs,
                  const char **output_names, int noutputs, const char **target_oper_names,
                  int ntargets, const char **handle, TF_Status *status)
{
    struct status st = {0};
    struct named n = {0};
    struct name_lists l = {input_names, output_names, target_oper_names,
                           ninputs,     noutputs,     ntargets};
    if (handle)
        *handle = NULL;
    if (resolve(d, &l, &n, &st))
        TF_SessionPRunSetup(&d->session, n.inputs, ninputs, n.outputs, noutputs, n.targets,
                            ntargets, handle, status);
    else
        api_return(status, &st);
    named_release(&n);
}

void TF_PRun(TF_DeprecatedSession *d, const char *handle, const char **input_names,
             TF_Tensor **inputs, int ninputs, const char **output_names, TF_Tensor **outputs,
             int noutputs, const char **target_oper_names, int ntargets, TF_Status *status)
{
    struct status st = {0};
    struct named n = {0};
    struct name_lists l = {input_names, output_names, target_oper_names,
                           ninputs,     noutputs,     ntargets};
    clear_outputs(outputs, noutputs);
    if (resolve(d, &l, &n, &st))
        TF_SessionPRun(&d->session, handle, n.inputs, inputs, ninputs, n.outputs, outputs, noutputs,
                       n.targets, ntargets, status);
    else
        api_return(status, &st);
    named_release(&n);
}
