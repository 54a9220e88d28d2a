/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a plan's parts: steps in topological order, slots, lifetimes, and the edges and frames
 * that the dataflow executor follows.
 *
 * A part is built in passes over its steps, each filling one kind of table; all tables live in the
 * plan's arena. Linear in nodes and edges. */
#include "runtime/compile.h"

#include <string.h>

#include "base/mem.h"
#include "runtime/kernels.h"

struct build {
    struct plan *plan;
    struct plan_part *part;
    struct rnode **nodes; /* of this part, in topological order */
    int *step_of;         /* per rgraph node: its step in this part, or -1 */
    int num_edges;
};

static int kind_of(const struct rnode *n)
{
    static const struct {
        const char *op;
        int kind;
    } kinds[] = {{"Const", STEP_CONST},
                 {"_Arg", STEP_ARG},
                 {"_Retval", STEP_RETVAL},
                 {"Switch", STEP_SWITCH},
                 {"RefSwitch", STEP_SWITCH},
                 {"_SwitchN", STEP_SWITCH},
                 {"Merge", STEP_MERGE},
                 {"RefMerge", STEP_MERGE},
                 {"Enter", STEP_ENTER},
                 {"RefEnter", STEP_ENTER},
                 {"Exit", STEP_EXIT},
                 {"RefExit", STEP_EXIT},
                 {"NextIteration", STEP_NEXT_ITERATION},
                 {"RefNextIteration", STEP_NEXT_ITERATION},
                 {"LoopCond", STEP_LOOP_COND}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strcmp(n->op->name, kinds[i].op) == 0)
            return kinds[i].kind;
    }
    return STEP_PLAIN;
}

static bool has_refs(const struct rnode *n)
{
    for (int i = 0; i < n->num_inputs; i++) {
        if (dtype_is_ref(n->inputs[i].node->output_types[n->inputs[i].index]))
            return true;
    }
    return false;
}

static bool fill_step(struct build *b, struct plan_step *s, struct rnode *n, struct status *st)
{
    s->name = n->name;
    s->origin = n->origin;
    s->kind = (uint8_t)kind_of(n);
    s->num_in = n->num_inputs;
    s->num_out = n->num_outputs;
    s->num_control_in = (int32_t)n->num_control;
    s->frame = n->frame;
    s->derefs = has_refs(n);
    s->ref_uninit_ok = n->op->def && (n->op->def->flags & OP_UNINIT_OK);
    if (s->kind == STEP_ARG || s->kind == STEP_RETVAL)
        s->arg = (int32_t)attrs_int(n->attrs, "index");
    if (s->kind == STEP_ENTER)
        s->constant_enter = attrs_bool(n->attrs, "is_constant");
    if (s->kind == STEP_CONST || s->kind == STEP_ARG || s->kind == STEP_RETVAL)
        return true;
    s->kernel = plan_kernel(b->plan, n, b->part->device, st);
    if (!s->kernel)
        return false;
    s->async = s->kernel->def->flags & KERNEL_ASYNC;
    s->blocking = s->kernel->def->flags & KERNEL_BLOCKING;
    s->expensive = s->kernel->def->flags & KERNEL_EXPENSIVE;
    return true;
}

/* Steps, and the numbers of their inputs and slots. */
static bool build_steps(struct build *b, struct status *st)
{
    struct plan_part *p = b->part;
    p->steps = arena_array(&b->plan->arena, struct plan_step, p->num_steps + 1);
    p->tape = true;
    for (int i = 0; i < p->num_steps; i++) {
        struct plan_step *s = &p->steps[i];
        if (!fill_step(b, s, b->nodes[i], st))
            return false;
        s->first_in = p->num_inputs;
        s->first_out = p->num_slots;
        p->num_inputs += s->num_in;
        p->num_slots += s->num_out;
        if (s->kind >= STEP_SWITCH || s->async || s->blocking)
            p->tape = false;
    }
    return true;
}

static void build_constants(struct build *b)
{
    struct plan_part *p = b->part;
    p->constants = arena_array(&b->plan->arena, struct tensor, p->num_slots + 1);
    for (int i = 0; i < p->num_steps; i++) {
        const struct attr_value *v = attrs_find(b->nodes[i]->attrs, "value");
        if (p->steps[i].kind == STEP_CONST && v && v->kind == ATTR_TENSOR)
            p->constants[p->steps[i].first_out] =
                v->tensor; /* borrowed: the node's attrs keep it */
    }
}

static int slot_of(const struct build *b, struct redge e)
{
    return b->part->steps[b->step_of[e.node->id]].first_out + e.index;
}

