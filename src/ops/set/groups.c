/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of values, walked in order. Sparse indices are checked whatever validate_indices says:
 * the walk needs them sorted and within bounds, and TensorFlow checks them too. */
#include "ops/set/groups.h"

static bool group_shape(struct set_groups *g, const int64_t *dims, int rank, struct status *st)
{
    if (rank < 2)
        return status_invalid(st, "Invalid rank %d.", rank);
    if (rank > SHAPE_MAX_RANK)
        return status_invalid(st, "Invalid rank %d: more than %d", rank, SHAPE_MAX_RANK);
    g->rank = rank;
    memcpy(g->dims, dims, (size_t)(rank - 1) * sizeof *dims);
    struct shape s = shape_make(dims, rank - 1);
    const bool ok = shape_num_elems(&s, &g->num_groups, st);
    shape_clear(&s);
    g->group = -1;
    return ok;
}

bool set_groups_dense(struct kctx *c, int at, struct set_groups *g, struct status *st)
{
    const struct tensor *in = kernel_in(c, at);
    const int rank = tensor_rank(in);
    *g = (struct set_groups){.values = in, .row = rank > 0 ? tensor_dim(in, rank - 1) : 0};
    return group_shape(g, shape_dims(&in->shape), rank, st);
}

/* Values' indices must rise and lie within dims. */
static bool check_indices(const struct set_groups *g, const int64_t *dims, struct status *st)
{
    for (int64_t i = 0; i < g->values->num_elems; i++) {
        const int64_t *ix = g->indices + i * g->rank;
        int order = i == 0 ? 1 : 0;
        for (int d = 0; d < g->rank; d++) {
            if (ix[d] < 0 || ix[d] >= dims[d])
                return status_invalid(st,
                                      "indices[%lld,%d] = %lld is out of bounds: need 0 <= index < "
                                      "%lld",
                                      (long long)i, d, (long long)ix[d], (long long)dims[d]);
            if (order == 0)
                order = (ix[d] > ix[d - g->rank]) - (ix[d] < ix[d - g->rank]);
        }
        if (order <= 0)
            return status_invalid(st, "indices[%lld] is %s", (long long)i,
                                  order == 0 ? "repeated"
                                             : "out of order. Many sparse ops require sorted "
                                               "indices.");
    }
    return true;
}

bool set_groups_sparse(struct kctx *c, int at, struct set_groups *g, struct status *st)
{
    const struct tensor *ix = kernel_in(c, at), *values = kernel_in(c, at + 1);
    const struct tensor *shape = kernel_in(c, at + 2);
    *g = (struct set_groups){.values = values, .indices = tensor_i64(ix)};
    if (tensor_rank(ix) != 2)
        return status_invalid(st, "indices must be a matrix, but got rank %d", tensor_rank(ix));
    if (tensor_rank(values) != 1)
        return status_invalid(st, "values must be a vector, but got rank %d", tensor_rank(values));
    if (tensor_rank(shape) != 1)
        return status_invalid(st, "shape must be a vector, but got rank %d", tensor_rank(shape));
    if (tensor_dim(ix, 0) != values->num_elems)
        return status_invalid(st,
                              "indices and values rows (indexing dimension) must match. (indices = "
                              "%lld, values = %lld)",
                              (long long)tensor_dim(ix, 0), (long long)values->num_elems);
    if (tensor_dim(ix, 1) != shape->num_elems)
        return status_invalid(st, "the rank is %lld by indices, %lld by the shape",
                              (long long)tensor_dim(ix, 1), (long long)shape->num_elems);
    const int rank = (int)min_i64(shape->num_elems, SHAPE_MAX_RANK + 1);
    return group_shape(g, tensor_i64(shape), rank, st) && check_indices(g, tensor_i64(shape), st);
}

static int64_t group_of(const struct set_groups *g, int64_t value)
{
    int64_t group = 0;
    for (int d = 0; d < g->rank - 1; d++)
        group = group * g->dims[d] + g->indices[value * g->rank + d];
    return group;
}

void set_groups_next(struct set_groups *g)
{
    const int64_t n = g->values->num_elems;
    g->begin = g->end;
    if (g->begin >= n) {
        g->group = g->num_groups;
    } else if (!g->indices) {
        g->group++;
        g->end = g->begin + g->row;
    } else {
        g->group = group_of(g, g->begin);
        while (g->end < n && group_of(g, g->end) == g->group)
            g->end++;
    }
}

int set_item_compare(int dtype, const union set_item *a, const union set_item *b)
{
    if (dtype != DT_STRING)
        return (a->number > b->number) - (a->number < b->number);
    const struct str x = tstr_view(a->text), y = tstr_view(b->text);
    const size_t n = x.n < y.n ? x.n : y.n;
    const int order = n ? memcmp(x.p, y.p, n) : 0;
    return order ? order : (x.n > y.n) - (x.n < y.n);
}

static int compare_numbers(const void *a, const void *b)
{
    return set_item_compare(DT_INT64, a, b);
}

static int compare_texts(const void *a, const void *b)
{
    return set_item_compare(DT_STRING, a, b);
}

static union set_item item_at(const struct tensor *t, int64_t i)
{
    switch (t->dtype) {
    case DT_INT8:
        return (union set_item){.number = ((const int8_t *)t->data)[i]};
    case DT_UINT8:
        return (union set_item){.number = ((const uint8_t *)t->data)[i]};
    case DT_INT16:
        return (union set_item){.number = ((const int16_t *)t->data)[i]};
    case DT_UINT16:
        return (union set_item){.number = ((const uint16_t *)t->data)[i]};
    case DT_INT32:
        return (union set_item){.number = ((const int32_t *)t->data)[i]};
    case DT_INT64:
        return (union set_item){.number = ((const int64_t *)t->data)[i]};
    default:
        return (union set_item){.text = (const struct tstr *)t->data + i};
    }
}

int64_t set_groups_take(const struct set_groups *g, union set_item *items)
{
    const int dtype = g->values->dtype;
    const int64_t n = g->end - g->begin;
    for (int64_t i = 0; i < n; i++)
        items[i] = item_at(g->values, g->begin + i);
    if (n > 1)
        qsort(items, (size_t)n, sizeof *items,
              dtype == DT_STRING ? compare_texts : compare_numbers);
    int64_t kept = n > 0;
    for (int64_t i = 1; i < n; i++)
        if (set_item_compare(dtype, &items[i], &items[kept - 1]) != 0)
            items[kept++] = items[i];
    return kept;
}
