/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of a node's outputs, inferred when the node is added from the shapes, handles and
 * constant values of its inputs, and refined by hand later.
 *
 * A shape that was inferred is not inferred again: consumers keep theirs when a producer's is
 * refined, as in TensorFlow. A missing input (a loop's back edge) counts as unknown. */
#include "graph/graph_impl.h"

enum { FEW_INPUTS = 8 };

struct known_input { /* what the shape function asked of an input, and was told */
    bool asked_value, asked_shape, has_value, has_shape;
    struct tensor value;
    struct shape shape;
};
struct inference {
    struct node *n;
    struct shape *shapes;
    struct infer_handle *handles;
    struct known_input *known;
};

static const struct tensor *ask_value(void *arg, int i)
{
    struct inference *f = arg;
    struct known_input *k = &f->known[i];

    if (!k->asked_value) {
        k->asked_value = true;
        k->has_value = f->n->inputs[i].node && constant_value(f->n->inputs[i], &k->value);
    }
    return k->has_value ? &k->value : NULL;
}

static bool ask_shape(void *arg, int i, struct shape *out)
{
    struct inference *f = arg;
    struct known_input *k = &f->known[i];

    if (!k->asked_shape) {
        k->asked_shape = true;
        k->has_shape = f->n->inputs[i].node && constant_partial_shape(f->n->inputs[i], &k->shape);
    }
    if (k->has_shape)
        *out = shape_copy(&k->shape);
    return k->has_shape;
}

static void handle_dup(struct arena *a, struct infer_handle from, struct infer_handle *to)
{
    *to = (struct infer_handle){0};
    if (from.n <= 0)
        return;
    struct shape *shapes = arena_array(a, struct shape, from.n);
    const struct shape **pointers = arena_array(a, const struct shape *, from.n);

    for (int i = 0; i < from.n; i++) {
        shapes[i] = shape_copy(from.shapes[i]);
        pointers[i] = &shapes[i];
    }
    to->n = from.n;
    to->dtypes = arena_memdup(a, from.dtypes, sizeof(int) * (size_t)from.n);
    to->shapes = pointers;
}

/* The handles of a node are few and seldom set, so one that changes takes all to a new arena. */
static void store_handle(struct node *n, int index, struct infer_handle h)
{
    struct arena *arena = mem_new(struct arena);
    struct infer_handle *handles = arena_array(arena, struct infer_handle, n->num_outputs);

    for (int i = 0; i < n->num_outputs; i++)
        handle_dup(arena,
                   i == index   ? h
                   : n->handles ? n->handles[i]
                                : (struct infer_handle){0},
                   &handles[i]);
    infer_handles_free(n->handles, n->num_outputs, n->handle_arena);
    n->handles = handles;
    n->handle_arena = arena;
}

static void gather_inputs(struct inference *f)
{
    for (int i = 0; i < f->n->num_inputs; i++) {
        struct output in = f->n->inputs[i];

        f->shapes[i] = in.node ? in.node->shapes[in.index] : shape_unknown();
        f->handles[i] = (struct infer_handle){0};
        if (in.node && in.node->handles)
            f->handles[i] = in.node->handles[in.index];
    }
}

static bool infer_with(struct inference *f, struct status *st)
{
    struct node *n = f->n;
    struct infer_result r = {0};
    struct infer_call call = {
        .op = n->op,
        .node_name = n->name,
        .attrs = &n->attrs,
        .input_shapes = f->shapes,
        .input_handles = f->handles,
        .input_types = n->input_types,
        .output_types = n->output_types,
        .num_inputs = n->num_inputs,
        .num_outputs = n->num_outputs,
        .producer_version = n->graph->producer,
        .source = {.arg = f, .constant = ask_value, .partial_shape = ask_shape},
    };

    gather_inputs(f);
    bool ok = infer_run(&call, &r, st);
    if (ok) { /* what it holds becomes the node's */
        n->shapes = r.shapes;
        n->handles = r.handles;
        n->handle_arena = r.arena;
    }
    for (int i = 0; i < n->num_inputs; i++) {
        if (f->known[i].has_value)
            tensor_clear(&f->known[i].value);
        if (f->known[i].has_shape)
            shape_clear(&f->known[i].shape);
    }
    return ok;
}

bool node_infer(struct node *n, struct status *st)
{
    struct shape few_shapes[FEW_INPUTS];
    struct infer_handle few_handles[FEW_INPUTS];
    struct known_input few_known[FEW_INPUTS] = {{0}};
    struct inference f = {n, few_shapes, few_handles, few_known};

    if (n->op->function || !n->op->def || !n->op->def->shape) {
        n->shapes = mem_new_array(struct shape, n->num_outputs);
        for (int i = 0; i < n->num_outputs; i++)
            n->shapes[i] = shape_unknown();
        return true;
    }
    if (n->num_inputs <= FEW_INPUTS)
        return infer_with(&f, st);
    f.shapes = mem_new_array(struct shape, n->num_inputs);
    f.handles = mem_new_array(struct infer_handle, n->num_inputs);
    f.known = mem_new_array(struct known_input, n->num_inputs);
    bool ok = infer_with(&f, st);

    mem_free(f.shapes);
    mem_free(f.handles);
    mem_free(f.known);
    return ok;
}

static bool not_mergeable(const struct shape *a, const struct shape *b, struct status *st)
{
    struct strbuf both = {0};

    if (a->rank != b->rank)
        return status_invalid(st, "Shapes must be equal rank, but are %d and %d", a->rank, b->rank);
    shape_print(a, &both);
    strbuf_puts(&both, " and ");
    shape_print(b, &both);
    int i = 0;
    while (i < a->rank - 1 &&
           (shape_dim(a, i) < 0 || shape_dim(b, i) < 0 || shape_dim(a, i) == shape_dim(b, i)))
        i++;
    status_invalid(
        st, "Dimension %d in both shapes must be equal, but are %lld and %lld. Shapes are %s.", i,
        (long long)shape_dim(a, i), (long long)shape_dim(b, i), strbuf_text(&both));
    strbuf_release(&both);
    return false;
}

bool node_merge_shape(struct node *n, int index, const struct shape *shape, struct status *st)
{
    struct shape *own = &n->shapes[index];
    int64_t dims[SHAPE_MAX_RANK];

    if (shape->rank == RANK_UNKNOWN)
        return true;
    if (own->rank != RANK_UNKNOWN) {
        if (!shape_compatible(own, shape))
            return not_mergeable(own, shape, st);
        for (int i = 0; i < own->rank; i++)
            dims[i] = shape_dim(own, i) >= 0 ? shape_dim(own, i) : shape_dim(shape, i);
        struct shape merged = shape_make(dims, own->rank);

        shape_clear(own);
        *own = merged;
        return true;
    }
    *own = shape_copy(shape);
    return true;
}

static bool output_ok(struct output o, struct status *st)
{
    if (o.index >= 0 && o.index < o.node->num_outputs)
        return true;
    return status_invalid(st, "output_port '%d' is out of range, node '%s' has %d outputs", o.index,
                          o.node->name, o.node->num_outputs);
}

bool graph_set_shape(struct graph *g, struct output o, const struct shape *shape, struct status *st)
{
    if (!output_ok(o, st))
        return false;
    lock_take(&g->lock);
    bool ok = node_merge_shape(o.node, o.index, shape, st);
    if (ok)
        g->version++;
    lock_drop(&g->lock);
    return ok;
}

void graph_replace_shape(struct output o, const struct shape *shape)
{
    lock_take(&o.node->graph->lock);
    shape_clear(&o.node->shapes[o.index]);
    o.node->shapes[o.index] = shape_copy(shape);
    o.node->graph->version++;
    lock_drop(&o.node->graph->lock);
}

struct shape output_shape(struct output o)
{
    lock_take(&o.node->graph->lock);
    struct shape s = shape_copy(&o.node->shapes[o.index]);
    lock_drop(&o.node->graph->lock);
    return s;
}

bool output_handle(struct output o, struct infer_result *out)
{
    *out = (struct infer_result){0};
    lock_take(&o.node->graph->lock);
    const struct infer_handle *own = o.node->handles ? &o.node->handles[o.index] : NULL;
    if (own && own->n > 0) {
        out->num_outputs = 1;
        out->shapes = mem_new_array(struct shape, 1);
        out->arena = mem_new(struct arena);
        out->handles = arena_array(out->arena, struct infer_handle, 1);
        handle_dup(out->arena, *own, out->handles);
    }
    lock_drop(&o.node->graph->lock);
    return out->handles != NULL;
}

void graph_set_handle(struct graph *g, struct output o, struct infer_handle h)
{
    lock_take(&g->lock);
    store_handle(o.node, o.index, h);
    g->version++;
    lock_drop(&g->lock);
}
