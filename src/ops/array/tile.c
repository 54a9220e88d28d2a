/* SPDX-License-Identifier: Apache-2.0 */
/* Tile: the input repeated along its axes. Each axis is copied as two: the repeats, which do not
 * move in the source, and the axis itself. */
#include "math/value_add.h"
#include "op/grad.h"
#include "op/infer.h"
#include "ops/array/nd_copy.h"
#include "ops/array/text.h"

#include <string.h>

static bool tile_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0), *times;
    if (!infer_const_shape(c, 1, &times, st))
        return false;
    infer_set(c, 0, infer_unknown(c));
    if (times->rank < 0)
        return true;
    if (!infer_want_rank(c, in, times->rank, &in, st))
        return false;
    int64_t dims[SHAPE_MAX_RANK];
    for (int i = 0; i < in->rank; i++)
        dims[i] = infer_dim_mul(shape_dim(in, i), shape_dim(times, i));
    infer_set(c, 0, infer_make(c, dims, in->rank));
    return true;
}

/* dy is seen as [times0, dim0, times1, dim1, ...] and summed over the repeats. */
static bool tile_grad(struct grad_ctx *g, struct status *st)
{
    struct output x = grad_in(g, 0), times = grad_in(g, 1);
    struct output dims = grad_shape_as(g, x, grad_type_of(g, times));
    struct grad_build both = {.op = "stack=Pack",
                              .inputs = (struct output[]){times, dims},
                              .num_inputs = 2,
                              .list_sizes = (int[]){2}};
    struct output pairs = grad_node_out(g, grad_node(g, &both), 0);
    pairs = grad_op2(g, "transpose=Transpose", pairs, grad_const_i32s(g, (int32_t[]){1, 0}, 2));
    struct output split = grad_reshape(g, pairs, grad_const_i32s(g, (int32_t[]){-1}, 1));
    struct output axes =
        grad_op3(g, "range=Range", grad_const_i32(g, 0), grad_size(g, split), grad_const_i32(g, 2));
    grad_set(g, 0, grad_op2(g, "Sum", grad_reshape(g, grad_dy(g, 0), split), axes));
    return grad_done(g, st);
}

/* dims of the result, from input dims and multiples. */
static bool tiled_dims(const struct tensor *in, const struct tensor *times, int64_t *dims,
                       struct status *st)
{
    int rank = tensor_rank(in);
    if (tensor_rank(times) != 1)
        return array_fail_shape(st, "Expected multiples to be 1-D, but got shape ", &times->shape);
    if (times->num_elems != rank)
        return status_invalid(
            st, "Expected multiples argument to be a vector of length %d but got length %lld", rank,
            (long long)times->num_elems);
    for (int i = 0; i < rank; i++) {
        int64_t m = tensor_index(times, i);
        if (m < 0)
            return status_invalid(st, "Expected multiples[%d] >= 0, but got %lld", i, (long long)m);
        if (!size_mul(tensor_dim(in, i), m, &dims[i]))
            return status_invalid(st, "Tile: dimension %d would be too long: %lld * %lld", i,
                                  (long long)tensor_dim(in, i), (long long)m);
    }
    return true;
}

static bool tile_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *times = kernel_in(c, 1);
    int64_t dims[SHAPE_MAX_RANK];
    if (!tiled_dims(in, times, dims, st))
        return false;
    struct shape shape = shape_make(dims, tensor_rank(in));
    if (shape_equal(&shape, &in->shape)) {
        shape_clear(&shape);
        kernel_out_share(c, 0, in);
        return true;
    }
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    int64_t from[SHAPE_MAX_RANK], to[SHAPE_MAX_RANK];
    nd_steps(&in->shape, from);
    nd_steps(&out->shape, to);
    struct nd_copy copy;
    nd_begin(&copy, in->dtype, in->data, out->data);
    for (int i = 0; i < tensor_rank(in); i++) {
        nd_axis(&copy, tensor_index(times, i), 0, tensor_dim(in, i) * to[i]);
        nd_axis(&copy, tensor_dim(in, i), from[i], to[i]);
    }
    return nd_run(c, &copy, st);
}

OP_DEF(tile) = {
    .name = "Tile",
    .summary = "The input repeated along each axis as often as multiples says.",
    .inputs = {"input: T", "multiples: Tmultiples"},
    .outputs = {"output: T"},
    .attrs = {"T: type", "Tmultiples: {int32, int64} = DT_INT32"},
    .shape = tile_shape,
    .grad = tile_grad,
};
KERNEL_DEF(tile_cpu) = {.op = "Tile", .device = "CPU", .run = tile_run, .flags = KERNEL_ALIAS};

/* --- TileGrad: the sum over the repeats --- */

/* In x, lines of [times, n] elements become lines of n, next to each other. */
static void sum_repeats(char *x, int dtype, int64_t lines, int64_t times, int64_t n)
{
    int64_t bytes = n * (int64_t)dtype_size(dtype);
    value_add_fn add = value_add_of(dtype);
    for (int64_t l = 0; l < lines; l++) {
        char *to = x + l * bytes, *from = x + l * times * bytes;
        if (to != from)
            memmove(to, from, (size_t)bytes);
        for (int64_t t = 1; t < times; t++)
            add(to, from + t * bytes, n);
    }
}

static bool tile_grad_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *times = kernel_in(c, 1);
    int rank = tensor_rank(in);
    int64_t dims[SHAPE_MAX_RANK], lines = 1, left = in->num_elems;
    if (tensor_rank(times) != 1)
        return array_fail_shape(st, "Expected multiples to be 1-D, but got shape ", &times->shape);
    if (times->num_elems != rank)
        return status_invalid(
            st, "Expected multiples argument to be a vector of length %d but got length %lld", rank,
            (long long)times->num_elems);
    for (int i = 0; i < rank; i++) {
        int64_t m = tensor_index(times, i), d = tensor_dim(in, i);
        if (m <= 0 || d % m != 0)
            return status_invalid(st, "TileGrad: dimension %d of %lld is not %lld times another", i,
                                  (long long)d, (long long)m);
        dims[i] = d / m;
    }
    struct shape shape = shape_make(dims, rank);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out || out->num_elems == 0)
        return out != NULL;
    char *x = kernel_scratch(c, (int64_t)tensor_bytes(in), st);
    if (!x)
        return false;
    memcpy(x, in->data, tensor_bytes(in));
    for (int i = 0; i < rank; i++) {
        int64_t m = tensor_index(times, i);
        left /= m;
        if (m > 1)
            sum_repeats(x, in->dtype, lines, m, left / lines);
        lines *= dims[i];
    }
    memcpy(out->data, x, tensor_bytes(out));
    return true;
}

OP_DEF(tile_grad) = {
    .name = "TileGrad",
    .summary = "The gradient of Tile: the repeats of the input added up.",
    .inputs = {"input: T", "multiples: int32"},
    .outputs = {"output: T"},
    .attrs = {"T: type"},
    .deprecated_at = 3,
    .deprecated_why = "TileGrad has been replaced with reduce_sum",
    .shape = infer_unknown_outputs,
    .no_grad = "undefined: TileGrad",
    .no_kernel = "only numbers can be added",
};
KERNEL_DEF(tile_grad_cpu) = {
    .op = "TileGrad", .device = "CPU", .types = {"T: {numbertype}"}, .run = tile_grad_run};
