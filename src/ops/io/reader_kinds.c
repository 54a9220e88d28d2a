/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of whole files, of lines, of pieces of one length and of TFRecords, and the one that
 * gives the names themselves.
 *
 * Made for files of any size: lines and records pass through a buffer; a packed file of pieces is
 * unpacked as a whole, since only its end says which piece is the last. */
#include "ops/io/reader_kinds.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "codec/zstream.h"
#include "io/input.h"
#include "io/record.h"

static bool set_text(struct tstr *to, const void *bytes, size_t n, struct status *st)
{
    return tstr_set(to, bytes, n) || status_exhausted(st, "no memory for a record");
}

/* "file:number" */
static bool set_key(const struct reader *r, struct tstr *key, int64_t number, struct status *st)
{
    char *text = mem_printf("%s:%lld", r->work, (long long)number);
    bool ok = set_text(key, text, strlen(text), st);

    mem_free(text);
    return ok;
}

/* --- whole files, and names --- */

static bool whole_next(struct reader *r, struct tstr *key, struct tstr *value, bool *got, bool *end,
                       struct status *st)
{
    struct input in;

    if (!input_open(&in, r->work, st))
        return false;
    char *to = tstr_resize(value, (size_t)in.size);
    bool ok =
        to ? input_read(&in, 0, to, in.size, "the file", st)
           : status_exhausted(st, "%s: no memory for %lld bytes", in.name, (long long)in.size);

    input_close(&in);
    *got = *end = true;
    return ok && set_text(key, r->work, strlen(r->work), st);
}

const struct reader_kind reader_whole_file = {
    .name = "WholeFileReader", .bytes = sizeof(struct reader), .next = whole_next, .saves = true};

static bool name_next(struct reader *r, struct tstr *key, struct tstr *value, bool *got, bool *end,
                      struct status *st)
{
    const size_t n = strlen(r->work);

    *got = *end = true;
    return set_text(key, r->work, n, st) && set_text(value, r->work, n, st);
}

const struct reader_kind reader_identity = {
    .name = "IdentityReader", .bytes = sizeof(struct reader), .next = name_next, .saves = true};

/* --- lines --- */

enum { BUFFER_BYTES = 256 << 10 };

struct lines {
    struct reader base;
    int64_t skip;
    struct input in;
    int64_t at, number; /* the place in the file of the buffer's end; the line's number */
    char *buffer;
    size_t have, used;
    struct strbuf line;
};

static bool fill(struct lines *l, struct status *st)
{
    int64_t left = l->in.size - l->at;

    l->have = (size_t)(left < BUFFER_BYTES ? left : BUFFER_BYTES);
    l->used = 0;
    if (!input_read(&l->in, l->at, l->buffer, (int64_t)l->have, "a line", st))
        return false;
    l->at += (int64_t)l->have;
    return true;
}

/* Appends without the carriage returns, which TensorFlow leaves out wherever they stand. */
static void add_part(struct strbuf *line, const char *p, size_t n)
{
    while (n > 0) {
        const char *cr = memchr(p, '\r', n);
        size_t part = cr ? (size_t)(cr - p) : n;

        strbuf_add(line, p, part);
        part += cr != NULL;
        p += part;
        n -= part;
    }
}

/* The next line in l->line; *got is false at the end. */
static bool read_line(struct lines *l, bool *got, struct status *st)
{
    strbuf_clear(&l->line);
    for (;;) {
        if (l->used == l->have) {
            if (l->at == l->in.size) {
                *got = l->line.n > 0;
                l->number += *got;
                return true;
            }
            if (!fill(l, st))
                return false;
        }
        const char *p = l->buffer + l->used;
        const char *nl = memchr(p, '\n', l->have - l->used);
        size_t n = nl ? (size_t)(nl - p) : l->have - l->used;

        if (l->line.n + n > INT32_MAX)
            return status_exhausted(st, "%s: line %lld is longer than 2 GiB", l->base.work,
                                    (long long)l->number + 1);
        add_part(&l->line, p, n);
        l->used += n + (nl != NULL);
        if (nl) {
            l->number++;
            *got = true;
            return true;
        }
    }
}

static bool lines_init(struct reader *r, const struct attrs *attrs, struct status *st)
{
    (void)st;
    ((struct lines *)r)->skip = attrs_int(attrs, "skip_header_lines");
    return true;
}

static bool lines_open(struct reader *r, struct status *st)
{
    struct lines *l = (struct lines *)r;
    bool got = true;

    if (!input_open(&l->in, r->work, st))
        return false;
    l->buffer = mem_alloc(BUFFER_BYTES);
    l->at = l->number = 0;
    l->have = l->used = 0;
    for (int64_t i = 0; got && i < l->skip; i++)
        if (!read_line(l, &got, st))
            return false;
    return true;
}

static bool lines_next(struct reader *r, struct tstr *key, struct tstr *value, bool *got, bool *end,
                       struct status *st)
{
    struct lines *l = (struct lines *)r;

    if (!read_line(l, got, st))
        return false;
    *end = !*got;
    return !*got || (set_key(r, key, l->number, st) &&
                     set_text(value, strbuf_text(&l->line), l->line.n, st));
}

static void lines_close(struct reader *r)
{
    struct lines *l = (struct lines *)r;

    input_close(&l->in);
    mem_free(l->buffer);
    l->buffer = NULL;
    strbuf_release(&l->line);
}

