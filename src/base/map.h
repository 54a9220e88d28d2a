/* SPDX-License-Identifier: Apache-2.0 */
/* Hash maps to pointers: keyed by text (keys are copied) and by 64-bit numbers.
 *
 * Open addressing, insertion order kept for walks; a zeroed struct is an empty map. The hash is
 * seeded per process, so names from outside cannot aim for collisions. Not thread-safe. During a
 * walk nothing may be put; a strmap (not a u64map) may lose keys. A key ends at its first NUL. */
#ifndef LEAT_BASE_MAP_H
#define LEAT_BASE_MAP_H

#include "base/base.h"
#include "base/str.h"

struct strmap_slot {
    char *key; /* owned; NULL: removed */
    uint64_t hash;
    void *value;
};
struct strmap {
    struct strmap_slot *slots; /* in insertion order, num_used of them, removed ones included */
    int64_t num_used, cap, num_live;
    int32_t *index; /* table of positions in slots, -1 free */
    int64_t index_size;
};

void *strmap_find(const struct strmap *m, const char *key); /* NULL: absent */
void *strmap_find_n(const struct strmap *m, const char *key, size_t n);
bool strmap_has(const struct strmap *m, const char *key);
/* Sets key to value and returns the value it had (NULL: none). */
void *strmap_put(struct strmap *m, const char *key, void *value);
void *strmap_put_n(struct strmap *m, const char *key, size_t n, void *value);
void *strmap_remove(struct strmap *m, const char *key); /* what it held, or NULL */
/* Walk in insertion order: for (int64_t i = 0; strmap_next(m, &i, &key, &value);) */
bool strmap_next(const struct strmap *m, int64_t *pos, const char **key, void **value);
void strmap_release(struct strmap *m); /* keys only; values are the holder's */

struct u64map_slot {
    uint64_t key;
    void *value;
};
struct u64map {
    struct u64map_slot *slots; /* table; value NULL: free */
    int64_t cap, num_live;
};

void *u64map_find(const struct u64map *m, uint64_t key);
void *u64map_put(struct u64map *m, uint64_t key, void *value); /* value may not be NULL */
void *u64map_remove(struct u64map *m, uint64_t key);
bool u64map_next(const struct u64map *m, int64_t *pos, uint64_t *key, void **value);
void u64map_release(struct u64map *m);

/* 64-bit hash of bytes, seeded; not stable between processes. */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
/* Stable between processes and machines (FNV-1a with a final mix). */
uint64_t hash_stable(const void *p, size_t n);

#endif
