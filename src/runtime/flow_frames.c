/* SPDX-License-Identifier: Apache-2.0 */
/* Frames and iterations of the dataflow executor: where values go when a step is over.
 *
 * The rules are those of the tagged-token dataflow of the lectures' system: Enter brings a value
 * into iteration 0 of a child frame (a constant one into every iteration), NextIteration into the
 * next iteration, Exit back to the parent; a dead value does not pass NextIteration, and a dead
 * Exit counts only when its frame ends. At most parallel_iterations iterations are alive; values
 * for one more wait. A frame ends when all its Enters came and no iteration is alive.
 *
 * Iterations and frames are kept for the next ones: a loop in a running session allocates nothing.
 */
#include <string.h>

#include "base/mem.h"
#include "op/rendezvous.h"
#include "runtime/dataflow.h"

enum { HEAVY_ELEMS = 32768, MAX_FREE_FRAMES = 64 };

static void values_push(struct flow_values *l, int32_t step, struct tensor value)
{
    l->v = vec_reserve(l->v, &l->cap, l->n + 1, sizeof *l->v);
    l->v[l->n++] = (struct flow_value){step, value};
}

static void values_clear(struct flow_values *l)
{
    for (int64_t i = 0; i < l->n; i++)
        tensor_clear(&l->v[i].value);
    l->n = 0;
}

/* --- iterations --- */

static struct flow_iter *iter_alloc(const struct flow *f, const struct plan_frame *d)
{
    size_t slots = sizeof(struct tensor) * (size_t)d->num_slots;
    size_t in = sizeof(struct tensor *) * (size_t)d->num_inputs;
    size_t children = sizeof(struct flow_frame *) * (size_t)d->num_children;
    size_t counts = sizeof(struct plan_count) * (size_t)d->num_steps;
    size_t uses = sizeof(int32_t) * (size_t)d->num_slots;
    struct flow_iter *it = mem_zalloc(sizeof *it + slots + in + children + counts + uses);
    it->in_from = d->in_from;
    it->slots = (struct tensor *)(it + 1);
    it->in = (struct tensor **)(it->slots + d->num_slots);
    it->children = (struct flow_frame **)(it->in + d->num_inputs);
    it->counts = (struct plan_count *)(it->children + d->num_children);
    it->uses = (int32_t *)(it->counts + d->num_steps);
    for (int i = 0; i < d->num_inputs; i++) {
        int32_t from = d->in_from[i];
        if (from >= 0)
            it->in[i] = &it->slots[from];
        else if (from <= INPUT_CONSTANT)
            it->in[i] = &f->part->constants[INPUT_CONSTANT - from];
    }
    return it;
}

static void point_at_nothing(struct flow_iter *it, const struct plan_frame *d)
{
    static struct tensor nothing;
    for (int i = 0; i < d->num_inputs; i++) {
        if (d->in_from[i] == INPUT_INVARIANT)
            it->in[i] = &nothing;
    }
}

static struct flow_iter *iter_new(struct flow *f, struct flow_frame *frame, int64_t number)
{
    const struct plan_frame *d = frame->def;
    struct flow_pool *pool = &f->pools[frame->index];
    struct flow_iter *it = pool->iters;
    if (it) {
        pool->iters = it->next_free;
        pool->num_iters--;
    } else {
        it = iter_alloc(f, d);
    }
    it->frame = frame;
    it->number = number;
    it->outstanding = 0;
    if (d->num_steps)
        memcpy(it->counts, d->counts, sizeof *it->counts * (size_t)d->num_steps);
    if (d->num_slots)
        memcpy(it->uses, d->uses, sizeof *it->uses * (size_t)d->num_slots);
    if (UNLIKELY(d->merges_invariant)) /* it may run before they come */
        point_at_nothing(it, d);
    frame->iters[number % (d->parallel_iterations + 1)] = it;
    frame->alive_iters++;
    return it;
}

static void iter_free(struct flow *f, struct flow_iter *it)
{
    struct flow_frame *frame = it->frame;
    const struct plan_frame *d = frame->def;
    struct flow_pool *pool = &f->pools[frame->index];
    for (int i = 0; i < d->num_slots; i++) {
        if (UNLIKELY(it->slots[i].dtype != DT_INVALID))
            tensor_clear(&it->slots[i]);
    }
    frame->iters[it->number % (d->parallel_iterations + 1)] = NULL;
    frame->alive_iters--;
    if (pool->num_iters > d->parallel_iterations) {
        mem_free(it);
        return;
    }
    it->next_free = pool->iters;
    pool->iters = it;
    pool->num_iters++;
}

