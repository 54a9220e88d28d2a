/* SPDX-License-Identifier: Apache-2.0 */
/* What is made out of graphs: functions, while loops and gradients.
 *
 * A TF_Function is a counted, immutable definition, but for its attributes; graphs that a function
 * was copied into share it, and it may be used from any thread. */
#ifndef TENSORFLOW_C_C_API_FUNCTION_H_
#define TENSORFLOW_C_C_API_FUNCTION_H_

#include <stddef.h>

#include "tensorflow/c/c_api_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Function TF_Function;
/* Reserved: no option exists, and NULL is what is passed. */
typedef struct TF_FunctionOptions TF_FunctionOptions;

/* A loop that is being built. The caller writes cond_output, body_outputs and name (NULL at first;
 * it stays the caller's until the finish), and adds operations to the two graphs, which are the
 * library's. */
typedef struct TF_WhileParams {
    const int ninputs;                  /* loop variables */
    TF_Graph *const cond_graph;         /* decides whether there is another turn */
    const TF_Output *const cond_inputs; /* ninputs: the variables, seen in cond_graph */
    TF_Output cond_output;              /* a bool scalar of cond_graph */
    TF_Graph *const body_graph;         /* one turn */
    const TF_Output *const body_inputs; /* ninputs: the variables, seen in body_graph */
    TF_Output *const body_outputs;      /* ninputs: their next values */
    const char *name;                   /* prefix of the names of the loop's operations */
} TF_WhileParams;

/* ---- functions ---- */

/* Adds func, and grad as its gradient where that is not NULL, to the function library of g, so that
 * its name is an op there. Both stay the caller's. Adding the same definition again does nothing.
 * Any thread. Errors: INVALID_ARGUMENT (another function, or an op, has that name; func has another
 * gradient). */
TF_CAPI_EXPORT extern void TF_GraphCopyFunction(TF_Graph *g, const TF_Function *func,
                                                const TF_Function *grad, TF_Status *status);

/* The number of functions in the library of g. Any thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_GraphNumFunctions(TF_Graph *g);

/* Writes up to max_func functions of g to the caller's array; how many were written. The caller
 * frees each with TF_DeleteFunction. Any thread. Errors: RESOURCE_EXHAUSTED. */
TF_CAPI_EXPORT extern int TF_GraphGetFunctions(TF_Graph *g, TF_Function **funcs, int max_func,
                                               TF_Status *status);

/* Makes a function of operations of the graph fn_body.
 *
 * num_opers -1: of all its operations (opers is not read), but those behind inputs; else of those
 * in opers. inputs become the arguments, outputs the results; output_names may be NULL, or name
 * each result. With append_hash_to_fn_name, a hash of the definition is appended to fn_name.
 * opts is NULL; description is documentation or NULL. fn_body is unchanged. The caller frees with
 * TF_DeleteFunction. Any thread as to the graph.
 * Errors, and NULL: INVALID_ARGUMENT (an input twice, an input or output not of the body, a value
 * from outside that is no argument, a reference, names that clash or are malformed). */
TF_CAPI_EXPORT extern TF_Function *
TF_GraphToFunction(const TF_Graph *fn_body, const char *fn_name,
                   unsigned char append_hash_to_fn_name, int num_opers,
                   const TF_Operation *const *opers, int ninputs, const TF_Output *inputs,
                   int noutputs, const TF_Output *outputs, const char *const *output_names,
                   const TF_FunctionOptions *opts, const char *description, TF_Status *status);

/* As above, and the operations control_outputs run at each call, whether or not a result depends on
 * them; control_output_names may be NULL. Owner, threads and errors as above. */
TF_CAPI_EXPORT extern TF_Function *TF_GraphToFunctionWithControlOutputs(
    const TF_Graph *fn_body, const char *fn_name, unsigned char append_hash_to_fn_name,
    int num_opers, const TF_Operation *const *opers, int ninputs, const TF_Output *inputs,
    int noutputs, const TF_Output *outputs, const char *const *output_names, int ncontrol_outputs,
    const TF_Operation *const *control_outputs, const char *const *control_output_names,
    const TF_FunctionOptions *opts, const char *description, TF_Status *status);

