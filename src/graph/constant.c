/* SPDX-License-Identifier: Apache-2.0 */
/* Values that follow from constants alone, computed on demand for shape functions, gradients and
 * TF_TryEvaluateConstant.
 *
 * What counts as constant is what TensorFlow 1.15 takes for it: Const; Shape, Rank and Size of a
 * known shape; and kernels applied to such values, unless they are stateful, control flow or could
 * be fed. The walk is iterative and bounded; where it ends early the value counts as unknown. Small
 * results are kept in graph->constants. */
#include "graph/graph_impl.h"
#include "op/evaluate.h"

enum {
    MAX_WALK = 10000,           /* nodes looked at for one value */
    MAX_FOLD_ELEMS = 1 << 22,   /* per output, where its shape is known before */
    MAX_WALK_BYTES = 128 << 20, /* of all outputs on the way */
    MAX_KEPT_BYTES = 1024,      /* per node, in graph->constants */
};

/* Ops whose outputs are dead, come later, or may be fed in their stead. */
static const char *const never_fold[] = {
    "Merge",         "RefMerge",         "Enter",    "RefEnter",
    "Exit",          "RefExit",          "Switch",   "RefSwitch",
    "NextIteration", "RefNextIteration", "LoopCond", "PlaceholderWithDefault",
};

static bool from_shape(const struct node *n)
{
    return node_is(n, "Shape") || node_is(n, "Rank") || node_is(n, "Size");
}

bool node_may_fold(const struct node *n)
{
    if (node_is(n, "Const") || from_shape(n))
        return true;
    if (n->num_inputs == 0 || n->num_outputs == 0 || n->op->function || !n->op->def ||
        (n->op->def->flags & OP_STATEFUL))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(never_fold); i++)
        if (node_is(n, never_fold[i]))
            return false;
    for (int i = 0; i < n->num_outputs; i++)
        if (dtype_is_ref(n->output_types[i]))
            return false;
    for (int i = 0; i < n->num_inputs; i++)
        if (!n->inputs[i].node || !n->inputs[i].node->foldable)
            return false;
    return true;
}

static bool index_tensor(int dtype, const struct shape *shape, const int64_t *v, int64_t n,
                         struct tensor *out)
{
    struct status st = {0};

    if ((dtype != DT_INT32 && dtype != DT_INT64) || !tensor_new(out, dtype, shape, &st)) {
        status_clear(&st);
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        if (dtype == DT_INT64) {
            tensor_i64(out)[i] = v[i];
        } else if (v[i] <= INT32_MAX) {
            tensor_i32(out)[i] = (int32_t)v[i];
        } else {
            tensor_clear(out);
            return false;
        }
    }
    return true;
}

static bool value_from_shape(const struct node *n, struct tensor *out)
{
    struct output in = n->inputs[0];
    const struct shape *s = in.node ? &in.node->shapes[in.index] : NULL;
    struct shape scalar = shape_scalar();
    int dtype = n->output_types[0];
    int64_t v;
    struct status st = {0};

    if (!s || s->rank == RANK_UNKNOWN)
        return false;
    v = s->rank;
    if (node_is(n, "Rank"))
        return index_tensor(dtype, &scalar, &v, 1, out);
    if (!shape_known(s))
        return false;
    if (node_is(n, "Shape")) {
        struct shape vec = shape_1(s->rank);

        return index_tensor(dtype, &vec, shape_dims(s), s->rank, out);
    }
    if (!shape_num_elems(s, &v, &st)) {
        status_clear(&st);
        return false;
    }
    return index_tensor(dtype, &scalar, &v, 1, out);
}

/* A value that needs no kernel. outs has room for the node's outputs. */
static bool leaf_value(const struct node *n, struct tensor *outs)
{
    if (node_is(n, "Const")) {
        const struct attr_value *v = attrs_find(&n->attrs, "value");

        if (!v || v->kind != ATTR_TENSOR || v->is_list || v->tensor.dtype != n->output_types[0])
            return false; /* a value of another type than its edge says is none */
        outs[0] = tensor_copy(&v->tensor);
        return true;
    }
    if (from_shape(n))
        return value_from_shape(n, &outs[0]);
    const struct tensor *kept = u64map_find(&n->graph->constants, (uint64_t)n->id);

    for (int i = 0; kept && i < n->num_outputs; i++)
        outs[i] = tensor_copy(&kept[i]);
    return kept != NULL;
}

struct fold { /* a node on the way to the value that is wanted */
    struct node *n;
    struct tensor *outs;
    int next_input;
    bool done;
};
struct walk {
    struct fold *folds; /* pointers into it do not last */
    int64_t num, cap;
    struct u64map index; /* node id -> position in folds + 1 */
    int64_t *stack;
    int64_t depth, cap_stack;
    int64_t bytes; /* that kernels have made */
};