static struct flow_iter *iter_find(struct flow_frame *frame, int64_t number)
{
    return frame->iters[number % (frame->def->parallel_iterations + 1)];
}

/* --- frames --- */

static void put_text(struct flow_frame *frame, const char *text, size_t n)
{
    frame->id = vec_reserve(frame->id, &frame->id_cap, frame->id_len + (int64_t)n + 1, 1);
    memcpy(frame->id + frame->id_len, text, n);
    frame->id_len += (int64_t)n;
    frame->id[frame->id_len] = 0;
}

/* "parent's id ; iteration ; name", as TensorFlow's tasks have it, with whom keys are shared. */
static void make_id(struct flow_frame *frame)
{
    const struct flow_frame *parent = frame->parent_iter ? frame->parent_iter->frame : NULL;
    frame->id_len = 0;
    frame->number = 0;
    put_text(frame, "", 0);
    if (!parent)
        return;
    const char *name = frame->def->name + strlen(parent->def->name) + 1; /* without the parent's */
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = ';';
    for (int64_t n = frame->parent_iter->number, first = 1; n > 0 || first; n /= 10, first = 0)
        digits[--at] = (char)('0' + n % 10);
    digits[--at] = ';';
    put_text(frame, parent->id, (size_t)parent->id_len);
    put_text(frame, digits + at, sizeof digits - at);
    put_text(frame, name, strlen(name));
    frame->number = rendezvous_frame_number(parent->number, frame->parent_iter->number, name);
}

struct flow_frame *flow_frame_new(struct flow *f, int32_t index, struct flow_iter *iter)
{
    const struct plan_frame *d = &f->part->frames[index];
    struct flow_pool *pool = &f->pools[index];
    struct flow_frame *frame = pool->frames;
    if (frame) {
        pool->frames = frame->next_free;
        pool->num_frames--;
    } else {
        frame = mem_new(struct flow_frame);
        frame->def = d;
        frame->index = index;
        frame->iters = mem_new_array(struct flow_iter *, d->parallel_iterations + 1);
        frame->constants = mem_new_array(struct flow_constant, d->num_constants + 1);
    }
    frame->parent_iter = iter;
    frame->newest = frame->oldest = 0;
    frame->alive_iters = 0;
    frame->pending_enters = d->num_enters;
    for (int i = 0; i < d->num_constants; i++)
        frame->constants[i].step = -1;
    make_id(frame);
    if (iter) {
        iter->children[d->child_number] = frame;
        iter->outstanding++;
    }
    iter_new(f, frame, 0);
    return frame;
}

static void frame_drop(struct flow_frame *frame)
{
    mem_free(frame->deferred.v);
    mem_free(frame->dead_exits.v);
    mem_free(frame->constants);
    mem_free(frame->iters);
    mem_free(frame->id);
    mem_free(frame);
}

/* A loop inside that has not ended, as after an error; NULL: none. */
static struct flow_frame *some_child(struct flow_frame *frame)
{
    for (int64_t n = frame->oldest; n <= frame->newest; n++) {
        struct flow_iter *it = iter_find(frame, n);
        for (int k = 0; it && k < frame->def->num_children; k++) {
            if (it->children[k])
                return it->children[k];
        }
    }
    return NULL;
}

/* There is no loop inside any more. */
static void frame_end(struct flow *f, struct flow_frame *frame)
{
    const struct plan_frame *d = frame->def;
    for (int64_t n = frame->oldest; n <= frame->newest; n++) {
        struct flow_iter *it = iter_find(frame, n);
        if (it)
            iter_free(f, it);
    }
    for (int i = 0; i < d->num_constants; i++)
        tensor_clear(&frame->constants[i].value);
    values_clear(&frame->deferred);
    values_clear(&frame->dead_exits);
    if (frame->parent_iter)
        frame->parent_iter->children[d->child_number] = NULL;
    struct flow_pool *pool = &f->pools[frame->index];
    if (pool->num_frames >= MAX_FREE_FRAMES) {
        frame_drop(frame);
        return;
    }
    frame->next_free = pool->frames;
    pool->frames = frame;
    pool->num_frames++;
}

