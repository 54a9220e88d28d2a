/* SPDX-License-Identifier: Apache-2.0 */
/* EuclideanNorm: the root of the sum of squares over a set of axes. half and bfloat16 are computed
 * in float; integers wrap, and their root is cut off. */
#include "math/reduce.h"
#include "math/vec.h"
#include "op/infer.h"
#include "ops/reduce/axes.h"
#include <math.h>

/* X(id, type, squares in, root) */
#define NORM_TYPES(X)                                                                              \
    X(FLOAT, float, float, sqrtf)                                                                  \
    X(DOUBLE, double, double, sqrt)                                                                \
    X(INT8, int8_t, uint32_t, (int8_t)root_small)                                                  \
    X(UINT8, uint8_t, uint32_t, (uint8_t)sqrt)                                                     \
    X(INT16, int16_t, uint32_t, (int16_t)root_small)                                               \
    X(UINT16, uint16_t, uint32_t, (uint16_t)sqrt)                                                  \
    X(INT32, int32_t, uint32_t, root_i32)                                                          \
    X(INT64, int64_t, uint64_t, root_i64)

/* A sum of squares that wrapped may be negative; its root is then the lowest value,
 * or 0 in the narrow types. */
static int32_t root_small(int32_t x)
{
    return x < 0 ? 0 : (int32_t)sqrt(x);
}

static int32_t root_i32(int32_t x)
{
    return x < 0 ? INT32_MIN : (int32_t)sqrt(x);
}

static int64_t root_i64(int64_t x)
{
    return x < 0 ? INT64_MIN : (int64_t)sqrt((double)x);
}

#define COMPLEX_SQUARES(type)                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                              \
        const type v = ((const type *)x)[i];                                                       \
        ((type *)y)[i] = (type){v.re * v.re + v.im * v.im, 0};                                     \
    }

static void squares(int dtype, const void *x, void *y, int64_t n)
{
    switch (dtype) {
#define SQUARES(id, type, wide, root)                                                              \
    case DT_##id:                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                            \
            ((type *)y)[i] = (type)((wide)((const type *)x)[i] * (wide)((const type *)x)[i]);      \
        break;
        NORM_TYPES(SQUARES)
    case DT_COMPLEX64:
        COMPLEX_SQUARES(struct c64)
        break;
    case DT_COMPLEX128:
        COMPLEX_SQUARES(struct c128)
        break;
    default:
        break;
    }
}

static void roots(int dtype, void *y, int64_t n)
{
    switch (dtype) {
#define ROOTS(id, type, wide, root)                                                                \
    case DT_##id:                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                            \
            ((type *)y)[i] = root(((type *)y)[i]);                                                 \
        break;
        NORM_TYPES(ROOTS)
    case DT_COMPLEX64:
        for (int64_t i = 0; i < n; i++)
            ((struct c64 *)y)[i].re = sqrtf(((struct c64 *)y)[i].re);
        break;
    case DT_COMPLEX128:
        for (int64_t i = 0; i < n; i++)
            ((struct c128 *)y)[i].re = sqrt(((struct c128 *)y)[i].re);
        break;
    default:
        break;
    }
}

/* n and m: elements of x and y. work: room for both in the type they are computed in. */
static bool norm_compute(struct kctx *c, struct math_reduce_axes *r, int64_t n, int64_t m,
                         struct status *st)
{
    const int given = r->dtype;
    void *const result = r->y;
    const bool narrow = given == DT_HALF || given == DT_BFLOAT16;
    const int64_t item = narrow ? 4 : (int64_t)dtype_size(given);
    char *work = kernel_scratch(c, (n + 15) / 16 * 16 * item + (m + 1) * item, st);
    if (!work)
        return false;
    const void *x = r->x;
    if (narrow) {
        r->dtype = DT_FLOAT;
        r->y = work + (n + 15) / 16 * 16 * item;
        if (given == DT_HALF)
            math_f16_to_f32(x, (float *)(void *)work, n);
        else
            math_bf16_to_f32(x, (float *)(void *)work, n);
        x = work;
    }
    squares(r->dtype, x, work, n);
    r->x = work;
    int64_t bytes = math_reduce_axes_scratch_bytes(r);
    if (bytes > 0 && !(r->scratch = kernel_scratch(c, bytes, st)))
        return false;
    math_reduce_axes(kernel_pool(c), r);
    roots(r->dtype, r->y, m);
    if (given == DT_HALF)
        math_f32_to_f16(r->y, result, m);
    else if (given == DT_BFLOAT16)
        math_f32_to_bf16(r->y, result, m);
    return true;
}

static bool norm_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    struct reduce_axes axes;
    if (!reduce_axes_read(kernel_in(c, 1), tensor_rank(x), &axes, st))
        return false;
    struct shape shape =
        reduce_axes_shape(&axes, &x->shape, attrs_bool(kernel_attrs(c), "keep_dims"));
    bool single = true;
    for (int i = 0; i < axes.rank; i++)
        single = single && (!axes.reduced[i] || tensor_dim(x, i) == 1);
    if (single) { /* nothing to sum: the elements themselves, signs included, as TensorFlow */
        struct tensor same;
        bool ok = tensor_reshaped(x, &shape, &same, st);
        shape_clear(&shape);
        if (ok)
            kernel_out_take(c, 0, &same);
        return ok;
    }
    struct tensor *y = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!y || y->num_elems == 0)
        return y != NULL;
    struct math_reduce_axes r = {.op = MATH_REDUCE_SUM,
                                 .dtype = x->dtype,
                                 .x = x->data,
                                 .y = y->data,
                                 .rank = axes.rank,
                                 .dims = shape_dims(&x->shape),
                                 .reduced = axes.reduced};
    return norm_compute(c, &r, x->num_elems, y->num_elems, st);
}

OP_DEF(euclidean_norm) = {
    .name = "EuclideanNorm",
    .summary = "The root of the sum of squares of the elements along the given axes.",
    .inputs = {"input: T", "reduction_indices: Tidx"},
    .outputs = {"output: T"},
    .attrs = {"keep_dims: bool = false", "T: numbertype", "Tidx: {int32, int64} = DT_INT32"},
    .shape = infer_reduction,
    .no_grad = "TensorFlow declares it not differentiable",
    .no_kernel = "some quantized and wide unsigned types are only carried about",
};
KERNEL_DEF(euclidean_norm_cpu) = {.op = "EuclideanNorm",
                                  .device = "CPU",
                                  .types = {"T: {bfloat16, half, float, double, int8, uint8, "
                                            "int16, uint16, int32, int64, complex64, complex128}"},
                                  .run = norm_run,
                                  .flags = KERNEL_EXPENSIVE};
