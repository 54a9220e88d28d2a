/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU under us can do, read once. Kernels are compiled per level and chosen here. */
#ifndef LEAT_BASE_CPU_H
#define LEAT_BASE_CPU_H

#include "base/base.h"

enum cpu_level {
    CPU_BASE,   /* x86-64-v2, aarch64 with NEON */
    CPU_AVX2,   /* x86-64-v3: AVX2, FMA, F16C, BMI2 */
    CPU_AVX512, /* x86-64-v4: AVX-512 F, BW, CD, DQ, VL */
};

/* LEAT_CPU=base|avx2|avx512 lowers it (for tests). */
enum cpu_level cpu_level(void);
const char *cpu_level_name(enum cpu_level level);
int64_t cpu_cache_bytes(int level); /* 1, 2, 3: data cache size; a guess where unknown */

/* Flush-to-zero, round-to-nearest and no traps for a step; restore puts back what was there. */
uint64_t cpu_float_mode_enter(void);
void cpu_float_mode_restore(uint64_t saved);

/* Bytes of memory this process may use (cgroup limit, else physical); read once. */
int64_t cpu_memory_limit(void);

/* CPUs this thread may use: its affinity mask, and the cgroup's quota rounded up. At least 1. */
int cpu_num_usable(void);

#endif
