/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and steps with C arrays: feeds are borrowed as tensors, fetches copied out. */
#include <math.h>
#include <string.h>

#include "api/leat_builder.h"
#include "leat/run.h"
#include "proto/leat_proto.h"
#include "proto/pb_reflect.h"
#include "runtime/session.h"

/* --- sessions --- */

static void print_config(const struct leat_session_args *a, struct strbuf *b)
{
    if (a->threads > 0)
        strbuf_printf(b, "intra_op_parallelism_threads: %d inter_op_parallelism_threads: %d ",
                      a->threads, a->threads);
    if (a->cpu_devices > 0)
        strbuf_printf(b, "device_count { key: \"CPU\" value: %d } ", a->cpu_devices);
    if (a->soft_placement)
        strbuf_puts(b, "allow_soft_placement: true ");
    if (a->no_optimizer)
        strbuf_puts(b, "graph_options { optimizer_options { opt_level: -1 } rewrite_options { "
                       "disable_meta_optimizer: true } } ");
    if (a->timeout_ms > 0)
        strbuf_printf(b, "operation_timeout_in_ms: %lld ", (long long)a->timeout_ms);
}

/* *b, a message as text, becomes its binary form with the user's text (may be NULL) merged over
 * it: what both set is as the user says. */
static bool merge_text(const struct pb_desc *d, const char *user, struct strbuf *b,
                       struct status *st)
{
    struct arena a = {0};
    void *ours, *theirs;
    bool ok = pb_text_parse(&a, d, strbuf_text(b), b->n, &ours, st);
    strbuf_clear(b);
    if (ok && user) {
        ok = pb_text_parse(&a, d, user, strlen(user), &theirs, st);
        if (!ok)
            status_prepend(st, "Unparseable %s proto: ", d->full_name);
        ok = ok && pb_merge(&a, ours, theirs, st);
    }
    ok = ok && pb_encode(ours, b, st);
    arena_release(&a);
    return ok;
}

TF_Session *leat_session_new_fn(TF_Graph *g, TF_Status *status,
                                const struct leat_session_args *args)
{
    struct status st = {0};
    struct thread_state *t = g ? builder_thread(api_graph(g), false) : NULL;
    if (t && !status_ok(&t->error)) {
        status_copy(&st, &t->error);
        api_return(status, &st);
        return NULL;
    }
    if (args && (args->threads < 0 || args->cpu_devices < 0 || args->timeout_ms < 0)) {
        status_invalid(&st,
                       "leat_session_new: .threads = %d, .cpu_devices = %d, .timeout_ms = %lld: "
                       "less than 0",
                       args->threads, args->cpu_devices, (long long)args->timeout_ms);
        api_return(status, &st);
        return NULL;
    }
    TF_Status *s = TF_NewStatus();
    TF_SessionOptions *o = TF_NewSessionOptions();
    struct strbuf config = {0};
    if (args) {
        print_config(args, &config);
        TF_SetTarget(o, args->target);
        if (merge_text(&pb_config_proto_desc, args->config, &config, &st) && config.n > 0)
            TF_SetConfig(o, config.p, config.n, s);
    }
    TF_Session *session = status_ok(&st) && TF_GetCode(s) == TF_OK ? TF_NewSession(g, o, s) : NULL;
    if (TF_GetCode(s) != TF_OK)
        status_fail(&st, (int)TF_GetCode(s), "%s", TF_Message(s));
    strbuf_release(&config);
    TF_DeleteSessionOptions(o);
    TF_DeleteStatus(s);
    api_return(status, &st);
    return session;
}

void leat_session_close(TF_Session *session)
{
    if (!session)
        return;
    TF_CloseSession(session, NULL);
    TF_DeleteSession(session, NULL);
}

/* --- a step --- */

struct step {
    TF_Output *feeds, *fetches;
    TF_Tensor **feed_values, **fetch_values;
    const struct leat_run_args *a;
    TF_Graph *g;
};

