/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient walk.
 *
 * 1. Nodes that ys depend on are put into topological order (an iterative depth-first search;
 * within a loop there is none, and the walk never enters one).
 * 2. Those that depend on an x through values of differentiable types are marked, and whether any
 *    way to them lets a gradient pass.
 * 3. In reverse order, each marked node's collected gradients are summed per output and handed to
 *    its op's gradient function, whose results are collected at its inputs.
 * Everything is kept in arrays indexed by node id; the graph may grow meanwhile, and nodes that it
 * grows by are never part of the walk. */
#include "grad/grad_walk.h"

#include <string.h>

#include "base/mem.h"
#include "grad/grad_ctx.h"

struct pending { /* gradients collected for one output */
    struct grad_value *v;
    int64_t n, cap;
};

struct walk {
    struct graph *graph;
    const struct grad_request *r;
    const char *prefix;
    int64_t num_nodes; /* of the graph at the start */
    uint8_t *state;    /* per node: 1 on the stack, 2 done */
    bool *reached;     /* per node: depends on an x, differentiably */
    bool *alive;       /* likewise, and not only through ops like StopGradient */
    bool cyclic;       /* there is a loop: its nodes are in no order */
    bool *is_x;        /* per node: holds an x */
    struct node **order;
    int64_t num_order;
    struct pending **pending; /* per node: per output, or NULL */
    bool *stop;               /* per node: has an output among the stops */
};

static bool differentiable(int type)
{
    int t = dtype_base(type);
    return dtype_is_float(t) || dtype_is_complex(t) || t == DT_RESOURCE || t == DT_VARIANT;
}

static bool is_back_edge(const struct node *from)
{
    return strcmp(from->op->name, "NextIteration") == 0 ||
           strcmp(from->op->name, "RefNextIteration") == 0;
}

/* --- order --- */

struct visit {
    struct node *node;
    int next_input;
};

static void order_from(struct walk *w, struct node *root, struct visit **stack, int64_t *cap)
{
    int64_t depth = 0;
    if (root->id >= w->num_nodes || w->state[root->id])
        return;
    *stack = vec_reserve(*stack, cap, 1, sizeof **stack);
    (*stack)[depth++] = (struct visit){root, 0};
    w->state[root->id] = 1;
    while (depth > 0) {
        struct visit *top = &(*stack)[depth - 1];
        if (top->next_input == top->node->num_inputs) {
            w->state[top->node->id] = 2;
            w->order[w->num_order++] = top->node;
            depth--;
            continue;
        }
        struct node *in = top->node->inputs[top->next_input++].node;
        if (!in || in->id >= w->num_nodes || w->state[in->id])
            continue;
        w->cyclic |= is_back_edge(in);
        w->state[in->id] = 1;
        *stack = vec_reserve(*stack, cap, depth + 1, sizeof **stack);
        (*stack)[depth++] = (struct visit){in, 0};
    }
}

static void order_nodes(struct walk *w)
{
    struct visit *stack = NULL;
    int64_t cap = 0;
    for (int i = 0; i < w->r->num_ys; i++)
        order_from(w, w->r->ys[i].node, &stack, &cap);
    mem_free(stack);
}

static bool is_stop(const struct walk *w, struct output o)
{
    if (!w->stop[o.node->id])
        return false;
    for (int i = 0; i < w->r->num_stops; i++) {
        if (w->r->stops[i].node == o.node && w->r->stops[i].index == o.index)
            return true;
    }
    return false;
}

/* A gradient may flow from this node into the value o. */
static bool flows_to(const struct walk *w, struct output o)
{
    return o.node && o.node->id < w->num_nodes && w->reached[o.node->id] &&
           differentiable(o.node->output_types[o.index]);
}

/* Its gradient is none, whatever comes. */
static bool is_silent(const struct node *n)
{
    const struct op_def *def = n->op->def;
    return def && !def->grad && def->no_grad && strncmp(def->no_grad, "undefined: ", 11) != 0;
}

