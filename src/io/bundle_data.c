/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of one tensor, between its memory and a data file.
 *
 * Plain types: their bytes. Strings: all lengths as varints, a masked checksum of the lengths (each
 * as 4 bytes, or 8 where it does not fit), then all bytes; the checksum of the tensor goes over
 * the lengths in that form, the stored checksum, and the bytes. Variants: for each the length of
 * its message (8 bytes in the checksum), the message, and the masked checksum so far. */
#include "base/lock.h"
#include "base/mem.h"
#include "codec/crc32c.h"
#include "io/bundle.h"
#include "io/coding.h"

enum {
    PIECE_BYTES = 1 << 18,
    WINDOW_BYTES = 1 << 16,
    HUGE_PAGE_PIECES = (2 << 20) / PIECE_BYTES, /* first touched by one thread alone */
};

static bool wrong_sum(const struct bundle_place *p, uint32_t got, struct status *st)
{
    return status_fail(st, STATUS_DATA_LOSS,
                       "%s: TensorBundle: checksum does not match for %.*s, %lld bytes at offset "
                       "%lld: stored %08x vs. calculated on the restored bytes %08x",
                       p->in->name, (int)min_i64((int64_t)p->name.n, 200), p->name.p,
                       (long long)p->n, (long long)p->at, p->crc, got);
}

static bool broken(const struct bundle_place *p, const char *what, struct status *st)
{
    return status_fail(st, STATUS_DATA_LOSS, "%s: tensor %.*s, %lld bytes at offset %lld: %s",
                       p->in->name, (int)min_i64((int64_t)p->name.n, 200), p->name.p,
                       (long long)p->n, (long long)p->at, what);
}

/* --- plain types, in: pieces on the pool, each with a checksum of its own --- */

struct pieces {
    const struct bundle_place *p;
    char *to;
    uint32_t *crcs; /* one a piece */
    struct lock lock;
    struct status error; /* guarded by lock: the first */
};

static void read_pieces(void *arg, int64_t begin, int64_t end)
{
    struct pieces *s = arg;
    for (int64_t i = begin; i < end; i++) {
        struct status st = {0};
        int64_t at = i * PIECE_BYTES, n = min_i64(PIECE_BYTES, s->p->n - at);
        if (input_read(s->p->in, s->p->at + at, s->to + at, n, "a tensor", &st)) {
            s->crcs[i] = crc32c(s->to + at, (size_t)n);
            continue;
        }
        lock_take(&s->lock);
        status_move(&s->error, &st);
        lock_drop(&s->lock);
        status_clear(&st);
        return;
    }
}

static bool read_plain(const struct bundle_place *p, char *to, struct status *st)
{
    int64_t num = (p->n + PIECE_BYTES - 1) / PIECE_BYTES;
    struct pieces s = {.p = p, .to = to, .crcs = mem_new_array(uint32_t, num)};
    const double ns_a_piece = 60e3;
    const int64_t grain = num >= 4 * HUGE_PAGE_PIECES ? HUGE_PAGE_PIECES : 1;
    lock_init(&s.lock, "bundle pieces", LOCK_RANK_LEAF);
    pool_loop(p->pool, num, grain, ns_a_piece, read_pieces, &s);
    lock_release_memory(&s.lock);
    uint32_t crc = 0;
    for (int64_t i = 0; i < num; i++)
        crc = crc32c_join(crc, s.crcs[i], (uint64_t)min_i64(PIECE_BYTES, p->n - i * PIECE_BYTES));
    mem_free(s.crcs);
    if (!status_ok(&s.error)) {
        status_move(st, &s.error);
        status_clear(&s.error);
        return false;
    }
    return crc == p->crc || wrong_sum(p, crc, st);
}

/* --- a window that moves over the bytes of a tensor --- */

struct window {
    const struct bundle_place *p;
    char *buf;
    int64_t at;     /* of the next byte that is not in buf, from the tensor's first */
    size_t n, used; /* bytes in buf */
};

static bool window_fill(struct window *w, struct status *st)
{
    int64_t n = min_i64(WINDOW_BYTES, w->p->n - w->at);
    w->used = 0;
    w->n = 0;
    if (!input_read(w->p->in, w->p->at + w->at, w->buf, n, "a tensor", st))
        return false;
    w->at += n;
    w->n = (size_t)n;
    return true;
}

