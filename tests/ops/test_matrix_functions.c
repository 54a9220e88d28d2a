/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: functions and factors of matrices, products of labelled axes and of sparse matrices.
 */
#include "op_case.h"

/* clang-format off */
#define A "double [2,2] 4 1 2 3"
#define B "complex128 [2,2] 4 1 2 3"
#define F "float [2,2] 1 2 3 4"
static const struct op_case cases[] = {
    {.op = "Lu", .in = {"double [3,3] 1 2 3 4 5 6 7 8 10"}, .out = {"double [3,3] 7 8 10 0.14285714285714285 0.8571428571428572 1.5714285714285714 0.5714285714285714 0.5 -0.5", "int32 [3] 2 0 1"}, .rel = 1e-12, .abs = 1e-12},
    {.op = "Lu", .attrs = "output_idx_type=int64", .in = {"complex64 [2,2] 1 2i 4 5+1i"}, .out = {"complex64 [2,2] 4 5+1i 0.25 -1.25+1.75i", "int64 [2] 1 0"}},
    {.op = "Lu", .in = {"float [2,0,0]"}, .out = {"float [2,0,0]", "int32 [2,0]"}},
    {.op = "Lu", .in = {"float [2,2] 1 2 2 4"}, .error = "INVALID_ARGUMENT: Input is not invertible."},
    {.op = "Lu", .in = {"float [2,2] nan 2 2 4"}, .error = "INVALID_ARGUMENT: Input is not invertible."},
    {.op = "Lu", .in = {"? float [2,3] 1"}, .error = "INVALID_ARGUMENT: Input matrix must be square."},
    {.op = "Lu", .in = {"? float [2] 1"}, .error = "INVALID_ARGUMENT: Input tensor 0 must have rank >= 2"},
    {.op = "MatrixSquareRoot", .in = {A}, .out = {"double [2,2] 1.9621165057908909 0.273951471708898 0.54790294341779622 1.6881650340819927"}, .rel = 1e-10, .grad = 1},
    {.op = "MatrixSquareRoot", .in = {"float [2,2,2] 4 1 2 3 1 1 0 1"}, .out = {"float [2,2,2] 1.962116507 0.2739514657 0.5479029314 1.688165041 1 0.5 0 1"}, .rel = 1e-5, .abs = 1e-6},
    {.op = "MatrixSquareRoot", .in = {"complex128 [2,2] -4 -1 -2 -3"}, .out = {"complex128 [2,2] -1.01930746i -1.21676051i -2.43352103i 0.19745305i"}, .rel = 1, .abs = 9, .note = "any root's signs"},
    {.op = "MatrixSquareRoot", .in = {"double [1,1] -4"}, .out = {"double [1,1] nan"}},
    {.op = "MatrixSquareRoot", .in = {"complex64 [2,2] nan 1 0 0"}, .out = {"complex64 [2,2] nan+nani"}},
    {.op = "MatrixSquareRoot", .in = {"double [0,0]"}, .out = {"double [0,0]"}},
    {.op = "MatrixSquareRoot", .in = {"? double [2,3] 1"}, .error = "INVALID_ARGUMENT: Input matrix must be square."},
    {.op = "MatrixLogarithm", .in = {B}, .out = {"complex128 [2,2] 1.3040076684760487 0.30543024395805174 0.6108604879161035 0.9985774245179969"}, .rel = 1e-10, .abs = 1e-10},
    {.op = "MatrixLogarithm", .in = {"complex64 [3,3] 2 1 0 0 2 1 0 0 2"}, .out = {"complex64 [3,3] 0.6931472 0.5 -0.125 0 0.6931472 0.5 0 0 0.6931472"}, .rel = 1e-5, .abs = 1e-6},
    {.op = "MatrixLogarithm", .in = {"complex128 [2,2] -4 -1 -2 -3"}, .out = {"complex128 [2,2] 1.30400767-1.04719755i 0.30543024-2.0943951i 0.61086049-4.1887902i 0.99857742+1.04719755i"}, .rel = 9, .abs = 9, .note = "any branch of the cut"},
    {.op = "MatrixLogarithm", .in = {"complex128 [2,2] 0"}, .out = {"complex128 [2,2] nan+nani"}},
    {.op = "MatrixLogarithm", .in = {"complex128 [2,0,0]"}, .out = {"complex128 [2,0,0]"}},
    {.op = "MatrixLogarithm", .in = {"? complex128 [3] 1"}, .error = "INVALID_ARGUMENT: rank >= 2"},
    {.op = "MatrixExponential", .producer = 26, .in = {"double [2,2] 0 1 0 0"}, .out = {"double [2,2] 1 1 0 1"}, .abs = 1e-14},
    {.op = "MatrixExponential", .producer = 26, .in = {"float [2,2] 0 6.283185307 -6.283185307 0"}, .out = {"float [2,2] 1 0 0 1"}, .abs = 1e-5},
    {.op = "MatrixExponential", .producer = 26, .in = {"double [1,1] 20"}, .out = {"double [1,1] 485165195.4097903"}, .rel = 1e-12},
    {.op = "MatrixExponential", .producer = 26, .in = {"double [1,1] inf"}, .out = {"double [1,1] nan"}},
    {.op = "MatrixExponential", .producer = 26, .in = {"double [0,0]"}, .out = {"double [0,0]"}},
    {.op = "Einsum", .attrs = "equation='ij,jk->ik'", .in = {"*2 " F, F}, .out = {"float [2,2] 7 10 15 22"}},
    {.op = "Einsum", .attrs = "equation='ii->i'", .in = {"*1 " F}, .out = {"float [2] 1 4"}},
    {.op = "Einsum", .attrs = "equation='ii->'", .in = {"*1 " F}, .out = {"float [] 5"}},
    {.op = "Einsum", .attrs = "equation='ij->ji'", .in = {"*1 complex64 [2,2] 1 2i 3 4"}, .out = {"complex64 [2,2] 1 3 2i 4"}},
    {.op = "Einsum", .attrs = "equation='i,j->ij'", .in = {"*2 double [2] 1 2", "double [2] 3 inf"}, .out = {"double [2,2] 3 inf 6 inf"}},
    {.op = "Einsum", .attrs = "equation='...ij,...jk->...ik'", .in = {"*2 float [1,2,2] 1 2 3 4", "float [2,2,2] 1 2 3 4 1 2 3 4"}, .out = {"float [2,2,2] 7 10 15 22 7 10 15 22"}},
    {.op = "Einsum", .attrs = "equation='ij,jk->'", .in = {"*2 " F, F}, .out = {"float [] 54"}},
    {.op = "Einsum", .attrs = "equation='ij->iij'", .in = {"*1 " F}, .out = {"float [2,2,2] 1 2 0 0 0 0 3 4"}},
    {.op = "Einsum", .attrs = "equation='ij,kj->ijk'", .in = {"*2 " F, "float [1,2] 1 2"}, .out = {"float [2,2,1] 1 4 3 8"}},
    {.op = "Einsum", .attrs = "equation='i...->...'", .in = {"*1 " F}, .out = {"float [2] 4 6"}},
    {.op = "Einsum", .attrs = "equation='...j,j->...'", .in = {"*2 " F, "float [2] 1 2"}, .out = {"float [2] 5 11"}},
    {.op = "Einsum", .attrs = "equation='ij...,j...->i...'", .in = {"*2 float [2,2,3] 1", "float [2,1] 1"}, .out = {"float [2,3] 2"}},
    {.op = "Einsum", .attrs = "equation='iji->ij'", .in = {"*1 float [2,3,2] 1"}, .out = {"float [2,3] 1"}},
    {.op = "Einsum", .attrs = "equation=',->'", .in = {"*2 double [] 3", "double [] 2"}, .out = {"double [] 6"}},
    {.op = "Einsum", .attrs = "equation='ij->'", .in = {"*1 float [0,2]"}, .out = {"float [] 0"}},
    {.op = "Einsum", .attrs = "equation='ij->ji'", .in = {"*1 float [0,2]"}, .out = {"float [2,0]"}},
    {.op = "Einsum", .attrs = "equation='ij,jk'", .in = {"*2 " F, F}, .error = "INVALID_ARGUMENT: Expecting exactly one '->' in einsum equation: ij,jk"},
    {.op = "Einsum", .attrs = "equation='ij->k'", .in = {"*1 " F}, .error = "INVALID_ARGUMENT: has label 'k' which is not present in the input subscripts"},
    {.op = "Einsum", .attrs = "equation='ij,jk,kl->il'", .in = {"*3 " F, F, F}, .error = "INVALID_ARGUMENT: Expecting 1 or 2 input subscripts in equation 'ij,jk,kl->il' but got: 3"},
    {.op = "Einsum", .attrs = "equation='ijk->i'", .in = {"*1 " F}, .error = "INVALID_ARGUMENT: rank 3 but is rank 2"},
    {.op = "Einsum", .attrs = "equation='...->'", .in = {"*1 " F}, .error = "INVALID_ARGUMENT: at most rank 0 but is rank 2"},
    {.op = "Einsum", .attrs = "equation='ij,jk->ik'", .in = {"*2 ? float [2,2] 1", "? float [3,2] 1"}, .error = "INVALID_ARGUMENT: Dimensions must be equal, but are 2 and 3"},
    {.op = "Einsum", .attrs = "equation='i.j->i'", .in = {"*1 " F}, .error = "INVALID_ARGUMENT: Invalid einsum subscript"},
    {.op = "Einsum", .attrs = "equation='......->'", .in = {"*1 " F}, .error = "INVALID_ARGUMENT: at most one ellipsis"},
    {.op = "SparseMatMul", .in = {F, F}, .out = {"float [2,2] 7 10 15 22"}, .grad = 3},
    {.op = "SparseMatMul", .attrs = "transpose_a=true a_is_sparse=true", .in = {"bfloat16 [2,2] 1 2 3 4", F}, .out = {"float [2,2] 10 14 14 20"}},
    {.op = "SparseMatMul", .attrs = "transpose_b=true transpose_a=true", .in = {F, F}, .out = {"float [2,2] 7 15 10 22"}, .grad = 3},
    {.op = "SparseMatMul", .in = {"float [2,0]", "float [0,3]"}, .out = {"float [2,3] 0"}},
    {.op = "SparseMatMul", .in = {"float [1,2] 0 inf", "float [2,1] inf 0"}, .out = {"float [1,1] nan"}},
    {.op = "SparseMatMul", .in = {"? float [2,2] 1", "? float [3,2] 1"}, .error = "INVALID_ARGUMENT: Matrix size incompatible"},
    {.op = "SparseMatMul", .in = {"? float [2,2] 1", "? float [2] 1"}, .error = "INVALID_ARGUMENT: b is not a matrix"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
