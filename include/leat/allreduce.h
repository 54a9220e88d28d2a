/* SPDX-License-Identifier: Apache-2.0 */
/* Data-parallel training by all-reduce: every process has all variables and a batch of its own, and
 * the gradients are averaged between the processes before each update. No parameter servers.
 *
 *     leat_allreduce_init(status);                     under mpirun or srun; alone: one process
 *     leat_optimizer *opt = leat_adam(g, .learning_rate = 1e-3);
 *     TF_Operation *train = leat_minimize(leat_allreduce_optimizer(opt), loss);
 *     TF_Operation *init = leat_global_variables_initializer(g);
 *     TF_Operation *same = leat_broadcast_variables(g, 0);
 *     ... run init, then same, then train as often as wanted: each process as often as the others
 *     leat_allreduce_finalize(status);
 *
 * Every process builds the same graph. What is averaged is merged in an order that hangs on the
 * number of processes and of elements alone: all have the same bits, in every run. A process whose
 * step fails, is cancelled or times out lets the step of the others fail, once they wait for it.
 * MPI is opened at run time (docs/howto/train-with-allreduce.md). */
#ifndef LEAT_ALLREDUCE_H
#define LEAT_ALLREDUCE_H

#include "leat/optimizer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Joins the processes that a launcher started together; where none started this one, it is alone,
 * and MPI is not opened. 1, also when it was called before; or 0. Errors: NOT_FOUND (no
 * MPI library), FAILED_PRECONDITION (library and launcher are not each other's; after
 * leat_allreduce_finalize; MPI was started without MPI_THREAD_MULTIPLE), UNIMPLEMENTED (Leat was
 * built without MPI). Sessions' steps that begin from now on can reach the others. Any thread. */
LEAT_EXPORT int leat_allreduce_init(TF_Status *status);
/* This process's number and how many there are; -1 and 0 before leat_allreduce_init and after
 * leat_allreduce_finalize. Any thread. */
LEAT_EXPORT int leat_allreduce_rank(void);
LEAT_EXPORT int leat_allreduce_size(void);
/* Waits until all processes have called it, and leaves MPI; a launcher takes a process that ends
 * without it for a failure. No step of this process may be running; the others' that wait for this
 * process fail with UNAVAILABLE. 1, or 0 with the error in the status. Any thread. */
LEAT_EXPORT int leat_allreduce_finalize(TF_Status *status);

struct leat_allreduce_args {
    const char *made_at;
    leat_optimizer *opt;
    int64_t bucket_bytes; /* gradients are sent together up to so many bytes: 4 MiB */
};
/* Any thread; cannot fail. */
LEAT_EXPORT void leat_allreduce_args_init(struct leat_allreduce_args *args);
/* opt itself, whose leat_compute_gradients (and leat_minimize) now gives the mean over the
 * processes. Dense gradients are float, double or half; of slices, the values and indices of all
 * processes are gathered. NULL, and the graph's error, before leat_allreduce_init
 * (FAILED_PRECONDITION) and for a size of no bucket (INVALID_ARGUMENT). The optimizer's thread. */
LEAT_EXPORT leat_optimizer *leat_allreduce_optimizer_fn(const struct leat_allreduce_args *args);

/* The same for gradients that come from elsewhere: replaces each valid one of grads[0, n). 1, or 0
 * and the graph's error. Alone: leaves them as they are. The thread that builds g. */
LEAT_EXPORT int leat_allreduce_gradients(TF_Graph *g, struct leat_grad *grads, int n,
                                         int64_t bucket_bytes);
/* The operation that gives all global variables of the graph the values that rank `root` has. All
 * have been initialised; every process runs it. Alone it does nothing. Types: float, double, half,
 * int32, int64. NULL and the graph's error: INVALID_ARGUMENT (another type, root out of range, a
 * shape that is not known), FAILED_PRECONDITION before leat_allreduce_init. The thread that builds
 * g.
 */
LEAT_EXPORT TF_Operation *leat_broadcast_variables(TF_Graph *g, int root);

#ifdef __cplusplus
}
#else

#define LEAT_ALLREDUCE_DEFAULTS_ .bucket_bytes = 4 << 20,
/* (opt, .bucket_bytes) */
#define leat_allreduce_optimizer(...)                                                              \
    LEAT_CALL_(leat_allreduce_optimizer_fn, leat_allreduce_args, LEAT_ALLREDUCE_DEFAULTS_, .opt,   \
               __VA_ARGS__)

#endif

#endif
