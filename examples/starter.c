/* SPDX-License-Identifier: Apache-2.0 */
/* The workshop's starter graph: a fed matrix times a variable that is pinned to /cpu:0, seen on its
 * way by Print, which writes to stderr what passes. */
#include <stdio.h>

#include "leat/leat.h"

int main(void)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    leat_set_random_seed(g, 1);
    TF_Output m1 = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(4, 2));
    TF_Output m2 = {0}, m3 = {0};
    leat_with_device(g, "/cpu:0") {
        m2 = leat_variable(g, "m2",
                           leat_random_uniform(g, leat_shape(2, 3), .minval = -1.0, .maxval = 1.0));
        m3 = leat_matmul(g, m1, m2);
    }
    m3 = leat_print(g, m3, &m3, 1, .message = "m3 is: ", .summarize = 12);
    TF_Operation *init = leat_global_variables_initializer(g);

    TF_Session *session = leat_session_new(g, s);
    float in[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}}, weights[2][3], out[4][3];
    int ok = leat_run_op(session, init, leat_no_feeds(), s) &&
             leat_run(session, s, .fetches = leat_fetches(leat_fetch(m2, &weights[0][0], 6))) &&
             leat_run(session, s, .feeds = leat_feeds(leat_feed(m1, in, leat_shape(4, 2))),
                      .fetches = leat_fetches(leat_fetch(m3, &out[0][0], 12)));
    if (ok) {
        for (int i = 0; i < 2; i++)
            printf("%s[%8.4f %8.4f %8.4f]\n", i == 0 ? "m2: " : "    ", (double)weights[i][0],
                   (double)weights[i][1], (double)weights[i][2]);
        for (int i = 0; i < 4; i++)
            printf("%s[%8.4f %8.4f %8.4f]\n", i == 0 ? "m3: " : "    ", (double)out[i][0],
                   (double)out[i][1], (double)out[i][2]);
    } else {
        fprintf(stderr, "%s\n", TF_Message(s));
    }
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
