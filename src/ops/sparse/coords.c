/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and the order of coordinates. The sort merges runs from the bottom up: stable, n log n. */
#include "ops/sparse/coords.h"

#include <string.h>

static bool fail_shape(struct status *st, const char *words, const struct shape *s)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool sparse_check(const struct kctx *c, int first, struct status *st)
{
    const struct tensor *ix = kernel_in(c, first), *values = kernel_in(c, first + 1);
    const struct tensor *dims = kernel_in(c, first + 2);
    if (tensor_rank(ix) != 2)
        return fail_shape(st, "Input indices should be a matrix but received shape ", &ix->shape);
    if (tensor_rank(values) != 1)
        return fail_shape(st, "Input values should be a vector but received shape ",
                          &values->shape);
    if (tensor_rank(dims) != 1)
        return fail_shape(st, "Input shape should be a vector but received shape ", &dims->shape);
    if (tensor_dim(ix, 0) != values->num_elems)
        return status_invalid(st, "there are %lld rows of indices, but %lld values",
                              (long long)tensor_dim(ix, 0), (long long)values->num_elems);
    if (tensor_dim(ix, 1) != dims->num_elems)
        return status_invalid(st, "indices have %lld columns, but the shape has %lld dims",
                              (long long)tensor_dim(ix, 1), (long long)dims->num_elems);
    for (int64_t d = 0; d < dims->num_elems; d++) {
        if (tensor_index(dims, d) < 0)
            return status_invalid(st, "dim %lld of the shape is negative: %lld", (long long)d,
                                  (long long)tensor_index(dims, d));
    }
    return true;
}

bool sparse_check_inside(const struct tensor *indices, const int64_t *dims, const char *which,
                         struct status *st)
{
    int64_t n = tensor_dim(indices, 0), rank = tensor_dim(indices, 1);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t d = 0; d < rank; d++) {
            int64_t at = tensor_index(indices, i * rank + d);
            if (at < 0 || at >= dims[d])
                return status_invalid(st,
                                      "%s: indices[%lld, %lld] = %lld is out of bounds: need 0 <= "
                                      "index < %lld",
                                      which, (long long)i, (long long)d, (long long)at,
                                      (long long)dims[d]);
        }
    }
    return true;
}

bool sparse_infer(struct infer_ctx *c, int first, int64_t *n, int64_t *rank, struct status *st)
{
    const struct shape *ix, *values, *dims;
    return infer_want_rank(c, infer_input(c, first), 2, &ix, st) &&
           infer_want_rank(c, infer_input(c, first + 1), 1, &values, st) &&
           infer_want_rank(c, infer_input(c, first + 2), 1, &dims, st) &&
           infer_merge_dim(infer_dim(ix, 0), infer_dim(values, 0), n, st) &&
           infer_merge_dim(infer_dim(ix, 1), infer_dim(dims, 0), rank, st);
}

int coords_compare(const int64_t *a, const int64_t *b, int64_t rank)
{
    for (int64_t d = 0; d < rank; d++) {
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    }
    return 0;
}

void coords_sort(const int64_t *rows, int64_t n, int64_t rank, int64_t *order)
{
    int64_t *from = order, *to = order + n;
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t mid = begin + width < n ? begin + width : n;
            int64_t end = mid + width < n ? mid + width : n;
            int64_t a = begin, b = mid;
            for (int64_t k = begin; k < end; k++) {
                bool left =
                    b == end || (a < mid && coords_compare(rows + from[a] * rank,
                                                           rows + from[b] * rank, rank) <= 0);
                to[k] = left ? from[a++] : from[b++];
            }
        }
        int64_t *other = from;
        from = to;
        to = other;
    }
    if (from != order)
        memcpy(order, from, (size_t)n * sizeof(*order));
}
