/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions of complex numbers. Products are written out, without C's search for infinities
 * behind NaN, as TensorFlow's vectorised ones. */
#include <complex.h>
#include <math.h>

#include "ops/math/ewise_table.h"
#include "ops/math/tile.h"

typedef float _Complex cfloat;
typedef double _Complex cdouble;

/* f for the type of z; R is its real type. */
#define CFN(fn, z) _Generic((z), cfloat : fn##f, default : fn)(z)
#define RFN(fn, v) _Generic((v), float : fn##f, default : fn)(v)
#define RFN2(fn, v, w) _Generic((v), float : fn##f, default : fn)(v, w)

#define COMPLEX_HELPERS(C, R, s)                                                                   \
    static inline C make_##s(R re, R im)                                                           \
    {                                                                                              \
        C z;                                                                                       \
        __real__ z = re;                                                                           \
        __imag__ z = im;                                                                           \
        return z;                                                                                  \
    }                                                                                              \
    static inline C mul_##s(C x, C y)                                                              \
    {                                                                                              \
        const R a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;                    \
        return make_##s(a * c - b * d, a * d + b * c);                                             \
    }                                                                                              \
    static inline C scale_##s(C x, R k)                                                            \
    {                                                                                              \
        return make_##s(__real__ x * k, __imag__ x * k);                                           \
    }                                                                                              \
    /* Smith's division (CACM 5, 1962), which does not overflow on the way. Over 0 and over        \
     * infinity it gives NaN in both parts. */                                                     \
    static inline C div_##s(C x, C y)                                                              \
    {                                                                                              \
        const R a = __real__ x, b = __imag__ x, c = __real__ y, d = __imag__ y;                    \
        if (isinf(c) || isinf(d))                                                                  \
            return make_##s((R)NAN, (R)NAN);                                                       \
        if (RFN(fabs, c) >= RFN(fabs, d)) {                                                        \
            const R ratio = d / c, size = c + d * ratio;                                           \
            return make_##s((a + b * ratio) / size, (b - a * ratio) / size);                       \
        }                                                                                          \
        const R ratio = c / d, size = c * ratio + d;                                               \
        return make_##s((a * ratio + b) / size, (b * ratio - a) / size);                           \
    }                                                                                              \
    static inline C sign_##s(C x)                                                                  \
    {                                                                                              \
        const R size = RFN2(hypot, __real__ x, __imag__ x);                                        \
        return size == 0 ? 0 : make_##s(__real__ x / size, __imag__ x / size);                     \
    }                                                                                              \
    /* exp(a + ib) - 1 = (exp(a) - 1) cos b - 2 sin(b/2)^2 + i exp(a) sin b */                     \
    static inline C expm1_##s(C x)                                                                 \
    {                                                                                              \
        const R a = __real__ x, b = __imag__ x, h = RFN(sin, b / 2);                               \
        return make_##s(RFN(expm1, a) * RFN(cos, b) - 2 * h * h, RFN(exp, a) * RFN(sin, b));       \
    }                                                                                              \
    /* Near 0 the real part, half the logarithm of |1 + x|^2, is that of 1 + (2 + a) a + b^2. */   \
    static inline C log1p_##s(C x)                                                                 \
    {                                                                                              \
        const R a = __real__ x, b = __imag__ x;                                                    \
        if (!(RFN(fabs, a) < (R)0.5 && RFN(fabs, b) < (R)0.5))                                     \
            return CFN(clog, 1 + x);                                                               \
        return make_##s(RFN(log1p, (2 + a) * a + b * b) / 2, RFN2(atan2, b, 1 + a));               \
    }
COMPLEX_HELPERS(cfloat, float, f)
COMPLEX_HELPERS(cdouble, double, d)

#define OF(fn, ...) _Generic((T)0, cfloat : fn##_f, default : fn##_d)(__VA_ARGS__)
#define CONJ(z) OF(make, __real__(z), -__imag__(z))

