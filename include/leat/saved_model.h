/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs with what they need to be used: MetaGraphs, and SavedModel folders loaded and run by name.
 *
 *     leat_saved_model *m = leat_saved_model_load("half_plus_two", leat_strings("serve"), status);
 *     leat_named_tensor in = {"x", x}, out = {"y", NULL};
 *     leat_saved_model_run(m, "serving_default", &in, 1, &out, 1, status);
 *
 * Files: TensorFlow's, of 1.x and those of 2.x whose ops are there. Errors come by the status. Any
 * thread; a model is freed by one, when nobody else uses it. */
#ifndef LEAT_SAVED_MODEL_H
#define LEAT_SAVED_MODEL_H

#include "leat/saver.h"
#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- MetaGraphs ---- */

/* Adds the nodes, functions and collections of a MetaGraphDef (binary or text) to the graph, under
 * the scope `scope` (NULL: none); variables of its collections are variables to leat_* functions.
 * Returns 1, or 0 with an error: INVALID_ARGUMENT for what is no MetaGraphDef or does not fit the
 * graph. Any thread, one at a time for a graph. */
LEAT_EXPORT int leat_import_meta_graph(TF_Graph *g, const TF_Buffer *meta_graph, const char *scope,
                                       TF_Status *status);
/* The graph and its collections as a serialized MetaGraphDef; saver_def, a serialized SaverDef, may
 * be NULL. The caller deletes the buffer. NULL after an error: INVALID_ARGUMENT. Any thread, while
 * nothing is added. */
LEAT_EXPORT TF_Buffer *leat_export_meta_graph(TF_Graph *g, const TF_Buffer *saver_def,
                                              TF_Status *status);

/* ---- SavedModels ---- */

typedef struct leat_saved_model leat_saved_model;

/* The model in folder dir whose tags are just these ({NULL, 0}: serve), with variables restored and
 * the init op run. The caller frees it. NULL after an error: NOT_FOUND (no such folder, or tags:
 * those that it has are named), DATA_LOSS, and those of restoring. Any thread. */
LEAT_EXPORT leat_saved_model *leat_saved_model_load(const char *dir, struct leat_strings tags,
                                                    TF_Status *status);
/* Closes its session and frees it; NULL is fine. Any thread, once no other uses it. */
LEAT_EXPORT void leat_saved_model_free(leat_saved_model *m);
/* The model's graph and session, which live as long as it. Any thread. */
LEAT_EXPORT TF_Graph *leat_saved_model_graph(leat_saved_model *m);
/* Owner as of leat_saved_model_graph. Any thread. */
LEAT_EXPORT TF_Session *leat_saved_model_session(leat_saved_model *m);

struct leat_signature_tensor {
    const char *name;  /* in the signature: "x" */
    TF_Output tensor;  /* invalid for one that is no single tensor */
    TF_DataType dtype; /* as the signature says */
};
struct leat_signature {
    const char *name, *method; /* "serving_default", "tensorflow/serving/predict" */
    const struct leat_signature_tensor *inputs, *outputs; /* by name */
    int num_inputs, num_outputs;
};
/* The signatures by name; *list, which may be NULL, is the model's. Returns how many.
 * Any thread. */
LEAT_EXPORT int leat_saved_model_signatures(leat_saved_model *m,
                                            const struct leat_signature **list);

/* The signature of this name, which is the model's. NULL after an error: NOT_FOUND, with the names
 * that there are; INVALID_ARGUMENT: no model or no name. Any thread. */
LEAT_EXPORT const struct leat_signature *
leat_saved_model_signature(leat_saved_model *m, const char *name, TF_Status *status);

typedef struct leat_named_tensor {
    const char *name;
    TF_Tensor *tensor;
} leat_named_tensor;
/* One step: inputs are fed by their names in the signature (NULL: serving_default), outputs, named
 * likewise, are filled with tensors that the caller deletes (NULL all after an error). An input may
 * be left out when the step does not need it. 1, or 0 with a status: NOT_FOUND for a name that the
 * signature has not, and those of TF_SessionRun. Any thread. */
LEAT_EXPORT int leat_saved_model_run(leat_saved_model *m, const char *signature,
                                     const leat_named_tensor *inputs, int num_inputs,
                                     leat_named_tensor *outputs, int num_outputs,
                                     TF_Status *status);

/* ---- SavedModels written ---- */

typedef struct leat_named_output {
    const char *name;
    TF_Output tensor;
} leat_named_output;
struct leat_signature_def {
    const char *name;   /* NULL: serving_default */
    const char *method; /* NULL: tensorflow/serving/predict */
    const leat_named_output *inputs, *outputs;
    int num_inputs, num_outputs;
};
struct leat_asset { /* a file that goes with the model; its new path is fed to the tensor */
    TF_Output tensor;
    const char *path;
};

#define LEAT_SAVED_MODEL_SAVE_FIELDS_                                                              \
    const char *made_at;      /* not used */                                                       \
    struct leat_strings tags; /* NULL: serve */                                                    \
    const struct leat_signature_def *signatures;                                                   \
    int num_signatures;                                                                            \
    const struct leat_asset *assets;                                                               \
    int num_assets;                                                                                \
    TF_Operation *init_op; /* runs after the variables are restored; NULL: none */                 \
    leat_saver *saver;     /* NULL: one is made, for all of LEAT_GLOBAL_VARIABLES */               \
    int as_text            /* 1: saved_model.pbtxt */
struct leat_saved_model_save_args {
    LEAT_SAVED_MODEL_SAVE_FIELDS_;
};
LEAT_EXPORT void leat_saved_model_save_args_init(struct leat_saved_model_save_args *args);
/* Writes the graph, its collections, the signatures, the assets and the values that its variables
 * have in the session as a SavedModel, which TensorFlow reads too. dir must not be there yet; it
 * appears when all is written, or not at all. Nodes are added to the graph where saver is NULL.
 * Returns 1, or 0 with an error: INVALID_ARGUMENT (a name is missing, a tensor is not of the
 * graph), ALREADY_EXISTS, NOT_FOUND (an asset), RESOURCE_EXHAUSTED (the disk is full),
 * PERMISSION_DENIED, and those of TF_SessionRun. Any thread, while nothing is added. */
LEAT_EXPORT int leat_saved_model_save_fn(TF_Graph *g, TF_Session *session, const char *dir,
                                         TF_Status *status,
                                         const struct leat_saved_model_save_args *args);

#ifdef __cplusplus
}
#else

struct leat_saved_model_save_call {
    TF_Graph *g;
    TF_Session *session;
    const char *dir;
    TF_Status *status;
    union {
        struct {
            LEAT_SAVED_MODEL_SAVE_FIELDS_;
        };
        struct leat_saved_model_save_args args;
    };
};
static inline int leat_saved_model_save_call(const struct leat_saved_model_save_call *c)
{
    return leat_saved_model_save_fn(c->g, c->session, c->dir, c->status, &c->args);
}
#define LEAT_SAVED_MODEL_SAVE_DEFAULTS_
/* (g, session, dir, status, .signatures, .num_signatures, .tags, .assets, .init_op, .saver...) */
#define leat_saved_model_save(...)                                                                 \
    LEAT_CALL_(leat_saved_model_save_call, leat_saved_model_save_call,                             \
               LEAT_SAVED_MODEL_SAVE_DEFAULTS_, .g, __VA_ARGS__)

#endif

#endif
