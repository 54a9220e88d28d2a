/* SPDX-License-Identifier: Apache-2.0 */
/* StringNGrams: all runs of some widths of neighbouring strings in each row of a ragged matrix,
 * joined, with padding at both ends of the row. A first pass counts them, a second writes them. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

struct ngrams {
    struct str separator, left, right;
    const struct attr_value *widths;
    int64_t pad;     /* -1: one less than the width */
    bool keep_short; /* a row too short for every width gives one n-gram of all of it */
};

static bool init(struct kernel *k, void *state, struct status *st)
{
    struct ngrams *s = state;
    const struct attrs *a = k->attrs;
    *s = (struct ngrams){.separator = attrs_string(a, "separator"),
                         .left = attrs_string(a, "left_pad"),
                         .right = attrs_string(a, "right_pad"),
                         .widths = attrs_list(a, "ngram_widths"),
                         .pad = attrs_int(a, "pad_width"),
                         .keep_short = attrs_bool(a, "preserve_short_sequences")};
    for (int64_t i = 0; i < s->widths->n; i++) {
        if (s->widths->is[i] < 1 || s->widths->is[i] > INT32_MAX)
            return status_invalid(st, "ngram_widths must be positive int32 but one is %lld",
                                  (long long)s->widths->is[i]);
    }
    return true;
}

static int64_t pad_of(const struct ngrams *s, int64_t width)
{
    return s->pad < 0 || s->pad > width - 1 ? width - 1 : s->pad;
}

/* N-grams of this width in a row of n strings. */
static int64_t count_of(const struct ngrams *s, int64_t n, int64_t width)
{
    int64_t all = n + 2 * pad_of(s, width) - width + 1;
    return all > 0 ? all : 0;
}

static bool check_splits(const struct tensor *splits, int64_t n, struct status *st)
{
    for (int64_t i = 0; i < splits->num_elems; i++) {
        int64_t v = tensor_index(splits, i);
        if (v < 0 || v > n)
            return status_invalid(st, "Invalid split value %lld, must be in [0,%lld]", (long long)v,
                                  (long long)n);
    }
    return true;
}

/* One n-gram: `left` pads, `n` strings, `right` pads. */
static bool write_ngram(const struct ngrams *s, const struct tstr *data, const int64_t parts[3],
                        struct tstr *y, struct status *st)
{
    struct strbuf b = {0};
    bool first = true;
    for (int part = 0; part < 3; part++) {
        for (int64_t i = 0; i < parts[part]; i++) {
            struct str x = part == 0 ? s->left : part == 1 ? tstr_view(&data[i]) : s->right;
            if (!first)
                strbuf_add(&b, s->separator.p, s->separator.n);
            strbuf_add(&b, x.p, x.n);
            first = false;
        }
    }
    bool ok = text_set(y, str_make(b.p, b.n), st);
    strbuf_release(&b);
    return ok;
}

/* Those of one width, of a row that begins at data, to y. */
static bool write_width(const struct ngrams *s, const struct tstr *data, int64_t n, int64_t width,
                        struct tstr *y, struct status *st)
{
    int64_t pad = pad_of(s, width), count = count_of(s, n, width);
    for (int64_t i = 0; i < count; i++) {
        int64_t begin = i - pad, end = begin + width; /* in the row, without its pads */
        int64_t left = begin < 0 ? -begin : 0, right = end > n ? end - n : 0;
        if (!write_ngram(s, data + (begin < 0 ? 0 : begin),
                         (int64_t[3]){left, width - left - right, right}, &y[i], st))
            return false;
    }
    return true;
}

static int64_t count_row(const struct ngrams *s, int64_t n, bool *whole)
{
    int64_t count = 0;
    *whole = false;
    for (int64_t i = 0; i < s->widths->n; i++) {
        if (__builtin_add_overflow(count, count_of(s, n, s->widths->is[i]), &count))
            return -1;
    }
    *whole = count == 0 && s->keep_short && n > 0;
    return count + *whole;
}

static bool write_rows(const struct ngrams *s, const struct tstr *data, const struct tensor *splits,
                       struct tstr *y, struct status *st)
{
    for (int64_t r = 0; r + 1 < splits->num_elems; r++) {
        int64_t begin = tensor_index(splits, r), n = tensor_index(splits, r + 1) - begin;
        bool whole;
        count_row(s, n < 0 ? 0 : n, &whole);
        int64_t pad = s->pad > 0 ? s->pad : 0;
        if (whole && !write_ngram(s, data + begin, (int64_t[3]){pad, n, pad}, y++, st))
            return false;
        for (int64_t i = 0; n >= 0 && !whole && i < s->widths->n; i++) {
            if (!write_width(s, data + begin, n, s->widths->is[i], y, st))
                return false;
            y += count_of(s, n, s->widths->is[i]);
        }
    }
    return true;
}

static void put_split(struct tensor *t, int64_t i, int64_t v)
{
    if (t->dtype == DT_INT32)
        tensor_i32(t)[i] = (int32_t)v;
    else
        tensor_i64(t)[i] = v;
}

static bool run(struct kctx *c, struct status *st)
{
    const struct ngrams *s = kernel_state(c);
    const struct tensor *data = kernel_in(c, 0), *splits = kernel_in(c, 1);
    if (!text_want_rank(data, "data", 1, st) || !text_want_rank(splits, "data_splits", 1, st) ||
        !check_splits(splits, data->num_elems, st))
        return false;
    struct tensor *out_splits = kernel_out(c, 1, &splits->shape, st);
    if (!out_splits)
        return false;
    int64_t total = 0, most = splits->dtype == DT_INT32 ? INT32_MAX : INT64_MAX;
    for (int64_t r = 0; r < splits->num_elems; r++) {
        int64_t n = r ? tensor_index(splits, r) - tensor_index(splits, r - 1) : 0;
        bool whole;
        int64_t count = r && n >= 0 ? count_row(s, n, &whole) : 0;
        if (count < 0 || count > most - total)
            return status_invalid(st, "there are too many n-grams");
        total += count;
        put_split(out_splits, r, total);
    }
    struct shape list = shape_make((int64_t[]){total}, 1);
    struct tensor *out = kernel_out(c, 0, &list, st);
    return out && write_rows(s, tensor_str(data), splits, tensor_str(out), st);
}

static bool shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *data, *splits;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &data, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &splits, st))
        return false;
    infer_set(c, 0, infer_vector(c, -1));
    infer_set(c, 1, splits);
    return true;
}

OP_DEF(string_n_grams) = {
    .name = "StringNGrams",
    .summary = "Runs of neighbouring strings of each row of a ragged matrix, joined.",
    .inputs = {"data: string", "data_splits: Tsplits"},
    .outputs = {"ngrams: string", "ngrams_splits: Tsplits"},
    .attrs = {"separator: string", "ngram_widths: list(int) >= 0", "left_pad: string",
              "right_pad: string", "pad_width: int", "preserve_short_sequences: bool",
              "Tsplits: {int32, int64} = DT_INT64"},
    .shape = shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(string_n_grams_cpu) = {.op = "StringNGrams",
                                  .device = "CPU",
                                  .state_bytes = sizeof(struct ngrams),
                                  .init = init,
                                  .run = run};
