/* SPDX-License-Identifier: Apache-2.0 */
/* Sharing out reductions: which pieces, in which order their results combine.
 *
 * max and min pass over NaN, as TensorFlow 1.15 does: the result is the greatest number, and
 * -infinity (+infinity) when there is none. Workload: long rows (losses), tall narrow columns (bias
 * gradients, batch statistics), many short rows. */
#include "math/reduce.h"

#include <math.h>

#include "math/scratch.h"
#include "math/simd/reduce_simd.h"
#include "math/transpose.h"
#include "math/vec.h"
#include "tensor/dtype.h"

#define PART_ITEMS 65536 /* elements in a part when one output's reduction is cut */
#define PARTS_MAX 32
#define OUTPUTS_MANY 16  /* with this many independent strips nothing is cut */
#define STRIP_BYTES 2048 /* columns handled together */
#define IN_ORDER_COLS 64 /* the narrowest strip that keeps whole cache lines busy */
#define CONVERT_ITEMS 16384

/* A reduction of a real type by SUM, PROD, MAX or MIN, as the loops see it. */
struct job {
    enum math_reduce_op op;
    int dtype;
    size_t item;
    const char *x;
    char *y;
    int64_t outer, num, inner;
    int64_t strips, strip_cols; /* of inner */
    int64_t parts, part_num;    /* of num */
    char *partial;              /* [outer][parts][inner], or NULL when parts is 1 */
    bool in_order;
    float divide; /* narrow types: what a result is divided by before rounding */
};

static bool narrow(int dtype)
{
    return dtype == DT_HALF || dtype == DT_BFLOAT16;
}

static void to_float(int dtype, const void *x, float *y, int64_t n)
{
    if (dtype == DT_HALF)
        math_f16_to_f32(x, y, n);
    else
        math_bf16_to_f32(x, y, n);
}

static void from_float(const struct job *j, float *x, void *y, int64_t n)
{
    for (int64_t i = 0; i < n && j->divide != 1; i++)
        x[i] /= j->divide;
    if (j->dtype == DT_HALF)
        math_f32_to_f16(x, y, n);
    else
        math_f32_to_bf16(x, y, n);
}

/* Narrow columns: several rows side by side make one wide row, whose groups are folded at the end.
 * y has room for STRIP_BYTES. */
static void columns_grouped(enum math_reduce_op op, int dtype, const struct reduce_piece *p,
                            void *y, size_t item)
{
    const int64_t group = STRIP_BYTES / ((int64_t)item * p->cols);
    if (p->in_order || p->ld != p->cols || group < 2 || p->num < 2 * group) {
        SIMD_CALL(reduce_columns)(op, dtype, p, y);
        return;
    }
    _Alignas(64) char wide[2 * STRIP_BYTES];
    const int64_t rows = p->num / group, rest = p->num % group;
    const size_t row_bytes = (size_t)p->cols * item;
    struct reduce_piece w = {
        .x = p->x, .ld = group * p->cols, .num = rows, .cols = group * p->cols};
    SIMD_CALL(reduce_columns)(op, dtype, &w, wide);
    /* The leftover rows join the groups as more rows: rest < group, so there is room. */
    memcpy(wide + (size_t)group * row_bytes,
           (const char *)p->x + (size_t)(rows * group) * row_bytes, (size_t)rest * row_bytes);
    w = (struct reduce_piece){.x = wide, .ld = p->cols, .num = group + rest, .cols = p->cols};
    SIMD_CALL(reduce_columns)(op, dtype, &w, y);
}

/* y (float) from half or bfloat16: converted in blocks of whole rows, block results combined in
 * order. */
static void columns_narrow(const struct job *j, const struct reduce_piece *p, float *y)
{
    float *wide = math_scratch(MATH_SCRATCH_ROWS, (CONVERT_ITEMS + STRIP_BYTES) * sizeof(float));
    const int64_t block = max_i64(1, CONVERT_ITEMS / p->cols - 1);
    for (int64_t r = 0; r < p->num; r += block) {
        const int64_t num = min_i64(block, p->num - r), kept = r > 0;
        memcpy(wide, y, (size_t)(kept * p->cols) * sizeof(float));
        for (int64_t i = 0; i < num; i++)
            to_float(j->dtype, (const char *)p->x + (r + i) * p->ld * (int64_t)j->item,
                     wide + (kept + i) * p->cols, p->cols);
        const struct reduce_piece w = {
            .x = wide, .ld = p->cols, .num = kept + num, .cols = p->cols};
        SIMD_CALL(reduce_columns)(j->op, DT_FLOAT, &w, y);
    }
}

