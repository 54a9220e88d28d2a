/* SPDX-License-Identifier: Apache-2.0 */
/* Writing sorted tables, byte for byte as TensorFlow 1.15 does: an index entry's key is the
 * shortest text between the block's last key and the next block's first. */
#include "codec/crc32c.h"
#include "io/coding.h"
#include "io/table.h"

void table_writer_init(struct table_writer *w, struct output *out)
{
    *w = (struct table_writer){.out = out, .start = out->size, .pending_at = -1};
    strbuf_add_u32(&w->block_restarts, 0);
    strbuf_add_u32(&w->index_restarts, 0);
}

void table_writer_release(struct table_writer *w)
{
    strbuf_release(&w->block);
    strbuf_release(&w->index);
    strbuf_release(&w->block_restarts);
    strbuf_release(&w->index_restarts);
    strbuf_release(&w->last_key);
    strbuf_release(&w->index_key);
}

/* Appends an entry whose first `shared` bytes the key before has too. */
static void put_entry(struct strbuf *block, struct str key, size_t shared, struct str value)
{
    strbuf_add_varint(block, shared);
    strbuf_add_varint(block, key.n - shared);
    strbuf_add_varint(block, value.n);
    strbuf_add(block, key.p + shared, key.n - shared);
    strbuf_add(block, value.p, value.n);
}

/* Writes the entries, the restarts and the trailer. */
static bool write_block(struct table_writer *w, struct strbuf *block, struct strbuf *restarts,
                        int64_t *at, struct status *st)
{
    uint8_t trailer[TABLE_TRAILER_BYTES] = {TABLE_PLAIN};
    size_t num = restarts->n / 4;
    strbuf_add(block, restarts->p, restarts->n);
    strbuf_add_u32(block, (uint32_t)num);
    uint32_t crc = crc32c_extend(crc32c(block->p, block->n), trailer, 1);
    store_u32(trailer + 1, crc32c_mask(crc));
    *at = w->out->size - w->start;
    return output_write(w->out, block->p, block->n, st) &&
           output_write(w->out, trailer, sizeof trailer, st);
}

/* key, shortened to what still is not less than it and less than `next`. */
static void shorten_to_between(struct strbuf *key, struct str next)
{
    size_t n = key->n < next.n ? key->n : next.n, same = 0;
    while (same < n && key->p[same] == next.p[same])
        same++;
    if (same == n)
        return; /* one begins with the other */
    uint8_t byte = (uint8_t)key->p[same];
    if (byte < 0xff && byte + 1 < (uint8_t)next.p[same]) {
        key->p[same] = (char)(byte + 1);
        key->n = same + 1;
    }
}

/* The shortest text that is not less than key. */
static void shorten_to_after(struct strbuf *key)
{
    for (size_t i = 0; i < key->n; i++)
        if ((uint8_t)key->p[i] != 0xff) {
            key->p[i] = (char)((uint8_t)key->p[i] + 1);
            key->n = i + 1;
            return;
        }
}

static void put_handle(struct strbuf *out, int64_t at, int64_t n)
{
    strbuf_add_varint(out, (uint64_t)at);
    strbuf_add_varint(out, (uint64_t)n);
}

/* The index entry of the block before: its key is last_key, shortened. */
static void index_pending(struct table_writer *w)
{
    struct strbuf handle = {0};
    put_handle(&handle, w->pending_at, w->pending_bytes);
    if (w->index_entries++ > 0)
        strbuf_add_u32(&w->index_restarts, (uint32_t)w->index.n);
    put_entry(&w->index, str_make(w->index_key.p, w->index_key.n), 0, str_make(handle.p, handle.n));
    strbuf_release(&handle);
    w->pending_at = -1;
}

static bool end_block(struct table_writer *w, struct status *st)
{
    if (w->block_entries == 0)
        return true;
    if (!write_block(w, &w->block, &w->block_restarts, &w->pending_at, st))
        return false;
    w->pending_bytes = (int64_t)w->block.n;
    w->block_entries = 0;
    strbuf_clear(&w->block);
    strbuf_clear(&w->block_restarts);
    strbuf_add_u32(&w->block_restarts, 0);
    strbuf_clear(&w->index_key);
    strbuf_add(&w->index_key, w->last_key.p, w->last_key.n);
    return true;
}

static size_t common_prefix(struct str a, struct str b)
{
    size_t n = 0;
    while (n < a.n && n < b.n && a.p[n] == b.p[n])
        n++;
    return n;
}

bool table_add(struct table_writer *w, struct str key, struct str value, struct status *st)
{
    struct str last = {w->last_key.p, w->last_key.n};
    size_t shared = 0;
    if (w->num_entries > 0 && str_compare(last, key) >= 0)
        return status_internal(st, "%s: the keys of a table must rise: %.*s after %.*s",
                               w->out->path, (int)min_i64((int64_t)key.n, 200), key.p,
                               (int)min_i64((int64_t)last.n, 200), last.p ? last.p : "");
    if (w->pending_at >= 0) {
        shorten_to_between(&w->index_key, key);
        index_pending(w);
    }
    if (w->block_entries % TABLE_RESTART_EVERY != 0)
        shared = common_prefix(last, key);
    else if (w->block_entries > 0)
        strbuf_add_u32(&w->block_restarts, (uint32_t)w->block.n);
    put_entry(&w->block, key, shared, value);
    w->block_entries++;
    w->num_entries++;
    strbuf_clear(&w->last_key);
    strbuf_add(&w->last_key, key.p, key.n);
    size_t estimate = w->block.n + w->block_restarts.n + 4;
    return estimate < TABLE_BLOCK_BYTES || end_block(w, st);
}

bool table_finish(struct table_writer *w, struct status *st)
{
    int64_t meta_at, index_at;
    struct strbuf meta = {0}, no_restarts = {0}, footer = {0};
    bool ok = end_block(w, st);
    strbuf_add_u32(&no_restarts, 0);
    ok = ok && write_block(w, &meta, &no_restarts, &meta_at, st);
    if (ok && w->pending_at >= 0) {
        shorten_to_after(&w->index_key);
        index_pending(w);
    }
    ok = ok && write_block(w, &w->index, &w->index_restarts, &index_at, st);
    if (ok) {
        uint8_t magic[8];
        static const char zeros[TABLE_HANDLES_BYTES];
        put_handle(&footer, meta_at, (int64_t)meta.n);
        put_handle(&footer, index_at, (int64_t)w->index.n);
        strbuf_add(&footer, zeros, TABLE_HANDLES_BYTES - footer.n);
        store_u64(magic, TABLE_MAGIC);
        strbuf_add(&footer, magic, sizeof magic);
        ok = output_write(w->out, footer.p, footer.n, st);
    }
    strbuf_release(&meta);
    strbuf_release(&no_restarts);
    strbuf_release(&footer);
    return ok;
}
