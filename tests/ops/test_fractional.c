/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: fractional pooling. */
#include "op_case.h"

#define SEEDED "pooling_ratio=[1.0,1.5,1.5,1.0] deterministic=true seed=1 seed2=1"
#define UP "[1,4,5,1] 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19"
#define MIXED "[1,4,5,1] 3 1 3 2 5 5 5 1 0 0 2 2 9 7 9 3 3 3 1 2"
#define ROWS "int64 [3] 0 2 4"
#define COLS "int64 [4] 0 1 3 5"
#define DY "[1,2,3,1] 1 2 3 4 5 6"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "FractionalMaxPool", .attrs = SEEDED, .in = {"float " UP}, .out = {"float [1,2,3,1] 6 8 9 16 18 19", ROWS, "int64 [4] 0 2 4 5"}},
    {.op = "FractionalMaxPool", .attrs = SEEDED " overlapping=true", .in = {"int32 " UP}, .out = {"int32 [1,2,3,1] 12 14 14 17 19 19", ROWS, "int64 [4] 0 2 4 5"}},
    {.op = "FractionalMaxPool", .attrs = SEEDED, .in = {"float [1,3,3,1] 1 nan 3 4 -inf 2 nan inf 5"}, .out = {"float [1,2,2,1] 4 3 -3.4028235e38 inf", "int64 [3] 0 2 3", "int64 [3] 0 1 3"}},
    {.op = "FractionalMaxPool", .attrs = SEEDED, .in = {"double " UP}, .out = {"double [1,2,3,1] 6 8 9 16 18 19", ROWS, "int64 [4] 0 2 4 5"}, .grad = 1},
    {.op = "FractionalMaxPool", .attrs = SEEDED, .in = {"double [0,4,5,1]"}, .out = {"double [0,2,3,1]", ROWS, "int64 [4] 0 2 4 5"}},
    {.op = "FractionalMaxPool", .attrs = SEEDED, .in = {"int64 [1,4,5,0]"}, .out = {"int64 [1,2,3,0]", ROWS, "int64 [4] 0 2 4 5"}},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.0,1.4,1.7,1.0] pseudo_random=true deterministic=true seed=3 seed2=5", .in = {"float [1,10,10,1] 1"},
     .out = {"float [1,7,5,1] 1", "int64 [8] 0 1 3 4 5 7 8 10", "int64 [6] 0 2 4 6 8 10"}},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.0,1.4,1.7,1.0]", .in = {"float [1,10,10,1] 1"}, .out = {"float [1,7,5,1] 1", "int64 [8] ~", "int64 [6] ~"}},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.0,1.5,1.5,1.0] seed=1", .in = {"float " UP}, .error = "INVALID_ARGUMENT: Both seed and seed2 should be 0 if deterministic is false."},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.0,1.5,1.5,1.0,1.0]", .in = {"float " UP}, .error = "INVALID_ARGUMENT: pooling_ratio field must specify 4 dimensions"},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.0,-0.5,1.5,1.0]", .in = {"float " UP}, .error = "INVALID_ARGUMENT: Size computed for dim 1 is negative: -8"},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.0,7.0,1.5,1.0]", .in = {"float " UP}, .error = "INVALID_ARGUMENT: pooling_ratio[1] = 7 makes of 4 elements 0"},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.0,nan,1.5,1.0]", .in = {"? float " UP}, .error = "INVALID_ARGUMENT"},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.0,1e-30,1.5,1.0]", .in = {"? float " UP}, .error = "INVALID_ARGUMENT"},
    {.op = "FractionalMaxPool", .attrs = "pooling_ratio=[1.5,1.5,1.5,1.0]", .in = {"float " UP}, .error = "INVALID_ARGUMENT: pooling is over rows and columns"},
    {.op = "FractionalMaxPool", .attrs = SEEDED, .in = {"float [1,0,5,1]"}, .error = "INVALID_ARGUMENT"},
    {.op = "FractionalMaxPool", .attrs = SEEDED, .in = {"? float [4,5,1] 1"}, .error = "INVALID_ARGUMENT: tensor_in must be 4-dimensional"},
    {.op = "FractionalAvgPool", .attrs = SEEDED, .in = {"float " UP}, .out = {"float [1,2,3,1] 3 5 6.5 13 15 16.5", ROWS, "int64 [4] 0 2 4 5"}},
    {.op = "FractionalAvgPool", .attrs = SEEDED " overlapping=true", .in = {"double " UP}, .out = {"double [1,2,3,1] 6 8 9 13.5 15.5 16.5", ROWS, "int64 [4] 0 2 4 5"}, .grad = 1},
    {.op = "FractionalAvgPool", .attrs = SEEDED, .in = {"int32 " MIXED}, .out = {"int32 [1,2,3,1] 3 1 2 2 5 5", ROWS, "int64 [4] 0 2 4 5"}},
    {.op = "FractionalAvgPool", .attrs = SEEDED, .in = {"float [1,3,3,1] 1 nan 3 4 -inf 2 nan inf 5"}, .out = {"float [1,2,2,1] 2.5 nan nan inf", "int64 [3] 0 2 3", "int64 [3] 0 1 3"}},
    {.op = "FractionalAvgPool", .attrs = SEEDED, .in = {"float [0,4,5,1]"}, .out = {"float [0,2,3,1]", ROWS, "int64 [4] 0 2 4 5"}},
    {.op = "FractionalMaxPoolGrad", .in = {"float " MIXED, "float [1,2,3,1] 0", "float " DY, ROWS, COLS}, .out = {"float [1,4,5,1] 0 0 0 0 3 1 2 0 0 0 0 0 5 0 6 4 0 0 0 0"}},
    {.op = "FractionalMaxPoolGrad", .attrs = "overlapping=true", .in = {"int32 " MIXED, "int32 [1,2,3,1] 0", "int32 " DY, ROWS, COLS}, .out = {"int32 [1,4,5,1] 0 0 0 0 0 1 0 0 0 0 0 0 7 0 9 4 0 0 0 0"}, .note = "a range takes the next one's first"},
    {.op = "FractionalMaxPoolGrad", .in = {"double [1,2,2,1] nan inf -inf 1", "double [1,1,1,1] 0", "double [1,1,1,1] 7", "int64 [2] 0 2", "int64 [2] 0 2"}, .out = {"double [1,2,2,1] 0 7 0 0"}},
    {.op = "FractionalMaxPoolGrad", .in = {"float [1,1,2,1] nan", "float [1,1,1,1] 0", "float [1,1,1,1] 7", "int64 [2] 0 1", "int64 [2] 0 2"}, .out = {"float [1,1,2,1] 0"}},
    {.op = "FractionalMaxPoolGrad", .in = {"float [0,4,5,1]", "float [0,2,3,1]", "float [0,2,3,1]", ROWS, COLS}, .out = {"float [0,4,5,1]"}},
    {.op = "FractionalMaxPoolGrad", .in = {"float " MIXED, "float [1,2,3,1] 0", "float [1,1,1,1] 1", ROWS, COLS}, .error = "INVALID_ARGUMENT: out_backprop must have the shape of the forward output, [1,2,3,1]"},
    {.op = "FractionalMaxPoolGrad", .in = {"float " MIXED, "float [1,2,3,1] 0", "float " DY, "int64 [3] 0 -2 4", COLS}, .error = "INVALID_ARGUMENT: row_pooling_sequence[1] = -2 is not a place"},
    {.op = "FractionalMaxPoolGrad", .in = {"float " MIXED, "float [1,2,3,1] 0", "float " DY, "int64 [3] 0 2 9223372036854775807", COLS}, .error = "INVALID_ARGUMENT"},
    {.op = "FractionalAvgPoolGrad", .in = {"const int64 [4] 1 4 5 1", "float " DY, ROWS, COLS},
     .out = {"float [1,4,5,1] 0.5 0.5 0.5 0.75 0.75 0.5 0.5 0.5 0.75 0.75 2 1.25 1.25 1.5 1.5 2 1.25 1.25 1.5 1.5"}},
    {.op = "FractionalAvgPoolGrad", .attrs = "overlapping=true", .in = {"int64 [4] 1 4 5 1", "int32 " DY, ROWS, COLS}, .out = {"int32 [1,4,5,1] 0 0 0 0 0 0 0 0 0 0 1 2 1 3 2 1 1 0 2 1"}},
    {.op = "FractionalAvgPoolGrad", .in = {"int64 [4] 1 4 5 1", "double [1,2,1,1] nan inf", ROWS, "int64 [2] 0 9"}, .out = {"double [1,4,5,1] nan nan nan nan nan nan nan nan nan nan inf"}, .note = "past the end there is nothing"},
    {.op = "FractionalAvgPoolGrad", .in = {"int64 [4] 1 4 5 0", "float [1,2,3,0]", ROWS, COLS}, .out = {"float [1,4,5,0]"}},
    {.op = "FractionalAvgPoolGrad", .in = {"? int64 [3] 1 4 5", "float " DY, ROWS, COLS}, .error = "INVALID_ARGUMENT: original input tensor shape must be"},
    {.op = "FractionalAvgPoolGrad", .in = {"int64 [4] 1 -4 5 1", "float " DY, ROWS, COLS}, .error = "INVALID_ARGUMENT"},
    {.op = "FractionalAvgPoolGrad", .in = {"int64 [4] 1 4 5 1", "float " DY, "int64 [0]", COLS}, .error = "INVALID_ARGUMENT: row_pooling_sequence must be a vector with an element or more"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
