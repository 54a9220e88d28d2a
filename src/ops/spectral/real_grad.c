/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the real transforms, as nodes. A gradient dy of complex numbers is what the loss
 * gains with their real parts, plus i times what it gains with the imaginary ones.
 *
 * RFFT: y_k = sum_n x_n e^(-i t k n), so dx_n = Re sum_k dy_k e^(i t k n): the inverse transform of
 * dy, filled up with zeros, times the number of points. IRFFT takes y_k and, but for k = 0 and the
 * middle of an even length, its conjugate: dy_k = c_k / N RFFT(dx)_k with c_k = 2 or 1. What lies
 * beyond the transform's length has gradient 0. */
#include "ops/spectral/real_grad.h"

/* x with zeros behind its last elements, by[] of them along each axis. */
static struct output pad_by(struct grad_ctx *g, struct output x, struct output by)
{
    const int sizes[] = {2};
    struct attrs attrs = {0};
    attrs_set(&attrs, "axis", attr_int(1));
    const struct output ends[] = {grad_zeros_like(g, by), by};
    const struct grad_build b = {
        .op = "stack=Pack", .inputs = ends, .num_inputs = 2, .list_sizes = sizes, .attrs = &attrs};
    struct node *pack = grad_node(g, &b);
    attrs_clear(&attrs);
    return grad_op2(g, "Pad", x, grad_node_out(g, pack, 0));
}

static struct output pad_to(struct grad_ctx *g, struct output x, struct output like)
{
    return pad_by(g, x, grad_sub(g, grad_shape(g, like), grad_shape(g, x)));
}

/* The last of the transform's lengths, as a vector of one number. */
static struct output last_length(struct grad_ctx *g, int rank)
{
    return grad_op3(g, "Slice", grad_in(g, 1), grad_const_i32s(g, (int32_t[]){rank - 1}, 1),
                    grad_const_i32s(g, (int32_t[]){1}, 1));
}

static struct output num_points(struct grad_ctx *g, int dtype)
{
    return grad_cast(g, grad_op2(g, "Prod", grad_in(g, 1), grad_const_i32(g, 0)), dtype);
}

bool spectral_rfft_grad(struct grad_ctx *g, int rank, struct status *st)
{
    struct output dy = grad_dy(g, 0), n = last_length(g, rank);
    struct output one = grad_const_i32s(g, (int32_t[]){1}, 1), two = grad_const_i32(g, 2);
    /* n - (n / 2 + 1) zeros along the last axis, none along the others */
    struct output missing = grad_sub(g, grad_sub(g, n, grad_op2(g, "FloorDiv", n, two)), one);
    struct output before = grad_sub(g, grad_op1(g, "Rank", dy), grad_const_i32(g, 1));
    struct output front = grad_op2(
        g, "Fill", grad_op2(g, "ExpandDims", before, grad_const_i32(g, 0)), grad_const_i32(g, 0));
    const int sizes[] = {2, 1};
    const struct output parts[] = {front, missing, grad_const_i32(g, 0)};
    const struct grad_build concat = {
        .op = "concat=ConcatV2", .inputs = parts, .num_inputs = 3, .list_sizes = sizes};
    struct output by = grad_node_out(g, grad_node(g, &concat), 0);
    struct output whole = grad_op1(g, rank == 1 ? "IFFT" : "IFFT2D", pad_by(g, dy, by));
    struct output dx = grad_mul(g, grad_op1(g, "Real", whole), num_points(g, DT_FLOAT));
    grad_set(g, 0, pad_to(g, dx, grad_in(g, 0)));
    return grad_done(g, st);
}

bool spectral_irfft_grad(struct grad_ctx *g, int rank, struct status *st)
{
    struct output dy = grad_op2(g, rank == 1 ? "RFFT" : "RFFT2D", grad_dy(g, 0), grad_in(g, 1));
    struct output n = last_length(g, rank), zero = grad_const_i32(g, 0);
    struct output one = grad_const_i32(g, 1), two = grad_const_i32(g, 2);
    struct output half = grad_op2(g, "FloorDiv", n, two);
    struct output end = grad_reshape(g, grad_add(g, half, one), grad_const_i32s(g, NULL, 0));
    struct output k = grad_op3(g, "range=Range", zero, end, one);
    struct output first = grad_cast(g, grad_op2(g, "Equal", k, zero), DT_FLOAT);
    struct output middle = grad_cast(g, grad_op2(g, "Equal", grad_mul(g, k, two), n), DT_FLOAT);
    struct output times = grad_sub(g, grad_sub(g, grad_cast(g, two, DT_FLOAT), first), middle);
    struct output scale = grad_cast(g, grad_div(g, times, num_points(g, DT_FLOAT)), DT_COMPLEX64);
    grad_set(g, 0, pad_to(g, grad_mul(g, dy, scale), grad_in(g, 0)));
    return grad_done(g, st);
}
