/* SPDX-License-Identifier: Apache-2.0 */
/* A table: keys to values of one type each, found by a handle in the session's container.
 *
 * What all tables have in common, and the calls that each kind answers. The ops check types and
 * shapes before they call; a kind takes the table's lock itself. Many threads find at once. */
#ifndef LEAT_OPS_LOOKUP_TABLE_H
#define LEAT_OPS_LOOKUP_TABLE_H

#include "base/lock.h"
#include "op/changes.h"
#include "op/infer.h"
#include "op/kernel.h"

struct table;
struct table_facts;
struct table_kind {
    const char *name; /* replicate_table.c finds it by that */
    /* What make needs besides types and shapes; NULL: nothing. */
    void (*tell)(struct table *t, struct note *n);
    /* Without keys; t's common part is filled by table_copy_init. */
    struct table *(*make)(struct table_facts *f, struct note_reader *in, struct status *st);
    void (*release)(struct table *t); /* the contents and the struct */
    int64_t (*size)(struct table *t);
    /* One row of out for each key: its value, or none's. */
    bool (*find)(struct table *t, const struct tensor *keys, const struct tensor *none, void *out,
                 struct status *st);
    bool (*insert)(struct table *t, const struct tensor *keys, const struct tensor *values,
                   struct status *st);
    bool (*remove)(struct table *t, const struct tensor *keys, struct status *st);
    /* In place of all that was there: what take_all once gave. */
    bool (*import)(struct table *t, const struct tensor *keys, const struct tensor *values,
                   struct status *st);
    bool (*take_all)(struct table *t, struct tensor *keys, struct tensor *values,
                     struct status *st);
    /* Fills a table that is filled once; NULL: one that is not. */
    bool (*fill)(struct table *t, const struct tensor *keys, const struct tensor *values,
                 struct status *st);
    bool (*filled)(struct table *t);
    bool scalar_is_row; /* imports and exports have a dim of 1 where keys or values are scalars */
};

struct table {
    struct resource base;
    const struct table_kind *kind;
    struct rwlock lock;
    int key_dtype, value_dtype;
    struct shape key_shape, value_shape; /* of one key, of one value */
    int64_t key_elems, value_elems;
};
extern const struct resource_type table_type;
extern const struct table_kind table_hash_kind, table_mutable_kind, table_dense_kind;

/* Fills the common part; takes nothing. The shapes are known. */
MUST_CHECK bool table_init(struct table *t, const struct table_kind *kind, const struct kctx *c,
                           const struct shape *key_shape, const struct shape *value_shape,
                           struct status *st);
struct table_facts { /* what all tables know of themselves */
    int key_dtype, value_dtype;
    struct shape key_shape, value_shape;
};
/* The same for a copy of a table of another process. */
MUST_CHECK bool table_init_facts(struct table *t, const struct table_kind *kind,
                                 const struct table_facts *f, struct status *st);
void table_release_common(struct table *t);
/* The journal is told what was done with keys and values (NULL: none), by c's op. Such ops run one
 * at a time where changes are logged. */
enum table_change { TABLE_ALL = 1, TABLE_INSERTED, TABLE_REMOVED };
void table_log(struct kctx *c, struct table *t, enum table_change what, const struct tensor *keys,
               const struct tensor *values);
/* As it is after a change that broke off, or that came from elsewhere. */
void table_log_all(struct kctx *c, struct table *t);
/* Output 0: the handle of this node's table, which make(c) makes where there is none. */
MUST_CHECK bool table_give(struct kctx *c, struct table *(*make)(struct kctx *c, struct status *st),
                           struct status *st);
/* The table that input 0 stands for, referenced. */
struct table *table_of(struct kctx *c, struct status *st) MUST_CHECK;
/* INVALID_ARGUMENT for a table that is not filled as a whole. */
MUST_CHECK bool table_want_fillable(struct kctx *c, const struct table *t, struct status *st);
/* The types of the inputs after the handle and of the outputs are the table's: key, then value. */
MUST_CHECK bool table_want_types(const struct kctx *c, const struct table *t, struct status *st);
/* keys end with the table's key shape. */
MUST_CHECK bool table_want_keys(const struct table *t, const struct tensor *keys,
                                struct status *st);
/* `values` has a value for each key; `stored`: in the form that take_all gives. */
MUST_CHECK bool table_want_values(const struct table *t, const struct tensor *keys,
                                  const struct tensor *values, bool stored, struct status *st);
/* The shape of the values of keys. */
MUST_CHECK bool table_values_shape(const struct table *t, const struct tensor *keys,
                                   struct shape *out, struct status *st);
/* Shape functions: of a table's handle alone (V1: two strings; V2: a resource). */
MUST_CHECK bool table_infer_handle(struct infer_ctx *c, struct status *st);
bool table_infer_make(struct infer_ctx *c, struct status *st);
/* "[2,3]"; the caller frees. */
char *table_shape_text(const struct shape *s);

#endif
