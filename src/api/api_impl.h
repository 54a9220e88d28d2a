/* SPDX-License-Identifier: Apache-2.0 */
/* The casts between the C API's opaque types and ours, and small helpers of its files.
 *
 * TF_Graph, TF_Operation and TF_OperationDescription are struct graph, node and node_desc under
 * another name; TF_Output and TF_Input have the layout of struct output and input. */
#ifndef LEAT_API_API_IMPL_H
#define LEAT_API_API_IMPL_H

#include "api/api_tensor.h"
#include "graph/graph.h"
#include "runtime/session.h"
#include "tensorflow/c/c_api.h"

_Static_assert(sizeof(TF_Output) == sizeof(struct output), "TF_Output has another layout");
_Static_assert(sizeof(TF_Input) == sizeof(struct input), "TF_Input has another layout");

static inline struct graph *api_graph(TF_Graph *g)
{
    return (struct graph *)g;
}
static inline struct node *api_node(const TF_Operation *o)
{
    return (struct node *)(uintptr_t)o;
}
static inline TF_Operation *api_oper(struct node *n)
{
    return (TF_Operation *)n;
}
static inline struct output api_output(TF_Output o)
{
    return (struct output){api_node(o.oper), o.index};
}
static inline const struct output *api_outputs(const TF_Output *o)
{
    return (const struct output *)o;
}

struct TF_SessionOptions {
    struct config config;
};
struct TF_Session {
    struct session *s;
};

/* An out-of-range or missing output: false with OUT_OF_RANGE or INVALID_ARGUMENT. */
MUST_CHECK bool api_check_output(TF_Output o, struct status *st);
/* Whether there are sessions for that target (NULL: none was given): NOT_FOUND, UNIMPLEMENTED. */
MUST_CHECK bool api_target_ok(const char *target, struct status *st);
/* Fills an empty buffer with what b holds, which is taken. */
MUST_CHECK bool api_fill_buffer(TF_Buffer *out, struct strbuf *b, struct status *st);

#endif
