/* SPDX-License-Identifier: Apache-2.0 */
/* Loops and branches, step by step and by callbacks. What is inside of them is leat_flow.c's work.
 */
#include <string.h>

#include "api/leat_flow.h"

static const TF_Output none = {NULL, 0};

/* A node whose inputs are taken as they are. */
static TF_Output raw(TF_Graph *g, const char *op, const char *name, const TF_Output *in, int n)
{
    TF_OperationDescription *d = leat_begin(g, op, name, NULL);
    if (strcmp(op, "Merge") == 0 || strcmp(op, "RefMerge") == 0)
        TF_AddInputList(d, in, n);
    else
        for (int i = 0; i < n; i++)
            TF_AddInput(d, in[i]);
    return leat_output_of(leat_finish(d), 0);
}

/* Brought in where it is from outside; a variable's value. */
static TF_Output inside(TF_Graph *g, const char *op, const char *name, TF_Output in)
{
    TF_OperationDescription *d = leat_begin(g, op, name, NULL);
    leat_add_input(d, in);
    return leat_output_of(leat_finish(d), 0);
}

/* v as the flow that is being built has it, without a node of its own where it is inside; a
 * variable's value. */
static TF_Output value_here(TF_Graph *g, TF_Output v)
{
    struct leat_variable_parts p;
    if (v.oper && leat_find_variable(g, v, &p) && v.oper == p.ref.oper) {
        if (p.is_resource)
            return inside(g, "Identity", NULL, v);
        v = p.read;
    }
    return builder_bring(api_graph(g), v, NULL);
}

static bool is_ref(TF_Output o)
{
    return o.oper && o.index < api_node(o.oper)->num_outputs &&
           dtype_is_ref(output_type(api_output(o)));
}

