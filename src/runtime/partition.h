/* SPDX-License-Identifier: Apache-2.0 */
/* Partition: splits a placed rewrite graph by device; an edge between devices becomes a _Send and a
 * _Recv that meet at the step's rendezvous. */
#ifndef LEAT_RUNTIME_PARTITION_H
#define LEAT_RUNTIME_PARTITION_H

#include "runtime/plan.h"

struct partition {
    int *part_of;                  /* per rgraph node; NULL: one part */
    const struct device **devices; /* per part */
    int num_parts;
};
/* A value that several nodes of a device use is sent there once. Control edges are sent as empty
 * tensors. A loop whose body spans devices gets a copy of its control skeleton on each. */
MUST_CHECK bool partition_rgraph(struct session *s, struct rgraph *rg, struct partition *out,
                                 struct status *st);
void partition_clear(struct partition *p);

#endif
