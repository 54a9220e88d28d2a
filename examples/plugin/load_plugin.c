/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a plug-in and runs its op: load_plugin build/examples/op_moving_mean.so
 *
 * The op exists from TF_LoadLibrary on: leat_begin makes a node of it as of any other. */
#include <leat/leat.h>
#include <stdio.h>

static int check(TF_Status *s)
{
    if (TF_GetCode(s) != TF_OK)
        fprintf(stderr, "%s\n", TF_Message(s));
    return TF_GetCode(s) == TF_OK;
}

static int run(TF_Graph *g, TF_Status *s)
{
    float numbers[6] = {1, 2, 3, 4, 10, 20}, mean[6];
    TF_Output x = leat_placeholder(g, .dtype = TF_FLOAT, .shape = leat_shape(6));
    TF_OperationDescription *d = leat_begin(g, "MovingMean", NULL, LEAT_HERE);
    leat_add_input(d, x);
    TF_SetAttrInt(d, "window", 2);
    TF_Output y = leat_output_of(leat_finish(d), 0);

    TF_Session *session = leat_session_new(g, s);
    if (leat_run(session, s, .feeds = leat_feeds(leat_feed(x, numbers, leat_shape(6))),
                 .fetches = leat_fetches(leat_fetch(y, mean, 6)))) {
        for (int i = 0; i < 6; i++)
            printf("%s%g", i ? " " : "MovingMean: ", (double)mean[i]);
        printf("\n");
    }
    leat_session_close(session);
    return check(s);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s PLUGIN.so\n", argv[0]);
        return 2;
    }
    TF_Status *s = TF_NewStatus();
    TF_Library *plugin = TF_LoadLibrary(argv[1], s);
    int ok = check(s);
    if (ok) {
        TF_Graph *g = TF_NewGraph();
        printf("%s has %zu bytes of op definitions\n", argv[1], TF_GetOpList(plugin).length);
        ok = run(g, s);
        TF_DeleteGraph(g);
    }
    TF_DeleteLibraryHandle(plugin);
    TF_DeleteStatus(s);
    return ok ? 0 : 1;
}
