/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas over blocks that double in size up to a limit; a piece too big for a quarter of a block
 * has one of its own. Blocks come cleared, so pieces need no clearing. Workload: thousands of
 * pieces of tens of bytes, freed together. Under address sanitizer each piece is a block, so that
 * a step outside it is seen. */
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define PIECE_PER_BLOCK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PIECE_PER_BLOCK 1
#endif
#endif
#ifndef PIECE_PER_BLOCK
#define PIECE_PER_BLOCK 0
#endif

enum { ALIGN = 16, FIRST_BLOCK_BYTES = 2048, LAST_BLOCK_BYTES = 256 * 1024 };

struct arena_block {
    struct arena_block *older;
    size_t bytes;
    _Alignas(ALIGN) char data[];
};

static struct arena_block *block_push(struct arena *a, size_t bytes)
{
    struct arena_block *b = mem_zalloc(sizeof *b + bytes);
    b->bytes = bytes;
    b->older = a->blocks;
    a->blocks = b;
    return b;
}

/* A block for one piece goes behind the newest, whose free room stays in use. */
static void *big_piece(struct arena *a, size_t bytes)
{
    struct arena_block *newest = a->blocks;
    struct arena_block *b = block_push(a, bytes);
    if (newest) {
        a->blocks = newest;
        b->older = newest->older;
        newest->older = b;
    }
    return b->data;
}

static size_t next_block_bytes(const struct arena *a)
{
    size_t last = a->next ? a->blocks->bytes : 0;
    if (last == 0)
        return FIRST_BLOCK_BYTES;
    return last >= LAST_BLOCK_BYTES ? LAST_BLOCK_BYTES : last * 2;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    /* Rounding up may not wrap round; mem_zalloc refuses what is left. */
    size_t rounded = bytes > SIZE_MAX / 2 ? SIZE_MAX / 2 : (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (rounded == 0)
        rounded = ALIGN;
    a->used_bytes += bytes;
    if (PIECE_PER_BLOCK)
        return big_piece(a, bytes ? bytes : 1);
    if (LIKELY(a->next && rounded <= (size_t)(a->end - a->next))) {
        void *p = a->next;
        a->next += rounded;
        return p;
    }
    size_t block_bytes = next_block_bytes(a);
    if (rounded > block_bytes / 4)
        return big_piece(a, rounded);
    struct arena_block *b = block_push(a, block_bytes);
    a->next = b->data + rounded;
    a->end = b->data + block_bytes;
    return b->data;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    n = n ? strnlen(s, n) : 0;
    char *copy = arena_alloc(a, n + 1);
    if (n)
        memcpy(copy, s, n);
    return copy;
}

void *arena_memdup(struct arena *a, const void *p, size_t bytes)
{
    void *copy = arena_alloc(a, bytes);
    if (bytes)
        memcpy(copy, p, bytes);
    return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char small[256];
    int n = vsnprintf(small, sizeof small, fmt, ap);
    va_end(ap);
    if (n < 0)
        return arena_strdup(a, fmt);
    if ((size_t)n < sizeof small)
        return arena_memdup(a, small, (size_t)n + 1);
    char *text = arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return text;
}

void arena_release(struct arena *a)
{
    for (struct arena_block *b = a->blocks, *older; b; b = older) {
        older = b->older;
        mem_free(b);
    }
    *a = (struct arena){0};
}
