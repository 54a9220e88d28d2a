/* SPDX-License-Identifier: Apache-2.0 */
/* The greater or smaller of two values of any real type, in place. */
#ifndef LEAT_OPS_SPARSE_EXTREME_H
#define LEAT_OPS_SPARSE_EXTREME_H

#include <stdbool.h>

/* *y = x where x is greater (smaller) than *y. NaN is neither. */
typedef void (*extreme_fn)(void *y, const void *x);
extreme_fn extreme_of(int dtype, bool greater);

#endif
