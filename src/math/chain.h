/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of arithmetic in one pass: x goes through up to MATH_CHAIN_STEPS steps while it stays in
 * registers, each step with an operand that is a single element or an array.
 *
 * Each step rounds as it would by itself; nothing is contracted. Made for arrays that come from
 * memory: results may be streamed past the caches. */
#ifndef LEAT_MATH_CHAIN_H
#define LEAT_MATH_CHAIN_H

#include "base/base.h"

/* What becomes of x, the value so far, and y, the step's operand: vectors of type V. Z is zero,
 * ONE one. MAX(a, b) and MIN(a, b) are a > b ? a : b and a < b ? a : b: b where one is NaN. The
 * last rows take x and y the other way round. */
/* clang-format off */
#define MATH_CHAIN_BINARY(X) \
    X(ADD,            x + y)                                            \
    X(SUB,            x - y)                                            \
    X(MUL,            x * y)                                            \
    X(DIV,            x / y)                                            \
    X(MAX,            MAX(y, x))                                        \
    X(MIN,            MIN(y, x))                                        \
    X(SQUARED_DIFF,   (x - y) * (x - y))                                \
    X(RELU_GRAD,      x * SELECT(y > Z, ONE, Z))                        \
    X(TANH_GRAD,      y * (ONE - x * x))                                \
    X(SIGMOID_GRAD,   y * x * (ONE - x))                                \
    X(R_ADD,          y + x)                                            \
    X(R_SUB,          y - x)                                            \
    X(R_MUL,          y * x)                                            \
    X(R_DIV,          y / x)                                            \
    X(R_MAX,          MAX(x, y))                                        \
    X(R_MIN,          MIN(x, y))                                        \
    X(R_SQUARED_DIFF, (y - x) * (y - x))                                \
    X(R_RELU_GRAD,    y * SELECT(x > Z, ONE, Z))                        \
    X(R_TANH_GRAD,    x * (ONE - y * y))                                \
    X(R_SIGMOID_GRAD, x * y * (ONE - y))
#define MATH_CHAIN_UNARY(X) \
    X(NEG,            -x)                                               \
    X(ABS,            ABS(x))                                           \
    X(SQUARE,         x * x)                                            \
    X(RELU,           MAX(Z, x))                                        \
    X(RELU6,          MIN(Z + 6, MAX(Z, x)))
/* clang-format on */

enum math_chain_op {
#define X(name, expr) MATH_CHAIN_##name,
    MATH_CHAIN_BINARY(X) MATH_CHAIN_UNARY(X)
#undef X
        MATH_CHAIN_NUM,
    /* from an op to the one with x and y exchanged */
    MATH_CHAIN_REVERSE = MATH_CHAIN_R_ADD - MATH_CHAIN_ADD,
};

enum { MATH_CHAIN_STEPS = 48 };

struct math_chain_step {
    uint8_t op;    /* enum math_chain_op */
    bool single;   /* y points to one element */
    bool fetch;    /* y comes from memory: is fetched ahead */
    const void *y; /* unary ops: not read */
};

struct math_chain {
    const struct math_chain_step *steps;
    int num;
    bool fetch;  /* x comes from memory */
    bool stream; /* z goes past the caches: the caller calls math_stream_end */
};

/* z[i] = the steps applied to x[i]. z may be exactly x or an operand. */
void math_chain_f32(const struct math_chain *c, float *z, const float *x, int64_t n);
void math_chain_f64(const struct math_chain *c, double *z, const double *x, int64_t n);

#endif
