/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's generator: one stream for all steps of its session, handed out in pieces. */
#ifndef LEAT_OPS_RANDOM_SEEDS_H
#define LEAT_OPS_RANDOM_SEEDS_H

#include "base/lock.h"
#include "math/rng.h"
#include "op/kernel.h"

struct seeds {
    struct lock lock;
    struct math_philox gen; /* guarded by lock */
};

/* From the attrs seed and seed2; both 0: from the system. */
static inline void seeds_init(struct seeds *s, const struct kernel *k)
{
    uint64_t seed = (uint64_t)attrs_int(k->attrs, "seed");
    uint64_t seed2 = (uint64_t)attrs_int(k->attrs, "seed2");
    if (seed == 0 && seed2 == 0) {
        seed = math_random_seed();
        seed2 = math_random_seed();
    }
    lock_init(&s->lock, "random generator", LOCK_RANK_KERNEL);
    math_philox_init(&s->gen, seed, seed2);
}

/* A generator whose next n * per blocks are the caller's alone. */
static inline struct math_philox seeds_reserve(struct seeds *s, int64_t n, int64_t per)
{
    lock_take(&s->lock);
    struct math_philox mine = math_philox_reserve(&s->gen, n, per);
    lock_drop(&s->lock);
    return mine;
}

/* An init for kernels whose state is a struct seeds alone. */
bool seeds_only_init(struct kernel *k, void *state, struct status *st);
void seeds_only_release(void *state);

#endif
