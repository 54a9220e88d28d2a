/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool, without a lock on the path of a loop.
 *
 * A loop that is worth sharing is published in one of a few slots, and a bit in `open` says so.
 * Workers that see the bit enter the slot, claim blocks from the loop's counter until none is left,
 * and leave. The caller does the same, then takes the loop out of the slot and waits until nobody
 * is inside. Entering and withdrawing cross like this (all sequentially consistent):
 *
 *     worker: users += 1; look at slot.loop        caller: slot.loop = NULL; look at users
 *
 * so either the worker sees NULL or the caller sees the worker, and a loop, which lives on its
 * caller's stack, outlives everyone who can see it. A slot is reused only after its caller saw it
 * empty, so nobody waits for another caller's loop.
 *
 * Closures go through a queue under a lock. Idle workers spin for SPIN_NS, then sleep on
 * `wake_seq`; who publishes work looks at `sleepers` after publishing, who goes to sleep looks for
 * work after counting himself there, so no wake-up is lost.
 *
 * Workload: loops of 50 us to seconds, thousands a second, mostly from one caller at a time. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/pool.h"

#include <signal.h>
#include <stdio.h>

#include "base/cpu.h"
#include "base/failpoint.h"
#include "base/futex.h"
#include "base/lock.h"
#include "base/mem.h"

enum {
    NUM_SLOTS = 32,     /* callers whose loops are shared at once; more run theirs alone */
    MAX_THREADS = 1024, /* of one pool */
    CACHE_LINE = 64,
    WAKE_FANOUT = 2, /* sleepers that one thread wakes for a loop; those wake more */
};

#define SPIN_NS                                                                                    \
    100000 /* how long an idle worker looks for more work: a recurrent step's serial stretches */
#define JOIN_SPIN_NS 50000     /* how long a caller looks before it sleeps for its workers */
#define MIN_WAKE_COST_NS 100e3 /* loops below it wake nobody */
#define MIN_SHARE_COST_NS 10e3 /* loops below it are not even offered to spinning workers */
#define CLAIM_NS 1000.0        /* small blocks are claimed several at a time, for so much work */
#define BLOCK_NS 50e3          /* what pool_grain aims at */

struct loop {
    pool_loop_fn fn;
    void *arg;
    int64_t n, grain, num_blocks;
    int64_t batch;                           /* blocks per claim */
    int wakes_left;                          /* atomic; sleepers still to be woken for it */
    _Alignas(CACHE_LINE) int64_t next_block; /* atomic */
};

#define SLOT_WAITED ((uint32_t)1 << 31)

struct slot {
    _Alignas(CACHE_LINE) struct loop *loop; /* atomic; NULL: withdrawn */
    uint32_t users; /* atomic; threads inside, plus SLOT_WAITED while the caller sleeps for them */
};

struct closure {
    void (*fn)(void *arg);
    void *arg;
};

struct pool {
    char name[12];
    int num_threads, max_workers;
    int generation; /* atomic; the fork_generation of the process it works in */
    bool touched;   /* atomic; from before its lock was first taken or a slot reserved */

    _Alignas(CACHE_LINE) uint32_t open; /* atomic; bit i: slots[i] has blocks left */
    uint32_t reserved;                  /* atomic; bit i: slots[i] belongs to some caller */
    uint32_t wake_seq;                  /* atomic; what sleepers sleep on */
    int sleepers, spinners;             /* atomic */
    int num_running;                    /* atomic; closures */
    int64_t num_queued;                 /* atomic; written under lock */
    int num_started;                    /* atomic; written under lock */
    bool start_failed;                  /* atomic; loops ask for no more threads */
    bool may_spin;                      /* atomic; there is a CPU for each thread */
    bool stop;                          /* atomic */

    struct slot slots[NUM_SLOTS];

    struct lock lock;     /* guards what follows */
    struct closure *ring; /* the oldest at ring_head, num_queued of them */
    int64_t ring_size, ring_head;
    pthread_t *workers; /* room for max_workers, num_started used */
};

static __thread bool in_loop;

bool pool_in_loop(void)
{
    return in_loop;
}

