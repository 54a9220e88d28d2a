/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of reductions: the incoming gradient is reshaped to the input's rank and repeated.
 *
 * Where the rank and the axes are known, shapes are computed by constant masks; else by
 * DynamicStitch. */
#include "ops/reduce/axes.h"

static struct output as_int32(struct grad_ctx *g, struct output x)
{
    return grad_cast(g, x, DT_INT32);
}

/* axes, counted from the front, as a vector */
static struct output axes_from_front(struct grad_ctx *g, struct output rank)
{
    struct output axes =
        grad_reshape(g, as_int32(g, grad_in(g, 1)), grad_const_i32s(g, (int[]){-1}, 1));
    return grad_op2(g, "mod=FloorMod", grad_add(g, axes, rank), rank);
}

static struct reduce_undo undo_dynamic(struct grad_ctx *g, struct output shape)
{
    struct output rank = grad_op1(g, "Size", shape), zero = grad_const_i32(g, 0);
    struct output one = grad_const_i32(g, 1), axes = axes_from_front(g, rank);
    struct output ones = grad_op2(g, "Fill", grad_shape(g, axes), one);
    struct output all = grad_op3(g, "range=Range", zero, rank, one);
    struct grad_build b = {.op = "DynamicStitch",
                           .inputs = (struct output[]){all, axes, shape, ones},
                           .num_inputs = 4,
                           .list_sizes = (int[]){2, 2}};
    struct reduce_undo u;
    u.kept = grad_node_out(g, grad_node(g, &b), 0);
    u.multiples = grad_op2(g, "FloorDiv", shape, grad_op2(g, "Maximum", u.kept, one));
    return u;
}

/* Whether rank and axes are known and valid. */
static bool known_axes(struct grad_ctx *g, struct reduce_axes *a)
{
    const struct shape *x = grad_shape_of(g, grad_in(g, 0));
    const struct tensor *axes = grad_const_of(g, grad_in(g, 1));
    if (x->rank < 0 || !axes)
        return false;
    struct status st = {0};
    bool ok = reduce_axes_read(axes, x->rank, a, &st);
    status_clear(&st);
    return ok;
}

struct reduce_undo reduce_undo(struct grad_ctx *g)
{
    struct output x = grad_in(g, 0);
    struct reduce_axes a;
    if (!known_axes(g, &a))
        return undo_dynamic(g, grad_shape(g, x));
    const struct shape *s = grad_shape_of(g, x);
    int32_t kept[SHAPE_MAX_RANK], multiples[SHAPE_MAX_RANK];
    bool known = true;
    for (int i = 0; i < a.rank; i++) {
        int64_t dim = shape_dim(s, i);
        known = known && dim >= 0 && dim <= INT32_MAX;
    }
    for (int i = 0; i < a.rank; i++) {
        int32_t dim = known ? (int32_t)shape_dim(s, i) : 0;
        kept[i] = a.reduced[i] ? 1 : dim;
        multiples[i] = a.reduced[i] ? dim : 1;
    }
    struct reduce_undo u = {grad_const_i32s(g, kept, a.rank),
                            grad_const_i32s(g, multiples, a.rank)};
    if (known)
        return u;
    /* kept is 1 where reduced and 0 elsewhere, multiples the other way round */
    struct output shape = grad_shape(g, x), is_reduced = u.kept, is_kept = u.multiples;
    u.kept = grad_add(g, grad_mul(g, shape, is_kept), is_reduced);
    u.multiples = grad_add(g, grad_mul(g, shape, is_reduced), is_kept);
    return u;
}

struct output reduce_spread(struct grad_ctx *g, const struct reduce_undo *u, struct output v)
{
    return grad_op2(g, "Tile", grad_reshape(g, v, u->kept), u->multiples);
}

bool reduce_sum_grad(struct grad_ctx *g, struct status *st)
{
    if (grad_as_python(g))
        return reduce_sum_python(g, st);
    struct reduce_undo u = reduce_undo(g);
    grad_set(g, 0, reduce_spread(g, &u, grad_dy(g, 0)));
    return grad_done(g, st);
}

static struct output product(struct grad_ctx *g, struct output v)
{
    return grad_op2(g, "Prod", v, grad_const_i32s(g, (int[]){0}, 1));
}

