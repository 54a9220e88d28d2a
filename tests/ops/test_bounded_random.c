/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and scripts: normal numbers within bounds, numbers of successes. */
#include "op_case.h"
#include "op_script.h"

/* clang-format off */
#define PTN "ParameterizedTruncatedNormal"
#define NODE(shape, mean, dev, low, high) "y = " PTN "({" shape "}, {" mean "}, {" dev "}, {" low "}, {" high "}) seed=3 seed2=7"
#define DRAW(name, shape, counts, probs) name " = StatefulRandomBinomial(v, {int64 [] 1}, {" shape "}, {" counts "}, {" probs "})"
#define KEPT "v = VarHandleOp() dtype=int64 shape:[3] shared_name='g'", "set = AssignVariableOp(v, {int64 [3] 0 7 3})"
static const struct op_script scripts[] = {
    {.ops = PTN, .nodes = {NODE("int32 [1] 6", "float [] 0", "float [] 1", "float [] -2", "float [] 2")},
     .runs = {"y -> float [6] -0.4506755471229553 -0.6528815031051636 0.3364031910896301 1.3522493839263916 0.7076454162597656 -0.3648128807544708",
              "y -> float [6] 0.8102034330368042 1.6362583637237549 -1.2828426361083984 1.7496193647384644 -0.36570674180984497 1.5306851863861084"}},
    {.ops = PTN, .nodes = {NODE("int64 [1] 4", "double [] 0", "double [] 1", "double [] -2", "double [] 2")},
     .runs = {"y -> double [4] 0.11065483441381604 0.5796993896840515 -0.33569360392852915 -0.516732976568889"}},
    {.ops = PTN, .nodes = {NODE("int32 [1] 3", "half [] 0", "half [] 1", "half [] -2", "half [] 2")}, .runs = {"y -> half [3] -0.45068359375 -0.65283203125 0.33642578125"}},
    {.ops = PTN, .nodes = {NODE("int32 [1] 3", "float [] 0", "float [] 1", "float [] 3", "float [] 9")}, .runs = {"y -> float [3] 3.095277786254883 3.2939565181732178 3.0959572792053223"}},
    {.ops = PTN, .nodes = {NODE("int32 [1] 2", "float [] 0", "float [] 1", "float [] -inf", "float [] -1")}, .runs = {"y -> float [2] -1.194483757019043 -1.6000323295593262"}},
    {.ops = PTN, .nodes = {NODE("int32 [2] 2 0", "float [] 0", "float [] 1", "float [] -2", "float [] 2")}, .runs = {"y -> float [2,0]"}},
    {.ops = PTN, .nodes = {NODE("int32 [1] 2", "float [0]", "float [] 1", "float [] -2", "float [] 2")}, .runs = {"y ! INVALID_ARGUMENT: Input means should have length 1 or shape[0], got shape: [0]"}},
    {.ops = PTN, .nodes = {NODE("int32 [1] 2", "float [] nan", "float [] 1", "float [] -2", "float [] 2")}, .runs = {"y ! INTERNAL: TruncatedNormal exponential distribution rejection sampler failed to accept a sample."}},
    {.ops = PTN, .nodes = {NODE("int32 [1] 2", "float [] 0", "float [] 1", "float [] -inf", "float [] inf")}, .runs = {"y ! INVALID_ARGUMENT: Invalid parameters"}},
    {.ops = PTN, .nodes = {NODE("int32 [1] 2", "float [] 0", "float [] -1", "float [] 1", "float [] 2")}, .runs = {"y ! INVALID_ARGUMENT: Invalid parameters"}},
    {.ops = PTN, .nodes = {NODE("int32 [0]", "float [] 0", "float [] 1", "float [] 1", "float [] 2")}, .runs = {"y ! INVALID_ARGUMENT: Shape tensor must not be empty"}},
    {.ops = PTN, .nodes = {NODE("int32 [1] 2", "float [1,1] 0", "float [] 1", "float [] 1", "float [] 2")}, .runs = {"building ! INVALID_ARGUMENT: Shape must be at most rank 1 but is rank 2"}},
    {.ops = "StatefulRandomBinomial",
     .nodes = {KEPT, DRAW("y", "int32 [1] 8", "double [] 10", "double [] 0.3"), DRAW("z", "int64 [1] 4", "double [] 100", "double [] 0.7"), "now = ReadVariableOp(v) dtype=int64",
               DRAW("rows", "int32 [2] 2 3", "double [2] 10 20", "double [2] 0.1 0.6")},
     .runs = {"set", "y -> int64 [8] 1 4 2 4 6 5 3 2", "now -> int64 [3] 1318400 7 3", "y -> int64 [8] 2 3 4 0 4 3 2 2", "set", "z -> int64 [4] 69 74 72 71", "set", "rows -> int64 [2,3] 0 2 0 7 10 12",
              "now -> int64 [3] 153600 7 3"}},
    {.ops = "StatefulRandomBinomial",
     .nodes = {KEPT, DRAW("y", "int32 [1] 2", "double [] 5", "double [] nan") " dtype=float", DRAW("none", "int32 [1] 2", "double [] 5", "double [] -1"), DRAW("all", "int32 [1] 2", "double [] 5", "double [] inf"),
               DRAW("e", "int32 [2] 2 0", "double [] 5", "double [] 0.5"), DRAW("bad", "int32 [1] 3", "double [2] 5", "double [] 0.5"), DRAW("zero", "int32 [1] 3", "double [0]", "double [] 0.5"),
               "a = StatefulRandomBinomial(v, {int64 [] 2}, {int32 [1] 1}, {double [] 5}, {double [] 0.5})"},
     .runs = {"set", "y -> float [2] nan nan", "none -> int64 [2] 0 0", "all -> int64 [2] 5 5", "e -> int64 [2,0]", "bad ! INVALID_ARGUMENT: Input counts should have length 1 or shape[0], got shape: [2]",
              "zero ! INVALID_ARGUMENT", "a ! INVALID_ARGUMENT: Unsupported algorithm id: 2"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
