/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: a rank and its dims, both possibly unknown (-1).
 *
 * Up to 4 dims live inside the struct; more are in one counted, immutable block. A struct shape
 * is a value: copy it with shape_copy, give it back with shape_clear (a no-op up to rank 4). A
 * zeroed struct is the scalar shape. A shape of a tensor is fully known. */
#ifndef LEAT_TENSOR_SHAPE_H
#define LEAT_TENSOR_SHAPE_H

#include "base/base.h"
#include "base/status.h"
#include "base/str.h"

enum { SHAPE_INLINE_DIMS = 4, SHAPE_MAX_RANK = 254, DIM_UNKNOWN = -1, RANK_UNKNOWN = -1 };

struct dims_block {
    int refs; /* atomic */
    int64_t dims[];
};

struct shape {
    int32_t rank; /* -1: unknown */
    union {
        int64_t in[SHAPE_INLINE_DIMS];
        struct dims_block *out; /* rank > 4 */
    };
};

static inline const int64_t *shape_dims(const struct shape *s)
{
    return s->rank > SHAPE_INLINE_DIMS ? s->out->dims : s->in;
}
static inline int64_t shape_dim(const struct shape *s, int i) /* 0 <= i < rank */
{
    return shape_dims(s)[i];
}

struct shape shape_make(const int64_t *dims, int rank); /* rank -1: unknown; rank must be <= 254 */
struct shape shape_unknown(void);
struct shape shape_of_rank(int rank); /* all dims unknown */
struct shape shape_copy_slow(const struct shape *s);
void shape_clear_slow(struct shape *s);
static inline struct shape shape_copy(const struct shape *s)
{
    return s->rank > SHAPE_INLINE_DIMS ? shape_copy_slow(s) : *s;
}
static inline void shape_clear(struct shape *s)
{
    if (s->rank > SHAPE_INLINE_DIMS)
        shape_clear_slow(s);
    s->rank = 0;
}
/* Handy for kernels. */
static inline struct shape shape_scalar(void)
{
    return (struct shape){.rank = 0};
}
static inline struct shape shape_1(int64_t a)
{
    return (struct shape){.rank = 1, .in = {a}};
}
static inline struct shape shape_2(int64_t a, int64_t b)
{
    return (struct shape){.rank = 2, .in = {a, b}};
}
static inline struct shape shape_3(int64_t a, int64_t b, int64_t c)
{
    return (struct shape){.rank = 3, .in = {a, b, c}};
}
static inline struct shape shape_4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return (struct shape){.rank = 4, .in = {a, b, c, d}};
}

bool shape_equal(const struct shape *a,
                 const struct shape *b); /* same rank, same dims, unknowns too */
bool shape_compatible(const struct shape *a, const struct shape *b); /* could be the same */
bool shape_known(const struct shape *s);                             /* fully */
/* Elements; false with INVALID_ARGUMENT when unknown, negative, or past 2^63 - 1. A zero dim gives
 * 0 even where the other dims would overflow. */
MUST_CHECK bool shape_num_elems(const struct shape *s, int64_t *out, struct status *st);
/* "[2,3]", "[?,3]", "<unknown>", "[]": TensorFlow's way. Appends. */
void shape_print(const struct shape *s, struct strbuf *out);

#endif
