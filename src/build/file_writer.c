/* SPDX-License-Identifier: Apache-2.0 */
/* leat_file_writer: events of a program, on io/event.h. Its own lock guards the file's being open
 * and the tags seen; the event writer guards the file. */
#include <math.h>
#include <string.h>

#include "base/lock.h"
#include "base/map.h"
#include "build/build.h"
#include "io/event.h"
#include "leat/strings.h"
#include "leat/summary.h"

struct leat_file_writer {
    struct lock lock;            /* guards what follows */
    struct event_writer *events; /* NULL: closed */
    struct event_options options;
    char *folder, *suffix, *path; /* owned */
    struct strmap tags;           /* of summaries with metadata */
    struct strmap run_tags;
};

/* 1, or 0 with the error in status. st is cleared. */
static int report(bool ok, struct status *st, TF_Status *status)
{
    if (status)
        TF_SetStatus(status, ok ? TF_OK : (TF_Code)st->code, ok ? "" : status_message(st));
    status_clear(st);
    return ok;
}

void leat_file_writer_args_init(struct leat_file_writer_args *args)
{
    *args = (struct leat_file_writer_args){.max_queue = 10, .flush_secs = 120};
}

/* ---- opening and closing ---- */

static bool open_events(leat_file_writer *w, struct status *st)
{
    w->options.suffix = w->suffix;
    w->events = event_writer_new(w->folder, &w->options, st);
    if (!w->events)
        return false;
    mem_free(w->path);
    w->path = mem_strdup(event_writer_path(w->events));
    return true;
}

/* The graph, and a MetaGraphDef of nothing but it. */
static int add_graph_whole(leat_file_writer *w, TF_Graph *graph, TF_Status *status)
{
    TF_Buffer *def = TF_NewBuffer();
    TF_GraphToGraphDef(graph, def, status);
    int ok = TF_GetCode(status) == TF_OK && leat_add_graph(w, graph, 0, status);
    if (ok) {
        struct arena a = {0};
        struct status st = {0};
        struct strbuf bytes = {0};
        struct pb_meta_graph_def *meta = pb_meta_graph_def_new(&a);
        bool made =
            pb_graph_def_decode(&a, def->data, def->length, PB_BORROW, &meta->graph_def, &st) &&
            pb_encode(meta, &bytes, &st);
        TF_Buffer about = {.data = bytes.p, .length = bytes.n};
        ok = made ? leat_add_meta_graph(w, &about, 0, status) : report(false, &st, status);
        strbuf_release(&bytes);
        arena_release(&a);
    }
    TF_DeleteBuffer(def);
    return ok;
}

leat_file_writer *leat_file_writer_open_fn(const struct leat_file_writer_args *args)
{
    struct status st = {0};
    if (!args || !args->status)
        return NULL;
    if (!args->logdir || !(args->flush_secs < 1e9)) {
        status_invalid(&st, "leat_file_writer_open: %s",
                       args->logdir ? "flush_secs is no time" : "there is no logdir");
        report(false, &st, args->status);
        return NULL;
    }
    leat_file_writer *w = mem_new(struct leat_file_writer);
    lock_init(&w->lock, "file_writer", LOCK_RANK_RESOURCE);
    w->folder = mem_strdup(args->logdir);
    w->suffix = mem_strdup(args->suffix ? args->suffix : "");
    w->options = (struct event_options){.max_queue = args->max_queue,
                                        .flush_ns = (int64_t)(args->flush_secs * 1e9),
                                        .own_thread = args->own_thread};
    int ok = report(open_events(w, &st), &st, args->status);
    if (ok && args->graph)
        ok = add_graph_whole(w, args->graph, args->status);
    if (ok)
        return w;
    leat_file_writer_free(w);
    return NULL;
}

const char *leat_file_writer_path(const leat_file_writer *w)
{
    return w ? w->path : NULL;
}

int leat_file_writer_flush(leat_file_writer *w, TF_Status *status)
{
    struct status st = {0};
    bool ok = w != NULL || status_invalid(&st, "leat_file_writer_flush: no writer");
    if (ok) {
        lock_take(&w->lock);
        ok = !w->events || event_writer_flush(w->events, &st);
        lock_drop(&w->lock);
    }
    return report(ok, &st, status);
}

