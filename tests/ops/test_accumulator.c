/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: accumulators of gradients. What waits is in tests/unit/runtime/test_waits.c. */
#include "op_script.h"

static const struct op_script scripts[] = {
    {.ops = "ConditionalAccumulator AccumulatorApplyGradient AccumulatorNumAccumulated "
            "AccumulatorTakeGradient AccumulatorSetGlobalStep",
     .nodes = {"a = ConditionalAccumulator() dtype=float shape:[-1,2]", "s0 = Feed({int64 [] 0})",
               "s1 = Feed({int64 [] 1})", "neg = Feed({int64 [] -5})",
               "x = AccumulatorApplyGradient(a, s0, {float [1,2] 1 2})",
               "y = AccumulatorApplyGradient(a, s0, {float [1,2] 3 nan})",
               "wide = AccumulatorApplyGradient(a, s0, {float [2,2] 3 5})",
               "flat = AccumulatorApplyGradient(a, s0, {float [2] 3 5})",
               "z = AccumulatorApplyGradient(a, s1, {float [0,2]})",
               "old = AccumulatorApplyGradient(a, neg, {float [1,2] 7 inf})",
               "n = AccumulatorNumAccumulated(a)",
               "take = AccumulatorTakeGradient(a, {int32 [] 2}) dtype=float",
               "take1 = AccumulatorTakeGradient(a, {int32 [] 1}) dtype=float",
               "none = AccumulatorTakeGradient(a, {int32 [] 0}) dtype=float",
               "back = AccumulatorSetGlobalStep(a, neg)",
               "double = AccumulatorTakeGradient(a, {int32 [] 1}) dtype=double"},
     .runs = {"n -> int32 [] 0", "x",
              "flat ! INVALID_ARGUMENT: Shape mismatch: expected [1,2], "
              "got [2]",
              "wide ! INVALID_ARGUMENT: Shape mismatch: expected [1,2], got [2,2]", "y",
              "n -> int32 [] 2",
              "none ! INVALID_ARGUMENT: Argument num_required must be positive, but was 0",
              "take -> float [1,2] 2 nan", "x", "flat", "n -> int32 [] 0", "z",
              "take1 -> float [0,2]", "back", "old", "take1 -> float [1,2] 7 inf"}},
    {.ops = "ConditionalAccumulator AccumulatorApplyGradient AccumulatorNumAccumulated "
            "AccumulatorTakeGradient AccumulatorSetGlobalStep",
     .nodes = {"a = ConditionalAccumulator() dtype=float shape:[2] shared_name='a'",
               "x = AccumulatorApplyGradient(a, {int64 [] 0}, {double [2] 1 2})",
               "step = AccumulatorSetGlobalStep(a, {int64 [] 3})",
               "double = AccumulatorTakeGradient(a, {int32 [] 1}) dtype=double",

               "s = SparseConditionalAccumulator() dtype=float shape:[2]",
               "dense = AccumulatorApplyGradient(s, {int64 [] 0}, {float [2] 1 2})",
               "rows = SparseAccumulatorTakeGradient(a, {int32 [] 1}) dtype=float"},
     .runs = {"x ! INVALID_ARGUMENT: Signature mismatch, have: string_ref, int64, double-> "
              "expected: string_ref, int64, float->",
              "double ! INVALID_ARGUMENT: Signature mismatch, have: string_ref, int32->double "
              "expected: string_ref, int32->float",
              "dense ! INVALID_ARGUMENT: is of sparse gradients, not of dense ones",
              "rows ! INVALID_ARGUMENT: is of dense gradients, not of sparse ones", "step"}},
    {.ops = "AccumulatorTakeGradient",
     .nodes = {"a = ConditionalAccumulator() dtype=float shape:[2]",
               "t = AccumulatorTakeGradient(a, {int32 [1] 1}) dtype=float"},
     .runs = {"building ! INVALID_ARGUMENT: Shape must be rank 0 but is rank 1"}},
    {.ops = "ConditionalAccumulator",
     .nodes = {"a = ConditionalAccumulator() dtype=half shape:[3]",
               "x = AccumulatorApplyGradient(a, {int64 [] 0}, {half [3] 1.0001 3.3333 1000.7})",
               "t = AccumulatorTakeGradient(a, {int32 [] 3}) dtype=half",
               "b = ConditionalAccumulator() dtype=double shape:? reduction_type='SUM'",
               "y = AccumulatorApplyGradient(b, {int64 [] 0}, {double [2] 1 2.5})",
               "u = AccumulatorTakeGradient(b, {int32 [] 1}) dtype=double"},
     .runs = {"x", "x", "x", "t -> half [3] 1 3.334 1000.5", "y", "y", "y",
              "u -> double [2] 3 7.5"}},
    {.ops = "ResourceConditionalAccumulator ResourceAccumulatorApplyGradient "
            "ResourceAccumulatorNumAccumulated ResourceAccumulatorTakeGradient "
            "ResourceAccumulatorSetGlobalStep",
     .nodes = {"a = ResourceConditionalAccumulator() dtype=float shape:[2]",
               "x = ResourceAccumulatorApplyGradient(a, {int64 [] 2}, {float [2] 1 nan})",
               "none = ResourceConditionalAccumulator() dtype=float shape:[0]",
               "e = ResourceAccumulatorApplyGradient(none, {int64 [] 2}, {float [0]})",
               "n = ResourceAccumulatorNumAccumulated(a)",
               "t = ResourceAccumulatorTakeGradient(a, {int32 [] 1}) dtype=float",
               "step = ResourceAccumulatorSetGlobalStep(a, {int64 [] 3})"},
     .runs = {"x", "x", "n -> int32 [] 2", "e", "t -> float [2] 1 nan", "x", "n -> int32 [] 1",
              "step", "x", "n -> int32 [] 1"}},
    {.ops = "SparseConditionalAccumulator SparseAccumulatorApplyGradient "
            "SparseAccumulatorTakeGradient",
     .nodes = {"a = SparseConditionalAccumulator() dtype=float shape:[5,2]",
               "s = Feed({int64 [] 0})",
               "x = SparseAccumulatorApplyGradient(a, s, {int64 [2] 3 1}, {float [2,2] 1 2 3 4}, "
               "{int64 [2] 5 2}) has_known_shape=true",
               "y = SparseAccumulatorApplyGradient(a, s, {int64 [2] 1 4}, {float [2,2] 10 20 30 "
               "nan}, {int64 [2] 5 2}) has_known_shape=true",
               "z = SparseAccumulatorApplyGradient(a, s, {int64 [1] 1}, {float [1,2] 0.5 0.25}, "
               "{int64 [0]}) has_known_shape=false",
               "e = SparseAccumulatorApplyGradient(a, s, {int64 [0]}, {float [0,2]}, {int64 [2] 5 "
               "2}) has_known_shape=true",
               "out = SparseAccumulatorApplyGradient(a, s, {int64 [1] 5}, {float [1,2] 1}, {int64 "
               "[2] 5 2}) has_known_shape=true",
               "shape = SparseAccumulatorApplyGradient(a, s, {int64 [1] 1}, {float [1,2] 1}, "
               "{int64 [2] 4 2}) has_known_shape=true",
               "rank = SparseAccumulatorApplyGradient(a, s, {int64 [1] 1}, {float [1,2] 1}, "
               "{int64 [1] 5}) has_known_shape=true",
               "dim = SparseAccumulatorApplyGradient(a, s, {int64 [1] 1}, {float [1,3] 1}, "
               "{int64 [2] 5 2}) has_known_shape=true",
               "vrank = SparseAccumulatorApplyGradient(a, s, {int64 [1] 1}, {float [1] 1}, "
               "{int64 [2] 5 2}) has_known_shape=true",
               "num = SparseAccumulatorApplyGradient(a, s, {int64 [2] 1 2}, {float [1,2] 1}, "
               "{int64 [2] 5 2}) has_known_shape=true",
               "take = SparseAccumulatorTakeGradient(a, {int32 [] 4}) dtype=float"},
     .runs = {"vrank ! INVALID_ARGUMENT: Shape mismatch: expected values rank at least 2, got 1",
              "dim ! INVALID_ARGUMENT: Shape mismatch: expected values dim 1 to be 2, got 3", "x",
              "y", "vrank ! INVALID_ARGUMENT: Shape mismatch: expected values rank 2, got 1",
              "dim ! INVALID_ARGUMENT: Shape mismatch: expected values dim 1 to be 2, got 3", "z",
              "out ! INVALID_ARGUMENT: Shape mismatch: index of slice 0 exceeded limits of shape; "
              "index is 5 exceeded 5",
              "shape ! INVALID_ARGUMENT: Shape mismatch: expected shape dim 0 to be 5, got 4",
              "rank ! INVALID_ARGUMENT: Shape mismatch: expected shape rank at least 2, got 1",
              "num ! INVALID_ARGUMENT: Expected 2 non-empty input values, got 1", "e",
              "take:0 take:1 take:2 -> int64 [4] 1 3 1 4 | float [4,2] 5.25 10.125 1 2 3 4 30 nan "
              "| int64 [2] 5 2"},
     .note = "indices that do not rise stay apart, as TensorFlow leaves them"},
    {.ops = "SparseConditionalAccumulator SparseAccumulatorApplyGradient "
            "SparseAccumulatorTakeGradient",
     .nodes = {"a = SparseConditionalAccumulator() dtype=double shape:? reduction_type='SUM'",
               "s = Feed({int64 [] 0})", "i = Feed({int64 [] 0})", "v = Feed({double [] 0})",
               "x = SparseAccumulatorApplyGradient(a, s, {int64 [1] 3}, {double [1,2] 1 2}, "
               "{int64 [0]}) has_known_shape=false",
               "y = SparseAccumulatorApplyGradient(a, s, {int64 [2] 2 3}, {double [2,2] 1 2 3 4}, "
               "{int64 [0]}) has_known_shape=false",
               "flat = SparseAccumulatorApplyGradient(a, s, {int64 [1] 3}, v, {int64 [0]}) "
               "has_known_shape=false",
               "point = SparseAccumulatorApplyGradient(a, s, i, {double [1,2] 1}, {int64 [0]}) "
               "has_known_shape=false",
               "take = SparseAccumulatorTakeGradient(a, {int32 [] 2}) dtype=double",
               "n = AccumulatorNumAccumulated(a)",
               "type = SparseAccumulatorTakeGradient(a, {int32 [] 2}) dtype=float"},
     .runs = {"flat ! INVALID_ARGUMENT: Values cannot be 0-dimensional.",
              "point ! INVALID_ARGUMENT: Input indices should be vector but received shape: []",
              "type ! INVALID_ARGUMENT: Signature mismatch", "x", "y", "n -> int32 [] 2",
              "take:0 take:1 take:2 -> int64 [2] 2 3 | double [2,2] 1 2 4 6 | int64 [2] -1 2", "x",
              "n -> int32 [] 0"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);
}