/* Whether something changed. */
static bool mark_from_inputs(struct walk *w, const struct node *n)
{
    bool reached = w->reached[n->id], alive = w->alive[n->id];
    for (int k = 0; k < n->num_inputs && !(reached && alive); k++) {
        if (!flows_to(w, n->inputs[k]) || is_stop(w, n->inputs[k]))
            continue;
        reached = true;
        alive |= w->alive[n->inputs[k].node->id] && !is_silent(n);
    }
    const bool changed = reached != w->reached[n->id] || alive != w->alive[n->id];
    w->reached[n->id] = reached;
    w->alive[n->id] = alive;
    return changed;
}

static void mark_reached(struct walk *w)
{
    for (int i = 0; i < w->r->num_xs; i++) {
        const int64_t id = w->r->xs[i].node->id;
        w->is_x[id] = w->reached[id] = w->alive[id] = true;
    }
    for (int i = 0; i < w->r->num_stops; i++)
        w->stop[w->r->stops[i].node->id] = true;
    for (bool again = true; again;) {
        again = false;
        for (int64_t i = 0; i < w->num_order; i++)
            again |= mark_from_inputs(w, w->order[i]);
        again &= w->cyclic;
    }
}

/* --- collecting --- */

static void collect(struct walk *w, struct output o, struct grad_value v)
{
    struct pending **slot = &w->pending[o.node->id];
    if (!*slot)
        *slot = mem_new_array(struct pending, o.node->num_outputs);
    struct pending *p = &(*slot)[o.index];
    p->v = vec_reserve(p->v, &p->cap, p->n + 1, sizeof *p->v);
    p->v[p->n++] = v;
}

static void pending_free(struct pending *p, int num_outputs)
{
    for (int i = 0; p && i < num_outputs; i++)
        mem_free(p[i].v);
    mem_free(p);
}

/* Sums what was collected for each output, in place. */
static bool sum_outputs(struct grad_ctx *g, struct pending *p, int num_outputs)
{
    bool any = false;
    for (int i = 0; i < num_outputs; i++) {
        if (p[i].n == 0)
            continue;
        p[i].v[0] = grad_sum(g, p[i].v, p[i].n);
        p[i].n = 1;
        any = true;
    }
    return any;
}

/* A resource variable given where a value is wanted stands for what it holds. */
static struct output value_of_variable(struct grad_ctx *g, struct output o, int want)
{
    if (dtype_base(output_type(o)) != DT_RESOURCE || want == DT_RESOURCE)
        return o;
    return grad_opv(g, "ReadVariableOp", 1, &o, 1,
                    (struct attr[]){{(char *)"dtype", attr_type(want)}});
}

static bool has_placeholder(const struct walk *w)
{
    for (int64_t i = 0; i < w->num_order; i++) {
        if (strncmp(w->order[i]->op->name, "Placeholder", strlen("Placeholder")) == 0)
            return true;
    }
    return false;
}

/* The gradient that y begins with: ones. With node_scopes by the nodes that tf.gradients makes.
 * Without: where y's shape is known they do not ask for y, whose value may need feeding. */
static struct output ones_for(struct walk *w, struct grad_ctx *g, struct output y, int i)
{
    const struct shape *s = grad_shape_of(g, y);
    const int type = grad_type_of(g, y);
    const bool scopes = w->r->node_scopes;
    if (!(dtype_is_float(type) || dtype_is_complex(type)) ||
        (!scopes && !(shape_known(s) && has_placeholder(w))))
        return grad_op1(g, "OnesLike", y);
    if (scopes)
        g->next_name = "Shape";
    struct output shape = grad_shape(g, y);
    if (scopes)
        g->next_name = arena_printf(&g->arena, "grad_ys_%d", i);
    struct output one = grad_const_like(g, y, 1);
    return grad_op2(g, "Fill", shape, one);
}

