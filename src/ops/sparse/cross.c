/* SPDX-License-Identifier: Apache-2.0 */
/* SparseCross: each row of the result holds all combinations of one feature out of every column,
 * the last column's changing first. Columns are sparse matrices or dense ones. A combination is a
 * fingerprint (of fingerprints, one mixed into the other from hash_key on), or the features' texts
 * with _X_ between them.
 *
 * The entries of a sparse column come row by row; what comes after its time is left out. */
#include <inttypes.h>
#include <string.h>

#include "codec/hash.h"
#include "op/infer.h"
#include "op/kernel.h"

static const char BETWEEN[] = "_X_";

struct column {
    const struct tensor *values;
    const int64_t *indices; /* n pairs; NULL: a dense column */
    int64_t n, next, row;   /* next entry, last row seen */
    int64_t width;          /* dense: features of a row */
    int64_t begin, count;   /* features of the present row */
    int64_t pick;
    uint64_t *prints; /* of all values, where they are wanted */
};

struct cross {
    struct column *columns;
    int n, num_sparse;
    int64_t batch;
    bool hashed;
    uint64_t key, num_buckets;
};

/* --- rows --- */

/* The features of row b, which rises from call to call. */
static void column_seek(struct column *c, int64_t b)
{
    if (!c->indices) {
        c->begin = b * c->width;
        c->count = c->width;
        return;
    }
    while (c->next < c->n && c->indices[2 * c->next] > c->row && c->indices[2 * c->next] < b) {
        c->row = c->indices[2 * c->next];
        while (c->next < c->n && c->indices[2 * c->next] == c->row)
            c->next++;
    }
    c->begin = c->next;
    while (c->next < c->n && c->indices[2 * c->next] == b)
        c->next++;
    c->count = c->next - c->begin;
    c->row = b;
}

/* The row after b that may hold combinations. */
static int64_t next_row(const struct cross *x, int64_t b)
{
    for (int i = 0; i < x->n; i++) {
        if (x->columns[i].values->num_elems == 0)
            return x->batch;
    }
    if (x->num_sparse == 0)
        return b + 1;
    const struct column *c = &x->columns[0];
    return c->next < c->n && c->indices[2 * c->next] > b ? c->indices[2 * c->next] : x->batch;
}

static void rewind_columns(struct cross *x)
{
    for (int i = 0; i < x->n; i++) {
        x->columns[i].next = 0;
        x->columns[i].row = -1;
    }
}

static bool row_count(struct cross *x, int64_t b, int64_t *count, struct status *st)
{
    *count = 1;
    for (int i = 0; i < x->n; i++) {
        column_seek(&x->columns[i], b);
        x->columns[i].pick = 0;
        if (*count > 0 && __builtin_mul_overflow(*count, x->columns[i].count, count))
            return status_invalid(st, "SparseCross: row %lld has too many combinations",
                                  (long long)b);
    }
    return true;
}

static bool count_all(struct cross *x, int64_t *total, int64_t *most, struct status *st)
{
    *total = *most = 0;
    rewind_columns(x);
    for (int64_t b = next_row(x, -1); b < x->batch; b = next_row(x, b)) {
        int64_t count;
        if (!row_count(x, b, &count, st))
            return false;
        *most = max_i64(*most, count);
        if (__builtin_add_overflow(*total, count, total))
            return status_invalid(st, "SparseCross: too many combinations");
    }
    return true;
}

/* --- combinations --- */

static uint64_t shift_mix(uint64_t v)
{
    return v ^ (v >> 47);
}

