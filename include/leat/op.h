/* SPDX-License-Identifier: Apache-2.0 */
/* Making a node of any op under the scopes of leat/scope.h.
 *
 * leat/leat_ops.h has a function for each op; this is what they stand on, and what serves where the
 * op is only known by its name:
 *
 *     TF_OperationDescription *d = leat_begin(g, "MatMul", NULL, LEAT_HERE);
 *     leat_add_input(d, a);
 *     leat_add_input(d, b);
 *     TF_SetAttrBool(d, "transpose_a", 1);
 *     TF_Output y = leat_output_of(leat_finish(d), 0);
 *
 * Any thread; what concerns one description, one. */
#ifndef LEAT_OP_H
#define LEAT_OP_H

#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts a node: its name is `name` (NULL: the op's) under the current scope, made unique; a name
 * that ends with a slash is taken as it is, without the slash. Device and colocation are those of
 * the scopes; control dependencies are added at the finish. NULL when g or op is NULL. Calls with
 * the description: one thread. */
LEAT_EXPORT TF_OperationDescription *leat_begin(TF_Graph *g, const char *op, const char *name,
                                                const char *made_at);
/* The next input. As TF_AddInput, but what a leat_variable returned is read where the op wants a
 * value rather than a reference. */
LEAT_EXPORT void leat_add_input(TF_OperationDescription *d, TF_Output input);
/* The next input, a list. */
LEAT_EXPORT void leat_add_input_list(TF_OperationDescription *d, const TF_Output *inputs, int n);
/* As above, but with what is given as it is: the reference or handle of a variable is not read.
 * From outside of the loop or branch that is being built it is brought in all the same. */
LEAT_EXPORT void leat_add_raw_input(TF_OperationDescription *d, TF_Output input);
LEAT_EXPORT void leat_add_raw_input_list(TF_OperationDescription *d, const TF_Output *inputs,
                                         int n);
/* Adds the node. NULL after an error, which is recorded unless there was one before
 * (leat_graph_status). */
LEAT_EXPORT TF_Operation *leat_finish(TF_OperationDescription *d);

/* Output k of op; the invalid output, {NULL, 0}, of NULL. */
static inline TF_Output leat_output_of(TF_Operation *op, int k)
{
    TF_Output out = {NULL, 0};
    if (op) {
        out.oper = op;
        out.index = k;
    }
    return out;
}
/* Output k of the node that y is an output of. */
static inline TF_Output leat_output(TF_Output y, int k)
{
    return leat_output_of(y.oper, k);
}
/* Whether y is an output, not the mark of an earlier error. */
static inline bool leat_valid(TF_Output y)
{
    return y.oper != NULL;
}

/* The output's shape as far as it is known: its rank, or -1; the first max of its dims. Any thread.
 */
LEAT_EXPORT int leat_static_shape(TF_Graph *g, TF_Output y, int64_t *dims, int max);
/* Its type, without the mark of a reference; of a resource variable the type of its value. 0 of an
 * invalid output. Any thread. */
LEAT_EXPORT TF_DataType leat_dtype(TF_Graph *g, TF_Output y);

/* ---- variables, as the graph knows them (leat/variable.h makes them) ---- */

struct leat_variable_parts {
    TF_Output ref;      /* what the program holds: a reference, or a resource handle */
    TF_Output read;     /* a node that reads it */
    TF_Output initial;  /* its first value */
    TF_Operation *init; /* the node that assigns that */
    bool is_resource;
    bool trainable;
    TF_DataType dtype;
    bool shared; /* made by leat_get_variable, which may give it again */
};
/* Makes leat_add_input read parts->ref through parts->read (a resource: through a new node each
 * time). Any thread. */
LEAT_EXPORT void leat_register_variable(TF_Graph *g, const struct leat_variable_parts *parts);
/* 1 and *parts, of what leat_register_variable was told of (by ref or by read); else 0. Any thread.
 */
LEAT_EXPORT int leat_find_variable(TF_Graph *g, TF_Output v, struct leat_variable_parts *parts);
/* The same for the variable whose node has this name. Any thread. */
LEAT_EXPORT int leat_find_variable_named(TF_Graph *g, const char *name,
                                         struct leat_variable_parts *parts);
/* v is a part of a larger variable: savers save it under full_name, as the slice that spec says:
 * "4 3 0,2:-" are rows 0 and 1 of shape [4, 3] (start,length of each dim; -: all of it). MetaGraphs
 * keep it. 0: the graph has an error (v is no variable, spec no such text, or one of another shape
 * than v's). Any thread. */
LEAT_EXPORT int leat_set_variable_slice(TF_Graph *g, TF_Output v, const char *full_name,
                                        const char *spec);
/* 1, and copies of both texts for the caller to free (leat_free; either may be NULL: not asked):
 * v is such a part, also by a MetaGraph that was imported. Any thread. */
LEAT_EXPORT int leat_variable_slice(TF_Graph *g, TF_Output v, char **full_name, char **spec);

#ifdef __cplusplus
}
#endif

#endif
