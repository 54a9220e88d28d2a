/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes that are known become constants: Shape, ShapeN, Size and Rank of a value whose inferred
 * shape holds for certain, where the value is computed anyway.
 *
 * "Anyway" is asked of all of them at once: what can be reached from what is kept, without going
 * through such a node to its input. So no node is lost whose failure the user would have seen.
 * Before folding, which then folds the arithmetic on shapes that gradients are full of. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_util.h"

static bool candidate(const struct rnode *n, const bool *conditional, const bool *sure)
{
    if (!(rnode_facts(n) & RNODE_OF_SHAPE) || n->keep || n->num_control > 0 || conditional[n->id] ||
        !sure[n->id])
        return false;
    for (int i = 0; i < n->num_inputs; i++) {
        if (!shape_known(&n->inputs[i].node->shapes[n->inputs[i].index]))
            return false;
    }
    return true;
}

/* By id: reached from a root, inputs of candidates apart. */
static bool *find_needed(const struct rgraph *g, const bool *candidates)
{
    bool *needed = mem_new_array(bool, g->num_nodes + 1);
    struct rnode **stack = mem_new_array(struct rnode *, g->num_nodes + 1);
    int64_t depth = 0;
    for (int64_t i = 0; i < g->num_nodes; i++) {
        struct rnode *n = g->nodes[i];
        if (!n->dropped && (n->keep || n->pinned)) {
            needed[n->id] = true;
            stack[depth++] = n;
        }
    }
    while (depth > 0) {
        struct rnode *n = stack[--depth];
        int data = candidates[n->id] ? 0 : n->num_inputs;
        for (int64_t k = 0; k < data + n->num_control; k++) {
            struct rnode *in = k < data ? n->inputs[k].node : n->control[k - data];
            if (!needed[in->id]) {
                needed[in->id] = true;
                stack[depth++] = in;
            }
        }
    }
    mem_free(stack);
    return needed;
}

static bool put(struct tensor *t, int64_t i, int64_t value)
{
    if (t->dtype == DT_INT64) {
        ((int64_t *)t->data)[i] = value;
        return true;
    }
    ((int32_t *)t->data)[i] = (int32_t)value;
    return value <= INT32_MAX;
}

/* The value of output k; false where it has none (an int32 is too small for it). */
static bool value_of(const struct rnode *n, int k, struct tensor *out)
{
    struct redge x = n->inputs[k];
    const struct shape *s = &x.node->shapes[x.index];
    bool is_vector = rnode_is(n, "Shape") || rnode_is(n, "ShapeN");
    struct shape shape = is_vector ? shape_1(s->rank) : shape_scalar();
    struct status st = {0};
    int64_t elems = 0;
    bool ok = shape_num_elems(s, &elems, &st) &&
              (n->output_types[k] == DT_INT32 || n->output_types[k] == DT_INT64) &&
              tensor_new(out, n->output_types[k], &shape, &st);
    status_clear(&st);
    for (int i = 0; ok && is_vector && i < s->rank; i++)
        ok = put(out, i, shape_dim(s, i));
    if (ok && !is_vector)
        ok = put(out, 0, rnode_is(n, "Rank") ? s->rank : elems);
    return ok;
}

static bool materialize(struct rgraph *g, struct rforward *f, const struct rnode *n,
                        struct status *st)
{
    for (int k = 0; k < n->num_outputs; k++) {
        struct tensor value = {0};
        bool ok = true;
        if (value_of(n, k, &value)) {
            char *name = mem_printf("%s/known_%d", n->name, k);
            struct rnode *c = rgraph_add_const(g, name, &value, n->device, st);
            mem_free(name);
            ok = c != NULL;
            if (ok)
                rforward_set(f, g, n, k, (struct redge){c, 0});
        }
        tensor_clear(&value);
        if (!ok)
            return false;
    }
    return true;
}

static bool run(struct rgraph *g, const struct pass_options *o, struct status *st)
{
    (void)o;
    struct rnode **order;
    if (!rgraph_has(g, RNODE_OF_SHAPE))
        return true;
    if (!rgraph_sort(g, &order, st))
        return false;
    bool *conditional = rgraph_find_conditional(g, order);
    bool *sure = rgraph_find_sure_shapes(g, order);
    bool *candidates = mem_new_array(bool, g->num_nodes + 1), any = false, ok = true;
    for (int64_t i = 0; i < g->num_nodes; i++) {
        candidates[i] = candidate(g->nodes[i], conditional, sure);
        any = any || candidates[i];
    }
    if (any) {
        bool *needed = find_needed(g, candidates);
        struct rforward f = rforward_new(g);
        for (int64_t i = 0; i < f.n && ok; i++) {
            const struct rnode *n = g->nodes[i];
            bool all = candidates[i];
            for (int k = 0; k < n->num_inputs && all; k++)
                all = needed[n->inputs[k].node->id];
            ok = !all || materialize(g, &f, n, st);
        }
        rforward_end(&f, g, ok);
        mem_free(needed);
    }
    mem_free(conditional);
    mem_free(sure);
    mem_free(candidates);
    return ok;
}

static bool enabled(const struct pass_options *o)
{
    return o->fold;
}

PASS_DEF(shapes) = {
    .name = "shapes",
    .summary = "Known shapes become constants.",
    .order = 50,
    .enabled = enabled,
    .run = run,
};
