/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli: reflected polynomial 0x82F63B78, first and last xor all ones), the checksum
 * of tables, checkpoints and records. By instruction where the processor has one, some 20 bytes a
 * nanosecond (60 for long texts where it has wide carry-less products); else by tables. Any
 * thread. */
#ifndef LEAT_CODEC_CRC32C_H
#define LEAT_CODEC_CRC32C_H

#include "base/base.h"

/* Of what had checksum `crc` (0: nothing yet) followed by these bytes. */
uint32_t crc32c_extend(uint32_t crc, const void *bytes, size_t n);
static inline uint32_t crc32c(const void *bytes, size_t n)
{
    return crc32c_extend(0, bytes, n);
}
/* Of A followed by B, from the checksums of both and the length of B: pieces of one text may be
 * read on several threads. */
uint32_t crc32c_join(uint32_t a, uint32_t b, uint64_t b_bytes);
/* As crc32c_extend, without the instruction: the reference for tests. */
uint32_t crc32c_extend_by_table(uint32_t crc, const void *bytes, size_t n);

/* The form in which files keep it: a checksum over bytes that hold checksums would be weak. */
static inline uint32_t crc32c_mask(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}
static inline uint32_t crc32c_unmask(uint32_t masked)
{
    uint32_t r = masked - 0xa282ead8u;
    return r >> 17 | r << 15;
}
static inline uint32_t crc32c_masked(const void *bytes, size_t n)
{
    return crc32c_mask(crc32c(bytes, n));
}

#endif
