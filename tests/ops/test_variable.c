/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts: variables by reference and by handle, what they hold before and after, run by run. */
#include "op_case.h"
#include "op_script.h"

static const struct op_script scripts[] = {
    {.ops = "VariableV2 Assign AssignAdd AssignSub IsVariableInitialized",
     .nodes = {"v = VariableV2() dtype=float shape:[2]", "is = IsVariableInitialized(v)",
               "set = Assign(v, {float [2] 1 nan})", "add = AssignAdd(v, {float [2] 2 inf})",
               "sub = AssignSub(v, {float [2] 0.5 inf})", "read = Identity(v)"},
     .runs = {"is -> bool [] 0", "read ! FAILED_PRECONDITION: uninitialized value v",
              "add ! FAILED_PRECONDITION", "set -> float [2] 1 nan", "is -> bool [] 1",
              "add -> float [2] 3 nan", "sub", "read -> float [2] 2.5 nan"}},
    {.ops = "Variable",
     .nodes = {"v = Variable() dtype=int64 shape:[2]", "set = Assign(v, {int64 [2] 4 5})",
               "grow = Assign(v, {int64 [0]}) validate_shape=false",
               "other = Assign(v, {int64 [3] 1}) validate_shape=false", "read = Identity(v)"},
     .runs = {"read ! FAILED_PRECONDITION", "set", "read -> int64 [2] 4 5"}},
    {.ops = "VariableV2 Assign AssignAdd AssignSub IsVariableInitialized",
     .nodes = {"v = VariableV2() dtype=int32 shape:[0,3]", "set = Assign(v, {int32 [0,3]})",
               "add = AssignAdd(v, {int32 [0,3]})", "sub = AssignSub(v, {int32 [0,3]})",
               "is = IsVariableInitialized(v)"},
     .runs = {"set -> int32 [0,3]", "add -> int32 [0,3]", "sub -> int32 [0,3]", "is -> bool [] 1"},
     .note = "no elements"},
    {.ops = "VariableV2 Assign",
     .nodes = {"v = VariableV2() dtype=float shape:[2]", "bad = Assign(v, {float [3] 1})"},
     .runs = {"building ! INVALID_ARGUMENT"}},
    {.ops = "VariableV2 AssignAdd",
     .nodes = {"v = VariableV2() dtype=float shape:[] shared_name='both'",
               "w = VariableV2() dtype=float shape:[] shared_name='both'",
               "set = Assign(v, {float [] 2})", "add = AssignAdd(w, {float [] 3})",
               "read = Identity(v)"},
     .runs = {"set", "add", "read -> float [] 5"},
     .note = "one variable by two nodes"},
    {.ops = "VarHandleOp DestroyResourceOp",
     .nodes = {"h = VarHandleOp() dtype=float shape:[2]",
               "set = AssignVariableOp(h, {float [2] nan 2})",
               "read = ReadVariableOp(h) dtype=float", "is = VarIsInitializedOp(h)",
               "gone = DestroyResourceOp(h)",
               "gone2 = DestroyResourceOp(h) ignore_lookup_error=false"},
     .runs = {"is -> bool [] 0", "gone", "gone2 ! NOT_FOUND", "read ! FAILED_PRECONDITION", "set",
              "read is -> float [2] nan 2 | bool [] 1", "gone", "is -> bool [] 0"}},
    {.ops = "VarHandleOp",
     .nodes = {"h = VarHandleOp() dtype=string shape:[0] shared_name='s'",
               "k = VarHandleOp() dtype=string shape:[0] shared_name='s'",
               "set = AssignVariableOp(h, {string [0]})", "read = ReadVariableOp(k) dtype=string"},
     .runs = {"set", "read -> string [0]"}},
    {.ops = "TemporaryVariable DestroyTemporaryVariable",
     .nodes = {"t = TemporaryVariable() dtype=float shape:[2] var_name='t'",
               "set = Assign(t, {float [2] 1 inf})", "add = AssignAdd(set, {float [2] 1 1})",
               "end = DestroyTemporaryVariable(add) var_name='t'",
               "e = TemporaryVariable() dtype=int32 shape:[0] var_name='e'",
               "se = Assign(e, {int32 [0]})", "ende = DestroyTemporaryVariable(se) var_name='e'",
               "wrong = DestroyTemporaryVariable(set) var_name='none'"},
     .runs = {"end -> float [2] 2 inf", "end -> float [2] 2 inf", "ende -> int32 [0]",
              "wrong ! NOT_FOUND"}},
};

int main(int argc, char **argv)
{
    return op_scripts_main(scripts, ARRAY_LEN(scripts), argc, argv);
}
