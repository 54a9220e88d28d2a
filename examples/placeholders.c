/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders are a graph's parameters: one graph, z = x + y, and values of two shapes. */
#include <stdio.h>

#include "leat/leat.h"

int main(void)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .name = "x");
    TF_Output y = leat_placeholder(g, .dtype = TF_FLOAT, .name = "y");
    TF_Output z = leat_add(g, x, y);
    TF_Session *session = leat_session_new(g, s);

    float one =
        leat_run_float(session, z, leat_feeds(leat_feed_number(x, 3), leat_feed_number(y, 4.5)), s);
    float xs[2] = {1, 3}, ys[2] = {2, 4}, zs[2] = {0};
    int ok =
        TF_GetCode(s) == TF_OK && leat_run(session, s,
                                           .feeds = leat_feeds(leat_feed(x, xs, leat_shape(2)),
                                                               leat_feed(y, ys, leat_shape(2))),
                                           .fetches = leat_fetches(leat_fetch(z, zs, 2)));
    if (ok)
        printf("%g\n[%g %g]\n", (double)one, (double)zs[0], (double)zs[1]);
    else
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
