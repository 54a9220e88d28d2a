/* SPDX-License-Identifier: Apache-2.0 */
/* Named places where a test can make things fail: FAILPOINT("mem_try") is true when it should.
 *
 * Off by default, then one load and a branch. LEAT_FAILPOINTS="name=spec,name=spec" (read at the
 * first look) or failpoint_set turns them on. Spec: "on" always; "N" the N-th time only; "N+" from
 * the N-th time; "P%" with that probability (a fixed sequence); "off". Any thread. */
#ifndef LEAT_BASE_FAILPOINT_H
#define LEAT_BASE_FAILPOINT_H

#include "base/base.h"

extern int failpoint_armed; /* 0: none; else look closer */

#define FAILPOINT(name)                                                                            \
    (UNLIKELY(__atomic_load_n(&failpoint_armed, __ATOMIC_RELAXED)) && failpoint_hit(name))

bool failpoint_hit(const char *name);
/* False when the spec is not one, or there are too many failpoints. */
bool failpoint_set(const char *name, const char *spec);
void failpoint_clear_all(void);
int64_t failpoint_count(const char *name); /* times it was passed since it was set */

#endif
