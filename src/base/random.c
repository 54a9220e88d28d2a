/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers from the system, a few at a time for each thread: a step over the network needs
 * several, each of which would cost a call of the system. */
#include "base/random.h"

#include <pthread.h>
#include <sys/random.h>

#include "base/lock.h"

enum { NUM_KEPT = 16 };

static __thread struct {
    uint64_t v[NUM_KEPT];
    int n;
    int generation; /* of the process they were asked in */
} kept;

static int generation; /* atomic; one more in each child */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void after_fork_in_child(void)
{
    __atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

/* Without the system's numbers what the clock says has to do. */
static void fill(void)
{
    pthread_once(&once, watch_forks);
    kept.generation = __atomic_load_n(&generation, __ATOMIC_RELAXED);
    kept.n = NUM_KEPT;
    if (getrandom(kept.v, sizeof kept.v, 0) == (ssize_t)sizeof kept.v)
        return;
    kept.n = 1;
    kept.v[0] = (uint64_t)clock_now_ns() * 0x9e3779b97f4a7c15u;
}

uint64_t random_name(int bits)
{
    ASSERT(bits >= 1 && bits <= 64);
    for (;;) {
        if (kept.n == 0 || kept.generation != __atomic_load_n(&generation, __ATOMIC_RELAXED))
            fill();
        const uint64_t n = kept.v[--kept.n] >> (64 - bits);
        if (n != 0)
            return n;
    }
}
