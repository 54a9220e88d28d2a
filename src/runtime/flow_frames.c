/* SPDX-License-Identifier: Apache-2.0 */
/* Frames and iterations of the dataflow executor: where values go when a step is over.
 *
 * The rules are those of the tagged-token dataflow of the lectures' system: Enter brings a value
 * into iteration 0 of a child frame (a constant one into every iteration), NextIteration into the
 * next iteration, Exit back to the parent; a dead value does not pass NextIteration, and a dead
 * Exit counts only when its frame ends. At most parallel_iterations iterations are alive; values
 * for one more wait. A frame ends when all its Enters came and no iteration is alive. */
#include <string.h>

#include "base/mem.h"
#include "runtime/dataflow.h"

void flow_list_push(struct flow_list *l, struct flow_iter *iter, int32_t step, bool dead)
{
    if (l->n == l->cap)
        l->v = vec_reserve(l->v, &l->cap, l->n + 1, sizeof *l->v);
    l->v[l->n++] = (struct flow_ready){iter, step, dead};
}

static void values_push(struct flow_values *l, int32_t step, struct tensor *value, bool dead)
{
    l->v = vec_reserve(l->v, &l->cap, l->n + 1, sizeof *l->v);
    l->v[l->n++] = (struct flow_value){step, tensor_take(value), dead};
}

static void values_release(struct flow_values *l)
{
    for (int64_t i = 0; i < l->n; i++)
        tensor_clear(&l->v[i].value);
    mem_free(l->v);
    *l = (struct flow_values){0};
}

/* --- iterations --- */

static struct flow_iter *iter_new(struct flow *f, struct flow_frame *frame, int64_t number)
{
    const struct plan_frame *d = frame->def;
    struct flow_iter *it = f->free_iters[frame->index];
    size_t inputs = sizeof(struct tensor) * (size_t)d->num_inputs;
    size_t counts = sizeof(int32_t) * (size_t)d->num_steps;
    if (it)
        f->free_iters[frame->index] = it->next_free;
    else
        it = mem_alloc(sizeof *it + inputs + 2 * counts);
    it->frame = frame;
    it->number = number;
    it->outstanding = 0;
    it->next_free = NULL;
    it->inputs = (struct tensor *)(it + 1);
    it->pending = (int32_t *)((char *)it->inputs + inputs);
    it->deads = it->pending + d->num_steps;
    memset(it->inputs, 0, inputs);
    if (counts) {
        memcpy(it->pending, d->pending, counts);
        memset(it->deads, 0, counts);
    }
    frame->iters[number % (d->parallel_iterations + 1)] = it;
    frame->alive_iters++;
    return it;
}

static void iter_free(struct flow *f, struct flow_iter *it)
{
    struct flow_frame *frame = it->frame;
    for (int i = 0; i < frame->def->num_inputs; i++)
        tensor_clear(&it->inputs[i]);
    frame->iters[it->number % (frame->def->parallel_iterations + 1)] = NULL;
    frame->alive_iters--;
    it->next_free = f->free_iters[frame->index];
    f->free_iters[frame->index] = it;
}

static struct flow_iter *iter_find(struct flow_frame *frame, int64_t number)
{
    return frame->iters[number % (frame->def->parallel_iterations + 1)];
}

void flow_free_blocks(struct flow *f)
{
    for (int i = 0; i < f->part->num_frames; i++) {
        while (f->free_iters[i]) {
            struct flow_iter *it = f->free_iters[i];
            f->free_iters[i] = it->next_free;
            mem_free(it);
        }
    }
    mem_free(f->free_iters);
}

/* --- frames --- */

struct flow_frame *flow_frame_new(struct flow *f, int32_t index, struct flow_frame *parent,
                                  struct flow_iter *iter)
{
    struct flow_frame *frame = mem_new(struct flow_frame);
    frame->def = &f->part->frames[index];
    frame->index = index;
    frame->parent = parent;
    frame->parent_iter = iter;
    frame->pending_enters = frame->def->num_enters;
    frame->iters = mem_new_array(struct flow_iter *, frame->def->parallel_iterations + 1);
    if (parent) {
        frame->id = mem_printf("%s/%lld;%s", parent->id, (long long)iter->number, frame->def->name);
        frame->next_sibling = parent->children;
        parent->children = frame;
        iter->outstanding++;
    } else {
        frame->id = mem_strdup("");
    }
    iter_new(f, frame, 0);
    return frame;
}

