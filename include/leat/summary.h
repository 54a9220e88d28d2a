/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries: what a run tells TensorBoard, and the event files that it is written to.
 *
 *     leat_summary_scalar(g, "loss", loss);
 *     TF_Output all = leat_summary_merge_all(g);
 *     leat_file_writer *w = leat_file_writer_open("logs", s, .graph = g);
 *     ... a step that fetches `all` into a tensor t:
 *     leat_add_summary_tensor(w, t, step, s);
 *     leat_file_writer_close(w, s);
 *
 * Nodes, names and tags are those of TensorFlow 1.15's tf.summary.*: the tag is the node's full
 * name; of one in a family, "family/" and its name. Each is added to the collection "summaries".
 * Errors of the builders: leat_graph_status. A file writer may be used by any threads. */
#ifndef LEAT_SUMMARY_H
#define LEAT_SUMMARY_H

#include "leat/scope.h"
#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- builders ---- */

struct leat_summary_args {
    const char *made_at;
    TF_Graph *g;
    const char *name; /* characters other than letters, digits, "-_./" become "_" */
    TF_Output x;
    const char *family;                                   /* NULL: none */
    const char *collection;                               /* NULL: LEAT_SUMMARIES; "": none */
    int max_outputs;                                      /* images, sounds: 3 */
    double sample_rate;                                   /* sounds: frames a second */
    const char *display_name, *description, *plugin_name; /* tensors; NULL: none */
    struct {
        const void *bytes;
        size_t n;
    } plugin_content;
};
LEAT_EXPORT void leat_summary_args_init(struct leat_summary_args *args);

LEAT_EXPORT TF_Output leat_summary_scalar_fn(const struct leat_summary_args *args);
/* Of any shape of real numbers. */
LEAT_EXPORT TF_Output leat_summary_histogram_fn(const struct leat_summary_args *args);
/* [batch, height, width, 1, 3 or 4], uint8 or scaled floats. */
LEAT_EXPORT TF_Output leat_summary_image_fn(const struct leat_summary_args *args);
/* [batch, frames] or [batch, frames, channels] in [-1, 1]. */
LEAT_EXPORT TF_Output leat_summary_audio_fn(const struct leat_summary_args *args);
/* A string tensor, shown as Markdown. */
LEAT_EXPORT TF_Output leat_summary_text_fn(const struct leat_summary_args *args);
LEAT_EXPORT TF_Output leat_summary_tensor_fn(const struct leat_summary_args *args);

/* One summary of all: a string scalar. name NULL: Merge. */
LEAT_EXPORT TF_Output leat_summary_merge(TF_Graph *g, struct leat_outputs summaries,
                                         const char *name);
/* Of the collection "summaries"; the invalid output, and no error, where that is empty. */
LEAT_EXPORT TF_Output leat_summary_merge_all(TF_Graph *g);

/* ---- event files ---- */

typedef struct leat_file_writer leat_file_writer;

struct leat_file_writer_args {
    const char *made_at; /* not used */
    const char *logdir;  /* made where it is missing */
    TF_Status *status;
    TF_Graph *graph;    /* written first, with a MetaGraphDef of it; may be NULL */
    int max_queue;      /* events before a flush: 10 */
    double flush_secs;  /* 120; looked at when an event comes */
    const char *suffix; /* of the file's name; NULL: none */
    bool own_thread;    /* flushes after flush_secs though no event comes */
};
LEAT_EXPORT void leat_file_writer_args_init(struct leat_file_writer_args *args);
/* Opens LOGDIR/events.out.tfevents.SECONDS.HOST SUFFIX. NULL after an error: that of the system
 * (NOT_FOUND, PERMISSION_DENIED, ...). */
LEAT_EXPORT leat_file_writer *leat_file_writer_open_fn(const struct leat_file_writer_args *args);
/* The file, until it is reopened; owned by the writer. */
LEAT_EXPORT const char *leat_file_writer_path(const leat_file_writer *w);

/* All return 1, or 0 after an error; FAILED_PRECONDITION on a closed writer. What they are given
 * stays the caller's. step may be 0. */

