/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a loop made of Enter, Merge, Switch, NextIteration and Exit.
 *
 * The forward loop gets a counter. The gradient's loop counts down from it; it carries the gradient
 * of each variable that an x reaches, and for each value that enters the loop as a constant the sum
 * of its gradients. One turn of it is the gradient of one turn of the forward loop, made by the
 * walk. In a nest, the inner counter's end is kept per turn of the outer loop, starts only when the
 * outer turn's number is known, and is waited for before the next turn: so what the inner loop
 * pushes and pops stays in order. Names are those of tf.gradients. */
#include <string.h>

#include "base/mem.h"
#include "grad/grad_impl.h"

struct carried { /* a value that the gradient's loop carries from turn to turn */
    struct output merge, sw, exit;
};

static struct output out(struct node *n, int i)
{
    return n ? (struct output){n, i} : (struct output){NULL, 0};
}

static struct output put(struct grad_ctx *g, struct place at, const char *op, const char *name,
                         int n, const struct output *in)
{
    return walk_put(g, &(struct put){.at = at, .op = op, .name = name, .in = in, .num_in = n});
}

static struct output put_enter(struct grad_ctx *g, struct place at, const char *name,
                               const char *frame, int64_t parallel, struct output v)
{
    return walk_put(
        g,
        &(struct put){.at = at,
                      .op = "Enter",
                      .name = name,
                      .in = &v,
                      .num_in = 1,
                      .attrs = (struct attr[]){{(char *)"frame_name", attr_string(str_of(frame))},
                                               {(char *)"parallel_iterations", attr_int(parallel)}},
                      .num_attrs = 2});
}

static struct output put_i32(struct grad_ctx *g, struct place at, const char *name, int32_t v,
                             struct node *control)
{
    struct tensor t = {0};
    if (!status_ok(&g->error) || !tensor_from(&t, DT_INT32, NULL, 0, &v, &g->error))
        return out(NULL, 0);
    struct output o =
        walk_put(g, &(struct put){.at = at,
                                  .op = "Const",
                                  .name = name,
                                  .attrs = (struct attr[]){{(char *)"value", attr_tensor(&t)},
                                                           {(char *)"dtype", attr_type(DT_INT32)}},
                                  .num_attrs = 2,
                                  .control = control});
    tensor_clear(&t);
    return o;
}

/* --- the two counters --- */

/* How often the forward loop turned, outside of it. */
static struct output count_turns(struct grad_ctx *g, struct grad_loop *l)
{
    struct walk *w = g->w;
    const struct fwd_loop *f = &w->loops[l->fwd];
    const struct place before = {NULL, f->parent, f->guard}, in = {NULL, l->fwd, GUARD_NONE};
    struct output zero = put_i32(g, before, "f_count", 0, walk_pivot(g, f->guard, f->parent));
    if (l->outer)
        walk_control(g, l->outer->count_add.node, zero.node);
    struct output enter = put_enter(g, in, "f_count", f->name, f->parallel, zero);
    struct output merge = walk_merge_of(g, in, NULL, enter);
    struct output sw = put(g, in, "Switch", NULL, 2, (struct output[]){merge, f->cond});
    struct output one = put_i32(g, in, "Add/y", 1, sw.node);
    l->count_add = put(g, in, "Add", NULL, 2, (struct output[]){out(sw.node, 1), one});
    struct output next = put(g, in, "NextIteration", NULL, 1, &l->count_add);
    l->count_next = next.node;
    walk_back_edge(g, merge, next);
    return put(g, before, "Exit", "f_count", 1, &sw);
}

/* The gradient's loop, as yet with nothing but its counter. */
static void count_down(struct grad_ctx *g, struct grad_loop *l, struct output turns)
{
    struct walk *w = g->w;
    const struct place before = {.loop = l->outer}, in = {.loop = l};
    struct output one = put_i32(g, before, "b_count", 1, l->outer ? l->outer->index.node : NULL);
    struct output count = walk_bring(g, l->outer, turns);
    struct output enter =
        put_enter(g, in, "b_count", l->frame_name, w->loops[l->fwd].parallel, count);
    struct output merge = walk_merge_of(g, in, NULL, enter);
    one = walk_bring(g, l, one);
    struct output more = put(g, in, "GreaterEqual", NULL, 2, (struct output[]){merge, one});
    l->cond = put(g, in, "LoopCond", "b_count", 1, &more);
    struct output sw = put(g, in, "Switch", NULL, 2, (struct output[]){merge, l->cond});
    l->index = put(g, in, "Sub", NULL, 2, (struct output[]){out(sw.node, 1), one});
    struct output next = put(g, in, "NextIteration", NULL, 1, &l->index);
    l->next = next.node;
    walk_back_edge(g, merge, next);
    struct output exit = put(g, before, "Exit", "b_count", 1, &sw);
    if (!l->outer || !status_ok(&g->error))
        return;
    if (!l->outer->sync) {
        l->outer->sync = put(g, before, "ControlTrigger", "b_sync", 0, NULL).node;
        walk_control(g, l->outer->sync, l->outer->next);
    }
    walk_control(g, exit.node, l->outer->sync);
}

