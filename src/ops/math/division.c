/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients and remainders: true, floored, truncated, and those that forgive a 0 divisor. Integers
 * fail on a divisor 0; the least integer over -1 wraps around. */
#include "ops/math/def.h"

/* For gradients of quotients: d/dy (x / y) = (-x / y) / y, by the given division. */
static struct output quotient_dy(struct grad_ctx *g, const char *divide, struct output x,
                                 struct output y)
{
    return grad_op2(g, divide, grad_op2(g, divide, grad_neg(g, x), y), y);
}

static bool quotient_grad(struct grad_ctx *g, const char *divide, struct status *st)
{
    struct output dz = grad_dy(g, 0), x = grad_conj(g, grad_in(g, 0)),
                  y = grad_conj(g, grad_in(g, 1));
    const struct grad_broadcast s = grad_broadcast(g, GRAD_BY_SHAPES);
    struct output dx = grad_op2(g, divide, dz, y);
    grad_set(g, 0, grad_summed(g, &s, 0, dx));
    struct output dy = grad_mul(g, dz, quotient_dy(g, divide, x, y));
    grad_set(g, 1, grad_summed(g, &s, 1, dy));
    return grad_done(g, st);
}

static bool div_grad(struct grad_ctx *g, struct status *st)
{
    return quotient_grad(g, "RealDiv", st);
}

static bool div_no_nan_grad(struct grad_ctx *g, struct status *st)
{
    return quotient_grad(g, "div_no_nan=DivNoNan", st);
}

static bool floor_mod_grad(struct grad_ctx *g, struct status *st)
{
    struct output dz = grad_dy(g, 0);
    struct output whole = grad_op2(g, "FloorDiv", grad_in(g, 0), grad_in(g, 1));
    const struct grad_broadcast s = grad_broadcast(g, GRAD_BY_SHAPES);
    grad_set(g, 0, grad_summed(g, &s, 0, dz));
    grad_set(g, 1, grad_summed(g, &s, 1, grad_mul(g, dz, grad_neg(g, whole))));
    return grad_done(g, st);
}

/* 1 where x is not 0, else 0: how the factor x of xdivy and xlogy counts in their derivative. */
static struct output not_zero(struct grad_ctx *g, struct output x)
{
    struct output test = grad_op2(g, "NotEqual", x, grad_const_like(g, x, 0));
    return grad_cast(g, test, grad_type_of(g, x));
}

static bool xdivy_grad(struct grad_ctx *g, struct status *st)
{
    struct output dz = grad_dy(g, 0), x = grad_in(g, 0), y = grad_in(g, 1);
    struct output square = grad_op2(g, "Pow", y, grad_const_like(g, y, 2));
    struct output by_x = grad_op2(g, "Xdivy", not_zero(g, x), y);
    struct output by_y = grad_op2(g, "Xdivy", grad_neg(g, x), square);
    struct output dx = grad_mul(g, by_x, dz);
    grad_set_broadcast(g, dx, grad_mul(g, by_y, dz));
    return grad_done(g, st);
}

static bool xlogy_grad(struct grad_ctx *g, struct status *st)
{
    struct output dz = grad_dy(g, 0), x = grad_in(g, 0), y = grad_in(g, 1);
    struct output by_x = grad_op2(g, "Xlogy", not_zero(g, x), y);
    struct output by_y = grad_op2(g, "Xdivy", x, y);
    struct output dx = grad_mul(g, by_x, dz);
    grad_set_broadcast(g, dx, grad_mul(g, by_y, dz));
    return grad_done(g, st);
}

