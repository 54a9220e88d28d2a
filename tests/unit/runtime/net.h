/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of scalars, branches and while loops for the executor's tests, built on the graph itself:
 * the C API cannot close a loop's back edge. Every builder fails the test when it fails. */
#ifndef LEAT_TESTS_RUNTIME_NET_H
#define LEAT_TESTS_RUNTIME_NET_H

#include "graph/graph.h"
#include "runtime/session.h"

struct net {
    struct graph *g;
    struct config config;
    struct session *s;
    const char *device; /* of the nodes that come; NULL: none asked for */
};

void net_init(struct net *n, int devices, int threads);
void net_release(struct net *n);
void net_must(bool ok, struct status *st);

struct output net_op(struct net *n, const char *op, int num, const struct output *in);
struct output net_op1(struct net *n, const char *op, struct output a);
struct output net_op2(struct net *n, const char *op, struct output a, struct output b);
/* after.node may be NULL: no control edge. */
struct output net_const(struct net *n, float v, struct output after);
struct output net_bool(struct net *n, bool v);
struct output net_placeholder(struct net *n);
struct output net_check(struct net *n, struct output a); /* fails where a is not finite */
struct output net_merge(struct net *n, struct output a, struct output b);

/* while (cond) { ... }: variables are added, then the condition, then each is given its next value;
 * net_loop_end gives the value after the loop. */
struct net_loop {
    struct net *n;
    const char *frame;
    int64_t parallel;
    struct output cond;
};
struct net_var {
    struct output now;  /* in the condition */
    struct output body; /* once there is a condition */
    struct output next;
    struct node *sw;
};
struct net_var net_loop_var(struct net_loop *l, struct output start);
struct output net_loop_invariant(struct net_loop *l, struct output v);
void net_loop_cond(struct net_loop *l, struct output cond, struct net_var *vars, int num);
struct output net_loop_end(struct net_loop *l, struct net_var *v, struct output next);

/* Runs with x = v fed (x.node may be NULL); the fetched scalar. *st says whether there is one. */
float net_run(struct net *n, struct output x, float v, struct output fetch, struct status *st);

#endif
