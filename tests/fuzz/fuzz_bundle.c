/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes V2 checkpoints: the bytes before a mark are the data file, those after it the index, whose
 * checksums are mended first, so that what they guard is looked at too. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "codec/crc32c.h"
#include "io/bundle.h"
#include "io/coding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Makes the checksum of the block that a handle of the index names right, and those of the index
 * and of the blocks that it lists. */
static void mend(uint8_t *p, size_t n, uint64_t at, uint64_t len)
{
    if (at <= n && len <= n - at && n - at - len >= TABLE_TRAILER_BYTES)
        store_u32(p + at + len + 1, crc32c_mask(crc32c(p + at, len + 1)));
}

static void mend_table(uint8_t *p, size_t n)
{
    uint64_t v[4];
    if (n < TABLE_FOOTER_BYTES)
        return;
    struct str footer = {(const char *)p + n - TABLE_FOOTER_BYTES, TABLE_HANDLES_BYTES};
    for (int i = 0; i < 4; i++)
        if (!take_varint(&footer, &v[i]))
            return;
    if (v[2] <= n && v[3] <= n - v[2]) { /* entries of an index: three numbers, a key, a handle */
        struct str in = {(const char *)p + v[2], v[3]};
        uint64_t shared, own, value, at, len;
        while (take_varint(&in, &shared) && take_varint(&in, &own) && take_varint(&in, &value) &&
               own <= in.n) {
            in.p += own;
            in.n -= own;
            if (!take_varint(&in, &at) || !take_varint(&in, &len))
                break;
            mend(p, n, at, len);
        }
    }
    mend(p, n, v[2], v[3]);
}

static void read_all(struct bundle *b)
{
    struct status st = {0};
    struct strbuf key = {0};
    struct bundle_entry e;
    bool more;
    struct path_list names = {0};
    bool ok = bundle_first(b, &st);
    while (ok && bundle_next(b, &key, &e, &more, &st) && more) {
        if (!memchr(key.p, 0, key.n))
            path_list_add(&names, strbuf_text(&key));
        bundle_entry_release(&e);
    }
    status_clear(&st);
    for (int64_t i = 0; i < names.n; i++) {
        struct tensor t;
        bool found;
        struct str name = str_of(names.v[i]);
        if (!bundle_find(b, name, &e, &found, &st)) {
            status_clear(&st);
            continue;
        }
        if (found && bundle_read(b, name, &e, NULL, &t, &st))
            tensor_clear(&t);
        if (found)
            bundle_entry_release(&e);
        status_clear(&st);
    }
    path_list_release(&names);
    strbuf_release(&key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "--index--";
    struct status st = {0};
    struct input in;
    struct bundle b;
    const uint8_t *at = size > 0 ? memmem(data, size, mark, sizeof mark - 1) : NULL;
    size_t data_n = at ? (size_t)(at - data) : 0;
    size_t index_n = at ? size - data_n - (sizeof mark - 1) : size;
    uint8_t *index = mem_alloc(index_n + 1);
    if (index_n > 0)
        memcpy(index, data + size - index_n, index_n);
    for (int mended = 0; mended < 2; mended++) {
        if (mended)
            mend_table(index, index_n);
        input_memory(&in, index, index_n, "fuzz");
        if (bundle_open_input(&b, &in, &st)) {
            b.data = mem_new(struct input); /* whatever the shard: that one */
            input_memory(b.data, data, data_n, "fuzz data");
            b.data_shard = 0;
            read_all(&b);
            bundle_close(&b);
        }
        status_clear(&st);
    }
    mem_free(index);
    return 0;
}
