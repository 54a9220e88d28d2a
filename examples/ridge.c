/* SPDX-License-Identifier: Apache-2.0 */
/* needs: openblas */
/* Ridge regression twice, as in the lecture: the closed form (X'X + aI)^-1 X'y, and gradient
 * descent on the same cost with gradients that the graph derives. Both print the same weights. */
#include <stdio.h>

#include "leat/leat.h"

enum { ROWS = 200, COLS = 3 };

static TF_Output sum_of_squares(TF_Graph *g, TF_Output x)
{
    return leat_reduce_sum(g, leat_square(g, x));
}

/* In [-1, 1), by a linear congruence. */
static float noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 23) - 1;
}

int main(void)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    /* data: y = X (1, -2, 0.5)' + noise */
    float xs[ROWS][COLS], ys[ROWS];
    unsigned state = 2017;
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < COLS; k++)
            xs[i][k] = noise(&state);
        ys[i] = xs[i][0] - 2 * xs[i][1] + 0.5f * xs[i][2] + 0.1f * noise(&state);
    }
    TF_Output x = leat_const_floats(g, xs, leat_shape(ROWS, COLS));
    TF_Output y = leat_const_floats(g, ys, leat_shape(ROWS, 1));
    TF_Output alpha = leat_const_float(g, 1);

    TF_Output eye = leat_matrix_diag(g, leat_ones(g, leat_shape(COLS)));
    TF_Output xtx = leat_matmul(g, x, x, .transpose_a = true);
    TF_Output closed =
        leat_matmul(g, leat_matrix_inverse(g, leat_add(g, xtx, leat_mul(g, alpha, eye))),
                    leat_matmul(g, x, y, .transpose_a = true));

    TF_Output beta = leat_variable(g, "beta", leat_zeros(g, leat_shape(COLS, 1)));
    TF_Output error = leat_sub(g, y, leat_matmul(g, x, beta));
    TF_Output cost =
        leat_add(g, sum_of_squares(g, error), leat_mul(g, alpha, sum_of_squares(g, beta)));
    TF_Output gradient = leat_gradient(g, cost, beta);
    TF_Output step = leat_assign_sub(g, beta, leat_mul(g, leat_const_float(g, 1e-3f), gradient));
    TF_Operation *init = leat_global_variables_initializer(g);

    TF_Session *session = leat_session_new(g, s);
    int ok = leat_run_op(session, init, leat_no_feeds(), s);
    for (int i = 0; ok && i < 300; i++)
        ok = leat_run_op(session, step.oper, leat_no_feeds(), s);
    float w[2][COLS];
    ok = ok && leat_run(session, s,
                        .fetches = leat_fetches(leat_fetch(closed, w[0], COLS),
                                                leat_fetch(beta, w[1], COLS)));
    for (int i = 0; ok && i < 2; i++)
        printf("%-17s [%.5f %.5f %.5f]\n", i == 0 ? "closed form" : "gradient descent",
               (double)w[i][0], (double)w[i][1], (double)w[i][2]);
    if (!ok)
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
