/* SPDX-License-Identifier: Apache-2.0 */
/* libmpi as it is used here: bytes from rank to rank. Inside of dist/mpi_*.c; one thread.
 *
 * The two binary interfaces differ in what a handle is (a pointer, an int), in the constants, and
 * in the layout of a status. Handles are passed as 64-bit words, which both calling conventions
 * that Leat runs on take for either. */
#ifndef LEAT_DIST_MPI_LINK_H
#define LEAT_DIST_MPI_LINK_H

#include "base/status.h"

/* How many processes the launcher says that there are; 1: none started this one. */
int mpi_launched_size(void);
/* Opens the library. NOT_FOUND: there is none. */
MUST_CHECK bool mpi_link_open(struct status *st);
/* MPI_Init_thread and a communicator of our own. */
MUST_CHECK bool mpi_link_start(int *rank, int *size, struct status *st);
MUST_CHECK bool mpi_link_stop(struct status *st);

enum { MPI_TAG_CONTROL = 1, MPI_TAG_DATA = 2 };

struct mpi_request {
    uint64_t handle[2];
};
MUST_CHECK bool mpi_link_send(struct mpi_request *r, const void *p, size_t n, int to, int tag,
                              struct status *st); /* n <= 1 GiB; p lives until it is over */
MUST_CHECK bool mpi_link_recv(struct mpi_request *r, void *p, size_t n, int from, int tag,
                              struct status *st);
MUST_CHECK bool mpi_link_test(struct mpi_request *r, bool *over, struct status *st);
/* A message with this tag that has come: from whom; -1: none. */
MUST_CHECK bool mpi_link_probe(int tag, int *from, struct status *st);

/* Sends n bytes to `to` and receives m from `from` (either -1: none), in pieces, waiting. */
struct mpi_exchange {
    const void *out;
    size_t out_bytes;
    int to;
    void *in;
    size_t in_bytes;
    int from;
};
MUST_CHECK bool mpi_link_exchange(const struct mpi_exchange *x, struct status *st);

#endif
