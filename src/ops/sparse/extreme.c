/* SPDX-License-Identifier: Apache-2.0 */
/* See extreme.h; and SparseSparseMaximum, SparseSparseMinimum: two sparse tensors entry by entry,
 * where a place that only one has counts as 0 in the other. */
#include "ops/sparse/extreme.h"

#include <string.h>

#include "op/infer.h"
#include "ops/sparse/coords.h"
#include "ops/sparse/reals.h"
#include "tensor/tensor.h"

#define EXTREME(T, name, number)                                                                   \
    static void raise_##name(void *y, const void *x)                                               \
    {                                                                                              \
        T a, b;                                                                                    \
        memcpy(&a, y, sizeof a);                                                                   \
        memcpy(&b, x, sizeof b);                                                                   \
        if (number(a) < number(b))                                                                 \
            memcpy(y, &b, sizeof b);                                                               \
    }                                                                                              \
    static void lower_##name(void *y, const void *x)                                               \
    {                                                                                              \
        T a, b;                                                                                    \
        memcpy(&a, y, sizeof a);                                                                   \
        memcpy(&b, x, sizeof b);                                                                   \
        if (number(b) < number(a))                                                                 \
            memcpy(y, &b, sizeof b);                                                               \
    }
#define EXTREME_FLOAT(dtype, name, T, number, unused) EXTREME(T, name, number)
#define EXTREME_INTEGER(dtype, name, T) EXTREME(T, name, SPARSE_SAME)
SPARSE_FLOATS(EXTREME_FLOAT)
SPARSE_INTEGERS(EXTREME_INTEGER)

extreme_fn extreme_of(int dtype, bool greater)
{
#define CASE(type, name, ...)                                                                      \
    case type:                                                                                     \
        return greater ? raise_##name : lower_##name;
    switch (dtype) {
        SPARSE_FLOATS(CASE)
        SPARSE_INTEGERS(CASE)
    }
#undef CASE
    return NULL; /* no kernel is of another type */
}

/* --- two sparse tensors --- */

struct pair {
    const struct tensor *ix[2], *values[2];
    int64_t rank, at[2];
};

static const int64_t *row(const struct pair *p, int k)
{
    return p->at[k] < p->values[k]->num_elems ? tensor_i64(p->ix[k]) + p->at[k] * p->rank : NULL;
}

/* -1: the next entry is the first one's, 1: the second one's, 0: of both. */
static int next_of(const struct pair *p)
{
    const int64_t *a = row(p, 0), *b = row(p, 1);
    return !a ? 1 : !b ? -1 : coords_compare(a, b, p->rank);
}

static void go_on(struct pair *p, int way)
{
    p->at[0] += way <= 0;
    p->at[1] += way >= 0;
}

static bool more(const struct pair *p)
{
    return p->at[0] < p->values[0]->num_elems || p->at[1] < p->values[1]->num_elems;
}

static bool check(const struct kctx *c, struct status *st)
{
    const struct tensor *a = kernel_in(c, 2), *b = kernel_in(c, 5);
    if (!sparse_check(c, 0, st) || !sparse_check(c, 3, st))
        return false;
    if (a->num_elems != b->num_elems)
        return status_invalid(st, "Operands' ranks do not match: got %lld and %lld",
                              (long long)a->num_elems, (long long)b->num_elems);
    for (int64_t d = 0; d < a->num_elems; d++) {
        if (tensor_i64(a)[d] != tensor_i64(b)[d])
            return status_invalid(
                st, "Operands' shapes do not match: got %lld and %lld for dimension %lld",
                (long long)tensor_i64(a)[d], (long long)tensor_i64(b)[d], (long long)d);
    }
    return true;
}

static bool both_run(struct kctx *c, bool greater, struct status *st)
{
    if (!check(c, st))
        return false;
    struct pair p = {.ix = {kernel_in(c, 0), kernel_in(c, 3)},
                     .values = {kernel_in(c, 1), kernel_in(c, 4)},
                     .rank = kernel_in(c, 2)->num_elems};
    int64_t n = 0;
    for (; more(&p); n++)
        go_on(&p, next_of(&p));
    const struct shape m = shape_2(n, p.rank), v = shape_1(n);
    struct tensor *ix = kernel_out(c, 0, &m, st);
    struct tensor *y = ix ? kernel_out(c, 1, &v, st) : NULL;
    if (!y)
        return false;
    const size_t item = dtype_size(y->dtype);
    const extreme_fn choose = extreme_of(y->dtype, greater);
    p.at[0] = p.at[1] = 0;
    for (int64_t i = 0; i < n; i++) {
        const int way = next_of(&p);
        char zero[16] = {0}, *to = (char *)y->data + (size_t)i * item;
        memcpy(tensor_i64(ix) + i * p.rank, row(&p, way > 0), (size_t)p.rank * sizeof(int64_t));
        memcpy(to, way > 0 ? zero : (const char *)p.values[0]->data + (size_t)p.at[0] * item, item);
        choose(to, way < 0 ? zero : (const char *)p.values[1]->data + (size_t)p.at[1] * item);
        go_on(&p, way);
    }
    return true;
}

static bool maximum_run(struct kctx *c, struct status *st)
{
    return both_run(c, true, st);
}

static bool minimum_run(struct kctx *c, struct status *st)
{
    return both_run(c, false, st);
}

static bool both_shape(struct infer_ctx *c, struct status *st)
{
    static const int ranks[] = {2, 1, 1};
    const struct shape *s;
    for (int i = 0; i < 6; i++) {
        if (!infer_want_rank(c, infer_input(c, i), ranks[i % 3], &s, st))
            return false;
    }
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, DIM_UNKNOWN));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    return true;
}

#define INPUTS                                                                                     \
    {                                                                                              \
        "a_indices: int64", "a_values: T", "a_shape: int64", "b_indices: int64", "b_values: T",    \
            "b_shape: int64"                                                                       \
    }
#define OUTPUTS                                                                                    \
    {                                                                                              \
        "output_indices: int64", "output_values: T"                                                \
    }
#define TYPES "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, int64}"
#define NO_GRAD "undefined: TensorFlow 1.15's own cannot be called"
OP_DEF(sparse_sparse_maximum) = {
    .name = "SparseSparseMaximum",
    .summary = "The greater value of two sparse tensors, at each place that one of them has.",
    .inputs = INPUTS,
    .outputs = OUTPUTS,
    .attrs = {"T: realnumbertype"},
    .shape = both_shape,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(sparse_sparse_maximum_cpu) = {
    .op = "SparseSparseMaximum", .device = "CPU", .types = {TYPES}, .run = maximum_run};
OP_DEF(sparse_sparse_minimum) = {
    .name = "SparseSparseMinimum",
    .summary = "The smaller value of two sparse tensors, at each place that one of them has.",
    .inputs = INPUTS,
    .outputs = OUTPUTS,
    .attrs = {"T: numbertype"},
    .shape = both_shape,
    .no_grad = NO_GRAD,
};
KERNEL_DEF(sparse_sparse_minimum_cpu) = {
    .op = "SparseSparseMinimum", .device = "CPU", .types = {TYPES}, .run = minimum_run};