static bool start_from_ys(struct walk *w, struct grad_ctx *g, struct status *st)
{
    for (int i = 0; i < w->r->num_ys; i++) {
        struct output y = w->r->ys[i];
        struct output dy = {NULL, 0};
        if (w->r->dys && output_valid(w->r->dys[i])) {
            dy = value_of_variable(g, w->r->dys[i], dtype_base(output_type(y)));
            int want = dtype_base(output_type(y)), have = dtype_base(output_type(dy));
            if (have != want && want != DT_RESOURCE && want != DT_VARIANT)
                return status_invalid(
                    st, "Gradient type %s generated for tensor %s:%d does not match its type %s",
                    dtype_name(have), y.node->name, y.index, dtype_name(want));
        } else {
            dy = ones_for(w, g, y, i);
        }
        if (!grad_done(g, st))
            return false;
        collect(w, y, (struct grad_value){.values = dy});
    }
    return true;
}

/* --- one node --- */

static bool in_loop(const struct node *n)
{
    static const char *const ops[] = {
        "Enter", "Exit", "NextIteration", "RefEnter", "RefExit", "RefNextIteration", "LoopCond"};
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        if (strcmp(n->op->name, ops[i]) == 0)
            return true;
    }
    return false;
}

static bool call_gradient_of(struct walk *w, struct grad_ctx *g, struct status *st)
{
    struct node *n = g->node;
    const struct op_def *def = n->op->def;
    if (in_loop(n) && !w->alive[n->id])
        return true; /* what it comes from has no gradient to take */
    if (in_loop(n))
        return status_unimplemented(
            st,
            "Gradients through a while loop (node '%s' of op %s) are not supported yet; "
            "unroll the loop, or stop the gradient before it",
            n->name, n->op->name);
    if (def && def->grad)
        return def->grad(g, st);
    if (is_silent(n))
        return true;
    return status_not_found(st, "No gradient defined for op: %s (op type: %s)", n->name,
                            n->op->name);
}

static bool call_gradient(struct walk *w, struct grad_ctx *g, struct status *st)
{
    if (!g->r->node_scopes)
        return call_gradient_of(w, g, st);
    const char *outer = g->prefix;
    char *wanted = arena_printf(&g->arena, "%s/%s_grad", outer, g->node->name);
    char *scope = graph_unique_name(g->graph, wanted, true);
    g->prefix = scope;
    bool ok = call_gradient_of(w, g, st);
    g->prefix = outer;
    mem_free(scope);
    return ok;
}

static void collect_inputs(struct walk *w, const struct node *n, const struct grad_value *dxs)
{
    for (int i = 0; i < n->num_inputs; i++) {
        if (output_valid(dxs[i].values) && flows_to(w, n->inputs[i]) && !is_stop(w, n->inputs[i]))
            collect(w, n->inputs[i], dxs[i]);
    }
}

static bool any_input_flows(const struct walk *w, const struct node *n)
{
    for (int i = 0; i < n->num_inputs; i++) {
        if (flows_to(w, n->inputs[i]) && !is_stop(w, n->inputs[i]))
            return true;
    }
    return false;
}

static bool walk_node(struct walk *w, struct node *n, struct status *st)
{
    struct pending *p = w->pending[n->id];
    if (!p || !w->reached[n->id])
        return true;
    struct grad_ctx g = {.graph = w->graph, .node = n, .prefix = w->prefix, .r = w->r};
    bool ok = true;
    if (sum_outputs(&g, p, n->num_outputs) && any_input_flows(w, n)) {
        g.dys = arena_array(&g.arena, struct grad_value, n->num_outputs);
        g.dxs = arena_array(&g.arena, struct grad_value, n->num_inputs);
        for (int i = 0; i < n->num_outputs; i++) {
            if (p[i].n)
                g.dys[i] = p[i].v[0];
        }
        ok = call_gradient(w, &g, st);
        if (ok)
            collect_inputs(w, n, g.dxs);
    }
    ok = grad_done(&g, st) && ok;
    if (!ok)
        status_append(st, " [[gradient of node '%s' (%s)%s%s]]", n->name, n->op->name,
                      n->made_at ? " made at " : "", n->made_at ? n->made_at : "");
    grad_ctx_release(&g);
    if (!w->is_x[n->id]) {
        pending_free(p, n->num_outputs);
        w->pending[n->id] = NULL;
    }
    return ok;
}

