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
/* The same by groups of devices, a part each (its device is the group's first one): edges inside of
 * a group stay. What is added has names with numbers that rise with each call. */
struct device_groups {
    const int *of;      /* per device of the session: its group, any number */
    int64_t *next_name; /* in, out */
    bool bfloat16;      /* floats travel as bfloat16: cast, cut off as TensorFlow does it */
};
MUST_CHECK bool partition_by_group(struct session *s, struct rgraph *rg,
                                   const struct device_groups *groups, struct partition *out,
                                   struct status *st);
void partition_clear(struct partition *p);

#endif
