/* SPDX-License-Identifier: Apache-2.0 */
/* Adding and subtracting arrays of any numeric type. */
#ifndef LEAT_MATH_VALUE_ADD_H
#define LEAT_MATH_VALUE_ADD_H

#include <stdint.h>

/* y[i] += x[i]; y and x do not overlap. */
typedef void (*value_add_fn)(void *y, const void *x, int64_t n);
value_add_fn value_add_of(int dtype); /* a numeric type */
value_add_fn value_sub_of(int dtype); /* y[i] -= x[i] */

#endif
