/* SPDX-License-Identifier: Apache-2.0 */
/* ApproximateEqual: |x - y| < tolerance, for tensors of one shape. */
#include <math.h>

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

static bool approximate_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *y = kernel_in(c, 1);
    if (!shape_equal(&x->shape, &y->shape))
        return status_invalid(st, "x and y must be of the same shape.");
    struct tensor *out = kernel_out(c, 0, &x->shape, st);
    if (!out)
        return false;
    float tolerance = attrs_float(kernel_attrs(c), "tolerance");
    bool *z = tensor_bool(out);
    if (x->dtype == DT_FLOAT) {
        for (int64_t i = 0; i < out->num_elems; i++)
            z[i] = fabsf(tensor_f32(x)[i] - tensor_f32(y)[i]) < tolerance;
    } else {
        for (int64_t i = 0; i < out->num_elems; i++)
            z[i] = fabs(tensor_f64(x)[i] - tensor_f64(y)[i]) < (double)tolerance;
    }
    return true;
}

static bool same_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_merge(c, infer_input(c, 0), infer_input(c, 1), &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

OP_DEF(approximate_equal) = {
    .name = "ApproximateEqual",
    .summary = "Whether x and y differ by less than the tolerance.",
    .inputs = {"x: T", "y: T"},
    .outputs = {"z: bool"},
    .attrs = {"T: numbertype", "tolerance: float = 1e-05"},
    .flags = OP_COMMUTATIVE,
    .shape = same_shape,
    .no_grad = "it gives bool",
};
KERNEL_DEF(approximate_equal_cpu) = {.op = "ApproximateEqual",
                                     .device = "CPU",
                                     .types = {"T: {float, double}"},
                                     .run = approximate_run};
