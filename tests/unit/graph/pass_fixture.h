/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of passes: a graph is pruned to fetches, passes run, and what is left is looked at. */
#ifndef LEAT_TESTS_PASS_FIXTURE_H
#define LEAT_TESTS_PASS_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "graph/pass_util.h"
#include "graph_fixture.h"

/* Only the passes with these switches: all others are off. Fails the test if a pass fails or leaves
 * a broken graph. The caller frees the result. */
struct rgraph *p_run(struct graph *g, struct pass_options on, int num_fetches,
                     ...);                                /* struct node *: output 0 of each */
struct rnode *p_find(struct rgraph *r, const char *name); /* NULL: gone */
/* The node reads this: "Mul(x,one:1,^wait)"; or, with NULL, is gone. */
void p_want(struct rgraph *r, const char *name, const char *text);
int64_t p_count(struct rgraph *r, const char *op);

/* Short ways to make nodes. */
struct output p_in(struct graph *g, const char *name, int dtype, int rank, const int64_t *dims);
struct output p_f32(struct graph *g, const char *name, float v);
struct output p_bool(struct graph *g, const char *name, bool v);
struct output p_ints(struct graph *g, const char *name, int n, const int *v);
struct output p_op1(struct graph *g, const char *op, const char *name, struct output x);
struct output p_op2(struct graph *g, const char *op, const char *name, struct output x,
                    struct output y);
/* With one more attr, and a node to wait for (or NULL). */
struct output p_with(struct graph *g, const char *op, const char *name, struct output x,
                     const char *attr, struct attr_value v, struct node *wait);

#endif