/* ---- forks ---- */

static int fork_generation; /* atomic; one more in each child */

static void after_fork_in_child(void)
{
    __atomic_fetch_add(&fork_generation, 1, __ATOMIC_SEQ_CST);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

static bool is_of_this_process(const struct pool *p)
{
    return __atomic_load_n(&p->generation, __ATOMIC_SEQ_CST) ==
           __atomic_load_n(&fork_generation, __ATOMIC_RELAXED);
}

/* A child inherits neither threads nor who holds a lock, so it may use only a pool that had
 * neither. (Asked again at the end: another thread of the child may have taken the pool over.) */
bool pool_ok(const struct pool *p)
{
    return is_of_this_process(p) || !__atomic_load_n(&p->touched, __ATOMIC_SEQ_CST) ||
           is_of_this_process(p);
}

/* Comes before anything that a fork could leave half done. */
static bool pool_touch(struct pool *p)
{
    if (LIKELY(is_of_this_process(p) && __atomic_load_n(&p->touched, __ATOMIC_RELAXED)))
        return true;
    if (!pool_ok(p))
        return false;
    __atomic_store_n(&p->generation, __atomic_load_n(&fork_generation, __ATOMIC_RELAXED),
                     __ATOMIC_SEQ_CST);
    __atomic_store_n(&p->touched, true, __ATOMIC_SEQ_CST);
    return true;
}

/* ---- waking ---- */

/* The caller has published the work already. */
static void wake_workers(struct pool *p, int n)
{
    if (n <= 0 || __atomic_load_n(&p->sleepers, __ATOMIC_SEQ_CST) == 0)
        return;
    __atomic_fetch_add(&p->wake_seq, 1, __ATOMIC_SEQ_CST);
    futex_wake(&p->wake_seq, n);
}

static bool has_work(const struct pool *p)
{
    return __atomic_load_n(&p->open, __ATOMIC_SEQ_CST) != 0 ||
           __atomic_load_n(&p->num_queued, __ATOMIC_SEQ_CST) != 0 ||
           __atomic_load_n(&p->stop, __ATOMIC_SEQ_CST);
}

static bool spin_for_work(struct pool *p)
{
    if (!__atomic_load_n(&p->may_spin, __ATOMIC_RELAXED))
        return has_work(p);
    __atomic_fetch_add(&p->spinners, 1, __ATOMIC_SEQ_CST);
    bool found = false;
    int64_t deadline = clock_now_ns() + SPIN_NS;
    while (!(found = has_work(p)) && clock_now_ns() < deadline)
        for (int i = 0; i < 16 && !__atomic_load_n(&p->open, __ATOMIC_RELAXED); i++)
            cpu_relax();
    __atomic_fetch_sub(&p->spinners, 1, __ATOMIC_SEQ_CST);
    return found;
}

static void sleep_for_work(struct pool *p)
{
    uint32_t seq = __atomic_load_n(&p->wake_seq, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&p->sleepers, 1, __ATOMIC_SEQ_CST);
    if (!has_work(p))
        futex_wait(&p->wake_seq, seq);
    __atomic_fetch_sub(&p->sleepers, 1, __ATOMIC_SEQ_CST);
}

/* ---- loops ---- */

static void run_block(const struct loop *l, int64_t block)
{
    int64_t begin = block * l->grain;
    int64_t end = l->n - begin <= l->grain ? l->n : begin + l->grain;
    l->fn(l->arg, begin, end);
}

/* Claims and runs blocks until none is left. */
static void work_on_loop(struct loop *l)
{
    in_loop = true;
    int64_t first;
    while ((first = __atomic_fetch_add(&l->next_block, l->batch, __ATOMIC_RELAXED)) <
           l->num_blocks) {
        int64_t end = min_i64(first + l->batch, l->num_blocks);
        for (int64_t block = first; block < end; block++)
            run_block(l, block);
    }
    in_loop = false;
}

/* This thread's share of the waking that the loop still wants. */
static void wake_for_loop(struct pool *p, struct loop *l)
{
    if (__atomic_load_n(&l->wakes_left, __ATOMIC_RELAXED) <= 0)
        return;
    int left = __atomic_fetch_sub(&l->wakes_left, WAKE_FANOUT, __ATOMIC_RELAXED);
    wake_workers(p, left < WAKE_FANOUT ? left : WAKE_FANOUT);
}

/* A worker's visit to a slot. */
static void slot_visit(struct pool *p, int i)
{
    struct slot *s = &p->slots[i];
    __atomic_fetch_add(&s->users, 1, __ATOMIC_SEQ_CST);
    struct loop *l = __atomic_load_n(&s->loop, __ATOMIC_SEQ_CST);
    if (l) {
        wake_for_loop(p, l);
        work_on_loop(l);
        __atomic_fetch_and(&p->open, ~((uint32_t)1 << i), __ATOMIC_SEQ_CST);
    }
    if (__atomic_fetch_sub(&s->users, 1, __ATOMIC_SEQ_CST) == (SLOT_WAITED | 1))
        futex_wake(&s->users, 1);
}

/* Visits each open slot, beginning at a place of this worker's own, so that loops of several
 * callers share the workers. */
static bool work_on_open_loops(struct pool *p, int turn)
{
    uint32_t open = __atomic_load_n(&p->open, __ATOMIC_SEQ_CST);
    for (int k = 0; open && k < NUM_SLOTS; k++) {
        int i = (k + turn) % NUM_SLOTS;
        if (!(open >> i & 1))
            continue;
        slot_visit(p, i);
        return true;
    }
    return false;
}

/* -1: all are taken. */
static int slot_reserve(struct pool *p)
{
    uint32_t seen = __atomic_load_n(&p->reserved, __ATOMIC_RELAXED);
    while (~seen) {
        int i = __builtin_ctz(~seen);
        if (__atomic_compare_exchange_n(&p->reserved, &seen, seen | (uint32_t)1 << i, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return i;
    }
    return -1;
}

static void slot_wait_until_empty(const struct pool *p, struct slot *s)
{
    if (__atomic_load_n(&s->users, __ATOMIC_SEQ_CST) == 0)
        return;
    if (__atomic_load_n(&p->may_spin, __ATOMIC_RELAXED)) {
        int64_t deadline = clock_now_ns() + JOIN_SPIN_NS;
        do {
            for (int i = 0; i < 16; i++) {
                if (__atomic_load_n(&s->users, __ATOMIC_SEQ_CST) == 0)
                    return;
                cpu_relax();
            }
        } while (clock_now_ns() < deadline);
    }
    uint32_t users = __atomic_or_fetch(&s->users, SLOT_WAITED, __ATOMIC_SEQ_CST);
    while (users != SLOT_WAITED) {
        futex_wait(&s->users, users);
        users = __atomic_load_n(&s->users, __ATOMIC_SEQ_CST);
    }
    __atomic_fetch_and(&s->users, ~SLOT_WAITED, __ATOMIC_SEQ_CST);
}

static void start_workers(struct pool *p, int want);

/* Runs the loop together with the workers; false, and nothing is done, when no slot is free. */
static bool loop_share(struct pool *p, struct loop *l, bool may_wake)
{
    int i = slot_reserve(p);
    if (i < 0)
        return false;
    int want = (int)min_i64(p->num_threads - 1, l->num_blocks - 1);
    if (may_wake && __atomic_load_n(&p->num_started, __ATOMIC_RELAXED) < want &&
        !__atomic_load_n(&p->start_failed, __ATOMIC_RELAXED)) {
        lock_take(&p->lock);
        start_workers(p, want);
        lock_drop(&p->lock);
    }
    struct slot *s = &p->slots[i];
    uint32_t bit = (uint32_t)1 << i;
    __atomic_store_n(&s->loop, l, __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&p->open, bit, __ATOMIC_SEQ_CST);
    if (may_wake) {
        /* Who still spins now will see the bit before he sleeps. */
        int spinners = __atomic_load_n(&p->spinners, __ATOMIC_SEQ_CST);
        __atomic_store_n(&l->wakes_left, want - spinners, __ATOMIC_RELAXED);
        wake_for_loop(p, l);
    }
    work_on_loop(l);
    __atomic_fetch_and(&p->open, ~bit, __ATOMIC_SEQ_CST);
    __atomic_store_n(&s->loop, NULL, __ATOMIC_SEQ_CST);
    slot_wait_until_empty(p, s);
    __atomic_fetch_and(&p->reserved, ~bit, __ATOMIC_RELEASE);
    return true;
}

static int64_t claim_batch(const struct pool *p, const struct loop *l, double block_ns)
{
    double fit = CLAIM_NS / block_ns;
    int64_t most = l->num_blocks / (4 * p->num_threads); /* leaves enough claims to even out */
    int64_t batch = fit < (double)most ? (int64_t)fit : most;
    return max_i64(batch, 1);
}

void pool_loop(struct pool *p, int64_t n, int64_t grain, double cost_ns, pool_loop_fn fn, void *arg)
{
    if (n <= 0)
        return;
    grain = max_i64(grain, 1);
    if (n <= grain) {
        fn(arg, 0, n);
        return;
    }
    struct loop l = {.fn = fn, .arg = arg, .n = n, .grain = grain};
    l.num_blocks = (n - 1) / grain + 1;
    double total_ns = (double)n * cost_ns;
    if (p && p->num_threads > 1 && total_ns >= MIN_SHARE_COST_NS && !in_loop) {
        bool may_wake = total_ns >= MIN_WAKE_COST_NS;
        l.batch = claim_batch(p, &l, (double)grain * cost_ns);
        if ((may_wake || __atomic_load_n(&p->spinners, __ATOMIC_RELAXED)) && pool_touch(p) &&
            loop_share(p, &l, may_wake))
            return;
    }
    for (int64_t block = 0; block < l.num_blocks; block++)
        run_block(&l, block);
}

int64_t pool_grain(int64_t n, double cost_ns)
{
    if (n <= 1)
        return 1;
    double fit = BLOCK_NS / cost_ns;
    if (!(cost_ns > 0) || fit >= (double)n)
        return n;
    int64_t grain = max_i64((int64_t)fit, 1);
    /* whole cache lines, whatever the items, where that changes little */
    return grain < 512 ? grain : min_i64((grain + 63) / 64 * 64, n);
}

/* ---- closures ---- */

/* The caller holds the lock. */
static void queue_push(struct pool *p, struct closure c)
{
    int64_t n = p->num_queued;
    if (n == p->ring_size) {
        int64_t size = max_i64(n * 2, 64);
        struct closure *ring = mem_new_array(struct closure, size);
        for (int64_t i = 0; i < n; i++)
            ring[i] = p->ring[(p->ring_head + i) % n];
        mem_free(p->ring);
        p->ring = ring;
        p->ring_size = size;
        p->ring_head = 0;
    }
    p->ring[(p->ring_head + n) % p->ring_size] = c;
    __atomic_store_n(&p->num_queued, n + 1, __ATOMIC_SEQ_CST);
}

/* The caller holds the lock. */
static bool queue_pop(struct pool *p, struct closure *c)
{
    if (p->num_queued == 0)
        return false;
    *c = p->ring[p->ring_head];
    p->ring_head = (p->ring_head + 1) % p->ring_size;
    __atomic_store_n(&p->num_queued, p->num_queued - 1, __ATOMIC_SEQ_CST);
    return true;
}

static bool run_closure(struct pool *p)
{
    if (__atomic_load_n(&p->num_queued, __ATOMIC_SEQ_CST) == 0)
        return false;
    struct closure c;
    lock_take(&p->lock);
    bool found = queue_pop(p, &c);
    if (found)
        __atomic_fetch_add(&p->num_running, 1, __ATOMIC_RELAXED);
    lock_drop(&p->lock);
    if (!found)
        return false;
    c.fn(c.arg);
    __atomic_fetch_sub(&p->num_running, 1, __ATOMIC_RELAXED);
    return true;
}

void pool_submit(struct pool *p, void (*fn)(void *arg), void *arg)
{
    if (!pool_touch(p)) {
        fn(arg);
        return;
    }
    lock_take(&p->lock);
    int64_t in_flight = p->num_queued + __atomic_load_n(&p->num_running, __ATOMIC_RELAXED) + 1;
    start_workers(p, (int)min_i64(in_flight, p->max_workers));
    bool queued = p->num_started > 0;
    if (queued)
        queue_push(p, (struct closure){fn, arg});
    lock_drop(&p->lock);
    if (queued)
        wake_workers(p, 1);
    else
        fn(arg);
}

/* ---- threads ---- */

struct worker_start {
    struct pool *pool;
    int index;
};

static void *worker_main(void *arg)
{
    struct worker_start start = *(struct worker_start *)arg;
    mem_free(arg);
    struct pool *p = start.pool;
    cpu_float_mode_enter();
    for (;;) {
        if (work_on_open_loops(p, start.index) || run_closure(p))
            continue;
        if (__atomic_load_n(&p->stop, __ATOMIC_SEQ_CST))
            return NULL;
        if (!spin_for_work(p))
            sleep_for_work(p);
    }
}

/* The program's handlers never run on our threads; but a fault of a thread's own must end the
 * process the way it would elsewhere, and a blocked SIGSEGV ends it without a word. */
static void block_signals(sigset_t *saved)
{
    static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < ARRAY_LEN(own_faults); i++)
        sigdelset(&all, own_faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, saved);
}

static bool start_worker(struct pool *p, int index)
{
    struct worker_start *start = mem_new(struct worker_start);
    *start = (struct worker_start){p, index};
    bool failed = FAILPOINT("pool_thread") ||
                  pthread_create(&p->workers[index], NULL, worker_main, start) != 0;
    if (failed) {
        mem_free(start);
        return false;
    }
    char name[32]; /* at most 15 are used, the system's limit */
    snprintf(name, sizeof name, "%.10s-%d", p->name, index + 1);
    pthread_setname_np(p->workers[index], name);
    return true;
}

/* Starts workers until there are `want`, or the system gives no more. The caller holds the lock;
 * a new thread inherits the signal mask that we have meanwhile. */
static void start_workers(struct pool *p, int want)
{
    if (p->num_started >= want)
        return;
    if (!p->workers) {
        p->workers = mem_new_array(pthread_t, p->max_workers);
        const int cpus = cpu_num_usable(); /* on a single one a spinner keeps who has work away */
        __atomic_store_n(&p->may_spin, cpus > 1 && p->num_threads <= cpus, __ATOMIC_RELAXED);
    }
    sigset_t saved;
    block_signals(&saved);
    while (p->num_started < want) {
        if (!start_worker(p, p->num_started)) {
            __atomic_store_n(&p->start_failed, true, __ATOMIC_RELAXED);
            break;
        }
        __atomic_store_n(&p->num_started, p->num_started + 1, __ATOMIC_RELAXED);
    }
    pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

struct pool *pool_new(const char *name, int num_threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (num_threads <= 0)
        num_threads = pool_default_threads();
    struct pool *p = mem_zalloc_aligned(sizeof *p, CACHE_LINE);
    snprintf(p->name, sizeof p->name, "%.11s", name);
    p->num_threads = (int)min_i64(num_threads, MAX_THREADS);
    p->max_workers = (int)max_i64(p->num_threads - 1, 1);
    p->generation = __atomic_load_n(&fork_generation, __ATOMIC_RELAXED);
    lock_init(&p->lock, "pool", LOCK_RANK_POOL);
    return p;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    if (pool_ok(p)) {
        __atomic_store_n(&p->stop, true, __ATOMIC_SEQ_CST);
        wake_workers(p, INT32_MAX);
        for (int i = 0; i < p->num_started; i++)
            pthread_join(p->workers[i], NULL);
        lock_release_memory(&p->lock);
    }
    mem_free(p->ring);
    mem_free(p->workers);
    mem_free(p);
}

int pool_num_threads(const struct pool *p)
{
    return p->num_threads;
}

int pool_default_threads(void)
{
    return cpu_num_usable();
}
