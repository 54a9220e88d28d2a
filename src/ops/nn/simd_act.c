/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of simd_act.h's activations. z may be exactly a or b. Compiled once per instruction
 * level. */
#include "ops/nn/simd_act.h"

#define UNARY(name, expr)                                                                          \
    void LEAT_FN(act_##name)(void *z_, const void *a_, const void *b_ UNUSED, int64_t n,           \
                             float alpha UNUSED)                                                   \
    {                                                                                              \
        float *z = z_;                                                                             \
        const float *a = a_;                                                                       \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const float x = a[i];                                                                  \
            z[i] = (expr);                                                                         \
        }                                                                                          \
    }
#define GRAD(name, expr)                                                                           \
    void LEAT_FN(act_##name)(void *z_, const void *a_, const void *b_, int64_t n,                  \
                             float alpha UNUSED)                                                   \
    {                                                                                              \
        float *z = z_;                                                                             \
        const float *a = a_, *b = b_;                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const float g = a[i], x = b[i];                                                        \
            z[i] = (expr);                                                                         \
        }                                                                                          \
    }

ACT_SIMD_UNARY(UNARY)
ACT_SIMD_GRAD(GRAD)