/* clang-format off */
#define COMPLEX_BINARY(X) \
    X(add,                x + y)                                       \
    X(sub,                x - y)                                       \
    X(mul,                OF(mul, x, y))                               \
    X(div,                OF(div, x, y))                               \
    X(squared_difference, OF(mul, x - y, CONJ(x - y)))                 \
    X(div_no_nan,         y == 0 ? 0 : OF(div, x, y))                  \
    X(mul_no_nan,         y == 0 ? 0 : OF(mul, x, y))                  \
    X(xdivy,              x == 0 ? 0 : OF(div, x, y))                  \
    X(xlogy,              x == 0 ? 0 : x * CFN(clog, y))               \
    X(pow,                _Generic(x, cfloat: cpowf, default: cpow)(x, y))                     \
    X(tanh_grad,          OF(mul, y, 1 - OF(mul, x, x)))                 \
    X(sigmoid_grad,       OF(mul, OF(mul, y, x), 1 - x))                 \
    X(sqrt_grad,          y == 0 ? 0 : OF(div, OF(scale, y, 0.5f), CONJ(x)))                   \
    X(rsqrt_grad,         y == 0 ? 0 : OF(scale, OF(mul, OF(mul, y, CONJ(x)),                  \
                                                 OF(mul, CONJ(x), CONJ(x))), -0.5f))           \
    X(reciprocal_grad,    y == 0 ? 0 : OF(mul, OF(mul, -CONJ(x), y), CONJ(x)))

#define COMPLEX_UNARY(X) \
    X(neg,        -x)                                                  \
    X(sign,       OF(sign, x))                                         \
    X(square,     OF(mul, x, x))                                       \
    X(reciprocal, OF(div, 1, x))                                               \
    X(sqrt,       CFN(csqrt, x))                                       \
    X(rsqrt,      1 / CFN(csqrt, x))                                   \
    X(exp,        CFN(cexp, x))                                        \
    X(expm1,      OF(expm1, x))                                        \
    X(log,        CFN(clog, x))                                        \
    X(log1p,      OF(log1p, x))                                        \
    X(sin,        CFN(csin, x))                                        \
    X(cos,        CFN(ccos, x))                                        \
    X(tan,        CFN(ctan, x))                                        \
    X(sinh,       CFN(csinh, x))                                       \
    X(cosh,       CFN(ccosh, x))                                       \
    X(tanh,       CFN(ctanh, x))                                       \
    X(asinh,      CFN(casinh, x))                                      \
    X(acosh,      CFN(cacosh, x))                                      \
    X(atanh,      CFN(catanh, x))                                      \
    X(sigmoid,    1 / (1 + CFN(cexp, -x)))                             \
    X(conj,       CONJ(x))

#define COMPLEX_COMPARE(X) \
    X(equal,      x == y)                                              \
    X(not_equal,  x != y)
/* clang-format on */

#define X(id, expr)                                                                                \
    TILE_BINARY_SLOW(id##_c64, cfloat, cfloat, expr)                                               \
    TILE_BINARY_SLOW(id##_c128, cdouble, cdouble, expr)
COMPLEX_BINARY(X)
#undef X
#define X(id, expr)                                                                                \
    TILE_BINARY_SLOW(id##_c64, cfloat, bool, expr)                                                 \
    TILE_BINARY_SLOW(id##_c128, cdouble, bool, expr)
COMPLEX_COMPARE(X)
#undef X
#define X(id, expr)                                                                                \
    TILE_UNARY(id##_c64, cfloat, cfloat, expr)                                                     \
    TILE_UNARY(id##_c128, cdouble, cdouble, expr)
COMPLEX_UNARY(X)
#undef X

static const struct tile_row rows[] = {
#define X(id, expr) {EW_##id, DT_COMPLEX64, id##_c64}, {EW_##id, DT_COMPLEX128, id##_c128},
    COMPLEX_BINARY(X) COMPLEX_COMPARE(X) COMPLEX_UNARY(X)
#undef X
};

ewise_fn tile_find_complex(int id, int dtype)
{
    return tile_find(rows, ARRAY_LEN(rows), id, dtype);
}
