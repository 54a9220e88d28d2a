/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Session: options, runs, devices. */
#include <string.h>

#include "api/api_impl.h"
#include "api/api_values.h"
#include "base/mem.h"
#include "runtime/session_kind.h"

/* --- options --- */

TF_SessionOptions *TF_NewSessionOptions(void)
{
    TF_SessionOptions *o = mem_new(TF_SessionOptions);
    config_init(&o->config);
    return o;
}

void TF_DeleteSessionOptions(TF_SessionOptions *options)
{
    if (!options)
        return;
    config_clear(&options->config);
    mem_free(options);
}

void TF_SetTarget(TF_SessionOptions *options, const char *target)
{
    if (!options)
        return;
    mem_free(options->config.target);
    options->config.target = target ? mem_strdup(target) : NULL;
}

void TF_SetConfig(TF_SessionOptions *options, const void *proto, size_t proto_len,
                  TF_Status *status)
{
    struct status st = {0};
    if (!options || (!proto && proto_len > 0))
        status_invalid(&st, "TF_SetConfig: no options or no ConfigProto");
    else
        (void)!config_parse(&options->config, proto ? proto : "", proto_len, &st);
    api_return(status, &st);
}

/* --- sessions --- */

bool api_target_ok(const char *target, struct status *st)
{
    if (!target || !target[0] || strcmp(target, "local") == 0)
        return true;
    if (session_kind_find(target))
        return true;
    return status_not_found(st,
                            "No session factory registered for the given session options: target "
                            "'%s'. Leave it empty for a session in this process",
                            target);
}

TF_Session *TF_NewSession(TF_Graph *graph, const TF_SessionOptions *opts, TF_Status *status)
{
    struct status st = {0};
    TF_Session *out = NULL;
    struct config defaults;
    config_init(&defaults);
    const struct config *config = opts ? &opts->config : &defaults;
    if (!graph) {
        status_invalid(&st, "TF_NewSession: no graph");
    } else if (api_target_ok(config->target, &st)) {
        struct session *s = session_new(api_graph(graph), config, &st);
        if (s) {
            out = mem_new(TF_Session);
            out->s = s;
        }
    }
    api_return(status, &st);
    return out;
}

void TF_CloseSession(TF_Session *session, TF_Status *status)
{
    struct status st = {0};
    if (session)
        (void)!session_close(session->s, &st);
    else
        status_invalid(&st, "TF_CloseSession: no session");
    api_return(status, &st);
}

void TF_DeleteSession(TF_Session *session, TF_Status *status)
{
    struct status st = {0};
    if (session) {
        session_free(session->s);
        mem_free(session);
    }
    api_return(status, &st);
}

/* --- running --- */

static bool arrays_ok(const void *a, int n, const char *what, struct status *st)
{
    return (n >= 0 && (n == 0 || a)) ||
           status_invalid(st, "TF_SessionRun: %d %s, but no array", n, what);
}

static bool options_in(const TF_Buffer *run_options, struct run_options *out, struct status *st)
{
    return !run_options || run_options_parse(out, run_options->data, run_options->length, st);
}

void TF_SessionRun(TF_Session *session, const TF_Buffer *run_options, const TF_Output *inputs,
                   TF_Tensor *const *input_values, int ninputs, const TF_Output *outputs,
                   TF_Tensor **output_values, int noutputs, const TF_Operation *const *target_opers,
                   int ntargets, TF_Buffer *run_metadata, TF_Status *status)
{
    struct status st = {0};
    struct run_options options = {0};
    struct strbuf metadata = {0};
    struct api_values v;
    if (output_values && noutputs > 0)
        memset(output_values, 0, sizeof *output_values * (size_t)noutputs);
    if (!session || !arrays_ok(inputs, ninputs, "feeds", &st) ||
        !arrays_ok(input_values, ninputs, "feed values", &st) ||
        !arrays_ok(outputs, noutputs, "fetches", &st) ||
        !arrays_ok(output_values, noutputs, "fetch values", &st) ||
        !arrays_ok(target_opers, ntargets, "targets", &st) ||
        !options_in(run_options, &options, &st)) {
        status_invalid(&st, "TF_SessionRun: no session");
        run_options_clear(&options);
        api_return(status, &st);
        return;
    }
    if (run_metadata && run_metadata->data) {
        status_invalid(&st, "Passing non-empty run_metadata is invalid.");
        run_options_clear(&options);
        api_return(status, &st);
        return;
    }
    api_values_init(&v, ninputs, noutputs);
    struct run_args args = {.feeds = api_outputs(inputs),
                            .feed_values = v.feeds,
                            .num_feeds = ninputs,
                            .fetches = api_outputs(outputs),
                            .fetch_values = v.fetches,
                            .num_fetches = noutputs,
                            .targets = (struct node *const *)(uintptr_t)target_opers,
                            .num_targets = ntargets,
                            .options = run_options ? &options : NULL,
                            .metadata = run_metadata ? &metadata : NULL};
    bool ok = api_values_in(&v, inputs, input_values, &st) && session_run(session->s, &args, &st) &&
              api_values_out(&v, output_values, &st);
    if (ok && run_metadata)
        ok = api_fill_buffer(run_metadata, &metadata, &st);
    strbuf_release(&metadata);
    run_options_clear(&options);
    api_values_release(&v);
    (void)ok; /* st says it */
    api_return(status, &st);
}

/* --- devices --- */

struct TF_DeviceList { /* a copy: outlives the session */
    int n;
    struct session_device_info *v;
};

TF_DeviceList *TF_SessionListDevices(TF_Session *session, TF_Status *status)
{
    struct status st = {0};
    struct session_device_info *v;
    TF_DeviceList *l = NULL;
    int n;
    if (!session) {
        status_invalid(&st, "TF_SessionListDevices: no session");
    } else if (session_devices(session->s, &v, &n, &st)) {
        l = mem_new(TF_DeviceList);
        *l = (TF_DeviceList){n, v};
    }
    api_return(status, &st);
    return l;
}

void TF_DeleteDeviceList(TF_DeviceList *list)
{
    if (!list)
        return;
    session_devices_free(list->v, list->n);
    mem_free(list);
}

int TF_DeviceListCount(const TF_DeviceList *list)
{
    return list ? list->n : 0;
}

static const struct session_device_info *listed_at(const TF_DeviceList *list, int index,
                                                   TF_Status *status)
{
    struct status st = {0};
    bool ok = list && index >= 0 && index < list->n;
    if (!ok)
        status_invalid(&st, "index out of bounds: device %d of %d", index, list ? list->n : 0);
    api_return(status, &st);
    return ok ? &list->v[index] : NULL;
}

const char *TF_DeviceListName(const TF_DeviceList *list, int index, TF_Status *status)
{
    const struct session_device_info *d = listed_at(list, index, status);
    return d ? d->name : NULL;
}

const char *TF_DeviceListType(const TF_DeviceList *list, int index, TF_Status *status)
{
    const struct session_device_info *d = listed_at(list, index, status);
    return d ? d->type : NULL;
}

int64_t TF_DeviceListMemoryBytes(const TF_DeviceList *list, int index, TF_Status *status)
{
    const struct session_device_info *d = listed_at(list, index, status);
    return d ? d->memory_bytes : -1;
}

uint64_t TF_DeviceListIncarnation(const TF_DeviceList *list, int index, TF_Status *status)
{
    const struct session_device_info *d = listed_at(list, index, status);
    return d ? d->incarnation : 0;
}
