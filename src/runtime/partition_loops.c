/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose nodes are on several devices.
 *
 * Every device that takes part in such a frame gets a control loop of its own:
 *
 *     Enter -> Merge -> Switch -> NextIteration -> back to Merge
 *                         ^ the loop's condition, received from where it is computed
 *
 * so it has the frame's iterations as the others have them, and what it receives inside the loop is
 * started by that Merge, once in each iteration. Whatever crosses inside a loop is thus sent and
 * received exactly once in each iteration, dead or alive; what does not come in each iteration
 * (behind an Enter without a Merge) is refused, as it would be awaited for ever. Enter and
 * NextIteration do not fit that rule, as their outputs come to the first, or to all but the first,
 * iteration: they get a twin on each device that reads them, and the value crosses before it
 * enters. A control loop starts with its parent frame's iteration, even where the loop itself is
 * dead: it then receives a dead condition, and ends. */
#include <string.h>

#include "base/mem.h"
#include "runtime/partition_impl.h"
#include "runtime/session_impl.h"

struct control_loop { /* of one frame on one device; lives in the rgraph's arena */
    int frame;
    const struct device *device; /* stands for its group */
    struct rnode *merge;
    struct control_loop *next; /* in the order made */
};

struct twin {
    struct rnode *of;
    const struct device *device;
    struct rnode *node;
    struct twin *next; /* with the same hash */
};

static bool is_op(const struct rnode *n, const char *a, const char *b)
{
    return strcmp(n->op->name, a) == 0 || strcmp(n->op->name, b) == 0;
}

static const char *frame_name(const struct rgraph *rg, int frame)
{
    const struct rframe *f = &rg->frames[frame];
    return f->name + strlen(rg->frames[f->parent].name) + 1;
}

int split_out_frame(const struct rgraph *rg, const struct rnode *n)
{
    if (is_op(n, "Exit", "RefExit"))
        return rg->frames[n->frame].parent;
    if (!is_op(n, "Enter", "RefEnter"))
        return n->frame;
    struct str name = attrs_string(n->attrs, "frame_name");
    for (int f = 1; f < rg->num_frames; f++) {
        if (rg->frames[f].parent == n->frame && str_is(name, frame_name(rg, f)))
            return f;
    }
    return n->frame;
}

bool split_is_loop_entry(const struct rnode *n)
{
    return is_op(n, "Enter", "NextIteration");
}

struct rnode *split_twin(struct split *p, struct rnode *n, const struct device *device,
                         struct status *st)
{
    uint64_t key =
        hash_bytes(&(uint64_t[2]){(uint64_t)(uintptr_t)n, (uint64_t)(uintptr_t)device}, 16, 0);
    struct twin *list = u64map_find(&p->twins, key);
    for (struct twin *t = list; t; t = t->next) {
        if (t->of == n && t->device == device)
            return t->node;
    }
    struct rnode *made = rgraph_add(p->rg, n->name, n->op, n->attrs, n->inputs, 1, st);
    if (!made)
        return NULL;
    made->device = device->name;
    made->frame = n->frame;
    made->keep = true;
    for (int64_t i = 0; i < n->num_control; i++)
        rnode_add_control(p->rg, made, n->control[i]);
    struct twin *t = arena_new(&p->rg->arena, struct twin);
    *t = (struct twin){n, device, made, list};
    u64map_put(&p->twins, key, t);
    return split_cut_node(p, made, st) ? made : NULL;
}

/* --- who takes part --- */

static uint64_t loop_key(const struct split *p, int frame, const struct device *device)
{
    return (uint64_t)frame * (uint64_t)p->s->num_devices + (uint64_t)(device - p->s->devices);
}

static struct control_loop *find_loop(const struct split *p, int frame, const struct device *device)
{
    return u64map_find(&p->loops, loop_key(p, frame, device));
}

struct rnode *split_trigger(const struct split *p, int frame, const struct device *device)
{
    struct control_loop *l = frame ? find_loop(p, frame, split_group(p, device)) : NULL;
    return l ? l->merge : NULL;
}

