/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of picking rows, as indexed slices or as a sum over segments. */
#include "ops/gather/gather_grad.h"

enum { CONCAT_MAX = 8 };

struct output gather_concat(struct grad_ctx *g, const struct output *parts, int n)
{
    struct output in[CONCAT_MAX + 1];
    for (int i = 0; i < n; i++)
        in[i] = parts[i];
    in[n] = grad_const_i32(g, 0);
    struct grad_build b = {
        .op = "concat=ConcatV2", .inputs = in, .num_inputs = n + 1, .list_sizes = (int[]){n, 1}};
    return grad_node_out(g, grad_node(g, &b), 0);
}

static struct output one_item(struct grad_ctx *g, int32_t v)
{
    return grad_const_i32s(g, &v, 1);
}

struct output gather_part(struct grad_ctx *g, struct output v, int begin, int n)
{
    return grad_op3(g, "Slice", v, one_item(g, begin), one_item(g, n));
}

static struct output flat(struct grad_ctx *g, struct output x)
{
    return grad_reshape(g, x, one_item(g, -1));
}

struct grad_slices gather_slices(struct grad_ctx *g, struct output shape)
{
    struct output indices = grad_in(g, 1), dy = grad_dy(g, 0);
    if (grad_as_python(g)) {
        struct output num = grad_op2(g, "ExpandDims", grad_size(g, indices), grad_const_i32(g, 0));
        struct output all = gather_concat(g, (struct output[]){num, grad_piece(g, shape, 1, 0)}, 2);
        struct output values = grad_reshape(g, dy, all);
        return (struct grad_slices){values, grad_reshape(g, indices, num), shape};
    }
    if (grad_shape_of(g, indices)->rank == 1)
        return (struct grad_slices){.values = dy, .indices = indices, .dense_shape = shape};
    struct output size = grad_reshape(g, grad_op1(g, "Size", indices), one_item(g, 1));
    struct output parts[] = {size, gather_part(g, shape, 1, -1)};
    return (struct grad_slices){.values = grad_reshape(g, dy, gather_concat(g, parts, 2)),
                                .indices = grad_reshape(g, indices, size),
                                .dense_shape = shape};
}

/* The product of a vector's items, as a vector of one. */
static struct output product(struct grad_ctx *g, struct output v)
{
    return grad_reshape(g, grad_op2(g, "Prod", v, grad_const_i32(g, 0)), one_item(g, 1));
}

static struct output scalar_of(struct grad_ctx *g, struct output v)
{
    return grad_reshape(g, v, grad_const_i32s(g, NULL, 0));
}

/* Row numbers across the batches: indices + batch number * rows, flat. */
static struct output batched_ids(struct grad_ctx *g, struct output batch, struct output num,
                                 struct output rows)
{
    struct output indices = grad_in(g, 1);
    int type = grad_type_of(g, indices);
    struct output ids =
        grad_reshape(g, indices, gather_concat(g, (struct output[]){batch, num}, 2));
    struct output numbers =
        grad_op3(g, "range=Range", grad_const_i32(g, 0), scalar_of(g, batch), grad_const_i32(g, 1));
    struct output column[] = {batch, one_item(g, 1)};
    struct output starts = grad_reshape(g, grad_mul(g, numbers, rows), gather_concat(g, column, 2));
    return grad_reshape(g, grad_add(g, ids, grad_cast(g, starts, type)), grad_mul(g, batch, num));
}

/* With params as [batch, outer, rows, inner] and dy as [batch, outer, num, inner], rows go in
 * front: a sum over batch * rows segments of [outer, inner], and back. */
bool gather_set_dense(struct grad_ctx *g, struct output shape, struct output axis,
                      int64_t batch_dims, struct status *st)
{
    struct output indices = grad_in(g, 1), x = shape;
    int rank = grad_shape_of(g, indices)->rank;
    if (batch_dims < 0 && rank < 0)
        return grad_fail(g, st, STATUS_UNIMPLEMENTED,
                         "the gradient with negative batch_dims needs the rank of indices");
    int b = (int)(batch_dims < 0 ? batch_dims + rank : batch_dims);
    struct output b_items = one_item(g, b);
    struct output at = grad_reshape(
        g, grad_op2(g, "mod=FloorMod", grad_cast(g, axis, DT_INT32), grad_op1(g, "Size", x)),
        one_item(g, 1));
    struct output one = one_item(g, 1);
    struct output batch = product(g, gather_part(g, x, 0, b));
    struct output outer = product(g, grad_op3(g, "Slice", x, b_items, grad_sub(g, at, b_items)));
    struct output rows = grad_op3(g, "Slice", x, at, one);
    struct output inner =
        product(g, grad_op3(g, "Slice", x, grad_add(g, at, one), one_item(g, -1)));
    struct output num = product(g, gather_part(g, grad_shape(g, indices), b, -1));
    struct output swap = grad_const_i32s(g, (int32_t[]){0, 2, 1, 3}, 4);
    struct output four[] = {batch, outer, num, inner};
    struct output dy = grad_reshape(g, grad_dy(g, 0), gather_concat(g, four, 4));
    struct output three[] = {grad_mul(g, batch, num), outer, inner};
    dy = grad_reshape(g, grad_op2(g, "transpose=Transpose", dy, swap), gather_concat(g, three, 3));
    struct output ids = b == 0 ? flat(g, indices) : batched_ids(g, batch, num, rows);
    struct output sum =
        grad_op3(g, "UnsortedSegmentSum", dy, ids, scalar_of(g, grad_mul(g, batch, rows)));
    struct output back[] = {batch, rows, outer, inner};
    sum = grad_op2(g, "transpose=Transpose", grad_reshape(g, sum, gather_concat(g, back, 4)), swap);
    grad_set(g, 0, grad_reshape(g, sum, shape));
    return true;
}
