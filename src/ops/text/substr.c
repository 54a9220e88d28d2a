/* SPDX-License-Identifier: Apache-2.0 */
/* Substr and StringLength: pieces and lengths of strings, in bytes or UTF-8 characters. Positions
 * count from the end where they are negative; a negative length is the whole rest. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/utf8.h"

static bool by_char(const struct kctx *c)
{
    return str_eq(attrs_string(kernel_attrs(c), "unit"), str_of("UTF8_CHAR"));
}

/* False: pos lies outside s. */
static bool cut_bytes(struct str s, int64_t pos, int64_t len, struct str *out)
{
    int64_t n = (int64_t)s.n;
    if (pos > n || pos < -n)
        return false;
    pos = pos < 0 ? pos + n : pos;
    *out = str_make(s.p + pos, (size_t)(len < 0 || len > n - pos ? n - pos : len));
    return true;
}

static bool cut_chars(struct str s, int64_t pos, int64_t len, struct str *out)
{
    int64_t n = utf8_length(s);
    if (pos > n || pos < -n)
        return false;
    pos = pos < 0 ? pos + n : pos;
    size_t begin = utf8_forward(s, 0, pos);
    size_t end = utf8_forward(s, begin, len < 0 ? INT64_MAX : len);
    *out = str_make(s.p + begin, end - begin);
    return true;
}

static bool cut_one(struct kctx *c, bool chars, int64_t from, int64_t at, struct tstr *y,
                    int64_t index, struct status *st)
{
    struct str s = tstr_view(&tensor_str(kernel_in(c, 0))[from]), piece;
    int64_t pos = tensor_index(kernel_in(c, 1), at), len = tensor_index(kernel_in(c, 2), at);
    if (!chars && !cut_bytes(s, pos, len, &piece))
        return status_invalid(st, "pos %lld out of range for string b'%.*s' at index %lld",
                              (long long)pos, s.n > 200 ? 200 : (int)s.n, s.p, (long long)index);
    if (chars && !cut_chars(s, pos, len, &piece))
        return status_invalid(st, "pos %lld out of range for string at index %lld", (long long)pos,
                              (long long)index);
    return tstr_set(y, piece.p, piece.n) || status_exhausted(st, "no memory for strings");
}

/* The dims of both broadcast against each other; steps are 0 where an operand repeats. */
static bool broadcast(const struct shape *a, const struct shape *b, int64_t *dims, int64_t *a_steps,
                      int64_t *b_steps)
{
    int rank = a->rank > b->rank ? a->rank : b->rank;
    int64_t a_step = 1, b_step = 1;
    for (int i = rank - 1; i >= 0; i--) {
        int ia = i - (rank - a->rank), ib = i - (rank - b->rank);
        int64_t da = ia < 0 ? 1 : shape_dim(a, ia), db = ib < 0 ? 1 : shape_dim(b, ib);
        if (da != db && da != 1 && db != 1)
            return false;
        dims[i] = da == 1 ? db : da;
        a_steps[i] = da == 1 ? 0 : a_step;
        b_steps[i] = db == 1 ? 0 : b_step;
        a_step *= da;
        b_step *= db;
    }
    return true;
}

static bool fail_shapes(struct status *st, const char *words, const struct shape *a,
                        const struct shape *b)
{
    struct strbuf first = {0}, second = {0};
    shape_print(a, &first);
    shape_print(b, &second);
    status_invalid(st, "%s: %s vs. %s", words, strbuf_text(&first), strbuf_text(&second));
    strbuf_release(&first);
    strbuf_release(&second);
    return false;
}

static bool substr_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0), *pos = kernel_in(c, 1), *len = kernel_in(c, 2);
    int64_t dims[SHAPE_MAX_RANK], steps[SHAPE_MAX_RANK], at_steps[SHAPE_MAX_RANK];
    int64_t place[SHAPE_MAX_RANK] = {0}, from = 0, at = 0, elems;
    int rank = tensor_rank(in) > tensor_rank(pos) ? tensor_rank(in) : tensor_rank(pos);
    if (!shape_equal(&pos->shape, &len->shape))
        return fail_shapes(st, "pos and len should have the same shape", &pos->shape, &len->shape);
    if (!broadcast(&in->shape, &pos->shape, dims, steps, at_steps))
        return fail_shapes(st, "Incompatible shapes", &in->shape, &pos->shape);
    struct shape s = shape_make(dims, rank);
    struct tensor *out = shape_num_elems(&s, &elems, st) ? kernel_out(c, 0, &s, st) : NULL;
    shape_clear(&s);
    bool chars = by_char(c);
    for (int64_t i = 0; out && i < out->num_elems; i++) {
        if (!cut_one(c, chars, from, at, &tensor_str(out)[i], i, st))
            return false;
        for (int d = rank - 1; d >= 0; d--) {
            from += steps[d];
            at += at_steps[d];
            if (++place[d] < dims[d])
                break;
            from -= dims[d] * steps[d];
            at -= dims[d] * at_steps[d];
            place[d] = 0;
        }
    }
    return out != NULL;
}

static bool substr_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *pos, *out;
    if (infer_input(c, 1)->rank >= 0 &&
        !infer_want_rank(c, infer_input(c, 2), infer_input(c, 1)->rank, &pos, st))
        return false;
    if (!infer_merge(c, infer_input(c, 1), infer_input(c, 2), &pos, st) ||
        !infer_broadcast(c, infer_input(c, 0), pos, &out, st))
        return false;
    infer_set(c, 0, out);
    return true;
}

#define UNIT "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"

OP_DEF(substr) = {
    .name = "Substr",
    .summary = "Pieces of strings, by position and length.",
    .inputs = {"input: string", "pos: T", "len: T"},
    .outputs = {"output: string"},
    .attrs = {"T: {int32, int64}", UNIT},
    .shape = substr_shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(substr_cpu) = {.op = "Substr", .device = "CPU", .run = substr_run};

static bool length_run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    bool chars = by_char(c);
    for (int64_t i = 0; out && i < in->num_elems; i++) {
        struct str s = tstr_view(&tensor_str(in)[i]);
        tensor_i32(out)[i] = (int32_t)(chars ? utf8_length(s) : (int64_t)s.n);
    }
    return out != NULL;
}

OP_DEF(string_length) = {
    .name = "StringLength",
    .summary = "The lengths of strings.",
    .inputs = {"input: string"},
    .outputs = {"output: int32"},
    .attrs = {UNIT},
    .shape = infer_unchanged,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL_DEF(string_length_cpu) = {.op = "StringLength", .device = "CPU", .run = length_run};
