/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy files as tensors: versions 1 and 2, C order, every numeric type and bool. bfloat16
 * stands as "V2", as NumPy itself writes it; the quantised types stand as their integers. */
#ifndef LEAT_CLI_NPY_H
#define LEAT_CLI_NPY_H

#include "base/status.h"
#include "base/str.h"
#include "tensorflow/c/c_api.h"

/* The tensor in bytes[0, n), of type `want` (an error where the file holds another; 0: the file's).
 * The caller deletes it. `name` is for messages. */
TF_Tensor *npy_parse(const char *bytes, size_t n, TF_DataType want, const char *name,
                     struct status *st) MUST_CHECK;
/* Writes t to a new file; UNIMPLEMENTED for strings and handles. */
MUST_CHECK bool npy_write(const TF_Tensor *t, const char *path, struct status *st);

/* "float32", "string"...: the type's name in messages. */
const char *npy_type_name(TF_DataType t);
/* Appends "float32 [2, ?]", "int32_ref [...]". rank -1: unknown, and so are negative dims. */
void npy_print_type(struct strbuf *out, TF_DataType t, const int64_t *dims, int rank);

#endif
