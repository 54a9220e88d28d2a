/* SPDX-License-Identifier: Apache-2.0 */
/* Constant folding: a node whose inputs are all constants is run once, now, and becomes constants.
 *
 * Only nodes without state, references and control edges, outside of loops, whose results are known
 * to be small; so what is dead stays dead and memory stays bounded. A kernel that fails is left in
 * place: it fails when, and if, it runs. Linear: one visit a node, in topological order. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_util.h"
#include "op/evaluate.h"

enum { MAX_INPUTS = 64, MAX_OUTPUTS = 16 };

static bool plain_types(const int *types, int n)
{
    for (int i = 0; i < n; i++) {
        if (dtype_is_ref(types[i]) || types[i] == DT_RESOURCE || types[i] == DT_VARIANT)
            return false;
    }
    return true;
}

/* Every output is known to have at most `limit` bytes. */
static bool small_outputs(const struct rnode *n, int64_t limit)
{
    for (int i = 0; i < n->num_outputs; i++) {
        struct status st = {0};
        int64_t elems = 0;
        bool ok = shape_known(&n->shapes[i]) && shape_num_elems(&n->shapes[i], &elems, &st) &&
                  elems <= limit / (int64_t)dtype_size(n->output_types[i]);
        status_clear(&st);
        if (!ok)
            return false;
    }
    return true;
}

static bool foldable(const struct rnode *n, int64_t limit)
{
    bool shape = n->num_inputs > 0 && n->num_inputs <= MAX_INPUTS && n->num_outputs > 0 &&
                 n->num_outputs <= MAX_OUTPUTS && n->num_control == 0 && n->frame == 0;
    if (!shape || n->keep || n->dropped || n->op->function || rnode_is_control_flow(n) ||
        !redge_const(n->inputs[0]) || !evaluate_possible(n->op) ||
        !plain_types(n->input_types, n->num_inputs) ||
        !plain_types(n->output_types, n->num_outputs) || !small_outputs(n, limit))
        return false;
    for (int i = 0; i < n->num_inputs; i++) {
        if (!redge_const(n->inputs[i]))
            return false;
    }
    return true;
}

static bool replace(struct rgraph *g, struct rnode *n, const struct tensor *outputs,
                    struct redge *with, struct status *st)
{
    for (int i = 0; i < n->num_outputs; i++) {
        char *name = mem_printf("%s/folded_%d", n->name, i);
        struct rnode *c = rgraph_add_const(g, name, &outputs[i], n->device, st);
        mem_free(name);
        if (!c)
            return false;
        with[i] = (struct redge){c, 0};
    }
    return true;
}

/* The constants that stand for n's outputs in `with`; false when n stays. */
static bool fold(struct rgraph *g, struct rnode *n, struct redge *with, struct status *st)
{
    struct tensor values[MAX_INPUTS], outputs[MAX_OUTPUTS] = {0};
    struct tensor *in[MAX_INPUTS];
    struct status why = {0};
    for (int i = 0; i < n->num_inputs; i++) {
        values[i] = tensor_copy(redge_const(n->inputs[i]));
        in[i] = &values[i];
    }
    struct evaluate_call call = {.op = n->op,
                                 .node_name = n->name,
                                 .attrs = n->attrs,
                                 .inputs = in,
                                 .num_inputs = n->num_inputs,
                                 .num_outputs = n->num_outputs};
    bool ok = evaluate_node(&call, outputs, &why);
    ok = ok && replace(g, n, outputs, with, st);
    for (int i = 0; i < n->num_inputs; i++)
        tensor_clear(&values[i]);
    for (int i = 0; i < n->num_outputs; i++)
        tensor_clear(&outputs[i]);
    status_clear(&why);
    return ok;
}

static bool run(struct rgraph *g, const struct pass_options *o, struct status *st)
{
    struct rnode **order;
    if (!rgraph_sort(g, &order, st))
        return false;
    int64_t n = g->num_nodes;
    struct redge **with = mem_new_array(struct redge *, n + 1); /* per node: its constants */
    for (int64_t i = 0; i < n && order[i] && status_ok(st); i++) {
        struct rnode *r = order[i];
        for (int k = 0; k < r->num_inputs; k++) {
            struct redge e = r->inputs[k];
            if (e.node->id < n && with[e.node->id])
                r->inputs[k] = with[e.node->id][e.index];
        }
        if (!foldable(r, o->max_folded_bytes))
            continue;
        struct redge *c = arena_array(&g->arena, struct redge, r->num_outputs);
        if (fold(g, r, c, st))
            with[r->id] = c;
    }
    mem_free(with);
    if (status_ok(st))
        rgraph_compact(g);
    return status_ok(st);
}

static bool enabled(const struct pass_options *o)
{
    return o->fold;
}

PASS_DEF(fold) = {
    .name = "fold",
    .summary = "Runs nodes whose inputs are constants once, when the plan is made.",
    .order = 100,
    .enabled = enabled,
    .run = run,
};