static void build_inputs(struct build *b)
{
    struct plan_part *p = b->part;
    p->in_slots = arena_array(&b->plan->arena, int32_t, p->num_inputs + 1);
    for (int i = 0; i < p->num_steps; i++) {
        for (int k = 0; k < p->steps[i].num_in; k++)
            p->in_slots[p->steps[i].first_in + k] = slot_of(b, b->nodes[i]->inputs[k]);
    }
}

/* Tape only: which step uses each slot last, and what may be overwritten or dies there. */
static void build_lifetimes(struct build *b)
{
    struct plan_part *p = b->part;
    int *last = mem_new_array(int, p->num_slots + 1);
    int *count = mem_new_array(int, p->num_steps + 1);
    for (int i = 0; i < p->num_steps; i++) {
        for (int k = 0; k < p->steps[i].num_out; k++)
            last[p->steps[i].first_out + k] = i;
        for (int k = 0; k < p->steps[i].num_in; k++)
            last[p->in_slots[p->steps[i].first_in + k]] = i;
    }
    for (int slot = 0; slot < p->num_slots; slot++)
        count[last[slot]] += p->constants[slot].dtype == DT_INVALID;
    p->frees = arena_array(&b->plan->arena, int32_t, p->num_slots + 1);
    for (int i = 0, at = 0; i < p->num_steps; i++) {
        p->steps[i].first_free = at;
        at += count[i];
    }
    for (int slot = 0; slot < p->num_slots; slot++) {
        struct plan_step *s = &p->steps[last[slot]];
        if (p->constants[slot].dtype == DT_INVALID)
            p->frees[s->first_free + s->num_free++] = slot;
    }
    for (int i = 0; i < p->num_steps; i++) {
        struct plan_step *s = &p->steps[i];
        for (int k = 0; k < s->num_in && k < 64; k++) {
            int32_t slot = p->in_slots[s->first_in + k];
            bool twice = false;
            for (int j = 0; j < s->num_in && j < 64; j++)
                twice = twice || (j != k && p->in_slots[s->first_in + j] == slot);
            if (last[slot] == i && !twice && p->constants[slot].dtype == DT_INVALID)
                s->last_use |= (uint64_t)1 << k;
        }
    }
    mem_free(last);
    mem_free(count);
}

/* --- for the dataflow executor --- */

/* Where the edges of each output begin: counts, then sums. Control edges come after the data. */
static void count_edges(struct build *b)
{
    struct plan_part *p = b->part;
    int at = 0;
    for (int i = 0; i < p->num_steps; i++) {
        p->steps[i].first_out_edge = at;
        at += p->steps[i].num_out + 2;
    }
    p->out_edge_begin = arena_array(&b->plan->arena, int32_t, at + 1);
    for (int i = 0; i < p->num_steps; i++) {
        struct rnode *n = b->nodes[i];
        for (int64_t k = 0; k < n->num_inputs + n->num_control; k++) {
            bool data = k < n->num_inputs;
            struct rnode *from = data ? n->inputs[k].node : n->control[k - n->num_inputs];
            struct plan_step *s = &p->steps[b->step_of[from->id]];
            int out = data ? n->inputs[k].index : s->num_out;
            p->out_edge_begin[s->first_out_edge + out]++;
            b->num_edges++;
        }
    }
    int32_t sum = 0;
    for (int i = 0; i < at; i++) {
        int32_t n = p->out_edge_begin[i];
        p->out_edge_begin[i] = sum;
        sum += n;
    }
}

static void fill_edges(struct build *b)
{
    struct plan_part *p = b->part;
    int last = p->num_steps ? p->steps[p->num_steps - 1].first_out_edge +
                                  p->steps[p->num_steps - 1].num_out + 2
                            : 0;
    int32_t *at = mem_new_array(int32_t, last + 1);
    memcpy(at, p->out_edge_begin, sizeof *at * (size_t)last);
    p->edges = arena_array(&b->plan->arena, struct plan_edge, b->num_edges + 1);
    for (int i = 0; i < p->num_steps; i++) {
        struct rnode *n = b->nodes[i];
        for (int64_t k = 0; k < n->num_inputs + n->num_control; k++) {
            bool data = k < n->num_inputs;
            struct rnode *from = data ? n->inputs[k].node : n->control[k - n->num_inputs];
            struct plan_step *s = &p->steps[b->step_of[from->id]];
            int out = data ? n->inputs[k].index : s->num_out;
            p->edges[at[s->first_out_edge + out]++] = (struct plan_edge){i, data ? (int32_t)k : -1};
        }
    }
    mem_free(at);
}

