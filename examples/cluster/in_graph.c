/* SPDX-License-Identifier: Apache-2.0 */
/* In-graph replication: one graph has a tower for each worker, each with a share of the data; their
 * losses are averaged, and one client trains the weights on the ps. y = 3 x + 1 is learnt.
 *
 *     leat cluster --ps 1 --workers 2 --client -- build/examples/in_graph 2 */
#include <stdio.h>
#include <stdlib.h>

#include "leat/leat.h"

enum { ROWS = 16, STEPS = 200, MAX_WORKERS = 16 };

/* The loss of worker k on its share, x in [k, k + 1). */
static TF_Output tower(TF_Graph *g, int k, TF_Output w, TF_Output b)
{
    float xs[ROWS], ys[ROWS];
    for (int i = 0; i < ROWS; i++) {
        xs[i] = (float)k + (float)i / ROWS;
        ys[i] = 3 * xs[i] + 1;
    }
    TF_Output x = leat_const_floats(g, xs, leat_shape(ROWS));
    TF_Output y = leat_const_floats(g, ys, leat_shape(ROWS));
    TF_Output guess = leat_add(g, leat_mul(g, x, w), b);
    return leat_reduce_mean(g, leat_square(g, leat_sub(g, guess, y)));
}

int main(int argc, char **argv)
{
    int workers = argc > 1 ? atoi(argv[1]) : 1;
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output losses[MAX_WORKERS], w, b, loss;
    if (workers < 1 || workers > MAX_WORKERS)
        return 2;
    leat_with_device(g, "/job:ps/task:0") {
        w = leat_variable(g, "w", leat_zeros(g, leat_shape()));
        b = leat_variable(g, "b", leat_zeros(g, leat_shape()));
    }
    for (int k = 0; k < workers; k++) {
        char device[64];
        snprintf(device, sizeof device, "/job:worker/task:%d", k);
        leat_with_device(g, device) {
            losses[k] = tower(g, k, w, b);
        }
    }
    leat_with_device(g, "/job:ps/task:0") {
        loss = leat_div(g, leat_add_n(g, losses, workers), leat_const_float(g, (float)workers));
    }
    leat_optimizer *opt = leat_gradient_descent(g, .learning_rate = 0.2);
    TF_Operation *train = leat_minimize(opt, loss);
    TF_Operation *init = leat_global_variables_initializer(g);
    leat_optimizer_free(opt);

    TF_Session *session = leat_session_new(g, s, .target = getenv("LEAT_TARGET"));
    int ok = leat_run_op(session, init, leat_no_feeds(), s);
    for (int i = 0; ok && i < STEPS; i++)
        ok = leat_run_op(session, train, leat_no_feeds(), s);
    if (ok)
        printf("w = %.2f, b = %.2f\n", (double)leat_run_float(session, w, leat_no_feeds(), s),
               (double)leat_run_float(session, b, leat_no_feeds(), s));
    ok = ok && TF_GetCode(s) == TF_OK;
    if (!ok)
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
