/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of float, double, complex64 and complex128 as complex numbers of double, and back. */
#ifndef LEAT_OPS_MATRIX_COMPLEX_ITEMS_H
#define LEAT_OPS_MATRIX_COMPLEX_ITEMS_H

#include "tensor/tensor.h"

/* n elements of t from `at` on. */
void complex_load(const struct tensor *t, int64_t at, int64_t n, double _Complex *to);
/* Real types get the real parts. */
void complex_store(struct tensor *t, int64_t at, int64_t n, const double _Complex *from);

#endif