/* data's Switch stands where data is. */
static TF_Output make_switch(TF_Graph *g, TF_Output data, TF_Output pred)
{
    leat_push_colocation(g, NULL);
    leat_push_colocation(g, data.oper);
    TF_Output out =
        raw(g, is_ref(data) ? "RefSwitch" : "Switch", "Switch", (TF_Output[]){data, pred}, 2);
    leat_pop(g);
    leat_pop(g);
    return out;
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

static bool begin_ok(TF_Graph *g, const char *what, bool arguments, int n, TF_Output *results,
                     const char *made_at)
{
    for (int i = 0; results && i < n; i++)
        results[i] = none;
    if (n >= 1 && arguments && results)
        return leat_graph_ok(g);
    (void)leat_fail(g, made_at, TF_INVALID_ARGUMENT, "%s: %d values, or a NULL", what, n);
    return false;
}

/* --- loops --- */

struct leat_loop {
    TF_Graph *g;
    struct flow flow;
    struct frame *frame;
    struct flow_record *r;
    int n;
    int step;                                     /* 0: the condition is due, 1: the body */
    TF_Output *enters, *merges, *switches, *vars; /* n each */
};

static void set_invariant(const struct leat_loop *l, int i, const struct leat_shape *shapes)
{
    if (!shapes || !leat_valid(l->enters[i]))
        return;
    struct output o = api_output(l->enters[i]);
    if (shapes[i].rank == LEAT_NOT_GIVEN) {
        struct shape own = output_shape(api_output(l->vars[i]));
        graph_replace_shape(o, &own);
        shape_clear(&own);
        return;
    }
    const struct leat_shape *wide = &shapes[i];
    bool ok = wide->rank >= LEAT_UNKNOWN_RANK && wide->rank <= SHAPE_MAX_RANK &&
              (wide->rank <= 0 || wide->dims);
    for (int k = 0; ok && k < wide->rank; k++)
        ok = wide->dims[k] >= DIM_UNKNOWN;
    if (!ok) {
        (void)leat_fail(l->g, NULL, TF_INVALID_ARGUMENT,
                        "leat_while_loop: the invariant of value %d is no shape", i);
        return;
    }
    struct shape s = wide->rank < 0 ? shape_unknown() : shape_make(wide->dims, wide->rank);
    graph_replace_shape(o, &s);
    shape_clear(&s);
}

static void enter_all(struct leat_loop *l, const TF_Output *vars,
                      const struct leat_while_loop_args *a)
{
    for (int i = 0; i < l->n; i++)
        l->vars[i] = value_here(l->g, vars[i]);
    for (int i = 0; i < l->n; i++) {
        TF_OperationDescription *d =
            leat_begin(l->g, is_ref(l->vars[i]) ? "RefEnter" : "Enter", NULL, NULL);
        leat_add_raw_input(d, l->vars[i]);
        if (d) {
            TF_SetAttrString(d, "frame_name", l->r->name, strlen(l->r->name));
            TF_SetAttrInt(d, "parallel_iterations", l->r->parallel);
        }
        l->enters[i] = leat_output_of(leat_finish(d), 0);
        set_invariant(l, i, a->shape_invariants);
    }
}

static void loop_free(struct leat_loop *l)
{
    mem_free(l->enters);
    mem_free(l);
}

/* The frames that were opened for it, in any case. */
static void loop_close(struct leat_loop *l)
{
    flow_close(l->g, l->frame);
    l->frame = NULL;
}

static struct leat_loop *loop_new(TF_Graph *g, int n, const struct leat_while_loop_args *a)
{
    struct leat_loop *l = mem_new(struct leat_loop);
    l->g = g;
    l->n = n;
    l->enters = mem_new_array(TF_Output, 4 * (int64_t)n);
    l->merges = l->enters + n;
    l->switches = l->merges + n;
    l->vars = l->switches + n;
    l->r = flow_record_new(g, true, mem_printf("%swhile_context", leat_current_scope(g)));
    l->r->parallel = a->parallel_iterations > 0 ? a->parallel_iterations : 10;
    l->r->back_prop = !a->no_back_prop;
    l->r->swap_memory = a->swap_memory;
    l->r->maximum = a->maximum_iterations;
    l->r->n = n;
    l->r->enters = mem_new_array(struct node *, n);
    l->r->exits = mem_new_array(struct node *, n);
    return l;
}

struct leat_loop *leat_loop_begin(TF_Graph *g, const TF_Output *vars, int n, TF_Output *merged,
                                  const struct leat_while_loop_args *args)
{
    struct leat_while_loop_args a = {0};
    if (args)
        a = *args;
    if (!g || !begin_ok(g, "leat_while_loop", vars, n, merged, a.made_at))
        return NULL;
    leat_push_composite(g, a.name, "while", a.made_at);
    struct leat_loop *l = loop_new(g, n, &a);
    enter_all(l, vars, &a);
    l->frame = flow_open(g, &l->flow, l->r);
    for (int i = 0; i < n && leat_graph_ok(g); i++) {
        l->r->enters[i] = api_node(l->enters[i].oper);
        flow_note(l->frame, api_node(l->enters[i].oper));
    }
    for (int i = 0; i < n && leat_graph_ok(g); i++)
        merged[i] = l->merges[i] = raw(g, is_ref(l->enters[i]) ? "RefMerge" : "Merge", "Merge",
                                       (TF_Output[]){l->enters[i], l->enters[i]}, 2);
    if (!leat_graph_ok(g)) {
        leat_loop_abandon(l);
        for (int i = 0; i < n; i++)
            merged[i] = none;
        return NULL;
    }
    l->flow.pivot = l->r->pred_pivot = api_node(l->merges[0].oper);
    return l;
}

int leat_loop_body_begin(struct leat_loop *l, TF_Output more, TF_Output *vars)
{
    if (!l || !vars)
        return 0;
    if (l->step != 0)
        (void)leat_fail(l->g, NULL, TF_FAILED_PRECONDITION,
                        "leat_loop_body_begin: the loop has its condition");
    l->step = 1;
    TF_Output cond = leat_graph_ok(l->g) ? inside(l->g, "LoopCond", NULL, more) : none;
    l->r->pivot = api_node(cond.oper);
    for (int i = 0; i < l->n; i++)
        l->switches[i] = leat_valid(cond) ? make_switch(l->g, l->merges[i], cond) : none;
    for (int i = 0; i < l->n; i++)
        vars[i] = l->vars[i] = leat_valid(l->switches[i])
                                   ? raw(l->g, is_ref(l->switches[i]) ? "RefIdentity" : "Identity",
                                         "Identity", &(TF_Output){l->switches[i].oper, 1}, 1)
                                   : none;
    l->flow.pivot = l->r->last_pivot = api_node(l->vars[0].oper);
    return leat_graph_ok(l->g);
}

static bool close_turns(struct leat_loop *l, const TF_Output *next)
{
    struct status st = {0};
    if (!leat_graph_ok(l->g) || !types_agree(l->g, "leat_while_loop", next, l->vars, l->n))
        return false;
    for (int i = 0; i < l->n; i++) {
        TF_Output back = inside(l->g, is_ref(l->merges[i]) ? "RefNextIteration" : "NextIteration",
                                "NextIteration", next[i]);
        if (leat_valid(back))
            (void)!graph_update_input(api_node(l->merges[i].oper), 1, api_output(back), &st);
    }
    builder_record(api_graph(l->g), &st, "leat_while_loop", NULL);
    return leat_graph_ok(l->g);
}

int leat_loop_end(struct leat_loop *l, const TF_Output *next, TF_Output *results)
{
    if (!l)
        return 0;
    TF_Graph *g = l->g;
    if (l->step != 1 || !next || !results)
        (void)leat_fail(g, NULL, TF_FAILED_PRECONDITION,
                        "leat_loop_end: the loop has no condition yet, or a NULL");
    bool ok = leat_graph_ok(g) && close_turns(l, next);
    loop_close(l);
    for (int i = 0; results && i < l->n; i++) {
        results[i] =
            ok ? raw(g, is_ref(l->switches[i]) ? "RefExit" : "Exit", "Exit", &l->switches[i], 1)
               : none;
        l->r->exits[i] = api_node(results[i].oper);
    }
    leat_pop(g);
    ok = ok && leat_graph_ok(g);
    l->r->done = ok;
    loop_free(l);
    return ok;
}

void leat_loop_abandon(struct leat_loop *l)
{
    if (!l)
        return;
    loop_close(l);
    leat_pop(l->g);
    loop_free(l);
}

int leat_while_loop_fn(TF_Graph *g, leat_loop_condition condition, leat_loop_body body,
                       const TF_Output *vars, int n, TF_Output *results,
                       const struct leat_while_loop_args *args)
{
    struct leat_while_loop_args a = {0};
    if (args)
        a = *args;
    if (!g || !begin_ok(g, "leat_while_loop", condition && body && vars, n, results, a.made_at))
        return 0;
    TF_Output *here = mem_new_array(TF_Output, 2 * (int64_t)n), *next = here + n;
    struct leat_loop *l = leat_loop_begin(g, vars, n, here, &a);
    bool ok = l != NULL;
    if (ok) {
        TF_Output more = condition(g, here, a.data);
        ok = leat_loop_body_begin(l, more, here);
        if (ok) {
            body(g, here, next, a.data);
            ok = leat_loop_end(l, next, results);
        } else {
            leat_loop_abandon(l);
        }
    }
    mem_free(here);
    return ok;
}

/* --- branches --- */

struct leat_branches {
    TF_Graph *g;
    struct flow flow;
    struct frame *frame;
    struct flow_record *records[2]; /* false, true */
    TF_Output *results[2];
    int n;
    int branch; /* that is being built */
};

static void open_branch(struct leat_branches *b, int branch)
{
    b->branch = branch;
    b->flow = (struct flow){.pivot = b->records[branch]->pivot};
    b->frame = flow_open(b->g, &b->flow, b->records[branch]);
    flow_note(b->frame, b->flow.pivot);
}

static void branches_free(struct leat_branches *b)
{
    mem_free(b->results[0]);
    mem_free(b->results[1]);
    mem_free(b);
}

struct leat_branches *leat_branches_begin(TF_Graph *g, TF_Output pred,
                                          const struct leat_cond_args *args)
{
    struct leat_cond_args a = {0};
    if (args)
        a = *args;
    if (!g || !leat_graph_ok(g))
        return NULL;
    leat_push_composite(g, a.name, "cond", a.made_at);
    struct leat_variable_parts v;
    if (leat_find_variable(g, pred, &v))
        pred = value_here(g, pred);
    TF_OperationDescription *d = leat_begin(g, "Switch", NULL, NULL);
    leat_add_input(d, pred);
    leat_add_input(d, pred);
    TF_Operation *sw = leat_finish(d);
    TF_Output pivots[2] = {none, none}, id = none;
    for (int k = 1; sw && k >= 0; k--)
        pivots[k] = raw(g, "Identity", k ? "switch_t" : "switch_f", &(TF_Output){sw, k}, 1);
    if (sw)
        id = inside(g, "Identity", "pred_id", pred);
    if (!leat_graph_ok(g)) {
        leat_pop(g);
        return NULL;
    }
    struct leat_branches *b = mem_new(struct leat_branches);
    b->g = g;
    for (int k = 1; k >= 0; k--) {
        char *text = mem_printf("%scond_text", leat_current_scope(g));
        char *name = k ? text : mem_printf("%s_1", text);
        b->records[k] = flow_record_new(g, false, name);
        b->records[k]->pred = id;
        b->records[k]->branch = k;
        b->records[k]->pivot = api_node(pivots[k].oper);
        if (!k)
            mem_free(text);
    }
    open_branch(b, 1);
    return b;
}

/* Keeps what the branch gives, and ends it. */
static bool take_results(struct leat_branches *b, const TF_Output *results, int n)
{
    TF_Graph *g = b->g;
    if (n < 1 || !results)
        (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT, "leat_cond: %d results, or a NULL", n);
    TF_Output *own = b->results[b->branch] = mem_new_array(TF_Output, n > 0 ? n : 1);
    b->flow.at_results = true;
    for (int i = 0; i < n && leat_graph_ok(g); i++) {
        if (!leat_valid(results[i]))
            (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                            "leat_cond: result %d of the %s branch is not a valid output", i,
                            b->branch ? "true" : "false");
        else
            own[i] = value_here(g, results[i]);
    }
    flow_close(g, b->frame);
    b->frame = NULL;
    return leat_graph_ok(g);
}

int leat_branches_other(struct leat_branches *b, const TF_Output *results, int n)
{
    if (!b)
        return 0;
    if (b->branch != 1) {
        (void)leat_fail(b->g, NULL, TF_FAILED_PRECONDITION,
                        "leat_branches_other: the true branch is built");
        return 0;
    }
    const bool ok = take_results(b, results, n);
    b->n = n;
    open_branch(b, 0);
    return ok;
}

int leat_branches_end(struct leat_branches *b, const TF_Output *results, int n, TF_Output *merged)
{
    if (!b)
        return 0;
    TF_Graph *g = b->g;
    if (b->branch != 0 || n != b->n || !merged)
        (void)leat_fail(g, NULL, TF_INVALID_ARGUMENT,
                        "leat_cond: the branches give %d and %d results", b->n, n);
    const TF_Output *const *r = (const TF_Output *const *)b->results;
    bool ok = take_results(b, results, n) && types_agree(g, "leat_cond", r[1], r[0], n);
    for (int i = 0; merged && i < n; i++)
        merged[i] = ok ? raw(g, is_ref(r[0][i]) && is_ref(r[1][i]) ? "RefMerge" : "Merge", "Merge",
                             (TF_Output[]){r[0][i], r[1][i]}, 2)
                       : none;
    leat_pop(g);
    ok = ok && leat_graph_ok(g);
    b->records[0]->done = b->records[1]->done = ok;
    branches_free(b);
    return ok;
}

void leat_branches_abandon(struct leat_branches *b)
{
    if (!b)
        return;
    flow_close(b->g, b->frame);
    leat_pop(b->g);
    branches_free(b);
}

int leat_cond_fn(TF_Graph *g, TF_Output pred, leat_branch yes, leat_branch no, TF_Output *results,
                 int n, const struct leat_cond_args *args)
{
    struct leat_cond_args a = {0};
    if (args)
        a = *args;
    if (!g || !begin_ok(g, "leat_cond", yes && no, n, results, a.made_at))
        return 0;
    struct leat_branches *b = leat_branches_begin(g, pred, &a);
    if (!b)
        return 0;
    TF_Output *out = mem_new_array(TF_Output, n);
    yes(g, out, a.data);
    bool ok = leat_branches_other(b, out, n);
    if (ok) {
        memset(out, 0, sizeof *out * (size_t)n);
        no(g, out, a.data);
        ok = leat_branches_end(b, out, n, results);
    } else {
        leat_branches_abandon(b);
    }
    mem_free(out);
    return ok;
}
