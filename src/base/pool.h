/* SPDX-License-Identifier: Apache-2.0 */
/* The thread pool: one for the inside of kernels (parallel loops), one for ready nodes.
 *
 * A loop's split depends on its length and grain alone, never on the number of threads, so that
 * sums combined block by block are the same for any thread count. The calling thread works too;
 * idle workers spin for a few microseconds after work, then sleep; none is woken when the whole
 * loop costs less than about 100 us. Threads start at first use, block all signals (but those of
 * their own faults), set flush-to-zero, and a pool with one thread starts none for loops. After
 * fork the child sees an unusable pool if it ever had work: pool_ok is false and the caller reports
 * FAILED_PRECONDITION; what is called all the same runs on the caller. */
#ifndef LEAT_BASE_POOL_H
#define LEAT_BASE_POOL_H

#include "base/base.h"

struct pool;

/* num_threads counts the caller; 0: as many as the process may use (affinity and cgroup quota). */
struct pool *pool_new(const char *name, int num_threads);
/* Runs what was submitted to its end and joins. No loop may be running, and the caller may not be
 * one of the pool's own threads. */
void pool_free(struct pool *p);
int pool_num_threads(const struct pool *p);
bool pool_ok(const struct pool *p);
int pool_default_threads(void);

/* Runs one piece [begin, end) of a loop. */
typedef void (*pool_loop_fn)(void *arg, int64_t begin, int64_t end);

/* Calls fn over [0, n) in blocks of `grain` items (the last may be shorter), on any threads, and
 * returns when all are done. cost_ns is the rough cost of one item: it decides only whether
 * others are woken. Block boundaries are multiples of grain: block number = begin / grain. Loops
 * may nest: an inner loop runs on the calling thread. Several threads may run loops on one pool at
 * once. p may be NULL: the caller does it all. */
void pool_loop(struct pool *p, int64_t n, int64_t grain, double cost_ns, pool_loop_fn fn,
               void *arg);

/* A grain that gives blocks of about 50 us each, at least 1: a rule of shape alone. */
int64_t pool_grain(int64_t n, double cost_ns);

/* Queues fn(arg) to run once on some worker thread; never on the caller's, except where the pool
 * has one thread: then it runs on a helper thread that is started for such closures. (When the
 * system gives us no thread at all, or after fork, the caller runs it: nothing is ever lost.)
 * At most max(1, num_threads - 1) closures run at once, in the order they came. */
void pool_submit(struct pool *p, void (*fn)(void *arg), void *arg);

/* True on a thread that is inside the body of a loop that others share. */
bool pool_in_loop(void);

#endif
