/* SPDX-License-Identifier: Apache-2.0 */
/* What the walk knows of loops and branches: the frame of each node, the branch that it is in, the
 * parts of each loop, and an order of its nodes.
 *
 * A loop counts as one thing in the order of the frame around it: its Exits come after everything
 * that its Enters read. All walks are iterative and linear in nodes and edges. */
#include <string.h>

#include "base/mem.h"
#include "grad/grad_impl.h"

bool node_op_is(const struct node *n, const char *op)
{
    const char *name = n->op->name;
    return strcmp(name, op) == 0 || (strncmp(name, "Ref", 3) == 0 && strcmp(name + 3, op) == 0);
}

void node_list_add(struct node_list *l, struct node *n)
{
    l->v = vec_reserve(l->v, &l->cap, l->n + 1, sizeof *l->v);
    l->v[l->n++] = n;
}

void walk_frames_release(struct walk *w)
{
    for (int64_t i = 0; i < w->num_loops; i++) {
        struct fwd_loop *l = &w->loops[i];
        mem_free(l->enters.v);
        mem_free(l->exits.v);
        mem_free(l->merges.v);
        mem_free(l->switches.v);
        mem_free(l->nexts.v);
        mem_free(l->order.v);
    }
    mem_free(w->loops);
    mem_free(w->guards);
    mem_free(w->facts);
    mem_free(w->made);
    status_clear(&w->bad_loops);
    arena_release(&w->arena);
}

/* --- guards --- */

static int32_t guard_child(struct walk *w, int32_t parent, struct output pred, int branch)
{
    if (parent == GUARD_MIXED)
        return GUARD_MIXED;
    while (strcmp(pred.node->op->name, "Identity") == 0 && pred.node->inputs[0].node)
        pred = pred.node->inputs[0]; /* tf.cond's Switch nodes read one or the other */
    for (int64_t i = w->num_guards - 1; i > 0; i--) { /* branches of one cond come together */
        const struct guard *g = &w->guards[i];
        if (g->parent == parent && g->pred.node == pred.node && g->pred.index == pred.index &&
            g->branch == branch)
            return (int32_t)i;
        if (w->num_guards - i > 64)
            break;
    }
    w->guards = vec_reserve(w->guards, &w->cap_guards, w->num_guards + 1, sizeof *w->guards);
    w->guards[w->num_guards] =
        (struct guard){parent, w->guards[parent].depth + 1, pred, branch, NULL};
    return (int32_t)w->num_guards++;
}

static bool same_guard(const struct walk *w, int32_t a, int32_t b)
{
    for (; a != b; a = w->guards[a].parent, b = w->guards[b].parent) {
        const struct guard *x = &w->guards[a], *y = &w->guards[b];
        if (x->depth != y->depth || x->pred.node != y->pred.node ||
            x->pred.index != y->pred.index || x->branch != y->branch)
            return false;
    }
    return true;
}

static int32_t guard_up(const struct walk *w, int32_t a, int32_t depth)
{
    while (w->guards[a].depth > depth)
        a = w->guards[a].parent;
    return a;
}

/* The deeper one, which must be inside the other. */
static int32_t guard_both(const struct walk *w, int32_t a, int32_t b)
{
    if (a == GUARD_MIXED || b == GUARD_MIXED)
        return GUARD_MIXED;
    if (w->guards[a].depth < w->guards[b].depth) {
        int32_t t = a;
        a = b;
        b = t;
    }
    return same_guard(w, guard_up(w, a, w->guards[b].depth), b) ? a : GUARD_MIXED;
}

/* What both have in common. */
static int32_t guard_either(const struct walk *w, int32_t a, int32_t b)
{
    if (a == GUARD_MIXED || b == GUARD_MIXED)
        return GUARD_MIXED;
    int32_t depth = (int32_t)min_i64(w->guards[a].depth, w->guards[b].depth);
    a = guard_up(w, a, depth);
    b = guard_up(w, b, depth);
    while (!same_guard(w, a, b)) {
        a = w->guards[a].parent;
        b = w->guards[b].parent;
    }
    return a;
}

