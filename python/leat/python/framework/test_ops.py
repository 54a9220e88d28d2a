# SPDX-License-Identifier: Apache-2.0
"""Ops without kernels that TensorFlow's own tests of graphs are made of.

They are in the registry from the first import of this module on, and no sooner: a program that
does not ask for them has none of their names.
"""
from leat._load import core
from leat.python.framework import errors_impl
from leat.python.framework import op_def_library
from leat.python.framework import op_functions

# Name(inputs) -> outputs where attrs; a ! after the name: it has state.
_OPS = '''
A() -> out: float32
Attr() where a: int
AttrBool() where a: bool
AttrBoolList() where a: list(bool)
AttrDefault() where a: string = 'banana'
AttrEmptyListDefault() where a: list(float) = []
AttrEnum() where a: {'apples', 'oranges'}
AttrEnumList() where a: list({'apples', 'oranges'})
AttrFloat() where a: float
AttrListDefault() where a: list(int) = [5, 15]
AttrListMin() where a: list(int) >= 2
AttrListTypeDefault(a: N * T; b: N * T) where T: type = int32; N: int >= 1
AttrMin() where a: int >= 5
AttrPartialShape() where a: shape
AttrPartialShapeList() where a: list(shape)
AttrShape() where a: shape
AttrShapeList() where a: list(shape)
AttrTypeDefault(a: T) where T: type = int32
B() -> out: float32
Binary(a: T; b: T) -> out: T where T: type
ComplexStruct() -> a: n_a * int32; b: n_b * int64; c: t_c where n_a: int >= 0; n_b: int >= 0; t_c:
  list(type) >= 0
CopyOp(a: T) -> b: T where T: type
DefaultAttrs() where string_val: string = 'abc'; string_list_val: list(string) = ['abc', ''];
  int_val: int = 123; int_list_val: list(int) = [1, 2, 3]; float_val: float = 10.0;
  float_list_val: list(float) = [10.0]; bool_val: bool = true; bool_list_val: list(bool) = [true,
  false]; type_val: type = int32; type_list_val: list(type) = [int32, float32]; shape_val: shape =
  { dim { size: 2 } dim { size: 1 } }; shape_list_val: list(shape) = [{  }, { dim { size: 1 } }];
  tensor_val: tensor = { dtype: DT_INT32 tensor_shape { } int_val: 1 }; tensor_list_val:
  list(tensor) = [{ dtype: DT_INT32 tensor_shape { } int_val: 1 }]
DevicePlacementOp!() -> device: string
FiveFloatOutputs() -> a: float32; b: float32; c: float32; d: float32; e: float32
FloatInput(a: float32)
FloatOutput() -> a: float32
FloatOutputStringOutput() -> a: float32; b: string
Foo1(a: float32; b: int32; c: int32) -> d: float32; e: int32
Foo2(a: float32; b: string; c: string) -> d: float32; e: int32
Foo3(a: float32; b: string; c: float32) -> d: float32; e: int32
FuncAttr() where f: func
FuncListAttr() where f: list(func)
GraphDefVersion!() -> version: int32
InPolymorphicTwice(a: N * T; b: M * T) where T: type; N: int >= 0; M: int >= 0
Int64Output() -> out: int64
IntAttr() -> out: int64 where foo: int = 1
IntInput(a: int32)
IntInputFloatInput(a: int32; b: float32)
IntInputIntOutput(a: int32) -> b: int32
IntOutput() -> a: int32
IntOutputFloatOutput() -> a: int32; b: float32
KernelLabel() -> result: string
KernelLabelRequired(input: int32) -> result: string
ListInput(a: N * T) where N: int >= 1; T: type
ListOutput() -> a: T where T: list(type) >= 1
MixedStruct() -> a: n_a * int32; b: float32 where n_a: int >= 0
NInPolymorphicTwice(a: N * T; b: N * T) where T: type; N: int >= 0
NInTwice(a: N * int32; b: N * string) where N: int >= 0
NInTwoTypeVariables(a: N * S; b: N * T) where S: type; T: type; N: int >= 0
NIntsIn(a: N * int32) where N: int >= 2
NIntsOut() -> a: N * int32 where N: int >= 2
NIntsOutDefault() -> a: N * int32 where N: int >= 2 = 3
NPolymorphicIn(a: N * T) where T: type; N: int >= 2
NPolymorphicOut() -> a: N * T where T: type; N: int >= 2
NPolymorphicOutDefault() -> a: N * T where T: type = bool; N: int >= 2 = 2
NPolymorphicRestrictIn(a: N * T) where T: {string, bool}; N: int >= 2
NPolymorphicRestrictOut() -> a: N * T where T: {string, bool}; N: int >= 2
None()
Old()
OpWithDefaultAttr() -> a: int32 where default_float: float = 123.0
OpWithFutureDefaultAttr()
OutT() -> a: T where T: type
OutTypeList() -> out: T where T: list(type) >= 0
OutTypeListRestrict() -> out: t where t: list({string, bool}) >= 1
Polymorphic(a: T) -> out: T where T: type
PolymorphicDefaultOut() -> out: T where T: type = string
PolymorphicOut() -> out: T where T: type
RefIn(a: Ref(T)) where T: type
RefInputFloatInput(a: Ref(float32); b: float32)
RefInputFloatInputIntOutput(a: Ref(float32); b: float32) -> c: int32
RefInputIntInput(a: Ref(int32); b: int32)
RefOut() -> a: Ref(T) where T: type
RefOutput() -> a: Ref(int32)
RefOutputFloatOutput() -> a: Ref(float32); b: float32
RequiresOlderGraphVersion!() -> version: int32
ReservedAttr() where range: int
ReservedInput(input: int32)
ResourceCreateOp!(resource: resource)
ResourceInitializedOp!(resource: resource) -> initialized: bool
ResourceUsingOp!(resource: resource)
Restrict(a: T) -> out: T where T: {string, bool}
Simple(a: int32) -> out: float32
SimpleStruct() -> a: n_a * int32 where n_a: int >= 0
StringListAttr() where a: list(string); b: string
StubResourceHandleOp!() -> resource: resource where container: string = ''; shared_name: string =
  ''
TestAttr() -> out: T where T: {float32, float64}
TestStringOutput(input: float32) -> output1: float32; output2: string
TwoFloatInputs(a: float32; b: float32)
TwoFloatInputsFloatOutput(a: float32; b: float32) -> c: float32
TwoFloatInputsIntOutput(a: float32; b: float32) -> c: int32
TwoFloatOutputs() -> a: float32; b: float32
TwoIntInputs(a: int32; b: int32)
TwoIntOutputs() -> a: int32; b: int32
TwoRefsIn(a: Ref(T); b: Ref(T)) where T: type
TypeList(a: T) where T: list(type) >= 0
TypeListRestrict(a: T) where T: list({string, bool}) >= 1
TypeListTwice(a: T; b: T) where T: list(type) >= 0
Unary(a: T) -> b: T where T: type
'''
_op_def_lib = op_def_library.OpDefLibrary()
_REMOVED = {'Old': (8, 'For reasons')}


def _parts(text):
    return [part.strip() for part in text.split(';') if part.strip()]


def _register(line):
    """Adds the op of a line; its name."""
    head, _, attrs = line.partition(' where ')
    head, _, outputs = head.partition(' -> ')
    name, _, inputs = head.partition('(')
    plain = name.rstrip('!')
    if core.op_spec(plain) is None:
        version, why = _REMOVED.get(plain, (0, ''))
        try:
            core.op_register(plain, _parts(inputs[:-1]), _parts(outputs), _parts(attrs),
                             name != plain, version, why)
        except core.Error as e:
            raise errors_impl.exception_type_from_error_code(e.args[0])(
                None, None, e.args[1]) from None
    return plain


def _add_all():
    for line in _OPS.replace('\n  ', ' ').split('\n'):
        if line:
            name = _register(line)
            globals()[op_functions.snake_case(name)] = op_functions.make(name)


_add_all()
