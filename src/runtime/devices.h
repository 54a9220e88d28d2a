/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a session. */
#ifndef LEAT_RUNTIME_DEVICES_H
#define LEAT_RUNTIME_DEVICES_H

#include "device/device.h"
#include "runtime/config.h"

/* As many of each type as config's device_count says, else as many as there are; CPU first. Names
 * are /job:localhost/replica:0/task:0/device:TYPE:I. */
MUST_CHECK bool devices_open(const struct config *c, struct device **devices, int *n,
                             struct status *st);
/* The same in a task: "/job:ps/replica:0/task:1". */
MUST_CHECK bool devices_open_at(const char *task, const struct config *c, struct device **devices,
                                int *n, struct status *st);
void devices_close(struct device *devices, int n);

#endif
