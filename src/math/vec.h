/* SPDX-License-Identifier: Apache-2.0 */
/* Mathematical functions over arrays of float and double.
 *
 * A few ulp from the true value, with the special values of C's math.h (NaN in, NaN out;
 * infinities; the sign of zero). Element i of the result depends on element i of the arguments
 * alone: splitting an array anywhere changes no bit. y may be x itself, but not overlap it
 * otherwise. Single threaded: the caller splits. Instruction level chosen at run time; SLEEF does
 * the hard ones where it is linked, libm where it is not. */
#ifndef LEAT_MATH_VEC_H
#define LEAT_MATH_VEC_H

#include "base/base.h"

/* clang-format off */
/* X(name): y = name(x) */
#define MATH_VEC_UNARY_TABLE(X) \
    X(exp)    X(expm1)  X(log)    X(log1p)                             \
    X(sin)    X(cos)    X(tan)    X(asin)   X(acos)   X(atan)          \
    X(sinh)   X(cosh)   X(tanh)   X(asinh)  X(acosh)  X(atanh)         \
    X(erf)    X(erfc)   X(lgamma) X(sqrt)   X(rsqrt)                   \
    X(sigmoid)   /* 1 / (1 + exp(-x)) */                               \
    X(softplus)  /* log(1 + exp(x)), without overflow */

/* X(name): z = name(x, y); pow, atan2, fmod of math.h */
#define MATH_VEC_BINARY_TABLE(X) X(pow) X(atan2) X(fmod)
/* clang-format on */

#define X(name)                                                                                    \
    void math_##name##_f32(const float *x, float *y, int64_t n);                                   \
    void math_##name##_f64(const double *x, double *y, int64_t n);
MATH_VEC_UNARY_TABLE(X)
#undef X

#define X(name)                                                                                    \
    void math_##name##_f32(const float *x, const float *y, float *z, int64_t n);                   \
    void math_##name##_f64(const double *x, const double *y, double *z, int64_t n);
MATH_VEC_BINARY_TABLE(X)
#undef X

typedef void (*math_vec_f32)(const float *x, float *y, int64_t n);
typedef void (*math_vec_f64)(const double *x, double *y, int64_t n);

/* The function for the machine's instruction level, without the dispatch of each call above. */
enum math_vec {
#define X(name) MATH_VEC_##name,
    MATH_VEC_UNARY_TABLE(X)
#undef X
        MATH_VEC_NUM
};
math_vec_f32 math_vec_find_f32(enum math_vec which);
math_vec_f64 math_vec_find_f64(enum math_vec which);

/* Rough cost of one element in ns, to split loops by. */
double math_vec_cost_ns(enum math_vec which, bool f64);

/* Conversions of whole arrays, rounding to nearest even. */
struct f16;
struct bf16;
void math_f16_to_f32(const struct f16 *x, float *y, int64_t n);
void math_f32_to_f16(const float *x, struct f16 *y, int64_t n);
void math_bf16_to_f32(const struct bf16 *x, float *y, int64_t n);
void math_f32_to_bf16(const float *x, struct bf16 *y, int64_t n);

#endif
