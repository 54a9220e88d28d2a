/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reading of GraphDefs: what is accepted is written and read again and gives the same
 * bytes, its functions are made into bodies, and what is refused leaves the graph as it was. */
#include <stdio.h>
#include <stdlib.h>

#include "graph/function.h"
#include "graph/graphdef.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what, const struct status *st)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, status_message(st));
    abort();
}

static void check_functions(struct graph *g)
{
    struct function *all[16];
    int64_t n = graph_functions(g, all, 16);

    for (int64_t i = 0; i < n && i < 16; i++) {
        struct function_body body;
        struct status st = {0};

        if (function_instantiate(g, all[i]->name, NULL, &body, &st))
            function_body_clear(&body);
        status_clear(&st);
    }
}

static void check_again(struct graph *g)
{
    struct graph *again = graph_new();
    struct status st = {0};
    struct strbuf once = {0}, twice = {0};

    require(graph_export(g, &once, &st), "export", &st);
    require(graph_import(again, once.p, once.n, NULL, NULL, &st), "import what was exported", &st);
    require(graph_export(again, &twice, &st), "export again", &st);
    require(once.n == twice.n && (once.n == 0 || memcmp(once.p, twice.p, once.n) == 0), "the same",
            &st);
    if (!graph_check_cycles(again, 0, &st))
        status_clear(&st);
    strbuf_release(&once);
    strbuf_release(&twice);
    graph_unref(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct graph *g = graph_new();
    struct status st = {0};
    struct import_options o = {.prefix = "p", .uniquify_names = true};

    if (graph_import(g, data, size, NULL, NULL, &st)) {
        check_again(g);
        check_functions(g);
        if (graph_import(g, data, size, &o, NULL, &st))
            require(graph_check_cycles(g, 0, &st) || st.code == STATUS_INVALID_ARGUMENT, "cycles",
                    &st);
    } else {
        require(g->num_nodes == 0 && graph_functions(g, NULL, 0) == 0, "nothing stays", &st);
    }
    status_clear(&st);
    graph_unref(g);
    return 0;
}
