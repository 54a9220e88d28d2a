/* SPDX-License-Identifier: Apache-2.0 */
/* Heap memory for metadata: small, sized by us, not by data.
 *
 * mem_* never returns NULL: metadata is small, and a process that has none left for it cannot
 * even report an error; it ends with a message. Memory whose size a user, a file or a peer
 * chooses (tensors, decoded bytes) comes from mem_try, or from tensor/buffer.h, and its lack is
 * RESOURCE_EXHAUSTED. */
#ifndef LEAT_BASE_MEM_H
#define LEAT_BASE_MEM_H

#include "base/base.h"
#include "base/status.h"

void *mem_alloc(size_t bytes); /* not cleared */
void *mem_zalloc(size_t bytes);
void *mem_realloc(void *p, size_t bytes);
void mem_free(void *p); /* NULL is fine */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* For sizes from outside: NULL and RESOURCE_EXHAUSTED ("... bytes for WHAT") when it cannot be had. */
void *mem_try(size_t bytes, const char *what, struct status *st) MUST_CHECK;

#define mem_new(type) ((type *)mem_zalloc(sizeof(type)))
#define mem_new_array(type, n) ((type *)mem_zalloc(sizeof(type) * (size_t)(n)))

/* Makes room for `need` items of `size` bytes in a growing array: doubles *cap as needed, clears
 * nothing, returns the array's (possibly new) place. Use: a = vec_reserve(a, &cap, n + 1, sizeof *a); */
void *vec_reserve(void *items, int64_t *cap, int64_t need, size_t size);

#endif