struct loop_list { /* all (frame, device) that take part */
    struct control_loop *first;
    int *devices; /* per frame: how many */
};

/* A node takes part in its frame and in those around it. */
static void take_part(struct split *p, const struct rnode *n, struct loop_list *list)
{
    const struct device *device = split_group(p, split_device(p, n));
    for (int f = n->frame; f != 0; f = p->rg->frames[f].parent) {
        if (find_loop(p, f, device))
            return;
        struct control_loop *l = arena_new(&p->rg->arena, struct control_loop);
        *l = (struct control_loop){.frame = f, .device = device, .next = list->first};
        list->first = l;
        list->devices[f]++;
        u64map_put(&p->loops, loop_key(p, f, device), l);
    }
}

/* --- control loops --- */

static struct rnode *add_node(struct split *p, const char *op_name, struct attrs *a,
                              const struct redge *inputs, int n, const struct control_loop *l,
                              struct status *st)
{
    const struct op *op = op_get(op_name, st);
    if (!op)
        return NULL;
    attrs_set(a, "T", attr_type(DT_FLOAT));
    char *name = mem_printf("%s/_control_%s", frame_name(p->rg, l->frame), op_name);
    struct rnode *made = rgraph_add(p->rg, name, op, a, inputs, n, st);
    mem_free(name);
    if (made) {
        made->device = l->device->name;
        made->frame = l->frame;
        made->keep = true;
    }
    return made;
}

/* What goes round: a constant, made anew in each iteration of the parent frame. */
static struct rnode *add_start(struct split *p, const struct control_loop *l, struct status *st)
{
    struct tensor t = {0};
    float zero = 0;
    if (!tensor_from(&t, DT_FLOAT, NULL, 0, &zero, st))
        return NULL;
    struct rnode *c = rgraph_add_const(p->rg, "_control_start", &t, l->device->name, st);
    tensor_clear(&t);
    int parent = p->rg->frames[l->frame].parent;
    if (c && parent) {
        c->frame = parent;
        rnode_add_control(p->rg, c, split_trigger(p, parent, l->device));
    }
    return c;
}

/* Const, Enter and Merge, whose second input is closed later. */
static bool open_loop(struct split *p, struct control_loop *l, struct status *st)
{
    const struct rframe *f = &p->rg->frames[l->frame];
    struct redge start = {add_start(p, l, st), 0};
    if (!start.node)
        return false;
    struct attrs enter_attrs = {0}, merge_attrs = {0};
    attrs_set(&enter_attrs, "frame_name", attr_string(str_of(frame_name(p->rg, l->frame))));
    attrs_set(&enter_attrs, "is_constant", attr_bool(false));
    attrs_set(&enter_attrs, "parallel_iterations", attr_int(f->parallel_iterations));
    attrs_set(&merge_attrs, "N", attr_int(2));
    struct redge enter = {add_node(p, "Enter", &enter_attrs, &start, 1, l, st), 0};
    if (enter.node) {
        enter.node->frame = f->parent;
        l->merge = add_node(p, "Merge", &merge_attrs, (struct redge[]){enter, enter}, 2, l, st);
    }
    attrs_clear(&enter_attrs);
    attrs_clear(&merge_attrs);
    return l->merge;
}

static bool close_loop(struct split *p, struct control_loop *l, struct rnode *cond,
                       struct status *st)
{
    bool here = split_group(p, split_device(p, cond)) == l->device;
    struct rnode *pred = here ? cond : split_send(p, cond, 0, l->device, st);
    if (!pred)
        return false;
    struct attrs a = {0}, b = {0};
    struct rnode *sw =
        add_node(p, "Switch", &a, (struct redge[]){{l->merge, 0}, {pred, 0}}, 2, l, st);
    struct rnode *next =
        sw ? add_node(p, "NextIteration", &b, &(struct redge){sw, 1}, 1, l, st) : NULL;
    attrs_clear(&a);
    attrs_clear(&b);
    if (next)
        l->merge->inputs[1] = (struct redge){next, 0};
    return next;
}

