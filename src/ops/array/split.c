/* SPDX-License-Identifier: Apache-2.0 */
/* Split and SplitV: cutting a tensor along an axis, into equal pieces or pieces of given lengths.
 * Cuts along axis 0 share the buffer. */
#include "base/mem.h"
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

/* --- shape --- */

/* The constant axis (input i) from the front; *axis -1 where it is not known. */
static bool infer_axis(struct infer_ctx *c, int i, int rank, int *axis, struct status *st)
{
    bool known;
    int64_t v = 0;
    *axis = -1;
    if (!infer_const_int(c, i, &known, &v, st))
        return false;
    if (!known || (rank < 0 && (v < 0 || v >= SHAPE_MAX_RANK)))
        return true;
    if (rank >= 0 && (v < -rank || v >= rank))
        return status_invalid(
            st, "Dimension size, given by scalar input %lld must be in range [-%d, %d)",
            (long long)v, rank, rank);
    *axis = (int)(v < 0 ? v + rank : v);
    return true;
}

static bool split_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 1);
    int axis = 0, n = infer_num_outputs(c);
    if (!infer_axis(c, 0, in->rank, &axis, st))
        return false;
    const struct shape *out = infer_of_rank(c, in->rank);
    if (axis >= 0) {
        if (!infer_want_rank_min(c, in, axis + 1, &in, st))
            return false;
        int64_t d = infer_dim(in, axis);
        if (d >= 0 && d % n != 0)
            return status_invalid(
                st,
                "Dimension size must be evenly divisible by %d but is %lld\n\t"
                "Number of ways to split should evenly divide the split dimension",
                n, (long long)d);
        out = infer_with_dim(c, in, axis, d < 0 ? DIM_UNKNOWN : d / n);
    }
    for (int i = 0; i < n; i++)
        infer_set(c, i, out);
    return true;
}

/* The lengths of pieces are constants. */
static bool known_pieces(struct infer_ctx *c, const struct shape *in, const struct tensor *sizes,
                         int axis, struct status *st)
{
    int n = infer_num_outputs(c), rest = -1;
    int64_t total = 0, dim = infer_dim(in, axis);
    if (sizes->num_elems != n)
        return status_invalid(st, "Length of size_splits should be equal to num_outputs");
    for (int i = 0; i < n; i++) {
        int64_t s = tensor_index(sizes, i);
        if (s == -1 && rest >= 0)
            return status_invalid(st, "size_splits can only have one -1");
        if (s == -1)
            rest = i;
        else if (!size_add(total, s, &total))
            return status_invalid(st, "Split size at index %d must be >= 0. Got: %lld", i,
                                  (long long)s);
    }
    if (dim >= 0 && (rest >= 0 ? total > dim : total != dim)) {
        struct strbuf text = {0};
        for (int i = 0; i < n; i++)
            strbuf_printf(&text, "%s%lld", i ? "," : "", (long long)tensor_index(sizes, i));
        status_invalid(st, "can't split axis of size %lld into pieces of size [%s]", (long long)dim,
                       strbuf_text(&text));
        strbuf_release(&text);
        return false;
    }
    for (int i = 0; i < n; i++) {
        int64_t s = tensor_index(sizes, i);
        if (i == rest)
            s = dim >= 0 ? dim - total : DIM_UNKNOWN;
        infer_set(c, i, infer_with_dim(c, in, axis, s));
    }
    return true;
}

static bool split_v_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0);
    int axis = 0;
    if (!infer_axis(c, 2, in->rank, &axis, st))
        return false;
    if (in->rank < 0)
        return infer_unknown_outputs(c, st);
    if (in->rank == 0)
        return status_invalid(st, "Can't split scalars");
    const struct tensor *sizes = infer_const(c, 1);
    if (sizes && axis >= 0)
        return known_pieces(c, in, sizes, axis, st);
    const struct shape *out =
        axis >= 0 ? infer_with_dim(c, in, axis, DIM_UNKNOWN) : infer_of_rank(c, in->rank);
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, out);
    return true;
}

