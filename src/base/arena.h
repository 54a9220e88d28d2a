/* SPDX-License-Identifier: Apache-2.0 */
/* An arena: memory taken in small pieces and given back all at once. A zeroed struct is an empty
 * arena. One thread at a time. Pieces are aligned to 16 bytes and cleared. */
#ifndef LEAT_BASE_ARENA_H
#define LEAT_BASE_ARENA_H

#include <stdarg.h>

#include "base/base.h"
#include "base/mem.h"

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    char *next, *end;           /* free room in the newest block */
    size_t used_bytes;          /* handed out so far */
};

void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
void *arena_memdup(struct arena *a, const void *p, size_t bytes);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);
void arena_release(struct arena *a); /* frees all; the arena is empty and usable again */

#define arena_new(a, type) ((type *)arena_alloc(a, sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_alloc(a, mem_array_bytes((n), sizeof(type))))

#endif
