/* SPDX-License-Identifier: Apache-2.0 */
/* Values of the forward graph where the gradient's loops need them.
 *
 * What does not change in a loop enters it once. What changes is pushed onto a stack in each turn
 * of the forward loop and popped in the turns of the gradient's, which come in reverse; pushes and
 * pops are done before the next turn begins. A push in a branch runs only where the branch is
 * taken, and so must the pop: its handle passes a Switch on the same predicate's value of that
 * turn. A stack serves all runs of an inner loop, since those follow each other (grad_loop.c). */
#include <string.h>

#include "base/mem.h"
#include "grad/grad_impl.h"

static const struct output none = {NULL, 0};

static struct output out(struct node *n, int i)
{
    return n ? (struct output){n, i} : none;
}

/* --- making nodes at a place --- */

struct output walk_put(struct grad_ctx *g, const struct put *p)
{
    struct walk *w = g->w;
    const bool raw = w->raw;
    const struct place at = w->at;
    struct attrs attrs = {0};
    int sizes[1] = {p->num_in};
    for (int i = 0; i < p->num_attrs; i++)
        attrs_set(&attrs, p->attrs[i].name, p->attrs[i].value);
    struct output control = {p->control, 0};
    w->raw = true;
    w->at = p->at;
    g->next_name = p->name;
    struct node *n =
        grad_node(g, &(struct grad_build){.op = p->op,
                                          .inputs = p->in,
                                          .num_inputs = p->num_in,
                                          .attrs = &attrs,
                                          .list_sizes = strcmp(p->op, "Merge") == 0 ? sizes : NULL,
                                          .control = &control,
                                          .num_control = p->control != NULL});
    g->next_name = NULL;
    w->raw = raw;
    w->at = at;
    attrs_clear(&attrs);
    return out(n, 0);
}

static struct output put1(struct grad_ctx *g, struct place at, const char *op, const char *name,
                          struct output in)
{
    return walk_put(g, &(struct put){.at = at, .op = op, .name = name, .in = &in, .num_in = 1});
}

struct output walk_merge_of(struct grad_ctx *g, struct place at, const char *name,
                            struct output enter)
{
    return walk_put(g, &(struct put){.at = at,
                                     .op = "Merge",
                                     .name = name,
                                     .in = (struct output[]){enter, enter},
                                     .num_in = 2});
}

void walk_control(struct grad_ctx *g, struct node *from, struct node *to)
{
    if (status_ok(&g->error) && from && to)
        (void)!graph_add_control(g->graph, from, to, &g->error);
}

void walk_back_edge(struct grad_ctx *g, struct output merge, struct output next)
{
    if (status_ok(&g->error) && output_valid(merge) && output_valid(next))
        (void)!graph_update_input(merge.node, 1, next, &g->error);
}

struct node *walk_pivot(struct grad_ctx *g, int32_t guard, int32_t frame)
{
    struct walk *w = g->w;
    if (guard <= GUARD_NONE)
        return NULL;
    if (!w->guards[guard].pivot) {
        const struct output pred = w->guards[guard].pred;
        const struct place at = {NULL, frame, guard};
        struct output sw = walk_put(
            g, &(struct put){
                   .at = at, .op = "Switch", .in = (struct output[]){pred, pred}, .num_in = 2});
        struct output pivot = put1(g, at, "Identity", NULL, out(sw.node, w->guards[guard].branch));
        w->guards[guard].pivot = pivot.node;
    }
    return w->guards[guard].pivot;
}

/* --- what does not change --- */

static struct output enter_attrs(struct grad_ctx *g, struct place at, const char *frame,
                                 int64_t parallel, struct output v)
{
    return walk_put(
        g,
        &(struct put){.at = at,
                      .op = "Enter",
                      .in = &v,
                      .num_in = 1,
                      .attrs = (struct attr[]){{(char *)"frame_name", attr_string(str_of(frame))},
                                               {(char *)"is_constant", attr_bool(true)},
                                               {(char *)"parallel_iterations", attr_int(parallel)}},
                      .num_attrs = 3});
}

