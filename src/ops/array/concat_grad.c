/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of the joins: each input's part is cut out of dy.
 *
 * Indexed slices (rows of a sharded embedding) stay slices where the axis is a constant: joined
 * along axis 0, each input takes the rows whose indices fall on it; along another axis, each takes
 * its columns of every row. */
#include "ops/array/concat.h"

#include "base/mem.h"

/* The axis counted from the front, int32. */
static struct output front_axis(struct grad_ctx *g, struct join j)
{
    struct output axis = grad_cast(g, grad_in(g, j.axis), DT_INT32);
    return grad_op2(g, "mod=FloorMod", axis, grad_rank(g, grad_in(g, j.first)));
}

/* As tf.gradients has it: a shape for each input until one is not known; then ShapeN takes all. */
static bool known_sizes(struct grad_ctx *g, struct join j, struct output *sizes)
{
    bool known = grad_as_python(g);
    for (int i = 0; i < j.n && known; i++) {
        sizes[i] = grad_shape(g, grad_in(g, j.first + i));
        known = grad_const_of(g, sizes[i]) != NULL;
    }
    return known;
}

/* Cuts x into the pieces that the inputs were: dx[i]. */
static void cut(struct grad_ctx *g, struct join j, struct output x, struct output axis,
                struct output *dx)
{
    struct output *args = mem_new_array(struct output, j.n + 1);
    args[0] = axis;
    if (!known_sizes(g, j, args + 1)) {
        struct output *in = args + 1;
        for (int i = 0; i < j.n; i++)
            in[i] = grad_in(g, j.first + i);
        struct grad_build shapes = {
            .op = "ShapeN", .inputs = in, .num_inputs = j.n, .list_sizes = (int[]){j.n}};
        struct node *sizes = grad_node(g, &shapes);
        for (int i = 0; i < j.n; i++)
            in[i] = grad_node_out(g, sizes, i);
    }
    struct grad_build offset = {
        .op = "ConcatOffset", .inputs = args, .num_inputs = j.n + 1, .list_sizes = (int[]){1, j.n}};
    struct node *begins = grad_node(g, &offset);
    for (int i = 0; i < j.n; i++)
        dx[i] = grad_op3(g, "Slice", x, grad_node_out(g, begins, i), args[i + 1]);
    mem_free(args);
}

/* --- indexed slices --- */

/* The axis, where it is a constant and can be counted from the front; else -1. */
static int static_axis(struct grad_ctx *g, struct join j)
{
    const struct tensor *t = grad_const_of(g, grad_in(g, j.axis));
    int rank = grad_shape_of(g, grad_in(g, j.first))->rank;
    if (!t || t->num_elems != 1)
        return -1;
    int64_t axis = tensor_index(t, 0);
    if (axis < 0)
        axis = rank < 0 ? -1 : axis + rank;
    return axis < 0 || axis >= SHAPE_MAX_RANK ? -1 : (int)axis;
}

static struct output rows_of(struct grad_ctx *g, struct output x, struct output which)
{
    return grad_op3(g, "GatherV2", x, which, grad_const_i32(g, 0));
}

static struct output first_of(struct grad_ctx *g, struct output vector)
{
    struct output spec[] = {vector, grad_const_i32s(g, (int32_t[]){0}, 1),
                            grad_const_i32s(g, (int32_t[]){1}, 1),
                            grad_const_i32s(g, (int32_t[]){1}, 1)};
    return grad_opv(g, "strided_slice=StridedSlice", 4, spec, 1,
                    (struct attr[]){{(char *)"shrink_axis_mask", attr_int(1)}});
}