/* The loop's condition, per frame. */
static struct rnode **find_conditions(struct rgraph *rg, int64_t num_nodes)
{
    struct rnode **conds = mem_new_array(struct rnode *, rg->num_frames);
    for (int64_t i = 0; i < num_nodes; i++) {
        struct rnode *n = rg->nodes[i];
        if (n->frame && is_op(n, "LoopCond", "LoopCond") && !conds[n->frame])
            conds[n->frame] = n;
    }
    return conds;
}

/* Parents have lower numbers than their children, so they are opened first. */
static bool open_all(struct split *p, const struct loop_list *list, struct status *st)
{
    int64_t n = 0;
    for (const struct control_loop *l = list->first; l; l = l->next)
        n++;
    struct control_loop **sorted = mem_new_array(struct control_loop *, n + 1);
    int64_t *at = mem_new_array(int64_t, p->rg->num_frames + 1);
    for (int f = 1; f < p->rg->num_frames; f++)
        at[f + 1] = at[f] + list->devices[f];
    for (struct control_loop *l = list->first; l; l = l->next)
        sorted[at[l->frame]++] = l;
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++)
        ok = list->devices[sorted[i]->frame] < 2 || open_loop(p, sorted[i], st);
    mem_free(sorted);
    mem_free(at);
    return ok;
}

static bool close_all(struct split *p, const struct loop_list *list, struct rnode **conds,
                      struct status *st)
{
    for (struct control_loop *l = list->first; l; l = l->next) {
        if (!l->merge)
            continue;
        if (!conds[l->frame])
            return status_unimplemented(
                st, "The loop '%s' spans devices and has no LoopCond; put it on one device",
                p->rg->frames[l->frame].name);
        if (!close_loop(p, l, conds[l->frame], st))
            return false;
    }
    return true;
}

/* Outputs that come in some iterations only: behind an Enter or a NextIteration, up to the next
 * Merge; not behind the Enter of a constant. */
static bool is_irregular(const struct split *p, const struct rnode *n, const struct rnode *input)
{
    if (n->frame == 0 || is_op(n, "Merge", "RefMerge"))
        return false;
    if (is_op(input, "Enter", "RefEnter") && split_out_frame(p->rg, input) == n->frame)
        return !attrs_bool(input->attrs, "is_constant");
    return is_op(input, "NextIteration", "RefNextIteration") ||
           (p->irregular[input->id] && input->frame == n->frame);
}

static bool find_irregular(struct split *p, struct status *st)
{
    struct rgraph *rg = p->rg;
    struct rnode **order;
    p->num_nodes = rg->num_nodes;
    p->irregular = mem_new_array(bool, rg->num_nodes + 1);
    if (!rgraph_sort(rg, &order, st))
        return false;
    for (int64_t i = 0; i < rg->num_nodes; i++) {
        struct rnode *n = order[i];
        bool found = false;
        for (int k = 0; !found && k < n->num_inputs; k++)
            found = is_irregular(p, n, n->inputs[k].node);
        for (int64_t k = 0; !found && k < n->num_control; k++)
            found = is_irregular(p, n, n->control[k]);
        p->irregular[n->id] = found && !split_is_loop_entry(n);
    }
    return true;
}

bool split_add_loops(struct split *p, struct status *st)
{
    if (p->rg->num_frames < 2)
        return true;
    if (!find_irregular(p, st))
        return false;
    struct loop_list list = {.devices = mem_new_array(int, p->rg->num_frames)};
    int64_t n = p->rg->num_nodes;
    for (int64_t i = 0; i < n; i++)
        take_part(p, p->rg->nodes[i], &list);
    struct rnode **conds = find_conditions(p->rg, n);
    bool ok = open_all(p, &list, st) && close_all(p, &list, conds, st);
    mem_free(conds);
    mem_free(list.devices);
    return ok;
}
