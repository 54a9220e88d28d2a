/* SPDX-License-Identifier: Apache-2.0 */
/* Heap memory for metadata, over the C library's malloc. What mem_* hands out may be freed by
 * free(). Workload: many small pieces at graph building, few in a running step. */
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/failpoint.h"

/* Nothing here may allocate: write(2) with a buffer on the stack. */
static _Noreturn void die_out_of_memory(size_t bytes)
{
    char line[96];
    int n = snprintf(line, sizeof line, "leat: out of memory: no %zu bytes for metadata\n", bytes);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        abort();
    abort();
}

_Noreturn void assert_failed(const char *what, const char *file, int line)
{
    char text[512];
    int n = snprintf(text, sizeof text, "leat: assertion failed: %s (%s:%d)\n", what, file, line);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    if (write(STDERR_FILENO, text, len) < 0)
        abort();
    abort();
}

/* Asking malloc for more than half the address space is an error of its own for sanitizers. */
static bool is_absurd(size_t bytes)
{
    return bytes > (size_t)PTRDIFF_MAX >> 8;
}

void *mem_alloc(size_t bytes)
{
    void *p = is_absurd(bytes) ? NULL : malloc(bytes ? bytes : 1);
    if (UNLIKELY(!p))
        die_out_of_memory(bytes);
    return p;
}

void *mem_zalloc(size_t bytes)
{
    void *p = is_absurd(bytes) ? NULL : calloc(1, bytes ? bytes : 1);
    if (UNLIKELY(!p))
        die_out_of_memory(bytes);
    return p;
}

void *mem_zalloc_aligned(size_t bytes, size_t align)
{
    void *p;
    if (is_absurd(bytes) || posix_memalign(&p, align, bytes ? bytes : 1) != 0)
        die_out_of_memory(bytes);
    return memset(p, 0, bytes);
}

void *mem_realloc(void *p, size_t bytes)
{
    void *q = is_absurd(bytes) ? NULL : realloc(p, bytes ? bytes : 1);
    if (UNLIKELY(!q))
        die_out_of_memory(bytes);
    return q;
}

void mem_free(void *p)
{
    free(p);
}

char *mem_strdup(const char *s)
{
    return mem_strndup(s, strlen(s));
}

char *mem_strndup(const char *s, size_t n)
{
    n = n ? strnlen(s, n) : 0;
    char *copy = mem_alloc(n + 1);
    if (n)
        memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

char *mem_vprintf(const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    char small[256];
    int n = vsnprintf(small, sizeof small, fmt, ap);
    char *text;
    if (n < 0) { /* text that the C library cannot convert: the format says at least what it was */
        text = mem_strdup(fmt);
    } else if ((size_t)n < sizeof small) {
        text = mem_strndup(small, (size_t)n);
    } else {
        text = mem_alloc((size_t)n + 1);
        vsnprintf(text, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    return text;
}

char *mem_printf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = mem_vprintf(fmt, ap);
    va_end(ap);
    return text;
}

void *mem_try(size_t bytes, const char *what, struct status *st)
{
    /* More than the machine or our cgroup has would be granted by an overcommitting kernel, and
     * we would be killed at the first touch. */
    bool hopeless = is_absurd(bytes) || (int64_t)bytes > cpu_memory_limit();
    void *p = hopeless || FAILPOINT("mem_try") ? NULL : malloc(bytes ? bytes : 1);
    if (UNLIKELY(!p))
        status_exhausted(st, "out of memory: cannot have %zu bytes for %s", bytes, what);
    return p;
}

size_t mem_array_bytes(int64_t n, size_t size)
{
    int64_t bytes;
    return size_mul(n, (int64_t)size, &bytes) ? (size_t)bytes : SIZE_MAX;
}

void *vec_reserve(void *items, int64_t *cap, int64_t need, size_t size)
{
    if (LIKELY(need <= *cap))
        return items;
    int64_t grown = *cap <= INT64_MAX / 2 ? max_i64(*cap * 2, 8) : INT64_MAX;
    grown = max_i64(grown, need);
    items = mem_realloc(items, mem_array_bytes(grown, size));
    *cap = grown;
    return items;
}
