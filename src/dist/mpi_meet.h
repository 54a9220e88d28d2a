/* SPDX-License-Identifier: Apache-2.0 */
/* Rank 0 decides when a collective runs, and in which order: all ranks then do the same ones one
 * after the other, whatever order their steps came to them in.
 *
 * Each rank notes what it joins. The k-th note of a rank on a key belongs to the k-th of every
 * other rank. When all are there and fit, everybody is told to go; when they do not fit, when one
 * withdraws (its step was cancelled) or leaves, everybody who came, and who comes later, is told
 * to fail. Inside of dist/mpi_*.c; one thread. */
#ifndef LEAT_DIST_MPI_MEET_H
#define LEAT_DIST_MPI_MEET_H

#include "base/status.h"
#include "tensor/shape.h"

enum note_kind {
    NOTE_JOIN, /* to rank 0 */
    NOTE_WITHDRAW,
    NOTE_LEAVE,
    NOTE_GO, /* from rank 0 */
    NOTE_FAIL,
    NOTE_BYE
};

struct mpi_note { /* as it is sent, as many dims or bytes of text as there are */
    int32_t what; /* enum note_kind */
    int32_t kind, merge, divide, sends, dtype;
    int32_t rank; /* of the shape */
    int32_t root; /* go: who sends a broadcast */
    int32_t code; /* fail */
    int32_t text_bytes;
    uint64_t id; /* the joining rank's own number for it */
    int64_t group_size, group_key, instance_key, iter;
    uint64_t frame;
    union {
        int64_t dims[SHAPE_MAX_RANK];
        char text[SHAPE_MAX_RANK * sizeof(int64_t)];
    };
};
size_t mpi_note_bytes(const struct mpi_note *n);
/* Whether n bytes can be a note. */
bool mpi_note_valid(const struct mpi_note *n);

struct mpi_meets {
    int size;
    bool *left; /* a flag a rank */
    int num_left;
    struct meet *first, **end;
    /* Tells a rank, itself too. */
    void (*tell)(void *arg, int rank, const struct mpi_note *n);
    void *arg;
};
void mpi_meets_init(struct mpi_meets *m, int size,
                    void (*tell)(void *arg, int rank, const struct mpi_note *n), void *arg);
void mpi_meets_release(struct mpi_meets *m);
/* A note of this rank. */
void mpi_meets_note(struct mpi_meets *m, int rank, const struct mpi_note *n);

#endif