int32_t walk_output_guard(struct walk *w, struct output o)
{
    const struct node_facts *f = &w->facts[o.node->id];
    if (!node_op_is(o.node, "Switch") || f->back || f->open || o.node->num_inputs != 2)
        return f->guard;
    return guard_child(w, f->guard, o.node->inputs[1], o.index);
}

struct place walk_place(struct walk *w, struct output o)
{
    const int64_t made = o.node->id - w->num_nodes;
    if (made >= 0)
        return made < w->num_made ? w->made[made] : (struct place){0};
    if (!w->facts)
        return (struct place){0};
    return (struct place){NULL, w->facts[o.node->id].frame, walk_output_guard(w, o)};
}

/* --- facts of one node --- */

struct finder {
    struct walk *w;
    bool *between; /* per node: ys depend on it by values */
    struct strmap names;
    struct node_list later; /* NextIterations, where the search goes on */
};

static bool is_loop_merge(const struct node *n)
{
    for (int i = 0; node_op_is(n, "Merge") && i < n->num_inputs; i++) {
        if (n->inputs[i].node && node_op_is(n->inputs[i].node, "NextIteration"))
            return true;
    }
    return false;
}

static bool is_loop_switch(const struct walk *w, const struct node *n)
{
    return node_op_is(n, "Switch") && n->num_inputs == 2 && n->inputs[0].node &&
           n->inputs[1].node && node_op_is(n->inputs[1].node, "LoopCond") &&
           w->facts[n->inputs[0].node->id].back && node_op_is(n->inputs[0].node, "Merge");
}

static bool is_silent(struct walk *w, struct str name)
{
    return w->r->loop_is_silent && w->r->loop_is_silent(w->r->hook_arg, name.n ? name.p : "");
}

static int32_t find_loop(struct finder *f, const struct node *n, int32_t parent)
{
    struct walk *w = f->w;
    struct str name = attrs_string(&n->attrs, "frame_name");
    char *full = mem_printf("%d/%.*s", parent, (int)name.n, name.n ? name.p : "");
    intptr_t at = (intptr_t)strmap_find(&f->names, full);
    if (!at) {
        w->loops = vec_reserve(w->loops, &w->cap_loops, w->num_loops + 1, sizeof *w->loops);
        w->loops[w->num_loops] =
            (struct fwd_loop){.parent = parent,
                              .depth = w->loops[parent].depth + 1,
                              .name = arena_strndup(&w->arena, name.n ? name.p : "", name.n),
                              .silent = is_silent(w, name),
                              .parallel = attrs_int(&n->attrs, "parallel_iterations")};
        at = (intptr_t)++w->num_loops;
        strmap_put(&f->names, full, (void *)at);
    }
    mem_free(full);
    return (int32_t)at - 1;
}

static void join(struct walk *w, struct node_facts *to, int32_t frame, int32_t guard)
{
    if (frame == to->frame) {
        to->guard = guard_both(w, to->guard, guard);
    } else if (w->loops[frame].depth > w->loops[to->frame].depth) {
        to->frame = frame;
        to->guard = guard;
    }
}

static void gather_facts(struct walk *w, const struct node *n, struct node_facts *to)
{
    const bool merge = node_op_is(n, "Merge");
    bool first = true;
    for (int i = 0; i < n->num_inputs; i++) {
        const struct output o = n->inputs[i];
        if (!o.node || (merge && node_op_is(o.node, "NextIteration")))
            continue;
        const int32_t frame = w->facts[o.node->id].frame, guard = walk_output_guard(w, o);
        if (merge && !first && frame == to->frame)
            to->guard = guard_either(w, to->guard, guard);
        else if (merge && first)
            *to = (struct node_facts){.frame = frame, .guard = guard};
        else
            join(w, to, frame, guard);
        first = false;
    }
    for (int64_t i = 0; i < n->num_control_inputs; i++) {
        const struct node_facts *c = &w->facts[n->control_inputs[i]->id];
        if (!merge || first)
            join(w, to, c->frame, c->guard);
    }
}

