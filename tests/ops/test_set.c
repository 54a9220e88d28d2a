/* SPDX-License-Identifier: Apache-2.0 */
/* Elements without repetitions, differences; assertions. */
#include "op_case.h"

static const struct op_case cases[] = {
    {.op = "Unique",
     .in = {"float [4] nan nan 0 -0.0"},
     .out = {"float [3] nan nan 0", "int32 [4] 0 1 2 2"}},
    {.op = "Unique", .in = {"int64 [0]"}, .out = {"int64 [0]", "int32 [0]"}},
    {.op = "Unique",
     .attrs = "out_idx=int64",
     .in = {"string [4] 'b' 'a' 'b' 'a string that does not fit inside'"},
     .out = {"string [3] 'b' 'a' 'a string that does not fit inside'", "int64 [4] 0 1 0 2"}},
    {.op = "Unique",
     .in = {"float [1,2] 1 2"},
     .error = "INVALID_ARGUMENT: Shape must be rank 1 but is rank 2"},
    {.op = "Unique",
     .in = {"? float [1,2] 1 2"},
     .error = "INVALID_ARGUMENT: unique expects a 1D vector."},
    {.op = "UniqueWithCounts",
     .in = {"int32 [5] 7 3 7 7 3"},
     .out = {"int32 [2] 7 3", "int32 [5] 0 1 0 0 1", "int32 [2] 3 2"}},
    {.op = "UniqueV2",
     .in = {"float [3,2] 1 2 1 2 0 1", "int32 [1] 0"},
     .out = {"float [2,2] 1 2 0 1", "int32 [3] 0 0 1"}},
    {.op = "UniqueWithCountsV2",
     .in = {"float [2,3] 1 2 1 1 2 1", "int64 [1] -1"},
     .out = {"float [2,2] 1 2 1 2", "int32 [3] 0 1 0", "int32 [2] 2 1"}},
    {.op = "UniqueV2",
     .in = {"float [2,2] 1", "int32 [1] 2"},
     .error = "INVALID_ARGUMENT: axis has to be between [0, 2)"},
    {.op = "ListDiff",
     .in = {"float [4] 1 2 2 3", "float [1] 3"},
     .out = {"float [3] 1 2 2", "int32 [3] 0 1 2"}},
    {.op = "ListDiff",
     .in = {"string [2] 'a' 'b'", "string [0]"},
     .out = {"string [2] 'a' 'b'", "int32 [2] 0 1"}},
    {.op = "Assert",
     .in = {"bool [] 0", "*3 float [4] 1 2 3 4", "string [] 'he llo'", "int32 [2,2] 1 2 3 4"},
     .error = "INVALID_ARGUMENT: assertion failed: [1 2 3...] [he llo] [[1 2][3...]...]"},
    {.op = "PrintV2",
     .attrs = "output_stream='bogus'",
     .in = {"string [] 'x'"},
     .error = "INVALID_ARGUMENT: Unknown output stream: bogus, Valid streams are: stdout stderr"},
    {.op = "Print",
     .attrs = "first_n=0",
     .in = {"double [2] 1 2", "*1 int32 [] 7"},
     .out = {"double [2] 1 2"},
     .grad = 1},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
