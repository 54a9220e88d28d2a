/* SPDX-License-Identifier: Apache-2.0 */
/* What is computed in collectives: element by element, so that the order in which members are
 * merged alone decides the bits. */
#include "op/collective.h"

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
/* a NaN on either side is the result */
#define MIN(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#define MAX(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))

/* wide: what is computed in; integers wrap, so in unsigned. */
#define LOOP(type, wide, load, store, expr)                                                        \
    for (int64_t i = 0; i < n; i++) {                                                              \
        const wide a = (wide)load(((const type *)dst)[i]), b = (wide)load(((const type *)src)[i]); \
        ((type *)dst)[i] = store(expr(a, b));                                                      \
    }

#define AS_IS(x) (x)
#define TO_I32(x) ((int32_t)(x))
#define TO_I64(x) ((int64_t)(x))

#define MERGE_FN(name, type, wide, ordered, load, store)                                           \
    static void merge_##name(void *dst, const void *src, int64_t n, int merge)                     \
    {                                                                                              \
        switch (merge) {                                                                           \
        case MERGE_ADD:                                                                            \
            LOOP(type, wide, load, store, ADD)                                                     \
            break;                                                                                 \
        case MERGE_MUL:                                                                            \
            LOOP(type, wide, load, store, MUL)                                                     \
            break;                                                                                 \
        case MERGE_MIN:                                                                            \
            LOOP(type, ordered, load, store, MIN)                                                  \
            break;                                                                                 \
        default:                                                                                   \
            LOOP(type, ordered, load, store, MAX)                                                  \
            break;                                                                                 \
        }                                                                                          \
    }

MERGE_FN(f32, float, float, float, AS_IS, AS_IS)
MERGE_FN(f64, double, double, double, AS_IS, AS_IS)
MERGE_FN(i32, int32_t, uint32_t, int32_t, AS_IS, TO_I32)
MERGE_FN(i64, int64_t, uint64_t, int64_t, AS_IS, TO_I64)
MERGE_FN(f16, struct f16, float, float, f16_to_f32, f16_from_f32)

void collective_merge(void *dst, const void *src, int64_t n, int dtype, int merge)
{
    switch (dtype) {
    case DT_FLOAT:
        merge_f32(dst, src, n, merge);
        break;
    case DT_DOUBLE:
        merge_f64(dst, src, n, merge);
        break;
    case DT_INT32:
        merge_i32(dst, src, n, merge);
        break;
    case DT_INT64:
        merge_i64(dst, src, n, merge);
        break;
    default:
        ASSERT(dtype == DT_HALF);
        merge_f16(dst, src, n, merge);
    }
}

#define DIVIDE(type, by_type, load, store)                                                         \
    for (int64_t i = 0; i < n; i++)                                                                \
    ((type *)dst)[i] = store(load(((const type *)dst)[i]) / (by_type)by)

void collective_divide(void *dst, int64_t n, int dtype, int64_t by)
{
    switch (dtype) {
    case DT_FLOAT:
        DIVIDE(float, float, AS_IS, AS_IS);
        break;
    case DT_DOUBLE:
        DIVIDE(double, double, AS_IS, AS_IS);
        break;
    case DT_INT32:
        DIVIDE(int32_t, int32_t, AS_IS, AS_IS);
        break;
    case DT_INT64:
        DIVIDE(int64_t, int64_t, AS_IS, AS_IS);
        break;
    default:
        ASSERT(dtype == DT_HALF);
        DIVIDE(struct f16, float, f16_to_f32, f16_from_f32);
    }
}
