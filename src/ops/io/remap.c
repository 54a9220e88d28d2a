/* SPDX-License-Identifier: Apache-2.0 */
/* GenerateVocabRemapping and LoadAndRemapMatrix: a matrix of a checkpoint for another vocabulary,
 * whose rows and columns come in another order, and some of which are new. */
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "io/bundle.h"
#include "io/input.h"
#include "ops/io/common.h"

/* --- vocabularies: a word a line --- */

struct words {
    char *bytes;
    struct str *v; /* in bytes */
    int64_t n, cap;
};

static void words_release(struct words *w)
{
    mem_free(w->bytes);
    mem_free(w->v);
}

static bool read_whole(const char *path, char **bytes, int64_t *n, struct status *st)
{
    struct input in = {0};
    if (!input_open(&in, path, st))
        return false;
    *n = in.size;
    *bytes = mem_try((size_t)in.size + 1, path, st);
    bool ok = *bytes && input_read(&in, 0, *bytes, in.size, "a vocabulary", st);
    input_close(&in);
    return ok;
}

static bool words_read(const char *path, struct words *w, struct status *st)
{
    int64_t size = 0;
    if (!read_whole(path, &w->bytes, &size, st))
        return false;
    const char *p = w->bytes, *end = p + size;
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        const char *next = stop ? stop + 1 : end;
        size_t n = (size_t)((stop ? stop : end) - p);
        if (n > 0 && p[n - 1] == '\r')
            n--;
        if (n == 0)
            return status_invalid(st, "Invalid content in %s: empty line found at position %lld.",
                                  path, (long long)(next - w->bytes));
        w->v = vec_reserve(w->v, &w->cap, w->n + 1, sizeof *w->v);
        w->v[w->n++] = str_make(p, n);
        p = next;
    }
    return true;
}

/* word -> line + 1, of the first `most` lines. */
static bool lines_of(const char *path, const struct words *w, int64_t most, struct strmap *lines,
                     struct status *st)
{
    if (most == 0)
        return status_fail(st, STATUS_OUT_OF_RANGE, "Finished reading 0 of lines from %s", path);
    if (most > w->n)
        return status_invalid(st, "Invalid vocab_size in %s: expected %lld but got %lld", path,
                              (long long)most, (long long)w->n);
    for (int64_t i = 0; i < (most < 0 ? w->n : most); i++) {
        if (strmap_find_n(lines, w->v[i].p, w->v[i].n))
            return status_precondition(st, "HashTable has different value for same key. Key %.*s",
                                       (int)min_i64((int64_t)w->v[i].n, 200), w->v[i].p);
        strmap_put_n(lines, w->v[i].p, w->v[i].n, (void *)(uintptr_t)(i + 1));
    }
    return true;
}

static bool remap_words(struct kctx *c, const struct words *fresh, const struct strmap *lines,
                        struct status *st)
{
    const int64_t offset = attrs_int(kernel_attrs(c), "new_vocab_offset");
    const int64_t num = attrs_int(kernel_attrs(c), "num_new_vocab");
    struct shape shape = shape_make(&num, 1), scalar = {0};
    struct tensor *map = kernel_out(c, 0, &shape, st);
    struct tensor *present = map ? kernel_out(c, 1, &scalar, st) : NULL;
    shape_clear(&shape);
    if (!present)
        return false;
    int32_t found = 0;
    for (int64_t i = 0; i < num; i++) {
        struct str word = fresh->v[offset + i];
        const uintptr_t line = (uintptr_t)strmap_find_n(lines, word.p, word.n);
        tensor_i64(map)[i] = (int64_t)line - 1;
        found += line != 0;
    }
    tensor_i32(present)[0] = found;
    return true;
}

static bool vocab_run(struct kctx *c, struct status *st)
{
    const int64_t offset = attrs_int(kernel_attrs(c), "new_vocab_offset");
    const int64_t num = attrs_int(kernel_attrs(c), "num_new_vocab");
    struct words fresh = {0}, old = {0};
    struct strmap lines = {0};
    if (!kernel_want_scalar(c, 0, st) || !kernel_want_scalar(c, 1, st))
        return false;
    char *fresh_path = io_path(c, 0, 0, st), *old_path = fresh_path ? io_path(c, 1, 0, st) : NULL;
    bool ok = old_path != NULL;
    if (ok && (!*fresh_path || !*old_path))
        ok = status_invalid(st, "%s vocab filename cannot be empty.", *fresh_path ? "old" : "new");
    ok = ok && words_read(fresh_path, &fresh, st);
    if (ok && (offset > fresh.n || num > fresh.n - offset))
        ok =
            status_invalid(st, "lookup table size must be larger than last new vocab entry's line");
    ok = ok && words_read(old_path, &old, st) &&
         lines_of(old_path, &old, attrs_int(kernel_attrs(c), "old_vocab_size"), &lines, st) &&
         remap_words(c, &fresh, &lines, st);
    mem_free(fresh_path);
    mem_free(old_path);
    words_release(&fresh);
    words_release(&old);
    strmap_release(&lines);
    return ok;
}

