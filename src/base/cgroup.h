/* SPDX-License-Identifier: Apache-2.0 */
/* What Linux control groups (v1, v2, and both mounted side by side) let this process use. */
#ifndef LEAT_BASE_CGROUP_H
#define LEAT_BASE_CGROUP_H

#include "base/base.h"

/* `root` stands before /proc and /sys: "" for the machine, a folder of files for tests. The
 * tightest limit from our group up to the mounted root holds. INT64_MAX: no limit found. */
int64_t cgroup_memory_limit(const char *root);
/* CPUs' worth of time per second, in thousandths. */
int64_t cgroup_cpu_milli(const char *root);

#endif