static void row_narrow(const struct job *j, const char *x, int64_t n, float *y)
{
    float *wide = math_scratch(MATH_SCRATCH_ROWS, (CONVERT_ITEMS + 1) * sizeof(float));
    for (int64_t i = 0; i < n; i += CONVERT_ITEMS) {
        const int64_t num = min_i64(CONVERT_ITEMS, n - i);
        wide[0] = i > 0 ? *y : 0;
        to_float(j->dtype, x + i * (int64_t)j->item, wide + 1, num);
        const struct reduce_piece p = {
            .x = i > 0 ? wide : wide + 1, .num = 1, .cols = num + (i > 0)};
        SIMD_CALL(reduce_rows)(j->op, DT_FLOAT, &p, y);
    }
}

/* One strip of one outer index and one part of num. Partial results of narrow types are float. */
static void job_piece(const struct job *j, int64_t o, int64_t part, int64_t strip)
{
    const int64_t r0 = part * j->part_num, num = min_i64(j->part_num, j->num - r0);
    const int64_t c0 = strip * j->strip_cols, cols = min_i64(j->strip_cols, j->inner - c0);
    const char *x = j->x + ((o * j->num + r0) * j->inner + c0) * (int64_t)j->item;
    const bool wide = narrow(j->dtype);
    const size_t out_item = wide && j->partial ? sizeof(float) : j->item;
    char *y = j->partial ? j->partial + ((o * j->parts + part) * j->inner + c0) * (int64_t)out_item
                         : j->y + (o * j->inner + c0) * (int64_t)out_item;
    const struct reduce_piece p = {x, j->inner, num, cols, j->in_order};
    if (wide) {
        float tile[STRIP_BYTES / 2], *to = j->partial ? (float *)(void *)y : tile;
        if (j->inner == 1)
            row_narrow(j, x, num, to);
        else
            columns_narrow(j, &p, to);
        if (!j->partial)
            from_float(j, tile, y, cols);
    } else if (j->inner == 1) {
        const struct reduce_piece row = {.x = x, .num = 1, .cols = num};
        SIMD_CALL(reduce_rows)(j->op, j->dtype, &row, y);
    } else {
        columns_grouped(j->op, j->dtype, &p, y, j->item);
    }
}

static void job_run(void *arg, int64_t begin, int64_t end)
{
    const struct job *j = arg;
    if (j->inner == 1 && j->parts == 1 && !narrow(j->dtype)) { /* many rows in one call */
        const struct reduce_piece p = {
            .x = j->x + begin * j->num * (int64_t)j->item, .num = end - begin, .cols = j->num};
        SIMD_CALL(reduce_rows)(j->op, j->dtype, &p, j->y + begin * (int64_t)j->item);
        return;
    }
    for (int64_t i = begin; i < end; i++)
        job_piece(j, i / (j->parts * j->strips), i / j->strips % j->parts, i % j->strips);
}

/* The parts of each outer index become its result. */
static void job_combine(const struct job *j)
{
    const bool wide = narrow(j->dtype);
    const int dtype = wide ? DT_FLOAT : j->dtype;
    const int64_t item = wide ? 4 : (int64_t)j->item;
    float tile[STRIP_BYTES / 2];
    for (int64_t o = 0; o < j->outer; o++) {
        for (int64_t c = 0; c < j->inner; c += j->strip_cols) {
            const int64_t cols = min_i64(j->strip_cols, j->inner - c);
            const struct reduce_piece p = {.x = j->partial + (o * j->parts * j->inner + c) * item,
                                           .ld = j->inner,
                                           .num = j->parts,
                                           .cols = cols};
            char *y = j->y + (o * j->inner + c) * (int64_t)j->item;
            SIMD_CALL(reduce_columns)(j->op, dtype, &p, wide ? (void *)tile : (void *)y);
            if (wide)
                from_float(j, tile, y, cols);
        }
    }
}

