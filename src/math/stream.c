/* SPDX-License-Identifier: Apache-2.0 */
/* Copies past the caches, at the best level this processor has. */
#include "math/stream.h"

#include "math/simd/stream_simd.h"

void math_stream_copy(void *to, const void *from, int64_t bytes)
{
    SIMD_CALL(stream_copy)(to, from, (size_t)bytes);
}

void math_stream_end(void)
{
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}
