/* SPDX-License-Identifier: Apache-2.0 */
/* The builders of net.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unit/runtime/net.h"

void net_must(bool ok, struct status *st)
{
    if (!ok)
        fail_msg("%s", status_message(st));
}

void net_init(struct net *n, int devices, int threads)
{
    struct status st = {0};
    *n = (struct net){.g = graph_new()};
    config_init(&n->config);
    n->config.cpu_devices = devices;
    n->config.intra_threads = threads;
    n->s = session_new(n->g, &n->config, &st);
    net_must(n->s != NULL, &st);
}

void net_release(struct net *n)
{
    session_free(n->s);
    config_clear(&n->config);
    graph_unref(n->g);
}

static struct node_desc *start(struct net *n, const char *op)
{
    char *name = graph_unique_name(n->g, op, true);
    struct node_desc *d = node_desc_new(n->g, op, name);
    free(name);
    return d;
}

static struct output finish(struct net *n, struct node_desc *d)
{
    struct status st = {0};
    struct node *made = node_finish(d, &st);
    net_must(made != NULL, &st);
    if (n->device)
        graph_set_device(made, n->device);
    return (struct output){made, 0};
}

struct output net_op(struct net *n, const char *op, int num, const struct output *in)
{
    struct node_desc *d = start(n, op);
    for (int i = 0; i < num; i++)
        node_desc_input(d, in[i]);
    return finish(n, d);
}

struct output net_op1(struct net *n, const char *op, struct output a)
{
    return net_op(n, op, 1, &a);
}

struct output net_op2(struct net *n, const char *op, struct output a, struct output b)
{
    return net_op(n, op, 2, (struct output[]){a, b});
}

static struct output constant(struct net *n, int dtype, const void *v, struct output after)
{
    struct status st = {0};
    struct tensor t = {0};
    net_must(tensor_from(&t, dtype, NULL, 0, v, &st), &st);
    struct node_desc *d = start(n, "Const");
    node_desc_attr(d, "dtype", attr_type(dtype));
    node_desc_attr(d, "value", attr_tensor(&t));
    tensor_clear(&t);
    if (after.node)
        node_desc_control(d, after.node);
    return finish(n, d);
}

struct output net_const(struct net *n, float v, struct output after)
{
    return constant(n, DT_FLOAT, &v, after);
}

struct output net_bool(struct net *n, bool v)
{
    return constant(n, DT_BOOL, &v, (struct output){0});
}

struct output net_placeholder(struct net *n)
{
    struct node_desc *d = start(n, "Placeholder");
    node_desc_attr(d, "dtype", attr_type(DT_FLOAT));
    return finish(n, d);
}

struct output net_check(struct net *n, struct output a)
{
    struct node_desc *d = start(n, "CheckNumerics");
    node_desc_input(d, a);
    node_desc_attr(d, "message", attr_string(str_of("not a number")));
    return finish(n, d);
}

struct output net_merge(struct net *n, struct output a, struct output b)
{
    struct node_desc *d = start(n, "Merge");
    node_desc_input_list(d, (struct output[]){a, b}, 2);
    return finish(n, d);
}

static struct output enter(struct net_loop *l, struct output v, bool invariant)
{
    struct node_desc *d = start(l->n, "Enter");
    node_desc_input(d, v);
    node_desc_attr(d, "frame_name", attr_string(str_of(l->frame)));
    node_desc_attr(d, "is_constant", attr_bool(invariant));
    node_desc_attr(d, "parallel_iterations", attr_int(l->parallel ? l->parallel : 10));
    return finish(l->n, d);
}

struct net_var net_loop_var(struct net_loop *l, struct output v)
{
    struct output in = enter(l, v, false);
    return (struct net_var){.now = net_merge(l->n, in, in)};
}

struct output net_loop_invariant(struct net_loop *l, struct output v)
{
    return enter(l, v, true);
}

void net_loop_cond(struct net_loop *l, struct output cond, struct net_var *vars, int num)
{
    l->cond = net_op1(l->n, "LoopCond", cond);
    for (int i = 0; i < num; i++) {
        vars[i].sw = net_op2(l->n, "Switch", vars[i].now, l->cond).node;
        vars[i].body = net_op1(l->n, "Identity", (struct output){vars[i].sw, 1});
    }
}

struct output net_loop_end(struct net_loop *l, struct net_var *v, struct output next)
{
    struct status st = {0};
    v->next = net_op1(l->n, "NextIteration", next);
    net_must(graph_update_input(v->now.node, 1, v->next, &st), &st);
    return net_op1(l->n, "Exit", (struct output){v->sw, 0});
}

float net_run(struct net *n, struct output x, float v, struct output fetch, struct status *st)
{
    struct tensor feed = {0}, out = {0};
    net_must(tensor_from(&feed, DT_FLOAT, NULL, 0, &v, st), st);
    struct run_args a = {.feeds = &x,
                         .feed_values = &feed,
                         .num_feeds = x.node ? 1 : 0,
                         .fetches = &fetch,
                         .fetch_values = &out,
                         .num_fetches = 1};
    bool ok = session_run(n->s, &a, st);
    float got = ok ? tensor_f32(&out)[0] : 0;
    tensor_clear(&feed);
    tensor_clear(&out);
    return got;
}
