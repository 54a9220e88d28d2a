/* SPDX-License-Identifier: Apache-2.0 */
/* Differences, intersections and unions of the sets in the last dimension of two tensors, dense or
 * sparse, as a sparse tensor whose sets are sorted; and the sizes of such sets. */
#include <strings.h>

#include "op/infer.h"
#include "ops/set/groups.h"

enum operation { A_MINUS_B, B_MINUS_A, INTERSECTION, UNION, NUM_OPERATIONS };

struct set_state {
    enum operation operation;
};

static bool set_init(struct kernel *k, void *state, struct status *st)
{
    static const char *const names[] = {"a-b", "b-a", "intersection", "union"};
    struct set_state *s = state;
    struct str name = attrs_string(k->attrs, "set_operation");
    for (int i = 0; i < NUM_OPERATIONS; i++)
        if (name.n == strlen(names[i]) && strncasecmp(name.p, names[i], name.n) == 0) {
            s->operation = (enum operation)i;
            return true;
        }
    return status_invalid(st, "Invalid set_operation %.*s.", (int)min_i64((int64_t)name.n, 100),
                          name.p);
}

/* The operation of the sorted sets a and b, into out, which has room for both. */
static int64_t combine(enum operation op, int dtype, const union set_item *a, int64_t num_a,
                       const union set_item *b, int64_t num_b, union set_item *out)
{
    int64_t i = 0, j = 0, n = 0;
    while (i < num_a || j < num_b) {
        const int order = i == num_a ? 1 : j == num_b ? -1 : set_item_compare(dtype, &a[i], &b[j]);
        const bool keep = op == UNION || (op == A_MINUS_B && order < 0) ||
                          (op == B_MINUS_A && order > 0) || (op == INTERSECTION && order == 0);
        if (keep)
            out[n++] = order <= 0 ? a[i] : b[j];
        i += order <= 0;
        j += order >= 0;
    }
    return n;
}

struct result {
    union set_item *items;
    int64_t *counts, *groups; /* of each set that is not empty */
    int64_t num_items, num_sets, most;
};

static bool combine_all(struct kctx *c, struct set_groups *a, struct set_groups *b,
                        struct result *r, struct status *st)
{
    const struct set_state *s = kernel_state(c);
    const int64_t na = a->values->num_elems, nb = b->values->num_elems;
    union set_item *scratch = kernel_scratch(c, 2 * (na + nb) * (int64_t)sizeof *scratch, st);
    r->groups = scratch ? kernel_scratch(c, 2 * (na + nb) * (int64_t)sizeof *r->groups, st) : NULL;
    if (!r->groups)
        return false;
    r->counts = r->groups + na + nb;
    r->items = scratch + na + nb;
    union set_item *items_a = scratch, *items_b = scratch + na;
    set_groups_next(a);
    set_groups_next(b);
    while (a->group < a->num_groups || b->group < b->num_groups) {
        const int64_t group = min_i64(a->group, b->group);
        const bool in_a = a->group == group, in_b = b->group == group;
        const int64_t num_a = in_a ? set_groups_take(a, items_a) : 0;
        const int64_t num_b = in_b ? set_groups_take(b, items_b) : 0;
        const int64_t n = combine(s->operation, a->values->dtype, items_a, num_a, items_b, num_b,
                                  r->items + r->num_items);
        if (n > 0) {
            r->groups[r->num_sets] = group;
            r->counts[r->num_sets++] = n;
        }
        r->num_items += n;
        r->most = n > r->most ? n : r->most;
        if (in_a)
            set_groups_next(a);
        if (in_b)
            set_groups_next(b);
    }
    return true;
}

static void write_indices(const struct result *r, const struct set_groups *g, int64_t *out)
{
    for (int64_t s = 0; s < r->num_sets; s++)
        for (int64_t i = 0; i < r->counts[s]; i++, out += g->rank) {
            int64_t group = r->groups[s];
            for (int d = g->rank - 2; d >= 0; d--) {
                out[d] = group % g->dims[d];
                group /= g->dims[d];
            }
            out[g->rank - 1] = i;
        }
}

static bool write_values(const struct result *r, struct tensor *out, struct status *st)
{
#define NUMBERS(id, T)                                                                             \
    case DT_##id:                                                                                  \
        for (int64_t i = 0; i < r->num_items; i++)                                                 \
            ((T *)out->data)[i] = (T)r->items[i].number;                                           \
        return true;
    switch (out->dtype) {
        NUMBERS(INT8, int8_t)
        NUMBERS(UINT8, uint8_t)
        NUMBERS(INT16, int16_t)
        NUMBERS(UINT16, uint16_t)
        NUMBERS(INT32, int32_t)
        NUMBERS(INT64, int64_t)
    }
#undef NUMBERS
    for (int64_t i = 0; i < r->num_items; i++)
        if (!elems_copy(DT_STRING, tensor_str(out) + i, r->items[i].text, 1))
            return status_exhausted(st, "no memory for a string");
    return true;
}

static bool run(struct kctx *c, struct set_groups *a, struct set_groups *b, struct status *st)
{
    struct result r = {0};
    if (a->rank != b->rank ||
        memcmp(a->dims, b->dims, (size_t)(a->rank - 1) * sizeof *a->dims) != 0)
        return status_invalid(st, "Mismatched shapes: the dimensions before the last differ");
    if (!combine_all(c, a, b, &r, st))
        return false;
    struct shape shapes[] = {shape_2(r.num_items, a->rank), shape_1(r.num_items), shape_1(a->rank)};
    struct tensor *out[3];
    for (int i = 0; i < 3; i++)
        if (!(out[i] = kernel_out(c, i, &shapes[i], st)))
            return false;
    write_indices(&r, a, tensor_i64(out[0]));
    memcpy(tensor_i64(out[2]), a->dims, (size_t)(a->rank - 1) * sizeof *a->dims);
    tensor_i64(out[2])[a->rank - 1] = r.most;
    return write_values(&r, out[1], st);
}

