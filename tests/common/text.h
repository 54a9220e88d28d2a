/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes for the replayers: borrowed ones, and a growing text. They stand on libc alone, so that the
 * judge shares no code with the judged, and can be linked with any library that has the TF_*
 * functions. Running out of memory ends the program: it is a test. */
#ifndef LEAT_TESTS_COMMON_TEXT_H
#define LEAT_TESTS_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that somebody else owns. */
struct bytes {
    const uint8_t *p; /* may be NULL when n is 0 */
    size_t n;
};

static inline struct bytes bytes_of(const char *s)
{
    return (struct bytes){(const uint8_t *)s, strlen(s)};
}
static inline bool bytes_eq(struct bytes a, struct bytes b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool bytes_are(struct bytes a, const char *s)
{
    return bytes_eq(a, bytes_of(s));
}

/* A growing text; zeroed is empty. p is NUL-terminated once anything was added. */
struct text {
    char *p;
    size_t n, cap;
};

void text_add(struct text *t, const void *p, size_t n);
void text_puts(struct text *t, const char *s);
void text_printf(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));
const char *text_str(const struct text *t); /* "" when empty */
void text_clear(struct text *t);            /* empty, memory kept */
void text_release(struct text *t);

/* Memory or the end of the program; cleared. The caller frees with free. */
void *test_alloc(size_t n, size_t size);
/* A NUL-terminated copy. */
char *test_strndup(const void *p, size_t n);

#endif