/* --- gradient: joins what came --- */

static bool join_grad(struct grad_ctx *g, int value, int axis, struct status *st)
{
    int n = grad_num_outputs(g);
    if (n == 1) {
        grad_set(g, value, grad_dy(g, 0));
        return grad_done(g, st);
    }
    struct output *in = mem_new_array(struct output, n + 1);
    for (int i = 0; i < n; i++)
        in[i] = grad_dy(g, i);
    in[n] = grad_in(g, axis);
    struct grad_build join = {
        .op = "concat=ConcatV2", .inputs = in, .num_inputs = n + 1, .list_sizes = (int[]){n, 1}};
    grad_set(g, value, grad_node_out(g, grad_node(g, &join), 0));
    mem_free(in);
    return grad_done(g, st);
}

static bool split_grad(struct grad_ctx *g, struct status *st)
{
    return join_grad(g, 1, 0, st);
}

static bool split_v_grad(struct grad_ctx *g, struct status *st)
{
    return join_grad(g, 0, 2, st);
}

/* --- kernels --- */

static bool kernel_axis(const struct tensor *t, int rank, int *axis, struct status *st)
{
    if (t->num_elems != 1 || tensor_rank(t) != 0)
        return status_invalid(st, "split_dim must be a scalar but has rank %d", tensor_rank(t));
    int64_t v = tensor_index(t, 0);
    if (v < -rank || v >= rank)
        return status_invalid(st, "-input rank(-%d) <= split_dim < input rank (%d), but got %lld",
                              rank, rank, (long long)v);
    *axis = (int)(v < 0 ? v + rank : v);
    return true;
}

/* Output i: `len` of the axis from `at` on. */
static bool put_piece(struct kctx *c, const struct tensor *in, int axis, int i, int64_t at,
                      int64_t len, struct status *st)
{
    if (axis == 0) {
        struct tensor rows = tensor_rows(in, at, at + len);
        kernel_out_take(c, i, &rows);
        return true;
    }
    int64_t dims[SHAPE_MAX_RANK], before = 1;
    int rank = tensor_rank(in);
    for (int k = 0; k < rank; k++)
        dims[k] = k == axis ? len : tensor_dim(in, k);
    for (int k = 0; k < axis; k++)
        before *= dims[k];
    struct shape shape = shape_make(dims, rank);
    struct tensor *out = kernel_out(c, i, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    int64_t inner = in->num_elems / before / tensor_dim(in, axis);
    struct nd_copy copy;
    nd_begin(&copy, in->dtype, (const char *)in->data + at * inner * (int64_t)dtype_size(in->dtype),
             out->data);
    nd_axis(&copy, before, tensor_dim(in, axis) * inner, len * inner);
    nd_axis(&copy, len * inner, 1, 1);
    return nd_run(c, &copy, st);
}

/* Equal pieces of an axis that `before` rows lie in front of, all in one loop. */
static bool put_strips(struct kctx *c, const struct tensor *in, int axis, int64_t before,
                       struct status *st)
{
    struct nd_strip strips[ND_STRIPS];
    int64_t dims[SHAPE_MAX_RANK];
    const int rank = tensor_rank(in), n = kernel_num_outputs(c);
    for (int k = 0; k < rank; k++)
        dims[k] = k == axis ? tensor_dim(in, k) / n : tensor_dim(in, k);
    const int64_t row = (int64_t)tensor_bytes(in) / before, run = row / n;
    for (int i = 0; i < n; i++) {
        struct shape shape = shape_make(dims, rank);
        struct tensor *out = kernel_out(c, i, &shape, st);
        shape_clear(&shape);
        if (!out)
            return false;
        strips[i] = (struct nd_strip){(const char *)in->data + i * run, out->data, row, run, run};
    }
    nd_strips_run(c, strips, n, before);
    return true;
}

static bool split_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 1);
    int axis = 0, n = kernel_num_outputs(c);
    if (!kernel_axis(kernel_in(c, 0), tensor_rank(in), &axis, st))
        return false;
    int64_t dim = tensor_dim(in, axis), len = dim / n;
    if (dim % n != 0)
        return status_invalid(st,
                              "Number of ways to split should evenly divide the split dimension, "
                              "but got split_dim %d (size = %lld) and num_split %d",
                              axis, (long long)dim, n);
    int64_t before = 1;
    for (int k = 0; k < axis; k++)
        before *= tensor_dim(in, k);
    if (axis > 0 && in->num_elems > 0 &&
        nd_strips_suit(in->dtype, n, before, (int64_t)tensor_bytes(in)))
        return put_strips(c, in, axis, before, st);
    for (int i = 0; i < n; i++) {
        if (!put_piece(c, in, axis, i, i * len, len, st))
            return false;
    }
    return true;
}

