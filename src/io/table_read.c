/* SPDX-License-Identifier: Apache-2.0 */
/* Reading sorted tables. */
#include "base/mem.h"
#include "codec/crc32c.h"
#include "codec/snappy.h"
#include "io/coding.h"
#include "io/table.h"

enum { MAX_UNPACKED = 1 << 30 };

struct handle_of_block {
    uint64_t at, n;
};

static bool take_handle(struct str *in, struct handle_of_block *h)
{
    return take_varint(in, &h->at) && take_varint(in, &h->n);
}

static bool broken(const struct table *t, int64_t at, const char *what, struct status *st)
{
    return status_fail(st, STATUS_DATA_LOSS, "%s: the block at offset %lld: %s", t->in.name,
                       (long long)at, what);
}

/* --- blocks --- */

static void block_release(struct table_block *b)
{
    mem_free(b->bytes);
    *b = (struct table_block){0};
}

/* Finds the restarts at the end of n bytes. */
static bool block_parse(const struct table *t, struct table_block *b, size_t n, struct status *st)
{
    if (n < 4)
        return broken(t, b->at, "too short for a number of restarts", st);
    b->num_restarts = load_u32(b->bytes + n - 4);
    if (b->num_restarts > (n - 4) / 4)
        return broken(t, b->at, "more restarts than it has room for", st);
    b->n = n - 4 - 4 * (size_t)b->num_restarts;
    return true;
}

static bool block_unpack(const struct table *t, struct table_block *b, size_t *n, uint8_t kind,
                         struct status *st)
{
    if (kind == TABLE_PLAIN)
        return true;
    if (kind != TABLE_SNAPPY)
        return broken(t, b->at, "packed in an unknown way", st);
    char *out;
    char *what = mem_printf("%s: the block at offset %lld", t->in.name, (long long)b->at);
    bool ok = snappy_unpack(b->bytes, *n, MAX_UNPACKED, what, &out, n, st);
    mem_free(what);
    if (ok) {
        mem_free(b->bytes);
        b->bytes = out;
    }
    return ok;
}

/* *b, which is empty, becomes the block of that handle. */
static bool block_read(const struct table *t, struct handle_of_block h, struct table_block *b,
                       struct status *st)
{
    uint64_t size = (uint64_t)t->in.size;
    b->at = (int64_t)h.at;
    if (h.at > size || h.n > size - h.at || size - h.at - h.n < TABLE_TRAILER_BYTES)
        return status_fail(st, STATUS_DATA_LOSS,
                           "%s: a block of %llu bytes at offset %llu, in a file of %llu bytes",
                           t->in.name, (unsigned long long)h.n, (unsigned long long)h.at,
                           (unsigned long long)size);
    size_t n = (size_t)h.n;
    b->bytes = mem_try(n + TABLE_TRAILER_BYTES, t->in.name, st);
    if (!b->bytes ||
        !input_read(&t->in, b->at, b->bytes, (int64_t)n + TABLE_TRAILER_BYTES, "a block", st))
        return false;
    if (crc32c_unmask(load_u32(b->bytes + n + 1)) != crc32c(b->bytes, n + 1))
        return broken(t, b->at, "wrong checksum", st);
    return block_unpack(t, b, &n, (uint8_t)b->bytes[n], st) && block_parse(t, b, n, st);
}

/* --- entries of a block --- */

static void cursor_start(struct block_cursor *c, const struct table_block *b, size_t at)
{
    c->block = b;
    c->next = at;
    c->value = (struct str){0};
    strbuf_clear(&c->key);
}

static void cursor_release(struct block_cursor *c)
{
    strbuf_release(&c->key);
    *c = (struct block_cursor){0};
}

static bool cursor_at_end(const struct block_cursor *c)
{
    return c->next >= c->block->n;
}

/* Reads the entry at c->next. The keys of a block rise. */
static bool cursor_step(const struct table *t, struct block_cursor *c, struct status *st)
{
    struct str in = {c->block->bytes + c->next, c->block->n - c->next};
    uint64_t shared, own, value_n;
    if (!take_varint(&in, &shared) || !take_varint(&in, &own) || !take_varint(&in, &value_n) ||
        shared > c->key.n || own > in.n || value_n > in.n - own)
        return broken(t, c->block->at, "an entry that goes beyond it", st);
    struct str before = {c->key.p ? c->key.p + shared : "", c->key.n - (size_t)shared};
    if (c->key.n > 0 && str_compare(before, str_make(in.p, (size_t)own)) >= 0)
        return broken(t, c->block->at, "keys that do not rise", st);
    c->key.n = (size_t)shared;
    strbuf_add(&c->key, in.p, (size_t)own);
    c->value = str_make(in.p + own, (size_t)value_n);
    c->next = (size_t)(c->value.p + c->value.n - c->block->bytes);
    return true;
}

