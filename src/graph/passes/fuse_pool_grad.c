/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a pooling, then that of the Relu whose result was pooled, are one node: the image
 * passes once (ops/nn/pool_relu_grad.c).
 *
 * The pooling's gradient may have no other reader, nor be protected; control inputs, references and
 * other frames or devices end the pattern. Float on a CPU. Linear. */
#include "base/mem.h"
#include "graph/fused_node.h"
#include "graph/pass_util.h"

static bool is_plain(const struct rnode *n)
{
    return !n->dropped && n->num_control == 0 && n->output_types[0] == DT_FLOAT &&
           fused_node_on_cpu(n) && !rnode_reads_ref(n);
}

/* The MaxPoolGrad that joins this ReluGrad, or NULL. */
static struct rnode *find_pool(const struct rconsumers *c, const struct rnode *relu, int64_t n)
{
    if (!rnode_is(relu, "ReluGrad") || !is_plain(relu))
        return NULL;
    struct rnode *pool = relu->inputs[0].node;
    if (pool->id >= n || !rnode_is(pool, "MaxPoolGrad") || !is_plain(pool) || pool->keep ||
        c->begin[pool->id + 1] - c->begin[pool->id] != 1 || pool->frame != relu->frame ||
        !rnode_same_device(pool, relu))
        return NULL;
    const struct redge pooled = pool->inputs[0], given = relu->inputs[1];
    return pooled.node == given.node && pooled.index == given.index ? pool : NULL;
}

static struct rnode *replace(struct rgraph *g, struct rnode *pool, struct rnode *relu,
                             struct status *st)
{
    struct rnode *parts[] = {pool, relu};
    struct attrs attrs = {0};
    fused_node_set_parts(&attrs, parts, 2);
    attrs_set(&attrs, "T", attr_type(DT_FLOAT));
    const struct shape *shapes = relu->shapes;
    struct rnode *fused = fused_node_add(g, relu, "_MaxPoolReluGrad", &attrs, pool->inputs, 3, st);
    attrs_clear(&attrs);
    if (fused)
        fused->shapes = shapes;
    return fused;
}

static bool run(struct rgraph *g, const struct pass_options *o UNUSED, struct status *st)
{
    const struct rconsumers c = rgraph_consumers(g);
    const int64_t n = g->num_nodes;
    struct rnode **with = mem_new_array(struct rnode *, n + 1);
    for (int64_t i = 0; i < n && status_ok(st); i++) {
        struct rnode *relu = g->nodes[i], *pool = find_pool(&c, relu, n);
        if (pool)
            with[relu->id] = replace(g, pool, relu, st);
    }
    if (status_ok(st) && g->num_nodes > n) {
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

PASS_DEF(fuse_pool_grad) = {
    .name = "fuse_pool_grad",
    .summary = "The gradients of a pooling and of the Relu before it become one node.",
    .order = 395,
    .enabled = enabled,
    .run = run,
};