OP_DEF(split) = {
    .name = "Split",
    .summary = "The input cut along an axis into equal pieces.",
    .inputs = {"split_dim: int32", "value: T"},
    .outputs = {"output: num_split * T"},
    .attrs = {"num_split: int >= 1", "T: type"},
    .shape = split_shape,
    .grad = split_grad,
};
KERNEL_DEF(split_cpu) = {.op = "Split", .device = "CPU", .run = split_run};

/* The length behind -1, or 0 where there is none. *total is that of the others. */
static bool read_lengths(struct kctx *c, int64_t dim, int64_t *rest, struct status *st)
{
    const struct tensor *sizes = kernel_in(c, 1);
    int64_t total = 0;
    bool has_rest = false, over = false;
    for (int64_t i = 0; i < sizes->num_elems; i++) {
        int64_t s = tensor_index(sizes, i);
        if (s == -1 && has_rest)
            return status_invalid(st, "There can only be one -1 in the input.");
        if (s == -1)
            has_rest = true;
        else if (s < 0)
            return status_invalid(st, "Split size at index %lld must be >= 0. Got: %lld",
                                  (long long)i, (long long)s);
        else
            over = over || !size_add(total, s, &total);
    }
    if (over || (has_rest ? total > dim : total != dim))
        return status_invalid(
            st,
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            "specified.  Got: %lld",
            (long long)total);
    *rest = dim - total;
    return true;
}

static bool split_v_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *sizes = kernel_in(c, 1);
    int axis = 0, n = kernel_num_outputs(c);
    int64_t at = 0, rest = 0;
    if (tensor_rank(sizes) != 1 || sizes->num_elems != n)
        return status_invalid(st,
                              "size of the split_tensor must be 1-D and have the same elements as "
                              "outputs got %d -D and %lld elements",
                              tensor_rank(sizes), (long long)sizes->num_elems);
    if (n == 1) { /* whatever length was asked for */
        kernel_out_share(c, 0, in);
        return true;
    }
    if (!kernel_axis(kernel_in(c, 2), tensor_rank(in), &axis, st) ||
        !read_lengths(c, tensor_dim(in, axis), &rest, st))
        return false;
    for (int i = 0; i < n; i++) {
        int64_t len = tensor_index(sizes, i);
        if (len < 0)
            len = rest;
        if (!put_piece(c, in, axis, i, at, len, st))
            return false;
        at += len;
    }
    return true;
}

OP_DEF(split_v) = {
    .name = "SplitV",
    .summary = "The input cut along an axis into pieces of the given lengths.",
    .inputs = {"value: T", "size_splits: Tlen", "split_dim: int32"},
    .outputs = {"output: num_split * T"},
    .attrs = {"num_split: int >= 1", "T: type", "Tlen: {int32, int64} = DT_INT64"},
    .shape = split_v_shape,
    .grad = split_v_grad,
};
KERNEL_DEF(split_v_cpu) = {.op = "SplitV", .device = "CPU", .run = split_v_run};
