/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest program: two placeholders, their sum, one step. Prints 3 + 4 = 7. */
#include <stdio.h>

#include "leat/leat.h"

int main(void)
{
    TF_Graph *g = TF_NewGraph();
    TF_Status *s = TF_NewStatus();
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape());
    TF_Output y = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape());
    TF_Output sum = leat_add(g, x, y);

    TF_Session *session = leat_session_new(g, s);
    float result =
        leat_run_float(session, sum, leat_feeds(leat_feed_number(x, 3), leat_feed_number(y, 4)), s);
    int code = TF_GetCode(s) == TF_OK ? 0 : 1;
    if (code == 0)
        printf("3 + 4 = %g\n", (double)result);
    else
        fprintf(stderr, "%s\n", TF_Message(s));

    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return code;
}