static int32_t initial_pending(const struct plan_step *s)
{
    return s->kind == STEP_MERGE ? 1 + 2 * s->num_control_in : s->num_in + s->num_control_in;
}

/* The frame that an Enter opens is that of what consumes it; one without consumers opens what its
 * name says. */
static int32_t opened_by(struct build *b, int step)
{
    const struct rgraph *g = b->plan->rgraph;
    const struct plan_step *s = &b->part->steps[step];
    struct str name = attrs_string(b->nodes[step]->attrs, "frame_name");
    const char *parent = g->frames[s->frame].name;
    for (int f = 1; f < g->num_frames; f++) {
        const char *full = g->frames[f].name;
        size_t n = strlen(parent);
        if (g->frames[f].parent == s->frame && strncmp(full, parent, n) == 0 &&
            strlen(full) == n + 1 + name.n && memcmp(full + n + 1, name.p, name.n) == 0)
            return f;
    }
    return 0;
}

static void build_frames(struct build *b)
{
    struct plan_part *p = b->part;
    const struct rgraph *g = b->plan->rgraph;
    p->num_frames = g->num_frames;
    p->frames = arena_array(&b->plan->arena, struct plan_frame, p->num_frames);
    for (int f = 0; f < p->num_frames; f++) {
        p->frames[f].name = g->frames[f].name;
        p->frames[f].parent = g->frames[f].parent;
        p->frames[f].parallel_iterations = g->frames[f].parallel_iterations;
    }
    for (int i = 0; i < p->num_steps; i++) {
        struct plan_step *s = &p->steps[i];
        struct plan_frame *f = &p->frames[s->frame];
        s->local = f->num_steps++;
        s->frame_in = f->num_inputs;
        f->num_inputs += s->num_in;
        if (s->kind == STEP_ENTER) {
            s->child_frame = opened_by(b, i);
            p->frames[s->child_frame].num_enters++;
        }
    }
    for (int f = 0; f < p->num_frames; f++)
        p->frames[f].pending = arena_array(&b->plan->arena, int32_t, p->frames[f].num_steps + 1);
    p->roots = arena_array(&b->plan->arena, int32_t, p->num_steps + 1);
    for (int i = 0; i < p->num_steps; i++) {
        struct plan_step *s = &p->steps[i];
        p->frames[s->frame].pending[s->local] = initial_pending(s);
        if (s->num_in == 0 && s->num_control_in == 0)
            p->roots[p->num_roots++] = i;
    }
}

static bool build_part(struct build *b, struct rnode *const *order, const int *part_of, int index,
                       struct status *st)
{
    struct rgraph *g = b->plan->rgraph;
    b->nodes = mem_new_array(struct rnode *, g->num_nodes + 1);
    b->step_of = mem_new_array(int, g->num_nodes + 1);
    for (int64_t i = 0; i < g->num_nodes; i++) {
        if (part_of && part_of[order[i]->id] != index)
            continue;
        b->step_of[order[i]->id] = b->part->num_steps;
        b->nodes[b->part->num_steps++] = order[i];
    }
    bool ok = build_steps(b, st);
    if (ok) {
        build_constants(b);
        build_inputs(b);
        if (b->part->tape) {
            build_lifetimes(b);
        } else {
            count_edges(b);
            fill_edges(b);
            build_frames(b);
        }
    }
    mem_free(b->nodes);
    mem_free(b->step_of);
    return ok;
}

/* A fetched reference is read when everything else of the step is over, so that it shows the step's
 * own updates: such results go to the end. Nothing waits for them. */
static void read_references_last(struct rnode **order, int64_t n)
{
    struct rnode **late = mem_new_array(struct rnode *, n + 1);
    int64_t kept = 0, num_late = 0;
    for (int64_t i = 0; i < n; i++) {
        if (kind_of(order[i]) == STEP_RETVAL && has_refs(order[i]))
            late[num_late++] = order[i];
        else
            order[kept++] = order[i];
    }
    for (int64_t i = 0; i < num_late; i++)
        order[kept++] = late[i];
    mem_free(late);
}

bool plan_compile(struct plan *p, const int *part_of, const struct device *const *devices,
                  int num_parts, struct status *st)
{
    struct rnode **order;
    if (!rgraph_sort(p->rgraph, &order, st))
        return false;
    read_references_last(order, p->rgraph->num_nodes);
    p->parts = arena_array(&p->arena, struct plan_part, num_parts);
    p->num_parts = num_parts;
    for (int i = 0; i < num_parts; i++) {
        p->parts[i].device = devices[i];
        struct build b = {.plan = p, .part = &p->parts[i]};
        if (!build_part(&b, order, part_of, i, st))
            return false;
    }
    return true;
}
