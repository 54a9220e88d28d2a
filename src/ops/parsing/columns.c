/* SPDX-License-Identifier: Apache-2.0 */
/* The second half: outputs are made when all sizes are known, then filled example by example. */
#include "ops/parsing/columns.h"

#include <string.h>

#include "ops/parsing/columns_scan.h"

enum { VALUES_NS = 1000 };

bool columns_init(struct columns *cs, struct kctx *c, int num_sparse, int num_dense,
                  struct status *st)
{
    int num = num_sparse + num_dense;
    uint64_t size = 4;
    while (size < 2 * (uint64_t)num)
        size *= 2;
    *cs = (struct columns){.num_sparse = num_sparse, .num = num, .first_lengths = -1};
    cs->mask = size - 1;
    cs->v = kernel_scratch(c, (int64_t)((size_t)(num + 1) * sizeof(*cs->v)), st);
    cs->table = cs->v ? kernel_scratch(c, (int64_t)(size * sizeof(*cs->table)), st) : NULL;
    if (!cs->table)
        return false;
    memset(cs->v, 0, (size_t)(num + 1) * sizeof(*cs->v));
    memset(cs->table, 0xff, size * sizeof(*cs->table));
    for (int k = 0; k < num; k++)
        cs->v[k].dense = k >= num_sparse;
    return true;
}

bool column_set_shape(struct column *col, const struct shape *shape, struct status *st)
{
    col->shape = shape;
    col->elems = 1;
    col->variable = shape->rank > 0 && shape_dim(shape, 0) == DIM_UNKNOWN;
    for (int i = col->variable; i < shape->rank; i++) {
        if (!size_mul(col->elems, shape_dim(shape, i), &col->elems))
            return status_invalid(st, "dense_shapes: no such shape");
    }
    return shape->rank != RANK_UNKNOWN || status_invalid(st, "dense_shapes: the rank is unknown");
}

/* --- sizes --- */

/* An output of these dims, the batch's before them unless the job is single. */
static struct tensor *make_out(const struct parse_job *job, int at, const int64_t *dims, int rank,
                               struct status *st)
{
    struct shape s = job->single ? shape_make(dims + 1, rank - 1) : shape_make(dims, rank);
    struct tensor *out = kernel_out(job->c, at, &s, st);
    shape_clear(&s);
    return out;
}

static bool make_sparse(struct parse_job *job, struct columns *cs, int k, bool lists,
                        struct status *st)
{
    int64_t total = 0, longest = 0, steps = 0;
    for (int64_t e = 0; e < job->num; e++) {
        struct column_view *v = column_view_at(cs, e, k);
        v->at = total;
        total += v->count;
        longest = max_i64(longest, lists ? v->longest : v->count);
        steps = max_i64(steps, v->num_steps);
    }
    int64_t dims[3] = {job->num, lists ? steps : longest, longest};
    int rank = 2 + lists, skip = job->single;
    struct shape indices = shape_2(total, rank - skip), values = shape_1(total),
                 shape = shape_1(rank - skip);
    if (!kernel_out(job->c, cs->first_indices + k, &indices, st) ||
        !kernel_out(job->c, cs->first_values + k, &values, st))
        return false;
    struct tensor *out = kernel_out(job->c, cs->first_shapes + k, &shape, st);
    if (out)
        memcpy(tensor_i64(out), dims + skip, (size_t)(rank - skip) * sizeof(*dims));
    return out != NULL;
}

static int dense_output(const struct columns *cs, int k)
{
    return cs->first_dense + k - cs->num_sparse;
}

static bool make_dense(struct parse_job *job, struct columns *cs, int k, bool lists,
                       struct status *st)
{
    struct column *col = &cs->v[k];
    int64_t dims[SHAPE_MAX_RANK + 2] = {job->num}, longest = 0;
    int rank = 1;
    for (int64_t e = 0; e < job->num; e++) {
        const struct column_view *v = column_view_at(cs, e, k);
        longest = max_i64(longest, lists ? v->num_steps : v->count / max_i64(col->elems, 1));
    }
    if (lists)
        dims[rank++] = longest;
    if (rank + col->shape->rank > SHAPE_MAX_RANK)
        return status_invalid(st, "more than %d dimensions", SHAPE_MAX_RANK);
    for (int i = 0; i < col->shape->rank; i++)
        dims[rank++] = i == 0 && col->variable ? longest : shape_dim(col->shape, i);
    if (!make_out(job, dense_output(cs, k), dims, rank, st))
        return false;
    if (cs->first_lengths < 0)
        return true;
    struct tensor *lens = make_out(job, cs->first_lengths + k - cs->num_sparse, dims, 1, st);
    for (int64_t e = 0; lens && e < job->num; e++)
        tensor_i64(lens)[e] = column_view_at(cs, e, k)->num_steps;
    return lens != NULL;
}

static bool make_outputs(struct parse_job *job, struct columns *cs, bool lists, struct status *st)
{
    for (int k = 0; k < cs->num; k++) {
        if (!(k < cs->num_sparse ? make_sparse(job, cs, k, lists, st)
                                 : make_dense(job, cs, k, lists, st)))
            return false;
    }
    return true;
}

