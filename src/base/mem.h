/* SPDX-License-Identifier: Apache-2.0 */
/* Heap memory for metadata: small, sized by us, not by data.
 *
 * mem_* never returns NULL: metadata is small, and a process that has none left for it cannot
 * even report an error; it ends with a message. Memory whose size a user, a file or a peer
 * chooses (tensors, decoded bytes) comes from mem_try, or from tensor/buffer.h, and its lack is
 * RESOURCE_EXHAUSTED. */
#ifndef LEAT_BASE_MEM_H
#define LEAT_BASE_MEM_H

#include <stdarg.h>

#include "base/base.h"
#include "base/status.h"

void *mem_alloc(size_t bytes); /* not cleared */
void *mem_zalloc(size_t bytes);
void *mem_zalloc_aligned(size_t bytes, size_t align); /* align: a power of two */
void *mem_realloc(void *p, size_t bytes);
void mem_free(void *p); /* NULL is fine */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) PRINTF_LIKE(1, 2);
char *mem_vprintf(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);
/* n * size; SIZE_MAX, which no allocation grants, where that overflows or n is negative. */
size_t mem_array_bytes(int64_t n, size_t size);

/* For sizes from outside: NULL and RESOURCE_EXHAUSTED ("... bytes for WHAT") when it cannot be
 * had, or is more than the process may use. Failpoint: mem_try. */
void *mem_try(size_t bytes, const char *what, struct status *st) MUST_CHECK;

#define mem_new(type) ((type *)mem_zalloc(sizeof(type)))
#define mem_new_array(type, n) ((type *)mem_zalloc(mem_array_bytes((n), sizeof(type))))

/* Makes room for `need` items of `size` bytes in a growing array: doubles *cap as needed, clears
 * nothing, returns the array's (possibly new) place. Use: a = vec_reserve(a, &cap, n + 1, sizeof
 * *a); */
void *vec_reserve(void *items, int64_t *cap, int64_t need, size_t size);

#endif
