/* SPDX-License-Identifier: Apache-2.0 */
/* The list of known wrong cases. */
#include "common/known.h"

#include <stddef.h>
#include <string.h>

#define LEAST_SQUARES                                                                              \
    "kernel_tests.matrix_solve_ls_op_test/MatrixSolveLsOpTest.test_MatrixSolveLsOpTest_"
#define RESIDUAL                                                                                   \
    "its norm of a residual, 0 but for rounding, is 1e-14 of numbers near 1: other digits in "     \
    "every "                                                                                       \
    "library that decomposes the matrix otherwise (the solutions agree to 1e-15)"

static const struct known {
    const char *name, *reason;
} known[] = {
    {"oracle_ops_test/OracleOps.test_FusedBatchNormV2_2.0",
     "TensorFlow's own optimiser breaks this graph, and its error was recorded"},
    {"oracle_ops_test/OracleOps.test_FusedBatchNormV2_0.0",
     "TensorFlow's own optimiser breaks this graph, and its error was recorded"},
    {LEAST_SQUARES "Underdetermined_float64_placeholder_True_fast_False_regu_0.0", RESIDUAL},
    {LEAST_SQUARES "Overdetermined_complex128_placeholder_True_fast_False_regu_0.0", RESIDUAL},
};

const char *known_reason(const char *case_name)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, case_name) == 0)
            return known[i].reason;
    }
    return NULL;
}
