/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers about the bytes of a TF_Tensor that the files of src/api share. */
#ifndef LEAT_API_TENSOR_BYTES_H
#define LEAT_API_TENSOR_BYTES_H

#include "base/str.h"

/* The string encoded at src (borrowed from it) and the bytes it took; false: src does not hold it.
 */
MUST_CHECK bool api_string_decode(const char *src, size_t src_len, struct str *out, size_t *used);
/* Whether elements of that type may be read at data. */
bool api_is_aligned(int dtype, const void *data);

#endif