static struct grad_loop *start_loop(struct grad_ctx *g, int fwd)
{
    struct walk *w = g->w;
    struct grad_loop *l = arena_new(&w->arena, struct grad_loop);
    char *wanted = mem_printf("%s/%s", w->prefix, w->loops[fwd].name);
    char *frame = graph_unique_name(g->graph, wanted, true);
    *l = (struct grad_loop){
        .fwd = fwd, .outer = w->cur, .frame_name = arena_strdup(&w->arena, frame)};
    mem_free(frame);
    mem_free(wanted);
    struct output turns = count_turns(g, l);
    if (status_ok(&g->error))
        count_down(g, l, turns);
    return l;
}

/* --- what is carried --- */

/* start is outside of the loop. */
static struct carried carry(struct grad_ctx *g, struct grad_loop *l, const char *name,
                            struct output start)
{
    const struct place in = {.loop = l};
    struct carried c;
    struct output enter =
        put_enter(g, in, name, l->frame_name, g->w->loops[l->fwd].parallel, start);
    c.merge = walk_merge_of(g, in, NULL, enter);
    c.sw = put(g, in, "Switch", NULL, 2, (struct output[]){c.merge, l->cond});
    c.exit = put(g, (struct place){.loop = l->outer}, "Exit", NULL, 1, &c.sw);
    return c;
}

static void carry_on(struct grad_ctx *g, struct grad_loop *l, struct carried *c, struct output next)
{
    if (status_ok(&g->error) && output_valid(next))
        walk_back_edge(g, c->merge,
                       put(g, (struct place){.loop = l}, "NextIteration", NULL, 1, &next));
}

/* --- variables --- */

struct variable { /* of the forward loop, that an x reaches */
    struct node *merge;
    struct output enter, next; /* what enters, what a turn gives */
    struct carried c;
};

static bool is_entry(const struct node *from)
{
    return node_op_is(from, "Enter") && from->num_inputs == 1 && from->inputs[0].node;
}

static bool find_variable(const struct walk *w, struct node *merge, struct variable *v)
{
    *v = (struct variable){.merge = merge};
    for (int i = 0; i < merge->num_inputs; i++) {
        struct node *from = merge->inputs[i].node;
        if (from && is_entry(from))
            v->enter = from->inputs[0];
        else if (from && node_op_is(from, "NextIteration"))
            v->next = from->inputs[0];
    }
    return w->alive[merge->id] && walk_flows_to(w, (struct output){merge, 0}) &&
           output_valid(v->enter) && output_valid(v->next) && merge->num_inputs == 2;
}

/* The variable's Merge that an Exit gets its value from; NULL: it is none of a variable's. */
static const struct node *exit_merge(const struct node *exit)
{
    const struct node *sw = exit->inputs[0].node;
    return sw && exit->inputs[0].index == 0 && node_op_is(sw, "Switch") ? sw->inputs[0].node : NULL;
}

static struct node *switch_of(const struct fwd_loop *f, const struct node *merge)
{
    for (int64_t i = 0; i < f->switches.n; i++) {
        if (f->switches.v[i]->inputs[0].node == merge)
            return f->switches.v[i];
    }
    return NULL;
}

static void add_gradient(struct grad_ctx *g, struct output *sum, struct output more)
{
    if (output_valid(*sum) && output_valid(more))
        *sum =
            grad_node_out(g,
                          grad_node(g, &(struct grad_build){.op = "AddN",
                                                            .inputs = (struct output[]){*sum, more},
                                                            .num_inputs = 2,
                                                            .list_sizes = (int[]){2}}),
                          0);
    else if (output_valid(more))
        *sum = more;
}

