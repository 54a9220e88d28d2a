/* SPDX-License-Identifier: Apache-2.0 */
/* Base64, three bytes to four characters and back. */
#include "codec/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

size_t base64_encoded_size(size_t n, bool pad)
{
    size_t rest = n % 3;
    return n / 3 * 4 + (rest == 0 ? 0 : pad ? 4 : rest + 1);
}

void base64_encode(struct str bytes, bool pad, char *out)
{
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t left = bytes.n - i;
        unsigned b[3] = {0};
        for (size_t k = 0; k < 3 && k < left; k++)
            b[k] = (unsigned char)bytes.p[i + k];
        unsigned v = b[0] << 16 | b[1] << 8 | b[2];
        *out++ = alphabet[v >> 18];
        *out++ = alphabet[v >> 12 & 63];
        if (left > 1)
            *out++ = alphabet[v >> 6 & 63];
        else if (pad)
            *out++ = '=';
        if (left > 2)
            *out++ = alphabet[v & 63];
        else if (pad)
            *out++ = '=';
    }
}

size_t base64_decoded_max(size_t n)
{
    return n / 4 * 3 + 3;
}

static int value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

bool base64_decode(struct str text, char *out, size_t *n, struct status *st)
{
    char *begin = out;
    if (text.n % 4 == 0 && text.n && text.p[text.n - 1] == '=')
        text.n -= text.p[text.n - 2] == '=' ? 2 : 1;
    for (size_t i = 0; i < text.n; i += 4) {
        size_t left = text.n - i < 4 ? text.n - i : 4;
        unsigned v = 0;
        if (left == 1)
            return status_invalid(st, "Base64 string length cannot be 1 modulo 4.");
        for (size_t k = 0; k < 4; k++) {
            int digit = k < left ? value_of(text.p[i + k]) : 0;
            if (digit < 0)
                return status_invalid(st, "Invalid character found in base64.");
            v = v << 6 | (unsigned)digit;
        }
        for (size_t k = 0; k + 1 < left; k++)
            *out++ = (char)(v >> (16 - 8 * k));
    }
    *n = (size_t)(out - begin);
    return true;
}
