/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: distances of sequences. */
#include "op_case.h"

/* clang-format off */
#define HYP "int64 [3,3] 0 0 0 1 0 0 1 0 1", "string [3] 'a' 'b' 'c'", "int64 [3] 2 1 2"
#define TRUTH "int64 [4,3] 0 1 0 1 0 0 1 0 1 1 1 0", "string [4] 'a' 'b' 'x' 'a'", "int64 [3] 2 2 2"
static const struct op_case cases[] = {
    {.op = "EditDistance", .in = {HYP, TRUTH}, .out = {"float [2,2] inf 1 0.5 1"}},
    {.op = "EditDistance", .attrs = "normalize=false", .in = {HYP, TRUTH}, .out = {"float [2,2] 1"}},
    {.op = "EditDistance", .attrs = "normalize=false",
     .in = {"int64 [6,2] 0 0 0 1 0 2 0 3 0 4 0 5", "int32 [6] 1 2 3 3 4 5", "const int64 [2] 1 6",
            "int64 [7,2] 0 0 0 1 0 2 0 3 0 4 0 5 0 6", "int32 [7] 6 2 3 3 2 5 7", "const int64 [2] 3 7"},
     .out = {"float [3] 3 0 0"}},
    {.op = "EditDistance", .in = {"int64 [2,2] 1 0 0 0", "float [2] nan 1", "int64 [2] 2 1", "int64 [2,2] 0 0 1 0", "float [2] 1 nan", "int64 [2] 2 1"},
     .out = {"float [2] 0 1"}, .note = "cells in any order"},
    {.op = "EditDistance", .in = {"int64 [0,2]", "double [0]", "int64 [2] 2 0", "int64 [0,2]", "double [0]", "int64 [2] 1 0"}, .out = {"float [2] 0"}},
    {.op = "EditDistance", .in = {"int64 [1,1] 0", "double [1] inf", "int64 [1] 1", "int64 [1,1] 0", "double [1] inf", "int64 [1] 1"}, .out = {"float [] 0"}},
    {.op = "EditDistance", .in = {"int64 [1,2] 2 0", "half [1] 1", "int64 [2] 2 1", "int64 [0,2]", "half [0]", "int64 [2] 2 1"}, .error = "INVALID_ARGUMENT: hypothesis_indices: row 0 lies outside"},
    {.op = "EditDistance", .in = {"int64 [1,2] 0 0", "half [1] 1", "int64 [2] 2 1", "int64 [0,3]", "half [0]", "int64 [3] 2 1 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "EditDistance", .in = {"? int64 [1] 0", "half [1] 1", "int64 [2] 2 1", "int64 [0,2]", "half [0]", "int64 [2] 2 1"}, .error = "INVALID_ARGUMENT: hypothesis_indices should be a matrix"},
    {.op = "EditDistance", .in = {"int64 [1,2] 0 0", "half [2] 1", "int64 [2] 2 1", "int64 [0,2]", "half [0]", "int64 [2] 2 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "EditDistance", .in = {"int64 [0,2]", "half [0]", "int64 [2] -2 1", "int64 [0,2]", "half [0]", "int64 [2] 2 1"}, .error = "INVALID_ARGUMENT"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
