/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: layers of quantised numbers. Bytes stand for themselves over a range of 255; results are
 * looked at as plain integers. */
#include "op_script.h"

#define QUINT8(name, from) name " = Bitcast(" from ") type=quint8"
#define ONE "{float [] 0}, {float [] 255}"     /* steps of 1 from 0 */
#define HALF "{float [] -64}, {float [] 63.5}" /* steps of 1/2, zero at 128 */
#define NAN_RANGE "{float [] nan}, {float [] inf}"

static const struct op_script scripts[] = {
    /* --- convolution and pooling --- */
    {.ops = "QuantizedConv2D",
     .nodes = {QUINT8("x", "{uint8 [1,2,2,1] 129 130 127 128}"),
               QUINT8("f", "{uint8 [1,2,1,1] 3 5}"),
               "y = QuantizedConv2D(x, f, " HALF ", " ONE ") strides=[1,1,1,1] padding='SAME'",
               "n = Bitcast(y:0) type=int32"},
     .runs = {"n y:1 y:2 -> int32 [1,2,2,1] 13 6 -3 0 | float [] -1073741824 | float [] "
              "1073741823.5"}},
    {.ops = "QuantizedConv2D",
     .nodes = {QUINT8("x", "{uint8 [0,2,2,1]}"), QUINT8("f", "{uint8 [1,2,1,1] 3 5}"),
               QUINT8("z", "{uint8 [1,2,2,1] 7}"),
               "y = QuantizedConv2D(x, f, " NAN_RANGE ", " ONE ") strides=[1,1,1,1] padding='SAME'",
               "n = Bitcast(y:0) type=int32",
               "d = QuantizedConv2D(z, f, " ONE ", " ONE
               ") strides=[1,1,1,1] padding='SAME' dilations=[1,2,2,1]",
               "s = QuantizedConv2D(z, f, " ONE ", " ONE ") strides=[1,2,1,1] padding='SAME'"},
     .runs = {"n y:1 -> int32 [0,2,2,1] | float [] nan",
              "d:0 ! INVALID_ARGUMENT: only supports dilated rate as 1",
              "s:0 ! INVALID_ARGUMENT: equal length strides"}},
    {.ops = "QuantizedMaxPool QuantizedAvgPool",
     .nodes = {QUINT8("x", "{uint8 [1,2,3,1] 1 2 4 9 8 250}"),
               "m = QuantizedMaxPool(x, " HALF ") ksize=[1,2,2,1] strides=[1,1,1,1] padding='SAME'",
               "a = QuantizedAvgPool(x, " HALF ") ksize=[1,2,2,1] strides=[1,1,1,1] padding='SAME'",
               "p = Bitcast(m:0) type=uint8", "q = Bitcast(a:0) type=uint8"},
     .runs = {"p q m:1 a:2 -> uint8 [1,2,3,1] 9 250 250 9 250 250 | uint8 [1,2,3,1] 5 66 127 8 129 "
              "250 | float [] -64 | float [] 63.5"}},
    {.ops = "QuantizedMaxPool QuantizedAvgPool",
     .nodes = {QUINT8("x", "{uint8 [0,2,3,1]}"),
               "m = QuantizedMaxPool(x, " NAN_RANGE ") ksize=[1,2,2,1] strides=[1,1,1,1] "
               "padding='VALID'",
               "a = QuantizedAvgPool(x, " NAN_RANGE ") ksize=[1,2,2,1] strides=[1,1,1,1] "
               "padding='VALID'",
               "p = Bitcast(m:0) type=uint8", "q = Bitcast(a:0) type=uint8"},
     .runs = {"p q m:1 a:2 -> uint8 [0,1,2,1] | uint8 [0,1,2,1] | float [] nan | float [] inf"}},
    /* --- sums and products --- */
    {.ops = "QuantizedAdd QuantizedMul",
     .nodes = {QUINT8("x", "{uint8 [2,2] 128 130 0 255}"), QUINT8("y", "{uint8 [2] 128 132}"),
               "s = QuantizedAdd(x, y, " HALF ", " HALF ")", "n = Bitcast(s:0) type=int32",
               "p = QuantizedMul(x, y, " HALF ", " HALF ")", "m = Bitcast(p:0) type=int32",
               "bad = QuantizedAdd(x, y, {float [] 1}, {float [] 1}, " HALF ")",
               "worse = QuantizedMul(x, y, " HALF ", {float [] 1}, {float [] -1})"},
     .runs =
         {"n s:1 s:2 -> int32 [2,2] 0 6144 -131072 134144 | float [] -1048576 | float [] 1048576",
          "m p:1 -> int32 [2,2] 0 8 0 508 | float [] -536870912",
          "bad:0 ! INVALID_ARGUMENT: max_x must be larger than min_x.",
          "worse:0 ! INVALID_ARGUMENT: max_y must be larger than min_y."}},
    {.ops = "QuantizedAdd QuantizedMul",
     .nodes = {QUINT8("x", "{uint8 [0,2]}"), QUINT8("y", "{uint8 [] 128}"),
               QUINT8("u", "{uint8 [2,3,4] 1}"), QUINT8("v", "{uint8 [2,1,4] 1}"),
               "s = QuantizedAdd(x, y, {float [] -inf}, {float [] inf}, " HALF ")",
               "n = Bitcast(s:0) type=int32",
               "p = QuantizedMul(x, y, {float [] -inf}, {float [] inf}, " HALF ")",
               "m = Bitcast(p:0) type=int32", "b = QuantizedAdd(u, v, " HALF ", " HALF ")",
               "k = QuantizedMul(x, y, {float [] nan}, {float [] inf}, " HALF ")"},
     .runs = {"n m -> int32 [0,2] | int32 [0,2]",
              "b:0 ! UNIMPLEMENTED: Broadcast between [2,3,4] and [2,1,4] is not supported yet.",
              "k:0 ! INVALID_ARGUMENT: max_x must be larger than min_x."}},
    {.ops = "QuantizedBiasAdd",
     .nodes = {QUINT8("x", "{uint8 [2,2] 128 130 0 255}"), QUINT8("y", "{uint8 [2] 128 132}"),
               "s = QuantizedBiasAdd(x, y, " HALF ", " HALF ") out_type=qint32",
               "n = Bitcast(s:0) type=int32", "i = Bitcast({int8 [1,2] -128 1}) type=qint8",
               "j = Bitcast({int8 [2] 0 0}) type=qint8",
               "t = QuantizedBiasAdd(i, j, " HALF ", " HALF ") out_type=qint32",
               "m = Bitcast(t:0) type=int32"},
     .runs = {"n m s:1 s:2 -> int32 [2,2] 0 768 -16384 16768 | int32 [1,2] -16384 128 | float [] "
              "-8388608 | float [] 8388608"}},
    {.ops = "QuantizedBiasAdd",
     .nodes = {QUINT8("x", "{uint8 [2,0]}"), QUINT8("y", "{uint8 [0]}"),
               "s = QuantizedBiasAdd(x, y, " NAN_RANGE ", " HALF ") out_type=qint32",
               "n = Bitcast(s:0) type=int32"},
     .runs = {"n -> int32 [2,0]"}},
    /* --- moving --- */
    {.ops = "QuantizedConcat",
     .nodes = {QUINT8("x", "{uint8 [1,2] 0 255}"), QUINT8("y", "{uint8 [1,2] 0 255}"),
               "c = QuantizedConcat({int32 [] 0}, [x, y], [{float [] 0}, {float [] -255}], "
               "[{float [] 127.5}, {float [] 255}])",
               "n = Bitcast(c:0) type=uint8", "f = Identity({int32 [] -1})",
               "e = QuantizedConcat(f, [x, y], [{float [] 0}, {float [] -255}], "
               "[{float [] 127.5}, {float [] 255}])"},
     .runs = {"n c:1 c:2 -> uint8 [2,2] 128 192 0 255 | float [] -255 | float [] 255",
              "e:0 ! INVALID_ARGUMENT: in the range [0, 2), but got -1"}},
    {.ops = "QuantizedConcat QuantizedReshape",
     .nodes = {"x = Bitcast({int32 [0,2]}) type=qint32", "y = Bitcast({int32 [0,2]}) type=qint32",
               "c = QuantizedConcat({int32 [] 1}, [x, y], [{float [] nan}, {float [] -inf}], "
               "[{float [] 1}, {float [] 2}])",
               "n = Bitcast(c:0) type=int32",
               "r = QuantizedReshape(x, {int32 [2] 5 0}, " NAN_RANGE ")",
               "m = Bitcast(r:0) type=int32"},
     .runs = {"n m r:1 r:2 -> int32 [0,4] | int32 [5,0] | float [] nan | float [] inf"}},
    {.ops = "QuantizedReshape",
     .nodes = {QUINT8("x", "{uint8 [2,3] 1 2 3 4 5 6}"),
               "r = QuantizedReshape(x, {int64 [2] 3 -1}, " HALF ")",
               "m = Bitcast(r:0) type=uint8"},
     .runs = {"m r:1 r:2 -> uint8 [3,2] 1 2 3 4 5 6 | float [] -64 | float [] 63.5"}},
    {.ops = "QuantizedResizeBilinear",
     .nodes = {QUINT8("x", "{uint8 [1,1,2,1] 10 20}"),
               "i = Bitcast({int32 [1,1,2,1] -100 200}) type=qint32",
               "a = QuantizedResizeBilinear(x, {int32 [2] 1 4}, " HALF ")",
               "b = QuantizedResizeBilinear(i, {int32 [2] 1 4}, " HALF ")",
               "c = QuantizedResizeBilinear({float [1,1,2,1] nan 2}, {int32 [2] 2 3}, " NAN_RANGE
               ") align_corners=true",
               "n = Bitcast(a:0) type=uint8", "m = Bitcast(b:0) type=int32"},
     .runs = {"n m c:0 -> uint8 [1,1,4,1] 10 15 20 20 | int32 [1,1,4,1] -99 50 200 200 | float "
              "[1,2,3,1] nan nan 2 nan nan 2",
              "a:1 c:2 -> float [] -64 | float [] inf"}},
    {.ops = "QuantizedResizeBilinear",
     .nodes = {"c = QuantizedResizeBilinear({float [0,1,2,1]}, {int32 [2] 2 3}, " HALF ")"},
     .runs = {"c:0 c:1 -> float [0,2,3,1] | float [] -64"}},
    /* --- normalisation --- */
    {.ops = "QuantizedInstanceNorm",
     .nodes = {QUINT8("x", "{uint8 [1,2,2,1] 0 100 100 200}"),
               "y = QuantizedInstanceNorm(x, " HALF ") output_range_given=true given_y_min=-2.0 "
               "given_y_max=2.0",
               "n = Bitcast(y:0) type=uint8",
               "e = QuantizedInstanceNorm(x, {float [] 1}, {float [] 1})",
               "g = QuantizedInstanceNorm(x, " HALF ") output_range_given=true",
               "k = QuantizedInstanceNorm(x, " NAN_RANGE ")"},
     .runs = {"n y:1 y:2 -> uint8 [1,2,2,1] 38 128 128 218 | float [] -2 | float [] 2",
              "e:0 ! INVALID_ARGUMENT: input_min must be less than input_max : 1 >= 1",
              "k:0 ! INVALID_ARGUMENT: input_min must be less than input_max",
              "g:0 ! INVALID_ARGUMENT: given_y_min must be less than given_y_max : 0 >= 0"}},
    {.ops = "QuantizedInstanceNorm QuantizedBatchNormWithGlobalNormalization",
     .nodes = {QUINT8("x", "{uint8 [1,0,2,1]}"), QUINT8("s", "{uint8 [1] 128}"),
               "y = QuantizedInstanceNorm(x, " HALF ")", "n = Bitcast(y:0) type=uint8",
               "b = QuantizedBatchNormWithGlobalNormalization(x, " NAN_RANGE ", s, " HALF
               ", s, " HALF ", s, " HALF ", s, " HALF
               ") out_type=qint32 variance_epsilon=0.5 scale_after_normalization=true",
               "m = Bitcast(b:0) type=int32"},
     .runs = {"n m -> uint8 [1,0,2,1] | int32 [1,0,2,1]"}},
    {.ops = "QuantizedBatchNormWithGlobalNormalization",
     .nodes = {QUINT8("x", "{uint8 [1,1,2,1] 10 130}"), QUINT8("m", "{uint8 [1] 10}"),
               QUINT8("v", "{uint8 [1] 4}"), QUINT8("b", "{uint8 [1] 1}"),
               QUINT8("g", "{uint8 [1] 3}"), QUINT8("w", "{uint8 [2] 3}"),
               "y = QuantizedBatchNormWithGlobalNormalization(x, " ONE ", m, " ONE ", v, " ONE
               ", b, " ONE ", g, " ONE
               ") out_type=qint32 variance_epsilon=0.0 scale_after_normalization=true",
               "z = QuantizedBatchNormWithGlobalNormalization(x, " ONE ", m, " ONE ", v, " ONE
               ", b, " ONE ", g, " ONE
               ") out_type=qint32 variance_epsilon=0.0 scale_after_normalization=false",
               "n = Bitcast(y:0) type=int32", "o = Bitcast(z:0) type=int32"},
     .runs = {"n o y:1 y:2 -> int32 [1,1,2,1] 2048 370688 | int32 [1,1,2,1] 2048 124928 | float [] "
              "-1048576 | float [] 1048576"}},
    /* --- definitions alone --- */
    {.ops = "QuantizedReluX",
     .nodes = {QUINT8("x", "{uint8 [2] 1}"), "y = QuantizedReluX(x, {float [] 3}, " ONE ")"},
     .runs = {"y:0 ! INVALID_ARGUMENT: No OpKernel was registered to support Op 'QuantizedReluX'"}},
    {.ops = "RequantizePerChannel RequantizationRangePerChannel",
     .nodes = {"x = Bitcast({int32 [2] 1 2}) type=qint32",
               "r = RequantizationRangePerChannel(x, {float [1] 0}, {float [1] 1}) "
               "clip_value_max=6.0",
               "y = RequantizePerChannel(x, {float [1] 0}, {float [1] 1}, r:0, r:1)"},
     .runs = {"r:0 ! INVALID_ARGUMENT: No OpKernel was registered",
              "y:0 ! INVALID_ARGUMENT: No OpKernel was registered"}},
    {.ops = "RequantizePerChannel",
     .nodes = {"x = Bitcast({int32 [2] 1 2}) type=qint32",
               "y = RequantizePerChannel(x, {float [1,1] 0}, {float [1] 1}, " ONE ")"},
     .runs = {"building ! INVALID_ARGUMENT: Shape must be rank 1 but is rank 2"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);
}