void flow_frame_free(struct flow *f, struct flow_frame *frame)
{
    for (struct flow_frame *at = frame;;) {
        struct flow_frame *child = some_child(at);
        if (child) {
            at = child;
            continue;
        }
        struct flow_frame *up = at->parent_iter ? at->parent_iter->frame : NULL;
        bool last = at == frame;
        frame_end(f, at);
        if (last)
            return;
        at = up;
    }
}

void flow_free_blocks(struct flow *f)
{
    for (int i = 0; i < f->part->num_frames; i++) {
        struct flow_pool *pool = &f->pools[i];
        while (pool->iters) {
            struct flow_iter *it = pool->iters;
            pool->iters = it->next_free;
            mem_free(it);
        }
        while (pool->frames) {
            struct flow_frame *frame = pool->frames;
            pool->frames = frame->next_free;
            frame_drop(frame);
        }
    }
    mem_free(f->pools);
}

/* --- values --- */

static inline bool last_user(const struct flow_iter *it, int32_t from)
{
    return from >= 0 && it->uses[from] == 1;
}

void flow_forward(struct flow_iter *iter, const struct plan_step *s, int i, struct tensor *out)
{
    struct tensor *in = iter->in[s->frame_in + i];
    if (UNLIKELY(out->dtype != DT_INVALID))
        tensor_clear(out);
    if (last_user(iter, iter->in_from[s->frame_in + i]))
        *out = tensor_take(in);
    else
        *out = tensor_copy(in);
}

/* The step is over: what it alone still read goes. */
static inline void drop_inputs(struct flow_iter *it, const struct plan_step *s)
{
    const int32_t *from = it->in_from + s->frame_in;
    for (int i = 0; i < s->num_in; i++) {
        if (from[i] >= 0 && --it->uses[from[i]] == 0 && it->slots[from[i]].dtype != DT_INVALID)
            tensor_clear(&it->slots[from[i]]);
    }
}

/* Outputs that nobody reads. */
static void drop_unused(struct flow_iter *it, const struct plan_step *s)
{
    for (int k = s->out; k < s->out + s->num_out; k++) {
        if (it->uses[k] == 0)
            tensor_clear(&it->slots[k]);
    }
}

/* --- arrivals --- */

/* Whether a step that may be expensive has enough to do for another thread to be worth its waking.
 */
static bool is_heavy(const struct flow *f, const struct flow_iter *it, int32_t step)
{
    const struct plan_step *s = &f->part->steps[step];
    int64_t elems = 0;
    for (int i = 0; i < s->num_in; i++)
        elems += it->in[s->frame_in + i]->num_elems;
    return s->blocking || elems >= HEAVY_ELEMS;
}

static inline void list_push(struct flow_list *l, struct flow_iter *iter, int32_t step, bool dead)
{
    if (UNLIKELY(l->n == l->cap))
        l->v = vec_reserve(l->v, &l->cap, l->n + 1, sizeof *l->v);
    l->v[l->n++] = (struct flow_ready){iter, step, dead};
}

static inline void make_ready(struct flow *f, struct flow_iter *it, const struct plan_edge *e,
                              bool dead)
{
    it->outstanding++;
    bool apart = UNLIKELY(e->heavy && f->parallel) && !dead && is_heavy(f, it, e->step);
    list_push(apart ? &f->heavy : &f->ready, it, e->step, dead);
}

void flow_start_root(struct flow *f, struct flow_iter *iter, int32_t step)
{
    const struct plan_step *s = &f->part->steps[step];
    make_ready(f, iter, &(struct plan_edge){.step = step, .heavy = s->blocking && !s->async},
               false);
}

/* A Merge's pending count is 1 until its first live value, plus 2 for each control edge to come.
 * Once it has the value, `deads` is -1 - the input that it came by. */
