/* SPDX-License-Identifier: Apache-2.0 */
/* DecodeCSV: records of text (RFC 4180) to one tensor a column. A record is read once; a field that
 * holds no escaped quote is taken where it lies. */
#include "op/infer.h"
#include "op/kernel.h"
#include "ops/parsing/number.h"

struct state {
    char delim;
    bool quotes;
    struct str na;
    const struct attr_value *columns; /* those wanted; empty: all */
};

static bool init(struct kernel *k, void *state, struct status *st)
{
    struct state *s = state;
    struct str delim = attrs_string(k->attrs, "field_delim");
    s->columns = attrs_list(k->attrs, "select_cols");
    s->quotes = attrs_bool(k->attrs, "use_quote_delim");
    s->na = attrs_string(k->attrs, "na_value");
    if (delim.n != 1)
        return status_invalid(st, "field_delim should be only 1 char");
    s->delim = delim.p[0];
    if (s->columns->n && s->columns->n != k->num_outputs)
        return status_invalid(st, "select_cols should match output size");
    for (int64_t i = 0; i < s->columns->n; i++) {
        if (s->columns->is[i] < 0)
            return status_invalid(st, "select_cols should be non-negative indices");
        if (i && s->columns->is[i] <= s->columns->is[i - 1])
            return status_invalid(st, "select_cols should be strictly increasing indices");
    }
    return true;
}

struct record {
    const struct state *s;
    struct str text;
    size_t at;
    int64_t column;       /* of the next field */
    int64_t taken;        /* fields that were wanted, so far */
    struct strbuf joined; /* a field with quotes in it */
};

static bool wanted(const struct record *r)
{
    const struct attr_value *columns = r->s->columns;
    return columns->n == 0 || (r->taken < columns->n && columns->is[r->taken] == r->column);
}

static bool plain_field(struct record *r, struct str *field, struct status *st)
{
    size_t begin = r->at;
    for (; r->at < r->text.n && r->text.p[r->at] != r->s->delim; r->at++) {
        char c = r->text.p[r->at];
        if ((r->s->quotes && c == '"') || c == '\n' || c == '\r')
            return status_invalid(st, "Unquoted fields cannot have quotes/CRLFs inside");
    }
    *field = str_make(r->text.p + begin, r->at - begin);
    r->at++;
    return true;
}

/* r->at is behind the opening quote. */
static bool quoted_field(struct record *r, struct str *field, struct status *st)
{
    const char *p = r->text.p;
    size_t n = r->text.n, begin = r->at;
    bool joined = false;
    while (r->at + 1 < n && !(p[r->at] == '"' && p[r->at + 1] == r->s->delim)) {
        if (p[r->at] == '"') {
            if (p[r->at + 1] != '"')
                return status_invalid(st,
                                      "Quote inside a string has to be escaped by another quote");
            if (!joined)
                strbuf_clear(&r->joined);
            joined = true;
            strbuf_add(&r->joined, p + begin, r->at + 1 - begin);
            r->at += 2;
            begin = r->at;
        } else {
            r->at++;
        }
    }
    if (r->at >= n || p[r->at] != '"')
        return status_invalid(st, "Quoted field has to end with quote followed by delim or end");
    *field = str_make(p + begin, r->at - begin);
    if (joined) {
        strbuf_add(&r->joined, field->p, field->n);
        *field = str_make(r->joined.p, r->joined.n);
    }
    r->at += 2;
    return true;
}

/* The next field that is wanted; *more false: there is none. */
static bool next_field(struct record *r, struct str *field, bool *more, struct status *st)
{
    *more = true;
    while (r->at < r->text.n) {
        char c = r->text.p[r->at];
        if (c == '\n' || c == '\r') {
            r->at++;
            continue;
        }
        bool want = wanted(r), quoted = r->s->quotes && c == '"';
        r->at += quoted;
        if (!(quoted ? quoted_field(r, field, st) : plain_field(r, field, st)))
            return false;
        r->column++;
        if (want) {
            r->taken++;
            return true;
        }
    }
    /* A delimiter at the very end has an empty field behind it. */
    *more =
        r->text.n > 0 && r->at != SIZE_MAX && wanted(r) && r->text.p[r->text.n - 1] == r->s->delim;
    *field = str_make("", 0);
    r->at = SIZE_MAX;
    r->taken += *more;
    return true;
}

