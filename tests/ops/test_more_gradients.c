/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: gradients against finite differences, for ops whose own tables check none. */
#include "op_case.h"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "AvgPool3D", .attrs = "ksize=[1,1,2,2,1] strides=[1,1,1,1,1] padding='VALID'", .in = {"float [1,1,2,3,1] 1 2 3 4 5 7"}, .out = {"float [1,1,1,2,1] 3 4.25"}, .grad = 1},
    {.op = "AvgPool3DGrad", .attrs = "ksize=[1,1,2,2,1] strides=[1,1,1,1,1] padding='VALID'", .in = {"const int32 [5] 1 1 2 3 1", "float [1,1,1,2,1] 4 8"}, .out = {"float [1,1,2,3,1] 1 3 2 1 3 2"}, .grad = 2},
    {.op = "DynamicStitch", .in = {"*2 int32 [2] 0 2", "int32 [1] 1", "*2 double [2] 1 2", "double [1] 3"}, .out = {"double [3] 1 3 2"}, .grad = 0xc},
    {.op = "MaxPool3DGradGrad", .attrs = "ksize=[1,1,1,2,1] strides=[1,1,1,1,1] padding='VALID'", .in = {"float [1,1,1,3,1] 1 3 2", "float [1,1,1,2,1] 3 3", "float [1,1,1,3,1] 4 5 6"}, .out = {"float [1,1,1,2,1] 5 5"}, .grad = 4},
    {.op = "MaxPoolGradV2", .attrs = "padding='VALID'", .in = {"double [1,1,3,1] 1 3 2", "double [1,1,2,1] 3 3", "double [1,1,2,1] 4 5", "const int32 [4] 1 1 2 1", "const int32 [4] 1 1 1 1"}, .out = {"double [1,1,3,1] 0 9 0"}, .grad = 4},
    {.op = "MaxPoolWithArgmax", .attrs = "ksize=[1,1,2,1] strides=[1,1,1,1] padding='VALID'", .in = {"double [1,1,3,1] 1 3 2"}, .out = {"double [1,1,2,1] 3 3", "int64 [1,1,2,1] 1 1"}, .grad = 1},
    {.op = "SparseSoftmaxCrossEntropyWithLogits", .in = {"double [2,2] 1 2 3 -1", "int32 [2] 0 1"}, .out = {"double [2] 1.3132616875182228 4.0181499279178094"}, .grad = 1},
    {.op = "TopK", .attrs = "k=2", .in = {"double [2,3] 1 3 2 7 -4 5"}, .out = {"double [2,2] 3 2 7 5"}, .grad = 1, .producer = 6},
    {.op = "RefIdentity", .in = {"var float [2] nan 1"}, .out = {"float [2] nan 1"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