/* Joined along axis 0. */
static void share_rows(struct grad_ctx *g, struct join j, struct grad_slices dy)
{
    struct output start = grad_const_like(g, dy.indices, 0);
    int type = grad_type_of(g, dy.indices);
    for (int i = 0; i < j.n; i++) {
        struct output size = grad_shape(g, grad_in(g, j.first + i));
        struct output end = grad_add(g, start, grad_cast(g, first_of(g, size), type));
        struct output mine =
            grad_op2(g, "and=LogicalAnd", grad_op2(g, "GreaterEqual", dy.indices, start),
                     grad_op2(g, "Less", dy.indices, end));
        struct output which =
            grad_reshape(g, grad_op1(g, "Where", mine), grad_const_i32s(g, (int32_t[]){-1}, 1));
        struct grad_slices dx = {.values = rows_of(g, dy.values, which),
                                 .indices = grad_sub(g, rows_of(g, dy.indices, which), start),
                                 .dense_shape = size};
        grad_set_slices(g, j.first + i, dx);
        start = end;
    }
}

/* [zeros..., v]: v, a vector of one, as the spec of axis `axis` after axes that are taken whole. */
static struct output at_axis(struct grad_ctx *g, int axis, struct output v)
{
    struct output zeros =
        grad_op2(g, "Fill", grad_const_i32s(g, (int32_t[]){axis}, 1), grad_const_i32(g, 0));
    struct output parts[] = {zeros, v, grad_const_i32(g, 0)};
    struct grad_build join = {
        .op = "concat=ConcatV2", .inputs = parts, .num_inputs = 3, .list_sizes = (int[]){2, 1}};
    return grad_node_out(g, grad_node(g, &join), 0);
}

/* Joined along another axis: all rows, and of each the columns [begin, end). */
static void share_columns(struct grad_ctx *g, struct join j, int axis, struct grad_slices dy)
{
    struct output begin = grad_const_i32s(g, (int32_t[]){0}, 1);
    struct output one = grad_const_i32s(g, (int32_t[]){1}, 1);
    struct output strides =
        grad_op2(g, "Fill", grad_const_i32s(g, (int32_t[]){axis + 1}, 1), grad_const_i32(g, 1));
    int64_t whole = ((int64_t)1 << axis) - 1; /* mask of the axes before */
    for (int i = 0; i < j.n; i++) {
        struct output size = grad_shape(g, grad_in(g, j.first + i));
        struct output width =
            grad_op3(g, "Slice", size, grad_const_i32s(g, (int32_t[]){axis}, 1), one);
        struct output end = grad_add(g, begin, width);
        struct output spec[] = {dy.values, at_axis(g, axis, begin), at_axis(g, axis, end), strides};
        struct grad_slices dx = {
            .values = grad_opv(g, "strided_slice=StridedSlice", 4, spec, 2,
                               (struct attr[]){{(char *)"begin_mask", attr_int(whole)},
                                               {(char *)"end_mask", attr_int(whole)}}),
            .indices = dy.indices,
            .dense_shape = size};
        grad_set_slices(g, j.first + i, dx);
        begin = end;
    }
}

static bool join_grad(struct grad_ctx *g, struct join j, struct status *st)
{
    struct grad_slices slices;
    int axis = grad_dy_slices(g, 0, &slices) ? static_axis(g, j) : -1;
    enum { MASK_BITS = 31 };
    if (axis == 0) {
        share_rows(g, j, slices);
    } else if (axis > 0 && axis < MASK_BITS) {
        share_columns(g, j, axis, slices);
    } else {
        struct output *dx = mem_new_array(struct output, j.n);
        cut(g, j, grad_dy(g, 0), front_axis(g, j), dx);
        for (int i = 0; i < j.n; i++)
            grad_set(g, j.first + i, dx[i]);
        mem_free(dx);
    }
    return grad_done(g, st);
}

bool concat_grad(struct grad_ctx *g, struct status *st)
{
    return join_grad(g, (struct join){1, grad_num_inputs(g) - 1, 0}, st);
}

bool concat_v2_grad(struct grad_ctx *g, struct status *st)
{
    int n = grad_num_inputs(g) - 1;
    return join_grad(g, (struct join){0, n, n}, st);
}
