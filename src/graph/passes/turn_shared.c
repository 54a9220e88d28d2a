/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix that many products read turned is turned once.
 *
 * Made for the gradient of a recurrent layer, whose every step multiplies by the same weights
 * turned: a product that turns its second operand itself does so each time, and cannot be shared
 * out by rows without turning it once more. The products read one Transpose instead.
 *
 * Only float products of known, middling sizes on a CPU, outside of loops, and unprotected: within
 * these sizes a product has the same bits either way (a sum goes through all of k in one order).
 * Linear. */
#include "base/mem.h"
#include "graph/fused_node.h"
#include "graph/pass_util.h"

enum { MIN_READERS = 4, MIN_DIM = 96, MAX_DEPTH = 512 };

/* Whether n multiplies by its second operand turned, and may read it turned instead. */
static bool turns(const struct rnode *n)
{
    return rnode_is(n, "MatMul") && rnode_is_pure(n) && n->output_types[0] == DT_FLOAT &&
           !n->dropped && !n->keep && n->frame == 0 && fused_node_on_cpu(n) &&
           n->inputs[1].index == 0 && attrs_bool(n->attrs, "transpose_b") &&
           !attrs_bool(n->attrs, "transpose_a") && n->inputs[0].node->frame == 0;
}

static bool is_middling(const struct rnode *n)
{
    const struct redge a = n->inputs[0], b = n->inputs[1];
    const struct shape *s = &a.node->shapes[a.index], *t = &b.node->shapes[b.index];
    return shape_known(s) && s->rank == 2 && shape_known(t) && t->rank == 2 &&
           shape_dims(s)[0] >= MIN_DIM && shape_dims(t)[0] >= MIN_DIM &&
           shape_dims(t)[1] >= MIN_DIM && shape_dims(t)[1] <= MAX_DEPTH;
}

static struct rnode *add_transpose(struct rgraph *g, struct redge x, const char *device,
                                   struct status *st)
{
    const struct op *op = op_get("Transpose", st);
    struct tensor t = {0};
    const struct shape two = shape_1(2);
    if (!op || !tensor_new(&t, DT_INT32, &two, st))
        return NULL;
    ((int32_t *)t.data)[0] = 1;
    ((int32_t *)t.data)[1] = 0;
    char *name = mem_printf("%s/turned", x.node->name), *perm_name = mem_printf("%s/perm", name);
    struct rnode *perm = rgraph_add_const(g, perm_name, &t, device, st), *turned = NULL;
    tensor_clear(&t);
    struct attrs attrs = {0};
    attrs_set(&attrs, "T", attr_type(DT_FLOAT));
    attrs_set(&attrs, "Tperm", attr_type(DT_INT32));
    const struct redge inputs[] = {x, {perm, 0}};
    if (perm)
        turned = rgraph_add_taking(g, name, op, &attrs, inputs, 2, st);
    attrs_clear(&attrs);
    if (turned)
        turned->device = device;
    mem_free(name);
    mem_free(perm_name);
    return turned;
}

static void read_turned(struct rgraph *g, struct rnode *n, struct rnode *turned)
{
    struct attrs a = attrs_dup(n->attrs);
    attrs_set(&a, "transpose_b", attr_bool(false));
    rgraph_set_attrs(g, n, &a);
    attrs_clear(&a);
    n->inputs[1] = (struct redge){turned, 0};
}

/* The k-th reader of x's first output, if it is one of those that count. */
static struct rnode *reader(const struct rconsumers *c, const struct rnode *x, int64_t k)
{
    struct rnode *n = c->node[k];
    return c->input[k] == 1 && n->inputs[1].node == x && turns(n) && is_middling(n) &&
                   rnode_same_device(x, n)
               ? n
               : NULL;
}

static bool visit(struct rgraph *g, const struct rconsumers *c, struct rnode *x, struct status *st)
{
    const int64_t begin = c->begin[x->id], end = c->begin[x->id + 1];
    int num = 0;
    struct rnode *any = NULL;
    for (int64_t k = begin; k < end; k++) {
        struct rnode *n = reader(c, x, k);
        num += n != NULL;
        any = n ? n : any;
    }
    if (num < MIN_READERS)
        return true;
    struct rnode *turned = add_transpose(g, any->inputs[1], any->device, st);
    for (int64_t k = begin; turned && k < end; k++) {
        struct rnode *n = reader(c, x, k);
        if (n)
            read_turned(g, n, turned);
    }
    return turned != NULL;
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    if (!rgraph_has(g, RNODE_PRODUCT))
        return true;
    const struct rconsumers consumers = rgraph_consumers(g);
    const int64_t num = g->num_nodes;
    bool ok = true;
    for (int64_t i = 0; i < num && ok; i++) {
        struct rnode *x = g->nodes[i];
        if (!x->dropped && x->frame == 0 &&
            consumers.begin[i + 1] - consumers.begin[i] >= MIN_READERS)
            ok = visit(g, &consumers, x, st);
    }
    return ok;
}

static bool enabled(const struct pass_options *o)
{
    return o->fuse;
}

PASS_DEF(turn_shared) = {
    .name = "turn_shared",
    .summary = "A matrix that many products read turned is turned once.",
    .order = 380,
    .enabled = enabled,
    .run = run,
};
