/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing updates out; rows of a sparse update; half and bfloat16 in chunks of float. */
#include "math/optimizer.h"

#include "math/rows.h"
#include "math/simd/optimizer_simd.h"
#include "math/vec.h"
#include "tensor/dtype.h"

#define NARROW_CHUNK 256
#define SLOTS 3

bool math_optimizer_supports(int dtype)
{
    return dtype_is_float(dtype);
}

static int num_slots(enum math_optimizer kind)
{
    static const int slots[] = {
        [MATH_OPT_SGD] = 0,        [MATH_OPT_MOMENTUM] = 1,     [MATH_OPT_ADAM] = 2,
        [MATH_OPT_ADAGRAD] = 1,    [MATH_OPT_RMSPROP] = 2,      [MATH_OPT_CENTERED_RMSPROP] = 3,
        [MATH_OPT_FTRL] = 2,       [MATH_OPT_ADADELTA] = 2,     [MATH_OPT_KERAS_MOMENTUM] = 1,
        [MATH_OPT_ADA_MAX] = 2,    [MATH_OPT_AMSGRAD] = 3,      [MATH_OPT_ADD_SIGN] = 1,
        [MATH_OPT_POWER_SIGN] = 1, [MATH_OPT_PROXIMAL_SGD] = 0, [MATH_OPT_PROXIMAL_ADAGRAD] = 1,
        [MATH_OPT_ADAGRAD_DA] = 2,
    };
    return slots[kind];
}

static void widen(int dtype, const void *x, float *y, int64_t n)
{
    if (dtype == DT_HALF)
        math_f16_to_f32(x, y, n);
    else
        math_bf16_to_f32(x, y, n);
}

static void shorten(int dtype, const float *x, void *y, int64_t n)
{
    if (dtype == DT_HALF)
        math_f32_to_f16(x, y, n);
    else
        math_f32_to_bf16(x, y, n);
}

static void update_narrow(const struct math_update *u)
{
    float var[NARROW_CHUNK], grad[NARROW_CHUNK], slot[SLOTS][NARROW_CHUNK];
    const int slots = num_slots(u->kind);
    for (int64_t i = 0; i < u->n; i += NARROW_CHUNK) {
        const int64_t n = min_i64(NARROW_CHUNK, u->n - i);
        struct math_update f = *u;
        f.n = n;
        f.var = var;
        f.grad = grad;
        widen(u->dtype, (const struct f16 *)u->var + i, var, n);
        widen(u->dtype, (const struct f16 *)u->grad + i, grad, n);
        for (int k = 0; k < slots; k++) {
            f.slot[k] = slot[k];
            widen(u->dtype, (const struct f16 *)u->slot[k] + i, slot[k], n);
        }
        SIMD_CALL(optimizer_run_f32)(&f);
        shorten(u->dtype, var, (struct f16 *)u->var + i, n);
        for (int k = 0; k < slots; k++)
            shorten(u->dtype, slot[k], (struct f16 *)u->slot[k] + i, n);
    }
}

/* n parameters from element `at` of the variable and element g of the gradient. */
static void update_piece(const struct math_update *u, int64_t at, int64_t g, int64_t n)
{
    const int64_t item = (int64_t)dtype_size(u->dtype);
    struct math_update p = *u;
    p.n = n;
    p.var = (char *)u->var + at * item;
    p.grad = (const char *)u->grad + g * item;
    for (int k = 0; k < SLOTS; k++)
        p.slot[k] = u->slot[k] ? (char *)u->slot[k] + at * item : NULL;
    if (u->dtype == DT_FLOAT)
        SIMD_CALL(optimizer_run_f32)(&p);
    else if (u->dtype == DT_DOUBLE)
        SIMD_CALL(optimizer_run_f64)(&p);
    else
        update_narrow(&p);
}

static void update_run(void *arg, int64_t begin, int64_t end)
{
    update_piece(arg, begin, begin, end - begin);
}

static double element_cost(const struct math_update *u)
{
    const double arrays = 3 + 2 * num_slots(u->kind);
    return arrays * (u->dtype == DT_FLOAT ? 0.1 : 0.25);
}

void math_update(struct pool *pool, const struct math_update *u)
{
    const double cost = element_cost(u);
    /* Whole cache lines to each piece. */
    const int64_t grain = (pool_grain(u->n, cost) + 63) / 64 * 64;
    pool_loop(pool, u->n, grain, cost, update_run, (void *)u);
}

struct sparse_job {
    const struct math_update *u;
    const struct math_sparse_rows *rows;
};

/* Columns [begin, end) of each indexed row, in the order of the indices. */
static void sparse_run(void *arg, int64_t begin, int64_t end)
{
    const struct sparse_job *j = arg;
    const struct math_sparse_rows *r = j->rows;
    for (int64_t i = 0; i < r->num; i++) {
        const int64_t index = r->index_dtype == DT_INT32
                                  ? ((const volatile int32_t *)r->indices)[i]
                                  : ((const volatile int64_t *)r->indices)[i];
        if ((uint64_t)index < (uint64_t)r->limit)
            update_piece(j->u, index * r->row_items + begin, i * r->row_items + begin, end - begin);
    }
}

int64_t math_update_sparse(struct pool *pool, const struct math_update *u,
                           const struct math_sparse_rows *rows)
{
    struct math_update of_rows = *u;
    struct sparse_job j = {&of_rows, rows};
    const int64_t bad =
        math_find_bad_index(rows->index_dtype, rows->indices, rows->num, rows->limit);
    ASSERT(u->kind != MATH_OPT_ADAM);
    if (bad >= 0)
        return bad;
    of_rows.rows = true;
    const double cost = element_cost(u) * (double)rows->num;
    pool_loop(pool, rows->row_items, 256, cost, sparse_run, &j);
    return -1;
}
