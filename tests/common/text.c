/* SPDX-License-Identifier: Apache-2.0 */
/* Growing texts and memory for tests; see text.h. */
#include "common/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void out_of_memory(void)
{
    fprintf(stderr, "test: out of memory\n");
    abort();
}

void *test_alloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
}

char *test_strndup(const void *p, size_t n)
{
    char *copy = test_alloc(n + 1, 1);
    if (n)
        memcpy(copy, p, n);
    return copy;
}

static void text_reserve(struct text *t, size_t more)
{
    if (more > SIZE_MAX / 4 - t->n)
        out_of_memory();
    size_t need = t->n + more + 1;
    if (need <= t->cap)
        return;
    size_t cap = t->cap * 2 > need ? t->cap * 2 : need;
    char *p = realloc(t->p, cap);
    if (!p)
        out_of_memory();
    t->p = p;
    t->cap = cap;
}

void text_add(struct text *t, const void *p, size_t n)
{
    text_reserve(t, n);
    if (n)
        memcpy(t->p + t->n, p, n);
    t->n += n;
    t->p[t->n] = 0;
}

void text_puts(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    text_reserve(t, (size_t)n);
    va_start(ap, fmt);
    vsnprintf(t->p + t->n, (size_t)n + 1, fmt, ap);
    va_end(ap);
    t->n += (size_t)n;
}

const char *text_str(const struct text *t)
{
    return t->p ? t->p : "";
}

void text_clear(struct text *t)
{
    t->n = 0;
    if (t->p)
        t->p[0] = 0;
}

void text_release(struct text *t)
{
    free(t->p);
    *t = (struct text){0};
}