/* Of the loop that is being built, where it reads its first values: the parts of its variables. */
static bool is_open_part(const struct walk *w, const struct node *n)
{
    const struct node *from = n->num_inputs > 0 ? n->inputs[0].node : NULL;
    if (!from || !w->facts[from->id].open)
        return false;
    if (node_op_is(n, "Merge"))
        return node_op_is(from, "Enter");
    return node_op_is(n, "Switch") && node_op_is(from, "Merge") && n->num_inputs == 2 &&
           n->inputs[1].node && node_op_is(n->inputs[1].node, "LoopCond");
}

static void enter_facts(struct finder *f, struct node *n, struct node_facts *at)
{
    struct walk *w = f->w;
    at->open = w->r->loop_is_open &&
               w->r->loop_is_open(w->r->hook_arg, attrs_string(&n->attrs, "frame_name"));
    if (at->open)
        return;
    const int32_t parent = at->frame, guard = at->guard;
    const int32_t loop = find_loop(f, n, parent);
    struct fwd_loop *l = &w->loops[loop];
    l->guard = guard_both(w, l->guard, guard);
    *at = (struct node_facts){.frame = loop, .loop = loop};
    if (f->between[n->id])
        node_list_add(&l->enters, n);
}

static void exit_facts(struct finder *f, struct node *n, struct node_facts *at)
{
    struct walk *w = f->w;
    if (at->frame == 0) {
        status_invalid(&w->bad_loops, "'%s' leaves a loop that it is not in", n->name);
        return;
    }
    struct fwd_loop *l = &w->loops[at->frame];
    *at = (struct node_facts){.frame = l->parent, .loop = at->frame, .guard = l->guard};
    if (f->between[n->id])
        node_list_add(&l->exits, n);
}

/* What n itself reads has its facts. */
static void find_facts(struct finder *f, struct node *n)
{
    struct walk *w = f->w;
    struct node_facts at = {0};
    gather_facts(w, n, &at);
    struct fwd_loop *l = &w->loops[at.frame];
    const bool between = f->between[n->id];
    if (node_op_is(n, "Enter")) {
        enter_facts(f, n, &at);
    } else if (is_open_part(w, n)) {
        at.open = true;
    } else if (node_op_is(n, "Exit")) {
        exit_facts(f, n, &at);
    } else if (is_loop_merge(n)) {
        at.back = true;
        at.guard = GUARD_NONE;
        if (between)
            node_list_add(&l->merges, n);
    } else if (node_op_is(n, "NextIteration")) {
        if (between)
            node_list_add(&l->nexts, n);
    } else if (is_loop_switch(w, n)) {
        at.back = true;
        at.guard = GUARD_NONE;
        if (l->cond.node && l->cond.node != n->inputs[1].node)
            status_invalid(&w->bad_loops, "loop '%s' has two conditions", l->name);
        l->cond = n->inputs[1];
        if (between)
            node_list_add(&l->switches, n);
    }
    if (w->loops[at.frame].depth > MAX_LOOP_DEPTH)
        status_unimplemented(&w->bad_loops, "loops are nested deeper than %d", MAX_LOOP_DEPTH);
    w->facts[n->id] = at;
}

/* --- the search over all edges --- */

struct visit {
    struct node *node;
    int64_t next;
};

static struct node *edge_source(struct finder *f, struct node *n, int64_t i)
{
    if (i >= n->num_inputs)
        return n->control_inputs[i - n->num_inputs];
    struct node *from = n->inputs[i].node;
    if (from && node_op_is(n, "Merge") && node_op_is(from, "NextIteration")) {
        node_list_add(&f->later, from);
        return NULL;
    }
    return from;
}

static void find_from(struct finder *f, struct node *root, uint8_t *state, struct visit **stack,
                      int64_t *cap)
{
    int64_t depth = 0;
    if (state[root->id])
        return;
    *stack = vec_reserve(*stack, cap, 1, sizeof **stack);
    (*stack)[depth++] = (struct visit){root, 0};
    state[root->id] = 1;
    while (depth > 0) {
        struct visit *top = &(*stack)[depth - 1];
        if (top->next == top->node->num_inputs + top->node->num_control_inputs) {
            find_facts(f, top->node);
            depth--;
            continue;
        }
        struct node *from = edge_source(f, top->node, top->next++);
        if (!from || from->id >= f->w->num_nodes || state[from->id])
            continue;
        state[from->id] = 1;
        *stack = vec_reserve(*stack, cap, depth + 1, sizeof **stack);
        (*stack)[depth++] = (struct visit){from, 0};
    }
}