/* TensorFlow's FingerprintCat64. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    const uint64_t mul = 0xc6a4a7935bd1e995u;
    uint64_t v = a ^ mul;
    v ^= shift_mix(b * mul) * mul;
    v *= mul;
    v = shift_mix(v) * mul;
    return shift_mix(v);
}

static int64_t combine(const struct cross *x)
{
    uint64_t v = x->key;
    for (int i = 0; i < x->n; i++) {
        const struct column *c = &x->columns[i];
        v = mix(v, c->prints[c->begin + c->pick]);
    }
    return (int64_t)(v % (x->num_buckets ? x->num_buckets : (uint64_t)INT64_MAX));
}

static bool join(const struct cross *x, struct strbuf *text, struct tstr *out, struct status *st)
{
    strbuf_clear(text);
    for (int i = 0; i < x->n; i++) {
        const struct column *c = &x->columns[i];
        if (i > 0)
            strbuf_puts(text, BETWEEN);
        if (c->values->dtype == DT_STRING) {
            const struct tstr *v = &tensor_str(c->values)[c->begin + c->pick];
            strbuf_add(text, tstr_data(v), tstr_len(v));
        } else {
            strbuf_printf(text, "%" PRId64, tensor_i64(c->values)[c->begin + c->pick]);
        }
    }
    return tstr_set(out, text->p, text->n) || status_exhausted(st, "no memory for a string");
}

/* On to the next combination: the last column's feature changes first. */
static void step(struct cross *x)
{
    for (int i = x->n - 1; i >= 0; i--) {
        if (++x->columns[i].pick < x->columns[i].count)
            return;
        x->columns[i].pick = 0;
    }
}

static bool fill(struct cross *x, int64_t *places, struct tensor *out, struct status *st)
{
    struct strbuf text = {0};
    int64_t at = 0, count;
    bool ok = true;
    rewind_columns(x);
    for (int64_t b = next_row(x, -1); ok && b < x->batch; b = next_row(x, b)) {
        ok = row_count(x, b, &count, st);
        for (int64_t i = 0; ok && i < count; i++, at++) {
            places[2 * at] = b;
            places[2 * at + 1] = i;
            if (x->hashed)
                tensor_i64(out)[at] = combine(x);
            else
                ok = join(x, &text, &tensor_str(out)[at], st);
            step(x);
        }
    }
    strbuf_release(&text);
    return ok;
}

/* --- the kernel --- */

static bool check_batch(struct cross *x, int i, int64_t rows, const char *what, struct status *st)
{
    if (x->batch < 0)
        x->batch = rows;
    if (rows < 0)
        return status_invalid(st, "a batch of %lld at %s %d", (long long)rows, what, i);
    return rows == x->batch || status_invalid(st, "Expected batch size %lld got %lld at %s %d",
                                              (long long)x->batch, (long long)rows, what, i);
}

static bool read_sparse(const struct kctx *k, struct cross *x, int i, const int first[3],
                        struct status *st)
{
    const struct tensor *ix = kernel_in(k, first[0] + i), *v = kernel_in(k, first[1] + i),
                        *dims = kernel_in(k, first[2] + i);
    if (tensor_rank(ix) != 2)
        return status_invalid(st,
                              "Input indices should be a matrix but received rank %d at "
                              "position %d",
                              tensor_rank(ix), i);
    if (tensor_dim(ix, 1) != 2)
        return status_invalid(st, "Expected D2 of index to be 2 got %lld at position %d",
                              (long long)tensor_dim(ix, 1), i);
    if (tensor_rank(v) != 1)
        return status_invalid(st,
                              "Input values should be a vector but received rank %d at "
                              "position %d",
                              tensor_rank(v), i);
    if (v->num_elems != tensor_dim(ix, 0))
        return status_invalid(st, "Expected size of values to be %lld got %lld at position %d",
                              (long long)tensor_dim(ix, 0), (long long)v->num_elems, i);
    if (tensor_rank(dims) != 1 || dims->num_elems != 2)
        return status_invalid(st,
                              "shape should imply a 2D tensor, but got %lld numbers at position "
                              "%d",
                              (long long)dims->num_elems, i);
    x->columns[i] = (struct column){.values = v, .indices = tensor_i64(ix), .n = v->num_elems};
    return check_batch(x, i, tensor_i64(dims)[0], "sparse tensor", st);
}

