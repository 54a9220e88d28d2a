/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: gradients of pooling whose windows are inputs, and batch normalisation V2. */
#include "op_case.h"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "MaxPoolGradV2", .attrs = "padding='VALID'", .in = {"double [1,3,3,1] 1 5 2 4 -1 3 0 7 6", "double [1,2,2,1] 5 5 7 7", "double [1,2,2,1] 1 2 3 4", "const int32 [4] 1 2 2 1", "const int32 [4] 1 1 1 1"}, .out = {"double [1,3,3,1] 0 3 0 0 0 0 0 7 0"}},
    {.op = "MaxPoolGradV2", .attrs = "padding='SAME'", .in = {"float [0,3,3,1]", "float [0,2,2,1]", "float [0,2,2,1]", "int32 [4] 1 2 2 1", "int32 [4] 1 2 2 1"}, .out = {"float [0,3,3,1]"}},
    {.op = "MaxPoolGradV2", .attrs = "padding='VALID'", .in = {"float [1,1,2,1] nan 1", "float [1,1,1,1] nan", "float [1,1,1,1] inf", "int32 [4] 1 1 2 1", "int32 [4] 1 1 1 1"}, .out = {"float [1,1,2,1] inf 0"}},
    {.op = "MaxPoolGradGradV2", .attrs = "padding='VALID'", .in = {"double [1,3,3,1] 1 5 2 4 -1 3 0 7 6", "double [1,2,2,1] 5 5 7 7", "double [1,3,3,1] 1 5 2 4 -1 3 0 7 6", "const int32 [4] 1 2 2 1", "const int32 [4] 1 1 1 1"}, .out = {"double [1,2,2,1] 5 5 7"}},
    {.op = "MaxPoolGradGradV2", .attrs = "padding='SAME'", .in = {"float [0,3,3,1]", "float [0,2,2,1]", "float [0,3,3,1]", "int32 [4] 1 2 2 1", "int32 [4] 1 2 2 1"}, .out = {"float [0,2,2,1]"}},
    {.op = "MaxPoolGradGradV2", .attrs = "padding='VALID'", .in = {"float [1,1,2,1] 2 1", "float [1,1,1,1] 2", "float [1,1,2,1] inf 3", "int32 [4] 1 1 2 1", "int32 [4] 1 1 1 1"}, .out = {"float [1,1,1,1] inf"}},
    {.op = "FusedBatchNormV2", .attrs = "epsilon=0.001", .in = {"float [1,2,1,2] 1 2 3 4", "float [2] 1 2", "float [2] 0 1", "float [0]", "float [0]"}, .out = {"float [1,2,1,2] -0.9995004 -0.9990008 0.9995004 2.9990008", "float [2] 2 3", "float [2] 2 2", "float [2] 2 3", "float [2] 1 1"}},
    {.op = "FusedBatchNormV2", .attrs = "epsilon=0.001", .in = {"float [1,2,1,2] nan 2 3 4", "float [2] 1 2", "float [2] 0 1", "float [0]", "float [0]"}, .out = {"float [1,2,1,2] nan -0.9990008 nan 2.9990008", "float [2] nan 3", "float [2] nan 2", "float [2] nan 3", "float [2] nan 1"}},
    {.op = "FusedBatchNormV2", .attrs = "epsilon=0.001", .in = {"half [1,2,1,2] 1 2 3 4", "float [2] 1 2", "float [2] 0 1", "float [0]", "float [0]"}, .out = {"half [1,2,1,2] -0.9995117 -0.99902344 0.9995117 2.9980469", "float [2] 2 3", "float [2] 2 2", "float [2] 2 3", "float [2] 1 1"}},
    {.op = "MaxPoolWithArgmax", .attrs = "ksize=[1,1,2,1] strides=[1,1,2,1] padding='VALID'", .in = {"float [1,1,6,1] nan 1 1 nan nan nan"}, .out = {"float [1,1,3,1] nan 1 nan", "int64 [1,1,3,1] 0 2 4"}},
    {.op = "MaxPoolGrad", .attrs = "ksize=[1,1,2,1] strides=[1,1,2,1] padding='VALID'", .in = {"float [1,1,6,1] nan 1 1 nan nan nan", "float [1,1,3,1] nan 1 nan", "float [1,1,3,1] 1 2 3"}, .out = {"float [1,1,6,1] 1 0 2 0 3 0"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
