/* SPDX-License-Identifier: Apache-2.0 */
/* Slices: text, boxes, messages, and the copy of what two boxes share. */
#include "io/slice.h"

#include "proto/leat_proto.h"

struct slice slice_whole(int rank)
{
    struct slice s = {.rank = rank};
    for (int i = 0; i < rank; i++)
        s.len[i] = SLICE_WHOLE;
    return s;
}

bool slice_is_whole(const struct slice *s)
{
    for (int i = 0; i < s->rank; i++)
        if (s->len[i] != SLICE_WHOLE)
            return false;
    return true;
}

/* --- text --- */

static bool bad_slice(struct str part, struct str text, struct status *st)
{
    return status_invalid(st, "Expected a pair of numbers or '-' but got '%.*s': string = %.*s",
                          (int)min_i64((int64_t)part.n, 200), part.p,
                          (int)min_i64((int64_t)text.n, 200), text.p ? text.p : "");
}

bool slice_parse(struct str text, struct slice *s, struct status *st)
{
    struct str rest = text, part;
    *s = (struct slice){0};
    while (str_split(&rest, ':', &part)) {
        struct str len = part, start;
        if (part.n == 0)
            continue;
        if (s->rank == SLICE_MAX_RANK)
            return status_unimplemented(st, "Slices of more than %d dims: %.*s", SLICE_MAX_RANK,
                                        (int)min_i64((int64_t)text.n, 200), text.p);
        int i = s->rank++;
        if (str_is(part, "-")) {
            s->len[i] = SLICE_WHOLE;
            continue;
        }
        if (!str_split(&len, ',', &start) || !str_to_i64(start, &s->start[i]) ||
            !str_to_i64(len, &s->len[i]))
            return bad_slice(part, text, st);
        if (s->start[i] < 0 || s->len[i] <= 0 || s->start[i] > INT64_MAX - s->len[i])
            return status_invalid(
                st,
                "Expected non-negative start and positive length but got start = %lld, "
                "length = %lld: string = %.*s",
                (long long)s->start[i], (long long)s->len[i], (int)min_i64((int64_t)text.n, 200),
                text.p);
    }
    return true;
}

void slice_print(const struct slice *s, struct strbuf *out)
{
    for (int i = 0; i < s->rank; i++) {
        strbuf_puts(out, i > 0 ? ":" : "");
        if (s->len[i] == SLICE_WHOLE)
            strbuf_puts(out, "-");
        else
            strbuf_printf(out, "%lld,%lld", (long long)s->start[i], (long long)s->len[i]);
    }
}

static bool parse_dims(struct str text, const char *end, int64_t *dims, int *rank)
{
    struct str rest = {text.p, (size_t)(end - text.p)}, part;
    *rank = 0;
    while (str_split(&rest, ' ', &part)) {
        if (*rank == SHAPE_MAX_RANK || !str_to_i64(part, &dims[*rank]) || dims[*rank] < 0)
            return false;
        ++*rank;
    }
    return true;
}

/* slice_resolve with TensorFlow's words. */
static bool resolve_or_say(const struct slice *s, const struct shape *shape, struct slice *out,
                           struct status *st)
{
    struct strbuf text = {0};
    if (slice_resolve(s, shape, out))
        return true;
    int bad = 0;
    while (s->rank == shape->rank && bad < s->rank &&
           (s->len[bad] == SLICE_WHOLE || s->start[bad] + s->len[bad] <= shape_dim(shape, bad)))
        bad++;
    strbuf_puts(&text, "shape = ");
    shape_print(shape, &text);
    strbuf_puts(&text, ", slice = ");
    slice_print(s, &text);
    if (s->rank != shape->rank)
        status_internal(st, "Mismatching ranks: %s", strbuf_text(&text));
    else
        status_internal(st, "Extent in dimension %d out of bounds: %s", bad, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool slice_spec_parse(struct str text, struct shape *whole, struct slice *s, struct shape *part,
                      struct status *st)
{
    int64_t dims[SHAPE_MAX_RANK];
    int rank;
    struct slice resolved;
    const char *last = text.n > 0 ? memrchr(text.p, ' ', text.n) : NULL;
    if (!last)
        return status_invalid(st, "Need least two elements in shape_and_slice specification: %.*s",
                              (int)min_i64((int64_t)text.n, 200), text.p ? text.p : "");
    struct str slice_text = {last + 1, (size_t)(text.p + text.n - last - 1)};
    if (!parse_dims(text, last, dims, &rank))
        return status_invalid(st, "Non numerical dimension in shape_and_slice: %.*s",
                              (int)min_i64((int64_t)text.n, 200), text.p);
    if (!slice_parse(slice_text, s, st))
        return false;
    struct shape shape = shape_make(dims, rank);
    int64_t num;
    if (!shape_num_elems(&shape, &num, st) || !resolve_or_say(s, &shape, &resolved, st)) {
        shape_clear(&shape);
        return false;
    }
    *whole = shape;
    *part = slice_shape(&resolved);
    return true;
}

/* --- boxes --- */

bool slice_resolve(const struct slice *s, const struct shape *shape, struct slice *out)
{
    if (s->rank != shape->rank)
        return false;
    struct slice r = *s;
    for (int i = 0; i < r.rank; i++) {
        int64_t dim = shape_dim(shape, i);
        if (r.len[i] == SLICE_WHOLE) {
            r.start[i] = 0;
            r.len[i] = dim;
        }
        if (r.start[i] < 0 || r.len[i] < 0 || r.start[i] > dim || r.len[i] > dim - r.start[i])
            return false;
    }
    *out = r;
    return true;
}

bool slice_intersect(const struct slice *a, const struct slice *b, struct slice *both)
{
    *both = (struct slice){.rank = a->rank};
    for (int i = 0; i < a->rank; i++) {
        int64_t begin = max_i64(a->start[i], b->start[i]);
        int64_t end = min_i64(a->start[i] + a->len[i], b->start[i] + b->len[i]);
        if (begin >= end)
            return false;
        both->start[i] = begin;
        both->len[i] = end - begin;
    }
    return true;
}

int64_t slice_num_elems(const struct slice *s)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++)
        if (!size_mul(n, s->len[i], &n))
            return -1;
    return n;
}

