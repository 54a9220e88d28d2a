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
#include "grad/grad_impl.h"

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

/* --- what lies between --- */

static void note_op(struct walk *w, const struct node *n)
{
    w->cyclic |= is_back_edge(n);
    w->control_flow |= node_op_is(n, "Enter") || node_op_is(n, "Exit");
}

/* From a stack's handle, as loops and branches hand it on, to its pushes. */
static bool hands_on(const struct node *n)
{
    return node_op_is(n, "Enter") || node_op_is(n, "Switch") ||
           strcmp(n->op->name, "Identity") == 0;
}

static void find_pushes(struct walk *w, struct node *pop)
{
    struct node *stack = pop->inputs[0].node;
    for (int i = 0; stack && hands_on(stack) && i < 1000; i++)
        stack = stack->inputs[0].node;
    struct node_list todo = {0};
    if (stack)
        node_list_add(&todo, stack);
    lock_take(&w->graph->lock);
    for (int64_t i = 0; i < todo.n; i++) {
        for (int64_t k = 0; k < todo.v[i]->num_consumers; k++) {
            struct node *n = todo.v[i]->consumers[k].node;
            const bool pushes = strncmp(n->op->name, "StackPush", 9) == 0;
            if (hands_on(n))
                node_list_add(&todo, n);
            if (!pushes || n->id >= w->num_nodes || !n->inputs[1].node)
                continue;
            w->pops = vec_reserve(w->pops, &w->cap_pops, w->num_pops + 1, sizeof *w->pops);
            w->pops[w->num_pops++] = (struct pop){pop, n->inputs[1]};
        }
    }
    lock_drop(&w->graph->lock);
    mem_free(todo.v);
}

static void add_between(struct walk *w, struct node *n)
{
    if (!n || n->id >= w->num_nodes || w->state[n->id])
        return;
    w->state[n->id] = 1;
    node_list_add(&w->between, n);
}

static void find_between(struct walk *w)
{
    for (int i = 0; i < w->r->num_ys; i++)
        add_between(w, w->r->ys[i].node);
    for (int64_t i = 0; i < w->between.n; i++) { /* which grows */
        struct node *n = w->between.v[i];
        note_op(w, n);
        for (int k = 0; k < n->num_inputs; k++)
            add_between(w, n->inputs[k].node);
        if (strncmp(n->op->name, "StackPop", 8) == 0) {
            int64_t first = w->num_pops;
            find_pushes(w, n);
            for (; first < w->num_pops; first++)
                add_between(w, w->pops[first].pushed.node);
        }
    }
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

bool walk_flows_to(const struct walk *w, struct output o)
{
    return o.node && o.node->id < w->num_nodes && w->reached[o.node->id] &&
           differentiable(o.node->output_types[o.index]);
}

/* Its gradient is none, whatever comes. */
static bool is_silent(const struct walk *w, const struct node *n)
{
    const enum grad_said said = grad_client_has(w->r, n);
    if (said != GRAD_NOT_MINE)
        return said == GRAD_NONE;
    const struct op_def *def = grad_rule_def(w->r, n);
    return def && !def->grad && def->no_grad && strncmp(def->no_grad, "undefined: ", 11) != 0;
}

/* Whether something changed. */
static bool mark_from_inputs(struct walk *w, const struct node *n)
{
    bool reached = w->reached[n->id], alive = w->alive[n->id];
    for (int k = 0; k < n->num_inputs && !(reached && alive); k++) {
        if (!walk_flows_to(w, n->inputs[k]) || is_stop(w, n->inputs[k]))
            continue;
        reached = true;
        alive |= w->alive[n->inputs[k].node->id] && !is_silent(w, n);
    }
    const bool changed = reached != w->reached[n->id] || alive != w->alive[n->id];
    w->reached[n->id] = reached;
    w->alive[n->id] = alive;
    return changed;
}

/* What is popped comes from what was pushed. */
static bool mark_pops(struct walk *w)
{
    bool changed = false;
    for (int64_t i = 0; i < w->num_pops; i++) {
        const struct output from = w->pops[i].pushed;
        const int64_t id = w->pops[i].node->id;
        if (!w->reached[id] && walk_flows_to(w, from) && w->alive[from.node->id])
            changed = w->reached[id] = w->alive[id] = true;
    }
    return changed;
}

static bool mark_list(struct walk *w, const struct node_list *l);

/* Nesting is bounded, and so is the recursion. */
static bool mark_loop(struct walk *w, const struct fwd_loop *l)
{
    bool changed = false, again = true;
    while (again) {
        again = false;
        for (int64_t i = 0; i < l->enters.n; i++)
            again |= mark_from_inputs(w, l->enters.v[i]);
        for (int64_t i = 0; i < l->merges.n; i++)
            again |= mark_from_inputs(w, l->merges.v[i]);
        for (int64_t i = 0; i < l->switches.n; i++)
            again |= mark_from_inputs(w, l->switches.v[i]);
        again |= mark_list(w, &l->order);
        changed |= again;
    }
    return changed;
}

static bool mark_list(struct walk *w, const struct node_list *l)
{
    bool changed = false;
    for (int64_t i = 0; i < l->n; i++) {
        const int loop = w->facts && node_op_is(l->v[i], "Exit") ? w->facts[l->v[i]->id].loop : 0;
        if (loop > 0 && w->loops[loop].depth > MAX_LOOP_DEPTH)
            w->reached[l->v[i]->id] = w->alive[l->v[i]->id] = true; /* walk_loop refuses it */
        else if (loop > 0 && w->loops[loop].first_exit == l->v[i])
            changed |= mark_loop(w, &w->loops[loop]);
        changed |= mark_from_inputs(w, l->v[i]);
    }
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
        (void)mark_list(w, &w->order);
        again = mark_pops(w);
    }
}

