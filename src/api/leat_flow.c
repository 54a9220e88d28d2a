/* SPDX-License-Identifier: Apache-2.0 */
/* What is inside of a loop or branch, what comes in, and what nodes inside wait for.
 *
 * While a part is built, a frame of kind FLOW is open. What is made over it is inside; an input
 * from outside is brought in once, by a constant Enter of a loop or a Switch of a branch, by way of
 * the flows around; a node that nothing inside makes wait is made to wait for the pivot, so that it
 * runs in each turn, or only where its branch is taken. Lifted control dependencies lead out of all
 * flows. Names are TensorFlow's: what brings a value in stands under the node that wants it. */
#include "api/leat_flow.h"

#include <string.h>

static uint64_t key_of(struct output o)
{
    return ((uint64_t)o.node->id + 1) << 21 | (uint64_t)o.index;
}

/* The innermost flow; NULL: outside. */
static struct frame *flow_frame(struct frame *f)
{
    for (; f; f = f->up) {
        if (f->kind == FRAME_CONTROL && f->lift)
            return NULL;
        if (f->kind == FRAME_FLOW)
            return f;
    }
    return NULL;
}

static struct frame *loop_frame(struct frame *f)
{
    f = flow_frame(f);
    while (f && !f->flow->r->loop)
        f = flow_frame(f->up);
    return f;
}

static struct frame *current_flow(struct graph *g)
{
    struct thread_state *t = builder_thread(g, false);
    return t ? flow_frame(t->top) : NULL;
}

static bool is_inside(const struct frame *f, const struct node *n)
{
    return u64map_find(&f->made, (uint64_t)n->id + 1) != NULL;
}

static void record_node(struct flow_record *r, struct node *n)
{
    r->nodes = vec_reserve(r->nodes, &r->cap_nodes, r->num_nodes + 1, sizeof(struct node *));
    r->nodes[r->num_nodes++] = n;
}

void flow_note(struct frame *f, struct node *n)
{
    bool innermost = true;
    for (f = flow_frame(f); f; f = flow_frame(f->up)) {
        u64map_put(&f->made, (uint64_t)n->id + 1, f);
        record_node(f->flow->r, n);
        if (innermost) {
            struct builder *b = builder_get(n->graph);
            lock_take(&b->lock);
            u64map_put(&b->flow_of, (uint64_t)n->id + 1, f->flow->r);
            lock_drop(&b->lock);
        }
        innermost = false;
    }
}

/* --- what comes in --- */

static struct node *finish_in(struct frame *f, struct node_desc *d, struct status *st)
{
    struct graph *g = d->graph;
    builder_attrs(g, d);
    struct node *n = node_finish(d, st);
    if (n) {
        flow_note(f, n);
        builder_tell(g, n);
    }
    return n;
}

/* A description of a node of op, scope/name, under the device and colocation scopes in force. */
static struct node_desc *describe(struct graph *g, const char *op, const char *scope,
                                  const char *last)
{
    char *wanted = mem_printf("%s%s", scope, last), *name = graph_unique_name(g, wanted, true);
    char *exact = mem_printf("%s/", name);
    TF_OperationDescription *d = leat_begin((TF_Graph *)g, op, exact, NULL);
    mem_free(wanted);
    mem_free(name);
    mem_free(exact);
    return (struct node_desc *)d;
}

/* Waits for what scopes outside of f make nodes wait for, as far as the flows around f hold it. */
static void entry_controls(struct frame *f, struct node_desc *d)
{
    const struct frame *around = flow_frame(f->up), *loop = loop_frame(f->up);
    builder_controls(d->graph, d);
    int64_t kept = 0;
    for (int64_t i = 0; i < d->num_control; i++) {
        const struct node *n = d->control[i];
        if (!is_inside(f, n) && (!loop || is_inside(loop, n) || (around && is_inside(around, n))))
            d->control[kept++] = d->control[i];
    }
    d->num_control = kept;
}

static struct output make_loop_entry(struct graph *g, struct frame *f, struct output o,
                                     const char *scope, struct status *st)
{
    const struct flow_record *r = f->flow->r;
    const char *op = dtype_is_ref(output_type(o)) ? "RefEnter" : "Enter";
    struct node_desc *d = describe(g, op, scope, op);
    node_desc_input(d, o);
    node_desc_attr(d, "frame_name", attr_string(str_of(r->name)));
    node_desc_attr(d, "is_constant", attr_bool(true));
    node_desc_attr(d, "parallel_iterations", attr_int(r->parallel));
    entry_controls(f, d);
    return (struct output){finish_in(f, d, st), 0};
}

static struct output bring(struct graph *g, struct frame *f, struct output o, const char *scope,
                           struct status *st);

