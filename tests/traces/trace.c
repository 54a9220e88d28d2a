/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded conversations; see trace.h. */
#include "traces/trace.h"

#include <stdlib.h>

#include "common/files.h"
#include "common/values.h"
#include "common/wire.h"

/* Field numbers. */
enum { CREATE_GRAPH = 1, CREATE_CONFIG = 2 };
enum { CONFIG_GRAPH_OPTIONS = 10, OPTIONS_OPTIMIZER = 3, OPTIONS_REWRITE = 10 };
enum { STEP_FEED = 2, STEP_FETCH = 3, STEP_TARGET = 4 };
enum { RESPONSE_TENSOR = 1, RESPONSE_CODE = 3 };

/* ---- the conversation ---- */

/* The config without GraphOptions' optimizer_options and rewrite_options. */
static void drop_optimizer_switches(struct bytes config, struct text *out)
{
    for (struct wire_field f; wire_next(&config, &f);) {
        if (f.number != CONFIG_GRAPH_OPTIONS) {
            text_add(out, f.whole.p, f.whole.n);
            continue;
        }
        struct text options = {0};
        for (struct wire_field g; wire_next(&f.bytes, &g);)
            if (g.number != OPTIONS_OPTIMIZER && g.number != OPTIONS_REWRITE)
                text_add(&options, g.whole.p, g.whole.n);
        wire_put_bytes(out, CONFIG_GRAPH_OPTIONS, text_bytes(&options));
        text_release(&options);
    }
}

bool replay_on_server;

bool trace_open(struct trace *t, const struct trace_case *what, const struct harness_options *o,
                struct verdict *v)
{
    struct text path = {0};
    *t = (struct trace){.what = what, .verdict = v};
    text_printf(&path, "%s.tfrecord", what->path);
    bool ok = file_read(text_str(&path), &t->file);
    text_release(&path);
    t->status = TF_NewStatus();
    t->rest = text_bytes(&t->file);
    struct bytes create = {0};
    ok = ok && record_next(&t->rest, &create);
    t->graph_def = wire_get_bytes(create, CREATE_GRAPH);
    struct bytes config = wire_get_bytes(create, CREATE_CONFIG);
    if (o->drop_optimizer)
        drop_optimizer_switches(config, &t->config);
    else
        text_add(&t->config, config.p, config.n);
    graph_scan_init(&t->scan, t->graph_def);
    return (ok && t->scan.ok) || verdict_wrong(v, "the recording cannot be read");
}

void trace_close(struct trace *t)
{
    if (t->session) {
        TF_CloseSession(t->session, t->status);
        TF_DeleteSession(t->session, t->status);
    }
    if (t->graph)
        TF_DeleteGraph(t->graph);
    TF_DeleteStatus(t->status);
    graph_scan_release(&t->scan);
    text_release(&t->file);
    text_release(&t->config);
}

bool trace_error(struct trace *t, const char *where, bool gradient)
{
    if (verdict_lacks(t->verdict, &t->scan, t->status, gradient))
        return false;
    return verdict_wrong(t->verdict, "%s: error %d: %s", where, (int)TF_GetCode(t->status),
                         TF_Message(t->status));
}

bool trace_import(struct trace *t)
{
    t->graph = graph_import(t->graph_def, t->status);
    return t->graph || trace_error(t, "import", false);
}

bool trace_start(struct trace *t)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    if (replay_on_server) {
        target_isolate(&t->config);
        TF_SetTarget(options, target_of_server());
    }
    TF_SetConfig(options, text_str(&t->config), t->config.n, t->status);
    if (TF_GetCode(t->status) == TF_OK)
        t->session = TF_NewSession(t->graph, options, t->status);
    TF_DeleteSessionOptions(options);
    return t->session || trace_error(t, "session", false);
}

/* ---- a step: what was asked ---- */

bool step_next(struct trace *t, struct step *s)
{
    *s = (struct step){.number = t->num_steps++};
    if (t->rest.n == 0)
        return false;
    return (record_next(&t->rest, &s->request) && record_next(&t->rest, &s->response)) ||
           verdict_wrong(t->verdict, "the recording cannot be read");
}

static size_t count_fields(struct bytes message, uint32_t number)
{
    size_t n = 0;
    for (struct wire_field f; wire_next(&message, &f);)
        n += f.number == number;
    return n;
}

void step_release(struct step *s)
{
    for (int i = 0; i < s->num_feeds; i++)
        TF_DeleteTensor(s->fed[i]);
    for (int i = 0; i < s->num_fetches; i++)
        if (s->fetched[i])
            TF_DeleteTensor(s->fetched[i]);
    free(s->feeds);
    free(s->fetches);
    free(s->fed);
    free(s->fetched);
    free(s->targets);
    free(s->fetch_names);
    *s = (struct step){0};
}

static bool step_absent(struct trace *t, const struct step *s, struct bytes name)
{
    return verdict_wrong(t->verdict, "step %d: the imported graph has no %.*s", s->number,
                         (int)name.n, (const char *)name.p);
}

