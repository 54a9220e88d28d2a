# SPDX-License-Identifier: Apache-2.0
"""Definitions of ops and ApiDefs given to both C libraries, and what each makes of them.

    definitions.py --list                names of the checks
    definitions.py LIBRARY [NAME...]

Only definitions that TensorFlow takes: it ends the process for the others.
"""
import ctypes as C
import sys

import checks
from checks import LIBRARY
from google.protobuf import text_format
from tensorflow.core.framework import api_def_pb2, op_def_pb2
from tensorflow.python import _pywrap_tensorflow_internal

ATTRS = [
    'a: list({int32,float}) >= 1', "a: {'a','b'}", "a: list(string) = ['x','y']", 'a: func',
    'a: shape = { dim { size: 1 } }', 'a: tensor', 'a:int>=2=5', 'a:list(int)>=2=[3,4]', 'a:{numbertype, string}',
    'a: bool = true', 'a: float = 1e-3', 'a: type = DT_INT32', 'a: int >= -5', 'a: list(type) >= 0',
    'a: list(shape) = []', 'a: numbertype', 'a: realnumbertype', 'a: quantizedtype', 'a: list(numbertype)',
    'a: list(bool) = [true,false]', 'a: list(float) = [1.5, -2]', "a: string = ''", 'a: string = "x\\ny"',
    'a: int = -7', 'a: {int32}', 'a: {int32} = DT_INT32', "a: {'x','y'} = 'y'", 'a: list({float,half}) = [DT_FLOAT]',
    'a: shape', 'a: list(tensor)', 'a: list(func)', 'a: float = inf', 'a: {float,double,quantizedtype}',
    'a: tensor = { dtype: DT_FLOAT float_val: 1.5 tensor_shape { } }', 'a: shape = { unknown_rank: true }',
    'a: list(shape) = [{dim{size:2}}, {}]', 'a: int = 9223372036854775807', 'a: type', 'a: list(int) = []',
    "a: list(string) >= 2 = ['a', 'b', 'c']", 'a: {variant, resource}', 'a: float = 3', 'a: {string, bool}']
ARGS = ['x: float', 'x: Ref(float)', 'x: T', 'x: N*T', 'x: N * T', 'x: N * float', 'x: L', 'x: Ref(T)',
        'x: resource', 'x: variant', 'x:uint64', 'x: qint8', 'x: complex128', 'x: bfloat16', 'x: string',
        'x: N * string']
MORE = [['T: type', 'N: int', 'L: list(type)'], ['L: list(type) >= 0', 'T: type', 'N: int >= 0']]

ZED = '''op { name: "Zed" input_arg { name: "a" description: "the `a` and `b`" type_attr: "T" }
  input_arg { name: "b" type: DT_FLOAT } output_arg { name: "o" type_attr: "T" description: "oo `a`" }
  attr { name: "T" type: "type" default_value { type: DT_FLOAT } description: "tee `o`" }
  attr { name: "n" type: "int" } summary: "Sum `Zed` `T`a`b`." description: "Desc." } op { name: "Bare" }'''
OVERLAYS = [
    '', 'op { }', 'op { graph_op_name: "NotThere" summary: "x" }',
    'op { graph_op_name: "Zed" in_arg { name: "a" rename_to: "aa" } out_arg { name: "o" rename_to: "b" } attr { name: "T" '
    'rename_to: "TT" default_value { type: DT_INT32 } } in_arg { name: "b" rename_to: "a" } endpoint { name: "Zwo" } '
    'description_suffix: "x `a`" description_prefix: "p" visibility: HIDDEN arg_order: "b" arg_order: "a" }',
    'op {\n graph_op_name: "Zed"\nsummary: <<END\nmulti \\ "q"\'s\n\n  END\nEND\n}',
    'op {\n graph_op_name: "Zed"\ndescription: <<END\nm\tx\x01\u00e9\r\nEND visibility: SKIP\n}',
    'op {\n graph_op_name: "Bare"\n  description_prefix:<<E2\nm\nE2\n}', 'op { graph_op_name: "Bare" description_suffix: "s" }',
    'op { graph_op_name: "Zed" in_arg { name: "zz" } }', 'op { graph_op_name: "Zed" attr { name: "zz" } }',
    'op { graph_op_name: "Zed" out_arg { name: "a" } }', 'op { graph_op_name: "Zed" arg_order: "b" }',
    'op { graph_op_name: "Zed" arg_order: "b" arg_order: "zz" }', 'op { graph_op_name: "Zed" arg_order: "b" arg_order: "b" }']


