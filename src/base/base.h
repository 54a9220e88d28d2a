/* SPDX-License-Identifier: Apache-2.0 */
/* The few macros that every file of Leat uses: attributes, assertions, array lengths. */
#ifndef LEAT_BASE_BASE_H
#define LEAT_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/banned.h"

#define MUST_CHECK __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define UNUSED __attribute__((unused))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ASSERT is for our own bugs only: what a user, a file or a peer sent never reaches one. On in
 * debug and test builds, and compiled out (but type-checked) elsewhere. */
#ifdef LEAT_ASSERTS
#define ASSERT(x) ((x) ? (void)0 : assert_failed(#x, __FILE__, __LINE__))
#else
#define ASSERT(x) ((void)sizeof((x) ? 1 : 0))
#endif
_Noreturn void assert_failed(const char *what, const char *file, int line);

static inline int64_t min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a * b in *out; false when the product leaves int64 (or a factor is negative). The one place
 * where sizes are multiplied. */
MUST_CHECK static inline bool size_mul(int64_t a, int64_t b, int64_t *out)
{
    return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, out);
}

MUST_CHECK static inline bool size_add(int64_t a, int64_t b, int64_t *out)
{
    return a >= 0 && b >= 0 && !__builtin_add_overflow(a, b, out);
}

#endif
