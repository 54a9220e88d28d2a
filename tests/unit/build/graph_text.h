/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as a text, a line a node, and what every test here begins and ends with. */
#ifndef LEAT_TESTS_GRAPH_TEXT_H
#define LEAT_TESTS_GRAPH_TEXT_H

#include "leat/leat.h"

struct made { /* a graph being built */
    TF_Graph *g;
    TF_Status *st;
};
int made_setup(void **state);
int made_teardown(void **state);

/* Nodes from number `first` on, each "NAME OP(INPUT, INPUT:1, ^CONTROL) @DEVICE loc:NODE\n"; parts
 * that a node lacks are left out. The caller frees (leat_free). */
char *graph_text(TF_Graph *g, int first);
/* Fails the test unless it is that text; tells the first line that differs. */
void assert_graph(TF_Graph *g, const char *text);
/* Fails the test unless the first error has this text in it; forgets it. */
void assert_error(struct made *m, const char *text);
void assert_no_error(struct made *m);

#endif