static void keep_data(void *data, size_t n, void *arg)
{
    (void)data;
    (void)n;
    (void)arg;
}

static bool put_number(void *at, int dtype, double v)
{
    switch (dtype) {
    case DT_FLOAT:
        *(float *)at = (float)v;
        return true;
    case DT_DOUBLE:
        *(double *)at = v;
        return true;
    case DT_BOOL:
        *(bool *)at = v != 0;
        return true;
    case DT_HALF:
        *(struct f16 *)at = f16_from_f32((float)v);
        return true;
    case DT_BFLOAT16:
        *(struct bf16 *)at = bf16_from_f32((float)v);
        return true;
    default:
        break;
    }
    if (!dtype_is_integer(dtype) || !(fabs(v) < 9.2e18))
        return false;
    int64_t whole = (int64_t)v;
    memcpy(at, &whole, dtype_size(dtype)); /* little-endian */
    return true;
}

static TF_Tensor *number_tensor(int dtype, double v, struct status *st)
{
    size_t size = dtype_size(dtype);
    TF_Tensor *t = TF_AllocateTensor((TF_DataType)dtype, NULL, 0, size);
    if (t && put_number(TF_TensorData(t), dtype, v))
        return t;
    TF_DeleteTensor(t);
    status_invalid(st, "leat_run: a feed of type %s cannot be the number %g", dtype_name(dtype), v);
    return NULL;
}

static TF_Tensor *data_tensor(const struct leat_feed *f, int dtype, struct status *st)
{
    int64_t n = 1;
    bool ok = f->shape.rank >= 0 && f->shape.rank <= SHAPE_MAX_RANK &&
              (f->shape.rank == 0 || f->shape.dims);
    for (int i = 0; ok && i < f->shape.rank; i++)
        ok = size_mul(n, f->shape.dims[i], &n);
    ok = ok && size_mul(n, (int64_t)dtype_size(dtype), &n);
    if (!ok || dtype_is_managed(dtype) || (n > 0 && !f->data)) {
        status_invalid(st, "leat_run: a feed needs data, a known shape, and a type of plain "
                           "elements (feed strings as tensors)");
        return NULL;
    }
    TF_Tensor *t = TF_NewTensor((TF_DataType)dtype, f->shape.dims, f->shape.rank,
                                (void *)(uintptr_t)f->data, (size_t)n, keep_data, NULL);
    if (!t)
        status_exhausted(st, "leat_run: no memory for a feed");
    return t;
}

/* An invalid output: the error that made it so, if this thread has one. */
static bool output_fails(TF_Graph *g, const char *what, int i, struct status *st)
{
    struct thread_state *t = builder_thread(api_graph(g), false);
    if (t && !status_ok(&t->error))
        status_copy(st, &t->error);
    return status_invalid(st, "leat_run: %s %d is not valid", what, i);
}

static bool feed_in(struct step *s, int i, struct status *st)
{
    const struct leat_feed *f = &s->a->feeds.v[i];
    if (!f->output.oper)
        return output_fails(s->g, "feed", i, st);
    if (!api_check_output(f->output, st))
        return false;
    int dtype = dtype_base(output_type(api_output(f->output)));
    s->feeds[i] = f->output;
    if (f->kind == 0)
        s->feed_values[i] = data_tensor(f, dtype, st);
    else if (f->kind == 2)
        s->feed_values[i] = number_tensor(dtype, f->number, st);
    else
        s->feed_values[i] = f->tensor;
    if (!s->feed_values[i])
        status_invalid(st, "leat_run: feed %d has no tensor", i);
    if (!status_ok(st))
        status_append(st, " (feed '%s')", TF_OperationName(f->output.oper));
    return status_ok(st);
}

/* What is fetched for y: a resource variable is read. */
static TF_Output fetch_of(TF_Graph *g, TF_Output y)
{
    struct leat_variable_parts v;
    if (leat_find_variable(g, y, &v) && v.is_resource && y.oper == v.ref.oper)
        return v.read;
    return y;
}