static int64_t window_left(const struct window *w)
{
    return w->p->n - w->at + (int64_t)(w->n - w->used);
}

static bool window_take(struct window *w, void *to, int64_t n, struct status *st)
{
    if (n > window_left(w))
        return broken(w->p, "too short for what it says to hold", st);
    for (char *out = to; n > 0;) {
        if (w->used == w->n && n >= WINDOW_BYTES) { /* past the window */
            if (!input_read(w->p->in, w->p->at + w->at, out, n, "a tensor", st))
                return false;
            w->at += n;
            return true;
        }
        if (w->used == w->n && !window_fill(w, st))
            return false;
        size_t some = (size_t)min_i64(n, (int64_t)(w->n - w->used));
        memcpy(out, w->buf + w->used, some);
        w->used += some;
        out += some;
        n -= (int64_t)some;
    }
    return true;
}

static bool window_varint(struct window *w, uint64_t *v, struct status *st)
{
    *v = 0;
    for (int i = 0; i < VARINT_MAX_BYTES; i++) {
        uint8_t byte;
        if (!window_take(w, &byte, 1, st))
            return false;
        *v |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (!(byte & 0x80))
            return i < VARINT_MAX_BYTES - 1 || byte <= 1 || broken(w->p, "a length too long", st);
    }
    return broken(w->p, "a length too long", st);
}

static uint32_t extend_len(uint32_t crc, uint64_t len, bool wide)
{
    uint8_t b[8];
    store_u64(b, len);
    return crc32c_extend(crc, b, wide ? 8 : 4);
}

/* The strings are made with room for their lengths first, so that no second list is kept. */
static bool read_strings(struct window *w, struct tstr *to, int64_t n, uint32_t *crc,
                         struct status *st)
{
    uint64_t len, total = 0;
    uint8_t sum[4];
    uint64_t *lens = mem_try(mem_array_bytes(n + 1, sizeof *lens), "lengths of strings", st);
    bool ok = lens != NULL;
    for (int64_t i = 0; ok && i < n; i++) {
        ok = window_varint(w, &len, st);
        if (ok && (len > (uint64_t)w->p->n || (total += len) > (uint64_t)w->p->n))
            ok = broken(w->p, "strings longer than it", st);
        lens[i] = len;
        *crc = ok ? extend_len(*crc, len, len > UINT32_MAX) : 0;
    }
    ok = ok && window_take(w, sum, sizeof sum, st);
    if (ok && crc32c_unmask(load_u32(sum)) != *crc)
        ok = broken(w->p, "the checksum of its strings' lengths does not match", st);
    *crc = ok ? crc32c_extend(*crc, sum, sizeof sum) : 0;
    if (ok && (int64_t)total != window_left(w))
        ok = broken(w->p, "its strings have not as many bytes as it has", st);
    for (int64_t i = 0; ok && i < n; i++) {
        char *text = tstr_resize(&to[i], (size_t)lens[i]);
        ok = text ? window_take(w, text, (int64_t)lens[i], st)
                  : status_exhausted(st, "no memory for a string of %llu bytes",
                                     (unsigned long long)lens[i]);
        if (ok)
            *crc = crc32c_extend(*crc, text, (size_t)lens[i]);
    }
    mem_free(lens);
    return ok;
}

static bool read_variants(struct window *w, struct variant **to, int64_t n, uint32_t *crc,
                          struct status *st)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t len;
        uint8_t sum[4];
        if (!window_varint(w, &len, st))
            return false;
        if (len > (uint64_t)window_left(w))
            return broken(w->p, "a variant longer than it", st);
        char *bytes = mem_try((size_t)len + 1, "a variant", st);
        if (!bytes)
            return false;
        bool ok = window_take(w, bytes, (int64_t)len, st) && window_take(w, sum, sizeof sum, st);
        if (ok) {
            *crc = crc32c_extend(extend_len(*crc, len, true), bytes, (size_t)len);
            to[i] = variant_opaque(bytes, (size_t)len);
            ok = crc32c_unmask(load_u32(sum)) == *crc ||
                 broken(w->p, "the checksum of a variant does not match", st);
            *crc = crc32c_extend(*crc, sum, sizeof sum);
        }
        mem_free(bytes);
        if (!ok)
            return false;
    }
    return window_left(w) == 0 || broken(w->p, "bytes after its variants", st);
}