/* What came for the variable's value after the loop. */
static struct output gradient_after(struct grad_ctx *g, const struct fwd_loop *f,
                                    const struct node *merge)
{
    struct output sum = out(NULL, 0);
    for (int64_t i = 0; i < f->exits.n; i++) {
        struct node *exit = f->exits.v[i];
        if (exit_merge(exit) != merge)
            continue;
        struct grad_value v = walk_collected(g->w, g, (struct output){exit, 0});
        add_gradient(g, &sum, grad_densify(g, &v));
    }
    return sum;
}

static bool any_gradient(const struct walk *w, const struct fwd_loop *f)
{
    for (int64_t i = 0; i < f->exits.n; i++) {
        const struct pending *p = w->pending[f->exits.v[i]->id];
        if (p && p[0].n > 0 && w->alive[f->exits.v[i]->id])
            return true;
    }
    return false;
}

/* Zeros of the shape that the variable has after the loop. */
static struct output zeros_after(struct grad_ctx *g, const struct fwd_loop *f, struct node *merge)
{
    const struct output value = {merge, 0};
    if (shape_known(grad_shape_of(g, value)) || grad_type_of(g, value) == DT_RESOURCE)
        return walk_zeros(
            g, grad_type_of(g, value) == DT_RESOURCE ? merge->inputs[0].node->inputs[0] : value);
    for (int64_t i = 0; i < f->exits.n; i++) {
        if (exit_merge(f->exits.v[i]) == merge)
            return walk_zeros(g, (struct output){f->exits.v[i], 0});
    }
    struct node *sw = switch_of(f, merge);
    if (!sw)
        return out(NULL, 0);
    struct output exit =
        put(g, (struct place){NULL, f->parent, f->guard}, "Exit", NULL, 1, &(struct output){sw, 0});
    return output_valid(exit) ? walk_zeros(g, exit) : exit;
}

static struct variable *start_variables(struct grad_ctx *g, struct grad_loop *l, int64_t *num)
{
    struct walk *w = g->w;
    const struct fwd_loop *f = &w->loops[l->fwd];
    struct variable *all = arena_array(&w->arena, struct variable, f->merges.n + 1), v;
    *num = 0;
    for (int64_t i = 0; i < f->merges.n; i++) {
        if (!find_variable(w, f->merges.v[i], &v))
            continue;
        struct output start = gradient_after(g, f, v.merge);
        if (!output_valid(start) && status_ok(&g->error))
            start = zeros_after(g, f, v.merge);
        if (!output_valid(start))
            continue; /* no turn gives it on, or an error */
        v.c = carry(g, l, "b_exit", start);
        all[(*num)++] = v;
    }
    return all;
}

/* The gradient of the variable as the turn before had left it. */
static void end_variable(struct grad_ctx *g, struct grad_loop *l, struct variable *v)
{
    struct walk *w = g->w;
    const struct fwd_loop *f = &w->loops[l->fwd];
    struct output next = out(NULL, 0), value = {v->merge, 0};
    struct grad_value d = walk_collected(w, g, value);
    add_gradient(g, &next, grad_densify(g, &d));
    for (int64_t i = 0; i < f->switches.n; i++) {
        struct node *sw = f->switches.v[i];
        if (sw->inputs[0].node != v->merge)
            continue;
        value = (struct output){sw, 1};
        d = walk_collected(w, g, value);
        add_gradient(g, &next, grad_densify(g, &d));
    }
    if (!output_valid(next) && status_ok(&g->error))
        next = walk_zeros(g, value);
    carry_on(g, l, &v->c, next);
}

/* --- constants of the loop --- */

static struct output zeros_like_sum(struct grad_ctx *g, struct output entered, struct output d)
{
    const struct shape *s = grad_shape_of(g, d);
    if (!shape_known(s))
        return walk_zeros(g, entered);
    int64_t n = s->rank;
    int32_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < s->rank; i++) {
        if (shape_dim(s, i) > INT32_MAX)
            return walk_zeros(g, entered);
        dims[i] = (int32_t)shape_dim(s, i);
    }
    struct output shape = grad_const_i32s(g, dims, n);
    return grad_op2(g, "Fill", shape, grad_const_like(g, d, 0));
}