const struct reader_kind reader_lines = {.name = "TextLineReader",
                                         .bytes = sizeof(struct lines),
                                         .init = lines_init,
                                         .open = lines_open,
                                         .next = lines_next,
                                         .close = lines_close};

/* --- pieces of one length --- */

struct fixed {
    struct reader base;
    int64_t header, record, footer, hop;
    bool packed;
    enum zform form;
    struct input in;
    char *unpacked; /* of a packed file: what `in` reads */
    int64_t at, number;
};

static bool fixed_init(struct reader *r, const struct attrs *attrs, struct status *st)
{
    static const char *const names[] = {"header_bytes", "record_bytes", "footer_bytes",
                                        "hop_bytes"};
    struct fixed *f = (struct fixed *)r;
    int64_t *const to[] = {&f->header, &f->record, &f->footer, &f->hop};

    for (int i = 0; i < 4; i++) {
        *to[i] = attrs_int(attrs, names[i]);
        if (*to[i] < 0)
            return status_invalid(st, "%s must be >= 0 not %lld", names[i], (long long)*to[i]);
    }
    if (f->hop == 0)
        f->hop = f->record;
    if (attrs_find(attrs, "encoding")) { /* V1 has none */
        struct str encoding = attrs_string(attrs, "encoding");
        const bool zlib = str_is(encoding, "ZLIB");

        f->packed = zlib || str_is(encoding, "GZIP");
        f->form = zlib ? ZFORM_ZLIB : ZFORM_GZIP;
    }
    return true;
}

static bool unpack(struct fixed *f, struct status *st)
{
    size_t n;
    char *bytes = mem_try((size_t)f->in.size + 1, f->in.name, st);
    bool ok = bytes && input_read(&f->in, 0, bytes, f->in.size, "the file", st) &&
              zstream_unpack(f->form, str_make(bytes, (size_t)f->in.size), &f->unpacked, &n, st);

    mem_free(bytes);
    if (!ok)
        return false;
    input_close(&f->in);
    input_memory(&f->in, f->unpacked, n, f->base.work);
    return true;
}

static bool fixed_open(struct reader *r, struct status *st)
{
    struct fixed *f = (struct fixed *)r;

    if (!input_open(&f->in, r->work, st) || (f->packed && !unpack(f, st)))
        return false;
    f->at = f->header;
    f->number = 0;
    return f->header <= f->in.size || status_fail(st, STATUS_OUT_OF_RANGE, "reached end of file");
}

static bool fixed_next(struct reader *r, struct tstr *key, struct tstr *value, bool *got, bool *end,
                       struct status *st)
{
    struct fixed *f = (struct fixed *)r;
    int64_t left = f->in.size - f->footer - f->at; /* all at least 0 before */

    *got = left >= f->record;
    *end = !*got;
    if (*end)
        return true;
    char *to = tstr_resize(value, (size_t)f->record);

    if (!to)
        return status_exhausted(st, "%s: no memory for %lld bytes", r->work, (long long)f->record);
    if (!input_read(&f->in, f->at, to, f->record, "a record", st) ||
        !set_key(r, key, f->number, st))
        return false;
    f->number++;
    if (!size_add(f->at, f->hop, &f->at))
        f->at = f->in.size;
    return true;
}

static void fixed_close(struct reader *r)
{
    struct fixed *f = (struct fixed *)r;

    input_close(&f->in);
    mem_free(f->unpacked);
    f->unpacked = NULL;
}

const struct reader_kind reader_fixed = {.name = "FixedLengthRecordReader",
                                         .bytes = sizeof(struct fixed),
                                         .init = fixed_init,
                                         .open = fixed_open,
                                         .next = fixed_next,
                                         .close = fixed_close};

/* --- TFRecords --- */

struct records {
    struct reader base;
    enum record_form form;
    struct record_reader *in;
};

static bool records_init(struct reader *r, const struct attrs *attrs, struct status *st)
{
    struct status unknown = {0};
    struct str form = attrs_string(attrs, "compression_type");

    (void)st;
    if (!record_form_named(form, &((struct records *)r)->form, &unknown))
        ((struct records *)r)->form = RECORD_PLAIN; /* as TensorFlow takes names it does not know */
    status_clear(&unknown);
    return true;
}

static bool records_open(struct reader *r, struct status *st)
{
    struct records *x = (struct records *)r;

    x->in = record_reader_open(r->work, x->form, st);
    return x->in != NULL;
}

static bool records_next(struct reader *r, struct tstr *key, struct tstr *value, bool *got,
                         bool *end, struct status *st)
{
    struct records *x = (struct records *)r;
    int64_t at = (int64_t)record_reader_offset(x->in);
    struct str record;

    if (!record_reader_next(x->in, &record, end, st))
        return false;
    *got = !*end;
    return *end || (set_key(r, key, at, st) && set_text(value, record.p, record.n, st));
}

static void records_close(struct reader *r)
{
    struct records *x = (struct records *)r;

    record_reader_free(x->in);
    x->in = NULL;
}

const struct reader_kind reader_records = {.name = "TFRecordReader",
                                           .bytes = sizeof(struct records),
                                           .init = records_init,
                                           .open = records_open,
                                           .next = records_next,
                                           .close = records_close};
