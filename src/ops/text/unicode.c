/* SPDX-License-Identifier: Apache-2.0 */
/* UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeTranscode and UnicodeEncode: between encoded
 * strings and code points (codec/unicode.h). Of ICU's many encodings Leat reads Unicode's own,
 * ASCII and Latin-1; any other is INVALID_ARGUMENT. */
#include "codec/unicode.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/text/text.h"

struct unicode {
    enum unicode_encoding in, out;
    int32_t replacement; /* -1: what is no character is left out */
    bool strict, no_controls;
    bool controls_fail; /* a strict UnicodeTranscode takes what it would replace for an error */
};

static bool init(struct kernel *k, void *state, struct status *st)
{
    struct unicode *s = state;
    const struct attrs *a = k->attrs;
    struct str errors = attrs_string(a, "errors"), name = attrs_string(a, "input_encoding");
    int64_t replacement = attrs_int(a, "replacement_char");
    if (replacement < 0 || replacement > UNICODE_MAX)
        return status_invalid(st, "replacement_char out of unicode codepoint range");
    s->strict = str_is(errors, "strict");
    s->replacement = str_is(errors, "ignore") ? -1 : (int32_t)replacement;
    s->no_controls = attrs_bool(a, "replace_control_characters");
    s->controls_fail = s->strict && s->no_controls && strcmp(k->op->name, "UnicodeTranscode") == 0;
    if (attrs_find(a, "output_encoding"))
        s->out = unicode_encoding_of(attrs_string(a, "output_encoding"));
    if (!attrs_find(a, "input_encoding"))
        return true;
    s->in = unicode_encoding_of(name);
    return s->in != UNICODE_UNKNOWN ||
           status_invalid(st, "Could not create converter for input encoding: %.*s",
                          name.n > 200 ? 200 : (int)name.n, name.p);
}

/* The next character of *rest after the rules of s: *c, -1 where it is left out. False: an error.
 */
static bool next(const struct unicode *s, struct str *rest, int32_t *c, struct status *st)
{
    size_t used;
    *c = unicode_decode(s->in, *rest, &used);
    *rest = str_make(rest->p + used, rest->n - used);
    if (s->strict && (*c < 0 || (s->controls_fail && *c < 0x20)))
        return status_invalid(st, "Invalid formatting on input string");
    if (*c < 0 || (s->no_controls && *c < 0x20))
        *c = s->replacement;
    return true;
}

/* --- UnicodeDecode, UnicodeDecodeWithOffsets --- */

/* Counts the characters of all strings, or writes them where values is not NULL. */
static bool decode_all(struct kctx *c, struct tensor *const out[3], int64_t *total,
                       struct status *st)
{
    const struct unicode *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    int64_t n = 0;
    for (int64_t i = 0; i < in->num_elems; i++) {
        struct str all = tstr_view(&tensor_str(in)[i]), rest = all;
        while (rest.n) {
            int64_t at = rest.p - all.p;
            int32_t value;
            if (!next(s, &rest, &value, st))
                return false;
            if (value < 0)
                continue;
            if (out[1])
                tensor_i32(out[1])[n] = value;
            if (out[2])
                tensor_i64(out[2])[n] = at;
            n++;
        }
        if (out[0] && out[0]->dtype == DT_INT32)
            tensor_i32(out[0])[i + 1] = (int32_t)n;
        else if (out[0])
            tensor_i64(out[0])[i + 1] = n;
    }
    *total = n;
    return true;
}

static bool decode_run(struct kctx *c, struct status *st)
{
    struct tensor *out[3] = {0};
    int64_t n;
    if (!decode_all(c, out, &n, st))
        return false;
    if (kernel_output_type(c, 0) == DT_INT32 && n > INT32_MAX)
        return status_invalid(st, "too many characters for row splits of int32");
    struct shape list = shape_make((int64_t[]){n}, 1);
    struct shape splits = shape_make((int64_t[]){kernel_in(c, 0)->num_elems + 1}, 1);
    out[0] = kernel_out(c, 0, &splits, st);
    out[1] = out[0] ? kernel_out(c, 1, &list, st) : NULL;
    if (!out[1])
        return false;
    if (kernel_num_outputs(c) == 3) {
        out[2] = kernel_out(c, 2, &list, st);
        if (!out[2])
            return false;
    }
    memset(out[0]->data, 0, dtype_size(out[0]->dtype));
    return decode_all(c, out, &n, st);
}

static bool decode_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *in = infer_input(c, 0);
    int64_t n = in->rank == RANK_UNKNOWN ? -1 : 1;
    (void)st;
    for (int i = 0; i < in->rank; i++)
        n = infer_dim_mul(n, infer_dim(in, i));
    infer_set(c, 0, infer_vector(c, infer_dim_add(n, 1)));
    for (int i = 1; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_vector(c, -1));
    return true;
}

#define ERRORS "errors: {'strict', 'replace', 'ignore'} = 'replace'"
#define REPLACEMENT "replacement_char: int = 65533"
#define CONTROLS "replace_control_characters: bool = false"
#define SPLITS "Tsplits: {int32, int64} = DT_INT64"
#define KERNEL(op_name, id, run_fn)                                                                \
    KERNEL_DEF(id##_cpu) = {.op = op_name,                                                         \
                            .device = "CPU",                                                       \
                            .state_bytes = sizeof(struct unicode),                                 \
                            .init = init,                                                          \
                            .run = run_fn}

