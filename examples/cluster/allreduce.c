/* SPDX-License-Identifier: Apache-2.0 */
/* Training by all-reduce: each process has a share of the rows, all have the same weights.
 *
 *     mpirun -n 2 build/examples/allreduce
 *
 * Fits y = X (1, -2, 0.5)' and a table of offsets, one a class, whose gradients are slices. Rank 0
 * prints the weights; every rank checks that its own are the same bits, by what a broadcast of rank
 * 0's leaves. Alone, without mpirun, it trains on all rows. */
#include <stdio.h>
#include <string.h>

#include "leat/leat.h"

enum { ROWS = 256, COLS = 3, CLASSES = 5, STEPS = 400 };

struct data {
    float x[ROWS][COLS], y[ROWS][1];
    int32_t class_of[ROWS];
    int n;
};

/* In [-1, 1), by a linear congruence. */
static float noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 23) - 1;
}

/* Every size-th row, beginning with the rank-th. */
static void make_data(struct data *d, int rank, int size)
{
    unsigned state = 2017;
    d->n = 0;
    for (int i = 0; i < ROWS; i++) {
        float x[COLS];
        for (int k = 0; k < COLS; k++)
            x[k] = noise(&state);
        if (i % size != rank)
            continue;
        memcpy(d->x[d->n], x, sizeof x);
        d->class_of[d->n] = i % CLASSES;
        d->y[d->n][0] = x[0] - 2 * x[1] + 0.5f * x[2] + (float)(i % CLASSES);
        d->n++;
    }
}

struct model {
    TF_Output x, y, classes, w, table, loss;
    TF_Operation *init, *same, *train;
};

static void build(TF_Graph *g, struct model *m, int rank)
{
    m->x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, COLS));
    m->y = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, 1));
    m->classes = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(-1));
    /* different in each process: the broadcast makes them equal */
    TF_Output first =
        leat_mul(g, leat_ones(g, leat_shape(COLS, 1)), leat_const_float(g, (float)rank));
    m->w = leat_variable(g, "w", first);
    m->table = leat_variable(g, "table", leat_zeros(g, leat_shape(CLASSES, 1)));
    TF_Output offset = leat_gather(g, m->table, m->classes);
    TF_Output error = leat_sub(g, leat_add(g, leat_matmul(g, m->x, m->w), offset), m->y);
    m->loss = leat_reduce_mean(g, leat_square(g, error));
    leat_optimizer *opt = leat_gradient_descent(g, .learning_rate = 0.4);
    m->train = leat_minimize(leat_allreduce_optimizer(opt), m->loss);
    leat_optimizer_free(opt);
    m->init = leat_global_variables_initializer(g);
    m->same = leat_broadcast_variables(g, 0);
}

struct weights {
    float w[COLS], table[CLASSES];
};

static int read_weights(TF_Session *session, const struct model *m, struct weights *out,
                        TF_Status *s)
{
    return leat_run(session, s,
                    .fetches = leat_fetches(leat_fetch(m->w, out->w, COLS),
                                            leat_fetch(m->table, out->table, CLASSES)));
}

static int train(TF_Session *session, const struct model *m, const struct data *d,
                 struct weights *own, struct weights *first, TF_Status *s)
{
    int ok = leat_run_op(session, m->init, leat_no_feeds(), s) &&
             leat_run_op(session, m->same, leat_no_feeds(), s);
    for (int i = 0; ok && i < STEPS; i++)
        ok = leat_run_op(session, m->train,
                         leat_feeds(leat_feed(m->x, d->x, leat_shape(d->n, COLS)),
                                    leat_feed(m->y, d->y, leat_shape(d->n, 1)),
                                    leat_feed(m->classes, d->class_of, leat_shape(d->n))),
                         s);
    return ok && read_weights(session, m, own, s) &&
           leat_run_op(session, m->same, leat_no_feeds(), s) && read_weights(session, m, first, s);
}

int main(void)
{
    TF_Status *s = TF_NewStatus();
    if (!leat_allreduce_init(s)) {
        fprintf(stderr, "%s\n", TF_Message(s));
        return 1;
    }
    const int rank = leat_allreduce_rank(), size = leat_allreduce_size();
    TF_Graph *g = TF_NewGraph();
    struct model m;
    static struct data d;
    struct weights own, first;
    make_data(&d, rank, size);
    build(g, &m, rank);
    TF_Session *session = leat_session_new(g, s);
    int ok = session && train(session, &m, &d, &own, &first, s);
    if (ok && rank == 0)
        printf("%d processes: w = [%.3f %.3f %.3f], table = [%.3f %.3f %.3f %.3f %.3f]\n", size,
               (double)own.w[0], (double)own.w[1], (double)own.w[2], (double)own.table[0],
               (double)own.table[1], (double)own.table[2], (double)own.table[3],
               (double)own.table[4]);
    if (ok)
        printf("rank %d of %d: %d rows, weights %s\n", rank, size, d.n,
               memcmp(&own, &first, sizeof own) == 0 ? "as rank 0's" : "differ from rank 0's");
    else
        fprintf(stderr, "rank %d: %s\n", rank, TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    leat_allreduce_finalize(s);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
