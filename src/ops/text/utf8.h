/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of UTF-8 text: any byte that does not continue a character begins one. Text that is
 * not valid is measured by the same rule. */
#ifndef LEAT_OPS_TEXT_UTF8_H
#define LEAT_OPS_TEXT_UTF8_H

#include "base/base.h"
#include "base/str.h"

static inline bool utf8_begins(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static inline int64_t utf8_length(struct str s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += utf8_begins(s.p[i]);
    return n;
}

/* Where character `skip` behind the one at `at` begins; the end of s where there are fewer. */
static inline size_t utf8_forward(struct str s, size_t at, int64_t skip)
{
    for (; skip > 0 && at < s.n; skip--) {
        at++;
        while (at < s.n && !utf8_begins(s.p[at]))
            at++;
    }
    return at;
}

#endif