static void normalise_bools(uint8_t *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        b[i] = b[i] != 0;
}

bool bundle_read_elems(const struct bundle_place *p, int dtype, void *to, int64_t n,
                       struct status *st)
{
    if (!dtype_is_managed(dtype)) {
        if (!read_plain(p, to, st))
            return false;
        if (dtype == DT_BOOL)
            normalise_bools(to, n);
        return true;
    }
    struct window w = {.p = p, .buf = mem_alloc(WINDOW_BYTES)};
    uint32_t crc = 0;
    bool ok =
        dtype == DT_STRING ? read_strings(&w, to, n, &crc, st) : read_variants(&w, to, n, &crc, st);
    mem_free(w.buf);
    return ok && (crc == p->crc || wrong_sum(p, crc, st));
}

/* --- out --- */

/* Appends, and takes the checksum of, what was appended. */
static bool put(struct output *o, const void *bytes, size_t n, uint32_t *crc, struct status *st)
{
    *crc = crc32c_extend(*crc, bytes, n);
    return output_write(o, bytes, n, st);
}

static bool put_sum(struct output *o, uint32_t *crc, struct status *st)
{
    uint8_t sum[4];
    store_u32(sum, crc32c_mask(*crc));
    return put(o, sum, sizeof sum, crc, st);
}

static bool put_varint(struct output *o, uint64_t v, struct status *st)
{
    uint8_t b[VARINT_MAX_BYTES];
    return output_write(o, b, store_varint(b, v), st);
}

static bool write_strings(struct output *o, const struct tensor *t, uint32_t *crc,
                          struct status *st)
{
    const struct tstr *s = tensor_str(t);
    for (int64_t i = 0; i < t->num_elems; i++) {
        uint64_t len = tstr_len(&s[i]);
        *crc = extend_len(*crc, len, len > UINT32_MAX);
        if (!put_varint(o, len, st))
            return false;
    }
    if (!put_sum(o, crc, st))
        return false;
    for (int64_t i = 0; i < t->num_elems; i++)
        if (!put(o, tstr_data(&s[i]), tstr_len(&s[i]), crc, st))
            return false;
    return true;
}

static bool write_variants(struct output *o, const struct tensor *t, uint32_t *crc,
                           struct status *st)
{
    struct variant *const *v = t->data;
    for (int64_t i = 0; i < t->num_elems; i++) {
        struct str bytes = {0};
        if (v[i] && !variant_opaque_bytes(v[i], &bytes))
            return status_unimplemented(st, "Saving a variant of type %s", v[i]->type->name);
        *crc = extend_len(*crc, bytes.n, true);
        if (!put_varint(o, bytes.n, st) || !put(o, bytes.p, bytes.n, crc, st) ||
            !put_sum(o, crc, st))
            return false;
    }
    return true;
}

/* The checksum of a piece is taken while it is in the cache for the write. */
static bool write_plain(struct output *o, const struct tensor *t, uint32_t *crc, struct status *st)
{
    const char *p = t->data;
    for (size_t left = tensor_bytes(t); left > 0;) {
        size_t n = left < PIECE_BYTES ? left : PIECE_BYTES;
        if (!put(o, p, n, crc, st))
            return false;
        p += n;
        left -= n;
    }
    return true;
}

bool bundle_write_elems(struct output *o, const struct tensor *t, int64_t *bytes, uint32_t *crc,
                        struct status *st)
{
    int64_t start = o->size;
    bool ok;
    *crc = 0;
    if (t->dtype == DT_STRING)
        ok = write_strings(o, t, crc, st);
    else if (t->dtype == DT_VARIANT)
        ok = write_variants(o, t, crc, st);
    else if (t->dtype == DT_RESOURCE)
        ok = status_unimplemented(st, "Saving a resource: save what it holds");
    else
        ok = write_plain(o, t, crc, st);
    *bytes = o->size - start;
    return ok;
}
