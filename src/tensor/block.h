/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: where buffers live. One block is a struct buffer followed by its 64-byte aligned data.
 *
 * Made for steps that ask for the same sizes again and again: a freed block waits for the next
 * request of its size. Small ones (up to 64 KiB of data) in lists of the thread that freed them,
 * without locks or atomic read-modify-writes; big ones in one store under a lock, since a fresh
 * page costs as much as computing on it. Both are bounded, so that a workload of ever new sizes
 * does not grow. Under asan nothing is kept, and each block has exactly the bytes asked for.
 * Private to src/tensor. */
#ifndef LEAT_TENSOR_BLOCK_H
#define LEAT_TENSOR_BLOCK_H

#include "base/lock.h"
#include "tensor/tensor.h"

enum { BLOCK_ALIGN = 64, BLOCK_SMALL_MAX = 64 << 10 };

#if defined(__SANITIZE_ADDRESS__)
#define BLOCK_KEEPS_NONE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BLOCK_KEEPS_NONE 1
#endif
#endif
#ifndef BLOCK_KEEPS_NONE
#define BLOCK_KEEPS_NONE 0
#endif

/* buffer_new that leaves the message to the caller; defined in buffer.c. */
struct buffer *buffer_try(int dtype, int64_t elems);

/* A block with at least `bytes` at data; data, bytes and size_class are set, the rest is not.
 * NULL: no memory, or a limit would be passed. Any thread. */
struct buffer *block_take(size_t bytes);
void block_give(struct buffer *b);

/* --- the store of big blocks and the system behind both; see block_big.c --- */

extern struct lock block_lock; /* of the store, and of the list of threads in block.c */
struct buffer *block_big_take(size_t bytes);
void block_big_give(struct buffer *b);
void block_big_trim(void);

/* Fresh memory from the system for `bytes` of data and the header; NULL: none. */
struct buffer *block_from_system(size_t bytes, unsigned size_class);
void block_to_system(struct buffer *b);

/* Process-wide accounts. A change of the bytes in use may be told late (see block.c). */
void block_account(int64_t in_use_change);
bool block_within_limit(size_t more_bytes);
void block_big_stats(struct buffer_stats *out); /* in_use, peak, kept as far as known here */

/* What size_class says: the list (small) or BLOCK_BIG, and where the system's memory begins. */
enum { BLOCK_BIG = 255 };
static inline unsigned block_class(const struct buffer *b)
{
    return (unsigned)(b->size_class & 0xff);
}
static inline size_t block_total(const struct buffer *b)
{
    return sizeof(struct buffer) + b->bytes;
}

#endif
