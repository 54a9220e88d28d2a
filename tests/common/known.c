/* SPDX-License-Identifier: Apache-2.0 */
/* The list of known wrong cases. */
#include "common/known.h"

#include <stddef.h>
#include <string.h>

static const struct known {
    const char *name, *reason;
} known[] = {
    {"kernel_tests.svd_op_test/"
     "SvdOpTest.test_Svd_float32_10_2_static_shape_False__compute_uv_True_full_True.0",
     "full U: the vectors past the rank are any basis of the rest, and differ from TensorFlow's"},
    {"kernel_tests.svd_op_test/"
     "SvdOpTest.test_Svd_complex128_3_2_5_2_static_shape_True__compute_uv_True_full_True.0",
     "full U: the vectors past the rank are any basis of the rest, and differ from TensorFlow's"},
    {"ops.image_ops_test/PerImageWhiteningTest.testBatchWhitening.0",
     "a float32 mean, cast to double and so compared as double: another order of additions"},
};

const char *known_reason(const char *case_name)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, case_name) == 0)
            return known[i].reason;
    }
    return NULL;
}