/* Adds up what comes in each turn; the sum goes to what entered. */
static void sum_turns(struct grad_ctx *g, struct grad_loop *l, struct output entered,
                      struct output d)
{
    struct walk *w = g->w;
    w->cur = l->outer;
    struct output zeros = output_valid(d) ? zeros_like_sum(g, entered, d) : d;
    if (!output_valid(zeros))
        return;
    struct carried c = carry(g, l, "b_acc", zeros);
    w->cur = l;
    struct output sum = grad_op2(g, "Add", out(c.sw.node, 1), d);
    carry_on(g, l, &c, sum);
    w->cur = l->outer;
    walk_collect(w, entered, (struct grad_value){.values = c.exit});
}

static void sum_constant(struct grad_ctx *g, struct grad_loop *l, struct node *enter)
{
    struct walk *w = g->w;
    if (!attrs_bool(&enter->attrs, "is_constant") || !walk_flows_to(w, enter->inputs[0]))
        return;
    w->cur = l;
    struct grad_value v = walk_collected(w, g, (struct output){enter, 0});
    struct output d = grad_densify(g, &v);
    sum_turns(g, l, enter->inputs[0], d);
}

static void sum_loose(struct grad_ctx *g, struct grad_loop *l)
{
    for (int64_t i = 0; i < l->num_loose && status_ok(&g->error); i++) {
        const struct output of = l->loose[i].of;
        g->w->cur = l;
        struct output d = grad_densify(g, &l->loose[i].v);
        for (int64_t k = i + 1; k < l->num_loose; k++) {
            if (l->loose[k].of.node != of.node || l->loose[k].of.index != of.index)
                continue;
            add_gradient(g, &d, grad_densify(g, &l->loose[k].v));
            l->loose[k--] = l->loose[--l->num_loose];
        }
        sum_turns(g, l, of, d);
    }
}

/* --- the loop --- */

static bool loop_ok(struct walk *w, const struct fwd_loop *f, struct status *st)
{
    if (!status_ok(&w->bad_loops)) {
        status_copy(st, &w->bad_loops);
        return false;
    }
    if (!output_valid(f->cond))
        return status_unimplemented(st,
                                    "Gradients through a while loop (frame '%s') without a "
                                    "LoopCond are not supported",
                                    f->name);
    for (int64_t i = 0; i < f->exits.n; i++) {
        if (!exit_merge(f->exits.v[i]))
            return status_unimplemented(st,
                                        "Gradients through a while loop whose Exit ('%s') reads no "
                                        "Switch are not supported",
                                        f->exits.v[i]->name);
    }
    return true;
}

static bool loop_backwards(struct grad_ctx *g, int fwd, struct status *st)
{
    struct walk *w = g->w;
    struct grad_loop *outer = w->cur;
    struct grad_loop *l = start_loop(g, fwd);
    int64_t num = 0;
    struct variable *vars = status_ok(&g->error) ? start_variables(g, l, &num) : NULL;
    if (!status_ok(&g->error))
        goto done;
    w->cur = l;
    for (int64_t i = 0; i < num; i++) {
        if (walk_flows_to(w, vars[i].next))
            walk_collect(w, vars[i].next, (struct grad_value){.values = out(vars[i].c.sw.node, 1)});
    }
    if (!walk_list(w, &w->loops[fwd].order, st))
        goto done;
    for (int64_t i = 0; i < num; i++)
        end_variable(g, l, &vars[i]);
    w->cur = outer;
    for (int64_t i = 0; i < num; i++) {
        if (walk_flows_to(w, vars[i].enter))
            walk_collect(w, vars[i].enter, (struct grad_value){.values = vars[i].c.exit});
    }
    for (int64_t i = 0; i < w->loops[fwd].enters.n && status_ok(&g->error); i++)
        sum_constant(g, l, w->loops[fwd].enters.v[i]);
    sum_loose(g, l);
done:
    w->cur = outer;
    mem_free(l->loose);
    u64map_release(&l->values);
    return status_ok(st) && grad_done(g, st);
}

bool walk_loop(struct walk *w, int fwd, struct status *st)
{
    const struct fwd_loop *f = &w->loops[fwd];
    if (f->silent || !any_gradient(w, f))
        return true;
    if (!loop_ok(w, f, st))
        return false;
    struct grad_ctx g = {.graph = w->graph, .w = w, .prefix = w->prefix, .r = w->r};
    bool ok = loop_backwards(&g, fwd, st);
    if (!ok)
        status_append(st, " [[gradient of the loop '%s']]", f->name);
    grad_ctx_release(&g);
    return ok;
}
