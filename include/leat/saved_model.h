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

#ifdef __cplusplus
}
#endif

#endif
