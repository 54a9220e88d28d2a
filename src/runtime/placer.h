/* SPDX-License-Identifier: Apache-2.0 */
/* Placement: which device each node runs on. Nodes are placed once, on the whole graph, when the
 * session first sees them; a stateful node never moves. */
#ifndef LEAT_RUNTIME_PLACER_H
#define LEAT_RUNTIME_PLACER_H

#include "runtime/plan.h"

/* Sets the device of every node of rg (a full name, owned by the session). INVALID_ARGUMENT with
 * TensorFlow's words for a device that is not there or has no kernel, unless placement is soft;
 * nodes with reference inputs, and those colocated by _class, stand where those stand. */
MUST_CHECK bool place_rgraph(struct session *s, struct rgraph *rg, struct status *st);

/* Other devices for a session that stands in a task and runs nothing: what was placed stays on the
 * device of the same name. They are the caller's, as the old ones are again. */
void place_on_devices(struct session *s, struct device *devices, int n);

/* Whether some device fits n's request; INVALID_ARGUMENT naming n and the devices. */
MUST_CHECK bool place_possible(struct session *s, const struct node *n, struct status *st);

/* --- device names: "/job:j/replica:0/task:1/device:CPU:0", parts may be absent --- */
struct device_spec {
    char job[64], type[32];
    int replica, task, index; /* -1: not given */
};
/* Also the old forms "/cpu:0", "/gpu:1" and "*"; "" is all absent. */
MUST_CHECK bool device_spec_parse(const char *name, struct device_spec *out, struct status *st);
/* Whether some device fits both. */
bool device_spec_compatible(const struct device_spec *a, const struct device_spec *b);
bool device_spec_matches(const struct device_spec *spec, const struct device_spec *full);

#endif