void walk_find_frames(struct walk *w)
{
    struct finder f = {.w = w, .between = mem_new_array(bool, w->num_nodes)};
    uint8_t *state = mem_new_array(uint8_t, w->num_nodes);
    struct visit *stack = NULL;
    int64_t cap = 0;
    w->facts = mem_new_array(struct node_facts, w->num_nodes);
    w->loops = vec_reserve(w->loops, &w->cap_loops, 1, sizeof *w->loops);
    w->loops[w->num_loops++] = (struct fwd_loop){.name = ""};
    w->guards = vec_reserve(w->guards, &w->cap_guards, 1, sizeof *w->guards);
    w->guards[w->num_guards++] = (struct guard){0};
    for (int64_t i = 0; i < w->between.n; i++)
        f.between[w->between.v[i]->id] = true;
    for (int i = 0; i < w->r->num_ys; i++)
        find_from(&f, w->r->ys[i].node, state, &stack, &cap);
    for (int64_t i = 0; i < f.later.n; i++) /* which grows */
        find_from(&f, f.later.v[i], state, &stack, &cap);
    for (int64_t i = 0; i < w->between.n; i++)
        find_from(&f, w->between.v[i], state, &stack, &cap);
    mem_free(stack);
    mem_free(state);
    mem_free(f.between);
    mem_free(f.later.v);
    strmap_release(&f.names);
}

/* --- order --- */

/* The next thing that node must come after; NULL: none at this position. -1 ends. */
static bool next_before(struct walk *w, struct visit *v, struct node **from)
{
    struct node *n = v->node;
    const struct node_facts *at = w->facts ? &w->facts[n->id] : NULL;
    *from = NULL;
    if (at && node_op_is(n, "Exit") && at->loop > 0) {
        struct fwd_loop *l = &w->loops[at->loop];
        if (v->next == 0 && l->scan == 1)
            status_invalid(&w->bad_loops, "what enters loop '%s' depends on what leaves it",
                           l->name);
        if (v->next == 0 && l->scan > 0)
            return false;
        l->scan = 1;
        if (v->next == l->enters.n) {
            l->scan = 2;
            l->first_exit = n;
            return false;
        }
        *from = l->enters.v[v->next++]->inputs[0].node;
        return true;
    }
    if (at && !at->open && (node_op_is(n, "Enter") || (at->back && node_op_is(n, "Merge"))))
        return false;
    if (v->next >= n->num_inputs)
        return false;
    *from = n->inputs[v->next++].node;
    return true;
}

static void order_from(struct walk *w, struct node *root, struct node_list *order,
                       struct visit **stack, int64_t *cap)
{
    int64_t depth = 0;
    if (root->id >= w->num_nodes || w->state[root->id])
        return;
    *stack = vec_reserve(*stack, cap, 1, sizeof **stack);
    (*stack)[depth++] = (struct visit){root, 0};
    w->state[root->id] = 1;
    while (depth > 0) {
        struct visit *top = &(*stack)[depth - 1];
        struct node *in;
        if (!next_before(w, top, &in)) {
            w->state[top->node->id] = 2;
            node_list_add(order, top->node);
            depth--;
            continue;
        }
        if (!in || in->id >= w->num_nodes || w->state[in->id])
            continue;
        w->state[in->id] = 1;
        *stack = vec_reserve(*stack, cap, depth + 1, sizeof **stack);
        (*stack)[depth++] = (struct visit){in, 0};
    }
}

void walk_order(struct walk *w)
{
    struct visit *stack = NULL;
    int64_t cap = 0;
    memset(w->state, 0, (size_t)w->num_nodes);
    for (int i = 0; i < w->r->num_ys; i++)
        order_from(w, w->r->ys[i].node, &w->order, &stack, &cap);
    for (int64_t i = 1; i < w->num_loops; i++) {
        for (int64_t k = 0; k < w->loops[i].nexts.n; k++)
            order_from(w, w->loops[i].nexts.v[k], &w->loops[i].order, &stack, &cap);
    }
    mem_free(stack);
}
