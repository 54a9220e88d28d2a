/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: recurrent cells in one op, with values and gradients of TensorFlow 1.15. */
#include "op_script.h"

#define STATE "{float [1,1] 0.5}, {float [1,1] 0.25}"
#define WEIGHTS                                                                                    \
    "w, {float [1] 0.5}, {float [1] -0.25}, {float [1] 0.75}, {float [4] 0.5 0.25 0 -0.5}"
#define W "w = Feed({float [3,4] 0.5 -1 1 0.25 0.75 0.5 -0.25 1 1 2 -1 0.5})"

static const struct op_script scripts[] = {
    {.ops = "LSTMBlockCell LSTMBlockCellGrad",
     .nodes = {W, "x = Feed({float [1,2] 1 -2})", "y = LSTMBlockCell(x, " STATE ", " WEIGHTS ")",
               "two = Mul(y:1, {float [] 2})", "z = Add(y:6, two)", "dx = Gradient(z, x)",
               "dw = Gradient(z, w)"},
     .runs = {"y:0 y:1 y:4 y:6 -> float [1,1] 0.4378235 | float [1,1] 0.08092672 | float [1,1] "
              "-0.8482837 | float [1,1] 0.00861532",
              "dx dw -> float [1,2] -0.38566107 -0.21551782 | float [3,4] -0.4397139 0.2585576 "
              "0.09082942 0.0076961457 0.8794278 -0.5171152 -0.18165883 -0.015392291 -0.109928474 "
              "0.0646394 0.022707354 0.0019240364"}},
    {.ops = "LSTMBlockCell LSTMBlockCellGrad",
     .nodes = {W, "x = Feed({float [1,2] 1 -2})",
               "y = LSTMBlockCell(x, " STATE ", " WEIGHTS ") use_peephole=true",
               "two = Mul(y:1, {float [] 2})", "z = Add(y:6, two)", "dx = Gradient(z, x)",
               "dw = Gradient(z, w)"},
     .runs = {"y:0 y:1 y:6 -> float [1,1] 0.5 | float [1,1] 0.022512853 | float [1,1] 0.0024379673",
              "dx -> float [1,2] -0.41845667 -0.21063547"}},
    {.ops = "LSTMBlockCell",
     .nodes =
         {"x = Feed({float [0,2]})",
          "y = LSTMBlockCell(x, {float [0,1]}, {float [0,1]}, {float [3,4] nan}, {float [1] 0}, "
          "{float [1] 0}, {float [1] 0}, {float [4] 0})"},
     .runs = {"y:1 y:6 -> float [0,1] | float [0,1]"}},
    {.ops = "LSTMBlockCell",
     .nodes = {"x = Feed({float [1,3] 1})", W, "y = LSTMBlockCell(x, " STATE ", " WEIGHTS ")"},
     .runs = {"y:6 ! INVALID_ARGUMENT: w must be of size"}},
    {.ops = "LSTMBlockCellGrad",
     .nodes =
         {"y = LSTMBlockCellGrad({float [0,2]}, {float [0,1]}, {float [0,1]}, {float [3,4] 0}, "
          "{float [1] 0}, {float [1] 0}, {float [1] 0}, {float [4] nan}, {float [0,1]}, {float "
          "[0,1]}, {float [0,1]}, {float [0,1]}, {float [0,1]}, {float [0,1]}, {float [0,1]}, "
          "{float [0,1]}) use_peephole=true"},
     .runs = {"y:0 y:1 y:2 -> float [0,1] | float [0,4] | float [1] 0"}},
    {.ops = "BlockLSTM BlockLSTMGrad",
     .nodes = {W, "x = Feed({float [3,1,2] 1 -2 2 1 9 9})",
               "y = BlockLSTM({int64 [] 2}, x, " STATE ", " WEIGHTS ") use_peephole=true",
               "dx = Gradient(y:6, x)", "dw = Gradient(y:6, w)"},
     .runs =
         {"y:1 y:6 -> float [3,1,1] 0.022512853 -0.74600327 0 | float [3,1,1] 0.0024379673 "
          "-0.38513985 0",
          "dx dw -> float [3,1,2] -0.067205 -0.03216868 -0.11098018 -0.1321875 0 0 | float [3,4] "
          "-0.10877019 0.17689092 0.016906846 -0.2991848 0.12653549 -0.03116735 -0.032200724 "
          "-0.15521827 -0.018136432 0.012118586 0.0040662014 0.00019514348"}},
    {.ops = "BlockLSTMV2 BlockLSTMGradV2",
     .nodes = {W, "x = Feed({float [3,1,2] 1 -2 2 1 9 9})",
               "y = BlockLSTMV2({int64 [] 2}, x, " STATE ", " WEIGHTS ") use_peephole=true",
               "dx = Gradient(y:6, x)", "dw = Gradient(y:6, w)"},
     .runs =
         {"y:1 y:6 -> float [3,1,1] 0.5250485 0.9853327 0 | float [3,1,1] 0.07244631 0.64591724 0",
          "dx dw -> float [3,1,2] 0.0632757797 0.113675408 0.0496615767 0.120305933 0 0 | float "
          "[3,4] "
          "0.1124973446 0.1026348695 0.1452573687 0.2549111545 -0.0920302421 -0.0049973540 "
          "-0.0254036523 -0.0418744534 0.0167544484 0.0085332775 0.0136444969 0.0237132218"}},
    {.ops = "BlockLSTM BlockLSTMV2 BlockLSTMGrad BlockLSTMGradV2",
     .nodes = {"x = Feed({float [0,1,2]})", "w = Feed({float [3,4] nan})",
               "y = BlockLSTM({int64 [] 0}, x, " STATE ", " WEIGHTS ")",
               "z = BlockLSTMV2({int64 [] 0}, x, " STATE ", " WEIGHTS ")", "dw = Gradient(y:6, w)",
               "dv = Gradient(z:6, w)"},
     .runs = {"y:6 dw -> float [0,1,1] | float [3,4] 0",
              "z:1 dv -> float [0,1,1] | float [3,4] 0"}},
    {.ops = "BlockLSTM",
     .nodes = {W, "x = Feed({float [1,1,2] 1})", "n = Feed({int64 [] 9223372036854775807})",
               "y = BlockLSTM(n, x, " STATE ", " WEIGHTS ")"},
     .runs = {"y:6 ! INVALID_ARGUMENT: seq_len_max must be at most the number of times"}},
    {.ops = "GRUBlockCell GRUBlockCellGrad",
     .nodes = {"x = Feed({float [1,2] 1 -2})", "h = Feed({float [1,1] 0.25})",
               "wr = Feed({float [3,2] 0.5 -1 0.75 0.5 1 2})",
               "wc = Feed({float [3,1] 1 0.5 -0.5})",
               "y = GRUBlockCell(x, h, wr, wc, {float [2] 0.25 -0.5}, {float [1] 0.125})",
               "dx = Gradient(y:3, x)", "dh = Gradient(y:3, h)", "dwr = Gradient(y:3, wr)",
               "dwc = Gradient(y:3, wc)"},
     .runs =
         {"y:0 y:1 y:2 y:3 -> float [1,1] 0.37754068 | float [1,1] 0.11920292 | float [1,1] "
          "0.07765077 | float [1,1] 0.0981953",
          "dx dh -> float [1,2] 0.8445317 0.4275025 | float [1,1] -0.035589598",
          "dwr dwc -> float [3,2] -0.025717814 0.018095562 0.051435627 -0.036191124 -0.0064294534 "
          "0.0045238906 | float [3,1] 0.8754862 -1.7509724 0.082632914"}},
    {.ops = "GRUBlockCell GRUBlockCellGrad",
     .nodes = {"x = Feed({float [0,2]})", "h = Feed({float [0,1]})", "wr = Feed({float [3,2] inf})",
               "y = GRUBlockCell(x, h, wr, {float [3,1] 0}, {float [2] 0}, {float [1] 0})",
               "dw = Gradient(y:3, wr)"},
     .runs = {"y:3 dw -> float [0,1] | float [3,2] 0"}},
    {.ops = "GRUBlockCell",
     .nodes =
         {"x = Feed({float [2,2] 0})", "h = Feed({float [1,1] 0})",
          "y = GRUBlockCell(x, h, {float [3,2] 0}, {float [3,1] 0}, {float [2] 0}, {float [1] 0})"},
     .runs = {"y:3 ! INVALID_ARGUMENT: h_prev has another shape than the cell"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);
}
