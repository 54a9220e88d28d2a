/* SPDX-License-Identifier: Apache-2.0 */
/* The lecture's placement by hand: the first layer's weights on /job:ps/task:0, the second's on
 * /job:ps/task:1, the arithmetic on a worker whose server is the session's target. It learns XOR.
 *
 *     leat cluster --ps 2 --workers 1 --client -- build/examples/two_ps */
#include <stdio.h>
#include <stdlib.h>

#include "leat/leat.h"

enum { HIDDEN = 8, STEPS = 500 };

int main(void)
{
    const float xs[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, ys[4] = {0, 1, 1, 0};
    const char *target = getenv("LEAT_TARGET");
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output w1, b1, w2, b2, loss;

    leat_with_device(g, "/job:ps/task:0") {
        TF_Output first =
            leat_random_uniform(g, leat_shape(2, HIDDEN), .minval = -1, .maxval = 1, .seed = 1);
        w1 = leat_variable(g, "weights_1", first);
        b1 = leat_variable(g, "biases_1", leat_zeros(g, leat_shape(HIDDEN)));
    }
    leat_with_device(g, "/job:ps/task:1") {
        TF_Output first =
            leat_random_uniform(g, leat_shape(HIDDEN, 1), .minval = -1, .maxval = 1, .seed = 2);
        w2 = leat_variable(g, "weights_2", first);
        b2 = leat_variable(g, "biases_2", leat_zeros(g, leat_shape(1)));
    }
    leat_with_device(g, "/job:worker/task:0") {
        TF_Output x = leat_const_floats(g, xs, leat_shape(4, 2));
        TF_Output y = leat_const_floats(g, ys, leat_shape(4, 1));
        TF_Output layer = leat_tanh(g, leat_add(g, leat_matmul(g, x, w1), b1));
        TF_Output guess = leat_add(g, leat_matmul(g, layer, w2), b2);
        loss = leat_reduce_mean(g, leat_square(g, leat_sub(g, guess, y)));
    }
    leat_optimizer *opt = leat_gradient_descent(g, .learning_rate = 0.3);
    TF_Operation *train = leat_minimize(opt, loss);
    TF_Operation *init = leat_global_variables_initializer(g);
    leat_optimizer_free(opt);

    TF_Session *session = leat_session_new(g, s, .target = target);
    int ok = leat_run_op(session, init, leat_no_feeds(), s);
    for (int i = 0; ok && i < STEPS; i++)
        ok = leat_run_op(session, train, leat_no_feeds(), s);
    if (ok)
        printf("loss after %d steps: %.4f\n", STEPS,
               (double)leat_run_float(session, loss, leat_no_feeds(), s));
    ok = ok && TF_GetCode(s) == TF_OK;
    if (!ok)
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