static void job_reduce(struct pool *pool, struct job *j)
{
    j->strip_cols = STRIP_BYTES / (int64_t)j->item;
    if (j->in_order && j->inner < 8 * j->strip_cols) /* threads share the columns alone */
        j->strip_cols = IN_ORDER_COLS;
    if (j->inner <= j->strip_cols)
        j->strip_cols = j->inner;
    j->strips = (j->inner + j->strip_cols - 1) / j->strip_cols;
    j->parts = 1, j->part_num = j->num;
    if (!j->in_order && j->outer * j->strips < OUTPUTS_MANY && j->num >= 2 &&
        (double)j->num * (double)j->inner >= 2.0 * PART_ITEMS) {
        const double parts = (double)j->num * (double)j->inner / PART_ITEMS;
        j->parts = min_i64(min_i64(PARTS_MAX, (int64_t)parts), j->num);
        j->part_num = (j->num + j->parts - 1) / j->parts;
        j->parts = (j->num + j->part_num - 1) / j->part_num;
        const size_t item = narrow(j->dtype) ? sizeof(float) : j->item;
        j->partial =
            math_scratch(MATH_SCRATCH_PARTS, (size_t)(j->outer * j->parts * j->inner) * item);
    }
    const int64_t pieces = j->outer * j->parts * j->strips;
    const double cost = 5 + 0.1 * (double)j->part_num * (double)j->strip_cols *
                                (narrow(j->dtype) ? 4 : (double)j->item / 4);
    pool_loop(pool, pieces, pool_grain(pieces, cost), cost, job_run, j);
    if (j->partial)
        job_combine(j);
}

void math_reduce_divide(int dtype, void *y, int64_t n, int64_t num)
{
    switch (dtype) {
#define DIVIDE(dt, type)                                                                           \
    case dt:                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                            \
            ((type *)y)[i] = (type)(((type *)y)[i] / (int64_t)num);                                \
        break;
        DIVIDE(DT_INT8, int8_t)
        DIVIDE(DT_UINT8, uint8_t)
        DIVIDE(DT_INT16, int16_t)
        DIVIDE(DT_UINT16, uint16_t)
        DIVIDE(DT_INT32, int32_t)
        DIVIDE(DT_UINT32, uint32_t)
        DIVIDE(DT_INT64, int64_t)
#undef DIVIDE
    case DT_UINT64:
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)y)[i] /= (uint64_t)num;
        break;
    case DT_FLOAT:
        for (int64_t i = 0; i < n; i++)
            ((float *)y)[i] /= (float)num;
        break;
    case DT_DOUBLE:
        for (int64_t i = 0; i < n; i++)
            ((double *)y)[i] /= (double)num;
        break;
    case DT_COMPLEX64:
        math_reduce_divide(DT_FLOAT, y, 2 * n, num);
        break;
    case DT_COMPLEX128:
        math_reduce_divide(DT_DOUBLE, y, 2 * n, num);
        break;
    default:
        ASSERT(!"a type that has means, and is not narrow");
    }
}

/* n neutral elements, for reductions over nothing. */
static void fill_neutral(enum math_reduce_op op, int dtype, void *y, int64_t n)
{
    static const struct {
        int dtype;
        uint64_t lowest, highest; /* bit patterns */
    } bounds[] = {
        {DT_FLOAT, 0xff800000u, 0x7f800000u},
        {DT_DOUBLE, 0xfff0000000000000u, 0x7ff0000000000000u},
        {DT_HALF, 0xfc00u, 0x7c00u},
        {DT_BFLOAT16, 0xff80u, 0x7f80u},
        {DT_INT8, 0x80u, 0x7fu},
        {DT_INT16, 0x8000u, 0x7fffu},
        {DT_INT32, 0x80000000u, 0x7fffffffu},
        {DT_INT64, (uint64_t)INT64_MIN, INT64_MAX},
        {DT_UINT8, 0, 0xffu},
        {DT_UINT16, 0, 0xffffu},
        {DT_UINT32, 0, 0xffffffffu},
        {DT_UINT64, 0, UINT64_MAX},
    };
    static const struct {
        int dtype;
        uint64_t one;
    } ones[] = {
        {DT_FLOAT, 0x3f800000u},     {DT_DOUBLE, 0x3ff0000000000000u},
        {DT_HALF, 0x3c00u},          {DT_BFLOAT16, 0x3f80u},
        {DT_COMPLEX64, 0x3f800000u}, {DT_COMPLEX128, 0x3ff0000000000000u},
    };
    static const struct {
        int dtype;
        uint64_t nan;
    } nans[] = {
        {DT_FLOAT, 0x7fc00000u},
        {DT_DOUBLE, 0x7ff8000000000000u},
        {DT_HALF, 0x7e00u},
        {DT_BFLOAT16, 0x7fc0u},
        {DT_COMPLEX64, 0x7fc000007fc00000u},
        {DT_COMPLEX128, 0x7ff8000000000000u},
    };
    uint64_t bits[2] = {0, 0};
    if (op == MATH_REDUCE_PROD || op == MATH_REDUCE_ALL)
        bits[0] = 1;
    for (size_t i = 0; i < ARRAY_LEN(ones) && op == MATH_REDUCE_PROD; i++)
        if (ones[i].dtype == dtype)
            bits[0] = ones[i].one;
    for (size_t i = 0; i < ARRAY_LEN(nans) && op == MATH_REDUCE_MEAN; i++)
        if (nans[i].dtype == dtype)
            bits[0] = nans[i].nan, bits[1] = dtype == DT_COMPLEX128 ? nans[i].nan : 0;
    for (size_t i = 0; i < ARRAY_LEN(bounds); i++)
        if (bounds[i].dtype == dtype && (op == MATH_REDUCE_MAX || op == MATH_REDUCE_MIN))
            bits[0] = op == MATH_REDUCE_MAX ? bounds[i].lowest : bounds[i].highest;
    const size_t item = dtype_size(dtype);
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)y + (size_t)i * item, bits, item); /* little-endian: the low bytes */
}