/* Element i of output f. */
static bool store(struct kctx *c, int f, int64_t i, struct str field, struct status *st)
{
    const struct state *s = kernel_state(c);
    const struct tensor *def = kernel_in(c, f + 1);
    struct tensor *out = &c->out[f];
    size_t size = dtype_size(out->dtype);
    char *to = (char *)out->data + (size_t)i * size;
    if (field.n == 0 || str_eq(field, s->na)) {
        if (def->num_elems != 1)
            return status_invalid(st, "Field %d is required but missing in record %lld!", f,
                                  (long long)i);
        return elems_copy(out->dtype, to, def->data, 1) || status_exhausted(st, "no memory");
    }
    bool ok;
    switch (out->dtype) {
    case DT_INT32:
        ok = number_int32(field, (int32_t *)(void *)to);
        break;
    case DT_INT64:
        ok = number_int64(field, (int64_t *)(void *)to);
        break;
    case DT_FLOAT:
        ok = number_float(field, (float *)(void *)to);
        break;
    case DT_DOUBLE:
        ok = number_double(field, (double *)(void *)to);
        break;
    default:
        return tstr_set((struct tstr *)(void *)to, field.p, field.n) ||
               status_exhausted(st, "no memory for a string of %zu bytes", field.n);
    }
    return ok ||
           status_invalid(st, "Field %d in record %lld is not a valid %s: %.*s", f, (long long)i,
                          dtype_name(out->dtype), (int)min_i64((int64_t)field.n, 200), field.p);
}

static bool decode_record(struct kctx *c, int64_t i, struct record *r, struct status *st)
{
    int num = kernel_num_outputs(c);
    struct str field = {0};
    bool more;
    for (;;) {
        if (!next_field(r, &field, &more, st))
            return false;
        if (!more)
            break;
        if (r->taken <= num && !store(c, (int)r->taken - 1, i, field, st))
            return false;
        if (r->s->columns->n && r->taken == num)
            return true;
    }
    return r->taken == num || status_invalid(st, "Expect %d fields but have %lld in record %lld",
                                             num, (long long)r->taken, (long long)i);
}

static bool run(struct kctx *c, struct status *st)
{
    const struct tensor *in = kernel_in(c, 0);
    int num = kernel_num_outputs(c);
    for (int f = 0; f < num; f++) {
        const struct tensor *def = kernel_in(c, f + 1);
        if (tensor_rank(def) > 1)
            return status_invalid(st, "Each record default should be at most rank 1");
        if (def->num_elems > 1)
            return status_invalid(st,
                                  "There should only be 1 default per field but field %d has %lld",
                                  f, (long long)def->num_elems);
        if (!kernel_out(c, f, &in->shape, st))
            return false;
    }
    struct record r = {.s = kernel_state(c)};
    bool ok = true;
    for (int64_t i = 0; ok && i < in->num_elems; i++) {
        r.text = tstr_view(&tensor_str(in)[i]);
        r.at = 0;
        r.column = r.taken = 0;
        ok = decode_record(c, i, &r, st);
    }
    strbuf_release(&r.joined);
    return ok;
}

static bool shape(struct infer_ctx *c, struct status *st)
{
    for (int i = 1; i < infer_num_inputs(c); i++) {
        const struct shape *s;
        if (!infer_want_rank_max(c, infer_input(c, i), 1, &s, st))
            return false;
        if (s->rank == 1 && infer_dim(s, 0) > 1)
            return status_invalid(
                st, "Shape of a default must be a length-0 or length-1 vector, or a scalar.");
    }
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, infer_input(c, 0));
    return true;
}

OP_DEF(decode_csv) = {
    .name = "DecodeCSV",
    .summary = "Records of comma-separated values to one tensor for each column.",
    .inputs = {"records: string", "record_defaults: OUT_TYPE"},
    .outputs = {"output: OUT_TYPE"},
    .attrs = {"OUT_TYPE: list({float, double, int32, int64, string}) >= 1",
              "field_delim: string = ','", "use_quote_delim: bool = true", "na_value: string = ''",
              "select_cols: list(int) = []"},
    .shape = shape,
    .no_grad = "undefined: text has no gradient",
};
KERNEL_DEF(decode_csv_cpu) = {
    .op = "DecodeCSV",
    .device = "CPU",
    .flags = KERNEL_EXPENSIVE,
    .state_bytes = sizeof(struct state),
    .init = init,
    .run = run,
};
