/* SPDX-License-Identifier: Apache-2.0 */
/* Activations, softmax and its losses, biases. */
#include "op_case.h"

/* clang-format off */
static const struct op_case cases[] = {
    {.op = "Relu", .in = {"float [7] nan inf -inf -0 0 1 -1"}, .out = {"float [7] nan inf 0 -0 0 1 0"}},
    {.op = "Relu", .in = {"half [3] -1 0 2"}, .out = {"half [3] 0 0 2"}},
    {.op = "Relu", .in = {"bfloat16 [3] -1 0 2"}, .out = {"bfloat16 [3] 0 0 2"}},
    {.op = "Relu", .in = {"int8 [3] -128 0 127"}, .out = {"int8 [3] 0 0 127"}},
    {.op = "Relu", .in = {"uint8 [3] 0 7 255"}, .out = {"uint8 [3] 0 7 255"}},
    {.op = "Relu", .in = {"int64 [2] -5 5"}, .out = {"int64 [2] 0 5"}},
    {.op = "Relu", .in = {"float [0,3]"}, .out = {"float [0,3]"}},
    {.op = "Relu", .in = {"double [3] -1 0.5 2"}, .out = {"double [3] 0 0.5 2"}, .grad = 1},
    {.op = "ReluGrad", .in = {"float [7] 1 inf nan inf 1 -1 7", "float [7] nan -inf -0 0 1 -1 7"}, .out = {"float [7] 0 nan nan nan 1 -0 7"}},
    {.op = "ReluGrad", .in = {"double [3] 3 4 5", "double [3] -1 0.5 2"}, .out = {"double [3] 0 4 5"}, .grad = 3},
    {.op = "ReluGrad", .in = {"float [2] 3 4", "float [3] -1 0.5 2"}, .error = "INVALID_ARGUMENT"},
    {.op = "ReluGrad", .in = {"? float [2] 3 4", "? float [3] -1 0.5 2"}, .error = "INVALID_ARGUMENT"},
    {.op = "Relu6", .in = {"float [6] nan inf -inf -0 5 7"}, .out = {"float [6] nan 6 0 -0 5 6"}},
    {.op = "Relu6", .in = {"double [3] -1 0.5 7"}, .out = {"double [3] 0 0.5 6"}, .grad = 1},
    {.op = "Relu6Grad", .in = {"double [3] 3 4 5", "double [3] -1 0.5 7"}, .out = {"double [3] 0 4 0"}, .grad = 3},
    {.op = "LeakyRelu", .attrs = "alpha=0.5", .in = {"double [4] -1 3 -2 4"}, .out = {"double [4] -0.5 3 -1 4"}, .grad = 1},
    {.op = "LeakyRelu", .attrs = "alpha=-1.0", .in = {"float [4] nan -inf -0 1"}, .out = {"float [4] nan inf 0 1"}},
    {.op = "LeakyReluGrad", .attrs = "alpha=0.5", .in = {"double [3] 1 2 3", "double [3] -1 2 -3"}, .out = {"double [3] 0.5 2 1.5"}, .grad = 3},
    {.op = "Softmax", .in = {"float [2,2] 0 0 1 1"}, .out = {"float [2,2] 0.5 0.5 0.5 0.5"}},
    {.op = "Softmax", .in = {"double [2,3] 1 2 3 1000 1000 1000"}, .out = {"double [2,3] 0.09003057317038046 0.24472847105479767 0.6652409557748219 0.3333333333333333 0.3333333333333333 0.3333333333333333"}},
    {.op = "Softmax", .in = {"float [3,2] inf 1 -inf -inf nan 1"}, .out = {"float [3,2] nan nan nan nan nan nan"}},
    {.op = "Softmax", .in = {"float [2,0]"}, .out = {"float [2,0]"}},
    {.op = "Softmax", .in = {"float [0,2]"}, .out = {"float [0,2]"}},
    {.op = "Softmax", .in = {"half [3] 0"}, .out = {"half [3] 0.33333"}},
    {.op = "Softmax", .in = {"? float [] 1"}, .error = "INVALID_ARGUMENT: logits must have >= 1 dimension, got []"},
    {.op = "LogSoftmax", .in = {"double [3] 1 2 3"}, .out = {"double [3] -2.40760596444438 -1.40760596444438 -0.40760596444438"}, .rel = 1e-12},
    {.op = "LogSoftmax", .in = {"float [1,2] -inf 1"}, .out = {"float [1,2] -inf 0"}},
    {.op = "SoftmaxCrossEntropyWithLogits", .in = {"float [2,1] 0", "float [1,3] 1"}, .out = {"float [2] 3.295837", "float [2,3] -0.6666667"}},
    {.op = "SoftmaxCrossEntropyWithLogits", .in = {"double [1,2] 0 0", "double [1,2] 0.25 0.75"}, .out = {"double [1] 0.6931471805599453", "double [1,2] 0.25 -0.25"}},
    {.op = "SoftmaxCrossEntropyWithLogits", .in = {"float [2,0]", "float [2,0]"}, .out = {"float [2] 0", "float [2,0]"}},
    {.op = "SoftmaxCrossEntropyWithLogits", .in = {"float [0,2]", "float [0,2]"}, .out = {"float [0]", "float [0,2]"}},
    {.op = "SoftmaxCrossEntropyWithLogits", .in = {"? float [3,2] 0", "? float [2,3] 0"}, .error = "INVALID_ARGUMENT: logits and labels must be broadcastable: logits_size=[3,2] labels_size=[2,3]"},
    {.op = "SoftmaxCrossEntropyWithLogits", .in = {"? float [3] 0", "? float [3] 0"}, .error = "INVALID_ARGUMENT"},
    {.op = "SparseSoftmaxCrossEntropyWithLogits", .in = {"double [2,2] 0", "int32 [2] 0 1"}, .out = {"double [2] 0.6931471805599453", "double [2,2] -0.5 0.5 0.5 -0.5"}},
    {.op = "SparseSoftmaxCrossEntropyWithLogits", .in = {"float [0,2]", "int64 [0]"}, .out = {"float [0]", "float [0,2]"}},
    {.op = "SparseSoftmaxCrossEntropyWithLogits", .in = {"float [2,3] 0", "int64 [2] 0 3"}, .error = "INVALID_ARGUMENT: Received a label value of 3 which is outside the valid range of [0, 3).  Label values: 0 3"},
    {.op = "SparseSoftmaxCrossEntropyWithLogits", .in = {"float [2,3] 0", "int64 [2] -1 0"}, .error = "INVALID_ARGUMENT: Received a label value of -1"},
    {.op = "SparseSoftmaxCrossEntropyWithLogits", .in = {"? float [2,3] 0", "? int64 [1] 0"}, .error = "INVALID_ARGUMENT: logits and labels must have the same first dimension, got logits shape [2,3] and labels shape [1]"},
    {.op = "BiasAdd", .in = {"double [2,3] 1 2 3 4 5 6", "double [3] 10 20 30"}, .out = {"double [2,3] 11 22 33 14 25 36"}, .grad = 3},
    {.op = "BiasAdd", .attrs = "data_format='NCHW'", .in = {"double [1,2,2] 1 2 3 4", "double [2] 10 20"}, .out = {"double [1,2,2] 11 12 23 24"}, .grad = 3},
    {.op = "BiasAdd", .attrs = "data_format='NCHW'", .in = {"float [2,2,1,1] 1 2 3 4", "float [2] 10 20"}, .out = {"float [2,2,1,1] 11 22 13 24"}},
    {.op = "BiasAdd", .in = {"half [1,2] 1 2", "half [2] 0.5 1"}, .out = {"half [1,2] 1.5 3"}},
    {.op = "BiasAdd", .in = {"int8 [1,2] 127 2", "int8 [2] 1 1"}, .out = {"int8 [1,2] -128 3"}},
    {.op = "BiasAdd", .in = {"complex64 [1,2] 1+2i 3", "complex64 [2] 1 1i"}, .out = {"complex64 [1,2] 2+2i 3+1i"}},
    {.op = "BiasAdd", .in = {"float [0,2]", "float [2] 0"}, .out = {"float [0,2]"}},
    {.op = "BiasAdd", .in = {"? float [3] 0", "? float [3] 0"}, .error = "INVALID_ARGUMENT: Input tensor must be at least 2D: [3]"},
    {.op = "BiasAdd", .in = {"? float [2,3] 0", "? float [2] 0"}, .error = "INVALID_ARGUMENT: Must provide as many biases as the last dimension of the input tensor: [2] vs. [2,3]"},
    {.op = "BiasAdd", .in = {"? float [2,3] 0", "? float [1,3] 0"}, .error = "INVALID_ARGUMENT: Biases must be 1D: [1,3]"},
    {.op = "BiasAddV1", .in = {"double [2,3] 1 2 3 4 5 6", "double [3] 10 20 30"}, .out = {"double [2,3] 11 22 33 14 25 36"}, .grad = 3},
    {.op = "BiasAddGrad", .in = {"double [2,3] 1 2 3 4 5 6"}, .out = {"double [3] 5 7 9"}, .grad = 1},
    {.op = "BiasAddGrad", .attrs = "data_format='NCHW'", .in = {"double [2,2,2] 1 2 3 4 5 6 7 8"}, .out = {"double [2] 14 22"}, .grad = 1},
    {.op = "BiasAddGrad", .in = {"float [0,3]"}, .out = {"float [3] 0"}},
    {.op = "BiasAddGrad", .in = {"int32 [2,2] 1 2 3 4"}, .out = {"int32 [2] 4 6"}},
    {.op = "BiasAddGrad", .in = {"? float [3] 1"}, .error = "INVALID_ARGUMENT: Input tensor must be at least 2D: [3]"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