#define COMPLEX_PROD(S, A, name)                                                                   \
    static void complex_prod_##name(const struct math_reduce *r)                                   \
    {                                                                                              \
        const S *x = r->x;                                                                         \
        S *y = r->y;                                                                               \
        for (int64_t o = 0; o < r->outer; o++)                                                     \
            for (int64_t c = 0; c < r->inner; c++) {                                               \
                S p = {1, 0};                                                                      \
                for (int64_t i = 0; i < r->num; i++) {                                             \
                    const S v = x[(o * r->num + i) * r->inner + c];                                \
                    const A re = p.re * v.re - p.im * v.im;                                        \
                    p.im = p.re * v.im + p.im * v.re;                                              \
                    p.re = re;                                                                     \
                }                                                                                  \
                y[o * r->inner + c] = p;                                                           \
            }                                                                                      \
    }
COMPLEX_PROD(struct c64, float, c64)
COMPLEX_PROD(struct c128, double, c128)
#undef COMPLEX_PROD

bool math_reduce_supports(enum math_reduce_op op, int dtype)
{
    if (op == MATH_REDUCE_ANY || op == MATH_REDUCE_ALL)
        return dtype == DT_BOOL;
    if (dtype_is_complex(dtype))
        return op == MATH_REDUCE_SUM || op == MATH_REDUCE_MEAN || op == MATH_REDUCE_PROD;
    return dtype_is_float(dtype) || dtype_is_integer(dtype);
}

void math_reduce(struct pool *pool, const struct math_reduce *r)
{
    if (r->outer <= 0 || r->inner <= 0)
        return;
    if (r->num <= 0) {
        fill_neutral(r->op, r->dtype, r->y, r->outer * r->inner);
        return;
    }
    if (r->dtype == DT_COMPLEX64 && r->op == MATH_REDUCE_PROD) {
        complex_prod_c64(r);
        return;
    }
    if (r->dtype == DT_COMPLEX128 && r->op == MATH_REDUCE_PROD) {
        complex_prod_c128(r);
        return;
    }
    struct job j = {.op = r->op, .dtype = r->dtype, .x = r->x, .y = r->y, .outer = r->outer};
    j.num = r->num, j.inner = r->inner, j.divide = 1;
    if (dtype_is_complex(r->dtype)) {
        j.dtype = dtype_real_of(r->dtype);
        j.inner *= 2; /* the parts are columns of their own */
    }
    j.item = dtype_size(j.dtype);
    if (r->op == MATH_REDUCE_MEAN) {
        j.op = MATH_REDUCE_SUM;
        j.divide = (float)r->num;
    } else if (r->op == MATH_REDUCE_ANY || r->op == MATH_REDUCE_ALL) {
        j.op = r->op == MATH_REDUCE_ANY ? MATH_REDUCE_MAX : MATH_REDUCE_MIN;
    }
    j.in_order = r->in_order && j.dtype == DT_FLOAT && j.op == MATH_REDUCE_SUM && j.inner > 1;
    job_reduce(pool, &j);
    if (r->op == MATH_REDUCE_MEAN && !narrow(r->dtype)) /* those were divided before rounding */
        math_reduce_divide(j.dtype, r->y, j.outer * j.inner, r->num);
}