static bool dense_dense_run(struct kctx *c, struct status *st)
{
    struct set_groups a, b;
    return set_groups_dense(c, 0, &a, st) && set_groups_dense(c, 1, &b, st) && run(c, &a, &b, st);
}

static bool dense_sparse_run(struct kctx *c, struct status *st)
{
    struct set_groups a, b;
    return set_groups_dense(c, 0, &a, st) && set_groups_sparse(c, 1, &b, st) && run(c, &a, &b, st);
}

static bool sparse_sparse_run(struct kctx *c, struct status *st)
{
    struct set_groups a, b;
    return set_groups_sparse(c, 0, &a, st) && set_groups_sparse(c, 3, &b, st) && run(c, &a, &b, st);
}

static bool size_run(struct kctx *c, struct status *st)
{
    struct set_groups g;
    if (!set_groups_sparse(c, 0, &g, st))
        return false;
    struct shape shape = shape_make(g.dims, g.rank - 1);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    union set_item *items =
        out ? kernel_scratch(c, g.values->num_elems * (int64_t)sizeof *items, st) : NULL;
    if (!items)
        return false;
    memset(out->data, 0, tensor_bytes(out));
    for (set_groups_next(&g); g.group < g.num_groups; set_groups_next(&g))
        tensor_i32(out)[g.group] = (int32_t)set_groups_take(&g, items);
    return true;
}

/* --- shapes --- */

static void set_outputs(struct infer_ctx *c, int64_t rank)
{
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, rank));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 2, infer_vector(c, rank));
}

/* What is known of the rank of the sparse input at `at`. */
static bool sparse_rank(struct infer_ctx *c, int at, int64_t *rank, struct status *st)
{
    const struct shape *indices, *values, *shape;
    int64_t n;
    return infer_want_rank(c, infer_input(c, at), 2, &indices, st) &&
           infer_want_rank(c, infer_input(c, at + 1), 1, &values, st) &&
           infer_want_rank(c, infer_input(c, at + 2), 1, &shape, st) &&
           infer_merge_dim(infer_dim(indices, 0), infer_dim(values, 0), &n, st) &&
           infer_merge_dim(infer_dim(indices, 1), infer_dim(shape, 0), rank, st);
}

static bool dense_dense_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a, *b, *merged;
    if (!infer_want_rank_min(c, infer_input(c, 0), 2, &a, st))
        return false;
    b = infer_input(c, 1);
    if (a->rank >= 0 && b->rank >= 0 && !infer_want_rank(c, b, a->rank, &b, st))
        return false;
    if (!infer_want_rank_min(c, b, 2, &b, st))
        return false;
    if (a->rank >= 0 && b->rank >= 0 &&
        (!infer_merge(c, infer_slice(c, a, 0, -1), infer_slice(c, b, 0, -1), &merged, st)))
        return false;
    set_outputs(c, a->rank >= 0 ? a->rank : b->rank);
    return true;
}

static bool dense_sparse_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *a;
    int64_t rank;
    if (!sparse_rank(c, 1, &rank, st) || !infer_want_rank_min(c, infer_input(c, 0), 2, &a, st) ||
        !infer_merge_dim(rank, a->rank, &rank, st))
        return false;
    set_outputs(c, rank);
    return true;
}

static bool sparse_sparse_shape(struct infer_ctx *c, struct status *st)
{
    int64_t a, b, rank;
    if (!sparse_rank(c, 0, &a, st) || !sparse_rank(c, 3, &b, st) ||
        !infer_merge_dim(a, b, &rank, st))
        return false;
    set_outputs(c, rank);
    return true;
}

#define SET_TYPES "T: {int8, int16, int32, int64, uint8, uint16, string}"
#define SET_OP(id, op_name, text, shape_fn, run_fn, ...)                                           \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {__VA_ARGS__},                                                                   \
        .outputs = {"result_indices: int64", "result_values: T", "result_shape: int64"},           \
        .attrs = {"set_operation: string", "validate_indices: bool = true", SET_TYPES},            \
        .shape = shape_fn,                                                                         \
        .no_grad = "sets have none",                                                               \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct set_state),                               \
                            .init = set_init,                                                      \
                            .run = run_fn}
SET_OP(dense_to_dense_set_operation, "DenseToDenseSetOperation",
       "Difference, intersection or union of the sets in the last dimension of two tensors.",
       dense_dense_shape, dense_dense_run, "set1: T", "set2: T");
SET_OP(dense_to_sparse_set_operation, "DenseToSparseSetOperation",
       "The same of a tensor and a sparse tensor.", dense_sparse_shape, dense_sparse_run, "set1: T",
       "set2_indices: int64", "set2_values: T", "set2_shape: int64");
SET_OP(sparse_to_sparse_set_operation, "SparseToSparseSetOperation",
       "The same of two sparse tensors.", sparse_sparse_shape, sparse_sparse_run,
       "set1_indices: int64", "set1_values: T", "set1_shape: int64", "set2_indices: int64",
       "set2_values: T", "set2_shape: int64");

OP_DEF(set_size) = {
    .name = "SetSize",
    .summary = "How many different values each set in the last dimension of a sparse tensor has.",
    .inputs = {"set_indices: int64", "set_values: T", "set_shape: int64"},
    .outputs = {"size: int32"},
    .attrs = {"validate_indices: bool = true", SET_TYPES},
    .shape = infer_unknown_outputs,
    .no_grad = "sets have none",
};
KERNEL_DEF(set_size_cpu) = {.op = "SetSize", .device = "CPU", .run = size_run};
