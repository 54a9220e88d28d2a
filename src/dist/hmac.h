/* SPDX-License-Identifier: Apache-2.0 */
/* HMAC-SHA-256 (FIPS 198-1, FIPS 180-4): what proves that a peer knows the token. */
#ifndef LEAT_DIST_HMAC_H
#define LEAT_DIST_HMAC_H

#include "base/str.h"

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64 };

struct sha256 {
    uint32_t h[8];
    uint8_t block[SHA256_BLOCK];
    uint64_t bytes;
};
void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t n);
void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES]);

/* Of the texts one after another; the caller sees to it that no two lists of texts join to the same
 * bytes. */
void hmac_sha256(struct str key, const struct str *texts, int num_texts, uint8_t out[SHA256_BYTES]);
/* Takes the same time wherever they differ. */
bool hmac_equal(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES]);

#endif
