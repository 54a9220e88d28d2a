/* SPDX-License-Identifier: Apache-2.0 */
/* One source, several instruction levels.
 *
 * Each file of math/simd/ is compiled once per level with LEAT_LEVEL defined as base, avx2 or
 * avx512 (and the compiler's flags for it); on other processors than x86-64 with base alone. Its
 * functions are named LEAT_FN(name), which gives name_base, name_avx2, name_avx512, and declared
 * once by SIMD_DECLARE. Callers write SIMD_CALL(name)(args): the best level this CPU has. */
#ifndef LEAT_MATH_SIMD_H
#define LEAT_MATH_SIMD_H

#include "base/cpu.h"

#define LEAT_CAT_(a, b) a##_##b
#define LEAT_CAT(a, b) LEAT_CAT_(a, b)
#define LEAT_FN(name) LEAT_CAT(name, LEAT_LEVEL)

#if defined(__x86_64__) && !defined(LEAT_ONE_LEVEL)
#define SIMD_DECLARE(ret, name, args)                                                              \
    ret name##_base args;                                                                          \
    ret name##_avx2 args;                                                                          \
    ret name##_avx512 args
#define SIMD_CALL(name)                                                                            \
    (cpu_level() == CPU_AVX512 ? name##_avx512                                                     \
                               : (cpu_level() == CPU_AVX2 ? name##_avx2 : name##_base))
#else
#define SIMD_DECLARE(ret, name, args) ret name##_base args
#define SIMD_CALL(name) (name##_base)
#endif

#endif
