/* SPDX-License-Identifier: Apache-2.0 */
/* Which loop frame each node of a rewrite graph runs in.
 *
 * In topological order (back edges apart) a node is in the deepest frame that its inputs' outputs
 * are in: an Enter's output is in the frame it opens, an Exit's in the parent of its own. */
#include <string.h>

#include "base/mem.h"
#include "graph/pass.h"

static bool is_enter(const struct rnode *n)
{
    return strcmp(n->op->name, "Enter") == 0 || strcmp(n->op->name, "RefEnter") == 0;
}

static bool is_exit(const struct rnode *n)
{
    return strcmp(n->op->name, "Exit") == 0 || strcmp(n->op->name, "RefExit") == 0;
}

struct frame_walk {
    struct rgraph *g;
    struct rframe *frames; /* grown on the heap, copied to the arena at the end */
    int64_t num, cap;
    struct strmap by_name; /* full name -> index + 1 */
    int *out_frame;        /* per node: the frame its outputs are in */
    int *depth;            /* per frame; grows with frames */
    int64_t depth_cap;
};

static int add_frame(struct frame_walk *w, const char *name, int parent, int parallel)
{
    w->frames = vec_reserve(w->frames, &w->cap, w->num + 1, sizeof *w->frames);
    w->depth = vec_reserve(w->depth, &w->depth_cap, w->num + 1, sizeof *w->depth);
    w->depth[w->num] = w->num ? w->depth[parent] + 1 : 0;
    w->frames[w->num] = (struct rframe){name, parent, 0, parallel};
    strmap_put(&w->by_name, name, (void *)(intptr_t)(w->num + 1));
    return (int)w->num++;
}

/* The frame an Enter in frame `parent` opens. */
static bool child_of(struct frame_walk *w, const struct rnode *n, int parent, int *out,
                     struct status *st)
{
    struct str name = attrs_string(n->attrs, "frame_name");
    int64_t parallel = attrs_int(n->attrs, "parallel_iterations");
    if (name.n == 0)
        return status_invalid(st, "Enter '%s' has an empty frame_name", n->name);
    if (parallel < 1 || parallel > 1 << 20)
        return status_invalid(st, "Enter '%s': parallel_iterations %lld is out of range", n->name,
                              (long long)parallel);
    const char *full =
        arena_printf(&w->g->arena, "%s/%.*s", w->frames[parent].name, (int)name.n, name.p);
    intptr_t found = (intptr_t)strmap_find(&w->by_name, full);
    *out = found ? (int)found - 1 : add_frame(w, full, parent, (int)parallel);
    w->frames[*out].num_enters++;
    return true;
}

static bool visit(struct frame_walk *w, struct rnode *n, struct status *st)
{
    int frame = 0;
    for (int64_t k = 0; k < n->num_inputs + n->num_control; k++) {
        const struct rnode *in =
            k < n->num_inputs ? n->inputs[k].node : n->control[k - n->num_inputs];
        int f = w->out_frame[in->id];
        if (f >= 0 && w->depth[f] > w->depth[frame])
            frame = f;
    }
    n->frame = frame;
    w->out_frame[n->id] = frame;
    if (is_exit(n)) {
        if (frame == 0)
            return status_invalid(
                st, "Exit '%s' is not inside a loop: its input comes from no Enter", n->name);
        w->out_frame[n->id] = w->frames[frame].parent;
    }
    return !is_enter(n) || child_of(w, n, frame, &w->out_frame[n->id], st);
}

bool rgraph_find_frames(struct rgraph *g, struct status *st)
{
    struct rnode **order;
    if (!rgraph_sort(g, &order, st))
        return false;
    struct frame_walk w = {.g = g, .out_frame = mem_new_array(int, g->num_nodes + 1)};
    for (int64_t i = 0; i < g->num_nodes; i++)
        w.out_frame[i] = -1;
    add_frame(&w, "", 0, 1);
    bool ok = true;
    for (int64_t i = 0, done = 0; ok && done < g->num_nodes && order[i]; i++, done++)
        ok = visit(&w, order[i], st);
    g->frames = arena_memdup(&g->arena, w.frames, sizeof *w.frames * (size_t)w.num);
    g->num_frames = (int)w.num;
    mem_free(w.frames);
    mem_free(w.depth);
    mem_free(w.out_frame);
    strmap_release(&w.by_name);
    return ok;
}
