/* SPDX-License-Identifier: Apache-2.0 */
/* InitializeTableFromTextFile and its V2 form: a table filled from the lines of a file.
 *
 * A key and a value are a column each, the whole line, or the line's number. The file is read
 * whole, counted, then cut; the table is filled only when every line could be read. */
#include <string.h>

#include "base/mem.h"
#include "io/input.h"
#include "ops/lookup/table.h"

enum { WHOLE_LINE = -2, LINE_NUMBER = -1 };

struct lines {
    const char *path;
    struct str all, rest; /* rest: not read yet */
};

struct columns { /* the attrs */
    int64_t key, value, size;
    char delimiter;
};

static bool columns_init(struct kernel *k, void *state, struct status *st)
{
    struct columns *a = state;
    struct str delimiter = attrs_string(k->attrs, "delimiter");
    if (delimiter.n != 1)
        return status_invalid(st, "delimiter should be only 1 char");
    *a = (struct columns){attrs_int(k->attrs, "key_index"), attrs_int(k->attrs, "value_index"),
                          attrs_int(k->attrs, "vocab_size"), delimiter.p[0]};
    return true;
}

/* --- lines --- */

/* The next line without its end; false after the last. */
static bool next_line(struct str *rest, struct str *line)
{
    if (rest->n == 0)
        return false;
    const char *end = memchr(rest->p, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->p) : rest->n, skip = end ? n + 1 : n;
    *line = str_make(rest->p, n);
    if (n > 0 && rest->p[n - 1] == '\r')
        line->n--;
    *rest = str_make(rest->p + skip, rest->n - skip);
    return true;
}

static int64_t count_lines(struct str text)
{
    int64_t n = 0;
    struct str line;
    while (next_line(&text, &line))
        n++;
    return n;
}

/* Column number i of line; false when there are not so many. */
static bool column(struct str line, char delimiter, int64_t i, struct str *out)
{
    for (;; i--) {
        const char *end = memchr(line.p, delimiter, line.n);
        size_t n = end ? (size_t)(end - line.p) : line.n;
        *out = str_make(line.p, n);
        if (i == 0)
            return true;
        if (!end)
            return false;
        line = str_make(end + 1, line.n - n - 1);
    }
}

static int64_t count_columns(struct str line, char delimiter)
{
    int64_t n = 1;
    for (size_t i = 0; i < line.n; i++)
        n += line.p[i] == delimiter;
    return n;
}

/* --- fields --- */

static bool fail_field(struct str text, int64_t line, int dtype, struct status *st)
{
    return status_invalid(st, "Field %.*s in line %lld is not a valid %s.",
                          (int)(text.n < 4096 ? text.n : 4096), text.n ? text.p : "",
                          (long long)line, dtype_name(dtype));
}

static bool put_field(struct tensor *t, int64_t i, struct str text, int64_t line, struct status *st)
{
    int64_t whole = 0;
    double real = 0;
    struct str number = str_trim(text);
    switch (t->dtype) {
    case DT_STRING:
        return tstr_set(&tensor_str(t)[i], text.p, text.n) ||
               status_exhausted(st, "no memory for a table's text");
    case DT_INT32:
        if (!str_to_i64(number, &whole) || whole != (int32_t)whole)
            return fail_field(text, line, t->dtype, st);
        tensor_i32(t)[i] = (int32_t)whole;
        return true;
    case DT_INT64:
        if (!str_to_i64(number, &whole))
            return fail_field(text, line, t->dtype, st);
        tensor_i64(t)[i] = whole;
        return true;
    case DT_FLOAT:
        if (!str_to_double(number, &real))
            return fail_field(text, line, t->dtype, st);
        tensor_f32(t)[i] = (float)real;
        return true;
    case DT_DOUBLE:
        if (!str_to_double(number, &real))
            return fail_field(text, line, t->dtype, st);
        tensor_f64(t)[i] = real;
        return true;
    default:
        return status_invalid(st, "Data type %s not supported.", dtype_name(t->dtype));
    }
}

/* Element i of t: what `index` means in this line. */
static bool put_part(struct tensor *t, int64_t i, int64_t index, char delimiter,
                     const struct lines *l, struct str line, struct status *st)
{
    struct str text = line;
    if (index == LINE_NUMBER) {
        tensor_i64(t)[i] = i;
        return true;
    }
    if (index >= 0 && !column(line, delimiter, index, &text))
        return status_invalid(st,
                              "Invalid number of columns in %s line %lld (%.*s) : "
                              "expected at least %lld got %lld",
                              l->path, (long long)i, (int)(line.n < 4096 ? line.n : 4096), line.p,
                              (long long)index + 1, (long long)count_columns(line, delimiter));
    return put_field(t, i, text, i, st);
}

/* --- the file --- */

static bool want_types(const struct columns *a, const struct table *t, struct status *st)
{
    if (a->key == LINE_NUMBER && t->key_dtype != DT_INT64)
        return status_invalid(st,
                              "Key index for line number requires table key dtype of int64, got %s",
                              dtype_name(t->key_dtype));
    if (a->value == LINE_NUMBER && t->value_dtype != DT_INT64)
        return status_invalid(
            st, "Value index for line number requires table value dtype of int64, got %s",
            dtype_name(t->value_dtype));
    if (a->value == WHOLE_LINE && t->value_dtype != DT_STRING)
        return status_invalid(
            st, "Value index for whole line requires table value dtype of string, got %s",
            dtype_name(t->value_dtype));
    return true;
}