/* --- values --- */

static bool fill_sparse(struct parse_job *job, struct columns *cs, int64_t e, int k)
{
    const struct column_view *v = column_view_at(cs, e, k);
    const struct tensor *values = &job->c->out[cs->first_values + k];
    int64_t *ix = tensor_i64(&job->c->out[cs->first_indices + k]);
    int width = job->single ? 1 : 2;
    ix += v->at * width;
    for (int64_t i = 0; i < v->count; i++, ix += width) {
        ix[0] = e;
        ix[width - 1] = i;
    }
    return !v->seen || feature_read(&v->feature, (char *)values->data +
                                                     (size_t)v->at * dtype_size(values->dtype));
}

/* n elements of one value; the memory of strings is cleared. */
static bool repeat(int dtype, char *to, const void *from, int64_t n)
{
    size_t size = dtype_size(dtype);
    for (int64_t i = 0; i < n; i++, to += size) {
        if (!elems_copy(dtype, to, from, 1))
            return false;
    }
    return true;
}

static bool fill_dense(struct parse_job *job, struct columns *cs, int64_t e, int k)
{
    const struct column *col = &cs->v[k];
    const struct column_view *v = column_view_at(cs, e, k);
    struct tensor *out = &job->c->out[dense_output(cs, k)];
    int64_t row = job->num ? out->num_elems / job->num : 0;
    size_t size = dtype_size(out->dtype);
    char *to = (char *)out->data + (size_t)(e * row) * size;
    if (v->seen && !feature_read(&v->feature, to))
        return false;
    to += (size_t)v->count * size;
    if (v->count == row || !col->def || col->def->num_elems == 0)
        return true;
    if (col->variable || col->def->num_elems == 1)
        return repeat(out->dtype, to, col->def->data, row - v->count);
    return elems_copy(out->dtype, to, col->def->data, row);
}

/* The features of a list, one after another, as far as `step` goes. */
static bool next_step(struct str *rest, struct feature *f)
{
    struct wire_field w;
    while (wire_next(rest, &w) == WIRE_FIELD) {
        if (w.number == 1 && w.type == 2)
            return feature_of(w.bytes, f);
    }
    return false;
}

static bool fill_sparse_list(struct parse_job *job, struct columns *cs, int64_t e, int k)
{
    const struct column_view *v = column_view_at(cs, e, k);
    const struct tensor *values = &job->c->out[cs->first_values + k];
    int64_t *ix = tensor_i64(&job->c->out[cs->first_indices + k]);
    int width = job->single ? 2 : 3;
    char *to = (char *)values->data + (size_t)v->at * dtype_size(values->dtype);
    struct str rest = v->seen ? v->list : str_make(NULL, 0);
    struct feature f;
    ix += v->at * width;
    for (int64_t step = 0; next_step(&rest, &f); step++) {
        int64_t n = feature_count(&f);
        for (int64_t i = 0; i < n; i++, ix += width) {
            ix[0] = e;
            ix[width - 2] = step;
            ix[width - 1] = i;
        }
        if (!feature_read(&f, to))
            return false;
        to += (size_t)n * dtype_size(values->dtype);
    }
    return true;
}

static bool fill_dense_list(struct parse_job *job, struct columns *cs, int64_t e, int k)
{
    const struct column_view *v = column_view_at(cs, e, k);
    struct tensor *out = &job->c->out[dense_output(cs, k)];
    int64_t row = job->num ? out->num_elems / job->num : 0;
    size_t size = dtype_size(out->dtype), step = (size_t)cs->v[k].elems * size;
    char *to = (char *)out->data + (size_t)(e * row) * size;
    struct str rest = v->seen ? v->list : str_make(NULL, 0);
    struct feature f;
    for (; next_step(&rest, &f); to += step) {
        if (!feature_read(&f, to))
            return false;
    }
    if (!dtype_is_managed(out->dtype)) /* strings are empty from the start */
        memset(to, 0, (size_t)(row - v->num_steps * cs->v[k].elems) * size);
    return true;
}

static void fill_some(void *arg, int64_t begin, int64_t end)
{
    struct parse_job *job = arg;
    bool ok = true;
    for (int64_t e = begin; e < end && ok; e++) {
        struct columns *cs = &job->features;
        for (int k = 0; ok && k < cs->num; k++)
            ok = k < cs->num_sparse ? fill_sparse(job, cs, e, k) : fill_dense(job, cs, e, k);
        cs = &job->lists;
        for (int k = 0; ok && k < cs->num; k++)
            ok = k < cs->num_sparse ? fill_sparse_list(job, cs, e, k)
                                    : fill_dense_list(job, cs, e, k);
    }
    if (!ok)
        __atomic_store_n(&job->no_memory, true, __ATOMIC_RELAXED);
}

bool parse_job_run(struct parse_job *job, struct status *st)
{
    if (!parse_job_scan(job, st) || !make_outputs(job, &job->features, false, st) ||
        !make_outputs(job, &job->lists, true, st))
        return false;
    kernel_loop(job->c, job->num, VALUES_NS, fill_some, job);
    return !job->no_memory || status_exhausted(st, "no memory for the strings of examples");
}
