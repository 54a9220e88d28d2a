/* SPDX-License-Identifier: Apache-2.0 */
/* How the data of a collective go from rank to rank. All ranks call the same one at the same time;
 * each waits for the others. Inside of dist/mpi_*.c. */
#ifndef LEAT_DIST_MPI_MOVE_H
#define LEAT_DIST_MPI_MOVE_H

#include "base/status.h"

struct mpi_ranks {
    int rank, size;
    char *piece; /* MPI_PIECE bytes */
};
enum { MPI_PIECE = 1 << 20 };

struct mpi_values {
    void *data; /* in: this rank's; out: all merged */
    int64_t n;
    int dtype, merge;
};
/* The order in which elements are merged hangs on the number of ranks and of elements alone, and
 * every rank gets the same bits: up to 16 KiB by exchanges between halves, where both partners
 * merge the lower ranks' values with the higher ranks'; above, in a ring: each part of the values
 * is merged on its way around, and what came out then goes around. */
MUST_CHECK bool mpi_move_reduce(const struct mpi_ranks *w, const struct mpi_values *v,
                                struct status *st);
/* n bytes from root to all, along a binomial tree. */
MUST_CHECK bool mpi_move_broadcast(const struct mpi_ranks *w, void *data, size_t n, int root,
                                   struct status *st);
/* Rank r's bytes lie at data + at[r], up to at[r + 1]; this rank's are there. */
MUST_CHECK bool mpi_move_gather(const struct mpi_ranks *w, void *data, const size_t *at,
                                struct status *st);

#endif
