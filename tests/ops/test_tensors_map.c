/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: sparse tensors kept under numbers. */
#include "op_case.h"
#include "op_script.h"

/* clang-format off */
#define ADD(name, ix, v, dims) name " = AddSparseToTensorsMap(" ix ", " v ", " dims ") shared_name='m'"
#define MANY(name, ix, v, dims) name " = AddManySparseToTensorsMap(" ix ", " v ", " dims ") shared_name='m'"
#define TAKE(name, handles, type) name " = TakeManySparseFromTensorsMap(" handles ") shared_name='m' dtype=" type
static const struct op_script scripts[] = {
    {.ops = "AddSparseToTensorsMap TakeManySparseFromTensorsMap",
     .nodes = {ADD("a", "{int64 [2,1] 0 2}", "{float [2] 1 nan}", "{int64 [1] 4}"), ADD("b", "{int64 [1,1] 1}", "{float [1] inf}", "{int64 [1] 5}"),
               "h = Pack([a, b])", TAKE("t", "h", "float"), "again = Pack([a, a])", TAKE("u", "again", "float"),
               "one = Pack([a])", TAKE("i", "one", "int32"), ADD("w", "{int64 [1,2] 0 0}", "{float [1] 1}", "{int64 [2] 4 4}"),
               "mixed = Pack([a, w])", TAKE("x", "mixed", "float"), TAKE("none", "{int64 [1] 99}", "float"), TAKE("zero", "{int64 [0]}", "float"),
               TAKE("least", "{int64 [1] -1}", "float")},
     .runs = {"t t:1 t:2 -> int64 [3,2] 0 0 0 2 1 1 | float [3] 1 nan inf | int64 [2] 2 5",
              "u ! INVALID_ARGUMENT: Unable to find SparseTensor:",
              "i ! INVALID_ARGUMENT: Requested SparseTensor of type int32 but SparseTensor[0].values.dtype() == float",
              "x ! INVALID_ARGUMENT: Inconsistent rank across SparseTensors: rank prior to SparseTensor[1] was: 2 but rank of SparseTensor[1] is: 3",
              "none ! INVALID_ARGUMENT: Unable to find SparseTensor: 99 in map: m", "zero zero:2 -> int64 [0,1] | int64 [1] 0",
              "least ! INVALID_ARGUMENT: Unable to find SparseTensor: -1 in map: m"}},
    {.ops = "AddManySparseToTensorsMap TakeManySparseFromTensorsMap",
     .nodes = {MANY("h", "{int64 [3,2] 0 1 0 2 2 0}", "{string [3] 'a' 'b' 'a text that is longer than what is kept in place'}", "{int64 [2] 3 4}"),
               TAKE("t", "h", "string"), MANY("e", "{int64 [0,2]}", "{double [0]}", "{int64 [2] 0 4}")},
     .runs = {"t t:1 t:2 -> int64 [3,2] 0 1 0 2 2 0 | string [3] 'a' 'b' 'a text that is longer than what is kept in place' | int64 [2] 3 4",
              "e -> int64 [0]", "h"}},
    {.ops = "AddManySparseToTensorsMap",
     .nodes = {MANY("h", "{int64 [2,2] 0 1 1 2}", "{float [2] nan 1}", "{int64 [2] 3 4}")}, .runs = {"h -> int64 [3] 0 1 2", "h -> int64 [3] 3 4 5"}},
    {.ops = "AddManySparseToTensorsMap",
     .nodes = {MANY("h", "{int64 [2,2] 1 1 0 2}", "{float [2] 1 2}", "{int64 [2] 3 4}")}, .runs = {"h ! INVALID_ARGUMENT: indices[1] is out of order."}},
    {.ops = "AddManySparseToTensorsMap",
     .nodes = {MANY("h", "{int64 [1,2] 7 1}", "{float [1] 1}", "{int64 [2] 3 4}")}, .runs = {"h ! INVALID_ARGUMENT: out of bounds: need 0 <= index < 3"}},
    {.ops = "AddManySparseToTensorsMap",
     .nodes = {MANY("h", "{int64 [1,1] 0}", "{float [1] 1}", "{int64 [1] 3}")}, .runs = {"h ! INVALID_ARGUMENT: Rank of input SparseTensor should be > 1, but saw rank: 1"}},
    {.ops = "AddSparseToTensorsMap",
     .nodes = {ADD("h", "{int64 [0,1]}", "{float [0]}", "{int64 [1] 3}")}, .runs = {"h -> int64 [] 0", "h -> int64 [] 1"}},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
