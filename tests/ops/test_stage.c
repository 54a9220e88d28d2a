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
    {.ops = "MapStage MapPeek MapUnstage MapUnstageNoKey MapSize MapIncompleteSize MapClear",
     .nodes = {"put = MapStage({int64 [] 3}, {int32 [2] 0 1}, [{float [2] 1 nan}, {string [] "
               "'s'}]) dtypes=[float, string] shared_name='p'",
               "one = MapStage({int64 [] 1}, {int32 [1] 0}, [{float [0]}]) dtypes=[float, string] "
               "shared_name='p'",
               "rest = MapStage({int64 [] 1}, {int32 [1] 1}, [{string [] 't'}]) dtypes=[float, "
               "string] shared_name='p'",
               "i2 = Feed({int32 [2] 1 0})", "none = Feed({int32 [0]})",
               "turned = MapStage({int64 [] 1}, i2, [{string [] 't'}, {float [] 1}]) "
               "dtypes=[float, string] shared_name='p'",
               "far = MapStage({int64 [] 1}, {int32 [1] 3}, [{string [] 't'}]) dtypes=[float, "
               "string] shared_name='p'",
               "neg = MapStage({int64 [] 1}, {int32 [1] -1}, [{string [] 't'}]) dtypes=[float, "
               "string] shared_name='p'",
               "empty = MapStage({int64 [] 9}, none, [{string [] 't'}]) dtypes=[float, string] "
               "shared_name='p'",
               "peek = MapPeek({int64 [] 3}, {int32 [1] 0}) dtypes=[float] shared_name='p'",
               "get1 = MapUnstage({int64 [] 3}, {int32 [1] 1}) dtypes=[string] shared_name='p'",
               "get0 = MapUnstage({int64 [] 3}, {int32 [1] 0}) dtypes=[float] shared_name='p'",
               "out = MapPeek({int64 [] 3}, {int32 [1] 9}) dtypes=[float] shared_name='p'",
               "any = MapUnstageNoKey({int32 [2] 0 1}) dtypes=[float, string] shared_name='p'",
               "n = MapSize() dtypes=[] shared_name='p'",
               "m = MapIncompleteSize() dtypes=[] shared_name='p'",
               "clear = MapClear() dtypes=[] shared_name='p'"},
     .runs =
         {"one", "n m -> int32 [] 0 | int32 [] 1",
          "one ! INVALID_ARGUMENT: The tensor for index '0' for key '1' was already initialized "
          "'2'.",
          "turned ! INVALID_ARGUMENT: Indices are not strictly ordered",
          "far ! INVALID_ARGUMENT: Index '3' for key '1' was out of bounds '2'.",
          "neg ! INVALID_ARGUMENT: Index '18446744073709551615' for key '1' was out of bounds '2'.",
          "put", "rest", "n m -> int32 [] 2 | int32 [] 0", "peek -> float [2] 1 nan",
          "out ! INVALID_ARGUMENT: Index '9' for key '3' was out of bounds '2'.",
          "get1 -> string [] 's'",
          "get1 ! INVALID_ARGUMENT: Tensor at index '1' for key '3' has already been removed.",
          "get0 -> float [2] 1 nan", "any:0 any:1 any:2 -> int64 [] 1 | float [0] | string [] 't'",
          "clear"}},
    {.ops = "MapStage MapUnstageNoKey",
     .nodes = {"a = MapStage({int64 [] 3}, {int32 [1] 0}, [{int32 [] 3}]) dtypes=[int32] "
               "shared_name='q'",
               "b = MapStage({int64 [] -7}, {int32 [1] 0}, [{int32 [] 7}]) dtypes=[int32] "
               "shared_name='q'",
               "c = MapStage({int64 [] 5}, {int32 [1] 0}, [{int32 [] 5}]) dtypes=[int32] "
               "shared_name='q'",
               "again = MapStage({int64 [] 5}, {int32 [1] 0}, [{int32 [] 6}]) dtypes=[int32] "
               "shared_name='q'",
               "any = MapUnstageNoKey({int32 [1] 0}) dtypes=[int32] shared_name='q'",
               "few = MapUnstageNoKey({int32 [1] 0}) dtypes=[int32, int32] shared_name='q'",
               "type = MapPeek({int64 [] 3}, {int32 [1] 0}) dtypes=[float] shared_name='q'",
               "n = MapSize() dtypes=[] shared_name='q'"},
     .runs = {"a", "b", "c", "again", "n -> int32 [] 3",
              "few ! INVALID_ARGUMENT: output/indices size mismatch: 2 vs. 1",
              "type ! INTERNAL: Output 0 of type int32 does not match declared output type float",
              "any:0 any:1 -> int64 [] 5 | int32 [] 5", "any:0 any:1 -> int64 [] -7 | int32 [] 7",
              "any:0 any:1 -> int64 [] 3 | int32 [] 3"}},
    {.ops = "MapStage",
     .nodes = {"a = MapStage({int64 [] 3}, {int32 [1] 0}, [{float [2] 3}]) dtypes=[float] "
               "memory_limit=7 shared_name='r'",
               "v = Feed({int64 [2] 3})",
               "key = MapStage(v, {int32 [1] 0}, [{float [] 3}]) dtypes=[float] memory_limit=7 "
               "shared_name='r'"},
     .runs = {"a ! RESOURCE_EXHAUSTED: Attempted to insert tensors with combined size of '8' bytes "
              "into Staging Area with a memory limit of '7'.",
              "key ! INVALID_ARGUMENT"}},
    {.ops = "OrderedMapStage OrderedMapPeek OrderedMapUnstage OrderedMapUnstageNoKey "
            "OrderedMapSize OrderedMapIncompleteSize OrderedMapClear",
     .nodes =
         {"put = OrderedMapStage({int64 [] 3}, {int32 [2] 0 1}, [{float [2] 1 nan}, {string [] "
          "'s'}]) dtypes=[float, string] shared_name='p'",
          "one = OrderedMapStage({int64 [] 1}, {int32 [1] 0}, [{float [0]}]) dtypes=[float, "
          "string] shared_name='p'",
          "rest = OrderedMapStage({int64 [] 1}, {int32 [1] 1}, [{string [] 't'}]) dtypes=[float, "
          "string] shared_name='p'",
          "i2 = Feed({int32 [2] 1 0})", "none = Feed({int32 [0]})",
          "turned = OrderedMapStage({int64 [] 1}, i2, [{string [] 't'}, {float [] 1}]) "
          "dtypes=[float, string] shared_name='p'",
          "far = OrderedMapStage({int64 [] 1}, {int32 [1] 3}, [{string [] 't'}]) dtypes=[float, "
          "string] shared_name='p'",
          "neg = OrderedMapStage({int64 [] 1}, {int32 [1] -1}, [{string [] 't'}]) dtypes=[float, "
          "string] shared_name='p'",
          "empty = OrderedMapStage({int64 [] 9}, none, [{string [] 't'}]) dtypes=[float, string] "
          "shared_name='p'",
          "peek = OrderedMapPeek({int64 [] 3}, {int32 [1] 0}) dtypes=[float] shared_name='p'",
          "get1 = OrderedMapUnstage({int64 [] 3}, {int32 [1] 1}) dtypes=[string] shared_name='p'",
          "get0 = OrderedMapUnstage({int64 [] 3}, {int32 [1] 0}) dtypes=[float] shared_name='p'",
          "out = OrderedMapPeek({int64 [] 3}, {int32 [1] 9}) dtypes=[float] shared_name='p'",
          "any = OrderedMapUnstageNoKey({int32 [2] 0 1}) dtypes=[float, string] shared_name='p'",
          "n = OrderedMapSize() dtypes=[] shared_name='p'",
          "m = OrderedMapIncompleteSize() dtypes=[] shared_name='p'",
          "clear = OrderedMapClear() dtypes=[] shared_name='p'"},
     .runs =
         {"one", "n m -> int32 [] 0 | int32 [] 1",
          "one ! INVALID_ARGUMENT: The tensor for index '0' for key '1' was already initialized "
          "'2'.",
          "turned ! INVALID_ARGUMENT: Indices are not strictly ordered",
          "far ! INVALID_ARGUMENT: Index '3' for key '1' was out of bounds '2'.",
          "neg ! INVALID_ARGUMENT: Index '18446744073709551615' for key '1' was out of bounds '2'.",
          "put", "rest", "n m -> int32 [] 2 | int32 [] 0", "peek -> float [2] 1 nan",
          "out ! INVALID_ARGUMENT: Index '9' for key '3' was out of bounds '2'.",
          "get1 -> string [] 's'",
          "get1 ! INVALID_ARGUMENT: Tensor at index '1' for key '3' has already been removed.",
          "get0 -> float [2] 1 nan", "any:0 any:1 any:2 -> int64 [] 1 | float [0] | string [] 't'",
          "clear"}},
    {.ops = "OrderedMapStage OrderedMapUnstageNoKey",
     .nodes = {"a = OrderedMapStage({int64 [] 3}, {int32 [1] 0}, [{int32 [] 3}]) dtypes=[int32] "
               "shared_name='q'",
               "b = OrderedMapStage({int64 [] -7}, {int32 [1] 0}, [{int32 [] 7}]) dtypes=[int32] "
               "shared_name='q'",
               "c = OrderedMapStage({int64 [] 5}, {int32 [1] 0}, [{int32 [] 5}]) dtypes=[int32] "
               "shared_name='q'",
               "again = OrderedMapStage({int64 [] 5}, {int32 [1] 0}, [{int32 [] 6}]) "
               "dtypes=[int32] shared_name='q'",
               "any = OrderedMapUnstageNoKey({int32 [1] 0}) dtypes=[int32] shared_name='q'",
               "few = OrderedMapUnstageNoKey({int32 [1] 0}) dtypes=[int32, int32] shared_name='q'",
               "type = OrderedMapPeek({int64 [] 3}, {int32 [1] 0}) dtypes=[float] shared_name='q'",
               "n = OrderedMapSize() dtypes=[] shared_name='q'"},
     .runs = {"a", "b", "c", "again", "n -> int32 [] 3",
              "few ! INVALID_ARGUMENT: output/indices size mismatch: 2 vs. 1",
              "type ! INTERNAL: Output 0 of type int32 does not match declared output type float",
              "any:0 any:1 -> int64 [] -7 | int32 [] 7", "any:0 any:1 -> int64 [] 3 | int32 [] 3",
              "any:0 any:1 -> int64 [] 5 | int32 [] 5"}},
    {.ops = "OrderedMapStage",
     .nodes = {"a = OrderedMapStage({int64 [] 3}, {int32 [1] 0}, [{float [2] 3}]) dtypes=[float] "
               "memory_limit=7 shared_name='r'",
               "v = Feed({int64 [2] 3})",
               "key = OrderedMapStage(v, {int32 [1] 0}, [{float [] 3}]) dtypes=[float] "
               "memory_limit=7 shared_name='r'"},
     .runs = {"a ! RESOURCE_EXHAUSTED: Attempted to insert tensors with combined size of '8' bytes "
              "into Staging Area with a memory limit of '7'.",
              "key ! INVALID_ARGUMENT"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, sizeof scripts / sizeof *scripts, argc, argv);
}