void flow_frame_free(struct flow *f, struct flow_frame *frame)
{
    while (frame->children) {
        struct flow_frame *child = frame->children;
        frame->children = child->next_sibling;
        flow_frame_free(f, child);
    }
    for (int i = 0; i <= frame->def->parallel_iterations; i++) {
        if (frame->iters[i])
            iter_free(f, frame->iters[i]);
    }
    values_release(&frame->constants);
    values_release(&frame->deferred);
    values_release(&frame->dead_exits);
    mem_free(frame->iters);
    mem_free(frame->id);
    mem_free(frame);
}

static struct flow_frame *child_frame(struct flow *f, struct flow_iter *iter, int32_t index)
{
    for (struct flow_frame *c = iter->frame->children; c; c = c->next_sibling) {
        if (c->index == index && c->parent_iter == iter)
            return c;
    }
    return flow_frame_new(f, index, iter->frame, iter);
}

/* --- arrivals --- */

static void make_ready(struct flow *f, struct flow_iter *it, int32_t step, bool dead,
                       struct flow_list *ready)
{
    it->outstanding++;
    __atomic_fetch_add(&f->outstanding, 1, __ATOMIC_RELAXED);
    flow_list_push(ready, it, step, dead);
}

/* A Merge's pending count is 1 until its first live value, plus 2 for each control edge to come. */
static void merge_arrive(struct flow *f, struct flow_iter *it, const struct plan_edge *e,
                         struct tensor *value, bool dead, bool from_enter, struct flow_list *ready)
{
    const struct plan_step *s = &f->part->steps[e->step];
    int32_t *pending = &it->pending[s->local];
    if (e->input < 0) {
        *pending -= 2;
        if (*pending == 0)
            make_ready(f, it, e->step, false, ready);
        else if (*pending == 1 && it->deads[s->local] >= s->num_in)
            make_ready(f, it, e->step, true, ready);
        return;
    }
    if (dead) {
        it->deads[s->local] += from_enter ? s->num_in : 1;
        if (*pending == 1 && it->deads[s->local] >= s->num_in)
            make_ready(f, it, e->step, true, ready);
        return;
    }
    if (!(*pending & 1)) /* another value came first: this one is not wanted */
        return;
    *pending &= ~1;
    it->inputs[s->frame_in + e->input] = tensor_copy(value);
    if (*pending == 0)
        make_ready(f, it, e->step, false, ready);
}

static inline void step_arrive(struct flow *f, struct flow_iter *it, const struct plan_edge *e,
                               struct tensor *value, bool dead, bool last, struct flow_list *ready)
{
    const struct plan_step *s = &f->part->steps[e->step];
    int32_t *pending = &it->pending[s->local];
    if (dead)
        it->deads[s->local]++;
    else if (e->input >= 0)
        it->inputs[s->frame_in + e->input] = last ? tensor_take(value) : tensor_copy(value);
    if (--*pending == 0)
        make_ready(f, it, e->step, it->deads[s->local] > 0, ready);
}

/* Everything along the edges of `step`, into iteration `to`. Values stay the caller's, but for one
 * that `may_move` lets go with its last edge. all_dead: no output has a value. */
static void follow_edges(struct flow *f, struct flow_iter *to, int32_t step, struct tensor *outputs,
                         bool all_dead, bool may_move, struct flow_list *ready)
{
    const struct plan_part *part = f->part;
    const struct plan_step *s = &part->steps[step];
    const int32_t *begin = &part->out_edge_begin[s->first_out_edge];
    for (int k = 0; k <= s->num_out; k++) {
        bool control = k == s->num_out;
        bool dead = all_dead || (!control && outputs[k].dtype == DT_INVALID);
        for (int32_t i = begin[k]; i < begin[k + 1]; i++) {
            const struct plan_edge *e = &part->edges[i];
            struct tensor *value = control || dead ? NULL : &outputs[k];
            if (part->steps[e->step].kind == STEP_MERGE)
                merge_arrive(f, to, e, value, dead, s->kind == STEP_ENTER, ready);
            else
                step_arrive(f, to, e, value, dead, may_move && i + 1 == begin[k + 1], ready);
        }
    }
}

