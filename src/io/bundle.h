/* SPDX-License-Identifier: Apache-2.0 */
/* V2 checkpoints ("tensor bundles"): PREFIX.index, a sorted table that says where each tensor lies,
 * and PREFIX.data-SSSSS-of-NNNNN, their bytes one after another, each with a checksum.
 *
 * Made for tensors of any size: bytes go straight between the files and the tensors' own memory, in
 * pieces, with the checksum taken on the way. Nothing that a file says is believed before it is
 * checked against the files' sizes. Errors: NOT_FOUND, DATA_LOSS (wrong checksum, cut short, broken
 * entry), INVALID_ARGUMENT (asked for what the checkpoint has otherwise), all with the file. */
#ifndef LEAT_IO_BUNDLE_H
#define LEAT_IO_BUNDLE_H

#include "base/map.h"
#include "base/pool.h"
#include "io/folder.h"
#include "io/slice.h"
#include "io/table.h"
#include "proto/leat_proto.h"

/* The caller frees these with mem_free. */
char *bundle_index_path(const char *prefix);
char *bundle_data_path(const char *prefix, int shard, int num_shards);

/* --- reading; one thread at a time --- */

struct bundle { /* a zeroed struct is closed */
    char *prefix;
    int num_shards;
    struct table index;
    struct table_cursor cursor; /* the walk and the searches share it */
    struct input *data;         /* one shard, the last one used; NULL: none yet */
    int data_shard;
    struct pool *pool; /* borrowed, may be NULL: pieces of big tensors are read on it */
};
struct bundle_entry { /* what is said of one key; release it */
    struct arena arena;
    struct pb_bundle_entry_proto *p;
    struct shape shape;
    int64_t num_elems;
    uint32_t crc; /* not masked */
};

MUST_CHECK bool bundle_open(struct bundle *b, const char *prefix, struct pool *pool,
                            struct status *st);
/* The same of index and shards in memory (tests): takes *index; data may be NULL. */
MUST_CHECK bool bundle_open_input(struct bundle *b, struct input *index, struct status *st);
void bundle_close(struct bundle *b);

/* *found tells whether the key is there; only then *e is to be released. */
MUST_CHECK bool bundle_find(struct bundle *b, struct str key, struct bundle_entry *e, bool *found,
                            struct status *st);
void bundle_entry_release(struct bundle_entry *e);
/* Walks the tensors in the order of their names; slices' own keys are left out. Before the first
 * call the cursor is set by bundle_first; *more is false at the end. */
MUST_CHECK bool bundle_first(struct bundle *b, struct status *st);
MUST_CHECK bool bundle_next(struct bundle *b, struct strbuf *key, struct bundle_entry *e,
                            bool *more, struct status *st);
/* Whether a key of the index is a slice's own rather than a tensor's name. */
static inline bool bundle_key_is_slice(struct str key)
{
    return key.n > 0 && key.p[0] == '\0';
}

/* The tensor under `name`, or the part of it that `want` says (NULL: all), put together from slices
 * where it was saved so. e: what bundle_find gave. */
MUST_CHECK bool bundle_read(struct bundle *b, struct str name, const struct bundle_entry *e,
                            const struct slice *want, struct tensor *out, struct status *st);

/* --- writing --- */

struct bundle_item { /* of an index to come; bytes in the writer's arena */
    struct str key;
    struct pb_bundle_entry_proto *entry;
};
struct bundle_items {
    struct bundle_item *v;
    int64_t n, cap;
};
struct bundle_writer {
    char *prefix;
    struct output data;
    struct arena arena;
    struct bundle_items items;
    struct strmap partitioned; /* name -> entry of a tensor that comes in slices */
    struct strbuf scratch;
};

/* The folder that holds prefix is made where it is missing (not those around it). */
MUST_CHECK bool bundle_writer_open(struct bundle_writer *w, const char *prefix, struct status *st);
MUST_CHECK bool bundle_write(struct bundle_writer *w, struct str name, const struct tensor *t,
                             struct status *st);
/* One slice of a tensor of shape `whole`; the slices of one tensor may come in any order. */
MUST_CHECK bool bundle_write_slice(struct bundle_writer *w, struct str name,
                                   const struct shape *whole, const struct slice *slice,
                                   const struct tensor *t, struct status *st);
/* The checkpoint is there, whole and durable, in place of what was there; the writer is released in
 * any case. */
MUST_CHECK bool bundle_writer_finish(struct bundle_writer *w, struct status *st);
void bundle_writer_abandon(struct bundle_writer *w);

/* The checkpoints under several prefixes become one, whose data files are theirs, renamed. Their
 * indexes are removed. */
MUST_CHECK bool bundle_merge(const char *const *prefixes, int64_t n, const char *prefix,
                             struct status *st);

/* --- inside --- */

/* Where a tensor's bytes are, in the form of the file; bundle_data.c. */
struct bundle_place {
    struct input *in;
    int64_t at, n;
    struct str name; /* for messages */
    uint32_t crc;    /* expected */
    struct pool *pool;
};
/* to: t's elements, whose number was checked against p.n for plain types. */
MUST_CHECK bool bundle_read_elems(const struct bundle_place *p, int dtype, void *to, int64_t n,
                                  struct status *st);
/* Writes t's elements and tells their bytes and checksum (not masked). */
MUST_CHECK bool bundle_write_elems(struct output *o, const struct tensor *t, int64_t *bytes,
                                   uint32_t *crc, struct status *st);
/* bundle_publish.c: the temp files (taken: renamed) become the shards of prefix, and the items its
 * index, in one instant. */
MUST_CHECK bool bundle_publish(const char *prefix, char *const *temps, int num_shards,
                               struct bundle_items *items, struct status *st);
/* Makes the folder that holds prefix, not those around it. */
MUST_CHECK bool bundle_make_folder(const char *prefix, struct status *st);
void bundle_items_add(struct bundle_items *items, struct str key,
                      struct pb_bundle_entry_proto *entry);

#endif
