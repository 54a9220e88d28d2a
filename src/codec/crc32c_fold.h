/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C of long pieces by carry-less products of 64 bytes at a time; crc32c.c uses it where the
 * processor has them, at some three times the speed of the checksum instruction. */
#ifndef LEAT_CODEC_CRC32C_FOLD_H
#define LEAT_CODEC_CRC32C_FOLD_H

#include "base/base.h"

enum { CRC32C_FOLD_BLOCK = 256 };

/* Whether this processor has what crc32c_fold needs. Call it once, before. */
bool crc32c_fold_init(uint32_t (*x_to_the_bits)(uint64_t n));
/* 16 bytes whose checksum from a register of 0 is the register `r` after n bytes at p; n is a
 * multiple of CRC32C_FOLD_BLOCK, not 0. */
void crc32c_fold(uint32_t r, const uint8_t *p, size_t n, uint64_t rest[2]);

#endif
