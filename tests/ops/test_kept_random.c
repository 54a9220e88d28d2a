/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: random numbers from generators kept in variables; the last output is what the
 * variable holds after. The numbers are TensorFlow 1.15.5's. */
#include "op_case.h"

/* clang-format off */
#define RNG "res int64 [3] 5 6 7"
#define FIVE "const int64 [1] 5"
#define PHILOX "int64 [] 1"
static const struct op_case cases[] = {
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {RNG, PHILOX, FIVE}, .out = {"float [5] 0.21270084 0.869329 0.68463993 0.2620361 0.06209552", "int64 [3] 1285 6 7"}},
    {.op = "StatefulUniform", .attrs = "dtype=double", .in = {RNG, PHILOX, "const int32 [1] 3"}, .out = {"double [3] 0.70160695 0.47712027 0.49676502", "int64 [3] 773 6 7"}, .rel = 1e-7},
    {.op = "StatefulUniform", .attrs = "dtype=half", .in = {RNG, PHILOX, "int64 [2] 3 3"}, .out = {"half [3,3] 0.4453 0.543 0.5703 0.5996 0.6865 0.9463 0.2676 0.209 0.4756", "int64 [3] 2309 6 7"}, .rel = 1e-3},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {"res int64 [3] -1 -1 3", PHILOX, "int64 [1] 2"}, .out = {"float [2] 0.4554547 0.9778563", "int64 [3] 511 0 3"}, .note = "the counter carries"},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {"res int64 [4] 1 2 3 4", PHILOX, "int64 [1] 2"}, .out = {"float [2] 0.45901167 0.53342485", "int64 [4] 513 2 3 4"}},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {RNG, PHILOX, "int64 [1] 0"}, .out = {"float [0]", "int64 [3] 5 6 7"}},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {RNG, "int64 [] 2", FIVE}, .error = "INVALID_ARGUMENT: Unsupported algorithm id: 2"},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {RNG, "? int64 [1] 1", FIVE}, .error = "INVALID_ARGUMENT: algorithm must be of shape []"},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {"res int64 [2] 1 2", PHILOX, FIVE}, .error = "INVALID_ARGUMENT: For the Philox algorithm, the size of state must be at least 3; got 2"},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {"res int64 [1,3] 1 2 3", PHILOX, FIVE}, .error = "INVALID_ARGUMENT: RNG state must have one and only one dimension, not 2"},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {"res int32 [3] 1 2 3", PHILOX, FIVE}, .error = "INVALID_ARGUMENT: dtype of RNG state variable must be int64, not int32"},
    {.op = "StatefulUniform", .attrs = "dtype=float", .in = {RNG, PHILOX, "int64 [1] -1"}, .error = "INVALID_ARGUMENT"},
    {.op = "StatefulStandardNormalV2", .attrs = "dtype=float", .in = {RNG, PHILOX, FIVE}, .out = {"float [5] -1.2876658 1.199022 0.86798567 -0.06576683 1.3036978", "int64 [3] 1285 6 7"}, .rel = 1e-5},
    {.op = "StatefulStandardNormalV2", .attrs = "dtype=float", .in = {RNG, PHILOX, "int64 [1] 0"}, .out = {"float [0]", "int64 [3] 5 6 7"}},
    {.op = "StatefulStandardNormal", .attrs = "dtype=float", .producer = 28, .in = {RNG, FIVE}, .out = {"float [5] -1.2876658 1.199022 0.86798567 -0.06576683 1.3036978", "int64 [3] 1285 6 7"}, .rel = 1e-5},
    {.op = "StatefulStandardNormal", .attrs = "dtype=float", .producer = 28, .in = {RNG, "int64 [1] 0"}, .out = {"float [0]", "int64 [3] 5 6 7"}},
    {.op = "StatefulTruncatedNormal", .attrs = "dtype=float", .in = {RNG, PHILOX, FIVE}, .out = {"float [5] -1.2876658 1.199022 0.86798567 -0.06576683 -0.03044576", "int64 [3] 1285 6 7"}, .rel = 1e-5, .abs = 1e-6},
    {.op = "StatefulTruncatedNormal", .attrs = "dtype=float", .in = {RNG, PHILOX, "int64 [1] 0"}, .out = {"float [0]", "int64 [3] 5 6 7"}},
    {.op = "StatefulUniformInt", .in = {RNG, PHILOX, FIVE, "int32 [] -3", "int32 [] 100"}, .out = {"int32 [5] 93 36 75 41 92", "int64 [3] 1285 6 7"}},
    {.op = "StatefulUniformInt", .in = {RNG, PHILOX, FIVE, "int64 [] -3", "int64 [] 1000000000000"}, .out = {"int64 [5] 770668139684 723531844943 533060108226 882752483138 804695956443", "int64 [3] 1285 6 7"}},
    {.op = "StatefulUniformInt", .in = {RNG, PHILOX, FIVE, "uint32 [] 3", "uint32 [] 1000000000"}, .out = {"uint32 [5] 499833812 879707695 237112913 726740082 263689419", "int64 [3] 7 6 7"}},
    {.op = "StatefulUniformInt", .in = {RNG, PHILOX, FIVE, "uint64 [] 3", "uint64 [] 1000000000000"}, .out = {"uint64 [5] 770690809580 723627882305 533157406140 882787986146 804781023219", "int64 [3] 8 6 7"}},
    {.op = "StatefulUniformInt", .in = {RNG, PHILOX, "int64 [1] 0", "int32 [] 3", "int32 [] 4"}, .out = {"int32 [0]", "int64 [3] 5 6 7"}},
    {.op = "StatefulUniformInt", .in = {RNG, PHILOX, FIVE, "int32 [] 3", "int32 [] 3"}, .error = "INVALID_ARGUMENT: Need minval < maxval, got 3 >= 3"},
    {.op = "StatefulUniformInt", .in = {RNG, PHILOX, FIVE, "? int32 [1] 3", "int32 [] 4"}, .error = "INVALID_ARGUMENT: minval must be 0-D"},
    {.op = "StatefulUniformFullInt", .attrs = "dtype=int32", .in = {RNG, PHILOX, FIVE}, .out = {"int32 [5] -795133496 879707692 -2057854392 -568227226 -1031277889", "int64 [3] 1285 6 7"}},
    {.op = "StatefulUniformFullInt", .attrs = "dtype=int64", .in = {RNG, PHILOX, "int64 [1] 2"}, .out = {"int64 [2] 3778315770679474632 -2440517350129687992", "int64 [3] 517 6 7"}},
    {.op = "StatefulUniformFullInt", .attrs = "dtype=uint32", .in = {RNG, PHILOX, "int64 [1] 0"}, .out = {"uint32 [0]", "int64 [3] 5 6 7"}},
    {.op = "RngSkip", .in = {RNG, PHILOX, "int64 [] 10"}, .out = {"int64 [3] 2565 6 7"}},
    {.op = "RngSkip", .in = {RNG, PHILOX, "int64 [] -1"}, .out = {"int64 [3] -251 6 7"}},
    {.op = "RngSkip", .in = {RNG, "int64 [] 7", "int64 [] 1"}, .error = "INVALID_ARGUMENT: Unsupported algorithm id: 7"},
    {.op = "NonDeterministicInts", .attrs = "dtype=int32", .in = {"const int64 [2] 3 2"}, .out = {"int32 [3,2] ~"}},
    {.op = "NonDeterministicInts", .attrs = "dtype=uint64", .in = {"const int32 [1] 0"}, .out = {"uint64 [0]"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
