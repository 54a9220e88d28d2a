/* SPDX-License-Identifier: Apache-2.0 */
/* The activations on floats whose speed is the speed of memory: compiled once per instruction
 * level, since a plain loop with a choice in it costs many times that. */
#ifndef LEAT_OPS_NN_SIMD_ACT_H
#define LEAT_OPS_NN_SIMD_ACT_H

#include "math/simd.h"

/* name, what it gives of x = a[i], alpha; or of g = a[i], x = b[i]. */
#define ACT_SIMD_UNARY(X)                                                                          \
    X(relu, x < 0 ? 0 : x)                                                                         \
    X(relu6, x > 6 ? 6 : x < 0 ? 0 : x)                                                            \
    X(leaky_relu, x > 0 ? x : x * alpha)
#define ACT_SIMD_GRAD(X)                                                                           \
    X(relu_grad, g *(float)(x > 0))                                                                \
    X(relu6_grad, g *(float)((x > 0) & (x < 6)))                                                   \
    X(leaky_relu_grad, x > 0 ? g : g * alpha)

#define X(name, expr)                                                                              \
    SIMD_DECLARE(void, act_##name,                                                                 \
                 (void *z_, const void *a_, const void *b_, int64_t n, float alpha));
ACT_SIMD_UNARY(X)
ACT_SIMD_GRAD(X)
#undef X

#endif
