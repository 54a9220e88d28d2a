/* SPDX-License-Identifier: Apache-2.0 */
/* What the elementwise ops compute: one row an op, the expression of one element.
 *
 * x and y are the operands, of type T; U is T's unsigned form, at least 32 bits wide, in which
 * integers wrap around. FLOOR, SQRT... stand for C's function of the type. A row's expression
 * serves float and double (and half and bfloat16 through float), or every integer type. */
#ifndef LEAT_OPS_MATH_EWISE_TABLE_H
#define LEAT_OPS_MATH_EWISE_TABLE_H

/* clang-format off */

/* --- floating point --- */

/* The order of operands in maximum and minimum decides what NaN and -0 give: x where y is NaN. */
#define EWISE_FLOAT_BINARY(X) \
    X(add,                x + y)                                       \
    X(sub,                x - y)                                       \
    X(mul,                x * y)                                       \
    X(div,                x / y)                                       \
    X(floor_div,          FLOOR(x / y))                                \
    X(maximum,            x < y ? y : x)                               \
    X(minimum,            y < x ? y : x)                               \
    X(squared_difference, (x - y) * (x - y))                           \
    X(div_no_nan,         y == 0 ? 0 : x / y)                          \
    X(mul_no_nan,         y == 0 ? 0 : x * y)                          \
    X(xdivy,              x == 0 ? x : x / y)                          \
    X(tanh_grad,          y * (1 - x * x))                             \
    X(sigmoid_grad,       y * x * (1 - x))                             \
    X(sqrt_grad,          y == 0 ? 0 : (T)0.5 * y / x)                            \
    X(rsqrt_grad,         y == 0 ? 0 : (T)-0.5 * (y * x) * (x * x))                 \
    X(reciprocal_grad,    y == 0 ? 0 : -x * y * x)

#define EWISE_FLOAT_UNARY(X) \
    X(neg,        -x)                                                  \
    X(abs,        FABS(x))                                             \
    X(sign,       (T)((x > 0) - (x < 0)))                              \
    X(square,     x * x)                                               \
    X(floor,      FLOOR(x))                                            \
    X(ceil,       CEIL(x))                                             \
    X(rint,       RINT(x))                                             \
    X(round,      RINT(x) == 0 && x != 0 ? (T)0 : RINT(x))             \
    X(reciprocal, 1 / x)

#define EWISE_FLOAT_TEST(X) \
    X(is_nan,     x != x)                                              \
    X(is_inf,     FABS(x) == (T)INFINITY)                              \
    X(is_finite,  FABS(x) < (T)INFINITY)

/* Done by math/vec.h: X(id, vec's name). */
#define EWISE_VEC_UNARY(X) \
    X(exp, exp)     X(expm1, expm1) X(log, log)     X(log1p, log1p)    \
    X(sin, sin)     X(cos, cos)     X(tan, tan)                        \
    X(asin, asin)   X(acos, acos)   X(atan, atan)                      \
    X(sinh, sinh)   X(cosh, cosh)   X(tanh, tanh)                      \
    X(asinh, asinh) X(acosh, acosh) X(atanh, atanh)                    \
    X(erf, erf)     X(erfc, erfc)   X(lgamma, lgamma)                  \
    X(sqrt, sqrt)   X(rsqrt, rsqrt) X(sigmoid, sigmoid)

/* --- comparisons, of every real type --- */

#define EWISE_COMPARE(X) \
    X(less,          x < y)                                            \
    X(less_equal,    x <= y)                                           \
    X(greater,       x > y)                                            \
    X(greater_equal, x >= y)                                           \
    X(equal,         x == y)                                           \
    X(not_equal,     x != y)

/* --- integers --- */

/* The same bits for signed and unsigned. */
#define EWISE_INT_BITS(X) \
    X(add,                (T)((U)x + (U)y))                            \
    X(sub,                (T)((U)x - (U)y))                            \
    X(mul,                (T)((U)x * (U)y))                            \
    X(bitwise_and,        (T)(x & y))                                  \
    X(bitwise_or,         (T)(x | y))                                  \
    X(bitwise_xor,        (T)(x ^ y))

#define EWISE_INT_BINARY(X) \
    EWISE_INT_BITS(X) \
    X(maximum,            x < y ? y : x)                               \
    X(minimum,            y < x ? y : x)                               \
    X(squared_difference, (T)(((U)x - (U)y) * ((U)x - (U)y)))

#define EWISE_INT_UNARY(X) \
    X(neg,                (T)(0 - (U)x))                               \
    X(abs,                x < 0 ? (T)(0 - (U)x) : x)                   \
    X(sign,               (T)((x > 0) - (x < 0)))                      \
    X(square,             (T)((U)x * (U)x))                            \
    X(round,              x)                                           \
    X(invert,             (T)~x)

/* Divisors were found not to be 0; -1 is apart because the least number over -1 traps. Floored
 * quotients and remainders differ from C's where the remainder's sign is not the divisor's. */
#define OFF(r) ((r) != 0 && ((r) < 0) != (y < 0))
#define EWISE_SIGNED_DIVISION(X) \
    X(div,                y == -1 ? (T)(0 - (U)x) : (T)(x / y))                     \
    X(floor_div,          y == -1 ? (T)(0 - (U)x) : (T)(x / y - OFF(x % y)))        \
    X(mod,                y == -1 ? (T)0 : (T)(x % y))                              \
    X(floor_mod,          y == -1 ? (T)0 : (T)(x % y + (OFF(x % y) ? y : 0)))
#define EWISE_UNSIGNED_DIVISION(X) \
    X(div,                x / y)                                       \
    X(floor_div,          x / y)

/* Shifts by less than 0 or by the width go as far as they can. */
#define BITS ((int)sizeof(T) * 8)
#define EWISE_SIGNED_SHIFT(X) \
    X(left_shift,         (T)((U)x << (y < 0 ? 0 : y >= BITS ? BITS - 1 : (int)y))) \
    X(right_shift,        (T)(x >> (y < 0 ? 0 : y >= BITS ? BITS - 1 : (int)y)))
#define EWISE_UNSIGNED_SHIFT(X) \
    X(left_shift,         (T)((U)x << (y >= (T)BITS ? BITS - 1 : (int)y)))          \
    X(right_shift,        (T)(x >> (y >= (T)BITS ? BITS - 1 : (int)y)))

/* clang-format on */

enum ewise_id {
#define X(id, expr) EW_##id,
    EWISE_FLOAT_BINARY(X) EWISE_FLOAT_UNARY(X) EWISE_FLOAT_TEST(X) EWISE_VEC_UNARY(X)
        EWISE_COMPARE(X)
#undef X
    /* of integers alone */
    EW_bitwise_and,
    EW_bitwise_or,
    EW_bitwise_xor,
    EW_left_shift,
    EW_right_shift,
    EW_invert,
    /* made of several steps, or of one type */
    EW_mod,
    EW_floor_mod,
    EW_pow,
    EW_atan2,
    EW_xlogy,
    EW_digamma,
    EW_bessel_i0e,
    EW_bessel_i1e,
    EW_zeta,
    EW_polygamma,
    EW_igamma,
    EW_igammac,
    EW_igamma_grad_a,
    EW_gamma_sample_grad,
    EW_next_after,
    EW_conj,
    EW_logical_and,
    EW_logical_or,
    EW_logical_not,
    EW_clip,
    EW_NUM
};

#endif
