/* SPDX-License-Identifier: Apache-2.0 */
/* Pow and Atan2. */
#include "ops/math/def.h"

/* By x: y x^(y-1). By y: z log x, where there is a logarithm; else 0. */
static bool pow_grad(struct grad_ctx *g, struct status *st)
{
    struct output dz = grad_dy(g, 0), x = grad_conj(g, grad_in(g, 0)),
                  y = grad_conj(g, grad_in(g, 1)), z = grad_conj(g, grad_out(g, 0));
    bool complex_type = dtype_is_complex(grad_type_of(g, x));
    const struct grad_broadcast s = grad_broadcast(g, GRAD_BY_DIMS_ALWAYS);
    struct output less = grad_op2(g, "Pow", x, grad_sub(g, y, grad_const_like(g, y, 1)));
    struct output dx = grad_mul(g, grad_mul(g, dz, y), less);
    grad_set(g, 0, grad_summed(g, &s, 0, dx));
    struct output has_log =
        grad_op2(g, complex_type ? "NotEqual" : "Greater", x, grad_const_like(g, x, 0));
    struct output safe_x = grad_op3(g, "Select", has_log, x, grad_ones_like(g, x));
    struct output log_x =
        grad_op3(g, "Select", has_log, grad_op1(g, "Log", safe_x), grad_zeros_like(g, x));
    dx = grad_mul(g, grad_mul(g, dz, z), log_x);
    grad_set(g, 1, grad_summed(g, &s, 1, dx));
    return grad_done(g, st);
}

static bool pow_init(struct kernel *k, void *state, struct status *st)
{
    struct ewise_loop *l = state;
    if (!ewise_init(k, state, EW_pow, st))
        return false;
    l->check =
        dtype_is_integer(dtype_base(k->input_types[0])) ? EWISE_CHECK_NEGATIVE : EWISE_CHECK_NONE;
    return true;
}

static ewise_fn pow_ewise(int dtype)
{
    return ewise_for_fusion(EW_pow, dtype);
}

BINARY_DEF(pow, "Pow", "x to the power y.",
           "bfloat16, float, half, double, int32, int64, " T_COMPLEX, .grad = pow_grad);
KERNEL_DEF(pow_cpu) = {.op = "Pow",
                       .device = "CPU",
                       .types = {"T: {half, float, double, int32, int64, " T_COMPLEX "}"},
                       .state_bytes = sizeof(struct ewise_loop),
                       .init = pow_init,
                       .run = ewise_run_binary,
                       .ewise = pow_ewise};

/* Inputs: y, x. */
static bool atan2_grad(struct grad_ctx *g, struct status *st)
{
    struct output dz = grad_dy(g, 0), y = grad_in(g, 0), x = grad_in(g, 1);
    struct output square = grad_add(g, grad_op1(g, "Square", x), grad_op1(g, "Square", y));
    struct output scaled = grad_div(g, dz, square);
    struct output dx = grad_mul(g, x, scaled);
    grad_set_broadcast(g, dx, grad_mul(g, grad_neg(g, y), scaled));
    return grad_done(g, st);
}

OP_DEF(atan2) = {
    .name = "Atan2",
    .summary = "The angle of the point (x, y), between -pi and pi.",
    .inputs = {"y: T", "x: T"},
    .outputs = {"z: T"},
    .attrs = {"T: {" T_FLOATS "}"},
    .shape = infer_binary,
    .grad = atan2_grad,
};
EWISE_KERNEL(atan2, "Atan2", "T: {float, double}", ewise_run_binary);
