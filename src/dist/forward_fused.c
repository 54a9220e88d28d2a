/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that the masters of TensorFlow 2 fuse before they cut a graph: a product with what follows
 * it, named by a list. They are taken apart again, and the passes here make of them what they like.
 *
 * Of "x = _FusedMatMul(a, b, bias), fused_ops = [BiasAdd, Relu]" come x/unfused_0 = MatMul(a, b),
 * x/unfused_1 = BiasAdd(x/unfused_0, bias) and x = Relu(x/unfused_1). A node whose list has others
 * stays as it is, and is an error later. */
#include <string.h>

#include "base/mem.h"
#include "dist/forward.h"
#include "op/op.h"

enum { MAX_FUSED = 4 };

struct follower { /* what may follow a product */
    const char *fused, *op;
    int num_args;     /* of the fused node, after the product's two inputs */
    bool has_format;  /* attr data_format, the product's */
    bool has_epsilon; /* attr epsilon; it is of the form for inference */
    bool has_alpha;   /* attr alpha, there leakyrelu_alpha */
};
static const struct follower followers[] = {
    {.fused = "BiasAdd", .op = "BiasAdd", .num_args = 1, .has_format = true},
    {.fused = "FusedBatchNorm",
     .op = "FusedBatchNorm",
     .num_args = 4,
     .has_format = true,
     .has_epsilon = true},
    {.fused = "Add", .op = "AddV2", .num_args = 1},
    {.fused = "Relu", .op = "Relu"},
    {.fused = "Relu6", .op = "Relu6"},
    {.fused = "Elu", .op = "Elu"},
    {.fused = "Tanh", .op = "Tanh"},
    {.fused = "Sigmoid", .op = "Sigmoid"},
    {.fused = "LeakyRelu", .op = "LeakyRelu", .has_alpha = true},
};

static const char *const products[][2] = {
    {"_FusedMatMul", "MatMul"},
    {"_FusedConv2D", "Conv2D"},
    {"_FusedDepthwiseConv2dNative", "DepthwiseConv2dNative"},
};

struct fused { /* a node that is taken apart */
    const struct pb_node_def *node;
    const char *product;
    const struct follower *next[MAX_FUSED];
    int num_next;
    int64_t num_data; /* inputs that are no control inputs, which come first */
};

static const struct pb_attr_value *find_attr(const struct pb_node_def *n, const char *name)
{
    for (int64_t i = 0; i < n->attr.n; i++)
        if (str_is(n->attr.v[i]->key, name))
            return n->attr.v[i]->value;
    return NULL;
}

static const char *product_of(struct str op)
{
    for (size_t i = 0; i < ARRAY_LEN(products); i++)
        if (str_is(op, products[i][0]))
            return products[i][1];
    return NULL;
}

static const struct follower *follower_of(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(followers); i++)
        if (str_is(name, followers[i].fused))
            return &followers[i];
    return NULL;
}

static int64_t num_data_inputs(const struct pb_node_def *n)
{
    int64_t num = 0;
    while (num < n->input.n && n->input.v[num].n > 0 && n->input.v[num].p[0] != '^')
        num++;
    return num;
}

static bool read_fused(const struct pb_node_def *n, struct fused *f)
{
    *f = (struct fused){.node = n, .product = product_of(n->op), .num_data = num_data_inputs(n)};
    const struct pb_attr_value *list = f->product ? find_attr(n, "fused_ops") : NULL;
    if (!list || list->which_value != 1 || !list->list || list->list->s.n == 0 ||
        list->list->s.n > MAX_FUSED)
        return false;
    int64_t num_args = 2;
    for (int64_t i = 0; i < list->list->s.n; i++) {
        const struct follower *w = follower_of(list->list->s.v[i]);
        if (!w)
            return false;
        f->next[f->num_next++] = w;
        num_args += w->num_args;
    }
    return num_args == f->num_data;
}

static void put_attr(struct arena *a, struct pb_node_def *n, const char *name,
                     const struct pb_attr_value *value)
{
    struct pb_node_def_attr_entry *e = pb_node_def_attr_entry_add(a, &n->attr);
    pb_set_str(a, &e->key, name);
    e->value = (struct pb_attr_value *)(uintptr_t)value;
}

static void put_attr_of(struct arena *a, struct pb_node_def *n, const char *name,
                        const struct fused *f, const char *from)
{
    const struct pb_attr_value *value = find_attr(f->node, from);
    if (value)
        put_attr(a, n, name, value);
}

/* step: 0 is the product; the last has the node's name. */
static struct pb_node_def *add_node(struct arena *a, struct pb_node_def_vec *out,
                                    const struct fused *f, const char *op, int step)
{
    struct pb_node_def *n = pb_node_def_add(a, out);
    n->name = f->node->name;
    if (step < f->num_next)
        n->name = str_of(arena_printf(a, "%.*s/unfused_%d", (int)f->node->name.n,
                                      f->node->name.n ? f->node->name.p : "", step));
    pb_set_str(a, &n->op, op);
    n->device = f->node->device;
    return n;
}

static void add_product(struct arena *a, struct pb_node_def_vec *out, const struct fused *f)
{
    struct pb_node_def *n = add_node(a, out, f, f->product, 0);
    const struct op *op = op_find(f->product);
    for (int64_t i = 0; i < f->node->input.n; i++)
        if (i < 2 || i >= f->num_data)
            pb_add_str(a, &n->input, f->node->input.v[i]);
    for (int64_t i = 0; i < f->node->attr.n; i++) {
        const struct pb_node_def_attr_entry *e = f->node->attr.v[i];
        char *key = mem_strndup(e->key.n ? e->key.p : "", e->key.n);
        if (strcmp(key, "_class") == 0 || (key[0] != '_' && op && op_attr_find(op, key)))
            put_attr(a, n, key, e->value);
        mem_free(key);
    }
}

static void add_follower(struct arena *a, struct pb_node_def_vec *out, const struct fused *f, int i,
                         int64_t *arg)
{
    const struct follower *w = f->next[i];
    const struct str before = out->v[out->n - 1]->name;
    struct pb_node_def *n = add_node(a, out, f, w->op, i + 1);
    pb_add_str(a, &n->input, before);
    for (int k = 0; k < w->num_args; k++)
        pb_add_str(a, &n->input, f->node->input.v[(*arg)++]);
    put_attr_of(a, n, "T", f, "T");
    if (w->has_format)
        put_attr_of(a, n, "data_format", f, "data_format");
    if (w->has_alpha)
        put_attr_of(a, n, "alpha", f, "leakyrelu_alpha");
    if (w->has_epsilon) {
        struct pb_attr_value *no = pb_attr_value_new(a);
        no->which_value = 5;
        put_attr_of(a, n, "epsilon", f, "epsilon");
        put_attr(a, n, "is_training", no);
    }
}

const struct pb_graph_def *forward_unfused(struct arena *a, const struct pb_graph_def *def)
{
    struct fused f;
    bool any = false;
    for (int64_t i = 0; def && !any && i < def->node.n; i++)
        any = read_fused(def->node.v[i], &f);
    if (!any)
        return def;
    struct pb_graph_def *out = pb_graph_def_new(a);
    *out = *def;
    out->node = (struct pb_node_def_vec){0};
    for (int64_t i = 0; i < def->node.n; i++) {
        int64_t arg = 2;
        if (!read_fused(def->node.v[i], &f)) {
            *pb_node_def_add(a, &out->node) = *def->node.v[i];
            continue;
        }
        add_product(a, &out->node, &f);
        for (int k = 0; k < f.num_next; k++)
            add_follower(a, &out->node, &f, k, &arg);
    }
    return out;
}
