/* SPDX-License-Identifier: Apache-2.0 */
/* Small ops for tests of graph/, and short ways to make nodes. Ops that the library has itself are
 * left alone, so the tests run with and without the op families. */
#ifndef LEAT_TESTS_GRAPH_FIXTURE_H
#define LEAT_TESTS_GRAPH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graph/function.h"
#include "graph/graph.h"
#include "graph/graphdef.h"
#include "proto/leat_proto.h"

int graph_fixture_ops(void **state); /* a group setup: registers what is missing */

struct node *t_placeholder(struct graph *g, const char *name, int dtype, int rank,
                           ...); /* dims: int */
struct node *t_const_i32s(struct graph *g, const char *name, int n, ...);
struct node *t_const_i32(struct graph *g, const char *name, int v);
/* A node of an op whose arguments are single values. */
struct node *t_node(struct graph *g, const char *op, const char *name, int n,
                    ...); /* struct output */
struct node *t_list(struct graph *g, const char *op, const char *name, int n,
                    ...); /* one list argument */
/* Takes d; fails the test when it cannot be finished. */
struct node *t_finish(struct node_desc *d);
static inline struct output t_out(struct node *n, int i)
{
    return (struct output){n, i};
}
void t_want_shape(struct output o, const char *text);
/* The status is an error with this code whose message holds the text; it is cleared. */
void t_want_error(struct status *st, int code, const char *text);
/* Imports GraphDef text. */
bool t_import(struct graph *g, const char *text, const struct import_options *o,
              struct import_result *r, struct status *st);
void t_want_import(struct graph *g, const char *text);
/* The graph's nodes as "name(input,input) name(...)", inputs as in a GraphDef. */
void t_want_nodes(struct graph *g, const char *text);

#endif
