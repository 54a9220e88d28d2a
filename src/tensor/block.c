/* SPDX-License-Identifier: Apache-2.0 */
/* Small blocks: lists per thread and size class, and what each thread has in use.
 *
 * A thread's lists are its own. A block freed by another thread than its maker's goes to the lists
 * of the one that frees. Past its bounds a list gives blocks to the system. When a thread ends
 * its lists go. The numbers of a thread are written by it alone and read by block_stats: relaxed
 * atomic stores, which are plain moves. Bytes in use reach the process-wide account when they
 * have moved by FLUSH_BYTES. */
#include "tensor/block.h"

#include <pthread.h>

#include "base/lock.h"
#include "base/mem.h"

enum {
    UNIT = 64,
    NUM_CLASSES = 36,           /* of 1..8 units, then four a doubling, up to BLOCK_SMALL_MAX */
    LIST_MAX_BYTES = 256 << 10, /* per list */
    LIST_MAX_BLOCKS = 1024,
    THREAD_MAX_BYTES = 2 << 20, /* all lists of a thread */
    FLUSH_BYTES = 256 << 10,
};

struct thread_cache {
    struct buffer *head[NUM_CLASSES]; /* linked by owner_arg */
    uint16_t count[NUM_CLASSES];
    int64_t kept, in_use, num_allocs;  /* read by others; in_use: since the last flush */
    struct thread_cache *next, **link; /* block_lock */
};

static struct thread_cache *all_caches; /* block_lock */
static int64_t ended_allocs;            /* block_lock: num_allocs of threads that are gone */
static pthread_key_t end_key;
static bool have_key; /* atomic */

/* initial-exec: one load, and the eight bytes fit what dlopen keeps free. */
static _Thread_local struct thread_cache *mine __attribute__((tls_model("initial-exec")));

#define PEEK(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define POST(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)

static unsigned class_of(size_t bytes)
{
    unsigned units = bytes <= UNIT ? 1 : (unsigned)((bytes + UNIT - 1) / UNIT);
    if (units <= 8)
        return units - 1;
    unsigned e = 31 - (unsigned)__builtin_clz(units - 1);
    return 8 + (e - 3) * 4 + ((units - 1) >> (e - 2) & 3);
}

static size_t class_bytes(unsigned c)
{
    if (c < 8)
        return (size_t)(c + 1) * UNIT;
    unsigned e = 3 + (c - 8) / 4, step = (c - 8) % 4;
    return (size_t)(5 + step) << (e - 2) << 6;
}

static void flush_in_use(struct thread_cache *t)
{
    block_account(t->in_use);
    POST(t->in_use, 0);
}

static void count_use(struct thread_cache *t, int64_t change)
{
    int64_t now = t->in_use + change;
    POST(t->in_use, now);
    if (UNLIKELY(now > FLUSH_BYTES || now < -FLUSH_BYTES))
        flush_in_use(t);
}

/* Leaves at most `keep` blocks in each list. */
static void shrink_lists(struct thread_cache *t, unsigned keep)
{
    int64_t kept = t->kept;
    for (unsigned c = 0; c < NUM_CLASSES; c++)
        while (t->count[c] > keep) {
            struct buffer *b = t->head[c];
            t->head[c] = b->owner_arg;
            t->count[c]--;
            kept -= (int64_t)block_total(b);
            block_to_system(b);
        }
    POST(t->kept, kept);
}

static void end_thread(void *arg)
{
    struct thread_cache *t = arg;
    mine = NULL; /* a later destructor that frees a buffer starts a new one */
    shrink_lists(t, 0);
    flush_in_use(t);
    lock_take(&block_lock);
    *t->link = t->next;
    if (t->next)
        t->next->link = t->link;
    ended_allocs += t->num_allocs;
    lock_drop(&block_lock);
    mem_free(t);
}

static struct thread_cache *start_thread(void)
{
    struct thread_cache *t = mem_new(struct thread_cache);
    lock_take(&block_lock);
    t->next = all_caches;
    t->link = &all_caches;
    if (t->next)
        t->next->link = &t->next;
    all_caches = t;
    lock_drop(&block_lock);
    if (PEEK(have_key))
        pthread_setspecific(end_key, t);
    return mine = t;
}

static inline struct thread_cache *cache_of_thread(void)
{
    return LIKELY(mine) ? mine : start_thread();
}

struct buffer *block_take(size_t bytes)
{
    struct thread_cache *t = cache_of_thread();
    struct buffer *b;
    if (UNLIKELY(bytes > BLOCK_SMALL_MAX)) {
        b = block_big_take(bytes);
    } else {
        unsigned c = class_of(bytes);
        b = t->head[c];
        if (LIKELY(b)) {
            t->head[c] = b->owner_arg;
            t->count[c]--;
            POST(t->kept, t->kept - (int64_t)block_total(b));
        } else {
            size_t want = BLOCK_KEEPS_NONE ? bytes : class_bytes(c);
            b = block_within_limit(want) ? block_from_system(want, c) : NULL;
        }
        if (LIKELY(b))
            count_use(t, (int64_t)block_total(b));
    }
    if (LIKELY(b))
        POST(t->num_allocs, t->num_allocs + 1);
    return b;
}

void block_give(struct buffer *b)
{
    unsigned c = block_class(b);
    if (UNLIKELY(c == BLOCK_BIG)) {
        block_big_give(b);
        return;
    }
    struct thread_cache *t = cache_of_thread();
    int64_t total = (int64_t)block_total(b);
    count_use(t, -total);
    bool full =
        t->count[c] >= LIST_MAX_BLOCKS || (t->count[c] + 1) * total > LIST_MAX_BYTES + UNIT * 8;
    if (UNLIKELY(BLOCK_KEEPS_NONE || full)) {
        block_to_system(b);
        return;
    }
    b->owner_arg = t->head[c];
    t->head[c] = b;
    t->count[c]++;
    POST(t->kept, t->kept + total);
    if (UNLIKELY(t->kept > THREAD_MAX_BYTES))
        shrink_lists(t, 1);
}

void buffer_trim(void)
{
    if (mine)
        shrink_lists(mine, 0);
    block_big_trim();
}

void buffer_stats(struct buffer_stats *out)
{
    block_big_stats(out);
    lock_take(&block_lock);
    out->num_allocs = ended_allocs;
    for (struct thread_cache *t = all_caches; t; t = t->next) {
        out->in_use += PEEK(t->in_use);
        out->kept += PEEK(t->kept);
        out->num_allocs += PEEK(t->num_allocs);
    }
    lock_drop(&block_lock);
    out->peak = max_i64(out->peak, out->in_use);
}

static void lock_before_fork(void)
{
    lock_take(&block_lock);
}

static void unlock_after_fork(void)
{
    lock_drop(&block_lock);
}

/* A child of fork may go on using tensors, whatever other threads did at that moment. */
__attribute__((constructor)) static void start_library(void)
{
    POST(have_key, pthread_key_create(&end_key, end_thread) == 0);
    pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork);
}

/* The code of end_thread may be unloaded after this. */
__attribute__((destructor)) static void end_library(void)
{
    if (have_key)
        pthread_key_delete(end_key);
    POST(have_key, false);
}
