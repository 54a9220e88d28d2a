/* SPDX-License-Identifier: Apache-2.0 */
/* gzip by zlib. The output grows by doubling up to the caller's limit, so that a small file that
 * says it is huge costs what it holds and no more. */
#include <string.h>

#include "base/mem.h"
#include "codec/gzip.h"
#include "config.h"

#if LEAT_HAVE_ZLIB
#include <zlib.h>
#endif

bool gzip_is(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    return n >= 2 && p[0] == 0x1f && p[1] == 0x8b;
}

#if LEAT_HAVE_ZLIB
struct sink {
    char *bytes;
    size_t n, cap, limit;
    const char *what;
};

/* Makes room for at least one byte more, the closing 0 apart. */
static bool sink_grow(struct sink *s, struct status *st)
{
    if (s->n == s->limit)
        return status_exhausted(st, "%s: more than %zu bytes when unpacked", s->what, s->limit);
    size_t cap = s->cap > 0 ? s->cap : 1 << 15;
    cap = cap > s->limit / 2 ? s->limit : cap * 2;
    char *more = mem_try(cap + 1, s->what, st);
    if (!more)
        return false;
    if (s->n > 0)
        memcpy(more, s->bytes, s->n);
    mem_free(s->bytes);
    s->bytes = more;
    s->cap = cap;
    return true;
}

/* One call of inflate; `last`: no bytes follow those in z. *more is false at the end of the last
 * member. */
static bool inflate_some(z_stream *z, struct sink *s, bool last, bool *more, struct status *st)
{
    if (s->n == s->cap && !sink_grow(s, st))
        return false;
    size_t room = s->cap - s->n;
    z->next_out = (Bytef *)s->bytes + s->n;
    z->avail_out = room > 1u << 30 ? 1u << 30 : (uInt)room;
    uInt before = z->avail_out;
    int result = inflate(z, Z_NO_FLUSH);
    s->n += before - z->avail_out;
    if (result == Z_STREAM_END) {
        *more = z->avail_in > 0 && gzip_is(z->next_in, z->avail_in);
        return !*more || inflateReset(z) == Z_OK || status_internal(st, "%s: zlib", s->what);
    }
    if (result == Z_OK && (z->avail_in > 0 || z->avail_out == 0 || !last))
        return true;
    if (result == Z_BUF_ERROR && z->avail_out == 0)
        return true;
    if (result == Z_MEM_ERROR)
        return status_exhausted(st, "%s: no memory to unpack it", s->what);
    return status_fail(st, STATUS_DATA_LOSS, "%s: %s", s->what,
                       z->avail_in == 0 ? "cut short" : "broken: no gzip data");
}

bool gzip_unpack(const void *bytes, size_t n, size_t limit, const char *what, char **out,
                 size_t *out_n, struct status *st)
{
    struct sink s = {.limit = limit, .what = what};
    z_stream z = {0};
    *out = NULL;
    *out_n = 0;
    if (!gzip_is(bytes, n))
        return status_fail(st, STATUS_DATA_LOSS, "%s: does not begin as gzip does", what);
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return status_exhausted(st, "%s: no memory to unpack it", what);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    bool ok = true;
    for (size_t left = n; ok;) {
        if (z.avail_in == 0) { /* zlib counts in 32 bits */
            z.avail_in = left > 1u << 30 ? 1u << 30 : (uInt)left;
            left -= z.avail_in;
        }
        bool more = true;
        ok = inflate_some(&z, &s, left == 0, &more, st);
        if (!more)
            break;
    }
    inflateEnd(&z);
    if (!ok) {
        mem_free(s.bytes);
        return false;
    }
    if (s.bytes)
        s.bytes[s.n] = 0;
    *out = s.bytes;
    *out_n = s.n;
    return true;
}
#else
bool gzip_unpack(const void *bytes, size_t n, size_t limit, const char *what, char **out,
                 size_t *out_n, struct status *st)
{
    (void)bytes;
    (void)n;
    (void)limit;
    *out = NULL;
    *out_n = 0;
    return status_unimplemented(st, "%s: built without zlib; unpack it with gunzip first", what);
}
#endif