/* --- loops --- */

/* Starts iteration newest + 1: constants come in, and then what was waiting. */
static struct flow_iter *next_iteration(struct flow *f, struct flow_frame *frame,
                                        struct flow_list *ready)
{
    struct flow_iter *it = iter_new(f, frame, ++frame->newest);
    values_release(&frame->dead_exits);
    for (int64_t i = 0; i < frame->constants.n; i++) {
        struct flow_value *c = &frame->constants.v[i];
        follow_edges(f, it, c->step, &c->value, c->dead, false, ready);
    }
    struct flow_values deferred = frame->deferred;
    frame->deferred = (struct flow_values){0};
    for (int64_t i = 0; i < deferred.n; i++)
        follow_edges(f, it, deferred.v[i].step, &deferred.v[i].value, false, true, ready);
    values_release(&deferred);
    return it;
}

static void enter(struct flow *f, struct flow_frame *child, int32_t step, struct tensor *outputs,
                  bool dead, struct flow_list *ready)
{
    if (!f->part->steps[step].constant_enter) {
        follow_edges(f, iter_find(child, 0), step, outputs, dead, true, ready);
    } else {
        for (int64_t n = child->oldest; n <= child->newest; n++)
            follow_edges(f, iter_find(child, n), step, outputs, dead, false, ready);
        values_push(&child->constants, step, &outputs[0], dead);
    }
    child->pending_enters--;
}

static void advance(struct flow *f, struct flow_iter *it, int32_t step, struct tensor *outputs,
                    struct flow_list *ready)
{
    struct flow_frame *frame = it->frame;
    if (frame->newest > it->number) {
        follow_edges(f, iter_find(frame, it->number + 1), step, outputs, false, true, ready);
        return;
    }
    if (frame->alive_iters >= frame->def->parallel_iterations) {
        values_push(&frame->deferred, step, &outputs[0], false);
        return;
    }
    follow_edges(f, next_iteration(f, frame, ready), step, outputs, false, true, ready);
}

/* Ends iterations that are over, oldest first, and the frame after its last one; going up as
 * frames end. */
static void clean_up(struct flow *f, struct flow_frame *frame, struct flow_list *ready)
{
    while (frame && frame->parent) {
        while (frame->oldest <= frame->newest) {
            struct flow_iter *it = iter_find(frame, frame->oldest);
            if (it->outstanding > 0 || (it->number == 0 && frame->pending_enters > 0))
                return;
            iter_free(f, it);
            frame->oldest++;
            if (frame->deferred.n > 0)
                next_iteration(f, frame, ready);
        }
        if (frame->pending_enters > 0 || frame->alive_iters > 0)
            return;
        struct flow_iter *up = frame->parent_iter;
        for (int64_t i = 0; i < frame->dead_exits.n; i++)
            follow_edges(f, up, frame->dead_exits.v[i].step, NULL, true, false, ready);
        struct flow_frame **link = &frame->parent->children;
        while (*link != frame)
            link = &(*link)->next_sibling;
        *link = frame->next_sibling;
        flow_frame_free(f, frame);
        up->outstanding--;
        frame = up->frame;
    }
}

void flow_propagate(struct flow *f, struct flow_iter *iter, int32_t step, bool dead,
                    struct tensor *outputs, struct flow_list *ready)
{
    const struct plan_step *s = &f->part->steps[step];
    struct flow_frame *frame = iter->frame, *child = NULL;
    switch (s->kind) {
    case STEP_ENTER:
        child = child_frame(f, iter, s->child_frame);
        enter(f, child, step, outputs, dead, ready);
        break;
    case STEP_EXIT:
        if (!dead)
            follow_edges(f, frame->parent_iter, step, outputs, false, true, ready);
        else if (iter->number == frame->newest)
            values_push(&frame->dead_exits, step, &(struct tensor){0}, true);
        break;
    case STEP_NEXT_ITERATION:
        if (!dead)
            advance(f, iter, step, outputs, ready);
        break;
    default:
        follow_edges(f, iter, step, outputs, dead, true, ready);
    }
    for (int k = 0; k < s->num_out; k++)
        tensor_clear(&outputs[k]);
    if (child)
        clean_up(f, child, ready);
    if (--iter->outstanding == 0)
        clean_up(f, frame, ready);
}
