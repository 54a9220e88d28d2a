/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine offers, asked once and remembered (each answer is a word, stored atomically:
 * two threads that ask first at once store the same). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/sysfile.h"

#if defined(__x86_64__)
#include <cpuid.h>

static uint64_t xcr0(void)
{
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

static bool has_all(uint32_t word, uint32_t bits)
{
    return (word & bits) == bits;
}

/* An instruction set counts only where the kernel also saves its registers. */
static enum cpu_level detect_level(void)
{
    const uint64_t ymm_saved = 0x6, zmm_saved = 0xE6;
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) ||
        !has_all(c, bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C | bit_MOVBE))
        return CPU_BASE;
    if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || !has_all(c, bit_LZCNT))
        return CPU_BASE;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has_all(b, bit_AVX2 | bit_BMI | bit_BMI2) ||
        (xcr0() & ymm_saved) != ymm_saved)
        return CPU_BASE;
    if (!has_all(b, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL) ||
        (xcr0() & zmm_saved) != zmm_saved)
        return CPU_AVX2;
    return CPU_AVX512;
}

enum { MXCSR_DAZ = 1 << 6, MXCSR_MASKS = 0x1F80, MXCSR_ROUNDING = 3 << 13, MXCSR_FTZ = 1 << 15 };

/* Exceptions are masked too: kernels compute on lanes whose results nobody reads. */
uint64_t cpu_float_mode_enter(void)
{
    uint32_t saved = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr((saved & ~(uint32_t)MXCSR_ROUNDING) | MXCSR_DAZ | MXCSR_FTZ |
                           MXCSR_MASKS);
    return saved;
}

void cpu_float_mode_restore(uint64_t saved)
{
    __builtin_ia32_ldmxcsr((uint32_t)saved);
}

#elif defined(__aarch64__)

static enum cpu_level detect_level(void)
{
    return CPU_BASE;
}

#define FPCR_FZ ((uint64_t)1 << 24)
#define FPCR_ROUNDING ((uint64_t)3 << 22)
#define FPCR_TRAPS ((uint64_t)0x9F00)

uint64_t cpu_float_mode_enter(void)
{
    uint64_t saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    uint64_t ours = (saved & ~(FPCR_ROUNDING | FPCR_TRAPS)) | FPCR_FZ;
    __asm__ volatile("msr fpcr, %0" : : "r"(ours) : "memory");
    return saved;
}

void cpu_float_mode_restore(uint64_t saved)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(saved) : "memory");
}

#else

static enum cpu_level detect_level(void)
{
    return CPU_BASE;
}

uint64_t cpu_float_mode_enter(void)
{
    return 0; /* no portable way: denormals stay */
}

void cpu_float_mode_restore(uint64_t saved UNUSED)
{
}

#endif

static const char *const level_names[] = {"base", "avx2", "avx512"};

const char *cpu_level_name(enum cpu_level level)
{
    return (size_t)level < ARRAY_LEN(level_names) ? level_names[level] : "unknown";
}

enum cpu_level cpu_level(void)
{
    static int cache = -1; /* atomic */
    int level = __atomic_load_n(&cache, __ATOMIC_RELAXED);
    if (LIKELY(level >= 0))
        return (enum cpu_level)level;
    level = (int)detect_level();
    struct str wish = str_of(getenv("LEAT_CPU"));
    for (int i = 0; i < level; i++)
        if (str_is(wish, level_names[i]))
            level = i;
    __atomic_store_n(&cache, level, __ATOMIC_RELAXED);
    return (enum cpu_level)level;
}

/* "48K" or "32M", as /sys writes a size. */
static int64_t size_parse(struct str text)
{
    char unit = text.n ? text.p[text.n - 1] : '0';
    int64_t scale = unit == 'K' ? 1 << 10 : unit == 'M' ? 1 << 20 : unit == 'G' ? 1 << 30 : 1;
    int64_t number, bytes;
    text.n -= scale > 1;
    return str_to_i64(text, &number) && size_mul(number, scale, &bytes) ? bytes : 0;
}

/* The first CPU's caches, as the kernel lists them: what sysconf says about shared ones is the
 * sum over a socket. 0: not told. */
static int64_t kernel_cache_bytes(int level)
{
    int64_t bytes = 0;
    for (int i = 0; i < 8 && bytes == 0; i++) {
        static const char folder[] = "/sys/devices/system/cpu/cpu0/cache/index";
        struct strbuf type = sysfile_read("%s%d/type", folder, i);
        struct strbuf at = sysfile_read("%s%d/level", folder, i);
        struct strbuf size = sysfile_read("%s%d/size", folder, i);
        int64_t v;
        if (!str_is(sysfile_text(&type), "Instruction") && str_to_i64(sysfile_text(&at), &v) &&
            v == level)
            bytes = size_parse(sysfile_text(&size));
        strbuf_release(&type);
        strbuf_release(&at);
        strbuf_release(&size);
    }
    return bytes;
}

int64_t cpu_cache_bytes(int level)
{
    static const int64_t guesses[3] = {32 << 10, 1 << 20, 8 << 20};
    static int64_t cache[3]; /* atomic */
    if (level < 1 || level > 3)
        return 0;
    int64_t bytes = __atomic_load_n(&cache[level - 1], __ATOMIC_RELAXED);
    if (LIKELY(bytes))
        return bytes;
    bytes = kernel_cache_bytes(level);
    if (bytes <= 0)
        bytes = guesses[level - 1];
    __atomic_store_n(&cache[level - 1], bytes, __ATOMIC_RELAXED);
    return bytes;
}

int64_t cpu_memory_limit(void)
{
    static int64_t cache; /* atomic */
    int64_t limit = __atomic_load_n(&cache, __ATOMIC_RELAXED);
    if (LIKELY(limit))
        return limit;
    int64_t pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (!size_mul(pages, page_bytes, &limit) || limit == 0)
        limit = INT64_MAX;
    limit = max_i64(min_i64(limit, cgroup_memory_limit("")), 1);
    __atomic_store_n(&cache, limit, __ATOMIC_RELAXED);
    return limit;
}

/* CPUs in this thread's affinity mask; the mask grows until the kernel's fits. */
static int affinity_count(void)
{
    for (int room = 1024; room <= 1 << 20; room *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)room);
        if (!set)
            break;
        size_t bytes = CPU_ALLOC_SIZE((size_t)room);
        bool ok = sched_getaffinity(0, bytes, set) == 0;
        bool too_small = !ok && errno == EINVAL;
        int n = ok ? CPU_COUNT_S(bytes, set) : 0;
        CPU_FREE(set);
        if (n > 0)
            return n;
        if (!too_small)
            break;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)min_i64(online, 4096) : 1;
}

int cpu_num_usable(void)
{
    int64_t n = affinity_count(), milli = cgroup_cpu_milli("");
    if (milli != INT64_MAX)
        n = min_i64(n, milli / 1000 + (milli % 1000 != 0));
    return (int)max_i64(n, 1);
}
