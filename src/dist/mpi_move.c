/* SPDX-License-Identifier: Apache-2.0 */
/* needs: mpi */
/* Recursive doubling and ring all-reduce, ring all-gather, binomial broadcast: Thakur, Rabenseifner
 * and Gropp 2005, sections 3 and 4; Patarasuk and Yuan 2009. */
#include "dist/mpi_move.h"

#include <string.h>

#include "base/mem.h"
#include "dist/mpi_link.h"
#include "op/collective.h"

enum { SMALL_BYTES = 16 << 10 };

static bool send_to(int to, const void *p, size_t n, struct status *st)
{
    const struct mpi_exchange x = {.out = p, .out_bytes = n, .to = to, .from = -1};
    return mpi_link_exchange(&x, st);
}

static bool recv_from(int from, void *p, size_t n, struct status *st)
{
    const struct mpi_exchange x = {.in = p, .in_bytes = n, .from = from, .to = -1};
    return mpi_link_exchange(&x, st);
}

/* --- reduce: small --- */

/* Both partners hold what a block of ranks has merged; the lower block's values come first. */
static bool merge_with(const struct mpi_ranks *w, const struct mpi_values *v, int peer,
                       struct status *st)
{
    const size_t bytes = (size_t)v->n * dtype_size(v->dtype);
    const struct mpi_exchange x = {v->data, bytes, peer, w->piece, bytes, peer};
    if (!mpi_link_exchange(&x, st))
        return false;
    if (peer > w->rank) {
        collective_merge(v->data, w->piece, v->n, v->dtype, v->merge);
    } else {
        collective_merge(w->piece, v->data, v->n, v->dtype, v->merge);
        memcpy(v->data, w->piece, bytes);
    }
    return true;
}

/* Ranks past the greatest power of two hand their values to one below, and are told the result. */
static bool reduce_small(const struct mpi_ranks *w, const struct mpi_values *v, struct status *st)
{
    const size_t bytes = (size_t)v->n * dtype_size(v->dtype);
    int power = 1;
    while (power * 2 <= w->size)
        power *= 2;
    if (w->rank >= power)
        return send_to(w->rank - power, v->data, bytes, st) &&
               recv_from(w->rank - power, v->data, bytes, st);
    const bool helps = w->rank + power < w->size;
    if (helps) {
        if (!recv_from(w->rank + power, w->piece, bytes, st))
            return false;
        collective_merge(v->data, w->piece, v->n, v->dtype, v->merge);
    }
    for (int mask = 1; mask < power; mask *= 2) {
        if (!merge_with(w, v, w->rank ^ mask, st))
            return false;
    }
    return !helps || send_to(w->rank + power, v->data, bytes, st);
}

/* --- reduce: a ring --- */

struct part { /* of the values */
    char *p;
    int64_t n;
};

static struct part part_of(const struct mpi_ranks *w, const struct mpi_values *v, int i)
{
    const int64_t k = ((i % w->size) + w->size) % w->size, each = v->n / w->size,
                  more = v->n % w->size;
    const int64_t begin = k * each + min_i64(k, more);
    return (struct part){(char *)v->data + (size_t)begin * dtype_size(v->dtype),
                         each + (k < more ? 1 : 0)};
}

/* Sends one part to the next rank, merges what the rank before sends into another, piece by piece.
 */
static bool pass_on(const struct mpi_ranks *w, const struct mpi_values *v, struct part out,
                    struct part in, struct status *st)
{
    const size_t elem = dtype_size(v->dtype);
    const int64_t most = (int64_t)(MPI_PIECE / elem);
    while (out.n > 0 || in.n > 0) {
        const int64_t num_out = min_i64(out.n, most), num_in = min_i64(in.n, most);
        const struct mpi_exchange x = {
            out.p,    (size_t)num_out * elem, (w->rank + 1) % w->size,
            w->piece, (size_t)num_in * elem,  (w->rank + w->size - 1) % w->size};
        if (!mpi_link_exchange(&x, st))
            return false;
        collective_merge(in.p, w->piece, num_in, v->dtype, v->merge);
        out = (struct part){out.p + (size_t)num_out * elem, out.n - num_out};
        in = (struct part){in.p + (size_t)num_in * elem, in.n - num_in};
    }
    return true;
}

static bool reduce_ring(const struct mpi_ranks *w, const struct mpi_values *v, struct status *st)
{
    const size_t elem = dtype_size(v->dtype);
    for (int step = 0; step < w->size - 1; step++) {
        if (!pass_on(w, v, part_of(w, v, w->rank - step), part_of(w, v, w->rank - step - 1), st))
            return false;
    }
    for (int step = 0; step < w->size - 1; step++) {
        const struct part out = part_of(w, v, w->rank + 1 - step),
                          in = part_of(w, v, w->rank - step);
        const struct mpi_exchange x = {
            out.p, (size_t)out.n * elem, (w->rank + 1) % w->size,
            in.p,  (size_t)in.n * elem,  (w->rank + w->size - 1) % w->size};
        if (!mpi_link_exchange(&x, st))
            return false;
    }
    return true;
}

bool mpi_move_reduce(const struct mpi_ranks *w, const struct mpi_values *v, struct status *st)
{
    if (w->size == 1 || v->n == 0)
        return true;
    return v->n <= (int64_t)(SMALL_BYTES / dtype_size(v->dtype)) ? reduce_small(w, v, st)
                                                                 : reduce_ring(w, v, st);
}

/* --- the others --- */

bool mpi_move_broadcast(const struct mpi_ranks *w, void *data, size_t n, int root,
                        struct status *st)
{
    const int place = (w->rank - root + w->size) % w->size;
    int mask = 1;
    while (mask < w->size && !(place & mask))
        mask *= 2;
    if (place > 0 && !recv_from((place - mask + root) % w->size, data, n, st))
        return false;
    for (mask /= 2; mask > 0; mask /= 2) {
        if (place + mask < w->size && !send_to((place + mask + root) % w->size, data, n, st))
            return false;
    }
    return true;
}

bool mpi_move_gather(const struct mpi_ranks *w, void *data, const size_t *at, struct status *st)
{
    for (int step = 0; step < w->size - 1; step++) {
        const int out = (w->rank - step + w->size) % w->size,
                  in = (w->rank - step - 1 + 2 * w->size) % w->size;
        const struct mpi_exchange x = {(char *)data + at[out],  at[out + 1] - at[out],
                                       (w->rank + 1) % w->size, (char *)data + at[in],
                                       at[in + 1] - at[in],     (w->rank + w->size - 1) % w->size};
        if (!mpi_link_exchange(&x, st))
            return false;
    }
    return true;
}
