/* SPDX-License-Identifier: Apache-2.0 */
/* Which ops change state. By name, since definitions do not say it: what an op of state does to its
 * references and handles is in its kernel alone. Asked once for each node of a plan. */
#include "op/changes.h"

#include <string.h>

bool changes_writes(const char *op)
{
    static const char *const begins[] = {
        "Assign",
        "Apply",
        "SparseApply",
        "Scatter",
        "ResourceApply",
        "ResourceSparseApply",
        "ResourceScatter",
        "ResourceCountUpTo",
        "CountUpTo",
        "StridedSliceAssign",
        "ResourceStridedSliceAssign",
        "_RestoreInto",
        "DestroyResourceOp",
        "LookupTableInsert",
        "LookupTableImport",
        "LookupTableRemove",
        "InitializeTable",
    };
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        if (strncmp(op, begins[i], strlen(begins[i])) == 0)
            return strcmp(op, "ScatterNd") != 0;
    }
    return false;
}
