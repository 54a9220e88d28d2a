/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 as RFC 3629 has it. */
#include "base/utf8.h"

size_t utf8_put(char to[4], uint32_t c)
{
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(lead[n > 1 ? n : 0] | c);
    return n;
}

void strbuf_put_utf8(struct strbuf *b, uint32_t c)
{
    char bytes[4];
    strbuf_add(b, bytes, utf8_put(bytes, c));
}
