/* SPDX-License-Identifier: Apache-2.0 */
/* From a client's graph and a signature to one GraphDef per task of a cluster.
 *
 * The parts hold ops of the graph and _Send, _Recv and control loops between them, so that any task
 * that speaks TensorFlow's protocol can run one. What the client feeds is received, and what it
 * fetches is sent, by the part itself, under a key that the caller gives to that task's RunGraph.
 */
#ifndef LEAT_RUNTIME_SPLIT_TASKS_H
#define LEAT_RUNTIME_SPLIT_TASKS_H

#include "runtime/plan.h"

struct split_request {
    struct session *planner;         /* over the devices of all tasks; it runs nothing */
    const struct plan_request *what; /* its flags and passes are not looked at */
    const int *task_of;              /* per device of the planner */
    const bool *known;               /* per task: its devices are what it said, not a guess */
    int num_tasks;
    int64_t *next_name; /* in, out: no two parts of a session share added names */
    bool bfloat16;      /* floats go from task to task as bfloat16 */
};
struct task_part {
    int task;
    struct pb_graph_def *graph;
};
struct task_end {
    int part;
    int index; /* of the feed or fetch */
    const char *key;
};
struct task_split { /* release with task_split_release; the graph must live as long */
    struct arena arena;
    struct task_part *parts;
    int num_parts;
    struct task_end *feeds; /* one per task that reads it: none for a feed that nobody reads */
    int num_feeds;
    struct task_end *fetches; /* one for each */
    int num_fetches;
    bool *missing;         /* per task: it must be known before the graph can be cut */
    struct rgraph *rgraph; /* owns what the parts' messages borrow, but for the graph's own */
};
/* Where a task that is not known has a part, or is asked for another device than CPU:0, *again is
 * set, and nothing is cut: the caller is to come again when it knows those that `missing` says. */
MUST_CHECK bool split_tasks(const struct split_request *r, struct task_split *out, bool *again,
                            struct status *st);
void task_split_release(struct task_split *t);

#endif
