/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of byte strings whose values others rely on: the same on every machine, for ever. */
#ifndef LEAT_CODEC_HASH_H
#define LEAT_CODEC_HASH_H

#include "base/base.h"
#include "base/str.h"

/* FarmHash's Fingerprint64. */
uint64_t hash_farm64(struct str s);
/* Its Fingerprint128, the lower half first. */
void hash_farm128(struct str s, uint64_t out[2]);
/* SipHash-2-4 with its 128-bit key as two little-endian words. */
uint64_t hash_sip24(struct str s, const uint64_t key[2]);
/* MurmurHash64A. */
uint64_t hash_murmur64(struct str s, uint64_t seed);

#endif
