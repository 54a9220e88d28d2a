/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in text, as TensorFlow 1.15 reads them. */
#ifndef LEAT_OPS_PARSING_NUMBER_H
#define LEAT_OPS_PARSING_NUMBER_H

#include "base/str.h"

/* Blanks around the number count for nothing. An integer is digits, perhaps after a minus. */
MUST_CHECK bool number_int32(struct str s, int32_t *out);
MUST_CHECK bool number_int64(struct str s, int64_t *out);
/* Decimal, or an integer in hexadecimal (0x1F); inf and nan in any case. Too great: an infinity. */
MUST_CHECK bool number_float(struct str s, float *out);
MUST_CHECK bool number_double(struct str s, double *out);

#endif
