/* SPDX-License-Identifier: Apache-2.0 */
/* Index tuples as row numbers, and scattering by them. Each index is read once: what is checked is
 * what is used. */
#include <string.h>

#include "ops/gather/gather.h"

bool tuples_read(struct kctx *c, const struct tensor *indices, const struct shape *s,
                 struct tuples *out, struct status *st)
{
    int rank = tensor_rank(indices);
    int64_t depth = tensor_dim(indices, rank - 1);
    if (depth > s->rank)
        return status_invalid(
            st, "index innermost dimension length must be <= params rank; saw: %lld vs. %d",
            (long long)depth, s->rank);
    *out = (struct tuples){.depth = (int)depth,
                           .num = gather_span(&indices->shape, 0, rank - 1),
                           .limit = gather_span(s, 0, (int)depth),
                           .row_items = gather_span(s, (int)depth, s->rank),
                           .index_dtype = indices->dtype,
                           .rows = indices->data};
    if (depth == 1)
        return true;
    int64_t bytes;
    if (!size_mul(out->num, (int64_t)sizeof(int64_t), &bytes))
        return status_exhausted(st, "too many indices");
    int64_t *rows = kernel_scratch(c, bytes, st);
    if (!rows)
        return false;
    for (int64_t i = 0; i < out->num; i++) {
        int64_t row = 0;
        for (int k = 0; k < depth; k++) {
            int64_t at = tensor_index(indices, i * depth + k), d = shape_dim(s, k);
            if ((uint64_t)at >= (uint64_t)d) {
                row = -1;
                break;
            }
            row = row * d + at;
        }
        rows[i] = row;
    }
    out->index_dtype = DT_INT64;
    out->rows = rows;
    return true;
}

