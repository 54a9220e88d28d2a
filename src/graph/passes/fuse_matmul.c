/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion into products: MatMul, then BiasAdd (or Add of a vector), then an activation, become one
 * node that applies the vector and the activation to blocks of the product in the cache.
 *
 * Results in between may have no other reader, nor be protected; control inputs, references and
 * other frames or devices end the pattern. The kernel is ops/matrix/fused_matmul.c. Linear. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass.h"

enum { MAX_PARTS = 3 };

struct match {
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

static bool on_cpu(const struct rnode *n)
{
    const char *at = strstr(n->device, "/device:");
    return n->device[0] == '\0' || (at && strncmp(at + 8, "CPU:", 4) == 0);
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
    return p->rank == 2 && v->rank == 1 && shape_dim(v, 0) >= 0 &&
           shape_dim(v, 0) == shape_dim(p, 1);
}

static bool find_sum(struct match *m, struct rnode *sum)
{
    static const char *const biases[] = {"BiasAdd", "BiasAddV1"}, *const adds[] = {"Add", "AddV2"};
    m->bias = sum->inputs[0].node == m->parts[0] ? 1 : 0;
    bool is_bias = is_one_of(sum, biases, ARRAY_LEN(biases)) && m->bias == 1;
    bool is_add = is_one_of(sum, adds, ARRAY_LEN(adds)) && adds_vector(m->parts[0], sum, m->bias);
    m->parts[1] = sum;
    m->num = 2;
    return is_bias || is_add;
}

static bool find_match(const struct rconsumers *c, struct rnode *product, struct match *m)
{
    static const char *const acts[] = {"Relu", "Relu6", "Elu", "Tanh", "Sigmoid"};
    if (strcmp(product->op->name, "MatMul") != 0 || !is_plain(product) || !on_cpu(product))
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

static struct attr_value node_value(const struct rnode *n)
{
    struct attrs kept = {0};
    for (int64_t i = 0; i < n->attrs->n; i++) {
        const struct attr *a = &n->attrs->items[i];
        if (a->name[0] != '_' || strcmp(a->name, "_kernel") == 0)
            attrs_set(&kept, a->name, attr_value_dup(&a->value));
    }
    struct attr_value v = attr_func(n->op->name, &kept);
    attrs_clear(&kept);
    return v;
}

static void set_attrs(const struct match *m, struct attrs *attrs)
{
    struct attr_value values[MAX_PARTS];
    struct attr_func *funcs[MAX_PARTS];
    struct str names[MAX_PARTS], made[MAX_PARTS];
    for (int i = 0; i < m->num; i++) {
        const struct rnode *n = m->parts[i];
        values[i] = node_value(n);
        funcs[i] = values[i].func;
        names[i] = str_of(n->name);
        made[i] = str_of(n->origin ? n->origin->made_at : NULL);
    }
    attrs_set(attrs, "T", attr_type(m->parts[0]->output_types[0]));
    attrs_set(attrs, "nodes", attr_list(ATTR_FUNC, funcs, m->num));
    attrs_set(attrs, "names", attr_list(ATTR_STRING, names, m->num));
    attrs_set(attrs, "made", attr_list(ATTR_STRING, made, m->num));
    attrs_set(attrs, "bias_first", attr_bool(m->bias == 0));
    for (int i = 0; i < m->num; i++)
        attr_value_clear(&values[i]);
}

/* The new node has the last part's name; NULL: failed. */
static struct rnode *replace(struct rgraph *g, const struct match *m, struct status *st)
{
    struct rnode *last = m->parts[m->num - 1];
    const struct redge inputs[] = {m->parts[0]->inputs[0], m->parts[0]->inputs[1],
                                   m->parts[1]->inputs[m->bias]};
    const struct op *op = op_get("_FusedMatMul", st);
    if (!op)
        return NULL;
    struct attrs attrs = {0};
    set_attrs(m, &attrs);
    rgraph_drop(g, last);
    struct rnode *fused = rgraph_add(g, last->name, op, &attrs, inputs, 3, st);
    attrs_clear(&attrs);
    if (!fused)
        return NULL;
    fused->device = last->device;
    fused->origin = last->origin;
    fused->frame = last->frame;
    fused->shapes = last->shapes;
    fused->keep = last->keep;
    last->keep = false;
    last->name = arena_printf(&g->arena, "%s/unfused", last->name);
    return fused;
}

static void reconnect(struct rgraph *g, struct rnode *const *with, int64_t n)
{
    for (int64_t i = 0; i < g->num_nodes; i++) {
        struct rnode *r = g->nodes[i];
        for (int k = 0; k < r->num_inputs; k++) {
            int id = r->inputs[k].node->id;
            if (id < n && with[id])
                r->inputs[k].node = with[id];
        }
        for (int64_t k = 0; k < r->num_control; k++) {
            int id = r->control[k]->id;
            if (id < n && with[id])
                r->control[k] = with[id];
        }
    }
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
        reconnect(g, with, n);
        rgraph_compact(g);
    }
    mem_free(with);
    return status_ok(st);
}

static bool enabled(const struct pass_options *o)
{
    return o->fuse;
}

PASS_DEF(fuse_matmul) = {
    .name = "fuse_matmul",
    .summary = "A product, a vector added to it and an activation become one node.",
    .order = 400,
    .enabled = enabled,
    .run = run,
};