static bool vocab_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 0, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &s, st))
        return false;
    infer_set(c, 0, infer_vector(c, attrs_int(infer_attrs(c), "num_new_vocab")));
    infer_set(c, 1, infer_scalar(c));
    return true;
}

OP_DEF(generate_vocab_remapping) = {
    .name = "GenerateVocabRemapping",
    .summary = "For each word of a vocabulary its line in an older one, or -1.",
    .inputs = {"new_vocab_file: string", "old_vocab_file: string"},
    .outputs = {"remapping: int64", "num_present: int32"},
    .attrs = {"new_vocab_offset: int >= 0", "num_new_vocab: int >= 0",
              "old_vocab_size: int >= -1 = -1"},
    .shape = vocab_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(generate_vocab_remapping_cpu) = {
    .op = "GenerateVocabRemapping", .device = "CPU", .flags = KERNEL_BLOCKING, .run = vocab_run};

/* --- the matrix --- */

/* Where each new row (column) is in the old matrix, -1: nowhere. NULL: the same places. */
struct places {
    const int64_t *at;
    int64_t n;
};

/* Each old place at most once, and inside; *least and *most: which are used (least > most: none).
 */
static bool check_places(const struct places *p, int64_t old, const char *what, int64_t *least,
                         int64_t *most, struct status *st)
{
    struct u64map seen = {0};
    bool ok = true;
    *least = old;
    *most = -1;
    for (int64_t i = 0; ok && i < p->n; i++) {
        const int64_t at = p->at[i];
        if (at < 0)
            continue;
        uintptr_t before = (uintptr_t)u64map_find(&seen, (uint64_t)at);
        if (before)
            ok =
                status_unimplemented(st,
                                     "Old ID %lld is mapped to both new ID %lld and %lld, which is "
                                     "not supported.",
                                     (long long)at, (long long)before - 1, (long long)i);
        else if (at >= old)
            ok = status_internal(st, "%s %lld is out of bounds: the old matrix has %lld", what,
                                 (long long)at, (long long)old);
        u64map_put(&seen, (uint64_t)at, (void *)(uintptr_t)(i + 1));
        *least = min_i64(*least, at);
        *most = max_i64(*most, at);
    }
    u64map_release(&seen);
    return ok;
}

struct remap {
    struct places rows, cols;
    const float *fill;
    int64_t num_fill, used;
    float *out;
    int64_t num_cols;
};

/* `old`: rows from `first` on; new rows whose old ones are not among them are left alone. */
static void put_rows(const struct remap *r, const struct tensor *old, int64_t first)
{
    const int64_t width = tensor_dim(old, 1);
    for (int64_t i = 0; i < r->rows.n; i++) {
        const int64_t row = r->rows.at[i] - first;
        if (r->rows.at[i] < first || row >= tensor_dim(old, 0))
            continue;
        for (int64_t k = 0; k < r->num_cols; k++) {
            const int64_t col = r->cols.n ? r->cols.at[k] : k;
            if (col >= 0)
                r->out[i * r->num_cols + k] = tensor_f32(old)[row * width + col];
        }
    }
}

static bool fill_rest(struct remap *r, struct status *st)
{
    for (int64_t i = 0; i < r->rows.n; i++)
        for (int64_t k = 0; k < r->num_cols; k++) {
            if (r->rows.at[i] >= 0 && (r->cols.n == 0 || r->cols.at[k] >= 0))
                continue;
            if (r->used == r->num_fill)
                return status_invalid(st,
                                      "initializing_values contained %lld elements, but more "
                                      "missing values remain.",
                                      (long long)r->num_fill);
            r->out[i * r->num_cols + k] = r->fill[r->used++];
        }
    return r->used == r->num_fill ||
           status_invalid(st,
                          "initializing_values contained %lld elements, but only %lld elements "
                          "were used to fill in missing values.",
                          (long long)r->num_fill, (long long)r->used);
}

static bool check_matrix(const struct bundle_entry *e, struct str name, const struct remap *r,
                         struct status *st)
{
    char *shape = io_shape_text(&e->shape);
    const int shown = (int)min_i64((int64_t)name.n, 200);
    bool ok = true;
    if (e->p->dtype != DT_FLOAT)
        ok = status_invalid(st, "Tensor %.*s has invalid type %s instead of expected type float",
                            shown, name.p, dtype_name(e->p->dtype));
    else if (e->shape.rank != 2)
        ok = status_invalid(
            st, "Tensor %.*s has shape %s of invalid rank %d instead of expected shape of rank 2.",
            shown, name.p, shape, e->shape.rank);
    else if (r->cols.n == 0 && shape_dim(&e->shape, 1) != r->num_cols)
        ok = status_invalid(st,
                            "Tensor %.*s has shape %s, where the size of its 2nd dimension is %lld "
                            "instead of being equal to num_cols=%lld",
                            shown, name.p, shape, (long long)shape_dim(&e->shape, 1),
                            (long long)r->num_cols);
    mem_free(shape);
    return ok;
}

/* The rows that are wanted, `chunk` at a time. */
static bool read_rows(struct bundle *b, struct str name, const struct bundle_entry *e,
                      const struct remap *r, int64_t chunk, struct status *st)
{
    int64_t least, most;
    if (!check_matrix(e, name, r, st) ||
        !check_places(&r->cols, shape_dim(&e->shape, 1), "column", &least, &most, st) ||
        !check_places(&r->rows, shape_dim(&e->shape, 0), "row", &least, &most, st))
        return false;
    for (int64_t at = least; at <= most; at += chunk) {
        struct slice want = slice_whole(2);
        want.start[0] = at;
        want.len[0] = min_i64(chunk, most + 1 - at);
        struct tensor rows = {0};
        if (!bundle_read(b, name, e, &want, &rows, st))
            return false;
        put_rows(r, &rows, at);
        tensor_clear(&rows);
    }
    return true;
}

static bool vector_of(struct kctx *c, int i, struct places *p, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    *p = (struct places){tensor_i64(t), t->num_elems};
    return kernel_want_vector(c, i, st);
}

static bool check_sizes(const struct remap *r, int64_t num_rows, struct status *st)
{
    if (r->rows.n != num_rows)
        return status_invalid(
            st, "Size of row_remapping is %lld instead of being equal to num_rows=%lld",
            (long long)r->rows.n, (long long)num_rows);
    return r->cols.n == 0 || r->cols.n == r->num_cols ||
           status_invalid(st,
                          "Provided col_remapping, but its size is %lld instead of being equal to "
                          "num_cols=%lld",
                          (long long)r->cols.n, (long long)r->num_cols);
}

static bool load(struct kctx *c, const struct remap *r, struct status *st)
{
    struct str name = tstr_view(&tensor_str(kernel_in(c, 1))[0]);
    const int64_t rows = attrs_int(kernel_attrs(c), "max_rows_in_memory");
    struct bundle b;
    struct bundle_entry e;
    bool found = false;
    char *path = io_path(c, 0, 0, st);
    bool ok = path && bundle_open(&b, path, kernel_pool(c), st);
    mem_free(path);
    if (!ok)
        return false;
    ok = bundle_find(&b, name, &e, &found, st);
    if (ok && !found)
        ok = status_fail(st, STATUS_NOT_FOUND, "Key %.*s not found in checkpoint",
                         (int)min_i64((int64_t)name.n, 200), name.p);
    if (found) {
        ok = ok && read_rows(&b, name, &e, r, rows > 0 ? rows : INT64_MAX / 2, st);
        bundle_entry_release(&e);
    }
    bundle_close(&b);
    return ok;
}

static bool matrix_run(struct kctx *c, struct status *st)
{
    const int64_t num_rows = attrs_int(kernel_attrs(c), "num_rows");
    struct remap r = {.num_cols = attrs_int(kernel_attrs(c), "num_cols"),
                      .fill = tensor_f32(kernel_in(c, 4)),
                      .num_fill = kernel_in(c, 4)->num_elems};
    if (!kernel_want_scalar(c, 0, st) || !kernel_want_scalar(c, 1, st) ||
        !vector_of(c, 2, &r.rows, st) || !vector_of(c, 3, &r.cols, st) ||
        !kernel_want_vector(c, 4, st) || !check_sizes(&r, num_rows, st))
        return false;
    struct shape shape = shape_make((const int64_t[]){num_rows, r.num_cols}, 2);
    struct tensor *out = kernel_out(c, 0, &shape, st);
    shape_clear(&shape);
    if (!out)
        return false;
    r.out = out->data;
    return load(c, &r, st) && fill_rest(&r, st);
}

static bool matrix_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    for (int i = 0; i < 5; i++)
        if (!infer_want_rank(c, infer_input(c, i), i > 1, &s, st))
            return false;
    infer_set(c, 0,
              infer_matrix(c, attrs_int(infer_attrs(c), "num_rows"),
                           attrs_int(infer_attrs(c), "num_cols")));
    return true;
}

OP_DEF(load_and_remap_matrix) = {
    .name = "LoadAndRemapMatrix",
    .summary = "A matrix of a checkpoint with its rows and columns in other places.",
    .inputs = {"ckpt_path: string", "old_tensor_name: string", "row_remapping: int64",
               "col_remapping: int64", "initializing_values: float"},
    .outputs = {"output_matrix: float"},
    .attrs = {"num_rows: int >= 0", "num_cols: int >= 1", "max_rows_in_memory: int = -1"},
    .flags = OP_STATEFUL,
    .shape = matrix_shape,
    .no_grad = "undefined: files have no gradient",
};
KERNEL_DEF(load_and_remap_matrix_cpu) = {
    .op = "LoadAndRemapMatrix", .device = "CPU", .flags = KERNEL_BLOCKING, .run = matrix_run};
