/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes Base64, the Unicode decoders and the hashes: what decodes encodes to the same again, and
 * decoding always goes forward within the text. */
#include <stdlib.h>

#include "base/mem.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "codec/unicode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_base64(struct str text)
{
    struct status st = {0};
    size_t n, again;
    char *bytes = mem_alloc(base64_decoded_max(text.n) + 1);
    if (base64_decode(text, bytes, &n, &st)) {
        size_t size = base64_encoded_size(n, true);
        char *out = mem_alloc(size + 1), *back = mem_alloc(base64_decoded_max(size) + 1);
        base64_encode(str_make(bytes, n), true, out);
        if (!base64_decode(str_make(out, size), back, &again, &st) || again != n ||
            (n > 0 && memcmp(back, bytes, n) != 0))
            abort();
        mem_free(out);
        mem_free(back);
    }
    mem_free(bytes);
    status_clear(&st);
}

static void try_unicode(enum unicode_encoding e, struct str text)
{
    while (text.n > 0) {
        size_t used = 0;
        int32_t c = unicode_decode(e, text, &used);
        if (used == 0 || used > text.n || c > UNICODE_MAX)
            abort();
        text.p += used;
        text.n -= used;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t key[2] = {1, 2};
    struct str text = str_make((const char *)data, size);
    try_base64(text);
    for (int e = UNICODE_UTF8; e <= UNICODE_UTF32LE; e++)
        try_unicode((enum unicode_encoding)e, text);
    if (hash_farm64(text) != hash_farm64(text) || hash_sip24(text, key) != hash_sip24(text, key) ||
        hash_murmur64(text, 3) != hash_murmur64(text, 3))
        abort();
    return 0;
}