class Buffer(C.Structure):
    _fields_ = [('data', C.c_void_p), ('length', C.c_size_t), ('free', C.c_void_p)]


class Definitions:
    """A C library's functions about definitions."""

    def __init__(self, path):
        self.c = C.CDLL(path)
        for name in ('TF_NewStatus', 'TF_NewOpDefinitionBuilder', 'TF_GetAllOpList', 'TF_NewApiDefMap',
                     'TF_ApiDefMapGet', 'TF_NewBufferFromString'):
            getattr(self.c, name).restype = C.c_void_p
        self.c.TF_Message.restype = C.c_char_p
        self.status = C.c_void_p(self.c.TF_NewStatus())

    def said(self):
        return self.c.TF_GetCode(self.status), self.c.TF_Message(self.status).decode()

    def register(self, name, inputs, attrs):
        b = C.c_void_p(self.c.TF_NewOpDefinitionBuilder(name.encode()))
        for text in inputs:
            self.c.TF_OpDefinitionBuilderAddInput(b, text.encode())
        for text in attrs:
            self.c.TF_OpDefinitionBuilderAddAttr(b, text.encode())
        self.c.TF_OpDefinitionBuilderAddOutput(b, b'out: float')
        self.c.TF_RegisterOpDefinition(b, self.status)
        return self.said()

    def bytes_of(self, pointer):
        b = C.cast(pointer, C.POINTER(Buffer)).contents
        data = C.string_at(b.data, b.length)
        self.c.TF_DeleteBuffer(C.c_void_p(pointer))
        return data

    def ops(self):
        return {o.name: o for o in op_def_pb2.OpList.FromString(self.bytes_of(self.c.TF_GetAllOpList())).op}

    def api_defs(self, ops, overlay):
        """What comes out of putting the overlay: code and text, and the ApiDefs."""
        buffer = C.c_void_p(self.c.TF_NewBufferFromString(ops, C.c_size_t(len(ops))))
        m = C.c_void_p(self.c.TF_NewApiDefMap(buffer, self.status))
        text = overlay.encode()
        self.c.TF_ApiDefMapPut(m, text, C.c_size_t(len(text)), self.status)
        said = self.said()
        defs = [api_def_pb2.ApiDef.FromString(self.bytes_of(self.c.TF_ApiDefMapGet(m, n, C.c_size_t(len(n)), self.status)))
                for n in (b'Zed', b'Bare')]
        self.c.TF_DeleteApiDefMap(m)
        self.c.TF_DeleteBuffer(buffer)
        return said, defs


if LIBRARY:
    theirs, ours = Definitions(_pywrap_tensorflow_internal.__file__), Definitions(sys.argv[1])
CHECKS = checks.Checks('c_api/')


@CHECKS
def op_definitions():
    cases = [('InteropAttr%d' % i, [], [a]) for i, a in enumerate(ATTRS)]
    cases += [('InteropArg%d_%d' % (k, i), [a], more) for i, a in enumerate(ARGS) for k, more in enumerate(MORE)]
    for case in cases:
        a, b = theirs.register(*case), ours.register(*case)
        if a != b:
            return '%s: TensorFlow says %s, Leat %s' % (case, a, b)
    a, b = theirs.ops(), ours.ops()
    for case in cases:
        if a[case[0]] != b[case[0]]:
            return '%s: %s and %s' % (case, str(a[case[0]]).replace('\n', ' '), str(b[case[0]]).replace('\n', ' '))
    return None


@CHECKS
def api_definitions():
    ops = text_format.Parse(ZED, op_def_pb2.OpList()).SerializeToString()
    for overlay in OVERLAYS:
        (code, words), defs = theirs.api_defs(ops, overlay)
        (our_code, our_words), our_defs = ours.api_defs(ops, overlay)
        if (code, words) != (our_code, our_words) or defs != our_defs:
            return '%r: %s %s' % (overlay, (code, words, our_code, our_words), str((defs, our_defs)).replace('\n', ' '))
    return None


if __name__ == '__main__':
    CHECKS.main()
