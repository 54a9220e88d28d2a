/* SPDX-License-Identifier: Apache-2.0 */
/* Variables keep their values from step to step. Reading one before it has a value is an error that
 * names it; the initializer gives all of them their first values. */
#include <stdio.h>

#include "leat/leat.h"

int main(void)
{
    TF_Status *s = TF_NewStatus();
    TF_Graph *g = TF_NewGraph();
    TF_Output v = leat_get_variable(g, "v", leat_shape(), .initializer = leat_init_zeros());
    TF_Output w = leat_add(g, v, leat_const_float(g, 1)); /* of v's value when it runs */
    TF_Output count = leat_assign_add(g, v, leat_const_float(g, 10));
    TF_Output table = leat_get_variable(g, "my_int_variable", leat_shape(1, 2, 3),
                                        .dtype = TF_INT32, .initializer = leat_init_zeros());
    TF_Operation *init = leat_global_variables_initializer(g);
    TF_Session *session = leat_session_new(g, s);

    leat_run_float(session, w, leat_no_feeds(), s);
    printf("before the initializer: %s\n", TF_Message(s));
    TF_SetStatus(s, TF_OK, "");

    int32_t ints[6];
    int ok = leat_run_op(session, init, leat_no_feeds(), s) &&
             leat_run(session, s, .fetches = leat_fetches(leat_fetch(table, ints, 6)));
    for (int i = 0; ok && i < 3; i++) {
        float before = leat_run_float(session, w, leat_no_feeds(), s);
        ok = TF_GetCode(s) == TF_OK && leat_run_op(session, count.oper, leat_no_feeds(), s);
        if (ok)
            printf("v + 1 = %g, then v += 10\n", (double)before);
    }
    if (!ok)
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
