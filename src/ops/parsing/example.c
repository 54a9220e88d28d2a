/* SPDX-License-Identifier: Apache-2.0 */
/* Reading examples. Lists come packed or as single values, in any mixture. */
#include "ops/parsing/example.h"

#include <string.h>

#include "tensor/dtype.h"
#include "tensor/tstr.h"

/* --- the wire --- */

static bool varint(struct str *rest, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t i = 0; i < 10 && i < rest->n; i++) {
        uint8_t b = (uint8_t)rest->p[i];
        v |= (uint64_t)(b & 0x7f) << (7 * i);
        if (b < 0x80) {
            *out = v;
            rest->p += i + 1;
            rest->n -= i + 1;
            return true;
        }
    }
    return false;
}

static bool take(struct str *rest, uint64_t n, struct str *piece)
{
    if (n > rest->n)
        return false;
    *piece = str_make(rest->p, (size_t)n);
    rest->p += n;
    rest->n -= (size_t)n;
    return true;
}

enum wire_result wire_next(struct str *rest, struct wire_field *f)
{
    uint64_t tag, len;
    bool ok;
    if (rest->n == 0)
        return WIRE_END;
    if (!varint(rest, &tag) || tag > UINT32_MAX || tag < 8)
        return WIRE_BROKEN;
    f->number = (uint32_t)(tag >> 3);
    f->type = (int)(tag & 7);
    switch (f->type) {
    case 0:
        ok = varint(rest, &f->value);
        break;
    case 1:
        ok = take(rest, 8, &f->bytes);
        break;
    case 2:
        ok = varint(rest, &len) && take(rest, len, &f->bytes);
        break;
    case 5:
        ok = take(rest, 4, &f->bytes);
        break;
    default: /* groups: no such message has any */
        ok = false;
    }
    return ok ? WIRE_FIELD : WIRE_BROKEN;
}

/* The next field of this number that holds bytes. */
static enum wire_result next_bytes(struct str *rest, uint32_t number, struct str *out)
{
    struct wire_field f;
    enum wire_result r;
    while ((r = wire_next(rest, &f)) == WIRE_FIELD) {
        if (f.number == number && f.type == 2) {
            *out = f.bytes;
            return r;
        }
    }
    return r;
}

/* --- maps --- */

static enum wire_result entry(struct str e, struct str *key, struct str *value)
{
    struct wire_field f;
    enum wire_result r;
    *key = *value = str_make("", 0);
    while ((r = wire_next(&e, &f)) == WIRE_FIELD) {
        if (f.type == 2 && f.number == 1)
            *key = f.bytes;
        if (f.type == 2 && f.number == 2)
            *value = f.bytes;
    }
    return r == WIRE_END ? WIRE_FIELD : r;
}

enum wire_result map_walk_next(struct map_walk *w, struct str *key, struct str *value)
{
    for (;;) {
        struct str e;
        enum wire_result r = next_bytes(&w->map, 1, &e);
        if (r == WIRE_FIELD)
            return entry(e, key, value);
        if (r == WIRE_END)
            r = next_bytes(&w->message, w->number, &w->map);
        if (r != WIRE_FIELD)
            return r;
    }
}

/* --- features --- */

bool feature_of(struct str message, struct feature *f)
{
    struct wire_field w;
    enum wire_result r;
    *f = (struct feature){.kind = FEATURE_NONE};
    while ((r = wire_next(&message, &w)) == WIRE_FIELD) {
        if (w.type != 2 || w.number < FEATURE_BYTES || w.number > FEATURE_INT64)
            continue;
        f->kind = (enum feature_kind)w.number;
        f->list = w.bytes;
        return true;
    }
    return r == WIRE_END;
}

int feature_dtype(enum feature_kind kind)
{
    static const int dtypes[] = {DT_INVALID, DT_STRING, DT_FLOAT, DT_INT64};
    return dtypes[kind];
}

/* Varints that end in s; -1: the last does not, or one is too long. */
static int64_t count_varints(struct str s)
{
    int64_t n = 0;
    int run = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool ends = !(s.p[i] & 0x80);
        n += ends;
        run = ends ? 0 : run + 1;
        if (run == 10)
            return -1;
    }
    return run ? -1 : n;
}

static int64_t count_in(enum feature_kind kind, const struct wire_field *f)
{
    if (kind == FEATURE_BYTES)
        return f->type == 2;
    if (kind == FEATURE_FLOAT)
        return f->type == 5 ? 1 : f->type != 2 ? 0 : f->bytes.n % 4 ? -1 : (int64_t)f->bytes.n / 4;
    return f->type == 0 ? 1 : f->type != 2 ? 0 : count_varints(f->bytes);
}

int64_t feature_count(const struct feature *f)
{
    struct str rest = f->list;
    struct wire_field w;
    enum wire_result r = WIRE_END;
    int64_t n = 0;
    while (f->kind != FEATURE_NONE && (r = wire_next(&rest, &w)) == WIRE_FIELD) {
        int64_t more = w.number == 1 ? count_in(f->kind, &w) : 0;
        if (more < 0)
            return -1;
        n += more;
    }
    return r == WIRE_END ? n : -1;
}

static int64_t *read_varints(struct str s, int64_t *to)
{
    const uint8_t *p = (const uint8_t *)s.p, *end = p + s.n;
    while (p < end) {
        uint64_t v = *p & 0x7f;
        for (int shift = 7; *p++ & 0x80; shift += 7)
            v |= (uint64_t)(*p & 0x7f) << (shift & 63);
        *to++ = (int64_t)v;
    }
    return to;
}

bool feature_read(const struct feature *f, void *to)
{
    struct str rest = f->list;
    struct wire_field w;
    float *floats = to;
    int64_t *ints = to;
    struct tstr *texts = to;
    while (f->kind != FEATURE_NONE && wire_next(&rest, &w) == WIRE_FIELD) {
        if (w.number != 1)
            continue;
        if (f->kind == FEATURE_BYTES && w.type == 2) {
            if (!tstr_set(texts++, w.bytes.p, w.bytes.n))
                return false;
        } else if (f->kind == FEATURE_FLOAT && (w.type == 2 || w.type == 5)) {
            memcpy(floats, w.bytes.p, w.bytes.n);
            floats += w.bytes.n / 4;
        } else if (f->kind == FEATURE_INT64 && w.type == 2) {
            ints = read_varints(w.bytes, ints);
        } else if (f->kind == FEATURE_INT64 && w.type == 0) {
            *ints++ = (int64_t)w.value;
        }
    }
    return true;
}