/* A serialized Summary. Of values of one tag only the first keeps its metadata. */
LEAT_EXPORT int leat_add_summary(leat_file_writer *w, const void *summary, size_t n, int64_t step,
                                 TF_Status *status);
/* What a summary op gave: a string scalar. */
LEAT_EXPORT int leat_add_summary_tensor(leat_file_writer *w, const TF_Tensor *summary, int64_t step,
                                        TF_Status *status);
LEAT_EXPORT int leat_add_scalar(leat_file_writer *w, const char *tag, double value, int64_t step,
                                TF_Status *status);
LEAT_EXPORT int leat_add_graph(leat_file_writer *w, TF_Graph *graph, int64_t step,
                               TF_Status *status);
/* A serialized MetaGraphDef: INVALID_ARGUMENT where it is none. */
LEAT_EXPORT int leat_add_meta_graph(leat_file_writer *w, const TF_Buffer *meta_graph, int64_t step,
                                    TF_Status *status);
/* As TF_SessionRun filled it in. ALREADY_EXISTS: the tag was used before. */
LEAT_EXPORT int leat_add_run_metadata(leat_file_writer *w, const TF_Buffer *run_metadata,
                                      const char *tag, int64_t step, TF_Status *status);
enum { LEAT_SESSION_START = 1, LEAT_SESSION_STOP = 2, LEAT_SESSION_CHECKPOINT = 3 };
/* checkpoint_path and message may be NULL. */
LEAT_EXPORT int leat_add_session_log(leat_file_writer *w, int what, const char *checkpoint_path,
                                     const char *message, int64_t step, TF_Status *status);
/* A serialized Event, as it is. */
LEAT_EXPORT int leat_add_event(leat_file_writer *w, const void *event, size_t n, TF_Status *status);
LEAT_EXPORT int leat_file_writer_flush(leat_file_writer *w, TF_Status *status);
/* Writes all that is left. The writer stays, to be reopened or freed. Closing again is fine. */
LEAT_EXPORT int leat_file_writer_close(leat_file_writer *w, TF_Status *status);
/* Goes on in a new file of the same folder; nothing where it is open. */
LEAT_EXPORT int leat_file_writer_reopen(leat_file_writer *w, TF_Status *status);
/* Closes it, errors apart, and frees it; NULL is fine. */
LEAT_EXPORT void leat_file_writer_free(leat_file_writer *w);

#ifdef __cplusplus
}
#else

#define LEAT_SUMMARY_DEFAULTS_ .max_outputs = 3,
#define LEAT_SUMMARY_CALL_(f, ...)                                                                 \
    LEAT_CALL_(f, leat_summary_args, LEAT_SUMMARY_DEFAULTS_, .g, __VA_ARGS__)
/* (g, name, x, .family, .collection) */
#define leat_summary_scalar(...) LEAT_SUMMARY_CALL_(leat_summary_scalar_fn, __VA_ARGS__)
#define leat_summary_histogram(...) LEAT_SUMMARY_CALL_(leat_summary_histogram_fn, __VA_ARGS__)
#define leat_summary_image(...) LEAT_SUMMARY_CALL_(leat_summary_image_fn, __VA_ARGS__)
/* (g, name, x, .sample_rate = 44100, ...) */
#define leat_summary_audio(...) LEAT_SUMMARY_CALL_(leat_summary_audio_fn, __VA_ARGS__)
#define leat_summary_text(...) LEAT_SUMMARY_CALL_(leat_summary_text_fn, __VA_ARGS__)
#define leat_summary_tensor(...) LEAT_SUMMARY_CALL_(leat_summary_tensor_fn, __VA_ARGS__)

#define LEAT_FILE_WRITER_DEFAULTS_ .max_queue = 10, .flush_secs = 120,
/* (logdir, status, .graph, .max_queue, .flush_secs, .suffix, .own_thread) */
#define leat_file_writer_open(...)                                                                 \
    LEAT_CALL_(leat_file_writer_open_fn, leat_file_writer_args, LEAT_FILE_WRITER_DEFAULTS_,        \
               .logdir, __VA_ARGS__)

#endif

#endif