static bool deliver(struct walk *w, struct grad_value *dxs, struct status *st)
{
    struct grad_ctx g = {.graph = w->graph, .prefix = w->prefix, .r = w->r};
    for (int i = 0; i < w->r->num_xs; i++) {
        struct output x = w->r->xs[i];
        struct pending *p = w->pending[x.node->id];
        dxs[i] = (struct grad_value){0};
        if (!p || p[x.index].n == 0)
            continue;
        p[x.index].v[0] = grad_sum(&g, p[x.index].v, p[x.index].n);
        p[x.index].n = 1;
        if (w->r->dense)
            p[x.index].v[0] = (struct grad_value){.values = grad_densify(&g, &p[x.index].v[0])};
        dxs[i] = p[x.index].v[0];
    }
    bool ok = grad_done(&g, st);
    grad_ctx_release(&g);
    return ok;
}

static bool check_request(const struct graph *g, const struct grad_request *r, struct status *st)
{
    for (int i = 0; i < r->num_ys + r->num_xs; i++) {
        struct output o = i < r->num_ys ? r->ys[i] : r->xs[i - r->num_ys];
        const char *what = i < r->num_ys ? "y" : "x";
        if (!o.node)
            return status_invalid(st, "gradients: a %s is not a valid output", what);
        if (o.node->graph != g)
            return status_invalid(st, "gradients: %s '%s' is not in this graph", what,
                                  o.node->name);
        if (o.index < 0 || o.index >= o.node->num_outputs)
            return status_fail(st, STATUS_OUT_OF_RANGE,
                               "gradients: node '%s' has %d outputs, asked for output %d",
                               o.node->name, o.node->num_outputs, o.index);
    }
    return true;
}

static bool walk_all(struct walk *w, struct grad_value *dxs, struct status *st)
{
    order_nodes(w);
    mark_reached(w);
    struct grad_ctx g = {.graph = w->graph, .prefix = w->prefix, .r = w->r};
    bool ok = start_from_ys(w, &g, st);
    grad_ctx_release(&g);
    for (int64_t i = w->num_order - 1; ok && i >= 0; i--)
        ok = walk_node(w, w->order[i], st);
    return ok && deliver(w, dxs, st);
}

bool grad_walk(struct graph *g, const struct grad_request *r, struct grad_value *dxs,
               struct status *st)
{
    if (!check_request(g, r, st))
        return false;
    lock_take(&g->lock);
    int64_t n = g->num_nodes;
    lock_drop(&g->lock);
    struct walk w = {.graph = g, .r = r, .num_nodes = n};
    char *prefix = NULL; /* with node_scopes the caller has made it unique */
    if (!r->prefix || !r->node_scopes)
        prefix = graph_unique_name(g, r->prefix ? r->prefix : "gradients", true);
    w.prefix = r->prefix ? r->prefix : prefix;
    w.state = mem_new_array(uint8_t, n);
    w.reached = mem_new_array(bool, n);
    w.alive = mem_new_array(bool, n);
    w.is_x = mem_new_array(bool, n);
    w.stop = mem_new_array(bool, n);
    w.order = mem_new_array(struct node *, n);
    w.pending = mem_new_array(struct pending *, n);
    struct node **nodes = w.order;
    bool ok = walk_all(&w, dxs, st);
    for (int64_t i = 0; i < w.num_order; i++)
        pending_free(w.pending[nodes[i]->id], nodes[i]->num_outputs);
    mem_free(prefix);
    mem_free(w.state);
    mem_free(w.reached);
    mem_free(w.alive);
    mem_free(w.is_x);
    mem_free(w.stop);
    mem_free(w.order);
    mem_free(w.pending);
    return ok;
}
