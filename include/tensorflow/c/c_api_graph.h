/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, and what can be asked of a graph and of its operations.
 *
 * A TF_Graph only grows: an operation, once added, is there, at the same address, until the graph
 * is freed. Graphs and operations may be used from any number of threads; each function locks what
 * it needs. What a query returns was true at some moment during the call. */
#ifndef TENSORFLOW_C_C_API_GRAPH_H_
#define TENSORFLOW_C_C_API_GRAPH_H_

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/c/c_api_base.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dataflow graph with its function library. */
typedef struct TF_Graph TF_Graph;
/* An operation that was added to a graph, which owns it. */
typedef struct TF_Operation TF_Operation;

/* The index-th input of an operation. */
typedef struct TF_Input {
    TF_Operation *oper;
    int index;
} TF_Input;

/* The index-th output of an operation: what names a tensor in a graph. */
typedef struct TF_Output {
    TF_Operation *oper;
    int index;
} TF_Output;

/* ---- graphs ---- */

/* A new empty graph. The caller frees with TF_DeleteGraph. Any thread; NULL when memory is
 * short. */
TF_CAPI_EXPORT extern TF_Graph *TF_NewGraph(void);

/* Gives up the graph: it is freed, with its operations, now or with the last session on it. One
 * thread; none may use the graph or its operations after. */
TF_CAPI_EXPORT extern void TF_DeleteGraph(TF_Graph *);

/* The operation with that name, or NULL. The graph owns it. Any thread. */
TF_CAPI_EXPORT extern TF_Operation *TF_GraphOperationByName(TF_Graph *graph, const char *oper_name);

/* Walks all operations, in the order in which they were added: start with *pos 0, end at NULL. The
 * graph owns them; those added meanwhile are met later in the walk. Any thread. */
TF_CAPI_EXPORT extern TF_Operation *TF_GraphNextOperation(TF_Graph *graph, size_t *pos);

/* Writes the graph, functions included, as a serialized GraphDef to the empty buffer
 * output_graph_def, whose data the caller frees. Any thread. Errors: INVALID_ARGUMENT (buffer not
 * empty), RESOURCE_EXHAUSTED (over 2 GiB). */
TF_CAPI_EXPORT extern void TF_GraphToGraphDef(TF_Graph *graph, TF_Buffer *output_graph_def,
                                              TF_Status *status);

/* Writes the OpDef of a registered op, or the signature of a function of the graph, to the empty
 * buffer output_op_def. Any thread. Errors: NOT_FOUND (neither), INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_GraphGetOpDef(TF_Graph *graph, const char *op_name,
                                            TF_Buffer *output_op_def, TF_Status *status);

/* Writes the graph's VersionDef (producer, min_consumer) to the empty buffer output_version_def.
 * Any thread. Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_GraphVersions(TF_Graph *graph, TF_Buffer *output_version_def,
                                            TF_Status *status);

/* Tries to compute `output` from constants alone: 1, and *result is a tensor that the caller frees
 * with TF_DeleteTensor; 0, and *result NULL, when it depends on more than constants or the
 * evaluation failed. Any thread. Errors: INVALID_ARGUMENT (no such output); it being no constant is
 * not an error. */
TF_CAPI_EXPORT extern unsigned char TF_TryEvaluateConstant(TF_Graph *graph, TF_Output output,
                                                           TF_Tensor **result, TF_Status *status);

/* ---- static shapes ---- */

/* Merges a shape into what is known of an output: num_dims -1 is an unknown rank, a dimension of -1
 * an unknown size. Any thread. Errors: INVALID_ARGUMENT (no such output, or the two contradict each
 * other; nothing changes then). */
TF_CAPI_EXPORT extern void TF_GraphSetTensorShape(TF_Graph *graph, TF_Output output,
                                                  const int64_t *dims, const int num_dims,
                                                  TF_Status *status);

/* The rank of an output as far as it is known before a run; -1: unknown. Any thread.
 * Errors, and -1: INVALID_ARGUMENT (no such output). */
TF_CAPI_EXPORT extern int TF_GraphGetTensorNumDims(TF_Graph *graph, TF_Output output,
                                                   TF_Status *status);

