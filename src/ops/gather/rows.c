/* SPDX-License-Identifier: Apache-2.0 */
/* Picking rows into output 0, for plain and managed types; places and spans of shapes. */
#include <string.h>

#include "ops/gather/gather.h"

int64_t gather_span(const struct shape *s, int begin, int end)
{
    int64_t n = 1;
    for (int i = begin; i < end; i++)
        n *= shape_dim(s, i);
    return n;
}

void gather_place(struct strbuf *out, const struct shape *s, int rank, int64_t at)
{
    for (int i = 0; i < rank; i++) {
        int64_t below = gather_span(s, i + 1, rank);
        strbuf_printf(out, "%s%lld", i ? "," : "[", (long long)(below ? at / below : 0));
        at = below ? at % below : 0;
    }
    if (rank > 0)
        strbuf_puts(out, "]");
}

bool gather_fail_index(struct status *st, const struct tensor *indices, int64_t at, int64_t limit)
{
    struct strbuf place = {0};
    gather_place(&place, &indices->shape, tensor_rank(indices), at);
    status_invalid(st, "indices%s = %lld is not in [0, %lld)", strbuf_text(&place),
                   (long long)tensor_index(indices, at), (long long)limit);
    strbuf_release(&place);
    return false;
}

bool gather_fail_shapes(struct status *st, const char *before, const struct shape *a,
                        const char *between, const struct shape *b, const char *after)
{
    struct strbuf text = {0};
    strbuf_puts(&text, before);
    shape_print(a, &text);
    strbuf_puts(&text, between);
    if (b)
        shape_print(b, &text);
    strbuf_puts(&text, after);
    status_invalid(st, "%s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool gather_join(const struct shape *a, int a_end, const struct shape *b, int b_begin,
                 struct shape *out, struct status *st)
{
    int64_t dims[2 * SHAPE_MAX_RANK];
    int n = 0;
    for (int i = 0; i < a_end; i++)
        dims[n++] = shape_dim(a, i);
    for (int i = b_begin; i < b->rank; i++)
        dims[n++] = shape_dim(b, i);
    if (n > SHAPE_MAX_RANK)
        return status_invalid(st, "the result would have %d dimensions", n);
    *out = shape_make(dims, n);
    return true;
}

/* As math_gather, for elements that own memory. */
bool gather_managed(const struct math_gather *g, int dtype, int64_t *bad, struct status *st)
{
    int64_t item = (int64_t)dtype_size(dtype), n = g->row_bytes / item;
    *bad = math_find_bad_index(g->index_dtype, g->indices, g->num, g->limit);
    for (int64_t i = 0; *bad < 0 && i < g->outer * g->num; i++) {
        int64_t at = i % g->num;
        int64_t row = g->index_dtype == DT_INT32 ? ((const int32_t *)g->indices)[at]
                                                 : ((const int64_t *)g->indices)[at];
        if ((uint64_t)row >= (uint64_t)g->limit)
            *bad = at;
        else if (!elems_copy(dtype, (char *)g->y + i * g->row_bytes,
                             (const char *)g->x + (i / g->num * g->limit + row) * g->row_bytes, n))
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

static bool check_batch(const struct shape *params, const struct shape *indices, int64_t axis,
                        int64_t batch, struct status *st)
{
    if (batch < 0 || batch > indices->rank)
        return status_invalid(st, "Expected batch_dims in the range [%d, %d], but got %lld",
                              -indices->rank, indices->rank, (long long)batch);
    if (batch >= params->rank)
        return status_invalid(st, "batch_dims (%lld) must be less than rank(params) (%d).",
                              (long long)batch, params->rank);
    if (axis < batch)
        return status_invalid(st, "batch_dims (%lld) must be less than or equal to axis (%lld).",
                              (long long)batch, (long long)axis);
    for (int i = 0; i < batch; i++) {
        if (shape_dim(params, i) != shape_dim(indices, i))
            return status_invalid(
                st, "params.shape[%d]: %lld should be equal to indices.shape[%d]: %lld", i,
                (long long)shape_dim(params, i), i, (long long)shape_dim(indices, i));
    }
    return true;
}

bool gather_rows(struct kctx *c, const struct tensor *params, const struct tensor *indices,
                 int64_t axis, int64_t batch_dims, struct status *st)
{
    const struct shape *p = &params->shape, *ix = &indices->shape;
    if (batch_dims < 0)
        batch_dims += ix->rank;
    if (!check_batch(p, ix, axis, batch_dims, st))
        return false;
    int at = (int)axis, b = (int)batch_dims;
    struct shape tail, shape = {0};
    if (!gather_join(ix, ix->rank, p, at + 1, &tail, st))
        return false;
    bool ok = gather_join(p, at, &tail, b, &shape, st);
    shape_clear(&tail);
    struct tensor *out = ok ? kernel_out(c, 0, &shape, st) : NULL;
    shape_clear(&shape);
    if (!out)
        return false;
    int64_t batches = gather_span(ix, 0, b), bad = -1;
    struct math_gather g = {.index_dtype = indices->dtype,
                            .num = gather_span(ix, b, ix->rank),
                            .limit = shape_dim(p, at),
                            .outer = gather_span(p, b, at),
                            .row_bytes = gather_span(p, at + 1, p->rank) *
                                         (int64_t)dtype_size(params->dtype)};
    int64_t index_bytes = (int64_t)dtype_size(indices->dtype) * g.num;
    for (int64_t i = 0; i < batches && bad < 0 && g.num > 0; i++) {
        g.indices = (const char *)indices->data + i * index_bytes;
        g.x = (const char *)params->data + i * g.outer * g.limit * g.row_bytes;
        g.y = (char *)out->data + i * g.outer * g.num * g.row_bytes;
        if (!dtype_is_managed(params->dtype))
            bad = math_gather(kernel_pool(c), &g);
        else if (!gather_managed(&g, params->dtype, &bad, st))
            return false;
        if (bad >= 0)
            return gather_fail_index(st, indices, i * g.num + bad, g.limit);
    }
    return true;
}