static bool read_lines(const struct columns *a, struct lines l, struct tensor *keys,
                       struct tensor *values, struct status *st)
{
    struct str line;
    for (int64_t i = 0; i < keys->num_elems; i++) {
        if (!next_line(&l.rest, &line))
            return status_invalid(st, "Invalid vocab_size in %s: expected %lld but got %lld",
                                  l.path, (long long)keys->num_elems, (long long)i);
        if (line.n == 0)
            return status_invalid(st, "Invalid content in %s: empty line found at position %lld.",
                                  l.path, (long long)(l.rest.p - l.all.p));
        if (!put_part(keys, i, a->key, a->delimiter, &l, line, st) ||
            !put_part(values, i, a->value, a->delimiter, &l, line, st))
            return false;
    }
    return true;
}

/* Fills t from the text; a table that is filled already stays as it is. */
static bool fill_from(struct table *t, const struct columns *a, struct lines l, struct status *st)
{
    int64_t have = count_lines(l.rest), n = a->size >= 0 ? a->size : have;
    if (n == 0)
        return status_fail(st, STATUS_OUT_OF_RANGE, "Finished reading 0 of lines from %s", l.path);
    if (n > have)
        return status_invalid(st, "Invalid vocab_size in %s: expected %lld but got %lld", l.path,
                              (long long)n, (long long)have);
    struct shape shape = shape_1(n);
    struct tensor keys = {0}, values = {0};
    struct status why = {0};
    bool ok = tensor_new(&keys, t->key_dtype, &shape, st) &&
              tensor_new(&values, t->value_dtype, &shape, st) &&
              read_lines(a, l, &keys, &values, st);
    if (ok && !t->kind->fill(t, &keys, &values, &why)) {
        ok = why.code == STATUS_FAILED_PRECONDITION && t->kind->filled(t);
        if (!ok)
            status_copy(st, &why);
    }
    status_clear(&why);
    tensor_clear(&keys);
    tensor_clear(&values);
    return ok;
}

static bool fill_from_path(struct table *t, const struct columns *a, const char *path,
                           struct status *st)
{
    struct input in = {0};
    if (!input_open(&in, path, st))
        return false;
    char *bytes = mem_try((size_t)in.size + 1, "a table's file", st);
    bool ok = bytes && input_read(&in, 0, bytes, in.size, "lines", st);
    if (ok) {
        struct str all = str_make(bytes, (size_t)in.size);
        ok = fill_from(t, a, (struct lines){path, all, all}, st);
    }
    mem_free(bytes);
    input_close(&in);
    return ok;
}

static bool fill_table(struct kctx *c, struct table *t, struct status *st)
{
    const struct columns *a = kernel_state(c);
    const struct tensor *name = kernel_in(c, 1);
    if (name->num_elems != 1 || tensor_rank(name) != 0) {
        char *text = table_shape_text(&name->shape);
        status_invalid(st, "filename should be a single string, but got %s", text);
        mem_free(text);
        return false;
    }
    struct str path = tstr_view(tensor_str(name));
    if (path.n == 0)
        return status_invalid(st, "filename cannot be empty.");
    if (memchr(path.p, 0, path.n))
        return status_invalid(st, "filename has a zero byte in it");
    if (!table_want_fillable(c, t, st) || !want_types(a, t, st))
        return false;
    char *text = mem_strndup(path.p, path.n);
    bool ok = fill_from_path(t, a, text, st);
    mem_free(text);
    return ok;
}

static bool fill_run(struct kctx *c, struct status *st)
{
    struct table *t = table_of(c, st);
    bool ok = t && fill_table(c, t, st);
    if (ok)
        table_log_all(c, t);
    if (t)
        resource_unref(&t->base);
    return ok;
}

static bool fill_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *name;
    return table_infer_handle(c, st) && infer_want_rank(c, infer_input(c, 1), 0, &name, st);
}

#define FILLER(id, op_name, handle, more, text)                                                    \
    OP_DEF(id) = {                                                                                 \
        .name = op_name,                                                                           \
        .summary = text,                                                                           \
        .inputs = {"table_handle: " handle, "filename: string"},                                   \
        .attrs = {"key_index: int >= -2", "value_index: int >= -2", "vocab_size: int >= -1 = -1",  \
                  "delimiter: string = '\t'"},                                                     \
        .flags = more,                                                                             \
        .shape = fill_shape,                                                                       \
        .no_grad = "what a table holds has no gradient",                                           \
    };                                                                                             \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .flags = KERNEL_BLOCKING,                                              \
                            .state_bytes = sizeof(struct columns),                                 \
                            .init = columns_init,                                                  \
                            .run = fill_run}
FILLER(initialize_table_from_text_file_v2, "InitializeTableFromTextFileV2", "resource", OP_STATEFUL,
       "Fills a table that is filled once from the lines of a file.");
FILLER(initialize_table_from_text_file, "InitializeTableFromTextFile", "Ref(string)", 0,
       "Fills a table from the lines of a file; InitializeTableFromTextFileV2 takes its place.");
