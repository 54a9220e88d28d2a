/* SPDX-License-Identifier: Apache-2.0 */
/* Replacing values in a rewrite graph, and the facts that passes decide by. Linear, iterative. */
#include "graph/pass_util.h"

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "op/evaluate.h"

struct rforward rforward_new(const struct rgraph *g)
{
    return (struct rforward){mem_new_array(struct redge *, g->num_nodes + 1), g->num_nodes};
}

void rforward_set(struct rforward *f, struct rgraph *g, const struct rnode *n, int index,
                  struct redge with)
{
    if (!f->to[n->id])
        f->to[n->id] = arena_array(&g->arena, struct redge, n->num_outputs);
    f->to[n->id][index] = with;
}

void rforward_inputs(const struct rforward *f, struct rnode *n)
{
    for (int k = 0; k < n->num_inputs; k++) {
        struct redge e = n->inputs[k];
        if (e.node->id < f->n && f->to[e.node->id] && f->to[e.node->id][e.index].node)
            n->inputs[k] = f->to[e.node->id][e.index];
    }
}

void rforward_end(struct rforward *f, struct rgraph *g, bool drop)
{
    for (int64_t i = 0; i < g->num_nodes && drop; i++)
        rforward_inputs(f, g->nodes[i]); /* loops' back edges, which came before their sources */
    mem_free(f->to);
    *f = (struct rforward){0};
    if (drop)
        rgraph_compact(g);
}

bool rnode_is(const struct rnode *n, const char *op)
{
    return strcmp(n->op->name, op) == 0;
}

static unsigned facts_of(const struct op *op)
{
    static const struct {
        const char *op;
        unsigned facts;
    } table[] = {
        {"Switch", RNODE_CONTROL_FLOW | RNODE_BRANCHES},
        {"Merge", RNODE_CONTROL_FLOW | RNODE_BRANCHES},
        {"_SwitchN", RNODE_CONTROL_FLOW},
        {"Enter", RNODE_CONTROL_FLOW},
        {"Exit", RNODE_CONTROL_FLOW},
        {"NextIteration", RNODE_CONTROL_FLOW},
        {"LoopCond", RNODE_CONTROL_FLOW},
        {"RefSwitch", RNODE_CONTROL_FLOW},
        {"RefMerge", RNODE_CONTROL_FLOW},
        {"RefEnter", RNODE_CONTROL_FLOW},
        {"RefExit", RNODE_CONTROL_FLOW},
        {"RefNextIteration", RNODE_CONTROL_FLOW},
        {"Const", RNODE_CONST},
        {"Shape", RNODE_OF_SHAPE},
        {"ShapeN", RNODE_OF_SHAPE},
        {"Size", RNODE_OF_SHAPE},
        {"Rank", RNODE_OF_SHAPE},
        {"Transpose", RNODE_TRANSPOSE},
        {"ConjugateTranspose", RNODE_TRANSPOSE},
        {"MatMul", RNODE_PRODUCT},
        {"BatchMatMul", RNODE_PRODUCT},
        {"BatchMatMulV2", RNODE_PRODUCT},
    };
    unsigned facts = RNODE_KNOWN;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        if (strcmp(op->name, table[i].op) == 0)
            facts |= table[i].facts;
    }
    bool placeholder = strncmp(op->name, "Placeholder", 11) == 0;
    bool handles = strncmp(op->name, "TensorArray", 11) == 0; /* the older ones are strings */
    if (op->def && evaluate_possible(op) && op->name[0] != '_' && !placeholder && !handles &&
        !(facts & RNODE_CONTROL_FLOW))
        facts |= RNODE_NO_EFFECTS;
    return facts;
}

unsigned rnode_find_facts(struct rnode *n)
{
    n->facts = (uint16_t)facts_of(n->op);
    return n->facts;
}

void rgraph_find_facts(struct rgraph *g)
{
    struct u64map by_op = {0};
    for (int64_t i = 0; i < g->num_nodes; i++) {
        struct rnode *n = g->nodes[i];
        uint64_t key = (uint64_t)(uintptr_t)n->op;
        uintptr_t facts = n->facts ? n->facts : (uintptr_t)u64map_find(&by_op, key);
        if (!facts) {
            facts = facts_of(n->op);
            u64map_put(&by_op, key, (void *)facts);
        }
        n->facts = (uint16_t)facts;
    }
    u64map_release(&by_op);
}

