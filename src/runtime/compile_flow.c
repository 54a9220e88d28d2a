/* SPDX-License-Identifier: Apache-2.0 */
/* What the dataflow executor follows: edges, frames, and the slots of their iterations.
 *
 * Outputs are numbered in the frame that they go to: an Enter's in the frame it opens, an Exit's
 * in its parent. A Const has no slot, as its consumers read the value where the plan keeps it; one
 * that waits for nothing is not waited for either, but by a Merge. Linear in nodes and edges. */
#include <string.h>

#include "base/mem.h"
#include "runtime/compile.h"

/* --- frames --- */

/* The frame that an Enter in this frame opens is the one its name says. */
static int32_t opened_by(struct part_build *b, int step)
{
    const struct rgraph *g = b->plan->rgraph;
    const struct plan_step *s = &b->part->steps[step];
    struct str name = attrs_string(b->nodes[step]->attrs, "frame_name");
    const char *parent = g->frames[s->frame].name;
    size_t n = strlen(parent);
    for (int f = 1; f < g->num_frames; f++) {
        const char *full = g->frames[f].name;
        if (g->frames[f].parent == s->frame && strncmp(full, parent, n) == 0 &&
            strlen(full) == n + 1 + name.n && memcmp(full + n + 1, name.p, name.n) == 0)
            return f;
    }
    return 0;
}

static void make_frames(struct part_build *b)
{
    struct plan_part *p = b->part;
    const struct rgraph *g = b->plan->rgraph;
    p->num_frames = g->num_frames;
    p->frames = arena_array(&b->plan->arena, struct plan_frame, p->num_frames);
    for (int f = 0; f < p->num_frames; f++) {
        struct plan_frame *d = &p->frames[f];
        d->name = g->frames[f].name;
        d->parent = g->frames[f].parent;
        d->parallel_iterations = g->frames[f].parallel_iterations;
        if (f > 0)
            d->child_number = p->frames[d->parent].num_children++;
    }
}

/* The frame that the outputs of s go to. */
static int32_t target_of(const struct plan_part *p, const struct plan_step *s)
{
    if (s->kind == STEP_ENTER)
        return s->child_frame;
    return s->kind == STEP_EXIT ? p->frames[s->frame].parent : s->frame;
}

static bool number_step(struct part_build *b, int i, struct status *st)
{
    struct plan_part *p = b->part;
    struct plan_step *s = &p->steps[i];
    struct plan_frame *f = &p->frames[s->frame];
    s->local = f->num_steps++;
    s->frame_in = f->num_inputs;
    f->num_inputs += s->num_in;
    if (s->kind == STEP_ENTER) {
        s->child_frame = opened_by(b, i);
        if (s->child_frame == 0)
            return status_internal(st, "Enter '%s': its frame is not known", s->name);
        p->frames[s->child_frame].num_enters++;
    }
    struct plan_frame *to = &p->frames[target_of(p, s)];
    if (s->constant_enter) {
        s->constant = to->num_constants++;
    } else if (s->kind != STEP_CONST) {
        s->out = to->num_slots;
        to->num_slots += s->num_out;
    }
    return true;
}

static bool number_frames(struct part_build *b, struct status *st)
{
    struct plan_part *p = b->part;
    struct arena *a = &b->plan->arena;
    for (int i = 0; i < p->num_steps; i++) {
        if (!number_step(b, i, st))
            return false;
    }
    for (int f = 0; f < p->num_frames; f++) {
        struct plan_frame *d = &p->frames[f];
        d->counts = arena_array(a, struct plan_count, d->num_steps + 1);
        d->uses = arena_array(a, int32_t, d->num_slots + 1);
        d->in_from = arena_array(a, int32_t, d->num_inputs + 1);
    }
    return true;
}

/* --- edges --- */

struct edge_walk { /* one edge after another */
    struct part_build *b;
    int to;
    int64_t k;        /* input, or num_inputs + control edge */
    int from, output; /* the latter: num_outputs of a control edge */
    int32_t input;    /* -1: control */
};

static bool next_edge(struct edge_walk *w)
{
    const struct plan_part *p = w->b->part;
    for (; w->to < p->num_steps; w->to++, w->k = 0) {
        const struct rnode *n = w->b->nodes[w->to];
        if (w->k >= n->num_inputs + n->num_control)
            continue;
        bool data = w->k < n->num_inputs;
        const struct rnode *from = data ? n->inputs[w->k].node : n->control[w->k - n->num_inputs];
        w->from = w->b->step_of[from->id];
        w->output = data ? n->inputs[w->k].index : p->steps[w->from].num_out;
        w->input = data ? (int32_t)w->k : -1;
        w->k++;
        return true;
    }
    return false;
}

/* A constant that is there from the start: nobody waits for it. A Merge does, as it takes what
 * comes first. */
static bool is_static(const struct plan_part *p, const struct edge_walk *w)
{
    const struct plan_step *from = &p->steps[w->from];
    return from->kind == STEP_CONST && from->num_in == 0 && from->num_control_in == 0 &&
           p->steps[w->to].kind != STEP_MERGE;
}

static bool frames_fit(const struct edge_walk *w, struct status *st)
{
    const struct plan_part *p = w->b->part;
    const struct plan_step *from = &p->steps[w->from], *to = &p->steps[w->to];
    int32_t source = target_of(p, from);
    if (source == to->frame)
        return true;
    return status_invalid(st,
                          "%s has inputs from different frames. It runs in frame '%s', its input "
                          "%s comes from frame '%s'.",
                          to->name, p->frames[to->frame].name, from->name, p->frames[source].name);
}

