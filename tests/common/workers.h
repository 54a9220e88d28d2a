/* SPDX-License-Identifier: Apache-2.0 */
/* The child processes of harness.h. */
#ifndef LEAT_TESTS_COMMON_WORKERS_H
#define LEAT_TESTS_COMMON_WORKERS_H

#include "common/harness.h"

/* Runs the cases order[0, num) in o->jobs children and fills verdicts[case] for each. False, with
 * the reason in `ending`, when a child that had done its cases did not end well (a leak found at
 * exit, for one). */
bool workers_run(const struct suite *s, const struct harness_options *o, const size_t *order,
                 size_t num, struct verdict *verdicts, struct text *ending);

#endif
