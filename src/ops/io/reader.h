/* SPDX-License-Identifier: Apache-2.0 */
/* Readers: they take names of files (work) from a queue and give records.
 *
 * A reader serves one read at a time, in the order in which they came. What waits, for its turn or
 * for a name, holds no thread and ends with its step. A kind of reader is a table of functions over
 * one file; what it keeps follows struct reader in memory. */
#ifndef LEAT_OPS_IO_READER_H
#define LEAT_OPS_IO_READER_H

#include "base/lock.h"
#include "op/infer.h"
#include "op/kernel.h"
#include "op/queue.h"

struct reader;

struct reader_kind {
    const char *name; /* "TextLineReader" */
    size_t bytes;     /* struct reader and what follows */
    /* Takes the options out of k's attrs; may be NULL. */
    bool (*init)(struct reader *r, const struct attrs *attrs, struct status *st);
    /* work is set; may be NULL. */
    bool (*open)(struct reader *r, struct status *st);
    /* The next record, or *end (or both, with the last one). */
    bool (*next)(struct reader *r, struct tstr *key, struct tstr *value, bool *got, bool *end,
                 struct status *st);
    void (*close)(struct reader *r); /* also of one that is not open; may be NULL */
    bool saves;                      /* its state can be saved and restored */
};

struct reader {
    struct resource base;
    const struct reader_kind *kind;
    char *name;
    struct queue *turn; /* holds one element, which the read that is served has */
    struct lock lock;
    char *work;             /* guarded by lock, like what follows; NULL: none in progress */
    int64_t started, ended; /* files */
    int64_t records;
    struct tensor next; /* a name that came while there was work: a state was restored meanwhile */
};

extern const struct resource_type reader_type;
struct reader *reader_new(const struct reader_kind *kind, const char *name,
                          const struct attrs *attrs, struct status *st) MUST_CHECK;
/* The reader behind input 0, referenced for the caller. */
struct reader *reader_of_input(struct kctx *c, struct status *st) MUST_CHECK;
void reader_unref(struct reader *r);
/* Under the lock: no work in progress, nothing counted. */
void reader_reset(struct reader *r);
/* Input k is a handle of its op's form. */
MUST_CHECK bool reader_check_handle(struct infer_ctx *c, int k, struct status *st);

#endif
