/* SPDX-License-Identifier: Apache-2.0 */
/* Tile functions for float and double that call a function over arrays: those of math/vec.h, and
 * ops of several steps (xlogy, floor_mod, pow). */
#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "ops/math/ewise_table.h"
#include "ops/math/special.h"
#include "ops/math/tile.h"

enum { PIECE = 256 };

#define VEC_UNARY(name, type, fn)                                                                  \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        type *z = out;                                                                             \
        if (!(scalars & 1)) {                                                                      \
            fn(in[0], z, n);                                                                       \
            return;                                                                                \
        }                                                                                          \
        type v;                                                                                    \
        fn(in[0], &v, 1);                                                                          \
        for (int64_t i = 0; i < n; i++)                                                            \
            z[i] = v;                                                                              \
    }
#define X(id, vec)                                                                                 \
    VEC_UNARY(id##_f32, float, math_##vec##_f32)                                                   \
    VEC_UNARY(id##_f64, double, math_##vec##_f64)
EWISE_VEC_UNARY(X)
#undef X
VEC_UNARY(digamma_f32, float, special_digamma_f32)
VEC_UNARY(digamma_f64, double, special_digamma_f64)
VEC_UNARY(bessel_i0e_f32, float, special_bessel_i0e_f32)
VEC_UNARY(bessel_i0e_f64, double, special_bessel_i0e_f64)
VEC_UNARY(bessel_i1e_f32, float, special_bessel_i1e_f32)
VEC_UNARY(bessel_i1e_f64, double, special_bessel_i1e_f64)

/* Piece [at, at + len) of operand i as an array: a single element is repeated in room. */
#define PIECE_OF(name, type)                                                                       \
    static const type *name(const void *const *in, unsigned scalars, int i, int64_t at,            \
                            int64_t len, type *room)                                               \
    {                                                                                              \
        const type *x = in[i];                                                                     \
        if (!(scalars >> i & 1))                                                                   \
            return x + at;                                                                         \
        for (int64_t k = 0; k < len; k++)                                                          \
            room[k] = x[0];                                                                        \
        return room;                                                                               \
    }
PIECE_OF(piece_f32, float)
PIECE_OF(piece_f64, double)

/* fn(x, y, z, len) over arrays, piece by piece. */
#define PIECEWISE(name, type, suffix, fn)                                                          \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        type room_x[PIECE], room_y[PIECE];                                                         \
        for (int64_t at = 0; at < n; at += PIECE) {                                                \
            int64_t len = min_i64(PIECE, n - at);                                                  \
            const type *x = piece_##suffix(in, scalars, 0, at, len, room_x);                       \
            const type *y = piece_##suffix(in, scalars, 1, at, len, room_y);                       \
            fn(x, y, (type *)out + at, len);                                                       \
        }                                                                                          \
    }

/* x log y, and x itself where x is 0. */
#define XLOGY(name, type, log_fn)                                                                  \
    static void name(const type *x, const type *y, type *z, int64_t n)                             \
    {                                                                                              \
        type log_y[PIECE];                                                                         \
        log_fn(y, log_y, n);                                                                       \
        for (int64_t i = 0; i < n; i++)                                                            \
            z[i] = x[i] == 0 ? x[i] : x[i] * log_y[i];                                             \
    }
XLOGY(xlogy_array_f32, float, math_log_f32)
XLOGY(xlogy_array_f64, double, math_log_f64)

/* The remainder with the divisor's sign. */
#define FLOOR_MOD(name, type, fmod_fn)                                                             \
    static void name(const type *x, const type *y, type *z, int64_t n)                             \
    {                                                                                              \
        type rest[PIECE];                                                                          \
        fmod_fn(x, y, rest, n);                                                                    \
        for (int64_t i = 0; i < n; i++)                                                            \
            z[i] = rest[i] != 0 && (rest[i] < 0) != (y[i] < 0) ? rest[i] + y[i] : rest[i];         \
    }
FLOOR_MOD(floor_mod_array_f32, float, math_fmod_f32)
FLOOR_MOD(floor_mod_array_f64, double, math_fmod_f64)

PIECEWISE(xlogy_f32, float, f32, xlogy_array_f32)
PIECEWISE(xlogy_f64, double, f64, xlogy_array_f64)
PIECEWISE(floor_mod_f32, float, f32, floor_mod_array_f32)
PIECEWISE(floor_mod_f64, double, f64, floor_mod_array_f64)
PIECEWISE(mod_f32, float, f32, math_fmod_f32)
PIECEWISE(mod_f64, double, f64, math_fmod_f64)
PIECEWISE(atan2_f32, float, f32, math_atan2_f32)
PIECEWISE(atan2_f64, double, f64, math_atan2_f64)
PIECEWISE(pow_any_f32, float, f32, math_pow_f32)
PIECEWISE(pow_any_f64, double, f64, math_pow_f64)

/* Squares and first powers, the exponents that most graphs have, need no logarithm. */
#define POW(name, type, any)                                                                       \
    static void name(void *out, const void *const *in, unsigned scalars, int64_t n)                \
    {                                                                                              \
        const type *x = in[0], y = ((const type *)in[1])[0];                                       \
        type *z = out;                                                                             \
        if (scalars == 2 && y == 2) {                                                              \
            TILE_LOOP                                                                              \
            for (int64_t i = 0; i < n; i++)                                                        \
                z[i] = x[i] * x[i];                                                                \
        } else if (scalars == 2 && y == 1) {                                                       \
            memmove(z, x, (size_t)n * sizeof(type));                                               \
        } else {                                                                                   \
            any(out, in, scalars, n);                                                              \
        }                                                                                          \
    }
POW(pow_f32, float, pow_any_f32)
POW(pow_f64, double, pow_any_f64)

TILE_BINARY_SLOW(zeta_f32, float, float, special_zeta(x, y))
TILE_BINARY_SLOW(zeta_f64, double, double, special_zeta(x, y))
TILE_BINARY_SLOW(polygamma_f32, float, float, special_polygamma(x, y))
TILE_BINARY_SLOW(polygamma_f64, double, double, special_polygamma(x, y))
TILE_BINARY_SLOW(igamma_f32, float, float, special_igamma(x, y))
TILE_BINARY_SLOW(igamma_f64, double, double, special_igamma(x, y))
TILE_BINARY_SLOW(igammac_f32, float, float, special_igammac(x, y))
TILE_BINARY_SLOW(igammac_f64, double, double, special_igammac(x, y))
TILE_BINARY_SLOW(igamma_grad_a_f32, float, float, special_igamma_grad_a(x, y))
TILE_BINARY_SLOW(igamma_grad_a_f64, double, double, special_igamma_grad_a(x, y))
TILE_BINARY_SLOW(gamma_sample_grad_f32, float, float, special_gamma_sample_grad(x, y))
TILE_BINARY_SLOW(gamma_sample_grad_f64, double, double, special_gamma_sample_grad(x, y))
TILE_BINARY_SLOW(next_after_f32, float, float, nextafterf(x, y))
TILE_BINARY_SLOW(next_after_f64, double, double, nextafter(x, y))

/* --- half: TensorFlow rounds after each step of these, and users see it where steps cancel; the
 * operands come as float --- */

#define H(v) f16_to_f32(f16_from_f32(v))
/* clang-format off */
#define HALF_STEPS(X) \
    X(floor_div,          floorf(H(x / y)))                            \
    X(squared_difference, H(x - y) * H(x - y))                         \
    X(tanh_grad,          y * H(1 - H(x * x)))                         \
    X(sigmoid_grad,       H(y * x) * H(1 - x))                         \
    X(sqrt_grad,          y == 0 ? 0 : H(0.5f * y) / x)                \
    X(rsqrt_grad,         y == 0 ? 0 : H(-0.5f * H(y * x)) * H(x * x)) \
    X(reciprocal_grad,    y == 0 ? 0 : H(-x * y) * x)                  \
    X(xlogy,              x == 0 ? x : x * H(logf(y)))
/* clang-format on */
#define X(id, expr) TILE_BINARY_SLOW(id##_f16, float, float, expr)
HALF_STEPS(X)
#undef X
TILE_UNARY(sigmoid_f16, float, float, 1 / H(1 + H(expf(-x))))
TILE_UNARY(rsqrt_f16, float, float, 1 / H(sqrtf(x)))

static const struct tile_row rows[] = {
#define X(id, vec) {EW_##id, DT_FLOAT, id##_f32}, {EW_##id, DT_DOUBLE, id##_f64},
    EWISE_VEC_UNARY(X) X(digamma, ) X(bessel_i0e, ) X(bessel_i1e, ) X(xlogy, ) X(floor_mod, )
        X(mod, ) X(atan2, ) X(pow, ) X(zeta, ) X(polygamma, ) X(igamma, ) X(igammac, )
            X(igamma_grad_a, ) X(gamma_sample_grad, ) X(next_after, )
#undef X
#define X(id, expr) {EW_##id, DT_HALF, id##_f16},
                HALF_STEPS(X) X(sigmoid, ) X(rsqrt, )
#undef X
};

ewise_fn tile_find_steps(int id, int dtype)
{
    return tile_find(rows, ARRAY_LEN(rows), id, dtype);
}