/* --- collecting --- */

void walk_collect(struct walk *w, struct output o, struct grad_value v)
{
    struct grad_loop *l = w->cur;
    if (l && w->facts[o.node->id].frame != l->fwd) {
        l->loose = vec_reserve(l->loose, &l->cap_loose, l->num_loose + 1, sizeof *l->loose);
        l->loose[l->num_loose++] = (struct loose){o, v};
        return;
    }
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
        p[i].v[0] = grad_sum(g, g->node, p[i].v, p[i].n);
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
    for (int64_t i = 0; i < w->between.n; i++) {
        if (strncmp(w->between.v[i]->op->name, "Placeholder", strlen("Placeholder")) == 0)
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
        if (w->r->colocate)
            grad_place_with(g, y.node);
        if (w->r->dys && output_valid(w->r->dys[i])) {
            dy = value_of_variable(g, w->r->dys[i], dtype_base(output_type(y)));
            int want = dtype_base(output_type(y)), have = dtype_base(output_type(dy));
            if (have != want && want != DT_RESOURCE && want != DT_VARIANT)
                (void)grad_fail(g, st, STATUS_INVALID_ARGUMENT,
                                "Gradient type %s generated for tensor %s:%d does not match its "
                                "type %s",
                                dtype_name(have), y.node->name, y.index, dtype_name(want));
        } else {
            dy = ones_for(w, g, y, i);
        }
        if (w->r->colocate)
            grad_place_end(g);
        if (!grad_done(g, st))
            return false;
        walk_collect(w, y, (struct grad_value){.values = dy});
    }
    return true;
}

/* --- one node --- */

/* Of a loop that is being built around: what enters it is what was outside, in every turn. */
static bool through_open_loop(struct grad_ctx *g, struct status *st)
{
    if (!node_op_is(g->node, "Enter"))
        return status_unimplemented(
            st,
            "Gradients by values that a while loop begins with, inside of the loop, are not "
            "supported: '%s'",
            g->node->name);
    g->dxs[0] = g->dys[0];
    return true;
}

static bool call_gradient_of(struct walk *w, struct grad_ctx *g, struct status *st)
{
    struct node *n = g->node;
    const struct op_def *def = grad_rule_def(w->r, n);
    if (n->op->function && (!w->r->client || strcmp(grad_rule_name(n), n->op->name) == 0)) {
        struct attr_func f = {.name = (char *)(uintptr_t)n->op->name, .attrs = n->attrs};
        grad_call_function(g, &f);
        return grad_done(g, st);
    }
    if (def && def->grad)
        return def->grad(g, st);
    if (is_silent(w, n))
        return true;
    if (w->r->client)
        return status_not_found(st, "No gradient defined for operation '%s' (op type: %s)", n->name,
                                n->op->name);
    return status_not_found(st, "No gradient defined for op: %s (op type: %s)", n->name,
                            n->op->name);
}

static bool call_gradient(struct walk *w, struct grad_ctx *g, struct status *st)
{
    if (w->facts && w->facts[g->node->id].open)
        return through_open_loop(g, st);
    if (!g->r->node_scopes)
        return call_gradient_of(w, g, st);
    const char *outer = g->prefix;
    char *wanted = arena_printf(&g->arena, "%s/%s_grad", outer, g->node->name);
    char *scope = graph_unique_name(g->graph, wanted, true);
    bool ok;
    if (grad_client_has(w->r, g->node) == GRAD_DONE) {
        ok = grad_call_client(g, scope, st);
    } else {
        const struct op_def *def = grad_rule_def(w->r, g->node);
        if (def && def->grad)
            grad_make_zeros(g);
        g->prefix = scope;
        ok = call_gradient_of(w, g, st);
    }
    g->prefix = scope;
    if (ok && w->r->gate)
        grad_gate(g);
    g->prefix = outer;
    mem_free(scope);
    return ok;
}

static void collect_inputs(struct walk *w, const struct node *n, const struct grad_value *dxs)
{
    for (int i = 0; i < n->num_inputs; i++) {
        if (output_valid(dxs[i].values) && walk_flows_to(w, n->inputs[i]) &&
            !is_stop(w, n->inputs[i]))
            walk_collect(w, n->inputs[i], dxs[i]);
    }
}

