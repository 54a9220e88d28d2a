/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: dilation of images by a filter. */
#include "op_case.h"

#define ATTRS "strides=[1,1,1,1] rates=[1,1,1,1] padding='VALID'"
#define SAME "strides=[1,2,1,1] rates=[1,1,2,1] padding='SAME'"

static const struct op_case cases[] = {
    {.op = "Dilation2D",
     .attrs = ATTRS,
     .in = {"double [1,2,3,1] 1 5 2 3 4 9", "double [2,2,1] 0.5 -1 2 -6"},
     .out = {"double [1,1,2,1] 5 6"},
     .grad = 3},
    {.op = "Dilation2D",
     .attrs = SAME,
     .in = {"uint8 [1,3,3,1] 1 5 2 3 4 9 7 8 6", "uint8 [2,2,1] 1 2 3 4"},
     .out = {"uint8 [1,2,3,1] 8 13 7 10 8 9"}},
    {.op = "Dilation2D",
     .attrs = ATTRS,
     .in = {"half [1,1,3,1] nan -inf inf", "half [1,1,1] 1"},
     .out = {"half [1,1,3,1] -65504 -65504 inf"}},
    {.op = "Dilation2D",
     .attrs = ATTRS,
     .in = {"float [0,2,3,1]", "float [1,1,1] 1"},
     .out = {"float [0,2,3,1]"}},
    {.op = "Dilation2D",
     .attrs = "strides=[1,1,1,1] rates=[1,5,5,1] padding='SAME'",
     .in = {"int32 [1,1,1,1] 3", "int32 [2,2,1] 1"},
     .out = {"int32 [1,1,1,1] -2147483648"},
     .note = "no item of the window lies inside"},
    {.op = "Dilation2D",
     .attrs = ATTRS,
     .in = {"? float [1,2,3,2] 1", "? float [1,1,1] 1"},
     .error = "INVALID_ARGUMENT: input and filter must have the same depth"},
    {.op = "Dilation2D",
     .attrs = "strides=[2,1,1,1] rates=[1,5,5,1] padding='SAME'",
     .in = {"? float [1,2,3,1] 1", "? float [1,1,1] 1"},
     .error = "UNIMPLEMENTED: Stride is only supported across spatial dimensions."},
    {.op = "Dilation2D",
     .attrs = ATTRS,
     .in = {"? float [1,2,3,1] 1", "? float [5,1,1] 1"},
     .error = "INVALID_ARGUMENT"},
    {.op = "Dilation2DBackpropInput",
     .attrs = ATTRS,
     .in = {"float [1,1,3,1] 1 4 2", "float [1,2,1] 0", "float [1,1,2,1] 3 nan"},
     .out = {"float [1,1,3,1] 0 nan 0"}},
    {.op = "Dilation2DBackpropInput",
     .attrs = ATTRS,
     .in = {"float [0,1,3,1]", "float [1,2,1] 0", "float [0,1,2,1]"},
     .out = {"float [0,1,3,1]"}},
    {.op = "Dilation2DBackpropInput",
     .attrs = ATTRS,
     .in = {"float [1,1,3,1] 1", "float [1,2,1] 0", "float [1,1,3,1] 3"},
     .error = "INVALID_ARGUMENT: out_backprop has incompatible size"},
    {.op = "Dilation2DBackpropFilter",
     .attrs = ATTRS,
     .in = {"float [1,1,3,1] 1 4 2", "float [1,2,1] 0", "float [1,1,2,1] 3 inf"},
     .out = {"float [1,2,1] inf 3"}},
    {.op = "Dilation2DBackpropFilter",
     .attrs = ATTRS,
     .in = {"float [0,1,3,1]", "float [1,2,1] 0", "float [0,1,2,1]"},
     .out = {"float [1,2,1] 0"}},
    {.op = "Dilation2DBackpropFilter",
     .attrs = "strides=[1,1,1,1] rates=[1,0,1,1] padding='SAME'",
     .in = {"? float [1,1,3,1] 1", "float [1,2,1] 0", "float [1,1,3,1] 3"},
     .error = "INVALID_ARGUMENT: strides and rates must be positive"},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