static struct output make_branch_entry(struct graph *g, struct frame *f, struct output o,
                                       const char *scope, struct status *st)
{
    const struct flow_record *r = f->flow->r;
    struct output pred = bring(g, flow_frame(f->up), api_output(r->pred), scope, st);
    leat_push_colocation((TF_Graph *)g, NULL);
    leat_push_colocation((TF_Graph *)g, api_oper(o.node));
    const bool ref = dtype_is_ref(output_type(o));
    struct node_desc *d = describe(g, ref ? "RefSwitch" : "Switch", scope, "Switch");
    leat_pop((TF_Graph *)g);
    leat_pop((TF_Graph *)g);
    node_desc_input(d, o);
    node_desc_input(d, pred);
    return (struct output){finish_in(f, d, st), r->branch};
}

/* Flows nest as deep as their callers. */
static struct output bring(struct graph *g, struct frame *f, struct output o, const char *scope,
                           struct status *st)
{
    if (!f || !o.node || o.node->graph != g || is_inside(f, o.node))
        return o;
    struct flow *w = f->flow;
    struct output *known = u64map_find(&w->brought, key_of(o));
    if (known)
        return *known;
    struct output in = bring(g, flow_frame(f->up), o, scope, st);
    if (!in.node || !status_ok(st))
        return in;
    const struct output by = in;
    in = w->r->loop ? make_loop_entry(g, f, in, scope, st) : make_branch_entry(g, f, in, scope, st);
    if (!in.node)
        return in;
    known = arena_new(&w->arena, struct output);
    *known = in;
    u64map_put(&w->brought, key_of(o), known);
    struct flow_record *r = w->r;
    r->brought =
        vec_reserve(r->brought, &r->cap_brought, r->num_brought + 1, sizeof(struct brought));
    r->brought[r->num_brought++] = (struct brought){o, in, by, w->at_results};
    return in;
}

/* Loops that the function builds itself come before it. */
struct grad_ctx *builder_gradient_loop(struct graph *g)
{
    struct thread_state *t = builder_thread(g, false);
    for (struct frame *f = t ? t->top : NULL; f && f->kind != FRAME_FLOW; f = f->up) {
        if (f->kind == FRAME_GRADIENT)
            return grad_in_loop(f->gradient) ? f->gradient : NULL;
    }
    return NULL;
}

TF_Output builder_bring(struct graph *g, TF_Output in, const char *scope)
{
    struct grad_ctx *loop = builder_gradient_loop(g);
    if (loop && in.oper && in.index >= 0 && in.index < api_node(in.oper)->num_outputs) {
        struct output here = grad_here(loop, api_output(in));
        return (TF_Output){api_oper(here.node), here.index};
    }
    struct frame *f = current_flow(g);
    if (!f || !in.oper || in.index < 0 || in.index >= api_node(in.oper)->num_outputs)
        return in;
    struct status st = {0};
    char *own = mem_strdup(scope ? scope : leat_current_scope((TF_Graph *)g));
    struct output o = bring(g, f, api_output(in), own, &st);
    mem_free(own);
    builder_record(g, &st, "bringing a value into a loop or branch", NULL);
    return (TF_Output){api_oper(o.node), o.index};
}

/* --- what a new node waits for --- */

static bool is_constant_entry(const struct node *n)
{
    return strstr(n->op->name, "Enter") && attrs_bool(&n->attrs, "is_constant");
}

/* Whether an input or a node waited for belongs to the turn, or to the branch taken. */
static bool held_by_others(const struct frame *f, const struct node_desc *d)
{
    const bool loop = f->flow->r->loop;
    for (int64_t i = 0; i < d->num_inputs; i++) {
        if (d->inputs[i].node && !(loop && is_constant_entry(d->inputs[i].node)))
            return true;
    }
    for (int64_t i = 0; i < d->num_control; i++) {
        if (loop || is_inside(f, d->control[i]))
            return true;
    }
    return false;
}

/* A node of the loop that is done once `from`, outside of it, is. */
static struct node *wait_inside(struct frame *loop, struct node *from, const char *scope)
{
    struct graph *g = from->graph;
    struct status st = {0};
    struct output in = {from, 0};
    leat_push_control_dependencies((TF_Graph *)g, NULL, 0);
    struct node_desc *d = describe(g, "Identity", scope, "Identity");
    char *under = mem_printf("%s/", d->name);
    node_desc_input(d, bring(g, loop, in, under, &st));
    mem_free(under);
    if (loop->flow->pivot && !held_by_others(loop, d))
        node_desc_control(d, loop->flow->pivot);
    struct node *n = finish_in(loop, d, &st);
    leat_pop((TF_Graph *)g);
    builder_record(g, &st, "waiting in a loop for what is outside", NULL);
    return n;
}

