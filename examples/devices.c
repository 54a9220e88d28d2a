/* SPDX-License-Identifier: Apache-2.0 */
/* Multiple devices on a single machine: the parameters live on /cpu:1, the product is computed on
 * /cpu:0, and the session carries what crosses between them. Prints y = X beta. */
#include <stdio.h>

#include "leat/leat.h"

int main(void)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output x = {0}, beta = {0}, y = {0};
    leat_with_device(g, "/cpu:1") {
        beta = leat_variable(g, "beta", leat_ones(g, leat_shape(2, 1)));
    }
    leat_with_device(g, "/cpu:0") {
        x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(-1, 2), .name = "X");
        y = leat_matmul(g, x, beta, .name = "y_pred");
    }
    TF_Operation *init = leat_global_variables_initializer(g);
    TF_Session *session = leat_session_new(g, s, .cpu_devices = 2);
    float rows[3][2] = {{1, 2}, {3, 4}, {5, 6}}, out[3];
    int ok = leat_run_op(session, init, leat_no_feeds(), s) &&
             leat_run(session, s, .feeds = leat_feeds(leat_feed(x, rows, leat_shape(3, 2))),
                      .fetches = leat_fetches(leat_fetch(y, out, 3)));
    if (ok)
        printf("beta is on %s: y = [%g %g %g]\n", TF_OperationDevice(beta.oper), (double)out[0],
               (double)out[1], (double)out[2]);
    else
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