/* Where the edges of each output begin: counts, then sums. Control edges come after the data. */
static bool count_edges(struct part_build *b, int *num_edges, struct status *st)
{
    struct plan_part *p = b->part;
    int at = 0;
    for (int i = 0; i < p->num_steps; i++) {
        p->steps[i].first_out_edge = at;
        at += p->steps[i].num_out + 2;
    }
    p->out_edge_begin = arena_array(&b->plan->arena, int32_t, at + 1);
    for (struct edge_walk w = {.b = b}; next_edge(&w);) {
        if (is_static(p, &w))
            continue;
        if (!frames_fit(&w, st))
            return false;
        p->out_edge_begin[p->steps[w.from].first_out_edge + w.output]++;
    }
    int32_t sum = 0;
    for (int i = 0; i < at; i++) {
        int32_t n = p->out_edge_begin[i];
        p->out_edge_begin[i] = sum;
        sum += n;
    }
    *num_edges = sum;
    return true;
}

static void fill_edges(struct part_build *b, int num_edges)
{
    struct plan_part *p = b->part;
    p->edges = arena_array(&b->plan->arena, struct plan_edge, num_edges + 1);
    int total = 0;
    for (int i = 0; i < p->num_steps; i++)
        total += p->steps[i].num_out + 2;
    int32_t *at = mem_new_array(int32_t, total + 1);
    memcpy(at, p->out_edge_begin, sizeof *at * (size_t)total);
    for (struct edge_walk w = {.b = b}; next_edge(&w);) {
        if (is_static(p, &w))
            continue;
        const struct plan_step *to = &p->steps[w.to];
        p->edges[at[p->steps[w.from].first_out_edge + w.output]++] = (struct plan_edge){
            .step = w.to,
            .local = to->local,
            .input = w.input,
            .merge = to->kind == STEP_MERGE,
            .heavy = !to->async && (to->expensive || to->blocking),
        };
    }
    mem_free(at);
    for (int i = 0; i < p->num_steps; i++) {
        struct plan_step *s = &p->steps[i];
        const int32_t *begin = &p->out_edge_begin[s->first_out_edge];
        s->first_edge = begin[0];
        s->num_edges = begin[s->num_out + 1] - begin[0];
    }
}

/* --- what each step waits for, and where its inputs are --- */

static int32_t place_of(const struct plan_part *p, const struct edge_walk *w)
{
    const struct plan_step *from = &p->steps[w->from];
    if (from->kind == STEP_CONST)
        return INPUT_CONSTANT - (from->first_out + w->output);
    return from->constant_enter ? INPUT_INVARIANT : from->out + w->output;
}

static void fill_counts(struct part_build *b)
{
    struct plan_part *p = b->part;
    for (int i = 0; i < p->num_steps; i++) {
        const struct plan_step *s = &p->steps[i];
        if (s->kind == STEP_MERGE)
            p->frames[s->frame].counts[s->local].pending = 1;
        if (s->kind == STEP_TRIGGER) /* as many as can come make it no more than zero */
            p->frames[s->frame].counts[s->local].deads = -s->num_control_in;
    }
    for (struct edge_walk w = {.b = b}; next_edge(&w);) {
        const struct plan_step *s = &p->steps[w.to];
        struct plan_frame *f = &p->frames[s->frame];
        if (s->kind == STEP_MERGE)
            f->counts[s->local].pending += w.input < 0 ? 2 : 0;
        else
            f->counts[s->local].pending += !is_static(p, &w);
        if (w.input < 0)
            continue;
        int32_t from = place_of(p, &w);
        f->in_from[s->frame_in + w.input] = from;
        if (from >= 0)
            f->uses[from]++;
        f->merges_invariant |= s->kind == STEP_MERGE && from == INPUT_INVARIANT;
    }
}

static void find_unused_outputs(struct plan_part *p)
{
    for (int i = 0; i < p->num_steps; i++) {
        struct plan_step *s = &p->steps[i];
        if (s->kind == STEP_CONST || s->constant_enter)
            continue;
        const int32_t *uses = &p->frames[target_of(p, s)].uses[s->out];
        for (int k = 0; k < s->num_out; k++)
            s->unused_out = s->unused_out || uses[k] == 0;
    }
}

/* A static constant that nobody waits for does not run. */
static bool find_roots(struct part_build *b, struct status *st)
{
    struct plan_part *p = b->part;
    p->roots = arena_array(&b->plan->arena, int32_t, p->num_steps + 1);
    for (int i = 0; i < p->num_steps; i++) {
        const struct plan_step *s = &p->steps[i];
        if (p->frames[s->frame].counts[s->local].pending > 0 ||
            (s->kind == STEP_CONST && s->num_edges == 0))
            continue;
        if (s->frame != 0)
            return status_internal(st, "Node '%s' is in frame '%s' and waits for nothing there",
                                   s->name, p->frames[s->frame].name);
        p->roots[p->num_roots++] = i;
    }
    return true;
}

bool compile_flow(struct part_build *b, struct status *st)
{
    int num_edges;
    make_frames(b);
    if (!number_frames(b, st) || !count_edges(b, &num_edges, st))
        return false;
    fill_edges(b, num_edges);
    fill_counts(b);
    find_unused_outputs(b->part);
    return find_roots(b, st);
}