int leat_file_writer_close(leat_file_writer *w, TF_Status *status)
{
    struct status st = {0};
    bool ok = w != NULL || status_invalid(&st, "leat_file_writer_close: no writer");
    if (ok) {
        lock_take(&w->lock);
        ok = event_writer_close(w->events, &st);
        w->events = NULL;
        lock_drop(&w->lock);
    }
    return report(ok, &st, status);
}

int leat_file_writer_reopen(leat_file_writer *w, TF_Status *status)
{
    struct status st = {0};
    bool ok = w != NULL || status_invalid(&st, "leat_file_writer_reopen: no writer");
    if (ok) {
        lock_take(&w->lock);
        ok = w->events || open_events(w, &st);
        lock_drop(&w->lock);
    }
    return report(ok, &st, status);
}

void leat_file_writer_free(leat_file_writer *w)
{
    struct status st = {0};
    if (!w)
        return;
    if (!event_writer_close(w->events, &st))
        status_clear(&st);
    strmap_release(&w->tags);
    strmap_release(&w->run_tags);
    lock_release_memory(&w->lock);
    mem_free(w->folder);
    mem_free(w->suffix);
    mem_free(w->path);
    mem_free(w);
}

/* ---- events ---- */

struct adding {
    struct arena a;
    struct status st;
    struct pb_event *e;
};

static bool begin(struct adding *x, leat_file_writer *w, int64_t step, const char *what)
{
    *x = (struct adding){0};
    if (!w)
        return status_invalid(&x->st, "%s: no writer", what);
    x->e = pb_event_new(&x->a);
    x->e->step = step;
    return true;
}

static int end(struct adding *x, leat_file_writer *w, bool ok, TF_Status *status)
{
    if (ok) {
        lock_take(&w->lock);
        ok = w->events ? event_writer_add(w->events, x->e, &x->st)
                       : status_precondition(&x->st, "%s: the writer is closed", w->path);
        lock_drop(&w->lock);
    }
    arena_release(&x->a);
    return report(ok, &x->st, status);
}

/* TensorBoard needs the metadata of a tag once. */
static void drop_metadata(leat_file_writer *w, struct pb_summary *s)
{
    lock_take(&w->lock);
    for (int64_t i = 0; i < s->value.n; i++) {
        struct pb_summary_value *v = s->value.v[i];
        if (v->metadata && strmap_put_n(&w->tags, v->tag.p, v->tag.n, w))
            v->metadata = NULL;
    }
    lock_drop(&w->lock);
}

int leat_add_summary(leat_file_writer *w, const void *summary, size_t n, int64_t step,
                     TF_Status *status)
{
    struct adding x;
    bool ok = begin(&x, w, step, "leat_add_summary");
    ok = ok && (summary || n == 0 || status_invalid(&x.st, "leat_add_summary: no summary")) &&
         pb_summary_decode(&x.a, summary, n, PB_BORROW, &x.e->summary, &x.st);
    if (ok) {
        x.e->which_what = 5;
        drop_metadata(w, x.e->summary);
    }
    return end(&x, w, ok, status);
}

int leat_add_summary_tensor(leat_file_writer *w, const TF_Tensor *summary, int64_t step,
                            TF_Status *status)
{
    const char *text;
    size_t n;
    struct status st = {0};
    if (!summary || !status) {
        status_invalid(&st, "leat_add_summary_tensor: no tensor");
        return report(false, &st, status);
    }
    return leat_tensor_string_at(summary, 0, &text, &n, status) &&
           leat_add_summary(w, text, n, step, status);
}

int leat_add_scalar(leat_file_writer *w, const char *tag, double value, int64_t step,
                    TF_Status *status)
{
    struct adding x;
    bool ok = begin(&x, w, step, "leat_add_scalar") &&
              (tag || status_invalid(&x.st, "leat_add_scalar: no tag"));
    if (ok) {
        x.e->which_what = 5;
        x.e->summary = pb_summary_new(&x.a);
        struct pb_summary_value *v = pb_summary_value_add(&x.a, &x.e->summary->value);
        v->tag = str_of(tag);
        v->which_value = 2;
        v->simple_value = (float)value;
    }
    return end(&x, w, ok, status);
}