bool rgraph_has(const struct rgraph *g, unsigned facts)
{
    for (int64_t i = 0; i < g->num_nodes; i++) {
        if (rnode_facts(g->nodes[i]) & facts && !g->nodes[i]->dropped)
            return true;
    }
    return false;
}

bool rnode_is_control_flow(const struct rnode *n)
{
    return rnode_facts(n) & RNODE_CONTROL_FLOW;
}

static bool plain_types(const int *types, int n)
{
    for (int i = 0; i < n; i++) {
        if (dtype_is_ref(types[i]) || types[i] == DT_RESOURCE || types[i] == DT_VARIANT)
            return false;
    }
    return true;
}

bool rnode_reads_ref(const struct rnode *n)
{
    for (int i = 0; i < n->num_inputs; i++) {
        if (dtype_is_ref(n->inputs[i].node->output_types[n->inputs[i].index]))
            return true;
    }
    return false;
}

bool rnode_is_pure(const struct rnode *n)
{
    return rnode_facts(n) & RNODE_NO_EFFECTS && plain_types(n->input_types, n->num_inputs) &&
           plain_types(n->output_types, n->num_outputs) && !rnode_reads_ref(n);
}

const struct tensor *redge_const(struct redge e)
{
    if (!(rnode_facts(e.node) & RNODE_CONST) || e.node->num_control > 0)
        return NULL;
    const struct attr_value *v = attrs_find(e.node->attrs, "value");
    bool right = v && v->kind == ATTR_TENSOR && !v->is_list &&
                 v->tensor.dtype == e.node->output_types[0]; /* else it fails when it runs */
    return right ? &v->tensor : NULL;
}

bool redge_ints(struct redge e, int64_t *out, int max, int *n)
{
    const struct tensor *t = redge_const(e);
    if (!t || (t->dtype != DT_INT32 && t->dtype != DT_INT64) || t->shape.rank > 1)
        return false;
    int64_t count = t->shape.rank ? shape_dims(&t->shape)[0] : 1;
    if (count > max)
        return false;
    for (int64_t i = 0; i < count; i++)
        out[i] =
            t->dtype == DT_INT32 ? ((const int32_t *)t->data)[i] : ((const int64_t *)t->data)[i];
    *n = (int)count;
    return true;
}

bool rnode_same_device(const struct rnode *a, const struct rnode *b)
{
    return a->device == b->device || strcmp(a->device, b->device) == 0;
}

bool *rgraph_find_conditional(const struct rgraph *g, struct rnode *const *order)
{
    bool *maybe = mem_new_array(bool, g->num_nodes + 1);
    for (int64_t i = 0; i < g->num_nodes && order[i]; i++) {
        const struct rnode *n = order[i];
        bool m = n->frame != 0 || rnode_is_control_flow(n);
        for (int k = 0; k < n->num_inputs && !m; k++)
            m = maybe[n->inputs[k].node->id];
        for (int64_t k = 0; k < n->num_control && !m; k++)
            m = maybe[n->control[k]->id];
        maybe[n->id] = m;
    }
    return maybe;
}

static bool is_variable_like(const struct rnode *n)
{
    return rnode_reads_ref(n) || !plain_types(n->input_types, n->num_inputs) ||
           !plain_types(n->output_types, n->num_outputs) || n->op->function ||
           rnode_is_control_flow(n);
}

bool *rgraph_find_sure_shapes(const struct rgraph *g, struct rnode *const *order)
{
    bool *sure = mem_new_array(bool, g->num_nodes + 1);
    for (int64_t i = 0; i < g->num_nodes && order[i]; i++) {
        const struct rnode *n = order[i];
        bool s = !is_variable_like(n);
        for (int k = 0; k < n->num_inputs && s; k++)
            s = sure[n->inputs[k].node->id];
        sure[n->id] = s;
    }
    return sure;
}
