/* SPDX-License-Identifier: Apache-2.0 */
/* Between-graph replication: each worker is a process with a server and a graph of its own; the
 * variable, which all name alike, is the ps's, and each worker adds to it when it is ready to,
 * without waiting for the others. The first worker gives the variable its first value.
 *
 *     leat cluster --ps 1 --workers 2 -- build/examples/between_graph */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "leat/leat.h"

enum { STEPS = 100 };

int main(void)
{
    TF_Status *s = TF_NewStatus();
    TF_Server *server = leat_server_new(NULL, s); /* as TF_CONFIG says */
    if (!server) {
        fprintf(stderr, "%s\n", TF_Message(s));
        return 1;
    }
    TF_ServerStart(server, s);
    int chief = strcmp(leat_server_name(server), "/job:worker/replica:0/task:0") == 0;

    TF_Graph *g = TF_NewGraph();
    TF_Output count, add;
    leat_with_device(g, "/job:ps/task:0") {
        count = leat_variable(g, "count", leat_zeros(g, leat_shape()));
        add = leat_assign_add(g, count, leat_const_float(g, 1));
    }
    TF_Output ready = leat_is_variable_initialized(g, count);
    TF_Operation *init = leat_global_variables_initializer(g);
    TF_Session *session = leat_session_new(g, s, .target = TF_ServerTarget(server));
    bool there = false;
    int ok = !chief || leat_run_op(session, init, leat_no_feeds(), s);
    while (ok && !there) {
        ok = leat_run(session, s, .fetches = leat_fetches(leat_fetch(ready, &there, 1)));
        if (ok && !there)
            usleep(10000);
    }
    for (int i = 0; ok && i < STEPS; i++)
        ok = leat_run_op(session, add.oper, leat_no_feeds(), s);
    if (ok)
        printf("after my %d steps: %g\n", STEPS,
               (double)leat_run_float(session, count, leat_no_feeds(), s));
    ok = ok && TF_GetCode(s) == TF_OK;
    if (!ok)
        fprintf(stderr, "%s\n", TF_Message(s));
    leat_session_close(session);
    TF_DeleteServer(server); /* says goodbye to the others */
    TF_DeleteGraph(g);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