static void merge_arrive(struct flow *f, struct flow_iter *it, const struct plan_edge *e, bool dead,
                         bool from_enter)
{
    int32_t num_in = f->part->steps[e->step].num_in;
    struct plan_count *c = &it->counts[e->local];
    bool open = c->pending & 1;
    if (e->input < 0) {
        c->pending -= 2;
    } else if (!open) { /* another value came first: this one is not wanted */
        return;
    } else if (dead) {
        c->deads += from_enter ? num_in : 1;
    } else {
        c->pending &= ~1;
        c->deads = -1 - e->input;
    }
    if (c->pending == 0) {
        make_ready(f, it, e, false);
    } else if (c->pending == 1 && c->deads >= num_in) {
        c->pending = -2; /* whatever else comes is not wanted */
        make_ready(f, it, e, true);
    }
}

static inline void follow(struct flow *f, struct flow_iter *to, int32_t begin, int32_t end,
                          bool dead)
{
    const struct plan_edge *e = f->part->edges + begin, *last = f->part->edges + end;
    for (; e < last; e++) {
        if (UNLIKELY(e->merge)) {
            merge_arrive(f, to, e, dead, false);
            continue;
        }
        struct plan_count *c = &to->counts[e->local];
        c->deads += dead;
        if (--c->pending == 0)
            make_ready(f, to, e, c->deads > 0);
    }
}

static inline void follow_all(struct flow *f, struct flow_iter *to, const struct plan_step *s,
                              bool dead)
{
    follow(f, to, s->first_edge, s->first_edge + s->num_edges, dead);
}

/* Some outputs may be dead: those that are empty. */
static void follow_switch(struct flow *f, struct flow_iter *to, const struct plan_step *s)
{
    const int32_t *begin = &f->part->out_edge_begin[s->first_out_edge];
    for (int k = 0; k < s->num_out; k++)
        follow(f, to, begin[k], begin[k + 1], to->slots[s->out + k].dtype == DT_INVALID);
    follow(f, to, begin[s->num_out], begin[s->num_out + 1], false);
}

/* A loop invariant comes into an iteration: its readers look at the frame's copy. */
static void give_constant(struct flow *f, struct flow_iter *to, struct flow_constant *c)
{
    const struct plan_step *s = &f->part->steps[c->step];
    const struct plan_edge *e = f->part->edges + s->first_edge;
    for (int i = 0; i < s->num_edges; i++) {
        if (e[i].input >= 0)
            to->in[f->part->steps[e[i].step].frame_in + e[i].input] = &c->value;
    }
    for (int i = 0; i < s->num_edges; i++) {
        if (e[i].merge)
            merge_arrive(f, to, &e[i], c->dead, true);
        else
            follow(f, to, s->first_edge + i, s->first_edge + i + 1, c->dead);
    }
}

/* --- loops --- */

/* The value of s goes into its slot of iteration `to`; one is there already where a malformed
 * loop makes two: the first one stays, as somebody may be reading it. */
static struct tensor *slot_for(struct flow_iter *to, const struct plan_step *s)
{
    struct tensor *slot = &to->slots[s->out];
    return slot->dtype == DT_INVALID ? slot : NULL;
}

/* The slot of s in iteration `to` is filled. */
static void delivered(struct flow *f, struct flow_iter *to, const struct plan_step *s)
{
    if (s->unused_out)
        drop_unused(to, s);
    follow_all(f, to, s, false);
}

static void deliver(struct flow *f, struct flow_iter *to, const struct plan_step *s,
                    struct tensor *value)
{
    struct tensor *slot = slot_for(to, s);
    if (slot)
        *slot = tensor_take(value);
    else
        tensor_clear(value);
    delivered(f, to, s);
}

static void deliver_input(struct flow *f, struct flow_iter *it, struct flow_iter *to,
                          const struct plan_step *s)
{
    struct tensor *slot = slot_for(to, s);
    if (slot)
        flow_forward(it, s, 0, slot);
    delivered(f, to, s);
}

/* Starts iteration newest + 1: constants come in, and then what was waiting. */
static struct flow_iter *next_iteration(struct flow *f, struct flow_frame *frame)
{
    struct flow_iter *it = iter_new(f, frame, ++frame->newest);
    values_clear(&frame->dead_exits);
    for (int i = 0; i < frame->def->num_constants; i++) {
        if (frame->constants[i].step >= 0)
            give_constant(f, it, &frame->constants[i]);
    }
    struct flow_values *deferred = &frame->deferred;
    for (int64_t i = 0; i < deferred->n; i++)
        deliver(f, it, &f->part->steps[deferred->v[i].step], &deferred->v[i].value);
    deferred->n = 0;
    return it;
}