static bool fetch_out(const struct leat_fetch *f, const TF_Tensor *t, struct status *st)
{
    const char *name = TF_OperationName(f->output.oper);
    if (f->tensor)
        return true; /* handed over when all is well */
    if (TF_TensorType(t) != f->type)
        return status_invalid(st, "leat_run: fetch '%s' is of type %s, asked for as %s", name,
                              dtype_name((int)TF_TensorType(t)), dtype_name((int)f->type));
    if (TF_TensorElementCount(t) != f->n || (f->n > 0 && !f->data))
        return status_invalid(st, "leat_run: fetch '%s' has %lld elements, room is for %lld", name,
                              (long long)TF_TensorElementCount(t), (long long)f->n);
    if (dtype_is_managed((int)f->type))
        return status_invalid(st, "leat_run: fetch '%s' is of type %s: fetch it as a tensor", name,
                              dtype_name((int)f->type));
    if (f->n > 0)
        memcpy(f->data, TF_TensorData(t), (size_t)f->n * dtype_size((int)f->type));
    return true;
}

/* The run options, in *b; *options is NULL when there are none to be given. */
static bool options_of(const struct leat_run_args *a, struct strbuf *b, TF_Buffer *place,
                       TF_Buffer **options, struct status *st)
{
    if (a->timeout_ms > 0)
        strbuf_printf(b, "timeout_in_ms: %lld ", (long long)a->timeout_ms);
    if (a->metadata)
        strbuf_puts(b, "trace_level: FULL_TRACE ");
    *options = NULL;
    if ((b->n || a->options) && !merge_text(&pb_run_options_desc, a->options, b, st))
        return false;
    *place = (TF_Buffer){.data = strbuf_text(b), .length = b->n};
    *options = b->n ? place : NULL;
    return true;
}

static bool step_run(struct step *s, TF_Session *session, struct status *st)
{
    const struct leat_run_args *a = s->a;
    for (int i = 0; i < a->feeds.n; i++) {
        if (!feed_in(s, i, st))
            return false;
    }
    for (int i = 0; i < a->fetches.n; i++) {
        if (!a->fetches.v[i].output.oper)
            return output_fails(s->g, "fetch", i, st);
        s->fetches[i] = fetch_of(s->g, a->fetches.v[i].output);
    }
    for (int i = 0; i < a->targets.n; i++) {
        if (!a->targets.v[i])
            return output_fails(s->g, "target", i, st);
    }
    struct strbuf bytes = {0};
    TF_Buffer place, *options;
    if (!options_of(a, &bytes, &place, &options, st)) {
        strbuf_release(&bytes);
        return false;
    }
    TF_Status *status = TF_NewStatus();
    TF_SessionRun(session, options, s->feeds, s->feed_values, a->feeds.n, s->fetches,
                  s->fetch_values, a->fetches.n, (const TF_Operation *const *)a->targets.v,
                  a->targets.n, a->metadata, status);
    strbuf_release(&bytes);
    if (TF_GetCode(status) != TF_OK)
        status_fail(st, (int)TF_GetCode(status), "%s", TF_Message(status));
    TF_DeleteStatus(status);
    for (int i = 0; status_ok(st) && i < a->fetches.n; i++)
        (void)fetch_out(&a->fetches.v[i], s->fetch_values[i], st);
    return status_ok(st);
}

static bool counts_ok(const struct leat_run_args *a, struct status *st)
{
    if (a->timeout_ms < 0)
        return status_invalid(st, "leat_run: .timeout_ms = %lld: less than 0",
                              (long long)a->timeout_ms);
    bool ok = a->feeds.n >= 0 && a->fetches.n >= 0 && a->targets.n >= 0 &&
              (a->feeds.n == 0 || a->feeds.v) && (a->fetches.n == 0 || a->fetches.v) &&
              (a->targets.n == 0 || a->targets.v);
    return ok || status_invalid(st, "leat_run: %d feeds, %d fetches and %d targets, or no array",
                                a->feeds.n, a->fetches.n, a->targets.n);
}

