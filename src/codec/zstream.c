/* SPDX-License-Identifier: Apache-2.0 */
/* Streams by zlib. zlib counts in 32 bits, so that long pieces go through it in several. The level
 * and memory are those that TensorFlow's writers use: the same bytes give the same stream. */
#include "codec/zstream.h"
#include <string.h>

#include "base/mem.h"
#include "config.h"

#if LEAT_HAVE_ZLIB
#include <zlib.h>

enum { MOST_AT_ONCE = 1 << 30, MEMORY_LEVEL = 9, PIECE = 1 << 16 };

static int window_bits(enum zform form)
{
    return form == ZFORM_GZIP ? MAX_WBITS + 16 : MAX_WBITS;
}

static uInt some(size_t n)
{
    return n > MOST_AT_ONCE ? MOST_AT_ONCE : (uInt)n;
}

struct inflater {
    z_stream z;
    enum zform form;
    bool ended, fresh; /* the last member came to its end; no byte of one was seen */
    bool first_only;
};

struct inflater *inflater_new(enum zform form, struct status *st)
{
    struct inflater *z = mem_new(struct inflater);
    z->form = form;
    z->fresh = true;
    if (inflateInit2(&z->z, window_bits(form)) == Z_OK)
        return z;
    mem_free(z);
    status_exhausted(st, "no memory to unpack a stream");
    return NULL;
}

void inflater_free(struct inflater *z)
{
    if (z)
        inflateEnd(&z->z);
    mem_free(z);
}

void inflater_first_only(struct inflater *z)
{
    z->first_only = true;
}

bool inflater_between(const struct inflater *z)
{
    return z->ended || z->fresh;
}

/* After the end of a member: another may follow, which begins with bytes of its own. */
static bool next_member(struct inflater *z, struct str in, struct status *st)
{
    if (z->form != ZFORM_GZIP || (uint8_t)in.p[0] != 0x1f)
        return status_fail(st, STATUS_DATA_LOSS, "bytes after the end of the packed stream");
    if (inflateReset(&z->z) != Z_OK)
        return status_internal(st, "zlib cannot begin again");
    z->ended = false;
    return true;
}

bool inflater_run(struct inflater *z, struct str *in, void *out, size_t room, size_t *got,
                  struct status *st)
{
    *got = 0;
    for (;;) {
        if (z->ended && z->first_only)
            return true;
        if (z->ended && (in->n == 0 || !next_member(z, *in, st)))
            return in->n == 0;
        z->z.next_in = (Bytef *)(uintptr_t)in->p;
        z->z.avail_in = some(in->n);
        z->z.next_out = (Bytef *)out + *got;
        z->z.avail_out = some(room - *got);
        uInt had_in = z->z.avail_in, had_out = z->z.avail_out;
        int result = inflate(&z->z, Z_NO_FLUSH);
        uInt used = had_in - z->z.avail_in, made = had_out - z->z.avail_out;
        if (used) { /* in->p may be NULL */
            in->p += used;
            in->n -= used;
        }
        *got += made;
        z->fresh = z->fresh && used == 0;
        z->ended = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR)
            return status_exhausted(st, "no memory to unpack a stream");
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return status_fail(st, STATUS_DATA_LOSS, "broken packed stream: %s",
                               z->z.msg ? z->z.msg : "no data of that form");
        if (*got == room || in->n == 0 || used + made == 0)
            return true;
    }
}

struct deflater {
    z_stream z;
};

struct deflater *deflater_new(enum zform form, struct status *st)
{
    struct deflater *z = mem_new(struct deflater);
    if (deflateInit2(&z->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits(form), MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) == Z_OK)
        return z;
    mem_free(z);
    status_exhausted(st, "no memory to pack a stream");
    return NULL;
}

void deflater_free(struct deflater *z)
{
    if (z)
        deflateEnd(&z->z);
    mem_free(z);
}

bool deflater_run(struct deflater *z, struct str in, enum zflush flush, struct strbuf *out,
                  struct status *st)
{
    static const int flushes[] = {Z_NO_FLUSH, Z_PARTIAL_FLUSH, Z_FINISH};
    Bytef piece[PIECE];
    do {
        z->z.next_in = (Bytef *)(uintptr_t)in.p;
        z->z.avail_in = some(in.n);
        uInt had = z->z.avail_in;
        bool last = in.n <= MOST_AT_ONCE;
        do {
            z->z.next_out = piece;
            z->z.avail_out = PIECE;
            int result = deflate(&z->z, last ? flushes[flush] : Z_NO_FLUSH);
            if (result == Z_STREAM_ERROR)
                return status_internal(st, "zlib cannot pack any more");
            strbuf_add(out, piece, PIECE - z->z.avail_out);
        } while (z->z.avail_out == 0);
        if (had)
            in = str_make(in.p + had, in.n - had);
    } while (in.n);
    return true;
}

#else

static bool absent(struct status *st)
{
    return status_unimplemented(st, "built without zlib: packed streams cannot be read or written");
}

struct inflater *inflater_new(enum zform form, struct status *st)
{
    (void)form;
    absent(st);
    return NULL;
}

void inflater_free(struct inflater *z)
{
    (void)z;
}

void inflater_first_only(struct inflater *z)
{
    (void)z;
}

bool inflater_between(const struct inflater *z)
{
    (void)z;
    return true;
}

bool inflater_run(struct inflater *z, struct str *in, void *out, size_t room, size_t *got,
                  struct status *st)
{
    (void)z, (void)in, (void)out, (void)room;
    *got = 0;
    return absent(st);
}

struct deflater *deflater_new(enum zform form, struct status *st)
{
    (void)form;
    absent(st);
    return NULL;
}

void deflater_free(struct deflater *z)
{
    (void)z;
}

bool deflater_run(struct deflater *z, struct str in, enum zflush flush, struct strbuf *out,
                  struct status *st)
{
    (void)z, (void)in, (void)flush, (void)out;
    return absent(st);
}

#endif

/* Twice the room, for what was unpacked so far. */
static bool grow(char **p, size_t n, size_t *cap, struct status *st)
{
    size_t room = *cap ? *cap * 2 : 4096;
    char *more = mem_try(room, "a packed stream", st);
    if (!more)
        return false;
    if (n)
        memcpy(more, *p, n);
    mem_free(*p);
    *p = more;
    *cap = room;
    return true;
}

bool zstream_unpack(enum zform form, struct str in, char **out, size_t *n, struct status *st)
{
    size_t cap = 0, got = 1;
    struct inflater *z = inflater_new(form, st);
    *out = NULL;
    *n = 0;
    if (!z)
        return false;
    inflater_first_only(z);
    bool ok = true;
    while (ok && got > 0) {
        ok = (*n < cap || grow(out, *n, &cap, st)) &&
             inflater_run(z, &in, *out + *n, cap - *n, &got, st);
        *n += ok ? got : 0;
    }
    if (ok && !inflater_between(z))
        ok = status_fail(st, STATUS_DATA_LOSS, "packed stream is cut short");
    inflater_free(z);
    if (!ok) {
        mem_free(*out);
        *out = NULL;
        *n = 0;
    }
    return ok;
}
