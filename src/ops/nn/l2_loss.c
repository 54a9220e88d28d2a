/* SPDX-License-Identifier: Apache-2.0 */
/* L2Loss: half the sum of squares. Squares are formed block by block in the type itself (half as
 * float) and summed in double. */
#include "math/vec.h"

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

enum { BLOCK = 512 };

static double sum_f32(const float *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

static double sum_f64(const double *x, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

static double sum_half(const struct f16 *x, int64_t n)
{
    float block[BLOCK];
    double sum = 0;
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        math_f16_to_f32(x + i, block, m);
        sum += sum_f32(block, m);
    }
    return sum;
}

static bool l2_loss_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct shape s = shape_scalar();
    struct tensor *y = kernel_out(c, 0, &s, st);
    if (!y)
        return false;
    if (x->dtype == DT_DOUBLE)
        *tensor_f64(y) = sum_f64(x->data, x->num_elems) / 2;
    else if (x->dtype == DT_FLOAT)
        *tensor_f32(y) = (float)(sum_f32(x->data, x->num_elems) / 2);
    else
        *(struct f16 *)y->data = f16_from_f32((float)(sum_half(x->data, x->num_elems) / 2));
    return true;
}

static bool l2_loss_grad(struct grad_ctx *g, struct status *st)
{
    grad_set(g, 0, grad_mul(g, grad_in(g, 0), grad_dy(g, 0)));
    return grad_done(g, st);
}

OP_DEF(l2_loss) = {
    .name = "L2Loss",
    .summary = "Half the sum of the squares of t.",
    .inputs = {"t: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {half, bfloat16, float, double}"},
    .shape = infer_scalars,
    .grad = l2_loss_grad,
};
KERNEL_DEF(l2_loss_cpu) = {
    .op = "L2Loss",
    .device = "CPU",
    .types = {"T: {half, float, double}"},
    .run = l2_loss_run,
};
