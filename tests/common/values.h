/* SPDX-License-Identifier: Apache-2.0 */
/* Values as they stand in recordings (TensorProto) and in this API (TF_Tensor). */
#ifndef LEAT_TESTS_COMMON_VALUES_H
#define LEAT_TESTS_COMMON_VALUES_H

#include "common/text.h"
#include "tensorflow/c/c_api.h"

/* A tensor that holds what the TensorProto says; the caller frees it. NULL, with the reason in
 * `why`, for a malformed one or a type that has no values of its own (resource, variant). */
TF_Tensor *tensor_from_proto(struct bytes proto, struct text *why);

/* A string tensor of num strings. NULL when the library gives none. */
TF_Tensor *tensor_from_strings(const struct bytes *strings, int64_t num, const int64_t *dims,
                               int num_dims);

/* The i-th string of a string tensor; false when its bytes are malformed. */
bool tensor_string(const TF_Tensor *t, int64_t i, struct bytes *s);

/* "float32" and so on; "type N" for a number that is no type. */
const char *dtype_name(int dtype);
/* Appends "[2,3]", or "?" for an unknown rank (num_dims < 0) or dimension. */
void shape_print(struct text *out, const int64_t *dims, int num_dims);
void tensor_print_shape(struct text *out, const TF_Tensor *t);
/* TF_DataTypeSize by the test's own table; 0 for types without a fixed size. */
size_t dtype_bytes(int dtype);

float half_to_float(uint16_t h);
float bfloat16_to_float(uint16_t b);

#endif
