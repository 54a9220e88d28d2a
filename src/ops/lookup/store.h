/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map from an int32, int64 or string to rows of elements, for tables.
 *
 * Rows lie one behind another in the order they were put; a removal moves the last into the gap.
 * Not thread-safe. The hash is seeded per process. */
#ifndef LEAT_OPS_LOOKUP_STORE_H
#define LEAT_OPS_LOOKUP_STORE_H

#include "tensor/tensor.h"

struct store {
    int key_dtype, value_dtype;
    int64_t value_elems;
    size_t value_bytes; /* of a row */
    void *keys;         /* int64_t or struct tstr */
    char *values;
    uint64_t *hashes;
    int64_t *next;  /* of the same head; -1: none */
    int64_t *heads; /* a power of two of them */
    int64_t num, cap, num_heads;
};

void store_init(struct store *s, int key_dtype, int value_dtype, int64_t value_elems);
void store_release(struct store *s); /* empty, and usable again */
/* Room for `more` rows: RESOURCE_EXHAUSTED. */
MUST_CHECK bool store_reserve(struct store *s, int64_t more, struct status *st);
/* The row of key number i of keys (a tensor's elements), or -1. */
int64_t store_find(const struct store *s, const void *keys, int64_t i);
static inline char *store_row(const struct store *s, int64_t row)
{
    return s->values + (size_t)row * s->value_bytes;
}
/* Puts key number i, which has no row; there is room. The new row's elements are zeroes. -1: no
 * memory for the key. */
int64_t store_add(struct store *s, const void *keys, int64_t i);
MUST_CHECK bool store_set(struct store *s, int64_t row, const void *value, struct status *st);
/* For each key its row, or `none`; out is a tensor's elements. */
MUST_CHECK bool store_find_rows(const struct store *s, const struct tensor *keys, const void *none,
                                void *out, struct status *st);
void store_remove(struct store *s, int64_t row);
/* All of it, sorted by key. */
MUST_CHECK bool store_sorted(const struct store *s, struct tensor *keys, struct tensor *values,
                             const struct shape *value_shape, struct status *st);

#endif
