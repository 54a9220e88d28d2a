/* SPDX-License-Identifier: Apache-2.0 */
/* Slice: a box of the input, given by its corner and its size. Where all axes but the first are
 * whole, the rows are shared, not copied. */
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

/* --- shape --- */

/* Sizes are constants; -1 stands for the rest of its axis. */
static bool sized(struct infer_ctx *c, const struct shape *begin, const struct tensor *sizes,
                  const struct shape **out, struct status *st)
{
    const struct shape *in = infer_input(c, 0);
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < (int)sizes->num_elems; i++) {
        int64_t n = tensor_index(sizes, i), d = infer_dim(in, i), b = infer_dim(begin, i);
        if (n < -1)
            return status_invalid(st, "Invalid value in tensor used for shape: %lld", (long long)n);
        dims[i] = n;
        if (n >= 0 || d < 0 || b < 0)
            continue;
        if (b > d)
            return status_invalid(st,
                                  "Negative dimension size caused by subtracting %lld from %lld",
                                  (long long)b, (long long)d);
        dims[i] = d - b;
    }
    *out = infer_make(c, dims, (int)sizes->num_elems);
    return true;
}

static bool slice_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *begin, *sizes;
    if (!infer_want_rank(c, infer_input(c, 1), 1, &begin, st) ||
        !infer_want_rank(c, infer_input(c, 2), 1, &sizes, st) ||
        !infer_merge(c, begin, sizes, &begin, st))
        return false;
    int64_t rank = infer_dim(begin, 0);
    if (rank > SHAPE_MAX_RANK)
        return status_invalid(st, "Shape must be at most rank %d but is rank %lld", SHAPE_MAX_RANK,
                              (long long)rank);
    if (rank != DIM_UNKNOWN && !infer_want_rank(c, in, (int)rank, &in, st))
        return false;
    if (!infer_const_shape(c, 1, &begin, st))
        return false;
    const struct tensor *known = infer_const(c, 2);
    if (known && known->num_elems <= SHAPE_MAX_RANK) {
        if (!sized(c, begin, known, &sizes, st))
            return false;
        infer_set(c, 0, sizes);
        return true;
    }
    if (!infer_const_shape(c, 2, &sizes, st))
        return false;
    infer_set(c, 0, sizes->rank >= 0 ? sizes : infer_of_rank(c, in->rank));
    return true;
}

/* --- gradient --- */

/* dy with zeros around it, as many as were cut off. */
static bool slice_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), begin = grad_in(g, 1);
    const int type = grad_type_of(g, begin);
    struct output rank = grad_as_python(g) ? grad_rank(g, x) : x;
    struct output size = grad_shape_as(g, grad_out(g, 0), type);
    struct output column =
        grad_as_python(g) ? grad_column(g, rank) : grad_const_i32s(g, (int32_t[]){-1, 1}, 2);
    struct output parts[3] = {grad_reshape(g, begin, column)};
    struct output after = grad_sub(g, grad_sub(g, grad_shape_as(g, x, type), size), begin);
    parts[1] = grad_reshape(g, after, column);
    parts[2] = grad_const_i32(g, 1);
    struct grad_build join = {
        .op = "concat=ConcatV2", .inputs = parts, .num_inputs = 3, .list_sizes = (int[]){2, 1}};
    grad_set(g, 0, grad_op2(g, "Pad", grad_dy(g, 0), grad_node_out(g, grad_node(g, &join), 0)));
    return grad_done(g, st);
}

/* --- kernel --- */

struct box {
    int64_t begin[SHAPE_MAX_RANK], size[SHAPE_MAX_RANK];
    bool rows; /* whole but for axis 0 */
};

static bool read_box(struct kctx *c, struct box *box, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *begin = kernel_in(c, 1), *size = kernel_in(c, 2);
    int rank = tensor_rank(in);
    if (tensor_rank(begin) != 1 || tensor_rank(size) != 1 || begin->num_elems != rank ||
        size->num_elems != rank) {
        array_fail_shapes(st, "but got shapes ", &begin->shape, " and ", &size->shape, " instead.");
        status_prepend(st, "Expected begin and size arguments to be 1-D tensors of size %d, ",
                       rank);
        return false;
    }
    box->rows = true;
    for (int i = 0; i < rank; i++) {
        int64_t b = tensor_index(begin, i), s = tensor_index(size, i), d = tensor_dim(in, i);
        if (s == -1)
            s = d - b;
        if (d == 0 && (b != 0 || s != 0))
            return status_invalid(st,
                                  "Expected begin[%d] == 0 (got %lld) and size[%d] == 0 (got %lld) "
                                  "when input.dim_size(%d) == 0",
                                  i, (long long)b, i, (long long)s, i);
        if (b < 0 || b > d)
            return status_invalid(st, "Expected begin[%d] in [0, %lld], but got %lld", i,
                                  (long long)d, (long long)b);
        if (s < 0 || s > d - b)
            return status_invalid(st, "Expected size[%d] in [0, %lld], but got %lld", i,
                                  (long long)(d - b), (long long)s);
        box->begin[i] = b;
        box->size[i] = s;
        box->rows = box->rows && (i == 0 || s == d);
    }
    return true;
}

static bool slice_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int rank = tensor_rank(in);
    struct box box;
    if (!read_box(c, &box, st))
        return false;
    if (box.rows) {
        struct tensor rows =
            rank == 0 ? tensor_copy(in) : tensor_rows(in, box.begin[0], box.begin[0] + box.size[0]);
        kernel_out_take(c, 0, &rows);
        return true;
    }
    struct shape shape = shape_make(box.size, rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK], at = 0;
    nd_steps(&in->shape, from);
    nd_steps(&out->shape, to);
    for (int i = 0; i < rank; i++)
        at += box.begin[i] * from[i];
    struct nd_copy copy;
    nd_begin(&copy, in->dtype, (const char *)in->data + at * (int64_t)dtype_size(in->dtype),
             out->data);
    for (int i = 0; i < rank; i++)
        nd_axis(&copy, box.size[i], from[i], to[i]);
    return nd_run(c, &copy, st);
}

OP_DEF(slice) = {
    .name = "Slice",
    .summary = "The box of the input that begins at the given index and has the given size.",
    .inputs = {"input: T", "begin: Index", "size: Index"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Index: {int32, int64}"},
    .shape = slice_shape,
    .grad = slice_grad,
};
KERNEL_DEF(slice_cpu) = {.op = "Slice", .device = "CPU", .run = slice_run, .flags = KERNEL_ALIAS};