static struct str cursor_key(const struct block_cursor *c)
{
    return str_make(c->key.p, c->key.n);
}

/* Where restart i begins; the end for one that is out of the block. */
static size_t restart_at(const struct table_block *b, uint32_t i)
{
    size_t at = load_u32(b->bytes + b->n + 4 * (size_t)i);
    return at < b->n ? at : b->n;
}

/* At the first entry that is not less than key; *found is false when there is none. */
static bool cursor_seek(const struct table *t, struct block_cursor *c, const struct table_block *b,
                        struct str key, bool *found, struct status *st)
{
    uint32_t low = 0, high = b->num_restarts; /* the key at restart `low` is less, or low is 0 */
    *found = false;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        cursor_start(c, b, restart_at(b, middle));
        if (cursor_at_end(c)) {
            high = middle;
            continue;
        }
        if (!cursor_step(t, c, st))
            return false;
        if (str_compare(cursor_key(c), key) < 0)
            low = middle;
        else
            high = middle;
    }
    cursor_start(c, b, b->num_restarts > 0 ? restart_at(b, low) : 0);
    while (!cursor_at_end(c)) {
        if (!cursor_step(t, c, st))
            return false;
        if (str_compare(cursor_key(c), key) >= 0) {
            *found = true;
            return true;
        }
    }
    return true;
}

/* --- tables --- */

bool table_open(struct table *t, struct input *in, struct status *st)
{
    char footer[TABLE_FOOTER_BYTES];
    struct handle_of_block meta, index;
    *t = (struct table){.in = *in};
    *in = (struct input){0};
    if (t->in.size < TABLE_FOOTER_BYTES) {
        status_fail(st, STATUS_DATA_LOSS, "%s: %lld bytes are too few for a table (sstable)",
                    t->in.name, (long long)t->in.size);
        table_close(t);
        return false;
    }
    int64_t at = t->in.size - TABLE_FOOTER_BYTES;
    bool ok = input_read(&t->in, at, footer, sizeof footer, "the footer of a table", st);
    struct str handles = {footer, TABLE_HANDLES_BYTES};
    if (ok && load_u64(footer + TABLE_HANDLES_BYTES) != TABLE_MAGIC)
        ok = status_fail(st, STATUS_DATA_LOSS,
                         "%s: not an sstable (bad magic number at offset %lld)", t->in.name,
                         (long long)at + TABLE_HANDLES_BYTES);
    if (ok && (!take_handle(&handles, &meta) || !take_handle(&handles, &index)))
        ok = status_fail(st, STATUS_DATA_LOSS, "%s: bad block handle at offset %lld", t->in.name,
                         (long long)at);
    ok = ok && block_read(t, index, &t->index, st);
    if (!ok)
        table_close(t);
    return ok;
}

void table_close(struct table *t)
{
    block_release(&t->index);
    block_release(&t->cached);
    input_close(&t->in);
}

/* The data cursor at the beginning of the block that the index cursor names. */
static bool enter_block(struct table_cursor *c, struct status *st)
{
    struct table *t = c->t;
    struct handle_of_block h;
    struct str value = c->index.value;
    if (!take_handle(&value, &h))
        return broken(t, t->index.at, "a bad block handle", st);
    if (!t->cached.bytes || t->cached.at != (int64_t)h.at) {
        block_release(&t->cached);
        if (!block_read(t, h, &t->cached, st)) {
            block_release(&t->cached);
            return false;
        }
    }
    cursor_start(&c->data, &t->cached, 0);
    return true;
}

static void at_entry(struct table_cursor *c)
{
    c->valid = true;
    c->key = cursor_key(&c->data);
    c->value = c->data.value;
}

/* The next entry of the data block, or the first of the next block that has one. The first key of a
 * block is not less than what the index says of the block before. */
static bool advance(struct table_cursor *c, struct status *st)
{
    c->valid = false;
    while (cursor_at_end(&c->data)) {
        if (cursor_at_end(&c->index))
            return true;
        if (!cursor_step(c->t, &c->index, st) || !enter_block(c, st))
            return false;
    }
    if (!cursor_step(c->t, &c->data, st))
        return false;
    at_entry(c);
    return true;
}

bool table_seek(struct table_cursor *c, struct table *t, struct str key, struct status *st)
{
    bool found;
    c->t = t;
    c->valid = false;
    if (!cursor_seek(t, &c->index, &t->index, key, &found, st))
        return false;
    if (!found)
        return true;
    if (!enter_block(c, st) || !cursor_seek(t, &c->data, &t->cached, key, &found, st))
        return false;
    if (!found)
        return advance(c, st);
    at_entry(c);
    return true;
}

bool table_next(struct table_cursor *c, struct status *st)
{
    return !c->valid || advance(c, st);
}

void table_cursor_release(struct table_cursor *c)
{
    cursor_release(&c->index);
    cursor_release(&c->data);
    *c = (struct table_cursor){0};
}
