/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeping on a word of memory until another thread wakes us: Linux's futex, inside one process.
 * Order between threads comes from the atomics around it, never from these calls. */
#ifndef LEAT_BASE_FUTEX_H
#define LEAT_BASE_FUTEX_H

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

/* Returns when woken, at once when *word is not `value`, and sometimes for no reason. */
static inline void futex_wait(uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

/* As futex_wait, for so long at most (less than a second). */
static inline void futex_wait_for(uint32_t *word, uint32_t value, int64_t ns)
{
    const struct timespec limit = {.tv_nsec = (long)ns};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &limit, NULL, 0);
}

static inline void futex_wake(uint32_t *word, int num_threads)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, num_threads, NULL, NULL, 0);
}

/* In a spin loop: lets the core's other thread run, and saves power. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
