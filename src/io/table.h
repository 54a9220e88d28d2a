/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted tables: keys and values in one file, as LevelDB lays it out and TensorFlow's checkpoints
 * use it.
 *
 * A table is a row of blocks of entries, an index of them, and a footer. A block is followed by its
 * kind (plain or Snappy) and a checksum. Keys rise strictly, bytewise. Made for files that are
 * written once and read in the order of keys; a search reads one block of the index and one of the
 * data, and the last block stays in memory.
 *
 * Nothing that a file says is believed: the checksum of each block is verified before it is looked
 * into, and lengths before they are used. Errors are DATA_LOSS with the file and the offset. */
#ifndef LEAT_IO_TABLE_H
#define LEAT_IO_TABLE_H

#include "base/str.h"
#include "io/input.h"
#include "io/output.h"

/* --- reading; one thread at a time --- */

struct table_block { /* entries, then the places of restarts; owned */
    char *bytes;
    size_t n; /* of the entries alone */
    uint32_t num_restarts;
    int64_t at; /* where it begins in the file */
};
struct table {
    struct input in;
    struct table_block index, cached;
};

/* Takes *in. DATA_LOSS: no table. */
MUST_CHECK bool table_open(struct table *t, struct input *in, struct status *st);
void table_close(struct table *t);

struct block_cursor {
    const struct table_block *block;
    size_t next; /* where the next entry begins */
    struct strbuf key;
    struct str value; /* in the block */
};
struct table_cursor { /* a zeroed struct is before the first entry of nothing */
    struct table *t;
    struct block_cursor index, data;
    bool valid; /* key and value stand at an entry; they are the cursor's, until it moves */
    struct str key, value;
};
/* At the first entry whose key is not less than `key`; not valid when there is none. The table must
 * not be read by another cursor meanwhile. */
MUST_CHECK bool table_seek(struct table_cursor *c, struct table *t, struct str key,
                           struct status *st);
MUST_CHECK bool table_next(struct table_cursor *c, struct status *st);
void table_cursor_release(struct table_cursor *c);

/* --- writing --- */

struct table_writer {
    struct output *out; /* borrowed */
    int64_t start;      /* of the table in it */
    struct strbuf block, index;
    struct strbuf block_restarts, index_restarts; /* uint32s */
    int64_t block_entries, index_entries, num_entries;
    struct strbuf last_key, index_key;
    int64_t pending_at, pending_bytes; /* the block that the index lacks yet; -1: none */
};
void table_writer_init(struct table_writer *w, struct output *out);
/* INTERNAL when the keys do not rise. */
MUST_CHECK bool table_add(struct table_writer *w, struct str key, struct str value,
                          struct status *st);
/* Writes what is left, the index and the footer. */
MUST_CHECK bool table_finish(struct table_writer *w, struct status *st);
void table_writer_release(struct table_writer *w);

/* Bytewise. */
static inline int str_compare(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n > 0 ? memcmp(a.p, b.p, n) : 0;
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

/* What the file's layout is made of, for both sides. */
enum {
    TABLE_BLOCK_BYTES = 262144, /* a block is closed when it is so long */
    TABLE_RESTART_EVERY = 16,   /* entries of a data block; each entry of an index */
    TABLE_TRAILER_BYTES = 5,
    TABLE_FOOTER_BYTES = 48,
    TABLE_HANDLES_BYTES = 40,
    TABLE_PLAIN = 0,
    TABLE_SNAPPY = 1,
};
#define TABLE_MAGIC 0xdb4775248b80fb57u

#endif
