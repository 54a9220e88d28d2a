/* SPDX-License-Identifier: Apache-2.0 */
/* String tensors without knowing how strings lie in them.
 *
 *     TF_Tensor *t = leat_string_tensor(texts, NULL, (int64_t[]){2}, 1, s);
 *     const char *text;
 *     size_t n;
 *     leat_tensor_string_at(t, 1, &text, &n, s);
 *
 * There are two layouts, and a process uses one: 1.15's (tensorflow/c/tf_tensor.h), which is what
 * it gets, or that of TF_TString (tensorflow/c/tf_tstring.h), which loading libtensorflow.so.2
 * switches to. Functions return 1, or 0 with the status set, which may be NULL. Any thread. */
#ifndef LEAT_STRINGS_H
#define LEAT_STRINGS_H

#include "leat/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum leat_string_layout {
    LEAT_STRINGS_OFFSETS = 1, /* TensorFlow 1.15's */
    LEAT_STRINGS_TSTRING = 2, /* TensorFlow 2.4's and later */
};

/* Says which layout TF_STRING tensors have in this process; before the first of them is used. Any
 * thread. Errors: INVALID_ARGUMENT (no such layout), FAILED_PRECONDITION (the other one is in use).
 * When status is NULL, such a contradiction is remembered: from then on every string tensor that is
 * given to the library or taken from it is refused. */
LEAT_EXPORT int leat_set_string_layout(int layout, TF_Status *status);
/* The layout in use: 1.15's as long as nobody said anything else. Any thread; cannot fail. */
LEAT_EXPORT int leat_get_string_layout(void);

/* String `index` (row-major) of a TF_STRING tensor: *text points into the tensor and is not
 * NUL-terminated, *n is its length. Any thread. Errors: INVALID_ARGUMENT (no string tensor,
 * malformed), OUT_OF_RANGE (no such element), FAILED_PRECONDITION (two layouts in use). */
LEAT_EXPORT int leat_tensor_string_at(const TF_Tensor *tensor, int64_t index, const char **text,
                                      size_t *n, TF_Status *status);
/* A TF_STRING tensor with copies of the texts, as many as the dims ask for; lengths NULL: they are
 * NUL-terminated. The caller deletes it with TF_DeleteTensor, and nothing else is to be freed. Any
 * thread. Errors, and NULL: INVALID_ARGUMENT (a NULL text, a shape that is none),
 * RESOURCE_EXHAUSTED, FAILED_PRECONDITION (two layouts in use). */
LEAT_EXPORT TF_Tensor *leat_string_tensor(const char *const *texts, const size_t *lengths,
                                          const int64_t *dims, int rank, TF_Status *status);

#ifdef __cplusplus
}
#endif

#endif
