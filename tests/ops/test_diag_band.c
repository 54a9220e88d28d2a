/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: bands of diagonals, MatrixDiagV2 and its kin. */
#include "op_case.h"

/* clang-format off */
#define M "double [2,3,4] 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23"
#define NINE "float [] 9"
#define REST "const int32 [] -1", "const int32 [] -1"
static const struct op_case cases[] = {
    {.op = "MatrixDiagV2", .in = {"double [2,2] 1 2 3 nan", "const int32 [] 1", REST, "double [] 0"}, .out = {"double [2,3,3] 0 1 0 0 0 2 0 0 0 0 3 0 0 0 nan 0 0 0"}},
    {.op = "MatrixDiagV2", .in = {"double [2,3] 1 2 3 4 5 6", "const int32 [2] -1 0", REST, "double [] 9"}, .out = {"double [3,3] 1 9 9 4 2 9 9 5 3"}, .grad = 1},
    {.op = "MatrixDiagV2", .in = {"float [2,3] 1 2 3 4 5 6", "const int32 [2] -1 0", "const int32 [] 3", "const int32 [] 4", NINE}, .out = {"float [3,4] 1 9 9 9 4 2 9 9 9 5 3 9"}},
    {.op = "MatrixDiagV2", .in = {"float [2,3] 1 2 3 4 5 6", "int32 [2] 0 1", "int32 [] -1", "int32 [] 4", NINE}, .out = {"float [3,4] 4 1 9 9 9 5 2 9 9 9 6 3"}},
    {.op = "MatrixDiagV2", .in = {"bool [2] 1 1", "const int32 [] 0", REST, "bool [] 0"}, .out = {"bool [2,2] 1 0 0 1"}},
    {.op = "MatrixDiagV2", .in = {"float [2,0]", "const int32 [] 0", REST, NINE}, .out = {"float [2,0,0]"}},
    {.op = "MatrixDiagV2", .in = {"? float [1] 1", "? int32 [3] 1 2 3", REST, NINE}, .error = "INVALID_ARGUMENT: diag_index must be a scalar or vector with one or two elements. It has 3 elements"},
    {.op = "MatrixDiagV2", .in = {"float [1] 1", "const int32 [2] 2 1", REST, NINE}, .error = "INVALID_ARGUMENT: lower_diag_index"},
    {.op = "MatrixDiagV2", .in = {"? float [] 1", "int32 [] 0", REST, NINE}, .error = "INVALID_ARGUMENT: diagonal must be at least 1-dim"},
    {.op = "MatrixDiagV2", .in = {"float [2] 1 2", "int32 [] 0", "int32 [] 1", "int32 [] -1", NINE}, .error = "INVALID_ARGUMENT: The number of rows is too small."},
    {.op = "MatrixDiagV2", .in = {"float [1] 1", "int32 [] 5", "int32 [] 2", "int32 [] 2", NINE}, .error = "INVALID_ARGUMENT: The number of columns is too small."},
    {.op = "MatrixDiagV2", .in = {"float [2] 1 2", "int32 [] 0", "int32 [] 5", "int32 [] 5", NINE}, .error = "INVALID_ARGUMENT: not consistent"},
    {.op = "MatrixDiagV2", .in = {"float [2,2] 1 2 3 4", "const int32 [2] 0 2", REST, NINE}, .error = "INVALID_ARGUMENT: The number of rows of `diagonal`"},
    {.op = "MatrixDiagPartV2", .in = {M, "const int32 [] 1", "double [] 0"}, .out = {"double [2,3] 1 6 11 13 18 23"}, .grad = 1},
    {.op = "MatrixDiagPartV2", .in = {M, "const int32 [2] -1 1", "double [] nan"}, .out = {"double [2,3,3] 1 6 11 0 5 10 4 9 nan 13 18 23 12 17 22 16 21 nan"}},
    {.op = "MatrixDiagPartV2", .in = {"? double [2,2] 1 2 3 4", "const int32 [2] -1 0", "double [] 9"}, .out = {"double [2,2] 1 4 3 9"}, .grad = 1},
    {.op = "MatrixDiagPartV2", .in = {"float [2,0]", "const int32 [] 0", NINE}, .out = {"float [0]"}},
    {.op = "MatrixDiagPartV2", .in = {"float [0,2,2]", "const int32 [2] 0 1", NINE}, .out = {"float [0,2,2]"}},
    {.op = "MatrixDiagPartV2", .in = {M, "int32 [] 4", "double [] 0"}, .error = "INVALID_ARGUMENT: lower_diag_index is out of bound"},
    {.op = "MatrixDiagPartV2", .in = {M, "const int32 [] -3", "double [] 0"}, .error = "INVALID_ARGUMENT: lower_diag_index is out of bound"},
    {.op = "MatrixDiagPartV2", .in = {M, "int32 [2] 0 4", "double [] 0"}, .error = "INVALID_ARGUMENT: upper_diag_index is out of bound"},
    {.op = "MatrixDiagPartV2", .in = {"? float [2] 1 2", "int32 [] 0", NINE}, .error = "INVALID_ARGUMENT: input must be at least 2-dim"},
    {.op = "MatrixSetDiagV2", .in = {"double [2,3] 0 1 2 3 4 inf", "double [2] -1 nan", "const int32 [] 0"}, .out = {"double [2,3] -1 1 2 3 nan inf"}},
    {.op = "MatrixSetDiagV2", .in = {"double [2,3] 0 1 2 3 4 5", "double [2] -1 -2", "const int32 [] 1"}, .out = {"double [2,3] 0 -1 2 3 4 -2"}, .grad = 3},
    {.op = "MatrixSetDiagV2", .in = {"double [3,3] 0 1 2 3 4 5 6 7 8", "double [2,3] -1 -2 -3 -4 -5 99", "const int32 [2] -1 0"}, .out = {"double [3,3] -1 1 2 -4 -2 5 6 -5 -3"}, .grad = 1},
    {.op = "MatrixSetDiagV2", .in = {"float [0,2,2]", "float [0,2]", "const int32 [] 0"}, .out = {"float [0,2,2]"}},
    {.op = "MatrixSetDiagV2", .in = {"? float [2,2] 1", "? float [3] 1", "int32 [] 0"}, .error = "INVALID_ARGUMENT: diagonal must have the shape"},
    {.op = "MatrixSetDiagV2", .in = {"float [2,2] 1", "float [1] 1", "int32 [2] 1 0"}, .error = "INVALID_ARGUMENT: lower_diag_index"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
