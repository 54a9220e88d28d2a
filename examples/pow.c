/* SPDX-License-Identifier: Apache-2.0 */
/* The lecture's graph of add, multiply and pow: a step computes what is asked for, and nothing
 * else.
 *
 * `useless` hangs on a Print, which writes a line to stderr whenever it runs. The first step
 * fetches pow, which does not need it: no line. The second fetches it: the line is there. */
#include <stdio.h>

#include "leat/leat.h"

int main(void)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output x = leat_const_float(g, 2, .name = "x");
    TF_Output y = leat_const_float(g, 3, .name = "y");
    TF_Output sum = leat_add(g, x, y);
    TF_Output product = leat_mul(g, x, y);
    TF_Output useless = leat_mul(g, x, sum, .name = "useless");
    useless = leat_print(g, useless, &useless, 1, .message = "useless was computed: ");
    TF_Output power = leat_pow(g, sum, product);

    TF_Session *session = leat_session_new(g, s);
    float z = 0, u = 0;
    int ok = leat_run(session, s, .fetches = leat_fetches(leat_fetch(power, &z, 1)));
    if (ok)
        printf("pow(2 + 3, 2 * 3) = %g, and useless was not computed\n", (double)z);
    ok = ok && leat_run(session, s, .fetches = leat_fetches(leat_fetch(useless, &u, 1)));
    if (ok)
        printf("useless = %g, now that it was asked for\n", (double)u);
    else
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
