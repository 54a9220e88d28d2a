/* SPDX-License-Identifier: Apache-2.0 */
/* Adding to and subtracting from a variable, for every type that has the kernel. */
#include "ops/state/update.h"

#include "base/pool.h"

/* clang-format off */
/* X(id, type): types whose arithmetic C has */
#define UPDATE_PLAIN(X) \
    X(FLOAT, float) X(DOUBLE, double) X(INT8, int8_t) X(UINT8, uint8_t) X(INT16, int16_t) \
    X(UINT16, uint16_t) X(INT32, uint32_t) X(INT64, uint64_t)
/* clang-format on */

#define X(id, type)                                                                                \
    static void add_##id(void *var, const void *value, int64_t n)                                  \
    {                                                                                              \
        type *restrict a = var;                                                                    \
        const type *restrict b = value;                                                            \
        for (int64_t i = 0; i < n; i++)                                                            \
            a[i] = (type)(a[i] + b[i]);                                                            \
    }                                                                                              \
    static void sub_##id(void *var, const void *value, int64_t n)                                  \
    {                                                                                              \
        type *restrict a = var;                                                                    \
        const type *restrict b = value;                                                            \
        for (int64_t i = 0; i < n; i++)                                                            \
            a[i] = (type)(a[i] - b[i]);                                                            \
    }
UPDATE_PLAIN(X)
#undef X

static void add_HALF(void *var, const void *value, int64_t n)
{
    struct f16 *a = var;
    const struct f16 *b = value;
    for (int64_t i = 0; i < n; i++)
        a[i] = f16_from_f32(f16_to_f32(a[i]) + f16_to_f32(b[i]));
}

static void sub_HALF(void *var, const void *value, int64_t n)
{
    struct f16 *a = var;
    const struct f16 *b = value;
    for (int64_t i = 0; i < n; i++)
        a[i] = f16_from_f32(f16_to_f32(a[i]) - f16_to_f32(b[i]));
}

static void add_BFLOAT16(void *var, const void *value, int64_t n)
{
    struct bf16 *a = var;
    const struct bf16 *b = value;
    for (int64_t i = 0; i < n; i++)
        a[i] = bf16_from_f32(bf16_to_f32(a[i]) + bf16_to_f32(b[i]));
}

static void sub_BFLOAT16(void *var, const void *value, int64_t n)
{
    struct bf16 *a = var;
    const struct bf16 *b = value;
    for (int64_t i = 0; i < n; i++)
        a[i] = bf16_from_f32(bf16_to_f32(a[i]) - bf16_to_f32(b[i]));
}

static update_fn add_for(int dtype)
{
    switch (dtype) {
#define X(id, type)                                                                                \
    case DT_##id:                                                                                  \
        return add_##id;
        UPDATE_PLAIN(X)
#undef X
    case DT_HALF:
        return add_HALF;
    case DT_BFLOAT16:
        return add_BFLOAT16;
    case DT_COMPLEX64: /* parts add one by one */
        return add_FLOAT;
    case DT_COMPLEX128:
        return add_DOUBLE;
    default:
        return NULL;
    }
}

static update_fn sub_for(int dtype)
{
    switch (dtype) {
#define X(id, type)                                                                                \
    case DT_##id:                                                                                  \
        return sub_##id;
        UPDATE_PLAIN(X)
#undef X
    case DT_HALF:
        return sub_HALF;
    case DT_BFLOAT16:
        return sub_BFLOAT16;
    case DT_COMPLEX64:
        return sub_FLOAT;
    case DT_COMPLEX128:
        return sub_DOUBLE;
    default:
        return NULL;
    }
}

static bool choose(struct kernel *k, update_fn fn, void *state, struct status *st)
{
    *(update_fn *)state = fn;
    return fn || status_unimplemented(st, "%s: no kernel for type %s", k->op->name,
                                      dtype_name(k->input_types[1]));
}

bool update_add_init(struct kernel *k, void *state, struct status *st)
{
    return choose(k, add_for(k->input_types[1]), state, st);
}

bool update_sub_init(struct kernel *k, void *state, struct status *st)
{
    return choose(k, sub_for(k->input_types[1]), state, st);
}

struct add_job {
    update_fn fn;
    char *to;
    const char *from;
    int64_t item; /* bytes */
};

static void add_run(void *arg, int64_t begin, int64_t end)
{
    const struct add_job *j = arg;
    j->fn(j->to + begin * j->item, j->from + begin * j->item, end - begin);
}

bool update_add(struct kctx *c, struct variable *v, struct status *st)
{
    const struct tensor *value = kernel_in(c, 1);
    struct tensor *now;
    if (!variable_write_begin(v, false, &now, st))
        return false;
    bool same = shape_equal(&now->shape, &value->shape);
    if (same) {
        const int64_t parts = dtype_is_complex(value->dtype) ? 2 : 1;
        const int64_t n = value->num_elems * parts;
        const struct add_job j = {.fn = *(const update_fn *)kernel_state(c),
                                  .to = now->data,
                                  .from = value->data,
                                  .item = (int64_t)dtype_size(value->dtype) / parts};
        const double cost = 0.06 * (double)j.item;
        pool_loop(kernel_pool(c), n, pool_grain(n, cost), cost, add_run, (void *)&j);
    }
    variable_write_end(v);
    return same || status_invalid(st, "Parameters and update must be the same size");
}
