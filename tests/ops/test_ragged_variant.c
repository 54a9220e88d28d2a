/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: ragged tensors that go through variants. */
#include "op_case.h"
#include "op_script.h"

/* clang-format off */
#define TO(name, batched, parts) name " = RaggedTensorToVariant(" parts ") batched_input=" batched
#define FROM(name, in, from, to) name " = RaggedTensorFromVariant(" in ") Tvalues=float Tsplits=int64 input_ragged_rank=" from " output_ragged_rank=" to
#define S3 "{int64 [3] 0 2 5}"
#define V5 "{float [5] 1 nan 3 inf 5}"
#define BOTH "RaggedTensorToVariant RaggedTensorFromVariant"
static const struct op_script scripts[] = {
    {.ops = BOTH,
     .nodes = {TO("a", "false", "[" S3 "], " V5), FROM("b", "a", "1", "1"), TO("c", "true", "[" S3 "], " V5), FROM("d", "c", "0", "1"),
               TO("e", "true", "[{int64 [3] 0 1 3}, {int64 [4] 0 2 2 5}], " V5), FROM("f", "e", "1", "2"), FROM("g", "e", "-1", "2"), "n = Shape(c)"},
     .runs = {"b b:1 -> int64 [3] 0 2 5 | float [5] 1 nan 3 inf 5", "d d:1 -> int64 [3] 0 2 5 | float [5] 1 nan 3 inf 5",
              "f f:1 f:2 -> int64 [3] 0 1 3 | int64 [4] 0 2 2 5 | float [5] 1 nan 3 inf 5", "g g:1 -> int64 [3] 0 1 3 | int64 [4] 0 2 2 5", "n -> int32 [1] 2"}},
    {.ops = BOTH,
     .nodes = {TO("a", "false", "[{int64 [3] 0 1 3}], {float [3] 1 2 3}"), TO("b", "false", "[{int64 [2] 0 2}], {float [2] 4 5}"), "p = Pack([a, b])", FROM("f", "p", "1", "2"),
               "q = Pack([p, p, p])", FROM("g", "q", "1", "3"), "r = Reshape(q, {int32 [3] 1 3 2})", FROM("h", "r", "-1", "4")},
     .runs = {"f f:1 f:2 -> int64 [3] 0 2 3 | int64 [4] 0 1 3 5 | float [5] 1 2 3 4 5",
              "g g:1 g:2 g:3 -> int64 [4] 0 2 4 6 | int64 [7] 0 2 3 5 6 8 9 | int64 [10] 0 1 3 5 6 8 10 11 13 15 | float [15] 1 2 3 4 5 1 2 3 4 5 1 2 3 4 5",
              "h h:1 h:2 -> int64 [2] 0 3 | int64 [4] 0 2 4 6 | int64 [7] 0 2 3 5 6 8 9"},
     .note = "stacks of ragged tensors"},
    {.ops = BOTH,
     .nodes = {TO("a", "true", "[{int64 [1] 0}], {float [0]}"), FROM("b", "a", "0", "1"), TO("c", "true", "[{int64 [1] 0}, {int64 [1] 0}], {float [0]}"), FROM("d", "c", "1", "2"),
               TO("e", "true", "[{int64 [3] 0 0 2}], {float [2,2] 1 2 3 4}"), FROM("f", "e", "0", "1")},
     .runs = {"b b:1 -> int64 [1] 0 | float [0]", "d d:1 d:2 -> int64 [1] 0 | int64 [1] 0 | float [0]", "f f:1 -> int64 [3] 0 0 2 | float [2,2] 1 2 3 4"}},
    {.ops = BOTH,
     .nodes = {TO("a", "false", "[" S3 "], " V5), FROM("rank", "a", "-1", "2"), TO("int", "false", "[" S3 "], {int32 [5] 1}"), FROM("type", "int", "1", "1"),
               TO("narrow", "false", "[{int32 [2] 0 5}], " V5), FROM("splits", "narrow", "1", "1"), TO("wide", "false", "[{int64 [2] 0 1}], {float [1,2] 1 2}"),
               "p = Pack([a, wide])", FROM("ranks", "p", "1", "2"), TO("wider", "false", "[{int64 [2] 0 1}], {float [1,3] 1 2 3}"), "q = Pack([wide, wider])",
               FROM("shapes", "q", "1", "2"), "list = EmptyTensorList({int32 [1] 1}, {int32 [] 1}) element_dtype=float shape_type=int32", FROM("other", "list", "1", "1"),
               TO("down", "true", "[{int64 [4] 0 3 2 5}], " V5), TO("past", "true", "[{int64 [2] 0 7}], " V5), TO("none", "true", "[{int64 [3] 0 1 3}, {int64 [2] 0 2}], " V5)},
     .runs = {"rank ! INVALID_ARGUMENT: Encoded input Variant must hold either input_ragged_rank + 1", "type ! INVALID_ARGUMENT: Expected values Tensor dtype: 1, found: 3",
              "splits ! INVALID_ARGUMENT: Expected splits Tensor dtype: 9, found: 3", "ranks ! INVALID_ARGUMENT: Rank of values must match for all components", "shapes ! INVALID_ARGUMENT",
              "other ! INVALID_ARGUMENT: Input Variant element at index 0 doesn't hold a Tensor", "down ! INVALID_ARGUMENT: Ragged splits must be sorted",
              "past ! INVALID_ARGUMENT: Ragged splits must not point past values", "none ! INVALID_ARGUMENT"}},
    {.ops = "RaggedTensorFromVariant",
     .nodes = {TO("a", "true", "[" S3 "], " V5), FROM("b", "a", "1", "1")}, .runs = {"building ! INVALID_ARGUMENT: Shape must be rank 0 but is rank 1"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
