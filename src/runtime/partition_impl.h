/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the partition, shared by partition.c (edges) and partition_loops.c (loops). */
#ifndef LEAT_RUNTIME_PARTITION_IMPL_H
#define LEAT_RUNTIME_PARTITION_IMPL_H

#include "base/map.h"
#include "runtime/partition.h"

struct split { /* one partition that is under way; lives on its stack */
    struct session *s;
    struct rgraph *rg;
    const struct device_groups *groups; /* NULL: each device is one */
    const struct device **stands_for;   /* per device: the first of its group; NULL like groups */
    struct u64map cuts;                 /* hash of (from, index, device) -> cut */
    struct u64map loops;                /* frame and device -> control_loop */
    struct u64map twins;                /* hash of (node, device) -> twin */
    bool *irregular;   /* per node that was there at the start; see partition_loops.c */
    int64_t num_nodes; /* such nodes */
    int64_t next_edge;
};

const struct device *split_device(const struct split *p, const struct rnode *n);
/* Whether an edge between them is not cut. */
bool split_together(const struct split *p, const struct rnode *a, const struct rnode *b);
/* The device that stands for the group of d. */
const struct device *split_group(const struct split *p, const struct device *d);
/* What receives output `index` (-1: the end) of `from` on device `to`. */
struct rnode *split_send(struct split *p, struct rnode *from, int index, const struct device *to,
                         struct status *st) MUST_CHECK;
/* Makes the inputs of n come from its own device. */
MUST_CHECK bool split_cut_node(struct split *p, struct rnode *n, struct status *st);

/* --- partition_loops.c --- */
/* The frame that the outputs of n are in. */
int split_out_frame(const struct rgraph *rg, const struct rnode *n);
/* Gives each device that takes part in a loop of several a control loop; fills p->irregular. */
MUST_CHECK bool split_add_loops(struct split *p, struct status *st);
/* What runs once in each iteration of `frame` on `device`; NULL: there is no control loop. */
struct rnode *split_trigger(const struct split *p, int frame, const struct device *device);
/* Enter and NextIteration: their outputs are not there in every iteration, so they are not sent. */
bool split_is_loop_entry(const struct rnode *n);
/* The same node on another device, which gets the value before it enters. */
struct rnode *split_twin(struct split *p, struct rnode *n, const struct device *device,
                         struct status *st) MUST_CHECK;

#endif