static bool read_dense(const struct kctx *k, struct cross *x, int i, int first, struct status *st)
{
    const struct tensor *v = kernel_in(k, first + i);
    if (tensor_rank(v) != 2)
        return status_invalid(st,
                              "Dense inputs should be a matrix but received rank %d at position "
                              "%d",
                              tensor_rank(v), i);
    x->columns[x->num_sparse + i] = (struct column){.values = v, .width = tensor_dim(v, 1)};
    return check_batch(x, i, tensor_dim(v, 0), "dense tensor", st);
}

static bool make_prints(struct kctx *k, struct column *c, struct status *st)
{
    const struct tensor *v = c->values;
    if (v->dtype != DT_STRING) {
        c->prints = v->data;
        return true;
    }
    c->prints = kernel_scratch(k, v->num_elems * (int64_t)sizeof *c->prints + 1, st);
    for (int64_t i = 0; c->prints && i < v->num_elems; i++)
        c->prints[i] = hash_farm64(tstr_view(&tensor_str(v)[i]));
    return c->prints != NULL;
}

static bool read_columns(struct kctx *k, struct cross *x, struct status *st)
{
    static const char *const names[] = {"indices", "values", "shapes", "dense_inputs"};
    int first[4], n[4];
    for (int i = 0; i < 4; i++)
        kernel_input_range(k->kernel, names[i], &first[i], &n[i]);
    if (n[1] != n[0])
        return status_invalid(st, "Expected %d input values, got %d", n[0], n[1]);
    x->n = n[0] + n[3];
    x->num_sparse = n[0];
    x->columns = kernel_scratch(k, x->n * (int64_t)sizeof *x->columns + 1, st);
    if (!x->columns)
        return false;
    for (int i = 0; i < n[0]; i++) {
        if (!read_sparse(k, x, i, first, st))
            return false;
    }
    for (int i = 0; i < n[3]; i++) {
        if (!read_dense(k, x, i, first[3], st))
            return false;
    }
    for (int i = 0; x->hashed && i < x->n; i++) {
        if (!make_prints(k, &x->columns[i], st))
            return false;
    }
    x->batch = max_i64(x->batch, 0);
    return true;
}

static bool cross_run(struct kctx *k, struct status *st)
{
    const struct attrs *attrs = kernel_attrs(k);
    struct cross x = {.batch = -1,
                      .hashed = kernel_output_type(k, 1) == DT_INT64,
                      .key = (uint64_t)attrs_int(attrs, "hash_key"),
                      .num_buckets = (uint64_t)attrs_int(attrs, "num_buckets")};
    int64_t total, most;
    if (!read_columns(k, &x, st) || !count_all(&x, &total, &most, st))
        return false;
    const struct shape m = shape_2(total, 2), v = shape_1(total), two = shape_1(2);
    struct tensor *places = kernel_out(k, 0, &m, st);
    struct tensor *out = places ? kernel_out(k, 1, &v, st) : NULL;
    struct tensor *dims = out ? kernel_out(k, 2, &two, st) : NULL;
    if (!dims)
        return false;
    tensor_i64(dims)[0] = x.batch;
    tensor_i64(dims)[1] = most;
    return fill(&x, tensor_i64(places), out, st);
}

static bool cross_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_matrix(c, DIM_UNKNOWN, 2));
    infer_set(c, 1, infer_vector(c, DIM_UNKNOWN));
    infer_set(c, 2, infer_vector(c, 2));
    return true;
}

OP_DEF(sparse_cross) = {
    .name = "SparseCross",
    .summary = "Row by row, all combinations of a feature out of each of several columns.",
    .inputs = {"indices: N * int64", "values: sparse_types", "shapes: N * int64",
               "dense_inputs: dense_types"},
    .outputs = {"output_indices: int64", "output_values: out_type", "output_shape: int64"},
    .attrs = {"N: int >= 0", "hashed_output: bool", "num_buckets: int >= 0", "hash_key: int",
              "sparse_types: list({int64, string}) >= 0", "dense_types: list({int64, string}) >= 0",
              "out_type: {int64, string}", "internal_type: {int64, string}"},
    .shape = cross_shape,
    .no_grad = "undefined: features are no numbers",
};
KERNEL_DEF(sparse_cross_cpu) = {.op = "SparseCross", .device = "CPU", .run = cross_run};