int leat_add_graph(leat_file_writer *w, TF_Graph *graph, int64_t step, TF_Status *status)
{
    struct adding x;
    TF_Status *s = TF_NewStatus();
    TF_Buffer *def = TF_NewBuffer();
    bool ok = begin(&x, w, step, "leat_add_graph") &&
              (graph || status_invalid(&x.st, "leat_add_graph: no graph"));
    if (ok) {
        TF_GraphToGraphDef(graph, def, s);
        ok = TF_GetCode(s) == TF_OK || status_fail(&x.st, (int)TF_GetCode(s), "%s", TF_Message(s));
        x.e->which_what = 4;
        x.e->graph_def = str_make(def->data, def->length);
    }
    int result = end(&x, w, ok, status);
    TF_DeleteBuffer(def);
    TF_DeleteStatus(s);
    return result;
}

int leat_add_meta_graph(leat_file_writer *w, const TF_Buffer *meta_graph, int64_t step,
                        TF_Status *status)
{
    struct adding x;
    struct pb_meta_graph_def *m;
    bool ok =
        begin(&x, w, step, "leat_add_meta_graph") &&
        (meta_graph || status_invalid(&x.st, "leat_add_meta_graph: no buffer")) &&
        pb_meta_graph_def_decode(&x.a, meta_graph->data, meta_graph->length, PB_BORROW, &m, &x.st);
    if (ok) {
        x.e->which_what = 9;
        x.e->meta_graph_def = str_make(meta_graph->data, meta_graph->length);
    }
    return end(&x, w, ok, status);
}

int leat_add_run_metadata(leat_file_writer *w, const TF_Buffer *run_metadata, const char *tag,
                          int64_t step, TF_Status *status)
{
    struct adding x;
    bool ok = begin(&x, w, step, "leat_add_run_metadata") &&
              ((run_metadata && tag) ||
               status_invalid(&x.st, "leat_add_run_metadata: no metadata or no tag"));
    if (ok) {
        lock_take(&w->lock);
        if (strmap_put(&w->run_tags, tag, w))
            ok = status_fail(&x.st, STATUS_ALREADY_EXISTS,
                             "The provided tag was already used for this event type: %s", tag);
        lock_drop(&w->lock);
        x.e->which_what = 8;
        x.e->tagged_run_metadata = pb_tagged_run_metadata_new(&x.a);
        x.e->tagged_run_metadata->tag = str_of(tag);
        x.e->tagged_run_metadata->run_metadata = str_make(run_metadata->data, run_metadata->length);
    }
    return end(&x, w, ok, status);
}

int leat_add_session_log(leat_file_writer *w, int what, const char *checkpoint_path,
                         const char *message, int64_t step, TF_Status *status)
{
    struct adding x;
    bool ok = begin(&x, w, step, "leat_add_session_log") &&
              ((what >= LEAT_SESSION_START && what <= LEAT_SESSION_CHECKPOINT) ||
               status_invalid(&x.st, "leat_add_session_log: there is no status %d", what));
    if (ok) {
        x.e->which_what = 7;
        x.e->session_log = pb_session_log_new(&x.a);
        x.e->session_log->status = what;
        x.e->session_log->checkpoint_path = str_of(checkpoint_path);
        x.e->session_log->msg = str_of(message);
    }
    return end(&x, w, ok, status);
}

int leat_add_event(leat_file_writer *w, const void *event, size_t n, TF_Status *status)
{
    struct adding x;
    struct pb_event *e;
    bool ok = begin(&x, w, 0, "leat_add_event") &&
              (event || n == 0 || status_invalid(&x.st, "leat_add_event: no event")) &&
              pb_event_decode(&x.a, event, n, PB_BORROW, &e, &x.st);
    if (ok) {
        lock_take(&w->lock);
        ok = w->events ? event_writer_add_bytes(w->events, str_make(event, n), &x.st)
                       : status_precondition(&x.st, "%s: the writer is closed", w->path);
        lock_drop(&w->lock);
    }
    arena_release(&x.a);
    return report(ok, &x.st, status);
}
