/* SPDX-License-Identifier: Apache-2.0 */
/* Working memory that belongs to the thread: packing buffers of products, partial sums.
 *
 * Grows to the largest request of the thread and is freed when the thread ends. A request is valid
 * until the thread's next one in the same slot; a kernel takes one slot and calls nothing that
 * takes the same. Sizes are bounded by the caller's own rule (a few MiB), never by a user's. */
#ifndef LEAT_MATH_SCRATCH_H
#define LEAT_MATH_SCRATCH_H

#include "base/base.h"

enum math_scratch_slot {
    MATH_SCRATCH_GEMM,  /* packed panels */
    MATH_SCRATCH_ROWS,  /* rows converted to float, tiles: within one piece of a loop */
    MATH_SCRATCH_PARTS, /* partial results, kept while the pieces of a loop run */
    MATH_SCRATCH_NUM
};

/* 64-byte aligned, not cleared. */
void *math_scratch(enum math_scratch_slot slot, size_t bytes);

#endif
