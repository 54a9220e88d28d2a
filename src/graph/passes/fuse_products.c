/* SPDX-License-Identifier: Apache-2.0 */
/* Products that are summed, and products of which a part is used.
 *
 * - AddN of products becomes a chain: each product adds itself to the sum so far, in the order of
 *   AddN's inputs, in the sum's memory (_MatMulAdd). So gradients of weights that are used many
 *   times are neither written apart nor read again.
 * - Slice of a product that nobody else reads becomes one node that computes the box alone
 *   (_MatMulSlice).
 *
 * Only products of float and double on a CPU join, with one reader, no control inputs and no
 * protection. Bits stay as they were; the kernels see to it. Linear. */
#include <string.h>

#include "base/mem.h"
#include "graph/fused_node.h"
#include "graph/pass_util.h"

struct fuse {
    struct rgraph *g;
    struct rconsumers consumers;
    struct rnode **with; /* per node: what replaced it */
    int64_t num_nodes;   /* before the pass added any */
};

static bool is_product(const struct rnode *n)
{
    return strcmp(n->op->name, "MatMul") == 0 &&
           (n->output_types[0] == DT_FLOAT || n->output_types[0] == DT_DOUBLE) && !n->dropped &&
           !n->keep && n->num_control == 0 && fused_node_on_cpu(n);
}

/* Whether reader is the one that reads product, and the two may be one node. */
static bool joins(const struct fuse *f, const struct rnode *product, const struct rnode *reader)
{
    const int64_t begin = f->consumers.begin[product->id];
    return product->id < f->num_nodes && !f->with[product->id] && is_product(product) &&
           f->consumers.begin[product->id + 1] - begin == 1 && f->consumers.input[begin] >= 0 &&
           product->frame == reader->frame && strcmp(product->device, reader->device) == 0;
}

/* sum + input `place` of the AddN: a node with the product's name or, the last time, AddN's. */
static struct rnode *add_product(struct fuse *f, struct rnode *add_n, int place, struct redge sum,
                                 struct status *st)
{
    struct rnode *product = add_n->inputs[place].node;
    struct rnode *named = place + 1 < add_n->num_inputs ? product : add_n;
    const struct redge inputs[] = {product->inputs[0], product->inputs[1], sum};
    struct attrs attrs = {0};
    fused_node_set_parts(&attrs, &product, 1);
    attrs_set(&attrs, "T", attr_type(product->output_types[0]));
    attrs_set(&attrs, "sum", attr_string(str_of(add_n->name)));
    attrs_set(&attrs, "place", attr_int(place));
    const struct shape *shapes = named->shapes;
    struct rnode *fused = fused_node_add(f->g, named, "_MatMulAdd", &attrs, inputs, 3, st);
    attrs_clear(&attrs);
    if (fused)
        fused->shapes = shapes;
    return fused;
}

/* All inputs but the first are products. */
static bool is_sum(const struct fuse *f, const struct rnode *n)
{
    if (strcmp(n->op->name, "AddN") != 0 || n->num_inputs < 2 || n->num_control > 0)
        return false;
    for (int i = 1; i < n->num_inputs; i++) {
        if (!joins(f, n->inputs[i].node, n))
            return false;
    }
    return true;
}

static bool chain(struct fuse *f, struct rnode *n, struct status *st)
{
    struct redge sum = n->inputs[0];
    for (int i = 1; i < n->num_inputs; i++) {
        struct rnode *fused = add_product(f, n, i, sum, st);
        if (!fused)
            return false;
        sum = (struct redge){fused, 0};
    }
    f->with[n->id] = sum.node;
    return true;
}

static bool is_box(const struct fuse *f, const struct rnode *n)
{
    return strcmp(n->op->name, "Slice") == 0 && n->num_control == 0 && n->inputs[0].node != n &&
           joins(f, n->inputs[0].node, n);
}

static bool cut(struct fuse *f, struct rnode *n, struct status *st)
{
    struct rnode *parts[] = {n->inputs[0].node, n};
    const struct redge inputs[] = {parts[0]->inputs[0], parts[0]->inputs[1], n->inputs[1],
                                   n->inputs[2]};
    struct attrs attrs = {0};
    fused_node_set_parts(&attrs, parts, 2);
    attrs_set(&attrs, "T", attr_type(parts[0]->output_types[0]));
    attrs_set(&attrs, "Index", attr_type(n->input_types[1]));
    struct rnode *fused = fused_node_add(f->g, n, "_MatMulSlice", &attrs, inputs, 4, st);
    attrs_clear(&attrs);
    if (fused)
        fused->shapes = n->shapes;
    f->with[n->id] = fused;
    return fused != NULL;
}

/* New nodes come first: a sum takes a product in before what else follows from its factors, which
 * then need not be kept. */
static void put_new_first(struct rgraph *g, int64_t old)
{
    const int64_t num = g->num_nodes - old;
    struct rnode **made = mem_new_array(struct rnode *, num + 1);
    memcpy(made, g->nodes + old, sizeof *made * (size_t)num);
    memmove(g->nodes + num, g->nodes, sizeof *made * (size_t)old);
    memcpy(g->nodes, made, sizeof *made * (size_t)num);
    for (int64_t i = 0; i < g->num_nodes; i++)
        g->nodes[i]->id = (int)i;
    mem_free(made);
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    struct fuse f = {.g = g, .consumers = rgraph_consumers(g), .num_nodes = g->num_nodes};
    f.with = mem_new_array(struct rnode *, f.num_nodes + 1);
    bool ok = true;
    for (int64_t i = 0; i < f.num_nodes && ok; i++) {
        struct rnode *n = g->nodes[i];
        if (n->dropped)
            continue;
        if (is_sum(&f, n))
            ok = chain(&f, n, st);
        else if (is_box(&f, n))
            ok = cut(&f, n, st);
    }
    if (ok && g->num_nodes > f.num_nodes) {
        fused_node_reconnect(g, &(struct fused_nodes){.with = f.with, .n = f.num_nodes});
        put_new_first(g, f.num_nodes);
        rgraph_compact(g);
    }
    mem_free(f.with);
    return ok;
}

static bool enabled(const struct pass_options *o)
{
    return o->fuse;
}

PASS_DEF(fuse_products) = {
    .name = "fuse_products",
    .summary = "Sums of products are formed in place; parts of products are computed alone.",
    .order = 390,
    .enabled = enabled,
    .run = run,
};
