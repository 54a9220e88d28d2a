/* SPDX-License-Identifier: Apache-2.0 */
/* The list of known wrong cases. */
#include "common/known.h"

#include <stddef.h>
#include <string.h>

static const struct known {
    const char *name, *reason;
} known[] = {
    {"oracle_ops_test/OracleOps.test_FusedBatchNormV2_2.0",
     "TensorFlow's own optimiser breaks this graph, and its error was recorded"},
    {"oracle_ops_test/OracleOps.test_FusedBatchNormV2_0.0",
     "TensorFlow's own optimiser breaks this graph, and its error was recorded"},
};

const char *known_reason(const char *case_name)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, case_name) == 0)
            return known[i].reason;
    }
    return NULL;
}