static struct output enter_loop(struct grad_ctx *g, struct grad_loop *l, struct output v)
{
    return enter_attrs(g, (struct place){.loop = l}, l->frame_name, g->w->loops[l->fwd].parallel,
                       v);
}

/* From outside of all loops into a forward frame. */
static struct output enter_forward(struct grad_ctx *g, int32_t frame, struct output v)
{
    int32_t path[MAX_LOOP_DEPTH + 1], n = 0;
    for (int32_t f = frame; f > 0; f = g->w->loops[f].parent)
        path[n++] = f;
    while (n-- > 0) {
        const struct fwd_loop *l = &g->w->loops[path[n]];
        v = enter_attrs(g, (struct place){NULL, path[n], GUARD_NONE}, l->name, l->parallel, v);
    }
    return v;
}

/* --- stacks --- */

static struct output new_stack(struct grad_ctx *g, int type)
{
    struct tensor t = {0};
    if (!status_ok(&g->error) || !tensor_from(&t, DT_INT32, NULL, 0, &(int32_t){-1}, &g->error))
        return none;
    struct output size =
        walk_put(g, &(struct put){.op = "Const",
                                  .attrs = (struct attr[]){{(char *)"value", attr_tensor(&t)},
                                                           {(char *)"dtype", attr_type(DT_INT32)}},
                                  .num_attrs = 2});
    tensor_clear(&t);
    return walk_put(g,
                    &(struct put){.op = "StackV2",
                                  .name = "f_acc",
                                  .in = &size,
                                  .num_in = 1,
                                  .attrs = (struct attr[]){{(char *)"elem_type", attr_type(type)}},
                                  .num_attrs = 1});
}

static struct node *sync_node(struct grad_ctx *g, struct place at, const char *name,
                              struct node *next)
{
    struct node *n =
        walk_put(g, &(struct put){.at = at, .op = "ControlTrigger", .name = name}).node;
    walk_control(g, n, next);
    return n;
}

static void push(struct grad_ctx *g, struct grad_loop *l, struct output stack, struct output v,
                 int32_t guard)
{
    struct output handle = enter_forward(g, l->fwd, stack);
    struct output pushed = walk_put(g, &(struct put){.at = {NULL, l->fwd, guard},
                                                     .op = "StackPushV2",
                                                     .in = (struct output[]){handle, v},
                                                     .num_in = 2,
                                                     .control = l->count_add.node});
    if (guard == GUARD_NONE) {
        walk_control(g, pushed.node, l->count_next);
        return;
    }
    if (!l->fwd_sync)
        l->fwd_sync =
            sync_node(g, (struct place){NULL, l->fwd, GUARD_NONE}, "f_sync", l->count_next);
    walk_control(g, pushed.node, l->fwd_sync);
}

static struct output pop_handle(struct grad_ctx *g, struct grad_loop *l, struct output stack,
                                int32_t guard)
{
    struct output handle = enter_loop(g, l, walk_bring(g, l->outer, stack));
    if (guard == GUARD_NONE)
        return handle;
    struct output pred = walk_bring(g, l, g->w->guards[guard].pred);
    const int branch = g->w->guards[guard].branch;
    struct output sw = walk_put(g, &(struct put){.at = {.loop = l},
                                                 .op = "Switch",
                                                 .in = (struct output[]){handle, pred},
                                                 .num_in = 2});
    return out(sw.node, branch);
}

static struct output pop(struct grad_ctx *g, struct grad_loop *l, struct output stack,
                         struct output like, int32_t guard)
{
    const int type = dtype_base(output_type(like));
    struct output handle = pop_handle(g, l, stack, guard);
    struct output v =
        walk_put(g, &(struct put){.at = {.loop = l},
                                  .op = "StackPopV2",
                                  .in = &handle,
                                  .num_in = 1,
                                  .attrs = (struct attr[]){{(char *)"elem_type", attr_type(type)}},
                                  .num_attrs = 1,
                                  .control = l->index.node});
    if (!l->sync)
        l->sync = sync_node(g, (struct place){.loop = l}, "b_sync", l->next);
    walk_control(g, v.node, l->sync);
    if (output_valid(v) && status_ok(&g->error))
        (void)!graph_set_shape(g->graph, v, grad_shape_of(g, like), &g->error);
    return v;
}

