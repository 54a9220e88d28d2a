/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two values agree.
 *
 * Inexact types agree when |got - want| <= rel |want| + top max|want| + abs, where max|want| is
 * over the finite elements of the whole value; a NaN agrees with a NaN, an infinity with itself.
 * All other types agree when they are equal. */
#ifndef LEAT_TESTS_COMMON_COMPARE_H
#define LEAT_TESTS_COMMON_COMPARE_H

#include "common/text.h"
#include "tensorflow/c/c_api.h"

struct tolerance {
    double rel, top, abs;
};

/* What of a value is defined only up to a factor of modulus 1. */
enum phase {
    PHASE_NONE,
    PHASE_COLUMNS,           /* each column: vectors of Svd and SelfAdjointEigV2, q of Qr */
    PHASE_ROWS,              /* each row: r of Qr */
    PHASE_COLUMNS_BELOW_ROW, /* each column under the first row: SelfAdjointEig */
};

/* Types and shapes are the same; else false with the reason. */
bool tensors_alike(const TF_Tensor *got, const TF_Tensor *want, struct text *why);

/* Types, shapes and values agree; else false with the first difference. */
bool tensors_agree(const TF_Tensor *got, const TF_Tensor *want, struct tolerance tolerance,
                   enum phase phase, struct text *why);

#endif
