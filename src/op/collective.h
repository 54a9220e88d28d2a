/* SPDX-License-Identifier: Apache-2.0 */
/* Collectives: operations that all members of a group do together, each with a part of its own.
 *
 * A member says what it brings and is called back when all have come. Members of one step meet
 * here, in the step's own resources; a group that reaches over processes is carried by whoever
 * offered to (dist/mpi.h). Either way no thread is held, all members get the same bits, whatever
 * order they came in, and an error of one is an error of all. */
#ifndef LEAT_OP_COLLECTIVE_H
#define LEAT_OP_COLLECTIVE_H

#include "base/pool.h"
#include "op/cancel.h"
#include "tensor/tensor.h"

enum collective_kind { COLLECTIVE_REDUCE, COLLECTIVE_BROADCAST, COLLECTIVE_GATHER };
enum collective_merge { MERGE_ADD, MERGE_MUL, MERGE_MIN, MERGE_MAX };

enum { COLLECTIVE_MAX_GROUP = 1 << 16 };

struct collective { /* a member's part: the caller's, alive until done */
    int kind;       /* enum collective_kind */
    int merge;      /* enum collective_merge */
    bool divide;    /* the reduced value by the size of the group */
    bool sends;     /* a broadcast's source */
    int dtype;
    int64_t group_size, group_key, instance_key;
    const char *hint;   /* attr communication_hint */
    const char *device; /* members stand in the order of their devices */
    const char *frame;  /* of a loop; "" outside */
    int64_t iter;
    const struct tensor *in; /* NULL: a broadcast's receiver */
    struct shape shape;      /* in's; a receiver's as declared; a gatherer's result, or unknown */
    struct pool *pool;
    struct cancel *cancel; /* of the step; may be NULL */
    /* Once, from any thread, perhaps before the join returns. st and out are there to be taken. */
    void (*done)(struct collective *m, struct status *st, struct tensor *out);
    void *arg;
    void *carrier; /* from here on: of whoever carries it */
    uint64_t token;
    struct collective *next;
};

struct collectives { /* what carries groups over processes */
    /* Whether this one carries m; false, too, with st failed: nobody can. */
    bool (*covers)(const struct collective *m, struct status *st);
    void (*join)(struct collective *m);
};
/* For steps that begin from now on; NULL: none. Lives for ever. */
void collectives_offer(const struct collectives *c);
const struct collectives *collectives_offered(void);

struct kernel_env;
/* By the environment's carrier, or among the members in this step. m is filled in up to arg. */
void collective_join(struct kernel_env *env, struct collective *m);

/* --- for carriers --- */

/* Whether two members fit together, but for their shapes; INVALID_ARGUMENT says what differs. */
MUST_CHECK bool collective_matches(const struct collective *a, const struct collective *b,
                                   struct status *st);
/* INVALID_ARGUMENT in TensorFlow's words: m has one shape, another member another. */
bool collective_shape_differs(const struct collective *m, const struct shape *other,
                              struct status *st);
/* dst[i] = dst[i] merged with src[i]. NaNs stay: Min and Max give NaN where either is one. */
void collective_merge(void *dst, const void *src, int64_t n, int dtype, int merge);
/* dst[i] /= by; integers are truncated. */
void collective_divide(void *dst, int64_t n, int dtype, int64_t by);

#endif
