/* SPDX-License-Identifier: Apache-2.0 */
/* leat_gradients: the gradient walk under the scopes in force, with Python's names. */
#include <string.h>

#include "api/leat_flow.h"
#include "grad/grad_walk.h"
#include "leat/gradients.h"

static const TF_Output none = {NULL, 0};

struct walk_arg { /* what the hooks get */
    struct graph *graph;
    const char *made_at;
};

/* Into the loop or branch that is being built. */
static void bring_inputs(struct node_desc *d)
{
    char *scope = mem_printf("%s/", d->name);
    for (int64_t i = 0; i < d->num_inputs; i++) {
        const struct output o = d->inputs[i];
        TF_Output in =
            o.node ? builder_bring(d->graph, (TF_Output){api_oper(o.node), o.index}, scope) : none;
        if (in.oper)
            d->inputs[i] = api_output(in);
    }
    mem_free(scope);
}

/* What leat_begin and leat_finish do for a node, for those that the walk makes. */
static void before_node(void *arg, struct node_desc *d)
{
    const struct frame *f = builder_frame(d->graph);
    const char *at = f && f->made_at ? f->made_at : ((struct walk_arg *)arg)->made_at;
    if (at && !d->made_at)
        d->made_at = mem_strdup(at);
    if (f && (f->device[0] || f->asks)) {
        mem_free(d->device);
        d->device = f->asks ? builder_device(d->graph, f, d) : mem_strdup(f->device);
    }
    builder_colocation(d, f);
    if (!builder_gradient_loop(d->graph))
        bring_inputs(d);
    builder_controls(d->graph, d);
    builder_flow_controls(d->graph, d);
    builder_attrs(d->graph, d);
}

static void after_node(void *arg, struct node *n)
{
    (void)arg;
    builder_made(n->graph, n);
    builder_tell(n->graph, n);
}

static void placed_with(void *arg, struct node *n, bool end)
{
    TF_Graph *g = (TF_Graph *)((struct walk_arg *)arg)->graph;
    if (end) {
        leat_pop(g);
        leat_pop(g);
        return;
    }
    leat_push_colocation(g, NULL);
    leat_push_colocation(g, n ? api_oper(n) : NULL);
}

static bool loop_is_open(void *arg, struct str frame)
{
    return flow_loop_is_open(((struct walk_arg *)arg)->graph, frame);
}

static bool loop_is_silent(void *arg, const char *frame)
{
    return flow_loop_is_silent(((struct walk_arg *)arg)->graph, frame);
}

static enum grad_said client_gradient(void *arg, struct grad_ctx *g, const char *name,
                                      struct status *st)
{
    return builder_gradient(((struct walk_arg *)arg)->graph, g, name, st);
}

bool builder_call_rule(struct grad_ctx *around, struct grad_one *q, struct status *st)
{
    struct graph *g = q->node->graph;
    struct walk_arg arg = {g, NULL};
    struct grad_request r = {.node_scopes = true,
                             .before_node = before_node,
                             .after_node = after_node,
                             .hook_arg = &arg};
    char *prefix = mem_strdup(leat_current_scope((TF_Graph *)g));
    if (prefix[0])
        prefix[strlen(prefix) - 1] = 0;
    q->r = &r;
    q->prefix = r.prefix = prefix;
    const bool ok = grad_one(around, q, st);
    q->prefix = NULL;
    q->r = NULL;
    mem_free(prefix);
    return ok;
}

static bool request_ok(TF_Graph *g, const TF_Output *ys, int ny, const TF_Output *xs, int nx,
                       const struct leat_grad *grads, struct status *st)
{
    if (ny < 0 || nx < 0 || (ny > 0 && !ys) || (nx > 0 && (!xs || !grads)))
        return status_invalid(st, "leat_gradients: %d ys and %d xs, or a NULL array", ny, nx);
    for (int i = 0; i < ny + nx; i++) {
        TF_Output o = i < ny ? ys[i] : xs[i - ny];
        if (!o.oper || api_node(o.oper)->graph != api_graph(g))
            return status_invalid(st, "leat_gradients: %s %d is not a valid output of the graph",
                                  i < ny ? "y" : "x", i < ny ? i : i - ny);
    }
    return true;
}

static bool grad_ys_ok(TF_Graph *g, const TF_Output *grad_ys, int ny, struct status *st)
{
    for (int i = 0; grad_ys && i < ny; i++) {
        if (!grad_ys[i].oper)
            continue;
        if (!api_check_output(grad_ys[i], st))
            return false;
        if (api_node(grad_ys[i].oper)->graph != api_graph(g))
            return status_invalid(st, "leat_gradients: grad_ys %d is not in this graph", i);
    }
    return true;
}

