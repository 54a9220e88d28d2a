/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: quantised types, whose values are compared after Bitcast or Dequantize. */
#include "op_script.h"

static const struct op_script scripts[] = {
    {.ops = "QuantizeV2 Dequantize",
     .nodes = {"x = Feed({float [5] -1 0 0.5 9 nan})",
               "q = QuantizeV2(x, {float [] -1}, {float [] 1}) T=quint8 mode='MIN_FIRST'",
               "b = Bitcast(q:0) type=uint8", "y = Dequantize(q:0, q:1, q:2) mode='MIN_FIRST'"},
     .runs = {"b q:1 q:2 -> uint8 [5] 0 128 192 255 0 | float [] -1 | float [] 1"}},
    {.ops = "QuantizeV2 Dequantize",
     .nodes = {"x = Feed({float [0,3]})", "q = QuantizeV2(x, {float [] -1}, {float [] 1}) T=qint8",
               "y = Dequantize(q:0, q:1, q:2)"},
     .runs = {"y -> float [0,3]"}},
    {.ops = "QuantizeV2 Dequantize",
     .nodes = {"x = Feed({float [3] -1 0 2})",
               "q = QuantizeV2(x, {float [] -1}, {float [] 2}) T=qint8 mode='SCALED'",
               "b = Bitcast(q:0) type=int8", "y = Dequantize(q:0, q:1, {float [] inf})"},
     .runs = {"b -> int8 [3] -64 0 127", "y -> float [3] inf inf inf"}},
    {.ops = "QuantizeV2",
     .nodes = {"x = Feed({float [3] -1})", "q = QuantizeV2(x, {float [] 3}, {float [] 2}) T=qint8"},
     .runs = {"q:0 ! INVALID_ARGUMENT: min_range must not be greater than max_range"}},
    {.ops = "QuantizeV2",
     .nodes = {"x = Feed({float [3] -1})",
               "q = QuantizeV2(x, {float [] 1}, {float [] 2}) T=qint8 round_mode='HALF_TO_EVEN'"},
     .runs = {"q:0 ! INVALID_ARGUMENT: only supported for mode 'SCALED'"}},
    {.ops = "QuantizeAndDequantizeV2 QuantizeAndDequantizeV3",
     .nodes = {"x = Feed({double [2] -1 0.3})",
               "y = QuantizeAndDequantizeV2(x, {double [] 0}, {double [] 0})",
               "z = QuantizeAndDequantizeV3(y, {double [] -1}, {double [] 1}, {int32 [] 8})",
               "w = Mul(z, {double [2] 3 5})", "dx = Gradient(w, x)"},
     .runs = {"dx -> double [2] 3 5"}},
    {.ops = "QuantizeAndDequantize",
     .nodes = {"x = Feed({double [2] -1 0.3})", "y = QuantizeAndDequantize(x)",
               "w = Mul(y, {double [2] 3 5})", "dx = Gradient(w, x)"},
     .runs = {"dx -> double [2] 3 5"},
     .producer = 21},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);
}
