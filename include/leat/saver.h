/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of a model's variables: saved, kept, looked for, restored; as tf.train.Saver of
 * TensorFlow 1.15 does it, with its nodes, names and files.
 *
 *     leat_saver *saver = leat_saver_new(g, .max_to_keep = 3);
 *     leat_saver_save(saver, session, "model/ckpt", s, .global_step = step);
 * model/ckpt-1000.index...
 *
 *     char *latest = leat_latest_checkpoint("model", NULL);
 *     if (latest)
 *         leat_saver_restore(saver, session, latest, s);
 *     leat_free(latest);
 *
 * A save is atomic: killed at any instant, what was there before is whole, and the state file
 * ("checkpoint") names a checkpoint that is whole. Functions return 1 (or a text), or 0 (NULL) with
 * the status set, which may be NULL. A saver may be used by one thread at a time. */
#ifndef LEAT_SAVER_H
#define LEAT_SAVER_H

#include "leat/op.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct leat_saver leat_saver;

enum leat_saver_version { LEAT_SAVER_V1 = 1, LEAT_SAVER_V2 = 2 };

#define LEAT_SAVER_FIELDS_                                                                         \
    const char *made_at;                                                                           \
    const char *name;              /* of the scope; NULL: save */                                  \
    struct leat_outputs variables; /* NULL: all of LEAT_GLOBAL_VARIABLES */                        \
    /* of each in the checkpoint; NULL: their own, or those of what they are slices of             \
     * (leat_set_variable_slice) */                                                                \
    struct leat_strings names;                                                                     \
    /* for each "" or, of a partitioned variable, what it is a slice of: "4 3 0,2:-" */            \
    struct leat_strings slices;                                                                    \
    int max_to_keep;           /* 5; 0: all */                                                     \
    double keep_every_n_hours; /* 10000: besides the last ones */                                  \
    int sharded;               /* 1: files of each device's own */                                 \
    int version;               /* LEAT_SAVER_V2 */                                                 \
    int reshape;               /* 1: restores other shapes with as many elements */                \
    int pad_step_number;       /* 1: ckpt-00001000 */                                              \
    int save_relative_paths    /* 1: in the state file; the folder may then be moved */
struct leat_saver_args {
    LEAT_SAVER_FIELDS_;
};
LEAT_EXPORT void leat_saver_args_init(struct leat_saver_args *args);

/* Adds the nodes that save and restore. NULL after an error, which is the graph's
 * (leat_graph_status): INVALID_ARGUMENT for no variables, two of one name, one that is none. The
 * caller frees it, before or after the graph. args NULL: the defaults. */
LEAT_EXPORT leat_saver *leat_saver_new_fn(TF_Graph *g, const struct leat_saver_args *args);
/* Of a graph that has the nodes: a serialized SaverDef (or its text) says where they are. */
LEAT_EXPORT leat_saver *leat_saver_from_def(TF_Graph *g, const TF_Buffer *saver_def,
                                            TF_Status *status);
LEAT_EXPORT void leat_saver_free(leat_saver *saver); /* NULL is fine */
/* The SaverDef, serialized; the caller deletes the buffer. */
LEAT_EXPORT TF_Buffer *leat_saver_def(const leat_saver *saver);

#define LEAT_SAVE_FIELDS_                                                                          \
    const char *made_at;         /* not used */                                                    \
    int64_t global_step;         /* the name is "path-STEP"; not given: the path alone */          \
    TF_Output global_step_value; /* or: read from the session */                                   \
    const char *latest_filename; /* of the state file; NULL: checkpoint */                         \
    int write_meta_graph;        /* 1: the graph goes to NAME.meta */                              \
    int write_state              /* 1: the state file names it, and old ones are removed */
struct leat_save_args {
    LEAT_SAVE_FIELDS_;
};
LEAT_EXPORT void leat_save_args_init(struct leat_save_args *args);
/* Saves the variables' values. The name of the checkpoint, for leat_saver_restore: the caller frees
 * it (leat_free). Errors: INVALID_ARGUMENT (the folder is not there), RESOURCE_EXHAUSTED (the disk
 * is full), PERMISSION_DENIED, and those of TF_SessionRun; then nothing has changed. */
LEAT_EXPORT char *leat_saver_save_fn(leat_saver *saver, TF_Session *session, const char *path,
                                     TF_Status *status, const struct leat_save_args *args);
/* Gives the variables the values of the checkpoint, with the memory of one of them above the
 * model's. INVALID_ARGUMENT: there is none of that name, or it has another shape; NOT_FOUND: it
 * lacks a variable; nothing has changed then. DATA_LOSS: it is broken; some variables may have
 * their new values, none a broken one. */
LEAT_EXPORT int leat_saver_restore(leat_saver *saver, TF_Session *session, const char *path,
                                   TF_Status *status);

/* The checkpoints that it made and kept, oldest first: they are the saver's until it saves again.
 * Copies the first max pointers and returns how many there are. */
LEAT_EXPORT int leat_saver_last_checkpoints(const leat_saver *saver, const char **paths, int max);
/* Says which there are, oldest first, after a restart: those of them that have files count towards
 * max_to_keep as if this saver had made them. paths NULL: those of the state file in `folder`. */
LEAT_EXPORT int leat_saver_recover_last_checkpoints(leat_saver *saver, const char *folder,
                                                    const char *const *paths, int n,
                                                    TF_Status *status);

/* ---- without a saver; any thread ---- */

/* The latest checkpoint that the state file (NULL: checkpoint) in the folder names, or NULL: there
 * is none, or its files are gone. The caller frees it (leat_free). */
LEAT_EXPORT char *leat_latest_checkpoint(const char *folder, const char *latest_filename);
/* 1 where there are files of a checkpoint of that name. */
LEAT_EXPORT int leat_checkpoint_exists(const char *path);

#ifdef __cplusplus
}
#else

struct leat_saver_call {
    TF_Graph *g;
    union {
        struct {
            LEAT_SAVER_FIELDS_;
        };
        struct leat_saver_args args;
    };
};
struct leat_save_call {
    leat_saver *saver;
    TF_Session *session;
    const char *path;
    TF_Status *status;
    union {
        struct {
            LEAT_SAVE_FIELDS_;
        };
        struct leat_save_args args;
    };
};
static inline leat_saver *leat_saver_call(const struct leat_saver_call *c)
{
    return leat_saver_new_fn(c->g, &c->args);
}
static inline char *leat_save_call(const struct leat_save_call *c)
{
    return leat_saver_save_fn(c->saver, c->session, c->path, c->status, &c->args);
}
#define LEAT_SAVER_DEFAULTS_                                                                       \
    .max_to_keep = 5, .keep_every_n_hours = 10000, .version = LEAT_SAVER_V2,
#define LEAT_SAVE_DEFAULTS_                                                                        \
    .global_step = LEAT_INT_NOT_GIVEN, .write_meta_graph = 1, .write_state = 1,
/* (g, .variables, .names, .max_to_keep, .keep_every_n_hours, .sharded, .name...) */
#define leat_saver_new(...)                                                                        \
    LEAT_CALL_(leat_saver_call, leat_saver_call, LEAT_SAVER_DEFAULTS_, .g, __VA_ARGS__)
/* (saver, session, path, status, .global_step, .write_meta_graph, .write_state...) */
#define leat_saver_save(...)                                                                       \
    LEAT_CALL_(leat_save_call, leat_save_call, LEAT_SAVE_DEFAULTS_, .saver, __VA_ARGS__)

#endif

#endif
