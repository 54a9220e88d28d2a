/* SPDX-License-Identifier: Apache-2.0 */
/* Loops and branches by callbacks: leat_while_loop and leat_cond.
 *
 * While a callback builds, a frame of kind FLOW is open. What is made under it is inside; an input
 * from outside is brought in once, by a constant Enter of a loop or a Switch of a branch, by way of
 * the flows around; a node that nothing inside makes wait is made to wait for the pivot, so that it
 * runs in each turn, or only where its branch is taken. */
#include <string.h>

#include "api/leat_builder.h"
#include "leat/control_flow.h"

struct flow {
    bool loop;
    const char *frame_name; /* of a loop */
    int64_t parallel;
    TF_Output pred; /* of a branch */
    int branch;
    struct node *pivot;    /* NULL while the loop's own nodes are made */
    struct u64map brought; /* output -> struct output * */
    struct arena arena;
};

static const TF_Output none = {NULL, 0};

static uint64_t key_of(struct output o)
{
    return ((uint64_t)o.node->id + 1) << 21 | (uint64_t)o.index;
}

static void note_inside(struct frame *f, const struct node *n)
{
    u64map_put(&f->made, (uint64_t)n->id + 1, f);
}

/* --- what comes in --- */

static struct frame *flow_frame(struct frame *f)
{
    while (f && f->kind != FRAME_FLOW)
        f = f->up;
    return f;
}

static struct output bring(struct graph *g, struct frame *f, struct output o, struct status *st);

static struct output make_entry(struct graph *g, struct frame *f, struct output o,
                                struct status *st)
{
    struct flow *w = f->flow;
    const bool ref = dtype_is_ref(output_type(o));
    const char *op = w->loop ? (ref ? "RefEnter" : "Enter") : (ref ? "RefSwitch" : "Switch");
    char *wanted = mem_printf("%s%s", f->scope, op), *name = graph_unique_name(g, wanted, true);
    struct node_desc *d = node_desc_new(g, op, name);
    d->made_at = f->made_at ? mem_strdup(f->made_at) : NULL;
    node_desc_input(d, o);
    if (w->loop) {
        node_desc_attr(d, "frame_name", attr_string(str_of(w->frame_name)));
        node_desc_attr(d, "is_constant", attr_bool(true));
        node_desc_attr(d, "parallel_iterations", attr_int(w->parallel));
    } else {
        node_desc_input(d, bring(g, flow_frame(f->up), api_output(w->pred), st));
    }
    builder_attrs(g, d);
    struct node *n = node_finish(d, st);
    mem_free(wanted);
    mem_free(name);
    if (n) {
        note_inside(f, n);
        builder_tell(g, n);
    }
    return (struct output){n, w->loop ? 0 : w->branch};
}

/* Flows nest as deep as their callbacks. */
static struct output bring(struct graph *g, struct frame *f, struct output o, struct status *st)
{
    if (!f || !o.node || o.node->graph != g || u64map_find(&f->made, (uint64_t)o.node->id + 1))
        return o;
    struct output *known = u64map_find(&f->flow->brought, key_of(o));
    if (known)
        return *known;
    struct output in = bring(g, flow_frame(f->up), o, st);
    if (!in.node || !status_ok(st))
        return in;
    in = make_entry(g, f, in, st);
    if (!in.node)
        return in;
    known = arena_new(&f->flow->arena, struct output);
    *known = in;
    u64map_put(&f->flow->brought, key_of(o), known);
    return in;
}

TF_Output builder_bring(struct graph *g, TF_Output in)
{
    struct thread_state *t = builder_thread(g, false);
    struct frame *f = t ? flow_frame(t->top) : NULL;
    if (!f || !in.oper || in.index < 0 || in.index >= api_node(in.oper)->num_outputs)
        return in;
    struct status st = {0};
    struct output o = bring(g, f, api_output(in), &st);
    builder_record(g, &st, "bringing a value into a loop or branch", NULL);
    return (TF_Output){api_oper(o.node), o.index};
}

/* --- what a new node waits for --- */

static bool is_constant_entry(const struct node *n)
{
    return strstr(n->op->name, "Enter") && attrs_bool(&n->attrs, "is_constant");
}

/* Whether an input belongs to the turn, or to the branch taken. */
static bool held_by_inputs(const struct flow *w, const struct node_desc *d)
{
    for (int64_t i = 0; i < d->num_inputs; i++) {
        if (d->inputs[i].node && !(w->loop && is_constant_entry(d->inputs[i].node)))
            return true;
    }
    return d->num_control > 0;
}