/* --- one value --- */

static struct output clone_constant(struct grad_ctx *g, struct grad_loop *l, struct output o)
{
    const struct attrs *a = &o.node->attrs;
    struct attr_value value = attr_value_dup(attrs_find(a, "value"));
    return walk_put(
        g, &(struct put){.at = {.loop = l},
                         .op = "Const",
                         .attrs = (struct attr[]){{(char *)"value", value},
                                                  {(char *)"dtype", attr_type(output_type(o))}},
                         .num_attrs = 2,
                         .control = l->index.node});
}

/* A value of the loop that l runs backwards. */
static struct output from_history(struct grad_ctx *g, struct grad_loop *l, struct output o,
                                  int32_t guard)
{
    if (node_op_is(o.node, "Enter") && attrs_bool(&o.node->attrs, "is_constant"))
        return enter_loop(g, l, walk_bring(g, l->outer, o.node->inputs[0]));
    if (strcmp(o.node->op->name, "Const") == 0)
        return clone_constant(g, l, o);
    if (guard == GUARD_MIXED) {
        grad_fail_unimplemented(g, "'%s' depends on branches that are not nested, in a loop",
                                o.node->name);
        return none;
    }
    struct output stack = new_stack(g, dtype_base(output_type(o)));
    if (!output_valid(stack))
        return none;
    push(g, l, stack, o, guard);
    return pop(g, l, stack, o, guard);
}

/* Nesting is bounded, and so is the recursion. */
struct output walk_bring(struct grad_ctx *g, struct grad_loop *l, struct output o)
{
    struct walk *w = g->w;
    if (!output_valid(o) || !status_ok(&g->error))
        return none;
    const struct place p = walk_place(w, o);
    if (p.loop == l && (l || p.frame == 0))
        return o;
    if (!l) {
        grad_fail_unimplemented(g, "'%s' is needed outside of the loop that it is in",
                                o.node->name);
        return none;
    }
    struct output *known = u64map_find(&l->values, output_key(o));
    if (known)
        return *known;
    struct output v = !p.loop && p.frame == l->fwd ? from_history(g, l, o, p.guard)
                                                   : enter_loop(g, l, walk_bring(g, l->outer, o));
    known = arena_new(&w->arena, struct output);
    *known = v;
    if (output_valid(v))
        u64map_put(&l->values, output_key(o), known);
    return v;
}

struct output walk_here(struct grad_ctx *g, struct output o)
{
    return g->w ? walk_bring(g, g->w->cur, o) : o;
}

/* --- zeros --- */

static int gradient_type(struct output o)
{
    const int type = dtype_base(output_type(o));
    struct infer_result r;
    if (type != DT_RESOURCE || !output_handle(o, &r))
        return type;
    const int held = r.handles[0].n > 0 ? r.handles[0].dtypes[0] : DT_INVALID;
    infer_result_clear(&r);
    return held;
}

struct output walk_zeros(struct grad_ctx *g, struct output o)
{
    const int type = gradient_type(o);
    if (type == DT_VARIANT)
        return grad_op1(g, "ZerosLike", o);
    if (type == DT_INVALID || type == DT_RESOURCE) {
        grad_fail_unimplemented(g, "what the resource '%s' holds is not known", o.node->name);
        return none;
    }
    struct output shape = dtype_base(output_type(o)) == DT_RESOURCE
                              ? grad_op1(g, "VariableShape", o)
                              : grad_shape(g, o);
    struct output zero = grad_const_of_type(g, type, 0);
    return grad_op2(g, "Fill", shape, zero);
}
