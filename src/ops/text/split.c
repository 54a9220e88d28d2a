/* SPDX-License-Identifier: Apache-2.0 */
/* StringSplit and StringSplitV2: the pieces of each string of a vector, as a sparse matrix.
 *
 * The pieces are walked over twice: once to count them, once to write them. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

struct cutter { /* a walk over the pieces of one string */
    struct str rest;
    int64_t cuts; /* made so far */
    bool over;
};

struct split {
    struct str separator;
    bool skip_empty;  /* StringSplit */
    int64_t max;      /* V2: how often to cut; negative: always */
    bool is_set[256]; /* StringSplit: the bytes at which it cuts */
    /* The next piece; false: there is none. */
    bool (*next)(const struct split *s, struct cutter *c, struct str *piece);
};

static struct str take(struct cutter *c, size_t piece, size_t separator)
{
    struct str s = str_make(c->rest.p, piece);
    c->rest = str_make(c->rest.p + piece + separator, c->rest.n - piece - separator);
    return s;
}

static bool next_byte(const struct split *s, struct cutter *c, struct str *piece)
{
    (void)s;
    if (c->rest.n == 0)
        return false;
    *piece = take(c, 1, 0);
    return true;
}

static bool next_of_set(const struct split *s, struct cutter *c, struct str *piece)
{
    while (!c->over) {
        size_t n = 0;
        while (n < c->rest.n && !s->is_set[(unsigned char)c->rest.p[n]])
            n++;
        c->over = n == c->rest.n;
        *piece = take(c, n, !c->over);
        if (n || !s->skip_empty)
            return true;
    }
    return false;
}

static bool next_word(const struct split *s, struct cutter *c, struct str *piece)
{
    if (c->over)
        return false;
    if (s->max >= 0 && c->cuts == s->max) {
        c->over = true;
        *piece = c->rest;
        return true;
    }
    size_t n = 0;
    if (c->cuts == 0) { /* with no cut allowed even the blanks in front stay */
        while (n < c->rest.n && text_is_blank(c->rest.p[n]))
            n++;
        take(c, n, 0);
    }
    for (n = 0; n < c->rest.n && !text_is_blank(c->rest.p[n]);)
        n++;
    *piece = take(c, n, 0);
    c->over = n == 0;
    c->cuts++;
    for (n = 0; n < c->rest.n && text_is_blank(c->rest.p[n]);)
        n++;
    take(c, n, 0);
    return !c->over;
}

static bool next_between(const struct split *s, struct cutter *c, struct str *piece)
{
    if (c->over)
        return false;
    const char *at = NULL;
    if (c->rest.n && (s->max < 0 || c->cuts < s->max))
        at = memmem(c->rest.p, c->rest.n, s->separator.p, s->separator.n);
    c->over = at == NULL;
    *piece = at ? take(c, (size_t)(at - c->rest.p), s->separator.n) : c->rest;
    c->cuts++;
    return true;
}

static bool write_pieces(struct kctx *c, const struct split *s, int64_t total, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int64_t width = 0, at = 0;
    struct shape pairs = shape_make((int64_t[]){total, 2}, 2);
    struct shape list = shape_make((int64_t[]){total}, 1), two = shape_make((int64_t[]){2}, 1);
    struct tensor *indices = kernel_out(c, 0, &pairs, st);
    struct tensor *values = indices ? kernel_out(c, 1, &list, st) : NULL;
    struct tensor *shape = values ? kernel_out(c, 2, &two, st) : NULL;
    for (int64_t i = 0; shape && i < in->num_elems; i++) {
        struct cutter walk = {.rest = tstr_view(&tensor_str(in)[i])};
        struct str piece;
        int64_t column = 0;
        for (; s->next(s, &walk, &piece); column++, at++) {
            tensor_i64(indices)[2 * at] = i;
            tensor_i64(indices)[2 * at + 1] = column;
            if (!text_set(&tensor_str(values)[at], piece, st))
                return false;
        }
        width = column > width ? column : width;
    }
    if (!shape)
        return false;
    tensor_i64(shape)[0] = in->num_elems;
    tensor_i64(shape)[1] = width;
    return true;
}

static bool run_split(struct kctx *c, const struct split *s, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int64_t total = 0;
    for (int64_t i = 0; i < in->num_elems; i++) {
        struct cutter walk = {.rest = tstr_view(&tensor_str(in)[i])};
        struct str piece;
        while (s->next(s, &walk, &piece))
            total++;
    }
    return write_pieces(c, s, total, st);
}

/* --- StringSplit --- */

static bool next_of_text(const struct split *s, struct cutter *c, struct str *piece)
{
    c->over = c->over || (c->cuts == 0 && c->rest.n == 0);
    c->cuts = 1;
    return next_of_set(s, c, piece);
}

static bool split_run(struct kctx *c, struct status *st)
{
    struct split s = {.next = next_byte, .skip_empty = attrs_bool(kernel_attrs(c), "skip_empty")};
    if (!text_want_rank(kernel_in(c, 0), "input", 1, st) ||
        !text_want_rank(kernel_in(c, 1), "delimiter", 0, st))
        return false;
    s.separator = tstr_view(tensor_str(kernel_in(c, 1)));
    for (size_t i = 0; i < s.separator.n; i++)
        s.is_set[(unsigned char)s.separator.p[i]] = true;
    if (s.separator.n)
        s.next = next_of_text;
    return run_split(c, &s, st);
}

static bool split_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *s;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &s, st) ||
        !infer_want_rank(c, infer_input(c, 1), 0, &s, st))
        return false;
    infer_set(c, 0, infer_matrix(c, -1, 2));
    infer_set(c, 1, infer_vector(c, -1));
    infer_set(c, 2, infer_vector(c, 2));
    return true;
}

OP_DEF(string_split) = {
    .name = "StringSplit",
    .summary = "The pieces of each string between any bytes of a delimiter, as a sparse matrix.",
    .description = "An empty delimiter cuts the strings into bytes.",
    .inputs = {"input: string", "delimiter: string"},
    .outputs = {"indices: int64", "values: string", "shape: int64"},
    .attrs = {"skip_empty: bool = true"},
    .shape = split_shape,
    .no_grad = "strings have no gradient",
};
KERNEL_DEF(string_split_cpu) = {.op = "StringSplit", .device = "CPU", .run = split_run};

/* --- StringSplitV2 --- */

static bool split_v2_run(struct kctx *c, struct status *st)
{
    struct split s = {.next = next_word, .max = attrs_int(kernel_attrs(c), "maxsplit")};
    if (!text_want_rank(kernel_in(c, 0), "input", 1, st) ||
        !text_want_rank(kernel_in(c, 1), "sep", 0, st))
        return false;
    s.separator = tstr_view(tensor_str(kernel_in(c, 1)));
    if (s.separator.n)
        s.next = next_between;
    return run_split(c, &s, st);
}

OP_DEF(string_split_v2) = {
    .name = "StringSplitV2",
    .summary = "The pieces of each string between separators, or blanks, as a sparse matrix.",
    .description = "As Python's str.split: an empty sep means any run of blanks.",
    .inputs = {"input: string", "sep: string"},
    .outputs = {"indices: int64", "values: string", "shape: int64"},
    .attrs = {"maxsplit: int = -1"},
    .shape = split_shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(string_split_v2_cpu) = {.op = "StringSplitV2", .device = "CPU", .run = split_v2_run};
