/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of reductions by the nodes that tf.gradients makes for them; see reduce_grad.c.
 *
 * Where all is known they are constants, and the nodes by which they would have been computed stay
 * beside them, unread. */
#include "ops/reduce/axes.h"

#include <string.h>

struct known { /* of the input: NULL, or what the graph says */
    const struct shape *x;
    const struct tensor *axes;
    bool all_dims; /* x is known in full */
};

static struct known find_known(struct grad_ctx *g)
{
    struct known k = {grad_shape_of(g, grad_in(g, 0)), grad_const_of(g, grad_in(g, 1)), false};
    k.all_dims = shape_known(k.x);
    for (int i = 0; i < k.x->rank && k.all_dims; i++)
        k.all_dims = shape_dim(k.x, i) <= INT32_MAX;
    return k;
}

/* The axes are all there are, in order. */
static bool takes_all(const struct known *k)
{
    if (k->x->rank < 0 || !k->axes || k->axes->num_elems != k->x->rank)
        return false;
    for (int i = 0; i < k->x->rank; i++) {
        if (tensor_index(k->axes, i) != i)
            return false;
    }
    return true;
}

static struct output size_of(struct grad_ctx *g, struct output vector)
{
    const struct shape *s = grad_shape_of(g, vector);
    if (s->rank != 1 || shape_dim(s, 0) < 0 || shape_dim(s, 0) > INT32_MAX)
        return grad_op1(g, "Size", vector);
    grad_name(g, "Size");
    return grad_const_i32(g, (int32_t)shape_dim(s, 0));
}

/* shape with 1 at the axes, which may be negative. */
static struct output kept_dims(struct grad_ctx *g, struct output shape, struct output axes)
{
    struct output size = size_of(g, shape);
    struct output front = grad_op2(g, "mod=FloorMod", grad_add(g, axes, size), size);
    struct output at = grad_shape(g, front);
    struct output all =
        grad_op3(g, "range=Range", grad_const_i32(g, 0), size, grad_const_i32(g, 1));
    struct output ones = grad_op2(g, "Fill", at, grad_const_i32(g, 1));
    struct grad_build b = {.op = "DynamicStitch",
                           .inputs = (struct output[]){all, front, shape, ones},
                           .num_inputs = 4,
                           .list_sizes = (int[]){2, 2}};
    return grad_node_out(g, grad_node(g, &b), 0);
}

/* a / b, where b may be 0 if a is. */
static struct output safe_quotient(struct grad_ctx *g, struct output a, struct output b)
{
    struct output divisor = grad_op2(g, "Maximum", b, grad_const_i32(g, 1));
    return grad_op2(g, "floordiv=FloorDiv", a, divisor);
}

static struct output dims(struct grad_ctx *g, const int32_t *v, int n)
{
    return grad_const_i32s(g, v, n);
}

static struct output spread_all(struct grad_ctx *g, const struct known *k, struct output dy)
{
    int32_t ones[SHAPE_MAX_RANK], own[SHAPE_MAX_RANK];
    for (int i = 0; i < k->x->rank; i++) {
        ones[i] = 1;
        own[i] = k->all_dims ? (int32_t)shape_dim(k->x, i) : 0;
    }
    struct output flat = grad_reshape(g, dy, dims(g, ones, k->x->rank));
    if (k->all_dims)
        grad_name(g, "Const");
    struct output times = k->all_dims ? dims(g, own, k->x->rank) : grad_shape(g, grad_in(g, 0));
    return grad_op2(g, "Tile", flat, times);
}

/* By constants; false: an axis is out of range. */
static bool spread_known(struct grad_ctx *g, const struct known *k, struct output *dy)
{
    const int rank = k->x->rank;
    int32_t own[SHAPE_MAX_RANK], kept[SHAPE_MAX_RANK], times[SHAPE_MAX_RANK], axes[SHAPE_MAX_RANK];
    if (k->axes->num_elems > rank)
        return false;
    for (int i = 0; i < rank; i++)
        own[i] = kept[i] = (int32_t)shape_dim(k->x, i);
    for (int i = 0; i < k->axes->num_elems; i++) {
        const int64_t axis = tensor_index(k->axes, i);
        if (axis < -rank || axis >= rank)
            return false;
        axes[i] = (int32_t)axis;
        kept[axis < 0 ? axis + rank : axis] = 1;
    }
    for (int i = 0; i < rank; i++)
        times[i] = own[i] / (kept[i] > 1 ? kept[i] : 1);
    grad_name(g, "Cast/x");
    struct output shape = dims(g, own, rank);
    grad_name(g, "Cast_1/x");
    (void)kept_dims(g, shape, dims(g, axes, (int)k->axes->num_elems));
    (void)safe_quotient(g, dims(g, own, rank), dims(g, kept, rank));
    *dy = grad_reshape(g, *dy, dims(g, kept, rank));
    *dy = grad_op2(g, "Tile", *dy, dims(g, times, rank));
    return true;
}

static struct output spread(struct grad_ctx *g)
{
    const struct known k = find_known(g);
    struct output dy = grad_dy(g, 0);
    if (takes_all(&k))
        return spread_all(g, &k, dy);
    if (k.all_dims && k.axes && spread_known(g, &k, &dy))
        return dy;
    struct output shape = grad_shape(g, grad_in(g, 0));
    grad_beside(g, shape);
    struct output kept = kept_dims(g, shape, grad_cast(g, grad_in(g, 1), DT_INT32));
    struct output times = safe_quotient(g, shape, kept);
    grad_beside_end(g);
    return grad_op2(g, "Tile", grad_reshape(g, dy, kept), times);
}

bool reduce_sum_python(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, spread(g));
    return grad_done(g, st);
}

static struct output product(struct grad_ctx *g, struct output v)
{
    grad_name(g, "Const");
    return grad_op2(g, "Prod", v, grad_const_i32s(g, (int32_t[]){0}, 1));
}

/* How many elements a mean is of: a constant, or invalid where that is not known. */
static struct output known_share(struct grad_ctx *g, struct output like)
{
    const struct shape *x = grad_shape_of(g, grad_in(g, 0)), *y = grad_shape_of(g, grad_out(g, 0));
    struct status st = {0};
    int64_t in, out;
    struct output none = {NULL, 0};
    const bool known = shape_known(x) && shape_known(y) && shape_num_elems(x, &in, &st) &&
                       shape_num_elems(y, &out, &st);
    status_clear(&st);
    if (!known)
        return none;
    grad_name(g, "Const");
    return grad_const_like(g, like, (double)(in / (out > 1 ? out : 1)));
}

bool reduce_mean_python(struct grad_ctx *g, struct status *st)
{
    struct output dx = spread(g), n = known_share(g, dx);
    if (!output_valid(n)) {
        struct output in = grad_shape(g, grad_in(g, 0)), out = grad_shape(g, grad_out(g, 0));
        in = product(g, in);
        out = product(g, out);
        n = grad_cast(g, safe_quotient(g, in, out), grad_type_of(g, dx));
    }
    grad_set(g, 0, grad_div(g, dx, n));
    return grad_done(g, st);
}

struct output reduce_kept_python(struct grad_ctx *g)
{
    struct output shape = grad_shape(g, grad_in(g, 0));
    return kept_dims(g, shape, grad_cast(g, grad_in(g, 1), DT_INT32));
}