static bool any_input_flows(const struct walk *w, const struct node *n)
{
    for (int i = 0; i < n->num_inputs; i++) {
        if (walk_flows_to(w, n->inputs[i]) && !is_stop(w, n->inputs[i]))
            return true;
    }
    return false;
}

static bool walk_node(struct walk *w, struct node *n, struct status *st)
{
    struct pending *p = w->pending[n->id];
    if (!p || !w->reached[n->id])
        return true;
    if (strncmp(n->op->name, "StackPop", 8) == 0)
        return status_unimplemented(st, "Second-order gradient for while loops not supported: '%s'",
                                    n->name);
    struct grad_ctx g = {.graph = w->graph, .w = w, .node = n, .prefix = w->prefix, .r = w->r};
    bool ok = true;
    if (w->r->colocate)
        grad_place_with(&g, n);
    if (sum_outputs(&g, p, n->num_outputs) && !w->stop[n->id] && any_input_flows(w, n)) {
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
    if (w->r->colocate)
        grad_place_end(&g);
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

/* Enter, Merge, Switch and NextIteration of a loop are the loop's work. */
static bool is_loops_own(const struct walk *w, const struct node *n)
{
    if (!w->facts || w->facts[n->id].open)
        return false;
    return w->facts[n->id].back || node_op_is(n, "Enter") || node_op_is(n, "NextIteration");
}

bool walk_list(struct walk *w, const struct node_list *l, struct status *st)
{
    for (int64_t i = l->n - 1; i >= 0; i--) {
        struct node *n = l->v[i];
        if (w->facts && node_op_is(n, "Exit") && w->facts[n->id].loop > 0) {
            const int loop = w->facts[n->id].loop;
            if (w->loops[loop].first_exit == n && !walk_loop(w, loop, st))
                return false;
        } else if (!is_loops_own(w, n) && !walk_node(w, n, st)) {
            return false;
        }
    }
    return true;
}

struct grad_value walk_collected(struct walk *w, struct grad_ctx *g, struct output o)
{
    struct pending *p = w->pending[o.node->id];
    if (!p || p[o.index].n == 0)
        return (struct grad_value){0};
    return grad_sum(g, o.node, p[o.index].v, p[o.index].n);
}

static bool deliver(struct walk *w, struct grad_value *dxs, struct status *st)
{
    struct grad_ctx g = {.graph = w->graph, .w = w, .prefix = w->prefix, .r = w->r};
    for (int i = 0; i < w->r->num_xs; i++) {
        struct output x = w->r->xs[i];
        struct pending *p = w->pending[x.node->id];
        dxs[i] = (struct grad_value){0};
        if (!p || p[x.index].n == 0)
            continue;
        if (w->r->colocate)
            grad_place_with(&g, x.node);
        p[x.index].v[0] = grad_sum(&g, x.node, p[x.index].v, p[x.index].n);
        p[x.index].n = 1;
        if (w->r->dense)
            p[x.index].v[0] = (struct grad_value){.values = grad_densify(&g, &p[x.index].v[0])};
        if (w->r->colocate)
            grad_place_end(&g);
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

/* ys and xs must lie outside of loops. */
static bool ends_are_outside(struct walk *w, struct status *st)
{
    for (int i = 0; w->facts && i < w->r->num_ys + w->r->num_xs; i++) {
        struct output o = i < w->r->num_ys ? w->r->ys[i] : w->r->xs[i - w->r->num_ys];
        if (w->facts[o.node->id].frame > 0 && w->reached[o.node->id])
            return status_unimplemented(st,
                                        "Gradients of or by values inside of a while loop ('%s') "
                                        "are not supported",
                                        o.node->name);
    }
    return true;
}

static bool walk_all(struct walk *w, struct grad_value *dxs, struct status *st)
{
    find_between(w);
    if (w->control_flow || w->cyclic)
        walk_find_frames(w);
    walk_order(w);
    mark_reached(w);
    if (w->r->node_scopes)
        walk_queue_order(w);
    if (!ends_are_outside(w, st))
        return false;
    struct grad_ctx g = {.graph = w->graph, .w = w, .prefix = w->prefix, .r = w->r};
    bool ok = start_from_ys(w, &g, st);
    grad_ctx_release(&g);
    return ok && walk_list(w, &w->order, st) && deliver(w, dxs, st);
}

static void walk_release(struct walk *w)
{
    for (int64_t i = 0; i < w->between.n; i++)
        pending_free(w->pending[w->between.v[i]->id], w->between.v[i]->num_outputs);
    walk_frames_release(w);
    mem_free(w->state);
    mem_free(w->reached);
    mem_free(w->alive);
    mem_free(w->is_x);
    mem_free(w->stop);
    mem_free(w->between.v);
    mem_free(w->order.v);
    mem_free(w->pops);
    mem_free(w->pending);
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
    w.pending = mem_new_array(struct pending *, n);
    bool ok = walk_all(&w, dxs, st);
    walk_release(&w);
    mem_free(prefix);
    return ok;
}
