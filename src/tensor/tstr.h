/* SPDX-License-Identifier: Apache-2.0 */
/* A string element: 24 bytes, up to 22 of them inside; zeroes are the empty string.
 *
 * The layout is the later TF_TString's (small and large forms), so that such tensors need no
 * conversion. An element belongs to its tensor's buffer. */
#ifndef LEAT_TENSOR_TSTR_H
#define LEAT_TENSOR_TSTR_H

#include "base/base.h"
#include "base/str.h"

struct tstr {
    union {
        struct {
            uint8_t size_type; /* length * 4 + 0 */
            char text[23];
        } small;
        struct {
            uint64_t size_type; /* length * 4 + 1 */
            uint64_t cap;
            char *text; /* owned */
        } large;
    };
};

static inline bool tstr_is_large(const struct tstr *s)
{
    return (s->small.size_type & 3) == 1;
}
static inline const char *tstr_data(const struct tstr *s)
{
    return tstr_is_large(s) ? s->large.text : s->small.text;
}
static inline size_t tstr_len(const struct tstr *s)
{
    return tstr_is_large(s) ? (size_t)(s->large.size_type >> 2) : (size_t)(s->small.size_type >> 2);
}
static inline struct str tstr_view(const struct tstr *s)
{
    return str_make(tstr_data(s), tstr_len(s));
}
/* Sets s (zeroed, or holding a string, which is freed) to a copy of the bytes, which lie outside
 * s. False, and s as it was: no memory. */
MUST_CHECK bool tstr_set(struct tstr *s, const void *bytes, size_t n);
/* Room for n bytes to be written through the returned pointer; of what s held the first
 * min(n, old length) bytes stay. NULL, and s as it was: no memory. */
char *tstr_resize(struct tstr *s, size_t n) MUST_CHECK;
void tstr_clear(struct tstr *s);

#endif
