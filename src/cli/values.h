/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as text: nested lists of numbers, [[1, 2], [3, 4]], or of strings, ["a", "b c"]. */
#ifndef LEAT_CLI_VALUES_H
#define LEAT_CLI_VALUES_H

#include "base/status.h"
#include "base/str.h"
#include "tensorflow/c/c_api.h"

/* The tensor of type `type` (0: float) that the text says; numbers, true, false, inf and nan; of
 * strings those in double quotes, with JSON's escapes (and \xHH), and words. The caller deletes it.
 */
TF_Tensor *values_parse(struct str text, TF_DataType type, const char *name,
                        struct status *st) MUST_CHECK;
/* Appends "float32 [2, 3]" and the elements, the first few of a long tensor. */
void values_print(const TF_Tensor *t, struct strbuf *out);

#endif
