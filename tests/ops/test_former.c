/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: ops that newer graphs may not use. */
#include "op_case.h"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "BatchCholesky", .in = {"double [2,2,2] 4 1 1 3 2 0.5 0.5 5"}, .out = {"double [2,2,2] 2 0 0.5 1.6583123951777 1.4142135623730951 0 0.35355339059327373 2.207940216581962"}, .producer = 12},
    {.op = "BatchCholesky", .in = {"float [0,2,2]"}, .out = {"float [0,2,2]"}, .producer = 12},
    {.op = "BatchCholesky", .in = {"float [1,1,1] nan"}, .out = {"float [1,1,1] nan"}, .producer = 12},
    {.op = "BatchCholeskyGrad", .in = {"double [1,2,2] 2 0 0.5 1.5", "double [1,2,2] 1 0 2 3"}, .out = {"double [1,2,2] 0.1875 0.25 0.25 1"}, .producer = 12},
    {.op = "BatchCholeskyGrad", .in = {"float [0,2,2]", "float [0,2,2]"}, .out = {"float [0,2,2]"}, .producer = 12},
    {.op = "BatchMatrixBandPart", .in = {"double [2,2,3] 1 2 3 4 5 6 7 8 9 10 11 nan", "int64 [] 0", "int64 [] 1"}, .out = {"double [2,2,3] 1 2 0 0 5 6 7 8 0 0 11 nan"}, .producer = 13},
    {.op = "BatchMatrixBandPart", .in = {"float [2,0,3]", "int64 [] 0", "int64 [] 1"}, .out = {"float [2,0,3]"}, .producer = 13},
    {.op = "BatchMatrixDeterminant", .in = {"double [2,2,2] 4 1 1 3 2 0.5 0.5 5"}, .out = {"double [2] 11.000000000000002 9.750000000000002"}, .producer = 12},
    {.op = "BatchMatrixDeterminant", .in = {"float [0,2,2]"}, .out = {"float [0]"}, .producer = 12},
    {.op = "BatchMatrixDeterminant", .in = {"float [2,0,0]"}, .out = {"float [2] 1 1"}, .producer = 12},
    {.op = "BatchMatrixDeterminant", .in = {"float [1,1,1] nan"}, .out = {"float [1] 0"}, .producer = 12},
    {.op = "BatchMatrixDiag", .in = {"float [2,2] 1 nan 3 inf"}, .out = {"float [2,2,2] 1 0 0 nan 3 0 0 inf"}, .producer = 13},
    {.op = "BatchMatrixDiag", .in = {"float [2,0]"}, .out = {"float [2,0,0]"}, .producer = 13},
    {.op = "BatchMatrixDiagPart", .in = {"float [2,2,2] 1 2 3 nan 5 6 7 inf"}, .out = {"float [2,2] 1 nan 5 inf"}, .producer = 13},
    {.op = "BatchMatrixDiagPart", .in = {"int64 [0,2,2]"}, .out = {"int64 [0,2]"}, .producer = 13},
    {.op = "BatchMatrixSetDiag", .in = {"float [1,2,2] 1 2 3 4", "float [1,2] nan inf"}, .out = {"float [1,2,2] nan 2 3 inf"}, .producer = 13},
    {.op = "BatchMatrixSetDiag", .in = {"float [0,2,2]", "float [0,2]"}, .out = {"float [0,2,2]"}, .producer = 13},
    {.op = "BatchMatrixInverse", .attrs = "adjoint=true", .in = {"double [2,2,2] 4 1 1 3 2 0.5 0.5 5"}, .out = {"double [2,2,2] 0.2727272727272727 -0.09090909090909091 -0.09090909090909091 0.36363636363636365 0.5128205128205128 -0.05128205128205128 -0.05128205128205128 0.20512820512820512"}, .producer = 12},
    {.op = "BatchMatrixInverse", .in = {"float [0,2,2]"}, .out = {"float [0,2,2]"}, .producer = 12},
    {.op = "BatchMatrixInverse", .in = {"float [1,2,2] 1 2 2 4"}, .error = "INVALID_ARGUMENT: Input is not invertible.", .producer = 12},
    {.op = "BatchMatrixSolve", .in = {"double [2,2,2] 4 1 1 3 2 0.5 0.5 5", "double [2,2,1] 1 2 3 4"}, .out = {"double [2,2,1] 0.09090909090909091 0.6363636363636364 1.3333333333333333 0.6666666666666666"}, .producer = 12},
    {.op = "BatchMatrixSolve", .in = {"float [0,2,2]", "float [0,2,1]"}, .out = {"float [0,2,1]"}, .producer = 12},
    {.op = "BatchMatrixSolveLs", .attrs = "fast=true", .in = {"double [1,3,2] 1 2 3 -1 2 0.5", "double [1,3,1] 1 2 3", "double [] 0.5"}, .out = {"double [1,2,1] 0.8965517241379309 0.26086956521739135"}, .producer = 12, .rel = 1e-10},
    {.op = "BatchMatrixSolveLs", .in = {"float [0,3,2]", "float [0,3,1]", "double [] 0.5"}, .out = {"float [0,2,1]"}, .producer = 12},
    {.op = "BatchMatrixTriangularSolve", .attrs = "lower=false", .in = {"double [2,2,2] 4 1 1 3 2 0.5 0.5 5", "double [2,2,1] 1 2 3 4"}, .out = {"double [2,2,1] 0.08333333333333334 0.6666666666666666 1.3 0.8"}, .producer = 12},
    {.op = "BatchMatrixTriangularSolve", .in = {"float [0,2,2]", "float [0,2,1]"}, .out = {"float [0,2,1]"}, .producer = 12},
    {.op = "BatchSelfAdjointEig", .in = {"double [2,2,2] 4 1 1 3 2 0.5 0.5 5"}, .out = {"double [2,3,2] ~"}, .producer = 10},
    {.op = "BatchSelfAdjointEig", .in = {"float [0,2,2]"}, .out = {"float [0,3,2]"}, .producer = 10},
    {.op = "BatchSelfAdjointEigV2", .attrs = "compute_v=false", .in = {"double [2,2,2] 4 1 1 3 2 0.5 0.5 5"}, .out = {"double [2,2] 2.3819660112501047 4.618033988749893 1.9188611699158105 5.08113883008419", "double [0]"}, .producer = 12, .rel = 1e-10},
    {.op = "BatchSelfAdjointEigV2", .in = {"float [0,2,2]"}, .out = {"float [0,2]", "float [0,2,2]"}, .producer = 12},
    {.op = "BatchSvd", .attrs = "compute_uv=false", .in = {"double [1,2,2] 3 0 0 2"}, .out = {"double [1,2] 3 2", "double [0]", "double [0]"}, .producer = 12},
    {.op = "BatchSvd", .in = {"float [0,2,3]"}, .out = {"float [0,2]", "float [0,2,2]", "float [0,3,2]"}, .producer = 12},
    {.op = "SelfAdjointEig", .in = {"double [1,1] 3"}, .out = {"double [2,1] 3 1"}, .producer = 10},
    {.op = "SelfAdjointEig", .in = {"double [2,3] 3"}, .error = "INVALID_ARGUMENT", .producer = 10},
    {.op = "TopK", .attrs = "k=2", .in = {"float [2,3] 1 3 2 inf -inf 5"}, .out = {"float [2,2] 3 2 inf 5", "int32 [2,2] 1 2 0 2"}, .producer = 6},
    {.op = "TopK", .attrs = "k=0", .in = {"float [2,3] nan"}, .out = {"float [2,0]", "int32 [2,0]"}, .producer = 6},
    {.op = "TopK", .attrs = "k=4", .in = {"float [2,3] 1"}, .error = "INVALID_ARGUMENT", .producer = 6},
    {.op = "TopK", .attrs = "k=1", .in = {"float [0,3]"}, .out = {"float [0,1]", "int32 [0,1]"}, .producer = 6},
    {.op = "RandomPoisson", .attrs = "seed=3 seed2=5", .in = {"const int32 [1] 4", "float [2] 0.5 20"}, .out = {"float [4,2] 0 17 0 14 0 24 1 20"}, .producer = 24},
    {.op = "RandomPoisson", .attrs = "seed=3 seed2=5", .in = {"const int32 [1] 0", "float [2] 0.5 20"}, .out = {"float [0,2]"}, .producer = 24},
    {.op = "TileGrad", .in = {"float [4] 1 2 3 nan", "const int32 [1] 2"}, .out = {"float [2] 4 nan"}, .producer = 2, .note = "TensorFlow's own kernel cannot be run"},
    {.op = "TileGrad", .in = {"float [0,2]", "const int32 [2] 2 1"}, .out = {"float [0,2]"}, .producer = 2},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