/* Writes the dimensions of an output, -1 for an unknown one, to the caller's dims. num_dims is what
 * TF_GraphGetTensorNumDims gives; when that is -1, nothing is written. Any thread.
 * Errors: INVALID_ARGUMENT (no such output, or another num_dims). */
TF_CAPI_EXPORT extern void TF_GraphGetTensorShape(TF_Graph *graph, TF_Output output, int64_t *dims,
                                                  int num_dims, TF_Status *status);

/* ---- operations ---- */

/* Writes the operation as a serialized NodeDef to the empty buffer output_node_def. Any thread.
 * Errors: INVALID_ARGUMENT. */
TF_CAPI_EXPORT extern void TF_OperationToNodeDef(TF_Operation *oper, TF_Buffer *output_node_def,
                                                 TF_Status *status);

/* The name. Owned by the graph. Any thread; cannot fail. */
TF_CAPI_EXPORT extern const char *TF_OperationName(TF_Operation *oper);

/* The name of the op, such as "MatMul". Owned by the graph. Any thread; cannot fail. */
TF_CAPI_EXPORT extern const char *TF_OperationOpType(TF_Operation *oper);

/* The device that was asked for, "" when none. Owned by the graph. Any thread; cannot fail. */
TF_CAPI_EXPORT extern const char *TF_OperationDevice(TF_Operation *oper);

/* The number of outputs, those of lists counted singly. Any thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_OperationNumOutputs(TF_Operation *oper);

/* The type of an existing output; a reference has its number plus 100. Any thread. */
TF_CAPI_EXPORT extern TF_DataType TF_OperationOutputType(TF_Output oper_out);

/* How many tensors the output argument arg_name of the op has. Any thread.
 * Errors, and -1: INVALID_ARGUMENT (the op has no such argument). */
TF_CAPI_EXPORT extern int TF_OperationOutputListLength(TF_Operation *oper, const char *arg_name,
                                                       TF_Status *status);

/* The number of inputs, those of lists counted singly, control inputs not. Any thread; cannot
 * fail. */
TF_CAPI_EXPORT extern int TF_OperationNumInputs(TF_Operation *oper);

/* The type that an existing input takes. Any thread. */
TF_CAPI_EXPORT extern TF_DataType TF_OperationInputType(TF_Input oper_in);

/* How many tensors the input argument arg_name of the op has. Any thread.
 * Errors, and -1: INVALID_ARGUMENT (the op has no such argument). */
TF_CAPI_EXPORT extern int TF_OperationInputListLength(TF_Operation *oper, const char *arg_name,
                                                      TF_Status *status);

/* The output that feeds an existing input; {NULL, -1} while there is none. Any thread. */
TF_CAPI_EXPORT extern TF_Output TF_OperationInput(TF_Input oper_in);

/* How many inputs read an existing output. Any thread. */
TF_CAPI_EXPORT extern int TF_OperationOutputNumConsumers(TF_Output oper_out);

/* Writes up to max_consumers of the inputs that read an existing output; how many there are in
 * all. consumers is the caller's array. Any thread. */
TF_CAPI_EXPORT extern int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input *consumers,
                                                      int max_consumers);

/* The number of control inputs. Any thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_OperationNumControlInputs(TF_Operation *oper);

/* Writes up to max_control_inputs of the operations that must run before oper without giving it a
 * value; how many there are in all. Any thread. */
TF_CAPI_EXPORT extern int TF_OperationGetControlInputs(TF_Operation *oper,
                                                       TF_Operation **control_inputs,
                                                       int max_control_inputs);

/* The number of operations that have oper as a control input. Any thread; cannot fail. */
TF_CAPI_EXPORT extern int TF_OperationNumControlOutputs(TF_Operation *oper);

/* Writes up to max_control_outputs of the operations that have oper as a control input; how many
 * there are in all. Any thread. */
TF_CAPI_EXPORT extern int TF_OperationGetControlOutputs(TF_Operation *oper,
                                                        TF_Operation **control_outputs,
                                                        int max_control_outputs);

#ifdef __cplusplus
}
#endif

#endif
