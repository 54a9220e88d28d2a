/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: barriers. What waits is in tests/unit/runtime/test_waits.c. */
#include "op_script.h"

static const struct op_script scripts[] = {
    {.ops = "Barrier BarrierInsertMany BarrierTakeMany BarrierClose BarrierReadySize "
            "BarrierIncompleteSize",
     .nodes = {"b = Barrier() component_types=[float, string] shapes=[[2], []] shared_name='b'",
               "num = BarrierReadySize(b)", "inc = BarrierIncompleteSize(b)",
               "ab = BarrierInsertMany(b, {string [2] 'a' 'b'}, {float [2,2] 1 nan 3 4}) "
               "component_index=0",
               "bc = BarrierInsertMany(b, {string [2] 'b' 'c'}, {string [2] 'x' 'y'}) "
               "component_index=1",
               "a = BarrierInsertMany(b, {string [1] 'a'}, {string [1] 'z'}) component_index=1",
               "c = BarrierInsertMany(b, {string [1] 'c'}, {float [1,2] 5 inf}) component_index=0",
               "new = BarrierInsertMany(b, {string [1] 'new'}, {string [1] 'n'}) "
               "component_index=1",
               "none = BarrierInsertMany(b, {string [0]}, {string [0]}) component_index=1",
               "one = BarrierTakeMany(b, {int32 [] 1}) component_types=[float, string]",
               "zero = BarrierTakeMany(b, {int32 [] 0}) component_types=[float, string]",
               "five = BarrierTakeMany(b, {int32 [] 5}) component_types=[float, string]",
               "few = BarrierTakeMany(b, {int32 [] 5}) component_types=[float, string] "
               "allow_small_batch=true",
               "close = BarrierClose(b)"},
     .runs = {"ab", "num inc -> int32 [] 0 | int32 [] 2", "bc",
              "num inc -> int32 [] 1 | int32 [] 2",
              "ab ! INVALID_ARGUMENT: Key a already has a value for component 0 in barrier b", "a",
              "zero:0 zero:1 zero:2 zero:3 -> int64 [0] | string [0] | float [0,2] | string [0]",
              "one:0 one:1 one:2 one:3 -> int64 [1] -9223372036854775808 | string [1] 'b' | float "
              "[1,2] 3 4 | string [1] 'x'",
              "close",
              "new ! CANCELLED: Barrier b is closed, but attempted to insert a brand new key: new. "
              " Pending enqueues cancelled: 0.  Insertion index: 0.  Number of incomplete keys: 1.",
              "none",
              "five ! OUT_OF_RANGE: Barrier 'b' is closed and has insufficient elements (requested "
              "5, total size 2)",
              "few:1 few:3 -> string [1] 'a' | string [1] 'z'",
              "few ! OUT_OF_RANGE: Barrier 'b' is closed and has insufficient elements (requested "
              "0, total size 0)",
              "c", "one:0 one:2 -> int64 [1] -9223372036854775807 | float [1,2] 5 inf"}},
    {.ops = "Barrier BarrierInsertMany BarrierTakeMany BarrierClose",
     .nodes = {"b = Barrier() component_types=[int32, string] shapes=[[], []] shared_name='c'",
               "ab = BarrierInsertMany(b, {string [2] 'a' 'b'}, {int32 [2] 1 2}) component_index=0",
               "a = BarrierInsertMany(b, {string [1] 'a'}, {string [1] 'z'}) component_index=1",
               "b1 = BarrierInsertMany(b, {string [1] 'b'}, {string [1] 'z'}) component_index=1",
               "two = BarrierTakeMany(b, {int32 [] 2}) component_types=[int32, string]",
               "few = BarrierTakeMany(b, {int32 [] 2}) component_types=[int32, string] "
               "allow_small_batch=true",
               "inc = BarrierIncompleteSize(b)", "close = BarrierClose(b)",
               "cancel = BarrierClose(b) cancel_pending_enqueues=true"},
     .runs = {"ab", "a", "close", "close ! CANCELLED: Barrier 'c' is already closed.", "cancel",
              "cancel ! CANCELLED: Barrier 'c' is already closed.", "inc -> int32 [] 0",
              "b1 ! CANCELLED: Barrier c is closed.  Pending enqueues cancelled: 1.  Number of new "
              "insertions: 1.  Number of incomplete keys: 0.",
              "two ! OUT_OF_RANGE: Barrier 'c' is closed and has insufficient elements (requested "
              "2, total size 1)",
              "few:1 few:2 -> string [1] 'a' | int32 [1] 1"}},
    {.ops = "Barrier BarrierInsertMany BarrierTakeMany",
     .nodes = {"b = Barrier() component_types=[float] shapes=[[2]] shared_name='d'",
               "far = BarrierInsertMany(b, {string [1] 'a'}, {float [1,2] 1}) component_index=1",
               "neg = BarrierInsertMany(b, {string [1] 'a'}, {float [1,2] 1}) component_index=-1",
               "type = BarrierInsertMany(b, {string [1] 'a'}, {double [1,2] 1}) component_index=0",
               "wide = BarrierInsertMany(b, {string [1] 'a'}, {float [1,3] 1}) component_index=0",
               "none = BarrierInsertMany(b, {string [1] 'a'}, {float [1,0]}) component_index=0",
               "twice = BarrierInsertMany(b, {string [2] 'a\\x00b' 'a'}, {float [2,2] 1 2 3 4}) "
               "component_index=0",
               "minus = BarrierTakeMany(b, {int32 [] -1}) component_types=[float]",
               "types = BarrierTakeMany(b, {int32 [] 1}) component_types=[float, float]",
               "get = BarrierTakeMany(b, {int32 [] 2}) component_types=[float]",
               "late = BarrierTakeMany(b, {int32 [] 1}) component_types=[float] timeout_ms=5"},
     .runs = {"far ! INVALID_ARGUMENT: The component ID is out of range 1 > num_components (= 1)",
              "neg ! INVALID_ARGUMENT",
              "type ! INVALID_ARGUMENT: Signature mismatch, have: string_ref, string, double-> "
              "expected: string_ref, string, float->",
              "wide ! INVALID_ARGUMENT",
              "none ! INVALID_ARGUMENT: Tensors with no elements are not supported d: received "
              "shape [1,0]",
              "minus ! INVALID_ARGUMENT",
              "types ! INVALID_ARGUMENT: Signature mismatch, have: string_ref, int32->int64, "
              "string, float, float expected: string_ref, int32->int64, string, float",
              "late ! INVALID_ARGUMENT: Timeout not supported yet.", "twice",
              "get:2 -> float [2,2] 1 2 3 4"}},
    {.ops = "Barrier",
     .nodes = {"b = Barrier() component_types=[float] shapes=[]", "n = BarrierReadySize(b)",
               "c = Barrier() component_types=[float] shapes=[[-1]]", "m = BarrierReadySize(c)",
               "d = Barrier() component_types=[float] shapes=[[2]] capacity=1",
               "o = BarrierReadySize(d)"},
     .runs = {"n ! INVALID_ARGUMENT: All of the component shapes must be specified",
              "m ! INVALID_ARGUMENT: Shape [?] is not fully defined",
              "o ! INVALID_ARGUMENT: Barrier only accepts capacity=-1."}},
    {.ops = "BarrierInsertMany",
     .nodes = {"b = Barrier() component_types=[float] shapes=[[2]]",
               "i = BarrierInsertMany(b, {string [2] 'a'}, {float [3,2] 1}) component_index=0"},
     .runs = {"building ! INVALID_ARGUMENT: must be equal, but are 2 and 3"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);
}
