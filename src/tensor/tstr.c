/* SPDX-License-Identifier: Apache-2.0 */
/* String elements. Their sizes come from users and files: lack of memory is reported, not fatal.
 * The bytes are followed by a NUL that does not count, for the convenience of C functions. */
#include "tensor/tstr.h"

#include "base/mem.h"

enum { SMALL_MAX = 22, TAG_SMALL = 0, TAG_LARGE = 1, TAG_BITS = 2 };

/* Room for n bytes and a NUL; NULL when it cannot be had. */
static char *text_new(size_t n)
{
    struct status st = {0};
    char *p = n < SIZE_MAX >> TAG_BITS ? mem_try(n + 1, "a string", &st) : NULL;
    status_clear(&st);
    return p;
}

static char *set_large_len(struct tstr *s, size_t n)
{
    s->large.size_type = (uint64_t)n << TAG_BITS | TAG_LARGE;
    s->large.text[n] = '\0';
    return s->large.text;
}

/* The bytes that both the old and the new length have keep their values. */
char *tstr_resize(struct tstr *s, size_t n)
{
    if (tstr_is_large(s) && n <= s->large.cap && n > SMALL_MAX)
        return set_large_len(s, n);
    size_t keep = tstr_len(s) < n ? tstr_len(s) : n;
    struct tstr made = {0};
    if (n > SMALL_MAX) {
        made.large.text = text_new(n);
        if (!made.large.text)
            return NULL;
        made.large.cap = n;
        set_large_len(&made, n);
        memcpy(made.large.text, tstr_data(s), keep);
    } else {
        made.small.size_type = (uint8_t)(n << TAG_BITS | TAG_SMALL);
        memcpy(made.small.text, tstr_data(s), keep);
    }
    tstr_clear(s);
    *s = made;
    return tstr_is_large(s) ? s->large.text : s->small.text;
}

bool tstr_set(struct tstr *s, const void *bytes, size_t n)
{
    char *to = tstr_resize(s, n);
    if (!to)
        return false;
    if (n > 0)
        memcpy(to, bytes, n);
    return true;
}

void tstr_clear(struct tstr *s)
{
    if (tstr_is_large(s))
        mem_free(s->large.text);
    *s = (struct tstr){0};
}
