/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of activation functions and their gradients: y = f(x), or dx = f(dy, x or y).
 *
 * An op gives one function per type over contiguous elements; the engine splits big tensors over
 * the pool, writes into the memory of a dying input, and runs half and bfloat16 as float, block by
 * block. */
#ifndef LEAT_OPS_NN_ACT_H
#define LEAT_OPS_NN_ACT_H

#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

/* n elements; z may be exactly a or b. Functions of one argument do not read b. */
typedef void (*act_fn)(void *z, const void *a, const void *b, int64_t n, float alpha);

/* What each type runs; NULL: none. half takes and gives floats, whose last rounding is the
 * engine's; where it is NULL half runs f32, as bfloat16 does. */
struct act_fns {
    act_fn f32, f64, i8, u8, i16, u16, i32, i64, half;
};

struct act_state {
    act_fn fn;
    int narrow; /* DT_HALF or DT_BFLOAT16: fn works on float; else 0 */
    float alpha;
    double cost_ns;
};

MUST_CHECK bool act_init(struct kernel *k, void *state, const struct act_fns *fns,
                         struct status *st);
bool act_run_unary(struct kctx *c, struct status *st);
bool act_run_grad(struct kctx *c, struct status *st); /* two inputs of one shape */

/* Shape function of the gradient ops. */
bool act_grad_shape(struct infer_ctx *c, struct status *st);
/* Gradient of an op whose gradient op is op(dy, x), x input 0; with_y: op(dy, y). */
bool act_set_grad(struct grad_ctx *g, const char *op, bool with_y, struct status *st);

#define ACT_REALS                                                                                  \
    "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
#define ACT_KERNEL_REALS "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64"
#define ACT_FLOATS "half, bfloat16, float, double"

/* A tile for fusion (op/kernel.h: ewise_fn); b NULL: one argument. */
void act_tile(act_fn fn, size_t bytes, void *out, const void *const *in, bool two, unsigned scalars,
              int64_t n);

#define ACT_KERNEL_WITH(id_, op_, types_, fns_, run_, ...)                                         \
    static bool id_##_init(struct kernel *k, void *state, struct status *st)                       \
    {                                                                                              \
        return act_init(k, state, &fns_, st);                                                      \
    }                                                                                              \
    KERNEL_DEF(id_##_cpu) = {.op = op_,                                                            \
                             .device = "CPU",                                                      \
                             .types = {"T: {" types_ "}"},                                         \
                             .state_bytes = sizeof(struct act_state),                              \
                             .init = id_##_init,                                                   \
                             .run = run_,                                                          \
                             __VA_ARGS__}
/* Of ops that need no alpha: they can be fused. */
#define ACT_KERNEL(id_, op_, types_, fns_, run_)                                                   \
    static void id_##_tile_f32(void *z, const void *const *in, unsigned scalars, int64_t n)        \
    {                                                                                              \
        act_tile(fns_.f32, sizeof(float), z, in, run_ == act_run_grad, scalars, n);                \
    }                                                                                              \
    static void id_##_tile_f64(void *z, const void *const *in, unsigned scalars, int64_t n)        \
    {                                                                                              \
        act_tile(fns_.f64, sizeof(double), z, in, run_ == act_run_grad, scalars, n);               \
    }                                                                                              \
    static ewise_fn id_##_ewise(int dtype)                                                         \
    {                                                                                              \
        if (dtype == DT_FLOAT && fns_.f32)                                                         \
            return id_##_tile_f32;                                                                 \
        return dtype == DT_DOUBLE && fns_.f64 ? id_##_tile_f64 : NULL;                             \
    }                                                                                              \
    ACT_KERNEL_WITH(id_, op_, types_, fns_, run_, .flags = KERNEL_SAME_SHAPE, .ewise = id_##_ewise)
#define ACT_KERNEL_ALPHA(id_, op_, types_, fns_, run_)                                             \
    ACT_KERNEL_WITH(id_, op_, types_, fns_, run_, .ewise = NULL)

/* static void name(...): z[i] = expr of x = a[i] and of alpha; for two arguments of g = a[i] and
 * x = b[i]. */
#define ACT_UNARY(name, type, expr)                                                                \
    static void name(void *z_, const void *a_, const void *b_ UNUSED, int64_t n,                   \
                     float alpha_ UNUSED)                                                          \
    {                                                                                              \
        typedef type T;                                                                            \
        const T alpha UNUSED = (T)alpha_;                                                          \
        T *z = z_;                                                                                 \
        const T *a = a_;                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const T x = a[i];                                                                      \
            z[i] = (T)(expr);                                                                      \
        }                                                                                          \
    }
#define ACT_GRAD(name, type, expr)                                                                 \
    static void name(void *z_, const void *a_, const void *b_, int64_t n, float alpha_ UNUSED)     \
    {                                                                                              \
        typedef type T;                                                                            \
        const T alpha UNUSED = (T)alpha_;                                                          \
        T *z = z_;                                                                                 \
        const T *a = a_, *b = b_;                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const T g = a[i], x = b[i];                                                            \
            z[i] = (T)(expr);                                                                      \
        }                                                                                          \
    }

#endif
