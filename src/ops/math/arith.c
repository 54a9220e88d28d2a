/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, differences, products, squared differences, the larger and the smaller: with broadcasting.
 */
#include "ops/math/def.h"
#include "ops/math/string_add.h"

static bool add_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_set_broadcast(g, dy, dy);
    return grad_done(g, st);
}

static bool sub_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_set_broadcast(g, dy, grad_neg(g, dy));
    return grad_done(g, st);
}

/* Known, and those of x, y and dy alike. */
static bool shapes_equal(struct grad_ctx *g, struct output dy)
{
    const struct shape *x = grad_shape_of(g, grad_in(g, 0)), *y = grad_shape_of(g, grad_in(g, 1));
    return shape_known(x) && shape_equal(x, y) && shape_equal(x, grad_shape_of(g, dy));
}

static bool mul_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), x = grad_conj(g, grad_in(g, 0)),
                  y = grad_conj(g, grad_in(g, 1));
    const int type = grad_type_of(g, dy);
    if (grad_as_python(g) && (type == DT_FLOAT || type == DT_INT32) && shapes_equal(g, dy)) {
        grad_set(g, 0, grad_op2(g, "Mul", dy, y));
        grad_set(g, 1, grad_op2(g, "Mul", dy, x));
        return grad_done(g, st);
    }
    struct output dx = grad_op2(g, "Mul", dy, y);
    grad_set_broadcast(g, dx, grad_op2(g, "Mul", x, dy));
    return grad_done(g, st);
}

static bool mul_no_nan_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0), x = grad_in(g, 0), y = grad_in(g, 1);
    struct output dx = grad_op2(g, "MulNoNan", dy, y);
    grad_set_broadcast(g, dx, grad_op2(g, "MulNoNan", x, dy));
    return grad_done(g, st);
}

static bool squared_difference_grad(struct grad_ctx *g, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    grad_name(g, "scalar");
    struct output two = grad_const_like(g, dy, 2), twice = grad_op2(g, "Mul", two, dy);
    struct output dx = grad_mul(g, twice, grad_sub(g, grad_in(g, 0), grad_in(g, 1)));
    const struct grad_broadcast s = grad_broadcast(g, GRAD_BY_DIMS);
    grad_set(g, 0, grad_summed(g, &s, 0, dx));
    grad_set(g, 1, grad_neg(g, grad_summed(g, &s, 1, dx)));
    return grad_done(g, st);
}

/* dy goes to x where `chosen` says that x was taken (on a tie, too), else to y. */
static bool extreme_grad(struct grad_ctx *g, const char *chosen, struct status *st)
{
    struct output dy = grad_dy(g, 0);
    const struct grad_broadcast s = grad_broadcast(g, GRAD_BY_SHAPES);
    struct output zeros = grad_zeros_of(g, dy);
    struct output taken = grad_op2(g, chosen, grad_in(g, 0), grad_in(g, 1));
    struct output dx = grad_op3(g, "Select", taken, dy, zeros);
    grad_set(g, 0, grad_summed(g, &s, 0, dx));
    dx = grad_op3(g, "Select", taken, zeros, dy);
    grad_set(g, 1, grad_summed(g, &s, 1, dx));
    return grad_done(g, st);
}

static bool maximum_grad(struct grad_ctx *g, struct status *st)
{
    return extreme_grad(g, "GreaterEqual", st);
}

static bool minimum_grad(struct grad_ctx *g, struct status *st)
{
    return extreme_grad(g, "LessEqual", st);
}

#define T_ARITH T_FLOATS ", uint8, int8, uint16, int16, int32, int64, " T_COMPLEX
#define T_ADD T_FLOATS ", uint8, int8, int16, int32, int64, " T_COMPLEX

BINARY_DEF(add, "Add", "x plus y; strings are joined.", T_ADD ", string", .grad = add_grad);
EWISE_KERNEL(add, "Add", "T: {" T_ADD "}", ewise_run_binary);
KERNEL_DEF(add_string_cpu) = {
    .op = "Add", .device = "CPU", .types = {"T: {string}"}, .run = string_add_run};

BINARY_DEF(add_v2, "AddV2", "x plus y.", T_ADD, .grad = add_grad,
           .flags = OP_COMMUTATIVE | OP_AGGREGATE);
EWISE_KERNEL_OF(add_v2, add, "AddV2", "T: {" T_ADD "}", ewise_run_binary);

BINARY_OP(sub, "Sub", "x minus y.", T_ARITH, T_ARITH, .grad = sub_grad);
BINARY_OP(mul, "Mul", "x times y.", T_ARITH, T_ARITH, .grad = mul_grad, .flags = OP_COMMUTATIVE);
BINARY_OP(mul_no_nan, "MulNoNan", "x times y, and 0 where y is 0, whatever x is.",
          "half, float, double, " T_COMPLEX, "half, float, double, " T_COMPLEX,
          .grad = mul_no_nan_grad);
BINARY_OP(squared_difference, "SquaredDifference",
          "(x - y) squared; of complex numbers the squared distance.",
          T_FLOATS ", int32, int64, " T_COMPLEX, "half, float, double, int32, int64, " T_COMPLEX,
          .grad = squared_difference_grad, .flags = OP_COMMUTATIVE);
BINARY_OP(maximum, "Maximum", "The larger of x and y.", T_FLOATS ", int32, int64",
          T_FLOATS ", int32, int64", .grad = maximum_grad);
BINARY_OP(minimum, "Minimum", "The smaller of x and y.", T_FLOATS ", int32, int64",
          T_FLOATS ", int32, int64", .grad = minimum_grad);