/* The name, hash included. Owned by func. Any thread; cannot fail. */
TF_CAPI_EXPORT extern const char *TF_FunctionName(TF_Function *func);

/* Writes a serialized FunctionDef to the empty buffer output_func_def. Any thread. Errors:
 * INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_FunctionToFunctionDef(TF_Function *func, TF_Buffer *output_func_def,
                                                    TF_Status *status);

/* A function from a serialized FunctionDef. The caller frees with TF_DeleteFunction. Any thread.
 * Errors, and NULL: INVALID_ARGUMENT (no FunctionDef). */
TF_CAPI_EXPORT extern TF_Function *TF_FunctionImportFunctionDef(const void *proto, size_t proto_len,
                                                                TF_Status *status);

/* Sets an attribute of func from a serialized AttrValue; graphs that have a copy of func keep what
 * they have. One thread. Errors: INVALID_ARGUMENT (no AttrValue). */
TF_CAPI_EXPORT extern void TF_FunctionSetAttrValueProto(TF_Function *func, const char *attr_name,
                                                        const void *proto, size_t proto_len,
                                                        TF_Status *status);

/* Writes an attribute of func as a serialized AttrValue to the empty buffer output_attr_value. Any
 * thread. Errors: INVALID_ARGUMENT (no such attribute). */
TF_CAPI_EXPORT extern void TF_FunctionGetAttrValueProto(TF_Function *func, const char *attr_name,
                                                        TF_Buffer *output_attr_value,
                                                        TF_Status *status);

/* Gives up the caller's handle; graphs keep their copies. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteFunction(TF_Function *func);

/* ---- while loops ---- */

/* Starts a loop in g over ninputs variables that begin as `inputs`. What is returned ends with
 * TF_FinishWhile or TF_AbortWhile, and owns the two graphs. Any thread as to g; the loop is for
 * one. Errors: INVALID_ARGUMENT (no inputs, or the graph is itself part of a loop being built);
 * there is nothing to end then. */
TF_CAPI_EXPORT extern TF_WhileParams TF_NewWhile(TF_Graph *g, TF_Output *inputs, int ninputs,
                                                 TF_Status *status);

/* Adds the loop to the graph and writes the variables' last values to the caller's outputs
 * (ninputs). Frees what params owns, whatever comes out. One thread. Errors: INVALID_ARGUMENT
 * (name, cond_output or a body output not set, or of the wrong graph or type; a name that another
 * loop of the graph has; params that were finished before; or no outputs). */
TF_CAPI_EXPORT extern void TF_FinishWhile(const TF_WhileParams *params, TF_Status *status,
                                          TF_Output *outputs);

/* Frees what params owns and adds nothing. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_AbortWhile(const TF_WhileParams *params);

/* ---- gradients ---- */

/* Adds operations that compute the partial derivatives of y_0 + ... + y_(ny-1) with respect to
 * each x_i, and writes them to dy[i] (nx outputs, the caller's array); {NULL, -1} where y does not
 * depend on x_i. dx holds ny outputs that weigh the y_i (the gradients that come in), or is NULL
 * for ones. The names begin with "gradients", made unique. Any thread.
 * Errors: INVALID_ARGUMENT (no such outputs, types without derivatives), UNIMPLEMENTED or NOT_FOUND
 * (an op on the way has no gradient); operations that were added before the error stay. */
TF_CAPI_EXPORT extern void TF_AddGradients(TF_Graph *g, TF_Output *y, int ny, TF_Output *x, int nx,
                                           TF_Output *dx, TF_Status *status, TF_Output *dy);

/* As above, and the names begin with prefix; NULL is as above. Threads and errors as above, and
 * INVALID_ARGUMENT when that prefix is taken. */
TF_CAPI_EXPORT extern void TF_AddGradientsWithPrefix(TF_Graph *g, const char *prefix, TF_Output *y,
                                                     int ny, TF_Output *x, int nx, TF_Output *dx,
                                                     TF_Status *status, TF_Output *dy);

#ifdef __cplusplus
}
#endif

#endif
