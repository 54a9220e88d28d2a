/* SPDX-License-Identifier: Apache-2.0 */
/* The count of a model's steps, and what tells which variables have no value yet.
 *
 *     TF_Output step = leat_get_or_create_global_step(g);
 *     TF_Operation *train = leat_minimize(opt, loss, .global_step = step);
 *     TF_Output missing = leat_report_uninitialized_variables(g, leat_all_variables(), NULL);
 *
 * Nodes, names and collections are TensorFlow 1.15's. Errors: leat_graph_status. Any thread. */
#ifndef LEAT_GLOBAL_STEP_H
#define LEAT_GLOBAL_STEP_H

#include "leat/variable.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A new int64 variable global_step, 0, not trainable, in LEAT_GLOBAL_VARIABLES and
 * LEAT_GLOBAL_STEP. INVALID_ARGUMENT: the graph has one. */
LEAT_EXPORT TF_Output leat_create_global_step(TF_Graph *g);
/* That of the collection, or the variable named global_step; the invalid output where there is
 * none, which is no error. INVALID_ARGUMENT: several, or one that is no integer scalar. */
LEAT_EXPORT TF_Output leat_get_global_step(TF_Graph *g);
LEAT_EXPORT TF_Output leat_get_or_create_global_step(TF_Graph *g);

/* For the list of variables of the functions below: those of LEAT_GLOBAL_VARIABLES. Any thread;
 * cannot fail. */
static inline struct leat_outputs leat_all_variables(void)
{
    struct leat_outputs all = {NULL, LEAT_NOT_GIVEN};
    return all;
}
/* The names, a string vector, of those of the variables that have no value when it is run. Not
 * given: the global and then the local ones that there are now. name NULL:
 * report_uninitialized_variables. Errors: INVALID_ARGUMENT for what is no variable. */
LEAT_EXPORT TF_Output leat_report_uninitialized_variables(TF_Graph *g,
                                                          struct leat_outputs variables,
                                                          const char *name);

#ifdef __cplusplus
}
#endif

#endif
