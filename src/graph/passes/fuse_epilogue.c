/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion into products: MatMul or Conv2D, then BiasAdd (or Add of a vector), then an activation,
 * become one node that applies the vector and the activation to blocks of the product in the cache.
 *
 * Results in between may have no other reader, nor be protected; control inputs, references and
 * other frames or devices end the pattern. A vector must go along the channels, which are last but
 * in NCHW. The kernels are ops/matrix/fused_matmul.c and ops/nn/fused_conv2d.c. Linear. */
#include <string.h>

#include "base/mem.h"
#include "graph/fused_node.h"

enum { MAX_PARTS = 3 };

struct match {
    const char *fused;
    struct rnode *parts[MAX_PARTS]; /* the product, the sum, the activation */
    int num;
    int bias; /* which input of the sum is the vector */
};

static bool is_one_of(const struct rnode *n, const char *const *ops, int num)
{
    for (int i = 0; i < num; i++) {
        if (strcmp(n->op->name, ops[i]) == 0)
            return true;
    }
    return false;
}

static bool is_plain(const struct rnode *n)
{
    int dtype = n->num_outputs == 1 ? n->output_types[0] : 0;
    if (n->dropped || n->num_control > 0 || (dtype != DT_FLOAT && dtype != DT_DOUBLE))
        return false;
    for (int i = 0; i < n->num_inputs; i++) {
        if (n->inputs[i].node->output_types[n->inputs[i].index] != dtype)
            return false;
    }
    return true;
}

/* The one node that reads n, with nothing between that forbids to join them; else NULL. */
static struct rnode *only_reader(const struct rconsumers *c, const struct rnode *n)
{
    if (n->keep || c->begin[n->id + 1] - c->begin[n->id] != 1)
        return NULL;
    struct rnode *r = c->node[c->begin[n->id]];
    bool joins = c->input[c->begin[n->id]] >= 0 && is_plain(r) && r->frame == n->frame &&
                 strcmp(r->device, n->device) == 0 && r->output_types[0] == n->output_types[0];
    return joins ? r : NULL;
}

/* Add broadcasts: a vector's length must be known to be that of the rows. */
static bool adds_vector(const struct rnode *product, const struct rnode *sum, int bias)
{
    struct redge e = sum->inputs[bias];
    const struct shape *p = &product->shapes[0], *v = &e.node->shapes[e.index];
    return p->rank >= 2 && v->rank == 1 && shape_dim(v, 0) >= 0 &&
           shape_dim(v, 0) == shape_dim(p, p->rank - 1);
}

static bool is_nchw(const struct rnode *n)
{
    return attrs_find(n->attrs, "data_format") &&
           !str_is(attrs_string(n->attrs, "data_format"), "NHWC");
}

static bool find_sum(struct match *m, struct rnode *sum)
{
    static const char *const biases[] = {"BiasAdd", "BiasAddV1"}, *const adds[] = {"Add", "AddV2"};
    m->bias = sum->inputs[0].node == m->parts[0] ? 1 : 0;
    const bool nchw = is_nchw(m->parts[0]);
    bool is_bias =
        is_one_of(sum, biases, ARRAY_LEN(biases)) && m->bias == 1 && is_nchw(sum) == nchw;
    bool is_add =
        is_one_of(sum, adds, ARRAY_LEN(adds)) && !nchw && adds_vector(m->parts[0], sum, m->bias);
    m->parts[1] = sum;
    m->num = 2;
    return is_bias || is_add;
}

static const char *find_fused(const struct rnode *product)
{
    static const char *const ops[][2] = {{"MatMul", "_FusedMatMul"}, {"Conv2D", "_FusedConv2D"}};
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        if (strcmp(product->op->name, ops[i][0]) == 0)
            return ops[i][1];
    }
    return NULL;
}

static bool find_match(const struct rconsumers *c, struct rnode *product, struct match *m)
{
    static const char *const acts[] = {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid"};
    m->fused = find_fused(product);
    if (!m->fused || !is_plain(product) || !fused_node_on_cpu(product))
        return false;
    m->parts[0] = product;
    struct rnode *sum = only_reader(c, product);
    if (!sum || !find_sum(m, sum))
        return false;
    struct rnode *act = only_reader(c, sum);
    if (act && is_one_of(act, acts, ARRAY_LEN(acts)))
        m->parts[m->num++] = act;
    return true;
}

static void set_attrs(const struct match *m, struct attrs *attrs)
{
    fused_node_set_parts(attrs, m->parts, m->num);
    attrs_set(attrs, "T", attr_type(m->parts[0]->output_types[0]));
    attrs_set(attrs, "bias_first", attr_bool(m->bias == 0));
}

/* The new node has the last part's name; NULL: failed. */
static struct rnode *replace(struct rgraph *g, const struct match *m, struct status *st)
{
    struct rnode *last = m->parts[m->num - 1];
    const struct redge inputs[] = {m->parts[0]->inputs[0], m->parts[0]->inputs[1],
                                   m->parts[1]->inputs[m->bias]};
    struct attrs attrs = {0};
    set_attrs(m, &attrs);
    struct rnode *fused = fused_node_add(g, last, m->fused, &attrs, inputs, 3, st);
    attrs_clear(&attrs);
    if (fused)
        fused->shapes = last->shapes;
    return fused;
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    struct rconsumers c = rgraph_consumers(g);
    int64_t n = g->num_nodes;
    struct rnode **with = mem_new_array(struct rnode *, n + 1);
    for (int64_t i = 0; i < n && status_ok(st); i++) {
        struct match m;
        if (!find_match(&c, g->nodes[i], &m))
            continue;
        struct rnode *fused = replace(g, &m, st);
        with[m.parts[m.num - 1]->id] = fused;
    }
    if (status_ok(st)) {
        fused_node_reconnect(g, &(struct fused_nodes){.with = with, .n = n});
        rgraph_compact(g);
    }
    mem_free(with);
    return status_ok(st);
}

static bool enabled(const struct pass_options *o)
{
    return o->fuse;
}

PASS_DEF(fuse_epilogue) = {
    .name = "fuse_epilogue",
    .summary = "A product or convolution, a vector added to it and an activation become one node.",
    .order = 400,
    .enabled = enabled,
    .run = run,
};
