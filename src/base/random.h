/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers from the system, for names that nobody else may have: sessions, steps, requests.
 * Not for what is to be repeated (math/rng.h). */
#ifndef LEAT_BASE_RANDOM_H
#define LEAT_BASE_RANDOM_H

#include "base/base.h"

/* From 1 to 2^bits - 1 (bits: 1 to 64). Cheap: the system is asked for many at a time, and a forked
 * process asks anew. Thread-safe. */
uint64_t random_name(int bits);

#endif
