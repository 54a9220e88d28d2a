/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries written to event files by the graph: SummaryWriter is a handle, CreateSummaryFileWriter
 * opens the file behind it, the Write... ops add events to it. */
#include "base/log.h"
#include "base/mem.h"
#include "io/event.h"
#include "op/infer.h"
#include "ops/summary/build.h"

#define NO_GRAD "undefined: a summary has no gradient"

/* --- the resource --- */

struct summary_writer {
    struct resource base;
    struct event_writer *events;
};

static void writer_release(struct resource *r)
{
    struct summary_writer *w = (struct summary_writer *)r;
    struct status st = {0};
    if (!event_writer_close(w->events, &st))
        log_warning("summary writer: %s", status_message(&st));
    status_clear(&st);
    mem_free(w);
}

static const struct resource_type writer_type = {.name = "N10tensorflow22SummaryWriterInterfaceE",
                                                 .release = writer_release};

static struct summary_writer *writer_of(struct kctx *c, struct status *st)
{
    return (struct summary_writer *)resource_from_input(c, 0, &writer_type, st);
}

static bool handle_run(struct kctx *c, struct status *st)
{
    const char *container, *name;
    struct tensor handle = {0};
    resource_names(c, true, &container, &name);
    if (!resource_make_handle(c, container, name, &writer_type, &handle, st))
        return false;
    kernel_out_take(c, 0, &handle);
    return true;
}