bool tuples_fail(struct status *st, const struct tensor *indices, int64_t at, const char *what,
                 const struct shape *s)
{
    struct strbuf text = {0};
    int rank = tensor_rank(indices);
    int64_t depth = tensor_dim(indices, rank - 1);
    strbuf_puts(&text, "indices");
    gather_place(&text, &indices->shape, rank - 1, at);
    strbuf_puts(&text, " = [");
    for (int64_t k = 0; k < depth; k++)
        strbuf_printf(&text, "%s%lld", k ? ", " : "",
                      (long long)tensor_index(indices, at * depth + k));
    strbuf_printf(&text, "] does not index into %s ", what);
    shape_print(s, &text);
    status_invalid(st, "%s", strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool tuples_check_updates(const struct tensor *indices, const struct tensor *updates,
                          const struct shape *s, struct status *st)
{
    const struct shape *ix = &indices->shape, *up = &updates->shape;
    if (ix->rank < 1)
        return gather_fail_shapes(st, "Indices shape must have rank at least one. Found:", ix, "",
                                  NULL, "");
    if (up->rank < 1)
        return gather_fail_shapes(st, "Updates shape must have rank at least one. Found:", up, "",
                                  NULL, "");
    int outer = ix->rank - 1;
    int64_t depth = shape_dim(ix, outer);
    bool same = up->rank >= outer;
    for (int i = 0; same && i < outer; i++)
        same = shape_dim(ix, i) == shape_dim(up, i);
    if (!same)
        return gather_fail_shapes(
            st, "Outer dimensions of indices and update must match. Indices shape: ", ix,
            ", updates shape:", up, "");
    if (depth > s->rank || s->rank - depth != up->rank - outer)
        return gather_fail_shapes(
            st,
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            "Output: ",
            s, " updates: ", up, "");
    for (int i = outer; same && i < up->rank; i++)
        same = shape_dim(s, (int)depth + i - outer) == shape_dim(up, i);
    if (same)
        return true;
    gather_fail_shapes(st, "dimensions of output.shape=", s, " must match the inner ", NULL, "");
    status_prepend(st, "The inner %lld ", (long long)(s->rank - depth));
    struct strbuf text = {0};
    shape_print(up, &text);
    status_append(st, "%lld dimensions of updates.shape=%s", (long long)(s->rank - depth),
                  strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

/* to += from, strings being joined. */
static bool join_string(struct tstr *to, const struct tstr *from)
{
    size_t a = tstr_len(to), b = tstr_len(from);
    char *text = tstr_resize(to, a + b);
    if (text && b)
        memcpy(text + a, tstr_data(from), b);
    return text != NULL;
}

static int64_t row_at(const struct math_scatter *s, int64_t i)
{
    return s->index_dtype == DT_INT32 ? ((const int32_t *)s->indices)[i]
                                      : ((const int64_t *)s->indices)[i];
}

bool scatter_managed(const struct math_scatter *s, struct status *st)
{
    int64_t bytes = s->row_items * (int64_t)dtype_size(s->dtype);
    for (int64_t i = 0; i < s->num; i++) {
        int64_t row = row_at(s, i);
        if ((uint64_t)row >= (uint64_t)s->limit)
            continue;
        char *to = (char *)s->table + row * bytes;
        const char *from = (const char *)s->updates + (s->scalar ? 0 : i * bytes);
        bool ok = true;
        if (s->op == MATH_SCATTER_ADD && s->dtype == DT_STRING) {
            for (int64_t k = 0; ok && k < s->row_items; k++)
                ok = join_string((struct tstr *)to + k, (const struct tstr *)from + k);
        } else if (s->scalar) {
            for (int64_t k = 0; ok && k < s->row_items; k++)
                ok = elems_copy(s->dtype, to + k * (int64_t)dtype_size(s->dtype), from, 1);
        } else {
            ok = elems_copy(s->dtype, to, from, s->row_items);
        }
        if (!ok)
            return status_exhausted(st, "no memory to copy strings");
    }
    return true;
}

bool tuples_scatter(struct kctx *c, enum math_scatter_op op, const struct tensor *indices,
                    const struct tensor *updates, struct tensor *table, struct status *st)
{
    struct tuples t;
    if (!tuples_check_updates(indices, updates, &table->shape, st) ||
        !tuples_read(c, indices, &table->shape, &t, st))
        return false;
    struct math_scatter s = {.op = op,
                             .dtype = table->dtype,
                             .index_dtype = t.index_dtype,
                             .indices = t.rows,
                             .num = t.num,
                             .limit = t.limit,
                             .row_items = t.row_items,
                             .updates = updates->data,
                             .table = table->data};
    if (s.dtype == DT_BOOL && op == MATH_SCATTER_ADD) { /* true + anything is true */
        s.dtype = DT_UINT8;
        s.op = MATH_SCATTER_MAX;
    }
    if (!dtype_is_managed(s.dtype)) {
        int64_t bad = math_scatter(kernel_pool(c), &s);
        return bad < 0 || tuples_fail(st, indices, bad, "shape", &table->shape);
    }
    int64_t bad = math_find_bad_index(s.index_dtype, s.indices, s.num, s.limit);
    if (bad >= 0)
        return tuples_fail(st, indices, bad, "shape", &table->shape);
    return scatter_managed(&s, st);
}

static bool empty(const struct shape *s)
{
    for (int i = 0; i < s->rank; i++) {
        if (shape_dim(s, i) == 0)
            return true;
    }
    return false;
}

/* Puts what had to match before what did not; st has the latter. */
static bool fail_part(const char *side, int n, int m, const char *name, const struct shape *s,
                      const struct shape *updates, struct status *st)
{
    struct strbuf a = {0}, b = {0};
    shape_print(s, &a);
    shape_print(updates, &b);
    status_prepend(st,
                   "The %s %d dimensions of %s.shape=%s must match the %s %d dimensions of "
                   "updates.shape=%s: ",
                   side, n, name, strbuf_text(&a), side, m, strbuf_text(&b));
    strbuf_release(&a);
    strbuf_release(&b);
    return false;
}

bool tuples_infer(struct infer_ctx *c, const struct shape *indices, const struct shape *updates,
                  const struct shape *s, const char *name, struct status *st)
{
    const struct shape *merged, *a, *b;
    if (!infer_want_rank_min(c, indices, 1, &indices, st) ||
        !infer_want_rank_min(c, updates, 1, &updates, st))
        return false;
    if (indices->rank < 0 || updates->rank < 0)
        return true;
    const int outer = indices->rank - 1;
    const int64_t depth = infer_dim(indices, outer);
    if (empty(s) && !empty(indices) && !empty(updates))
        return status_invalid(st, "Indices and updates specified for empty output shape");
    a = infer_slice(c, indices, 0, outer);
    b = infer_slice(c, updates, 0, outer);
    if (!infer_merge(c, a, b, &merged, st))
        return fail_part("outer", outer, outer, "indices", indices, updates, st);
    if (s->rank < 0 || depth < 0)
        return true;
    a = infer_slice(c, s, (int)min_i64(depth, s->rank), s->rank);
    b = infer_slice(c, updates, outer, updates->rank);
    return infer_merge(c, a, b, &merged, st) ||
           fail_part("inner", s->rank - (int)min_i64(depth, SHAPE_MAX_RANK), updates->rank - outer,
                     name, s, updates, st);
}
