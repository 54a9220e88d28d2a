/* SPDX-License-Identifier: Apache-2.0 */
/* Big blocks: one bounded store of freed ones for all threads, and the system behind it.
 *
 * The store has bins by size, four a doubling. A request takes the smallest kept block that is at
 * most a quarter larger than it. What is kept is bounded by a limit, by one and a half times what
 * was ever in use at once (a step whose needs differ in size finds again what it left), and by age:
 * a block that waited through MAX_AGE other frees goes back to the system, so that what only the
 * start of a program needed does not stay. From 1 MiB on memory is mapped, so that giving it back
 * leaves no holes in the heap; from 4 MiB on in huge pages where the system has them. System calls
 * are made without the lock. */
#include "tensor/block.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/cpu.h"
#include "base/lock.h"

enum {
    NUM_BINS = 4 * (63 - 15),
    MAX_SCAN = 64, /* blocks looked at in one bin */
    MAX_AGE = 20000,
    PAGE = 4096,
};
#define MAP_FROM ((size_t)1 << 20)
#define HUGE_FROM ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
#define KEEP_AT_LEAST ((int64_t)16 << 20)

/* A block while it is kept: the links lie where its data was. */
struct kept {
    struct buffer b;
    struct kept *next, *prev;     /* in its bin, newest first */
    struct kept *younger, *older; /* all kept ones by time */
    int64_t tick;
};

struct lock block_lock = LOCK_INIT("blocks", LOCK_RANK_ALLOC);
/* All of this: block_lock. */
static struct kept *bins[NUM_BINS];
static struct kept *youngest, *oldest;
static int64_t num_gives;
/* Written under block_lock, read anywhere. */
static int64_t kept_bytes;
/* Atomic. */
static int64_t in_use_bytes, peak_bytes;
static int64_t max_bytes = -1, max_kept = -1; /* -1: the default */

#define PEEK(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define POST(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)

/* --- accounts --- */

