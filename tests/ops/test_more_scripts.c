/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: ops that make sense in company alone, of several families. */
#include "op_script.h"

#include "op_case.h"

static const struct op_script scripts[] = {
    {.ops = "RandomGamma RandomGammaGrad",
     .nodes = {"a = Feed({double [3] 0.5 1 7})",
               "y = RandomGamma({int32 [1] 2}, a) seed=87654321 seed2=4", "z = Square(y)",
               "d = Gradient(z, a)"},
     .runs = {"d -> double [3] 0.18599777664270492 7.8684766047537984 30.8318195132272"}},
    {.ops = "DecodeWav EncodeWav",
     .nodes = {"bytes = EncodeWav({float [3,2] 0 1 -1 nan 0.5 -0.25}, {int32 [] 8000})",
               "all = DecodeWav(bytes)",
               "three = DecodeWav(bytes) desired_channels=3 desired_samples=2",
               "one = DecodeWav(bytes) desired_channels=1 desired_samples=4",
               "none = DecodeWav(bytes) desired_channels=0",
               "cut = Substr(bytes, {int32 [] 0}, {int32 [] 55})", "bad = DecodeWav(cut)"},
     .runs = {"all all:1 -> float [3,2] 0 0.999969482421875 -1 0 0.5 -0.25 | int32 [] 8000",
              "three -> float [2,3] 0 0.999969482421875 0.999969482421875 -1 0 0",
              "one -> float [4,1] 0 -1 0.5 0", "none -> float [3,0]",
              "bad ! INVALID_ARGUMENT: Data too short when trying to read string"}},
    {.ops = "RefSelect",
     .nodes = {"i = Feed({int32 [] 1})", "a = VariableV2() dtype=float shape:[2]",
               "b = VariableV2() dtype=float shape:[2]", "a0 = Assign(a, {float [2] 1 2})",
               "b0 = Assign(b, {float [2] nan 4})", "r = RefSelect(i, [a, b])",
               "w = Assign(r, {float [2] 8 9})", "far = RefSelect({int32 [] 2}, [a, b])",
               "none = VariableV2() dtype=float shape:[0]", "n0 = Assign(none, {float [0]})",
               "rn = RefSelect({int32 [] 0}, [none])"},
     .runs = {"a0 b0", "r -> float [2] nan 4", "w", "a b -> float [2] 1 2 | float [2] 8 9",
              "n0 -> float [0]", "rn -> float [0]",
              "far ! INVALID_ARGUMENT: Index must be in the range [0, 2) but got 2"}},
    {.ops = "TensorListConcatLists TensorListPushBackBatch",
     .nodes = {"none = Const() dtype=int32 value=(int32 [0])",
               "a = TensorListFromTensor({float [2] 1 nan}, none)",
               "b = TensorListFromTensor({float [1] 3}, none)",
               "ab = TensorListConcatLists(a, b) element_dtype=float",
               "all = TensorListStack(ab, none) element_dtype=float",
               "old = TensorListStack(a, none) element_dtype=float", "lists = Pack([a, b])",
               "more = TensorListPushBackBatch(lists, {float [2] 7 inf})",
               "of = Unpack(more) num=2", "first = TensorListStack(of, none) element_dtype=float",
               "second = TensorListStack(of:1, none) element_dtype=float",
               "two = TensorListConcatLists(lists, more) element_dtype=float",
               "to = Unpack(two) num=2", "long = TensorListStack(to:1, none) element_dtype=float",
               "kind = TensorListConcatLists(a, b) element_dtype=int32",
               "empty = TensorListFromTensor({double [0]}, none)",
               "ee = TensorListConcatLists(empty, empty) element_dtype=double",
               "len = TensorListLength(ee)"},
     .runs = {"all old -> float [3] 1 nan 3 | float [2] 1 nan",
              "first second -> float [3] 1 nan 7 | float [2] 3 inf", "long -> float [3] 3 3 inf",
              "len -> int32 [] 0", "kind ! INVALID_ARGUMENT: Invalid data types"}},
    {.ops = "TensorListPushBackBatch",
     .nodes = {"l = TensorListFromTensor({float [1] 3}, {int32 [0]})", "lists = Pack([l])",
               "bad = TensorListPushBackBatch(lists, {float [2] 7 8})"},
     .runs = {"building ! INVALID_ARGUMENT: Dimensions must be equal, but are 2 and 1"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
