/* SPDX-License-Identifier: Apache-2.0 */
/* Thread-local working memory: one growing block per slot, freed by a thread-exit hook. */
#include "math/scratch.h"

#include <pthread.h>

#include "base/mem.h"

struct slot {
    void *base; /* as allocated */
    size_t bytes;
};

struct slots {
    struct slot slot[MATH_SCRATCH_NUM];
};

static pthread_key_t slots_key;
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;
static _Thread_local struct slots *slots_mine;

static void slots_free(void *p)
{
    struct slots *s = p;
    for (int i = 0; i < MATH_SCRATCH_NUM; i++)
        mem_free(s->slot[i].base);
    mem_free(s);
    slots_mine = NULL;
}

static void slots_key_make(void)
{
    if (pthread_key_create(&slots_key, slots_free) != 0)
        slots_key = (pthread_key_t)-1; /* out of keys: the memory of a thread outlives it */
}

static struct slots *slots_get(void)
{
    if (!slots_mine) {
        pthread_once(&slots_once, slots_key_make);
        slots_mine = mem_new(struct slots);
        if (slots_key != (pthread_key_t)-1)
            pthread_setspecific(slots_key, slots_mine);
    }
    return slots_mine;
}

void *math_scratch(enum math_scratch_slot slot, size_t bytes)
{
    struct slot *s = &slots_get()->slot[slot];
    bytes += 64; /* never NULL */
    if (s->bytes < bytes) {
        mem_free(s->base);
        s->base = mem_alloc(bytes + 63);
        s->bytes = bytes;
    }
    return (void *)(((uintptr_t)s->base + 63) & ~(uintptr_t)63);
}