static bool fold_ok(const struct node *n)
{
    struct status st = {0};
    int64_t elems;

    if (!n->foldable)
        return false;
    if (node_is(n, "Const") || from_shape(n))
        return true;
    for (int i = 0; i < n->num_outputs; i++) {
        if (!shape_known(&n->shapes[i]))
            continue;
        if (!shape_num_elems(&n->shapes[i], &elems, &st) || elems > MAX_FOLD_ELEMS) {
            status_clear(&st);
            return false;
        }
    }
    return evaluate_possible(n->op);
}

static bool push(struct walk *w, struct node *n)
{
    if (w->num >= MAX_WALK || !fold_ok(n))
        return false;
    w->folds = vec_reserve(w->folds, &w->cap, w->num + 1, sizeof *w->folds);
    struct fold *f = &w->folds[w->num++];

    *f = (struct fold){.n = n, .outs = mem_new_array(struct tensor, n->num_outputs)};
    f->done = leaf_value(n, f->outs);
    u64map_put(&w->index, (uint64_t)n->id, (void *)(intptr_t)w->num);
    if (f->done)
        return true;
    if (node_is(n, "Const") || from_shape(n))
        return false;
    w->stack = vec_reserve(w->stack, &w->cap_stack, w->depth + 1, sizeof *w->stack);
    w->stack[w->depth++] = w->num - 1;
    return true;
}

static void keep(struct node *n, const struct tensor *outs)
{
    size_t bytes = 0;

    for (int i = 0; i < n->num_outputs; i++) {
        if (dtype_is_managed(outs[i].dtype))
            return;
        bytes += tensor_bytes(&outs[i]);
    }
    if (bytes > MAX_KEPT_BYTES)
        return;
    /* an empty tensor ends the array */
    struct tensor *kept = mem_new_array(struct tensor, n->num_outputs + 1);

    for (int i = 0; i < n->num_outputs; i++)
        kept[i] = tensor_copy(&outs[i]);
    u64map_put(&n->graph->constants, (uint64_t)n->id, kept);
}

static bool run_kernel(struct walk *w, struct fold *f)
{
    struct node *n = f->n;
    struct tensor **inputs = mem_new_array(struct tensor *, n->num_inputs);
    struct status st = {0};

    for (int i = 0; i < n->num_inputs; i++) {
        struct output in = n->inputs[i];
        intptr_t at = (intptr_t)u64map_find(&w->index, (uint64_t)in.node->id);

        inputs[i] = &w->folds[at - 1].outs[in.index];
    }
    struct evaluate_call call = {.op = n->op,
                                 .node_name = n->name,
                                 .attrs = &n->attrs,
                                 .inputs = inputs,
                                 .num_inputs = n->num_inputs,
                                 .num_outputs = n->num_outputs};
    f->done = evaluate_node(&call, f->outs, &st);
    status_clear(&st);
    mem_free(inputs);
    for (int i = 0; f->done && i < n->num_outputs; i++)
        w->bytes += (int64_t)tensor_bytes(&f->outs[i]);
    if (f->done)
        keep(n, f->outs);
    return f->done && w->bytes <= MAX_WALK_BYTES;
}

/* Depth first, each node once: its inputs' values, then its own. */
static bool walk_run(struct walk *w)
{
    while (w->depth > 0) {
        struct fold *f = &w->folds[w->stack[w->depth - 1]];

        if (f->next_input == f->n->num_inputs) {
            if (!run_kernel(w, f))
                return false;
            w->depth--;
            continue;
        }
        struct node *in = f->n->inputs[f->next_input++].node;

        if (!in)
            return false;
        intptr_t at = (intptr_t)u64map_find(&w->index, (uint64_t)in->id);
        if (at ? !w->folds[at - 1].done : !push(w, in))
            return false; /* a loop, or not constant */
    }
    return true;
}

bool constant_value(struct output o, struct tensor *out)
{
    struct walk w = {0};
    bool ok = push(&w, o.node) && walk_run(&w);

    if (ok)
        *out = tensor_copy(&w.folds[0].outs[o.index]);
    for (int64_t i = 0; i < w.num; i++) {
        struct fold *f = &w.folds[i];

        for (int k = 0; k < f->n->num_outputs; k++)
            tensor_clear(&f->outs[k]);
        mem_free(f->outs);
    }
    mem_free(w.folds);
    mem_free(w.stack);
    u64map_release(&w.index);
    return ok && out->dtype != DT_INVALID;
}

void constants_forget(struct graph *g)
{
    uint64_t id;
    void *value;

    for (int64_t i = 0; u64map_next(&g->constants, &i, &id, &value);) {
        struct tensor *kept = value;
        for (struct tensor *t = kept; t->dtype != DT_INVALID; t++)
            tensor_clear(t);
        mem_free(kept);
    }
    u64map_release(&g->constants);
    g->constants = (struct u64map){0};
}

bool graph_constant(struct output o, struct tensor *out)
{
    struct graph *g = o.node->graph;

    lock_take(&g->lock);
    bool ok = o.index >= 0 && o.index < o.node->num_outputs && constant_value(o, out);
    lock_drop(&g->lock);
    return ok;
}
