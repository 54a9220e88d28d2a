/* SPDX-License-Identifier: Apache-2.0 */
/* A graph is pruned to what is asked for: of (x + y) ^ (x * y) and a node that divides by zero,
 * only the power is fetched, so the "useless" node never runs. Prints (2 + 3) ^ (2 * 3) = 15625. */
#include <stdio.h>

#include "leat/leat.h"

int main(void)
{
    TF_Graph *g = TF_NewGraph();
    TF_Status *s = TF_NewStatus();
    TF_Output x = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(), .name = "x");
    TF_Output y = leat_placeholder(g, .dtype = TF_INT32, .shape = leat_shape(), .name = "y");
    TF_Output op1 = leat_add(g, x, y);
    TF_Output op2 = leat_mul(g, x, y);
    TF_Output useless = leat_floor_div(g, x, leat_sub(g, y, y), .name = "useless");
    TF_Output op3 = leat_pow(g, op1, op2);

    TF_Session *session = leat_session_new(g, s);
    struct leat_feeds feeds = leat_feeds(leat_feed_number(x, 2), leat_feed_number(y, 3));
    double power = leat_run_number(session, op3, feeds, s);
    int code = TF_GetCode(s) == TF_OK ? 0 : 1;
    if (code == 0)
        printf("(2 + 3) ^ (2 * 3) = %g\n", power);
    else
        fprintf(stderr, "%s\n", TF_Message(s));

    /* Asked for, it does run, and fails; the message tells the line above. */
    (void)leat_run_number(session, useless, feeds, s);
    printf("the useless node, when it is asked for: %s\n", TF_Message(s));

    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return code;
}
