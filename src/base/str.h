/* SPDX-License-Identifier: Apache-2.0 */
/* A growing text (struct strbuf, owned by its holder) and a borrowed piece of one (struct str,
 * not NUL-terminated). A zeroed strbuf is the empty text. */
#ifndef LEAT_BASE_STR_H
#define LEAT_BASE_STR_H

#include <stdarg.h>
#include <string.h>

#include "base/base.h"

struct str {
    const char *p; /* may be NULL when n is 0 */
    size_t n;
};

static inline struct str str_make(const char *p, size_t n)
{
    return (struct str){p, n};
}
static inline struct str str_of(const char *s) /* NULL: empty */
{
    return (struct str){s, s ? strlen(s) : 0};
}
static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool str_is(struct str a, const char *s)
{
    return str_eq(a, str_of(s));
}
bool str_starts(struct str s, const char *prefix);
bool str_ends(struct str s, const char *suffix);
struct str str_trim(struct str s); /* without blanks at either end */
/* The piece before the next `sep`, which *rest loses together with the separator; false when
 * *rest is empty: "a,,b," has the pieces "a", "", "b". */
bool str_split(struct str *rest, char sep, struct str *piece);
/* Whole-text numbers, without blanks; false when s is not one or does not fit. Doubles may be
 * hexadecimal, inf or nan, with a point whatever the program's locale. */
MUST_CHECK bool str_to_i64(struct str s, int64_t *out);
MUST_CHECK bool str_to_double(struct str s, double *out);
/* Edits (insert, delete, change) between two names, for "did you mean"; names over 256 bytes are
 * told apart only. */
int str_distance(const char *a, const char *b);
/* Whether candidate may have been meant by name, at a third of its length in edits, and is nearer
 * than *best edits, which it then sets. *best begins as INT_MAX. */
bool str_nearer(const char *name, const char *candidate, int *best);

struct strbuf {
    char *p; /* NUL-terminated once anything was added; owned */
    size_t n, cap;
};

void strbuf_add(struct strbuf *b, const void *bytes, size_t n);
void strbuf_puts(struct strbuf *b, const char *s);
void strbuf_putc(struct strbuf *b, char c);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vprintf(struct strbuf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
const char *strbuf_text(const struct strbuf *b); /* "" when empty; borrowed */
char *strbuf_take(struct strbuf *b);             /* the caller frees (mem_free); b is empty after */
void strbuf_clear(struct strbuf *b);             /* empty, memory kept */
void strbuf_release(struct strbuf *b);

#endif
