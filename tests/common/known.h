/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that are known to be wrong, each with its reason.
 *
 * They are still run and still listed as wrong; only the closing line counts them as skipped, so
 * that a new wrong case stands out. One that passes again is to be taken out: the harness says so.
 */
#ifndef LEAT_TESTS_COMMON_KNOWN_H
#define LEAT_TESTS_COMMON_KNOWN_H

/* Why the case is known to be wrong, or NULL. */
const char *known_reason(const char *case_name);

#endif