void builder_flow_controls(struct graph *g, struct node_desc *d)
{
    struct thread_state *t = builder_thread(g, false);
    struct frame *f = t ? flow_frame(t->top) : NULL;
    if (!f)
        return;
    int64_t kept = 0;
    for (int64_t i = 0; i < d->num_control; i++) { /* what is outside is done before */
        if (u64map_find(&f->made, (uint64_t)d->control[i]->id + 1))
            d->control[kept++] = d->control[i];
    }
    d->num_control = kept;
    if (f->flow->pivot && !held_by_inputs(f->flow, d))
        node_desc_control(d, f->flow->pivot);
}

/* --- opening and closing --- */

static struct frame *open_flow(TF_Graph *g, struct flow *w)
{
    leat_push_control_dependencies(g, NULL, 0);
    struct frame *f = builder_thread(api_graph(g), true)->top;
    f->kind = FRAME_FLOW;
    f->flow = w;
    return f;
}

/* With scopes that a callback left open. */
static void close_flow(TF_Graph *g, struct frame *f)
{
    struct flow *w = f->flow;
    for (bool last = false; !last;) {
        struct thread_state *t = builder_thread(api_graph(g), false);
        last = !t || !t->top || t->top == f;
        leat_pop(g);
    }
    u64map_release(&w->brought);
    arena_release(&w->arena);
}

/* A node whose inputs are taken as they are. */
static TF_Output raw(TF_Graph *g, const char *op, const char *name, const TF_Output *in, int n)
{
    TF_OperationDescription *d = leat_begin(g, op, name, NULL);
    if (strcmp(op, "Merge") == 0)
        TF_AddInputList(d, in, n);
    for (int i = 0; i < n && strcmp(op, "Merge") != 0; i++)
        TF_AddInput(d, in[i]);
    return leat_output_of(leat_finish(d), 0);
}

/* Brought in where it is from outside; a variable's value. */
static TF_Output inside(TF_Graph *g, const char *op, TF_Output in)
{
    TF_OperationDescription *d = leat_begin(g, op, NULL, NULL);
    leat_add_input(d, in);
    return leat_output_of(leat_finish(d), 0);
}

static bool types_agree(TF_Graph *g, const char *what, const TF_Output *a, const TF_Output *b,
                        int n)
{
    for (int i = 0; i < n; i++) {
        const TF_DataType x = leat_dtype(g, a[i]), y = leat_dtype(g, b[i]);
        if (!leat_valid(a[i]) || !leat_valid(b[i]) || x != y) {
            (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                            !leat_valid(a[i]) || !leat_valid(b[i])
                                ? "%s: value %d is not a valid output"
                                : "%s: value %d is of type %s here, %s there",
                            what, i, dtype_name((int)x), dtype_name((int)y));
            return false;
        }
    }
    return leat_graph_ok(g);
}

static bool begin_ok(TF_Graph *g, const char *what, bool callbacks, const TF_Output *in, int n,
                     TF_Output *results, const char *made_at)
{
    for (int i = 0; results && i < n; i++)
        results[i] = none;
    if (n >= 1 && callbacks && results && (in || strcmp(what, "leat_cond") == 0))
        return leat_graph_ok(g);
    (void)leat_fail(g, made_at, TF_INVALID_ARGUMENT, "%s: %d values, or a NULL", what, n);
    return false;
}

/* --- loops --- */

struct loop {
    TF_Graph *g;
    struct flow flow;
    int n;
    TF_Output *enters, *merges, *switches, *vars, *next; /* n each */
};

static void enter_all(struct loop *l, const TF_Output *vars)
{
    for (int i = 0; i < l->n; i++) {
        TF_OperationDescription *d = leat_begin(l->g, "Enter", NULL, NULL);
        leat_add_input(d, vars[i]);
        if (d) {
            TF_SetAttrString(d, "frame_name", l->flow.frame_name, strlen(l->flow.frame_name));
            TF_SetAttrInt(d, "parallel_iterations", l->flow.parallel);
        }
        l->enters[i] = leat_output_of(leat_finish(d), 0);
    }
}

static bool make_condition(struct loop *l, leat_loop_condition condition, void *data)
{
    for (int i = 0; i < l->n; i++)
        l->merges[i] = raw(l->g, "Merge", NULL, (TF_Output[]){l->enters[i], l->enters[i]}, 2);
    l->flow.pivot = api_node(l->merges[0].oper);
    if (!leat_graph_ok(l->g))
        return false;
    TF_Output more = inside(l->g, "LoopCond", condition(l->g, l->merges, data));
    for (int i = 0; i < l->n; i++)
        l->switches[i] = raw(l->g, "Switch", NULL, (TF_Output[]){l->merges[i], more}, 2);
    for (int i = 0; i < l->n; i++)
        l->vars[i] = raw(l->g, "Identity", NULL, &(TF_Output){l->switches[i].oper, 1}, 1);
    l->flow.pivot = api_node(l->vars[0].oper);
    return leat_graph_ok(l->g);
}

