/* SPDX-License-Identifier: Apache-2.0 */
/* How strings lie in the TF_STRING tensors of this process, and elements read and written so. */
#ifndef LEAT_API_STRING_LAYOUT_H
#define LEAT_API_STRING_LAYOUT_H

#include "api/api_tensor.h"
#include "base/str.h"

enum { STRINGS_OFFSETS = 1, STRINGS_TSTRING = 2 }; /* enum leat_string_layout */

/* The layout, which is settled from now on; 0: two of them were asked for, st says so. */
int string_layout_use(struct status *st) MUST_CHECK;
/* For functions that mean something in one layout alone. */
MUST_CHECK bool string_layout_want(int layout, struct status *st);
/* Remembers that TF_TString functions are called, for a hint in errors. */
void string_layout_saw_tstring(void);
/* Adds that hint to the error of a string tensor that is malformed in 1.15's layout. */
void string_layout_hint(struct status *st);

/* String i of a string tensor of the client's in that layout; its bounds are checked. */
MUST_CHECK bool api_string_at(const TF_Tensor *t, int layout, int64_t i, struct str *out,
                              struct status *st);
/* Whether t is long enough to hold its elements. */
MUST_CHECK bool api_strings_fit(const TF_Tensor *t, int layout, struct status *st);
/* A string tensor of TF_TStrings, empty ones, which it frees itself; NULL: the shape, or memory. */
TF_Tensor *api_tstring_tensor(const int64_t *dims, int num_dims) MUST_CHECK;

#endif