int leat_run_fn(TF_Session *session, TF_Status *status, const struct leat_run_args *args)
{
    static const struct leat_run_args nothing;
    const struct leat_run_args *a = args ? args : &nothing;
    struct status st = {0};
    if (!session)
        status_invalid(&st, "leat_run: no session");
    if (status_ok(&st) && counts_ok(a, &st)) {
        struct step s = {.a = a, .g = (TF_Graph *)session_graph(session->s)};
        s.feeds = mem_new_array(TF_Output, a->feeds.n + 1);
        s.feed_values = mem_new_array(TF_Tensor *, a->feeds.n + 1);
        s.fetches = mem_new_array(TF_Output, a->fetches.n + 1);
        s.fetch_values = mem_new_array(TF_Tensor *, a->fetches.n + 1);
        bool ok = step_run(&s, session, &st);
        for (int i = 0; i < a->feeds.n; i++) {
            if (a->feeds.v[i].kind != 1)
                TF_DeleteTensor(s.feed_values[i]);
        }
        for (int i = 0; i < a->fetches.n; i++) {
            TF_Tensor **out = a->fetches.v[i].tensor;
            if (out)
                *out = ok ? s.fetch_values[i] : NULL;
            if (!ok || !out)
                TF_DeleteTensor(s.fetch_values[i]);
        }
        mem_free(s.feeds);
        mem_free(s.feed_values);
        mem_free(s.fetches);
        mem_free(s.fetch_values);
    }
    int ok = status_ok(&st);
    api_return(status, &st);
    return ok;
}

int leat_run_op(TF_Session *session, TF_Operation *op, struct leat_feeds feeds, TF_Status *status)
{
    struct leat_run_args a = {.feeds = feeds, .targets = {&op, 1}};
    return leat_run_fn(session, status, &a);
}

static double get_number(const TF_Tensor *t, struct status *st)
{
    const void *p = TF_TensorData(t);
    switch ((int)TF_TensorType(t)) {
    case DT_FLOAT:
        return (double)*(const float *)p;
    case DT_DOUBLE:
        return *(const double *)p;
    case DT_HALF:
        return (double)f16_to_f32(*(const struct f16 *)p);
    case DT_BFLOAT16:
        return (double)bf16_to_f32(*(const struct bf16 *)p);
    case DT_BOOL:
    case DT_UINT8:
        return *(const uint8_t *)p;
    case DT_INT8:
        return *(const int8_t *)p;
    case DT_INT16:
        return *(const int16_t *)p;
    case DT_UINT16:
        return *(const uint16_t *)p;
    case DT_INT32:
        return *(const int32_t *)p;
    case DT_UINT32:
        return *(const uint32_t *)p;
    case DT_INT64:
        return (double)*(const int64_t *)p;
    case DT_UINT64:
        return (double)*(const uint64_t *)p;
    default:
        status_invalid(st, "leat_run_number: a value of type %s is not a real number",
                       dtype_name((int)TF_TensorType(t)));
        return 0;
    }
}

double leat_run_number(TF_Session *session, TF_Output y, struct leat_feeds feeds, TF_Status *status)
{
    TF_Tensor *t = NULL;
    struct leat_fetch fetch = leat_fetch_tensor(y, &t);
    struct leat_run_args a = {.feeds = feeds, .fetches = {&fetch, 1}};
    struct status st = {0};
    double v = (double)NAN;
    if (!leat_run_fn(session, status, &a))
        return v;
    if (TF_TensorElementCount(t) == 1)
        v = get_number(t, &st);
    else
        status_invalid(&st, "leat_run_number: '%s' has %lld elements, not one",
                       TF_OperationName(y.oper), (long long)TF_TensorElementCount(t));
    if (!status_ok(&st))
        v = (double)NAN;
    TF_DeleteTensor(t);
    api_return(status, &st);
    return v;
}
