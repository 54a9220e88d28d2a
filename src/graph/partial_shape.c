/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a shape that a tensor holds, where not all of it is: the ops by which programs
 * take shapes apart and put them together (Shape, ShapeN, Pack, Concat, StridedSlice) are followed
 * as TensorFlow 1.15 follows them. Nesting and work are bounded. */
#include "graph/graph_impl.h"

enum { MAX_DEPTH = 64, MAX_STEPS = 4096 };

struct search {
    int depth, steps;
};
static bool partial(struct search *s, struct output o, struct shape *out);

static const struct shape *shape_at(struct output o)
{
    return &o.node->shapes[o.index];
}

/* A constant scalar (or a vector of one element) of int32 or int64. */
static bool constant_int(struct output o, int64_t *v)
{
    struct tensor t = {0};

    if (!o.node || !constant_value(o, &t))
        return false;
    bool ok =
        (t.dtype == DT_INT32 || t.dtype == DT_INT64) && t.num_elems == 1 && tensor_rank(&t) <= 1;
    if (ok)
        *v = tensor_index(&t, 0);
    tensor_clear(&t);
    return ok;
}

static bool from_pack(const struct node *n, struct shape *out)
{
    int64_t dims[SHAPE_MAX_RANK];

    if (n->num_inputs > SHAPE_MAX_RANK)
        return false;
    for (int i = 0; i < n->num_inputs; i++)
        if (!constant_int(n->inputs[i], &dims[i]) || dims[i] < 0)
            dims[i] = DIM_UNKNOWN;
    *out = shape_make(dims, n->num_inputs);
    return true;
}

static bool from_concat(struct search *s, const struct node *n, bool v2, struct shape *out)
{
    int64_t dims[SHAPE_MAX_RANK];
    int rank = 0;
    int axis = v2 ? n->num_inputs - 1 : 0;

    for (int i = 0; i < n->num_inputs; i++) {
        struct shape piece;

        if (i == axis)
            continue;
        if (!partial(s, n->inputs[i], &piece))
            return false;
        bool fits = rank + piece.rank <= SHAPE_MAX_RANK;
        for (int k = 0; fits && k < piece.rank; k++)
            dims[rank++] = shape_dim(&piece, k);
        shape_clear(&piece);
        if (!fits)
            return false;
    }
    *out = shape_make(dims, rank);
    return true;
}

/* begin or end as an index in [low, high], negative ones counted from the end. */
static int64_t clamp_index(int64_t i, int64_t rank, int64_t low, int64_t high)
{
    if (i < 0)
        i = i < -rank ? -1 : i + rank;
    return i < low ? low : i > high ? high : i;
}

struct slice {
    int64_t begin, end, stride;
    bool all_before, all_after; /* begin, end are masked */
};

static bool slice_of(const struct node *n, struct slice *c)
{
    const struct attrs *a = &n->attrs;

    for (int i = 1; i <= 3; i++) {
        const struct shape *s = n->inputs[i].node ? shape_at(n->inputs[i]) : NULL;

        if (!s || s->rank != 1 || shape_dim(s, 0) != 1)
            return false;
    }
    int64_t begin_mask = attrs_int(a, "begin_mask"), end_mask = attrs_int(a, "end_mask");

    if ((begin_mask & ~1) || (end_mask & ~1) || attrs_int(a, "ellipsis_mask") ||
        attrs_int(a, "new_axis_mask") || attrs_int(a, "shrink_axis_mask"))
        return false;
    c->all_before = begin_mask;
    c->all_after = end_mask;
    return (c->all_before || constant_int(n->inputs[1], &c->begin)) &&
           (c->all_after || constant_int(n->inputs[2], &c->end)) &&
           constant_int(n->inputs[3], &c->stride) && c->stride != 0;
}

static bool from_slice(struct search *s, const struct node *n, struct shape *out)
{
    struct slice c = {0};
    struct shape whole;
    int64_t dims[SHAPE_MAX_RANK];
    int rank = 0;

    if (!slice_of(n, &c) || !partial(s, n->inputs[0], &whole))
        return false;
    int64_t r = whole.rank;
    int64_t low = c.stride > 0 ? 0 : -1, high = c.stride > 0 ? r : r - 1;
    int64_t begin = c.all_before ? (c.stride > 0 ? low : high) : clamp_index(c.begin, r, low, high);
    int64_t end = c.all_after ? (c.stride > 0 ? high : low) : clamp_index(c.end, r, low, high);
    int64_t stride = c.stride > r ? r + 1 : c.stride < -r ? -r - 1 : c.stride;

    for (int64_t i = begin; stride > 0 ? i < end : i > end; i += stride)
        dims[rank++] = shape_dim(&whole, (int)i);
    shape_clear(&whole);
    *out = shape_make(dims, rank);
    return true;
}

static bool from_constant(struct output o, struct shape *out)
{
    struct tensor t = {0};
    int64_t dims[SHAPE_MAX_RANK];

    if (!constant_value(o, &t))
        return false;
    bool ok = (t.dtype == DT_INT32 || t.dtype == DT_INT64) && tensor_rank(&t) == 1 &&
              t.num_elems <= SHAPE_MAX_RANK;
    for (int64_t i = 0; ok && i < t.num_elems; i++) {
        dims[i] = tensor_index(&t, i);
        ok = dims[i] >= -1;
    }
    if (ok)
        *out = shape_make(dims, (int)t.num_elems);
    tensor_clear(&t);
    return ok;
}

/* By the op that made o. False: it says nothing. */
static bool from_op(struct search *s, struct output o, struct shape *out)
{
    const struct node *n = o.node;
    bool is_shape = node_is(n, "Shape"), is_shape_n = node_is(n, "ShapeN");

    if (is_shape || is_shape_n) {
        struct output in = n->inputs[is_shape ? 0 : o.index];

        if (!in.node || shape_at(in)->rank == RANK_UNKNOWN)
            return false;
        *out = shape_copy(shape_at(in));
        return true;
    }
    if (node_is(n, "Pack"))
        return from_pack(n, out);
    if (node_is(n, "Concat") || node_is(n, "ConcatV2"))
        return from_concat(s, n, node_is(n, "ConcatV2"), out);
    if (node_is(n, "StridedSlice"))
        return from_slice(s, n, out);
    return from_constant(o, out);
}

static bool partial(struct search *s, struct output o, struct shape *out)
{
    if (!o.node || s->depth >= MAX_DEPTH || s->steps++ >= MAX_STEPS)
        return false;
    const struct shape *own = shape_at(o);

    if (own->rank == 1 && shape_dim(own, 0) == 0) {
        *out = shape_scalar();
        return true;
    }
    if (own->rank > 1 || own->rank == 0)
        return false;
    s->depth++;
    bool ok = from_op(s, o, out);
    s->depth--;
    if (ok || own->rank != 1)
        return ok;
    int64_t n = shape_dim(own, 0);

    if (n < 0 || n > SHAPE_MAX_RANK)
        return false;
    *out = shape_of_rank((int)n);
    return true;
}

bool constant_partial_shape(struct output o, struct shape *out)
{
    struct search s = {0};

    return partial(&s, o, out);
}
