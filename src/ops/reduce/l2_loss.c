/* SPDX-License-Identifier: Apache-2.0 */
/* L2Loss: half the sum of squares. float and half are summed in double, double pairwise in blocks:
 * the result depends on the values alone, not on threads. */
#include "math/vec.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool l2_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_mul(g, grad_in(g, 0), grad_dy(g, 0)));
    return grad_done(g, st);
}

enum { LANES = 8, BLOCK = 512 };

/* Sum of squares of up to BLOCK items, in LANES running sums. */
#define BLOCK_FN(name, type)                                                                       \
    static double name(const type *restrict x, int64_t n)                                          \
    {                                                                                              \
        double sum[LANES] = {0};                                                                   \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= n; i += LANES) {                                                       \
            for (int k = 0; k < LANES; k++)                                                        \
                sum[k] += (double)x[i + k] * (double)x[i + k];                                     \
        }                                                                                          \
        for (int k = 0; i < n; i++, k++)                                                           \
            sum[k] += (double)x[i] * (double)x[i];                                                 \
        return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));  \
    }
BLOCK_FN(block_f32, float)
BLOCK_FN(block_f64, double)

static double block_of(const struct tensor *t, int64_t begin, int64_t n)
{
    if (t->dtype == DT_DOUBLE)
        return block_f64((const double *)t->data + begin, n);
    if (t->dtype == DT_FLOAT)
        return block_f32((const float *)t->data + begin, n);
    float wide[BLOCK];
    math_f16_to_f32((const struct f16 *)t->data + begin, wide, n);
    return block_f32(wide, n);
}

/* Blocks are added as the leaves of a binary tree: level[k] is the sum of 2^k of them where bit k
 * of their count is set. */
static double sum_squares(const struct tensor *t)
{
    double level[64] = {0};
    int64_t blocks = 0;
    for (int64_t i = 0; i < t->num_elems; i += BLOCK, blocks++) {
        double sum = block_of(t, i, t->num_elems - i < BLOCK ? t->num_elems - i : BLOCK);
        int k = 0;
        for (; blocks >> k & 1; k++)
            sum += level[k];
        level[k] = sum;
    }
    double total = 0;
    for (int k = 0; k < 63; k++)
        total += blocks >> k & 1 ? level[k] : 0;
    return total;
}

static bool l2_run(struct kctx *c, struct status *st)
{
    const struct tensor *t = kernel_in(c, 0);
    struct shape scalar = shape_scalar();
    struct tensor *y = kernel_out(c, 0, &scalar, st);
    if (!y)
        return false;
    double half = sum_squares(t) / 2;
    if (t->dtype == DT_DOUBLE)
        tensor_f64(y)[0] = half;
    else if (t->dtype == DT_FLOAT)
        tensor_f32(y)[0] = (float)half;
    else
        *(struct f16 *)y->data = f16_from_f32((float)half);
    return true;
}

OP_DEF(l2_loss) = {
    .name = "L2Loss",
    .summary = "Half the sum of the squares of all elements.",
    .inputs = {"t: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {half, bfloat16, float, double}"},
    .shape = infer_scalars,
    .grad = l2_grad,
    .no_kernel = "bfloat16 is too coarse to sum squares in",
};
KERNEL_DEF(l2_loss_cpu) = {
    .op = "L2Loss", .device = "CPU", .types = {"T: {half, float, double}"}, .run = l2_run};