OP_DEF(summary_writer) = {
    .name = "SummaryWriter",
    .summary = "A handle for a writer of summaries.",
    .outputs = {"writer: resource"},
    .attrs = {"shared_name: string = ''", "container: string = ''"},
    .flags = OP_STATEFUL,
    .shape = infer_scalars,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(summary_writer_cpu) = {.op = "SummaryWriter", .device = "CPU", .run = handle_run};

/* --- creating --- */

struct creation {
    char *folder, *suffix;
    struct event_options options;
};

static struct resource *make_writer(void *arg, struct status *st)
{
    struct creation *how = arg;
    struct event_writer *events = event_writer_new(how->folder, &how->options, st);
    if (!events)
        return NULL;
    struct summary_writer *w = mem_new(struct summary_writer);
    resource_init(&w->base, &writer_type);
    w->events = events;
    return &w->base;
}

static bool one_element(const struct kctx *c, int i, struct status *st)
{
    return kernel_in(c, i)->num_elems == 1 || status_invalid(st, "input %d must be a scalar", i);
}

static bool create_run(struct kctx *c, struct status *st)
{
    enum { WRITER, FOLDER, MAX_QUEUE, FLUSH_MILLIS, SUFFIX, NUM };
    for (int i = WRITER; i < NUM; i++) {
        if (!one_element(c, i, st))
            return false;
    }
    const struct handle *h = ((struct handle *const *)kernel_in(c, WRITER)->data)[0];
    struct str folder = tstr_view(tensor_str(kernel_in(c, FOLDER)));
    struct str suffix = tstr_view(tensor_str(kernel_in(c, SUFFIX)));
    struct resource_map *map = h ? resource_scope(c, h->container) : NULL;
    if (!map)
        return status_not_found(st, "CreateSummaryFileWriter: the handle is of no writer");
    struct creation how = {.folder = mem_strndup(folder.p, folder.n),
                           .suffix = mem_strndup(suffix.p, suffix.n)};
    how.options = (struct event_options){
        .suffix = how.suffix,
        .max_queue = tensor_i32(kernel_in(c, MAX_QUEUE))[0],
        .flush_ns = (int64_t)tensor_i32(kernel_in(c, FLUSH_MILLIS))[0] * 1000000,
    };
    struct resource *r =
        resource_find_or_make(map, h->container, &writer_type, h->name, make_writer, &how, st);
    mem_free(how.folder);
    mem_free(how.suffix);
    resource_unref(r);
    return r != NULL;
}

OP_DEF(create_summary_file_writer) = {
    .name = "CreateSummaryFileWriter",
    .summary = "Opens an event file behind a handle; nothing where it is open.",
    .inputs = {"writer: resource", "logdir: string", "max_queue: int32", "flush_millis: int32",
               "filename_suffix: string"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(create_summary_file_writer_cpu) = {
    .op = "CreateSummaryFileWriter", .device = "CPU", .flags = KERNEL_BLOCKING, .run = create_run};

static bool database_run(struct kctx *c UNUSED, struct status *st)
{
    return status_unimplemented(st, "CreateSummaryDbWriter: summaries are not written to SQLite; "
                                    "use CreateSummaryFileWriter");
}

OP_DEF(create_summary_db_writer) = {
    .name = "CreateSummaryDbWriter",
    .summary = "A writer to an SQLite database: UNIMPLEMENTED when it runs.",
    .inputs = {"writer: resource", "db_uri: string", "experiment_name: string", "run_name: string",
               "user_name: string"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(create_summary_db_writer_cpu) = {
    .op = "CreateSummaryDbWriter", .device = "CPU", .run = database_run};

/* --- flushing and closing --- */

static bool flush_run(struct kctx *c, struct status *st)
{
    struct summary_writer *w = writer_of(c, st);
    if (!w)
        return false;
    bool ok = event_writer_flush(w->events, st);
    resource_unref(&w->base);
    return ok;
}

static bool close_run(struct kctx *c, struct status *st)
{
    struct summary_writer *w = writer_of(c, st);
    if (!w)
        return false;
    const struct handle *h = ((struct handle *const *)kernel_in(c, 0)->data)[0];
    bool ok =
        event_writer_flush(w->events, st) &&
        resource_remove(resource_scope(c, h->container), h->container, &writer_type, h->name, st);
    resource_unref(&w->base);
    return ok;
}

OP_DEF(flush_summary_writer) = {
    .name = "FlushSummaryWriter",
    .summary = "Brings what was written so far to the file.",
    .inputs = {"writer: resource"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(flush_summary_writer_cpu) = {
    .op = "FlushSummaryWriter", .device = "CPU", .flags = KERNEL_BLOCKING, .run = flush_run};

OP_DEF(close_summary_writer) = {
    .name = "CloseSummaryWriter",
    .summary = "Flushes and closes the file behind a handle.",
    .inputs = {"writer: resource"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(close_summary_writer_cpu) = {
    .op = "CloseSummaryWriter", .device = "CPU", .flags = KERNEL_BLOCKING, .run = close_run};

/* --- writing --- */

/* Fills the event's summary (or another of its fields) from inputs 2 on. */
typedef bool (*fill_fn)(struct kctx *c, struct arena *a, struct pb_event *e, struct status *st);

static bool write_event(struct kctx *c, fill_fn fill, struct status *st)
{
    struct arena a = {0};
    struct pb_event *e = pb_event_new(&a);
    struct summary_writer *w = NULL;
    bool ok = one_element(c, 1, st);
    if (ok) {
        e->step = tensor_i64(kernel_in(c, 1))[0];
        w = writer_of(c, st);
        ok = w && fill(c, &a, e, st) && event_writer_add(w->events, e, st);
    }
    if (w)
        resource_unref(&w->base);
    arena_release(&a);
    return ok;
}

static struct summary_to summary_in(struct arena *a, struct pb_event *e)
{
    e->which_what = 5;
    e->summary = pb_summary_new(a);
    return (struct summary_to){a, e->summary};
}

static bool tag_in(const struct kctx *c, int i, struct str *tag, struct status *st)
{
    if (!one_element(c, i, st))
        return false;
    *tag = tstr_view(tensor_str(kernel_in(c, i)));
    return true;
}

static bool scalar_fill(struct kctx *c, struct arena *a, struct pb_event *e, struct status *st)
{
    struct str tag;
    struct summary_to s = summary_in(a, e);
    if (!tag_in(c, 2, &tag, st))
        return false;
    if (kernel_in(c, 3)->num_elems == 0)
        return status_invalid(st, "WriteScalarSummary: there is no value");
    summary_add_scalar(&s, tag, (float)summary_number(kernel_in(c, 3), 0));
    return true;
}

static bool histogram_fill(struct kctx *c, struct arena *a, struct pb_event *e, struct status *st)
{
    struct str tag;
    struct summary_to s = summary_in(a, e);
    if (!tag_in(c, 2, &tag, st))
        return false;
    return summary_add_histogram(&s, tag, kernel_in(c, 3), arena_strndup(a, tag.p, tag.n), st);
}

static bool image_fill(struct kctx *c, struct arena *a, struct pb_event *e, struct status *st)
{
    struct summary_to s = summary_in(a, e);
    struct summary_images in = {.images = kernel_in(c, 3),
                                .bad_color = kernel_in(c, 4),
                                .max_images = attrs_int(kernel_attrs(c), "max_images")};
    return tag_in(c, 2, &in.tag, st) && summary_add_images(&s, &in, c, st);
}

static bool audio_fill(struct kctx *c, struct arena *a, struct pb_event *e, struct status *st)
{
    struct summary_to s = summary_in(a, e);
    struct summary_audio in = {.audio = kernel_in(c, 3),
                               .max_outputs = attrs_int(kernel_attrs(c), "max_outputs")};
    if (!tag_in(c, 2, &in.tag, st) || !one_element(c, 4, st))
        return false;
    in.rate = tensor_f32(kernel_in(c, 4))[0];
    return summary_add_audio(&s, &in, st);
}

static bool tensor_fill(struct kctx *c, struct arena *a, struct pb_event *e, struct status *st)
{
    struct summary_to s = summary_in(a, e);
    struct str tag, metadata;
    if (!tag_in(c, 3, &tag, st) || !tag_in(c, 4, &metadata, st))
        return false;
    summary_add_tensor(&s, tag, kernel_in(c, 2), metadata.n ? &metadata : NULL);
    return true;
}

static bool lost(const char *what, struct status *why, struct status *st)
{
    status_clear(why);
    return status_fail(st, STATUS_DATA_LOSS, "Bad %s binary proto tensor string", what);
}

static bool graph_fill(struct kctx *c, struct arena *a, struct pb_event *e, struct status *st)
{
    struct status why = {0};
    struct pb_graph_def *g;
    if (!tag_in(c, 2, &e->graph_def, st))
        return false;
    if (!pb_graph_def_decode(a, e->graph_def.p, e->graph_def.n, PB_BORROW, &g, &why))
        return lost("tf.GraphDef", &why, st);
    e->which_what = 4;
    return true;
}

static bool raw_fill(struct kctx *c, struct arena *a, struct pb_event *e, struct status *st)
{
    const struct tensor *t = kernel_in(c, 2);
    struct summary_to s = summary_in(a, e);
    for (int64_t i = 0; i < t->num_elems; i++) {
        struct status why = {0};
        struct str bytes = tstr_view(&tensor_str(t)[i]);
        if (!pb_merge_bytes(a, s.message, bytes.p, bytes.n, PB_BORROW, &why)) {
            status_clear(&why);
            return status_fail(st, STATUS_DATA_LOSS,
                               "Bad tf.compat.v1.Summary binary proto tensor string at index %lld",
                               (long long)i);
        }
    }
    return true;
}

static bool import_run(struct kctx *c, struct status *st)
{
    struct arena a = {0};
    struct status why = {0};
    struct pb_event *e;
    struct str bytes;
    if (!tag_in(c, 1, &bytes, st))
        return false;
    struct summary_writer *w = writer_of(c, st);
    if (!w)
        return false;
    bool ok = pb_event_decode(&a, bytes.p, bytes.n, PB_BORROW, &e, &why);
    ok = ok ? event_writer_add_bytes(w->events, bytes, st) : lost("tf.Event", &why, st);
    resource_unref(&w->base);
    arena_release(&a);
    return ok;
}

OP_DEF(import_event) = {
    .name = "ImportEvent",
    .summary = "Writes an Event message as it is.",
    .inputs = {"writer: resource", "event: string"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(import_event_cpu) = {
    .op = "ImportEvent", .device = "CPU", .flags = KERNEL_BLOCKING, .run = import_run};

#define WRITE_KERNEL(id, op_name)                                                                  \
    static bool id##_run(struct kctx *c, struct status *st)                                        \
    {                                                                                              \
        return write_event(c, id##_fill, st);                                                      \
    }                                                                                              \
    KERNEL_DEF(write_##id##_summary_cpu) = {                                                       \
        .op = op_name, .device = "CPU", .flags = KERNEL_BLOCKING, .run = id##_run}

OP_DEF(write_scalar_summary) = {
    .name = "WriteScalarSummary",
    .summary = "Writes a scalar.",
    .inputs = {"writer: resource", "step: int64", "tag: string", "value: T"},
    .attrs = {"T: realnumbertype"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
WRITE_KERNEL(scalar, "WriteScalarSummary");

OP_DEF(write_histogram_summary) = {
    .name = "WriteHistogramSummary",
    .summary = "Writes a histogram of the values.",
    .inputs = {"writer: resource", "step: int64", "tag: string", "values: T"},
    .attrs = {"T: realnumbertype = DT_FLOAT"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
WRITE_KERNEL(histogram, "WriteHistogramSummary");

OP_DEF(write_image_summary) = {
    .name = "WriteImageSummary",
    .summary = "Writes pictures, as PNG.",
    .inputs = {"writer: resource", "step: int64", "tag: string", "tensor: T", "bad_color: uint8"},
    .attrs = {"max_images: int >= 1 = 3", "T: {uint8, float, half} = DT_FLOAT"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
WRITE_KERNEL(image, "WriteImageSummary");

OP_DEF(write_audio_summary) = {
    .name = "WriteAudioSummary",
    .summary = "Writes sounds, as WAV.",
    .inputs = {"writer: resource", "step: int64", "tag: string", "tensor: float",
               "sample_rate: float"},
    .attrs = {"max_outputs: int >= 1 = 3"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
WRITE_KERNEL(audio, "WriteAudioSummary");

OP_DEF(write_summary) = {
    .name = "WriteSummary",
    .summary = "Writes a tensor, with metadata for the plug-in that shows it.",
    .inputs = {"writer: resource", "step: int64", "tensor: T", "tag: string",
               "summary_metadata: string"},
    .attrs = {"T: type"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
WRITE_KERNEL(tensor, "WriteSummary");

OP_DEF(write_graph_summary) = {
    .name = "WriteGraphSummary",
    .summary = "Writes a serialized GraphDef.",
    .inputs = {"writer: resource", "step: int64", "tensor: string"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
WRITE_KERNEL(graph, "WriteGraphSummary");

OP_DEF(write_raw_proto_summary) = {
    .name = "WriteRawProtoSummary",
    .summary = "Writes Summary messages, together as one.",
    .inputs = {"writer: resource", "step: int64", "tensor: string"},
    .flags = OP_STATEFUL,
    .shape = infer_no_outputs,
    .no_grad = NO_GRAD,
};
WRITE_KERNEL(raw, "WriteRawProtoSummary");
