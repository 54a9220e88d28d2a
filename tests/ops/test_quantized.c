/* SPDX-License-Identifier: Apache-2.0 */
/* Case table and scripts: quantised numbers. */
#include "op_case.h"

static const struct op_case cases[] = {
    {.op = "QuantizeAndDequantizeV2",
     .in = {"double [4] -1 -0.5 0.3 0.8", "double [] 0", "double [] 0"},
     .attrs = "num_bits=3",
     .out = {"double [4] -1.0666666666666667 -0.53333333333333333 0.26666666666666666 0.8"}},
    {.op = "QuantizeAndDequantizeV2",
     .in = {"float [3] nan 2 -inf", "float [] -1", "float [] 1"},
     .attrs = "range_given=true",
     .out = {"float [3] nan 1 -1.0078740"}},
    {.op = "QuantizeAndDequantizeV2",
     .in = {"float [0,2]", "float [] 0", "float [] 0"},
     .out = {"float [0,2]"}},
    {.op = "QuantizeAndDequantizeV2",
     .attrs = "num_bits=62",
     .in = {"float [1] 1", "float [] 0", "float [] 0"},
     .error = "INVALID_ARGUMENT: num_bits is out of range"},
    {.op = "QuantizeAndDequantizeV2",
     .attrs = "range_given=true",
     .in = {"float [1] 1", "float [] 1", "float [] 0"},
     .error = "INVALID_ARGUMENT: Invalid range"},
    {.op = "QuantizeAndDequantizeV3",
     .attrs = "range_given=false signed_input=false",
     .in = {"float [4] 0 0.3 0.5 1.5", "float [] 0", "float [] 0", "int32 [] 2"},
     .out = {"float [4] 0 0.5 0.5 1.5"}},
    {.op = "QuantizeAndDequantizeV3",
     .in = {"float [0]", "float [] 0", "float [] inf", "int32 [] 2"},
     .out = {"float [0]"}},
    {.op = "QuantizeAndDequantizeV3",
     .in = {"float [1] 1", "float [] 0", "float [] 1", "int32 [] -1"},
     .error = "INVALID_ARGUMENT: num_bits is out of range"},
    {.op = "QuantizeAndDequantize",
     .producer = 21,
     .attrs = "num_bits=3",
     .in = {"float [3] -1 0.3 inf"},
     .out = {"float [3] nan nan nan"}},
    {.op = "QuantizeAndDequantize", .producer = 21, .in = {"float [0,3]"}, .out = {"float [0,3]"}},
};

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