void builder_flow_controls(struct graph *g, struct node_desc *d)
{
    struct thread_state *t = builder_thread(g, false);
    struct frame *f = t ? flow_frame(t->top) : NULL, *loop = f ? loop_frame(t->top) : NULL;
    if (!f)
        return;
    struct node **outside = mem_new_array(struct node *, d->num_control + 1);
    int64_t kept = 0, num_outside = 0;
    for (int64_t i = 0; i < d->num_control; i++) {
        if (!loop || is_inside(loop, d->control[i]))
            d->control[kept++] = d->control[i];
        else if (d->control[i]->num_outputs > 0)
            outside[num_outside++] = d->control[i];
    }
    d->num_control = kept;
    if (f->flow->pivot && !held_by_others(f, d))
        node_desc_control(d, f->flow->pivot);
    char *scope =
        strcmp(d->op_name, "Const") == 0 ? mem_strdup(t->top->scope) : mem_printf("%s/", d->name);
    for (int64_t i = 0; i < num_outside; i++) {
        struct node *n = wait_inside(loop, outside[i], scope);
        if (n)
            node_desc_control(d, n);
    }
    mem_free(scope);
    mem_free(outside);
}

/* --- opening and closing --- */

struct flow_record *flow_record_new(TF_Graph *graph, bool loop, char *name)
{
    struct graph *g = api_graph(graph);
    struct frame *f = current_flow(g);
    struct flow_record *r = mem_new(struct flow_record);
    r->loop = loop;
    r->name = name;
    r->back_prop = true;
    r->outer = f ? f->flow->r : NULL;
    struct builder *b = builder_get(g);
    lock_take(&b->lock);
    b->flows = vec_reserve(b->flows, &b->cap_flows, b->num_flows + 1, sizeof *b->flows);
    b->flows[b->num_flows++] = r;
    lock_drop(&b->lock);
    return r;
}

void flow_record_free(struct flow_record *r)
{
    mem_free(r->name);
    mem_free(r->nodes);
    mem_free(r->brought);
    mem_free(r->enters);
    mem_free(r->exits);
    mem_free(r);
}

void builder_flows_release(struct builder *b)
{
    for (int64_t i = 0; i < b->num_flows; i++)
        flow_record_free(b->flows[i]);
    mem_free(b->flows);
    u64map_release(&b->flow_of);
}

struct frame *flow_open(TF_Graph *g, struct flow *w, struct flow_record *r)
{
    struct frame *f = builder_push(g, FRAME_FLOW);
    w->r = r;
    f->flow = w;
    return f;
}

void flow_close(TF_Graph *g, struct frame *f)
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

/* --- asking --- */

static void describe_flow(const struct flow_record *r, int depth, struct leat_flow *out)
{
    struct node *pivot = r->loop && r->last_pivot ? r->last_pivot : r->pivot;
    *out = (struct leat_flow){
        .is_loop = r->loop,
        .name = r->name,
        .pivot = {api_oper(r->loop && !r->last_pivot ? r->pred_pivot : pivot), 0},
        .pred = r->pred,
        .branch = r->branch,
        .depth = depth,
        .id = r,
        .parallel_iterations = (int)r->parallel,
        .back_prop = r->back_prop,
        .swap_memory = r->swap_memory};
}

static int depth_of(const struct flow_record *r)
{
    int depth = 0;
    for (; r; r = r->outer)
        depth++;
    return depth;
}

static int tell(const struct flow_record *r, int level, struct leat_flow *out)
{
    const int depth = depth_of(r);
    if (level < 0 || level >= depth)
        return 0;
    for (int i = 0; i < level; i++)
        r = r->outer;
    if (out)
        describe_flow(r, depth - level, out);
    return 1;
}

bool flow_loop_is_open(struct graph *g, struct str frame)
{
    for (struct frame *f = current_flow(g); f; f = flow_frame(f->up)) {
        if (f->flow->r->loop && str_is(frame, f->flow->r->name))
            return true;
    }
    return false;
}

bool flow_loop_is_silent(struct graph *g, const char *frame)
{
    struct builder *b = builder_get(g);
    bool silent = false;
    lock_take(&b->lock);
    for (int64_t i = 0; i < b->num_flows && !silent; i++) {
        const struct flow_record *r = b->flows[i];
        silent = r->loop && !r->back_prop && strcmp(r->name, frame) == 0;
    }
    lock_drop(&b->lock);
    return silent;
}

int leat_current_flow(TF_Graph *g, int level, struct leat_flow *out)
{
    struct frame *f = g ? current_flow(api_graph(g)) : NULL;
    return f && tell(f->flow->r, level, out);
}

int leat_flow_of(TF_Graph *g, TF_Operation *op, int level, struct leat_flow *out)
{
    if (!g || !op || api_node(op)->graph != api_graph(g))
        return 0;
    struct builder *b = builder_get(api_graph(g));
    lock_take(&b->lock);
    const struct flow_record *r = u64map_find(&b->flow_of, (uint64_t)api_node(op)->id + 1);
    lock_drop(&b->lock);
    return r && tell(r, level, out);
}