static bool make_body(struct loop *l, leat_loop_body body, void *data)
{
    struct status st = {0};
    for (int i = 0; i < l->n; i++)
        l->next[i] = none;
    body(l->g, l->vars, l->next, data);
    if (!leat_graph_ok(l->g) || !types_agree(l->g, "leat_while_loop", l->next, l->vars, l->n))
        return false;
    for (int i = 0; i < l->n; i++) {
        TF_Output next = inside(l->g, "NextIteration", l->next[i]);
        if (leat_valid(next) && leat_valid(l->merges[i]))
            (void)!graph_update_input(api_node(l->merges[i].oper), 1, api_output(next), &st);
    }
    builder_record(api_graph(l->g), &st, "leat_while_loop", NULL);
    return leat_graph_ok(l->g);
}

int leat_while_loop_fn(TF_Graph *g, leat_loop_condition condition, leat_loop_body body,
                       const TF_Output *vars, int n, TF_Output *results,
                       const struct leat_while_loop_args *args)
{
    struct leat_while_loop_args a = {0};
    if (args)
        a = *args;
    if (!g || !begin_ok(g, "leat_while_loop", condition && body, vars, n, results, a.made_at))
        return 0;
    leat_push_composite(g, a.name, "while", a.made_at);
    TF_Output *all = mem_new_array(TF_Output, 5 * (int64_t)n);
    char *frame_name = mem_printf("%swhile_context", leat_current_scope(g));
    struct loop l = {.g = g,
                     .flow = {.loop = true,
                              .frame_name = frame_name,
                              .parallel = a.parallel_iterations > 0 ? a.parallel_iterations : 10},
                     .n = n,
                     .enters = all,
                     .merges = all + n,
                     .switches = all + 2 * (int64_t)n,
                     .vars = all + 3 * (int64_t)n,
                     .next = all + 4 * (int64_t)n};
    enter_all(&l, vars);
    struct frame *f = open_flow(g, &l.flow);
    bool ok =
        leat_graph_ok(g) && make_condition(&l, condition, a.data) && make_body(&l, body, a.data);
    close_flow(g, f);
    for (int i = 0; ok && i < n; i++)
        results[i] = raw(g, "Exit", NULL, &l.switches[i], 1);
    leat_pop(g);
    mem_free(frame_name);
    mem_free(all);
    return ok && leat_graph_ok(g);
}

/* --- branches --- */

struct branch {
    TF_Graph *g;
    TF_Output pred, pivot;
    int taken_if;
};

static bool make_branch(const struct branch *b, leat_branch fn, TF_Output *out, int n, void *data)
{
    TF_Graph *g = b->g;
    struct flow w = {.pred = b->pred, .branch = b->taken_if, .pivot = api_node(b->pivot.oper)};
    struct frame *f = open_flow(g, &w);
    if (b->pivot.oper)
        note_inside(f, api_node(b->pivot.oper));
    fn(g, out, data);
    for (int i = 0; i < n && leat_graph_ok(g); i++) {
        if (!leat_valid(out[i]))
            (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                            "leat_cond: result %d of the %s branch is not a valid output", i,
                            b->taken_if ? "true" : "false");
        else
            out[i] = inside(g, "Identity", out[i]);
    }
    close_flow(g, f);
    return leat_graph_ok(g);
}

int leat_cond_fn(TF_Graph *g, TF_Output pred, leat_branch yes, leat_branch no, TF_Output *results,
                 int n, const struct leat_cond_args *args)
{
    struct leat_cond_args a = {0};
    if (args)
        a = *args;
    if (!g || !begin_ok(g, "leat_cond", yes && no, NULL, n, results, a.made_at))
        return 0;
    leat_push_composite(g, a.name, "cond", a.made_at);
    TF_Output *all = mem_new_array(TF_Output, 2 * (int64_t)n);
    struct branch b = {.g = g, .pred = inside(g, "Identity", pred)};
    TF_Output sw =
        leat_valid(b.pred) ? raw(g, "Switch", NULL, (TF_Output[]){b.pred, b.pred}, 2) : none;
    bool ok = leat_graph_ok(g);
    for (int k = 1; ok && k >= 0; k--) {
        b.taken_if = k;
        b.pivot = raw(g, "Identity", k ? "switch_t" : "switch_f", &(TF_Output){sw.oper, k}, 1);
        ok = make_branch(&b, k ? yes : no, k ? all : all + n, n, a.data);
    }
    ok = ok && types_agree(g, "leat_cond", all, all + n, n);
    for (int i = 0; ok && i < n; i++)
        results[i] = raw(g, "Merge", NULL, (TF_Output[]){all[n + i], all[i]}, 2);
    leat_pop(g);
    mem_free(all);
    return ok && leat_graph_ok(g);
}
