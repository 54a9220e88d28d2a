/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: a counter in a variable. */
#include "op_case.h"

static const struct op_case cases[] = {
    {.op = "CountUpTo", .attrs = "limit=3", .in = {"var int32 [] 2"}, .out = {"int32 [] 2"}},
    {.op = "CountUpTo", .attrs = "limit=3", .in = {"var int64 [] -7"}, .out = {"int64 [] -7"}},
    {.op = "CountUpTo",
     .attrs = "limit=3",
     .in = {"var int64 [] 3"},
     .error = "OUT_OF_RANGE: Reached limit of 3"},
    {.op = "CountUpTo", .attrs = "limit=3", .in = {"var int32 [1] 0"}, .error = "INVALID_ARGUMENT"},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