static void enter(struct flow *f, struct flow_iter *it, const struct plan_step *s, bool dead)
{
    struct flow_frame *child = it->children[f->part->frames[s->child_frame].child_number];
    if (!child)
        child = flow_frame_new(f, s->child_frame, it);
    child->pending_enters--;
    if (s->constant_enter) {
        struct flow_constant *c = &child->constants[s->constant];
        c->step = (int32_t)(s - f->part->steps);
        c->dead = dead;
        if (!dead)
            flow_forward(it, s, 0, &c->value);
        for (int64_t n = child->oldest; n <= child->newest; n++)
            give_constant(f, iter_find(child, n), c);
        return;
    }
    struct flow_iter *to = iter_find(child, 0);
    if (!dead && slot_for(to, s))
        flow_forward(it, s, 0, slot_for(to, s));
    if (s->unused_out)
        drop_unused(to, s);
    const struct plan_edge *e = f->part->edges + s->first_edge;
    for (int i = 0; i < s->num_edges; i++) {
        if (e[i].merge)
            merge_arrive(f, to, &e[i], dead, true);
        else
            follow(f, to, s->first_edge + i, s->first_edge + i + 1, dead);
    }
}

static void advance(struct flow *f, struct flow_iter *it, const struct plan_step *s)
{
    struct flow_frame *frame = it->frame;
    if (frame->newest > it->number) {
        deliver_input(f, it, iter_find(frame, it->number + 1), s);
    } else if (frame->alive_iters < frame->def->parallel_iterations) {
        deliver_input(f, it, next_iteration(f, frame), s);
    } else {
        struct tensor value = {0};
        flow_forward(it, s, 0, &value);
        values_push(&frame->deferred, (int32_t)(s - f->part->steps), value);
    }
}

static void leave(struct flow *f, struct flow_iter *it, const struct plan_step *s, bool dead)
{
    struct flow_frame *frame = it->frame;
    if (!dead)
        deliver_input(f, it, frame->parent_iter, s);
    else if (it->number == frame->newest)
        values_push(&frame->dead_exits, (int32_t)(s - f->part->steps), (struct tensor){0});
}

/* Ends iterations that are over, oldest first, and the frame after its last one; going up as
 * frames end. */
static void clean_up(struct flow *f, struct flow_frame *frame)
{
    while (frame->parent_iter) {
        while (frame->oldest <= frame->newest) {
            struct flow_iter *it = iter_find(frame, frame->oldest);
            if (it->outstanding > 0 || (it->number == 0 && frame->pending_enters > 0))
                return;
            iter_free(f, it);
            frame->oldest++;
            if (frame->deferred.n > 0)
                next_iteration(f, frame);
        }
        if (frame->pending_enters > 0 || frame->alive_iters > 0)
            return;
        struct flow_iter *up = frame->parent_iter;
        for (int64_t i = 0; i < frame->dead_exits.n; i++)
            follow_all(f, up, &f->part->steps[frame->dead_exits.v[i].step], true);
        flow_frame_free(f, frame);
        if (--up->outstanding > 0)
            return;
        frame = up->frame;
    }
}

static void propagate_enter(struct flow *f, struct flow_iter *iter, const struct plan_step *s,
                            bool dead)
{
    enter(f, iter, s, dead);
    struct flow_frame *child = iter->children[f->part->frames[s->child_frame].child_number];
    clean_up(f, child);
}

void flow_propagate(struct flow *f, struct flow_iter *iter, const struct plan_step *s, bool dead)
{
    switch (s->kind) {
    case STEP_ENTER:
        propagate_enter(f, iter, s, dead);
        break;
    case STEP_EXIT:
        leave(f, iter, s, dead);
        break;
    case STEP_NEXT_ITERATION:
        if (!dead)
            advance(f, iter, s);
        break;
    case STEP_SWITCH:
        if (!dead) {
            if (s->unused_out)
                drop_unused(iter, s);
            follow_switch(f, iter, s);
            break;
        }
        /* fall through */
    default:
        follow_all(f, iter, s, dead);
        if (s->unused_out)
            drop_unused(iter, s);
    }
    drop_inputs(iter, s);
    if (--iter->outstanding == 0)
        clean_up(f, iter->frame);
}
