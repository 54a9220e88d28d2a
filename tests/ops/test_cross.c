/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: crossed features. */
#include "op_case.h"

#define HASHED                                                                                     \
    "hashed_output=true num_buckets=0 hash_key=956888297470 out_type=int64 internal_type=string"
#define TEXTS "hashed_output=false num_buckets=0 hash_key=1 out_type=string internal_type=string"
#define IX "*1 int64 [3,2] 0 0 0 1 2 0"
#define NAMES "*1 string [3] 'a' 'bb' 'c'"
#define DIMS "*1 int64 [2] 3 2"
#define STRINGS "*1 string [3,2] 'x' 'y' 'z' 'w' 'u' 'v'"
#define INTS "*1 int64 [3,2] 1 2 3 4 5 -6"
#define PLACES "int64 [6,2] 0 0 0 1 0 2 0 3 2 0 2 1"
#define SIZE "int64 [2] 3 4"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "SparseCross", .attrs = HASHED, .in = {IX, NAMES, DIMS, STRINGS},
     .out = {PLACES, "int64 [6] 1484974617627318892 3920818148696658747 7528810118441971278 1425871436731482144 4790454433732136384 3266811598836059324", SIZE}},
    {.op = "SparseCross", .attrs = HASHED, .in = {IX, NAMES, DIMS, INTS},
     .out = {PLACES, "int64 [6] 2928842892298887678 7560904255693475987 7662026292601998360 1547586970957659860 4707660378794676007 3416122002609312130", SIZE}},
    {.op = "SparseCross", .attrs = "hashed_output=true num_buckets=100 hash_key=956888297470 out_type=int64 internal_type=string", .in = {IX, NAMES, DIMS, STRINGS},
     .out = {PLACES, "int64 [6] 92 47 85 44 91 31", SIZE}},
    {.op = "SparseCross", .attrs = "hashed_output=true num_buckets=7 hash_key=5 out_type=int64 internal_type=int64", .in = {"*0", "*0", "*0", INTS},
     .out = {"int64 [6,2] 0 0 0 1 1 0 1 1 2 0 2 1", "int64 [6] 4 3 6 1 5 6", "int64 [2] 3 2"}},
    {.op = "SparseCross", .attrs = TEXTS, .in = {IX, NAMES, DIMS, STRINGS}, .out = {PLACES, "string [6] 'a_X_x' 'a_X_y' 'bb_X_x' 'bb_X_y' 'c_X_u' 'c_X_v'", SIZE}},
    {.op = "SparseCross", .attrs = TEXTS, .in = {"*2 int64 [3,2] 0 0 0 1 2 0", "int64 [2,2] 0 0 2 0", "*2 string [3] 'a' 'bb' 'c'", "int64 [2] 7 -8", "*2 int64 [2] 3 2", "int64 [2] 3 9", "*0"},
     .out = {"int64 [3,2] 0 0 0 1 2 0", "string [3] 'a_X_7' 'bb_X_7' 'c_X_-8'", "int64 [2] 3 2"}},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*0", "*0", "*0", "*0"}, .out = {"int64 [0,2]", "int64 [0]", "int64 [2] 0 0"}},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*0", "*0", "*0", "*2 int64 [3,2] 1 2 3 4 5 -6", "int64 [3,0]"}, .out = {"int64 [0,2]", "int64 [0]", "int64 [2] 3 0"}},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*1 int64 [2,2] 2 0 0 0", "*1 int64 [2] 1 2", DIMS, "*0"}, .out = {"int64 [1,2] 2 0", "int64 [1] 5199413699614396413", "int64 [2] 3 1"}, .note = "what comes after its row"},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*1 int64 [2,2] -2 0 0 0", "*1 int64 [2] 1 2", DIMS, "*0"}, .out = {"int64 [0,2]", "int64 [0]", "int64 [2] 3 0"}},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*1 int64 [1,2] 4611686018427387903 0", "*1 int64 [1] 1", "*1 int64 [2] 9223372036854775807 2", "*0"},
     .out = {"int64 [1,2] 4611686018427387903 0", "int64 [1] 5199413699614396413", "int64 [2] 9223372036854775807 1"}, .note = "many empty rows"},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*0", "*0", "*0", "*2 int64 [3,2] 1", "int64 [1,2] 1"}, .error = "INVALID_ARGUMENT: Expected batch size 3 got 1 at dense tensor 1"},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*0", "*0", "*0", "*1 int64 [3] 1"}, .error = "INVALID_ARGUMENT: Dense inputs should be a matrix"},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*1 int64 [2] 0 1", NAMES, DIMS, "*0"}, .error = "INVALID_ARGUMENT: Input indices should be a matrix"},
    {.op = "SparseCross", .attrs = HASHED, .in = {"*1 int64 [1,3] 0", "*1 int64 [1] 1", DIMS, "*0"}, .error = "INVALID_ARGUMENT: Expected D2 of index to be 2 got 3 at position 0"},
    {.op = "SparseCross", .attrs = HASHED, .in = {IX, "*1 int64 [2] 1", DIMS, "*0"}, .error = "INVALID_ARGUMENT: Expected size of values to be 3 got 2 at position 0"},
    {.op = "SparseCross", .attrs = HASHED, .in = {IX, NAMES, "*1 int64 [3] 3 2 1", "*0"}, .error = "INVALID_ARGUMENT: shape should imply a 2D tensor, but got"},
    {.op = "SparseCross", .attrs = HASHED, .in = {IX, "*2 string [3] 'a' 'bb' 'c'", "int64 [3] 1", DIMS, "*0"}, .error = "INVALID_ARGUMENT: Expected 1 input values, got 2"},
    {.op = "SparseCross", .attrs = HASHED, .in = {IX, NAMES, "*1 int64 [2] -3 2", "*0"}, .error = "INVALID_ARGUMENT"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