static bool stops_ok(TF_Graph *g, struct leat_outputs stops, struct status *st)
{
    if (stops.n < 0 || (stops.n > 0 && !stops.v))
        return status_invalid(st, "leat_gradients: %d stop_gradients", stops.n);
    for (int i = 0; i < stops.n; i++) {
        if (!stops.v[i].oper || api_node(stops.v[i].oper)->graph != api_graph(g))
            return status_invalid(st, "leat_gradients: stop_gradients %d is not a valid output", i);
    }
    return true;
}

static bool aggregation_ok(enum leat_aggregation how, struct status *st)
{
    if (how < LEAT_ADD_N || how > LEAT_AGGREGATE_ACCUMULATE_N)
        return status_invalid(st, "Invalid aggregation_method specified %d.", (int)how);
    return true;
}

static TF_Output from_output(struct output o)
{
    return output_valid(o) ? (TF_Output){api_oper(o.node), o.index} : none;
}

/* "a/" is the scope a itself, as leat_push_scope has it. The caller frees it. */
static char *prefix_of(TF_Graph *g, const char *name)
{
    const size_t n = name ? strlen(name) : 0;
    if (n < 2 || name[n - 1] != '/')
        return leat_unique_name(g, name ? name : "gradients");
    char *prefix = mem_strdup(name);
    prefix[n - 1] = '\0';
    return prefix;
}

int leat_gradients_fn(TF_Graph *g, const TF_Output *ys, int ny, const TF_Output *xs, int nx,
                      struct leat_grad *grads, const struct leat_gradients_args *args)
{
    struct leat_gradients_args a = {0};
    struct status st = {0};
    if (!g)
        return 0;
    if (args)
        a = *args;
    const bool was_ok = leat_graph_ok(g);
    for (int i = 0; i < nx && grads; i++)
        grads[i] = (struct leat_grad){none, none, none};
    bool ok = request_ok(g, ys, ny, xs, nx, grads, &st) && grad_ys_ok(g, a.grad_ys, ny, &st) &&
              stops_ok(g, a.stop_gradients, &st) && aggregation_ok(a.aggregation, &st);
    if (ok) {
        char *prefix = prefix_of(g, a.name);
        struct grad_value *out = mem_new_array(struct grad_value, nx + 1);
        struct grad_request r = {.ys = api_outputs(ys),
                                 .num_ys = ny,
                                 .xs = api_outputs(xs),
                                 .num_xs = nx,
                                 .dys = api_outputs(a.grad_ys),
                                 .stops = api_outputs(a.stop_gradients.v),
                                 .num_stops = a.stop_gradients.n,
                                 .prefix = prefix,
                                 .dense = a.dense != 0,
                                 .node_scopes = true,
                                 .colocate = a.colocate != 0,
                                 .gate = a.gate != 0,
                                 .aggregation = (enum grad_aggregation)a.aggregation,
                                 .before_node = before_node,
                                 .after_node = after_node,
                                 .placed_with = placed_with,
                                 .loop_is_open = loop_is_open,
                                 .loop_is_silent = loop_is_silent,
                                 .hook_arg = &(struct walk_arg){api_graph(g), a.made_at},
                                 .client = client_gradient};
        ok = grad_walk(api_graph(g), &r, out, &st);
        for (int i = 0; ok && i < nx; i++)
            grads[i] = (struct leat_grad){from_output(out[i].values), from_output(out[i].indices),
                                          from_output(out[i].dense_shape)};
        mem_free(out);
        mem_free(prefix);
    }
    builder_record(api_graph(g), &st, NULL, a.made_at);
    if (ok && was_ok && !leat_graph_ok(g)) { /* a client's function gave up */
        ok = false;
        for (int i = 0; i < nx; i++)
            grads[i] = (struct leat_grad){none, none, none};
    }
    return ok;
}

TF_Output leat_gradient_fn(TF_Graph *g, TF_Output y, TF_Output x,
                           const struct leat_gradients_args *args)
{
    struct leat_gradients_args a = {0};
    struct leat_grad grad;
    if (args)
        a = *args;
    a.dense = 1;
    if (!leat_gradients_fn(g, &y, 1, &x, 1, &grad, &a))
        return none;
    if (!leat_valid(grad.values))
        return leat_fail(g, a.made_at, TF_INVALID_ARGUMENT,
                         "leat_gradient: '%s' does not depend on '%s'", TF_OperationName(y.oper),
                         TF_OperationName(x.oper));
    return grad.values;
}
