/* SPDX-License-Identifier: Apache-2.0 */
/* Adding the nodes and functions of a GraphDef to a graph.
 *
 * TF_ImportGraphDefOptions says under which names, on which devices and with which edges replaced;
 * it and the results object are for one thread, the graph for any. An import that fails leaves the
 * graph as it was. Names that options refer to are those of the GraphDef, before a prefix. */
#ifndef TENSORFLOW_C_C_API_IMPORT_H_
#define TENSORFLOW_C_C_API_IMPORT_H_

#include "tensorflow/c/c_api_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_ImportGraphDefOptions TF_ImportGraphDefOptions;
typedef struct TF_ImportGraphDefResults TF_ImportGraphDefResults;

/* New options: no prefix, names as they are. The caller frees with TF_DeleteImportGraphDefOptions.
 * Any thread; NULL when memory is short. */
TF_CAPI_EXPORT extern TF_ImportGraphDefOptions *TF_NewImportGraphDefOptions(void);

/* Frees options. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteImportGraphDefOptions(TF_ImportGraphDefOptions *opts);

/* Puts "prefix/" before the name of every imported node. prefix is copied. One thread; errors at
 * the import. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetPrefix(TF_ImportGraphDefOptions *opts,
                                                             const char *prefix);

/* The device for nodes that ask for none. device is copied. One thread; errors at the import. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetDefaultDevice(TF_ImportGraphDefOptions *opts,
                                                                    const char *device);

/* Whether a node whose name is taken is renamed ("a" to "a_1"); else it is an error. One thread;
 * cannot fail. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetUniquifyNames(TF_ImportGraphDefOptions *opts,
                                                                    unsigned char uniquify_names);

/* Whether a prefix that is taken is changed ("p" to "p_1"); else it is an error. Of no effect when
 * names are made unique. One thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsSetUniquifyPrefix(TF_ImportGraphDefOptions *opts,
                                                                     unsigned char uniquify_prefix);

/* Every input src_name:src_index of an imported node becomes dst, an output of the graph. src_name
 * is copied. One thread; errors at the import. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddInputMapping(TF_ImportGraphDefOptions *opts,
                                                                   const char *src_name,
                                                                   int src_index, TF_Output dst);

/* Every control input from src_name becomes one from dst, an operation of the graph. src_name is
 * copied. One thread; errors at the import. */
TF_CAPI_EXPORT extern void
TF_ImportGraphDefOptionsRemapControlDependency(TF_ImportGraphDefOptions *opts, const char *src_name,
                                               TF_Operation *dst);

/* Makes oper, an operation of the graph, a control input of every imported node that has no inputs
 * from among the imported ones. One thread; errors at the import. */
TF_CAPI_EXPORT extern void
TF_ImportGraphDefOptionsAddControlDependency(TF_ImportGraphDefOptions *opts, TF_Operation *oper);

/* Asks for output oper_name:index among the results, in the order of the calls; where that output
 * is mapped, the result is what it is mapped to. oper_name is copied. One thread; errors at the
 * import. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefOptionsAddReturnOutput(TF_ImportGraphDefOptions *opts,
                                                                   const char *oper_name,
                                                                   int index);

/* How many outputs were asked for. One thread; cannot fail. */
TF_CAPI_EXPORT extern int
TF_ImportGraphDefOptionsNumReturnOutputs(const TF_ImportGraphDefOptions *opts);

/* Asks for the operation made of node oper_name among the results. oper_name is copied. One thread;
 * errors at the import. */
TF_CAPI_EXPORT extern void
TF_ImportGraphDefOptionsAddReturnOperation(TF_ImportGraphDefOptions *opts, const char *oper_name);

/* How many operations were asked for. One thread; cannot fail. */
TF_CAPI_EXPORT extern int
TF_ImportGraphDefOptionsNumReturnOperations(const TF_ImportGraphDefOptions *opts);

/* The outputs that were asked for: *outputs is an array of *num_outputs, owned by results. One
 * thread; cannot fail. */
TF_CAPI_EXPORT extern void TF_ImportGraphDefResultsReturnOutputs(TF_ImportGraphDefResults *results,
                                                                 int *num_outputs,
                                                                 TF_Output **outputs);

/* The operations that were asked for: *opers is an array of *num_opers, owned by results. One
 * thread; cannot fail. */
TF_CAPI_EXPORT extern void
TF_ImportGraphDefResultsReturnOperations(TF_ImportGraphDefResults *results, int *num_opers,
                                         TF_Operation ***opers);

/* The input mappings that no imported node used and whose source is not in the GraphDef: names and
 * indexes, arrays owned by results. One thread; cannot fail. */
TF_CAPI_EXPORT extern void
TF_ImportGraphDefResultsMissingUnusedInputMappings(TF_ImportGraphDefResults *results,
                                                   int *num_missing_unused_input_mappings,
                                                   const char ***src_names, int **src_indexes);

/* Frees results, not what was imported. One thread. */
TF_CAPI_EXPORT extern void TF_DeleteImportGraphDefResults(TF_ImportGraphDefResults *results);

/* Imports a serialized GraphDef. The caller frees the results with TF_DeleteImportGraphDefResults.
 * Any thread as to the graph. Errors, and NULL: INVALID_ARGUMENT (no GraphDef, a name taken, an
 * input absent or of the wrong type, a cycle without a loop, shapes that contradict each other),
 * NOT_FOUND (an op that is not registered). */
TF_CAPI_EXPORT extern TF_ImportGraphDefResults *
TF_GraphImportGraphDefWithResults(TF_Graph *graph, const TF_Buffer *graph_def,
                                  const TF_ImportGraphDefOptions *options, TF_Status *status);

/* As above, but writes the outputs that were asked for to the caller's array return_outputs;
 * num_return_outputs is their number. Any thread as to the graph. Errors: as above, and
 * INVALID_ARGUMENT for another number. */
TF_CAPI_EXPORT extern void TF_GraphImportGraphDefWithReturnOutputs(
    TF_Graph *graph, const TF_Buffer *graph_def, const TF_ImportGraphDefOptions *options,
    TF_Output *return_outputs, int num_return_outputs, TF_Status *status);

/* As TF_GraphImportGraphDefWithResults, without results. Any thread as to the graph; the same
 * errors. */
TF_CAPI_EXPORT extern void TF_GraphImportGraphDef(TF_Graph *graph, const TF_Buffer *graph_def,
                                                  const TF_ImportGraphDefOptions *options,
                                                  TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
