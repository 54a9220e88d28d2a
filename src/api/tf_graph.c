/* SPDX-License-Identifier: Apache-2.0 */
/* TF_Graph: life, search, shapes, GraphDef out, versions. */
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

static void free_bytes(void *data, size_t n)
{
    (void)n;
    mem_free(data);
}

bool api_fill_buffer(TF_Buffer *out, struct strbuf *b, struct status *st)
{
    if (!out || out->data) {
        strbuf_release(b);
        return status_invalid(st, "Passing non-empty TF_Buffer is invalid.");
    }
    out->length = b->n;
    out->data = strbuf_take(b);
    out->data_deallocator = free_bytes;
    return true;
}

bool api_check_output(TF_Output o, struct status *st)
{
    struct node *n = api_node(o.oper);
    if (!n)
        return status_invalid(st, "the output names no operation");
    if (o.index < 0 || o.index >= n->num_outputs)
        return status_fail(st, STATUS_OUT_OF_RANGE,
                           "Node '%s' (type: '%s', num of outputs: %d) does not have output %d",
                           n->name, n->op->name, n->num_outputs, o.index);
    return true;
}

const char *TF_Version(void)
{
    return "1.15.5"; /* whose API this is; clients compare it */
}

TF_Graph *TF_NewGraph(void)
{
    return (TF_Graph *)graph_new();
}

void TF_DeleteGraph(TF_Graph *g)
{
    if (g)
        graph_unref(api_graph(g));
}

TF_Operation *TF_GraphOperationByName(TF_Graph *graph, const char *oper_name)
{
    return graph && oper_name ? api_oper(graph_find(api_graph(graph), oper_name)) : NULL;
}

TF_Operation *TF_GraphNextOperation(TF_Graph *graph, size_t *pos)
{
    if (!graph || !pos)
        return NULL;
    struct graph *g = api_graph(graph);
    lock_take(&g->lock);
    struct node *n = *pos < (size_t)g->num_nodes ? g->nodes[(*pos)++] : NULL;
    lock_drop(&g->lock);
    return api_oper(n);
}

void TF_GraphToGraphDef(TF_Graph *graph, TF_Buffer *output_graph_def, TF_Status *status)
{
    struct status st = {0};
    struct strbuf b = {0};
    if (!graph)
        status_invalid(&st, "TF_GraphToGraphDef: no graph");
    else if (graph_export(api_graph(graph), &b, &st) && !api_fill_buffer(output_graph_def, &b, &st))
        strbuf_release(&b);
    strbuf_release(&b);
    api_return(status, &st);
}

/* Encodes msg into an empty buffer. */
static bool put_message(const void *msg, TF_Buffer *out, struct status *st)
{
    struct strbuf b = {0};
    bool ok = pb_encode(msg, &b, st) && api_fill_buffer(out, &b, st);
    strbuf_release(&b);
    return ok;
}

void TF_GraphVersions(TF_Graph *graph, TF_Buffer *output_version_def, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    if (!graph) {
        status_invalid(&st, "TF_GraphVersions: no graph");
    } else {
        struct pb_version_def *v = pb_version_def_new(&a);
        v->producer = api_graph(graph)->producer;
        v->min_consumer = api_graph(graph)->min_consumer;
        (void)!put_message(v, output_version_def, &st);
    }
    arena_release(&a);
    api_return(status, &st);
}

void TF_GraphGetOpDef(TF_Graph *graph, const char *op_name, TF_Buffer *output_op_def,
                      TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    const struct op *op = graph && op_name ? graph_find_op(api_graph(graph), op_name) : NULL;
    if (!graph || !op_name)
        status_invalid(&st, "TF_GraphGetOpDef: no graph or no name");
    else if (!op && op_get(op_name, &st))
        status_not_found(&st, "Op type not registered '%s'", op_name);
    else if (op)
        (void)!put_message(op_to_proto(&a, op), output_op_def, &st);
    arena_release(&a);
    api_return(status, &st);
}

void TF_OperationToNodeDef(TF_Operation *oper, TF_Buffer *output_node_def, TF_Status *status)
{
    struct status st = {0};
    struct arena a = {0};
    if (!oper)
        status_invalid(&st, "TF_OperationToNodeDef: no operation");
    else
        (void)!put_message(node_to_def(api_node(oper), &a), output_node_def, &st);
    arena_release(&a);
    api_return(status, &st);
}

unsigned char TF_TryEvaluateConstant(TF_Graph *graph, TF_Output output, TF_Tensor **result,
                                     TF_Status *status)
{
    struct status st = {0};
    struct tensor t = {0};
    bool found = false;
    if (!graph || !result) {
        status_invalid(&st, "TF_TryEvaluateConstant: no graph or no place for the result");
    } else {
        *result = NULL;
        if (api_check_output(output, &st) && graph_constant(api_output(output), &t)) {
            *result = api_tensor_from_internal(&t, &st);
            found = *result != NULL;
            tensor_clear(&t);
        }
    }
    api_return(status, &st);
    return found;
}

/* --- shapes --- */

static bool in_graph(TF_Graph *graph, TF_Output o, struct status *st)
{
    if (!graph)
        return status_invalid(st, "no graph");
    if (!api_check_output(o, st))
        return false;
    struct node *n = api_node(o.oper);
    return n->graph == api_graph(graph) ||
           status_invalid(st, "Node %s was not found in the graph", n->name);
}

void TF_GraphSetTensorShape(TF_Graph *graph, TF_Output output, const int64_t *dims,
                            const int num_dims, TF_Status *status)
{
    struct status st = {0};
    if (num_dims > SHAPE_MAX_RANK || (num_dims > 0 && !dims)) {
        status_invalid(&st, "TF_GraphSetTensorShape: %d dims, at most %d and not NULL", num_dims,
                       SHAPE_MAX_RANK);
    } else if (in_graph(graph, output, &st)) {
        struct shape s = num_dims < 0 ? shape_unknown() : shape_make(dims, num_dims);
        (void)!graph_set_shape(api_graph(graph), api_output(output), &s, &st);
        shape_clear(&s);
    }
    api_return(status, &st);
}

int TF_GraphGetTensorNumDims(TF_Graph *graph, TF_Output output, TF_Status *status)
{
    struct status st = {0};
    int rank = -1;
    if (in_graph(graph, output, &st)) {
        struct shape s = output_shape(api_output(output));
        rank = s.rank;
        shape_clear(&s);
    }
    api_return(status, &st);
    return rank;
}

void TF_GraphGetTensorShape(TF_Graph *graph, TF_Output output, int64_t *dims, int num_dims,
                            TF_Status *status)
{
    struct status st = {0};
    if (in_graph(graph, output, &st)) {
        struct shape s = output_shape(api_output(output));
        if (s.rank >= 0 && s.rank != num_dims)
            status_invalid(&st, "Expected rank is %d but actual rank is %d", num_dims, s.rank);
        else if (s.rank > 0 && !dims)
            status_invalid(&st, "TF_GraphGetTensorShape: no array for %d dims", s.rank);
        for (int i = 0; status_ok(&st) && i < s.rank; i++)
            dims[i] = shape_dim(&s, i);
        shape_clear(&s);
    }
    api_return(status, &st);
}