/* Divisions of integers look for a divisor 0 first. */
#define DIVISION_KERNEL(id_, expr_, op_, types_, check_)                                           \
    static bool id_##_init(struct kernel *k, void *state, struct status *st)                       \
    {                                                                                              \
        struct ewise_loop *l = state;                                                              \
        if (!ewise_init(k, state, EW_##expr_, st))                                                 \
            return false;                                                                          \
        l->check = dtype_is_integer(dtype_base(k->input_types[0])) ? check_ : EWISE_CHECK_NONE;    \
        return true;                                                                               \
    }                                                                                              \
    static ewise_fn id_##_ewise(int dtype)                                                         \
    {                                                                                              \
        return ewise_for_fusion(EW_##expr_, dtype);                                                \
    }                                                                                              \
    KERNEL_DEF(id_##_cpu) = {.op = op_,                                                            \
                             .device = "CPU",                                                      \
                             .types = {"T: {" types_ "}"},                                         \
                             .state_bytes = sizeof(struct ewise_loop),                             \
                             .init = id_##_init,                                                   \
                             .run = ewise_run_binary,                                              \
                             .ewise = id_##_ewise}

#define T_DIV T_FLOATS ", uint8, int8, uint16, int16, int32, int64, " T_COMPLEX
#define T_NO_NAN "half, float, double, " T_COMPLEX

BINARY_DEF(div, "Div", "x over y; integers lose the fraction.", T_DIV, .grad = div_grad);
DIVISION_KERNEL(div, div, "Div", T_FLOATS ", uint8, int16, uint16, int32, int64, " T_COMPLEX,
                EWISE_CHECK_ZERO);
BINARY_DEF(real_div, "RealDiv", "x over y.", T_DIV, .grad = div_grad,
           .no_kernel = "TensorFlow divides integers by Div or TruncateDiv");
EWISE_KERNEL_OF(real_div, div, "RealDiv", "T: {" T_FLOATS ", " T_COMPLEX "}", ewise_run_binary);
BINARY_DEF(truncate_div, "TruncateDiv", "x over y, rounded towards 0.", T_DIV,
           .no_grad = "integers have no gradient");
DIVISION_KERNEL(truncate_div, div, "TruncateDiv", "uint8, int16, uint16, int32, int64",
                EWISE_CHECK_ZERO_TRUNC);
BINARY_DEF(floor_div, "FloorDiv", "x over y, rounded down.", T_DIV,
           .no_grad = "it is constant between steps");
DIVISION_KERNEL(floor_div, floor_div, "FloorDiv",
                "half, float, double, int8, uint8, int16, uint16, int32, int64", EWISE_CHECK_ZERO);
BINARY_DEF(floor_mod, "FloorMod", "What x over y, rounded down, leaves: it has the sign of y.",
           "int32, int64, " T_FLOATS, .grad = floor_mod_grad);
DIVISION_KERNEL(floor_mod, floor_mod, "FloorMod", "float, double, int32, int64", EWISE_CHECK_ZERO);
BINARY_DEF(mod, "Mod", "What x over y, rounded towards 0, leaves: it has the sign of x.",
           "int32, int64, half, bfloat16, float, double",
           .no_grad = "undefined: TensorFlow has none for Mod");
DIVISION_KERNEL(mod, mod, "Mod", "float, double, int32, int64", EWISE_CHECK_ZERO);
BINARY_DEF(truncate_mod, "TruncateMod",
           "What x over y, rounded towards 0, leaves: it has the sign of x.",
           "int32, int64, " T_FLOATS, .no_grad = "undefined: TensorFlow has none for TruncateMod");
DIVISION_KERNEL(truncate_mod, mod, "TruncateMod", "float, double, int32, int64",
                EWISE_CHECK_ZERO_TRUNC);
BINARY_OP(div_no_nan, "DivNoNan", "x over y, and 0 where y is 0.", T_NO_NAN, T_NO_NAN,
          .grad = div_no_nan_grad);
BINARY_OP(xdivy, "Xdivy", "x over y, and 0 where x is 0.", T_NO_NAN, T_NO_NAN, .grad = xdivy_grad);
BINARY_OP(xlogy, "Xlogy", "x times the logarithm of y, and 0 where x is 0.", T_NO_NAN, T_NO_NAN,
          .grad = xlogy_grad);
