/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: staging areas, in order and by key. What waits is in
 * tests/unit/runtime/test_waits.c. */
#include "op_script.h"

static const struct op_script scripts[] = {
    {.ops = "Stage Unstage StagePeek StageSize StageClear",
     .nodes = {"put = Stage([{float [2] 1 nan}, {string [] 'a'}]) shared_name='s'",
               "put2 = Stage([{float [0]}, {string [] 'b'}]) shared_name='s'",
               "get = Unstage() dtypes=[float, string] shared_name='s'",
               "less = Unstage() dtypes=[float] shared_name='s'",
               "wrong = Unstage() dtypes=[double, string] shared_name='s'",
               "peek = StagePeek({int32 [] 1}) dtypes=[float, string] shared_name='s'",
               "peek1 = StagePeek({int32 [] 0}) dtypes=[float] shared_name='s'",
               "n = StageSize() dtypes=[] shared_name='s'",
               "clear = StageClear() dtypes=[] shared_name='s'"},
     .runs = {"n -> int32 [] 0", "put", "put2", "n -> int32 [] 2",
              "peek:0 peek:1 -> float [0] | string [] 'b'", "n -> int32 [] 2",
              "get:0 get:1 -> float [2] 1 nan | string [] 'a'",
              "peek1 ! INVALID_ARGUMENT: Mismatch stage/unstage: 2 vs. 1",
              "less ! INVALID_ARGUMENT: Mismatch stage/unstage: 2 vs. 1", "n -> int32 [] 0", "put",
              "wrong ! INTERNAL: Output 0 of type float does not match declared output type double",
              "put", "put2", "clear", "n -> int32 [] 0"}},
    {.ops = "Stage StageSize",
     .nodes = {"put = Stage([{float [4] 1 2 3 4}]) shared_name='m' memory_limit=16 capacity=3",
               "big = Stage([{float [5] 1}]) shared_name='m' memory_limit=16 capacity=3",
               "n = StageSize() dtypes=[] shared_name='m'"},
     .runs = {"put", "n -> int32 [] 1",
              "big ! RESOURCE_EXHAUSTED: Attempted to insert tensors with combined size of '20' "
              "bytes into Staging Area with a memory limit of '16'."}},
    {.ops = "Stage Unstage",
     .nodes = {"put = Stage([{int32 [] 1}])", "get = Unstage() dtypes=[int32] shared_name='put'"},
     .runs = {"put", "get -> int32 [] 1"},
     .note = "the node's name is the area's"},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);
}