struct shape slice_shape(const struct slice *s)
{
    return shape_make(s->len, s->rank);
}

/* Where the box `part` begins in the elements of the box `in`. */
static int64_t place(const struct slice *part, const struct slice *in)
{
    int64_t at = 0;
    for (int i = 0; i < in->rank; i++)
        at = at * in->len[i] + part->start[i] - in->start[i];
    return at;
}

bool slice_copy(int dtype, void *dst, const struct slice *to, const void *src,
                const struct slice *from)
{
    struct slice row;
    size_t size = dtype_size(dtype);
    if (!slice_intersect(to, from, &row))
        return true;
    int last = row.rank - 1;
    /* dims from `last` on are one run in both */
    int64_t run = row.rank > 0 ? row.len[last] : 1;
    while (last > 0 && row.len[last] == to->len[last] && row.len[last] == from->len[last])
        run *= row.len[--last];
    int64_t end[SLICE_MAX_RANK];
    for (int i = 0; i < row.rank; i++)
        end[i] = row.start[i] + row.len[i];
    struct slice begin = row;
    for (;;) {
        if (!elems_copy(dtype, (char *)dst + (size_t)place(&row, to) * size,
                        (const char *)src + (size_t)place(&row, from) * size, run))
            return false;
        int i = last - 1;
        for (; i >= 0 && ++row.start[i] == end[i]; i--)
            row.start[i] = begin.start[i];
        if (i < 0)
            return true;
    }
}

/* --- messages --- */

bool slice_from_proto(const struct pb_tensor_slice_proto *p, struct slice *s, struct status *st)
{
    int64_t rank = p ? p->extent.n : 0;
    *s = (struct slice){.rank = (int)min_i64(rank, SLICE_MAX_RANK)};
    if (rank > SLICE_MAX_RANK)
        return status_unimplemented(st, "Slices of more than %d dims", SLICE_MAX_RANK);
    for (int i = 0; i < s->rank; i++) {
        const struct pb_tensor_slice_proto_extent *e = p->extent.v[i];
        s->len[i] = e->which_has_length ? e->length : SLICE_WHOLE;
        s->start[i] = s->len[i] == SLICE_WHOLE ? 0 : e->start;
        if (s->start[i] < 0 || s->len[i] < SLICE_WHOLE ||
            (s->len[i] > 0 && s->start[i] > INT64_MAX - s->len[i]))
            return status_fail(st, STATUS_DATA_LOSS,
                               "a slice with start %lld and length %lld in dim %d",
                               (long long)s->start[i], (long long)s->len[i], i);
    }
    return true;
}

struct pb_tensor_slice_proto *slice_to_proto(struct arena *a, const struct slice *s)
{
    struct pb_tensor_slice_proto *p = pb_tensor_slice_proto_new(a);
    for (int i = 0; i < s->rank; i++) {
        struct pb_tensor_slice_proto_extent *e = pb_tensor_slice_proto_extent_add(a, &p->extent);
        if (s->len[i] == SLICE_WHOLE)
            continue;
        e->start = s->start[i];
        e->which_has_length = 2;
        e->length = s->len[i];
    }
    return p;
}

/* --- keys --- */

/* A count of bytes, then the number's bytes, the highest first. */
static void put_number(struct strbuf *out, uint64_t v)
{
    int n = 0;
    while (n < 8 && v >> 8 * n != 0)
        n++;
    strbuf_putc(out, (char)n);
    for (int i = n - 1; i >= 0; i--)
        strbuf_putc(out, (char)(v >> 8 * i));
}

/* The text's bytes, with two of them spelt in two, and an end mark that sorts before all. */
static void put_text(struct strbuf *out, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        strbuf_putc(out, s.p[i]);
        if (s.p[i] == '\0')
            strbuf_putc(out, '\xff');
        else if (s.p[i] == '\xff')
            strbuf_putc(out, '\0');
    }
    strbuf_add(out, "\0\1", 2);
}

/* n bytes hold 7n - 1 bits of the number and its sign: the first n bits say n. */
static void put_signed(struct strbuf *out, int64_t v)
{
    uint8_t bytes[10], header[10] = {0};
    uint64_t bits = v < 0 ? ~(uint64_t)v : (uint64_t)v;
    int n = 1;
    while (n < 10 && 7 * n - 1 < 64 && bits >> (7 * n - 1) != 0)
        n++;
    for (int i = 0; i < n; i++) {
        int shift = 8 * (n - 1 - i);
        bytes[i] = shift >= 64 ? (v < 0 ? 0xff : 0) : (uint8_t)((uint64_t)v >> shift);
        for (int k = 0; k < 8 && 8 * i + k < n; k++)
            header[i] = (uint8_t)(header[i] | 0x80 >> k);
        bytes[i] ^= header[i];
    }
    strbuf_add(out, bytes, (size_t)n);
}

void slice_key(struct str name, const struct slice *s, struct strbuf *out)
{
    put_number(out, 0);
    put_text(out, name);
    put_number(out, (uint64_t)s->rank);
    for (int i = 0; i < s->rank; i++) {
        put_signed(out, s->start[i]);
        put_signed(out, s->len[i]);
    }
}