OP_DEF(unicode_decode) = {
    .name = "UnicodeDecode",
    .summary = "The code points of encoded strings, as a ragged matrix.",
    .inputs = {"input: string"},
    .outputs = {"row_splits: Tsplits", "char_values: int32"},
    .attrs = {"input_encoding: string", ERRORS, REPLACEMENT, CONTROLS, SPLITS},
    .shape = decode_shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL("UnicodeDecode", unicode_decode, decode_run);

OP_DEF(unicode_decode_with_offsets) = {
    .name = "UnicodeDecodeWithOffsets",
    .summary = "The code points of encoded strings and the bytes at which they begin.",
    .inputs = {"input: string"},
    .outputs = {"row_splits: Tsplits", "char_values: int32", "char_to_byte_starts: int64"},
    .attrs = {"input_encoding: string", ERRORS, REPLACEMENT, CONTROLS, SPLITS},
    .shape = decode_shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL("UnicodeDecodeWithOffsets", unicode_decode_with_offsets, decode_run);

/* --- UnicodeTranscode --- */

static bool transcode_run(struct kctx *c, struct status *st)
{
    const struct unicode *s = kernel_state(c);
    const struct tensor *in = kernel_in(c, 0);
    struct tensor *out = kernel_out(c, 0, &in->shape, st);
    struct strbuf b = {0};
    bool ok = out != NULL;
    for (int64_t i = 0; ok && i < in->num_elems; i++) {
        struct str rest = tstr_view(&tensor_str(in)[i]);
        strbuf_clear(&b);
        while (ok && rest.n) {
            int32_t value;
            ok = next(s, &rest, &value, st);
            if (ok && value >= 0)
                unicode_encode(s->out, value, &b);
        }
        ok = ok && text_set(&tensor_str(out)[i], str_make(b.p, b.n), st);
    }
    strbuf_release(&b);
    return ok;
}

OP_DEF(unicode_transcode) = {
    .name = "UnicodeTranscode",
    .summary = "Strings of one encoding in another.",
    .inputs = {"input: string"},
    .outputs = {"output: string"},
    .attrs = {"input_encoding: string", "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}",
              ERRORS, REPLACEMENT, CONTROLS},
    .shape = infer_unchanged,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL("UnicodeTranscode", unicode_transcode, transcode_run);

/* --- UnicodeEncode --- */

static bool encode_row(const struct unicode *s, const int32_t *values, int64_t n, struct tstr *y,
                       struct status *st)
{
    struct strbuf b = {0};
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++) {
        int32_t c = values[i];
        if (c < 0 || c > UNICODE_MAX) {
            c = s->replacement;
            ok = !s->strict || status_invalid(st, "Code point value out of valid Unicode range.");
        }
        if (ok && c >= 0)
            unicode_encode(s->out, c, &b);
    }
    ok = ok && text_set(y, str_make(b.p, b.n), st);
    strbuf_release(&b);
    return ok;
}

static bool encode_run(struct kctx *c, struct status *st)
{
    const struct unicode *s = kernel_state(c);
    const struct tensor *values = kernel_in(c, 0), *splits = kernel_in(c, 1);
    if (!text_want_rank(values, "input_values", 1, st) ||
        !text_want_rank(splits, "input_splits", 1, st))
        return false;
    int64_t rows = splits->num_elems ? splits->num_elems - 1 : 0;
    int64_t from = rows ? tensor_index(splits, 0) : 0;
    struct shape list = shape_make((int64_t[]){rows}, 1);
    struct tensor *out = kernel_out(c, 0, &list, st);
    for (int64_t i = 0; out && i < rows; i++) {
        int64_t to = tensor_index(splits, i + 1);
        if (from < 0 || to < from || to > values->num_elems)
            return status_invalid(st,
                                  "input_splits must rise from 0 to at most %lld, but row %lld "
                                  "goes from %lld to %lld",
                                  (long long)values->num_elems, (long long)i, (long long)from,
                                  (long long)to);
        if (!encode_row(s, tensor_i32(values) + from, to - from, &tensor_str(out)[i], st))
            return false;
        from = to;
    }
    return out != NULL;
}

static bool encode_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *values, *splits;
    if (!infer_want_rank(c, infer_input(c, 0), 1, &values, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &splits, st))
        return false;
    int64_t n = infer_dim(splits, 0);
    if (n == 0)
        return status_invalid(st, "Negative dimension size caused by subtracting 1 from 0");
    infer_set(c, 0, infer_vector(c, n < 0 ? -1 : n - 1));
    return true;
}

OP_DEF(unicode_encode) = {
    .name = "UnicodeEncode",
    .summary = "Rows of code points as encoded strings.",
    .inputs = {"input_values: int32", "input_splits: Tsplits"},
    .outputs = {"output: string"},
    .attrs = {"errors: {'ignore', 'replace', 'strict'} = 'replace'",
              "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}", REPLACEMENT, SPLITS},
    .shape = encode_shape,
    .no_grad = "undefined: strings have no gradient",
};
KERNEL("UnicodeEncode", unicode_encode, encode_run);