bool reduce_mean_grad(struct grad_ctx *g, struct status *st)
{
    if (grad_as_python(g))
        return reduce_mean_python(g, st);
    struct reduce_undo u = reduce_undo(g);
    struct output dx = reduce_spread(g, &u, grad_dy(g, 0));
    struct output in = product(g, grad_shape(g, grad_in(g, 0)));
    struct output out = product(g, grad_shape(g, grad_out(g, 0)));
    struct output n =
        grad_op2(g, "FloorDiv", in, grad_op2(g, "Maximum", out, grad_const_i32(g, 1)));
    grad_set(g, 0, grad_div(g, dx, grad_cast(g, n, grad_type_of(g, dx))));
    return grad_done(g, st);
}

/* dy goes in equal parts to all elements that are the extreme. */
bool reduce_extreme_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0);
    struct output kept = grad_as_python(g) ? reduce_kept_python(g) : reduce_undo(g).kept;
    struct output y = grad_reshape(g, grad_out(g, 0), kept);
    struct output dy = grad_reshape(g, grad_dy(g, 0), kept);
    struct output hit = grad_cast(g, grad_op2(g, "Equal", y, x), grad_type_of(g, dy));
    struct output num = grad_op2(g, "Sum", hit, grad_in(g, 1));
    num = grad_reshape(g, num, kept);
    grad_set(g, 0, grad_mul(g, grad_div(g, hit, num), dy));
    return grad_done(g, st);
}

/* The permutation that brings the reduced axes to the front, and how many they are. */
static void front_permutation(struct grad_ctx *g, struct output *perm, struct output *num)
{
    struct reduce_axes a;
    if (!known_axes(g, &a)) {
        struct output rank = grad_op1(g, "Rank", grad_in(g, 0)), one = grad_const_i32(g, 1);
        struct output axes = axes_from_front(g, rank), zero = grad_const_i32(g, 0);
        struct output all = grad_op3(g, "range=Range", zero, rank, one);
        struct node *diff = grad_nodev(g, "ListDiff", 2, (struct output[]){all, axes}, 0, NULL);
        struct grad_build b = {.op = "concat=ConcatV2",
                               .inputs = (struct output[]){axes, grad_node_out(g, diff, 0), zero},
                               .num_inputs = 3,
                               .list_sizes = (int[]){2, 1}};
        *perm = grad_node_out(g, grad_node(g, &b), 0);
        *num = grad_op1(g, "Size", axes);
        return;
    }
    int32_t order[SHAPE_MAX_RANK];
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < a.rank; i++) {
            if (a.reduced[i] == (pass == 0))
                order[n++] = i;
        }
    }
    *perm = grad_const_i32s(g, order, a.rank);
    *num = grad_const_i32(g, a.num_reduced);
}

static struct output cumprod_others(struct grad_ctx *g, struct output x, bool reverse)
{
    struct output in[] = {x, grad_const_i32(g, 0)};
    struct attr attrs[] = {{(char *)"exclusive", attr_bool(true)},
                           {(char *)"reverse", attr_bool(reverse)}};
    return grad_opv(g, "Cumprod", 2, in, 2, attrs);
}

/* dy times the product of all the others, which is that of those before and those after: division
 * would fail where an element is zero. */
bool reduce_prod_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), perm, num;
    struct reduce_undo u = reduce_undo(g);
    struct output dy = reduce_spread(g, &u, grad_dy(g, 0));
    front_permutation(g, &perm, &num);
    struct output moved = grad_op2(g, "transpose=Transpose", x, perm), shape = grad_shape(g, moved);
    struct output num1 = grad_reshape(g, num, grad_const_i32s(g, (int[]){1}, 1));
    struct output zero = grad_const_i32s(g, (int[]){0}, 1),
                  rest = grad_const_i32s(g, (int[]){-1}, 1);
    struct output size[] = {product(g, grad_op3(g, "Slice", shape, zero, num1)),
                            product(g, grad_op3(g, "Slice", shape, num1, rest))};
    struct grad_build b = {
        .op = "stack=Pack", .inputs = size, .num_inputs = 2, .list_sizes = (int[]){2}};
    struct output flat = grad_reshape(g, moved, grad_node_out(g, grad_node(g, &b), 0));
    struct output left = grad_conj(g, cumprod_others(g, flat, false));
    struct output right = grad_conj(g, cumprod_others(g, flat, true));
    struct output others = grad_reshape(g, grad_mul(g, left, right), shape);
    struct output back = grad_op1(g, "InvertPermutation", perm);
    struct output dx = grad_mul(g, dy, grad_op2(g, "transpose=Transpose", others, back));
    grad_set(g, 0, grad_reshape(g, dx, grad_shape(g, x)));
    return grad_done(g, st);
}
