/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C, the Castagnoli checksum of records, tables and checkpoints: polynomial 0x82F63B78 with
 * its bits reversed, all bits of the sum turned over before and after (RFC 3720). */
#ifndef LEAT_CODEC_CRC32C_H
#define LEAT_CODEC_CRC32C_H

#include "base/base.h"

/* The checksum of some bytes followed by n more, from that of the former (0: there were none). */
uint32_t crc32c_extend(uint32_t crc, const void *data, size_t n);

/* As files hold it: a checksum over bytes that hold checksums themselves would be weak. */
static inline uint32_t crc32c_mask(uint32_t crc)
{
    return (crc >> 15 | crc << 17) + 0xA282EAD8u;
}
static inline uint32_t crc32c_unmask(uint32_t masked)
{
    uint32_t c = masked - 0xA282EAD8u;
    return c >> 17 | c << 15;
}
static inline uint32_t crc32c_masked(const void *data, size_t n)
{
    return crc32c_mask(crc32c_extend(0, data, n));
}

#endif