static bool add_feed(struct trace *t, struct step *s, struct bytes named)
{
    struct text why = {0};
    struct bytes name = wire_get_bytes(named, 1);
    TF_Tensor *value = tensor_from_proto(wire_get_bytes(named, 2), &why);
    if (!value)
        verdict_wrong(t->verdict, "step %d: feed %.*s: %s", s->number, (int)name.n,
                      (const char *)name.p, text_str(&why));
    text_release(&why);
    if (!value)
        return false;
    s->feeds[s->num_feeds] = graph_output(t->graph, name);
    s->fed[s->num_feeds++] = value;
    return s->feeds[s->num_feeds - 1].oper || step_absent(t, s, name);
}

static bool add_fetch(struct trace *t, struct step *s, struct bytes name)
{
    s->fetch_names[s->num_fetches] = name;
    s->fetches[s->num_fetches++] = graph_output(t->graph, name);
    return s->fetches[s->num_fetches - 1].oper || step_absent(t, s, name);
}

static bool add_target(struct trace *t, struct step *s, struct bytes name)
{
    char *text = test_strndup(name.p, name.n);
    TF_Operation *oper = TF_GraphOperationByName(t->graph, text);
    free(text);
    s->targets[s->num_targets++] = oper;
    return oper || step_absent(t, s, name);
}

bool step_prepare(struct trace *t, struct step *s)
{
    size_t num_feeds = count_fields(s->request, STEP_FEED);
    size_t num_fetches = count_fields(s->request, STEP_FETCH);
    s->feeds = test_alloc(num_feeds, sizeof(*s->feeds));
    s->fed = test_alloc(num_feeds, sizeof(TF_Tensor *));
    s->fetches = test_alloc(num_fetches, sizeof(*s->fetches));
    s->fetched = test_alloc(num_fetches, sizeof(TF_Tensor *));
    s->fetch_names = test_alloc(num_fetches, sizeof(*s->fetch_names));
    s->targets = test_alloc(count_fields(s->request, STEP_TARGET), sizeof(TF_Operation *));
    struct bytes rest = s->request;
    bool ok = true;
    for (struct wire_field f; ok && wire_next(&rest, &f);) {
        if (f.number == STEP_FEED)
            ok = add_feed(t, s, f.bytes);
        else if (f.number == STEP_FETCH)
            ok = add_fetch(t, s, f.bytes);
        else if (f.number == STEP_TARGET)
            ok = add_target(t, s, f.bytes);
    }
    return ok;
}

void step_run(struct trace *t, struct step *s)
{
    TF_SessionRun(t->session, NULL, s->feeds, s->fed, s->num_feeds, s->fetches, s->fetched,
                  s->num_fetches, (const TF_Operation *const *)s->targets, s->num_targets, NULL,
                  t->status);
    t->verdict->num_runs++;
}

/* ---- a step: what was answered ---- */

int step_recorded_code(const struct step *s)
{
    return (int)wire_get_number(s->response, RESPONSE_CODE);
}

/* The recorded value with that name, "" when there is none. */
static struct bytes recorded_value(const struct step *s, struct bytes name)
{
    struct bytes rest = s->response;
    for (struct wire_field f; wire_next(&rest, &f);)
        if (f.number == RESPONSE_TENSOR && bytes_eq(wire_get_bytes(f.bytes, 1), name))
            return wire_get_bytes(f.bytes, 2);
    return (struct bytes){0};
}

/* How far TensorFlow's own kernels may stray from one machine to the next. */
static struct tolerance tolerance_of(TF_DataType dtype)
{
    switch (dtype) {
    case TF_FLOAT:
    case TF_COMPLEX64:
        return (struct tolerance){.rel = 2e-4, .top = 2e-5};
    case TF_DOUBLE:
    case TF_COMPLEX128:
        return (struct tolerance){.rel = 1e-7, .top = 1e-9};
    case TF_HALF:
        return (struct tolerance){.rel = 1e-2, .top = 2e-3};
    case TF_BFLOAT16:
        return (struct tolerance){.rel = 3e-2, .top = 1e-2};
    default:
        return (struct tolerance){0};
    }
}

bool step_check_value(struct trace *t, const struct step *s, int i)
{
    struct text why = {0};
    struct bytes name = s->fetch_names[i];
    TF_Tensor *got = s->fetched[i];
    TF_Tensor *want = tensor_from_proto(recorded_value(s, name), &why);
    bool ok = want && got;
    if (want && !got)
        text_puts(&why, "no value");
    if (ok && t->what->random)
        ok = tensors_alike(got, want, &why);
    else if (ok)
        ok = tensors_agree(got, want, tolerance_of(TF_TensorType(want)),
                           graph_phase(&t->scan, name), &why);
    if (!ok)
        verdict_wrong(t->verdict, "step %d: %.*s (%s): %s", s->number, (int)name.n,
                      (const char *)name.p, TF_OperationOpType(s->fetches[i].oper), text_str(&why));
    if (want)
        TF_DeleteTensor(want);
    text_release(&why);
    return ok;
}

bool step_check(struct trace *t, struct step *s)
{
    int want = step_recorded_code(s), got = (int)TF_GetCode(t->status);
    if (got != want) {
        if (got != TF_OK && verdict_lacks(t->verdict, &t->scan, t->status, false))
            return false;
        return verdict_wrong(t->verdict, "step %d: code %d, recorded %d: %s", s->number, got, want,
                             got ? TF_Message(t->status) : "no error");
    }
    bool ok = true;
    for (int i = 0; ok && want == TF_OK && i < s->num_fetches; i++)
        ok = step_check_value(t, s, i);
    return ok;
}
