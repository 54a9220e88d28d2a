/* SPDX-License-Identifier: Apache-2.0 */
/* Stores that go past the caches, for results that are bigger than these, and hints for loads.
 *
 * A streamed line is not read before it is written and pushes nothing out of the caches. The stores
 * are ordered before what other threads do next only by math_stream_end. */
#ifndef LEAT_MATH_STREAM_H
#define LEAT_MATH_STREAM_H

#include "base/base.h"

/* to and from do not overlap. */
void math_stream_copy(void *to, const void *from, int64_t bytes);
/* Called once by each thread after its last math_stream_copy. */
void math_stream_end(void);

/* Asks for the line at p; never faults. */
static inline void math_prefetch(const void *p)
{
    __builtin_prefetch(p, 0, 2);
}

#endif