void block_account(int64_t change)
{
    int64_t now = __atomic_add_fetch(&in_use_bytes, change, __ATOMIC_RELAXED);
    int64_t peak = PEEK(peak_bytes);
    while (now > peak && !__atomic_compare_exchange_n(&peak_bytes, &peak, now, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static int64_t bytes_limit(void)
{
    int64_t set = PEEK(max_bytes);
    return set >= 0 ? set : cpu_memory_limit();
}

static int64_t kept_limit(void)
{
    int64_t set = PEEK(max_kept);
    if (set >= 0)
        return set;
    int64_t most = min_i64((int64_t)4 << 30, cpu_memory_limit() / 4);
    return min_i64(most, max_i64(KEEP_AT_LEAST, PEEK(peak_bytes) / 2 * 3));
}

/* Kept blocks make room for a request, then the limit decides. */
bool block_within_limit(size_t more_bytes)
{
    int64_t limit = bytes_limit(), in_use = max_i64(PEEK(in_use_bytes), 0), need, with_kept;
    if (more_bytes > INT64_MAX / 2 || !size_add(in_use, (int64_t)more_bytes, &need) || need > limit)
        return false;
    if (!size_add(need, PEEK(kept_bytes), &with_kept) || with_kept > limit)
        block_big_trim();
    return true;
}

void block_big_stats(struct buffer_stats *out)
{
    *out = (struct buffer_stats){
        .in_use = PEEK(in_use_bytes), .peak = PEEK(peak_bytes), .kept = PEEK(kept_bytes)};
}

void buffer_set_limits(int64_t bytes, int64_t kept)
{
    POST(max_bytes, bytes);
    POST(max_kept, kept);
    if (PEEK(kept_bytes) > kept_limit())
        block_big_trim();
}

/* --- the system --- */

static struct buffer *header_at(char *start, size_t offset, size_t bytes, unsigned size_class)
{
    struct buffer *b = (struct buffer *)(start + offset);
    b->data = b + 1;
    b->bytes = bytes;
    b->size_class = size_class | offset << 8;
    return b;
}

static struct buffer *from_heap(size_t bytes, unsigned size_class)
{
    size_t total = sizeof(struct buffer) + bytes;
    if (BLOCK_KEEPS_NONE) { /* nothing after the data, for asan to see what reads past it */
        void *p;
        return posix_memalign(&p, BLOCK_ALIGN, total) ? NULL : header_at(p, 0, bytes, size_class);
    }
    /* malloc and a shift: aligned allocation would leave splinters in the heap. */
    char *p = malloc(total + BLOCK_ALIGN - 16);
    return p ? header_at(p, -(uintptr_t)p % BLOCK_ALIGN, bytes, size_class) : NULL;
}

static bool is_mapped(size_t bytes)
{
    return !BLOCK_KEEPS_NONE && bytes >= MAP_FROM;
}

/* total is a multiple of PAGE. */
static char *map_pages(size_t total)
{
    size_t spare = total >= HUGE_FROM ? HUGE_PAGE : 0;
    char *p = mmap(NULL, total + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (spare) {
        size_t before = -(uintptr_t)p % HUGE_PAGE;
        if (before)
            munmap(p, before);
        if (spare > before)
            munmap(p + before + total, spare - before);
        p += before;
        madvise(p, total, MADV_HUGEPAGE);
    }
    return p;
}

struct buffer *block_from_system(size_t bytes, unsigned size_class)
{
    if (!is_mapped(bytes))
        return from_heap(bytes, size_class);
    char *p = map_pages(sizeof(struct buffer) + bytes);
    return p ? header_at(p, 0, bytes, size_class) : NULL;
}

void block_to_system(struct buffer *b)
{
    if (is_mapped(b->bytes))
        munmap(b, block_total(b));
    else
        free((char *)b - (b->size_class >> 8));
}

/* --- the store --- */

/* Bytes of data in a big block that is made for `bytes`: whole pages with the header. */
static size_t round_big(size_t bytes)
{
    if (BLOCK_KEEPS_NONE)
        return bytes;
    return ((sizeof(struct buffer) + bytes + PAGE - 1) & ~(size_t)(PAGE - 1)) -
           sizeof(struct buffer);
}

static int bin_of(size_t bytes)
{
    int e = 63 - __builtin_clzll(bytes);
    return (e - 16) * 4 + (int)(bytes >> (e - 2) & 3);
}

static void unlink_kept(struct kept *k)
{
    if (k->next)
        k->next->prev = k->prev;
    if (k->prev)
        k->prev->next = k->next;
    else
        bins[bin_of(k->b.bytes)] = k->next;
    *(k->younger ? &k->younger->older : &youngest) = k->older;
    *(k->older ? &k->older->younger : &oldest) = k->younger;
    POST(kept_bytes, kept_bytes - (int64_t)block_total(&k->b));
}

static void link_kept(struct kept *k)
{
    struct kept **bin = &bins[bin_of(k->b.bytes)];
    k->tick = num_gives;
    k->prev = NULL;
    k->next = *bin;
    if (*bin)
        (*bin)->prev = k;
    *bin = k;
    k->younger = NULL;
    k->older = youngest;
    *(youngest ? &youngest->younger : &oldest) = k;
    youngest = k;
    POST(kept_bytes, kept_bytes + (int64_t)block_total(&k->b));
}

/* The smallest of [bytes, 1.25 bytes]; NULL: none. */
static struct kept *best_fit(size_t bytes)
{
    size_t most = bytes + bytes / 4;
    struct kept *best = NULL;
    for (int bin = bin_of(bytes); bin <= bin_of(most) && !best; bin++) {
        int looked = 0;
        for (struct kept *k = bins[bin]; k && looked < MAX_SCAN; k = k->next, looked++)
            if (k->b.bytes >= bytes && k->b.bytes <= most &&
                (!best || k->b.bytes < best->b.bytes)) {
                best = k;
                if (k->b.bytes == bytes)
                    break;
            }
    }
    return best;
}

struct buffer *block_big_take(size_t bytes)
{
    if (bytes > INT64_MAX / 2)
        return NULL;
    bytes = round_big(bytes);
    lock_take(&block_lock);
    struct kept *k = best_fit(bytes);
    if (k)
        unlink_kept(k);
    lock_drop(&block_lock);
    struct buffer *b = k ? &k->b : NULL;
    if (!b && block_within_limit(sizeof(struct buffer) + bytes)) {
        b = block_from_system(bytes, BLOCK_BIG);
        if (UNLIKELY(!b)) {
            block_big_trim();
            b = block_from_system(bytes, BLOCK_BIG);
        }
    }
    if (LIKELY(b))
        block_account((int64_t)block_total(b));
    return b;
}

/* Unlinks what is too old or too much, and returns it, linked by `next`. block_lock is held. */
static struct kept *unlink_surplus(int64_t limit)
{
    struct kept *surplus = NULL;
    while (oldest && (kept_bytes > limit || num_gives - oldest->tick > MAX_AGE)) {
        struct kept *k = oldest;
        unlink_kept(k);
        k->next = surplus;
        surplus = k;
    }
    return surplus;
}

static void free_list(struct kept *k)
{
    while (k) {
        struct kept *next = k->next;
        block_to_system(&k->b);
        k = next;
    }
}

void block_big_give(struct buffer *b)
{
    block_account(-(int64_t)block_total(b));
    if (BLOCK_KEEPS_NONE) {
        block_to_system(b);
        return;
    }
    int64_t limit = kept_limit();
    lock_take(&block_lock);
    num_gives++;
    link_kept((struct kept *)b);
    struct kept *surplus = unlink_surplus(limit);
    lock_drop(&block_lock);
    free_list(surplus);
}

void block_big_trim(void)
{
    lock_take(&block_lock);
    struct kept *all = unlink_surplus(-1);
    lock_drop(&block_lock);
    free_list(all);
}
