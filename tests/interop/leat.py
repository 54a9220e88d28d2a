# SPDX-License-Identifier: Apache-2.0
"""Leat's C API by ctypes: a graph imported from a serialized GraphDef, its shapes, runs, gradients.

Load it before TensorFlow: TensorFlow's library has functions of the same names and publishes them to
the whole process.
"""
import ctypes as C
import os

import numpy as np

TYPES = {1: np.float32, 2: np.float64, 3: np.int32, 4: np.uint8, 5: np.int16, 6: np.int8,
         8: np.complex64, 9: np.int64, 10: np.bool_, 17: np.uint16, 18: np.complex128,
         19: np.float16, 22: np.uint32, 23: np.uint64}
NUMBERS = {np.dtype(t): n for n, t in TYPES.items()}
STRING = 7
POINTER_FUNCTIONS = '''TF_NewStatus TF_NewGraph TF_NewImportGraphDefOptions TF_NewBufferFromString
    TF_NewBuffer TF_NewSessionOptions TF_NewSession TF_GraphOperationByName TF_AllocateTensor
    TF_TensorData TF_LoadSessionFromSavedModel'''.split()


class Error(Exception):
    def __init__(self, code, message):
        super().__init__('%s (code %d)' % (message, code))
        self.code = code
        self.message = message


class Output(C.Structure):
    _fields_ = [('oper', C.c_void_p), ('index', C.c_int)]


class Library:
    def __init__(self, path):
        self.lib = C.CDLL(path, mode=os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_DEEPBIND)
        for name in POINTER_FUNCTIONS:
            getattr(self.lib, name).restype = C.c_void_p
        self.lib.TF_Message.restype = C.c_char_p
        self.lib.TF_OperationName.restype = C.c_char_p
        self.lib.TF_Dim.restype = C.c_int64
        self.lib.TF_TensorByteSize.restype = C.c_size_t

    def call(self, name, *args):
        """The function's result; a pointer is an int in Python, which ctypes would cut to 32 bits."""
        args = [C.c_void_p(a.p) if isinstance(a, Pointer) else a for a in args]
        result = getattr(self.lib, name)(*args)
        return Pointer(result) if name in POINTER_FUNCTIONS else result

    def has_op(self, op):
        graph, status, buf = (self.call(n) for n in ('TF_NewGraph', 'TF_NewStatus', 'TF_NewBuffer'))
        self.call('TF_GraphGetOpDef', graph, op.encode(), buf, status)
        found = self.call('TF_GetCode', status) == 0
        self.call('TF_DeleteBuffer', buf)
        self.call('TF_DeleteStatus', status)
        self.call('TF_DeleteGraph', graph)
        return found


class Pointer:
    def __init__(self, p):
        self.p = p


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def encode_strings(items):
    offsets, body = [], bytearray()
    for item in items:
        offsets.append(len(body))
        body += varint(len(item)) + item
    return np.array(offsets, np.uint64).tobytes() + bytes(body)


def decode_strings(raw, count):
    items = []
    for offset in np.frombuffer(raw[:8 * count], np.uint64):
        at, length, shift = 8 * count + int(offset), 0, 0
        while True:
            byte = raw[at]
            at += 1
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        items.append(raw[at:at + length])
    return items


class Graph:
    """with Graph(library, bytes) as g: g.run({'x:0': array}, ['y:0'])"""

    def __init__(self, library, graph_def, device_count=None, target=None):
        self.lib = library
        self.target = target    # "grpc://host:port": the session runs on that server
        self.config = b''   # a serialized ConfigProto
        for name, number in (device_count or {}).items():
            entry = b'\x0a' + varint(len(name)) + name.encode() + b'\x10' + varint(number)
            self.config += b'\x0a' + varint(len(entry)) + entry
        self.status = library.call('TF_NewStatus')
        self.graph = library.call('TF_NewGraph')
        self.session = None
        self.graph_def = graph_def

    def __enter__(self):
        call = self.lib.call
        options = call('TF_NewImportGraphDefOptions')
        data = self.graph_def
        buf = call('TF_NewBufferFromString', data, C.c_size_t(len(data)))
        call('TF_GraphImportGraphDef', self.graph, buf, options, self.status)
        call('TF_DeleteBuffer', buf)
        call('TF_DeleteImportGraphDefOptions', options)
        try:
            self.check()
            options = call('TF_NewSessionOptions')
            if self.target:
                call('TF_SetTarget', options, self.target.encode())
            if self.config:
                call('TF_SetConfig', options, self.config, C.c_size_t(len(self.config)), self.status)
            session = call('TF_NewSession', self.graph, options, self.status)
            call('TF_DeleteSessionOptions', options)
            self.check()
            self.session = session
        except Error:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.session:
            self.lib.call('TF_CloseSession', self.session, self.status)
            self.lib.call('TF_DeleteSession', self.session, self.status)
        self.lib.call('TF_DeleteGraph', self.graph)
        self.lib.call('TF_DeleteStatus', self.status)

    def check(self):
        code = self.lib.call('TF_GetCode', self.status)
        if code:
            message = self.lib.call('TF_Message', self.status).decode('utf-8', 'replace')
            self.lib.call('TF_SetStatus', self.status, 0, b'')
            raise Error(code, message)

    def output(self, name):
        node, _, index = name.partition(':')
        oper = self.lib.call('TF_GraphOperationByName', self.graph, node.encode())
        if not oper.p:
            raise Error(5, 'no operation ' + node)
        return Output(oper.p, int(index or 0))

    def shape(self, name):
        """What was inferred: None, or a list with None where a dimension is unknown."""
        out = self.output(name)
        rank = self.lib.call('TF_GraphGetTensorNumDims', self.graph, out, self.status)
        self.check()
        if rank < 0:
            return None
        dims = (C.c_int64 * max(1, rank))()
        self.lib.call('TF_GraphGetTensorShape', self.graph, out, dims, rank, self.status)
        self.check()
        return [None if d < 0 else d for d in dims[:rank]]

    def gradients(self, ys, xs):
        """Names of the derivatives of the sum of ys by each of xs; None where they do not meet."""
        y = (Output * len(ys))(*[self.output(n) for n in ys])
        x = (Output * len(xs))(*[self.output(n) for n in xs])
        dx = (Output * len(xs))()
        self.lib.call('TF_AddGradients', self.graph, y, len(ys), x, len(xs), None, self.status, dx)
        self.check()
        return [None if not d.oper else '%s:%d' % (
            self.lib.call('TF_OperationName', Pointer(d.oper)).decode(), d.index) for d in dx]

    def run(self, feeds, fetches, targets=()):
        feeds = sorted(feeds.items())
        count, wanted = len(feeds), len(fetches)
        at = (Output * max(1, count))(*[self.output(n) for n, _ in feeds])
        get = (Output * max(1, wanted))(*[self.output(n) for n in fetches])
        values = (C.c_void_p * max(1, count))(*[self.tensor(v) for _, v in feeds])
        results = (C.c_void_p * max(1, wanted))()
        do = (C.c_void_p * max(1, len(targets)))(*[self.output(n).oper for n in targets])
        self.lib.call('TF_SessionRun', self.session, None, at, values, count, get, results, wanted,
                      do, len(targets), None, self.status)
        for v in values[:count]:
            self.lib.call('TF_DeleteTensor', Pointer(v))
        self.check()
        arrays = [self.array(Pointer(r)) for r in results[:wanted]]
        for r in results[:wanted]:
            self.lib.call('TF_DeleteTensor', Pointer(r))
        return arrays

    def tensor(self, value):
        value = np.asarray(value)
        if value.dtype.kind in 'SO':
            number, raw = STRING, encode_strings(value.ravel().tolist())
        else:
            number, raw = NUMBERS[value.dtype], value.tobytes()
        dims = (C.c_int64 * max(1, value.ndim))(*value.shape)
        tensor = self.lib.call('TF_AllocateTensor', number, dims, value.ndim, C.c_size_t(len(raw)))
        if raw:
            C.memmove(self.lib.call('TF_TensorData', tensor).p, raw, len(raw))
        return tensor.p

    def array(self, tensor):
        number = self.lib.call('TF_TensorType', tensor)
        shape = [self.lib.call('TF_Dim', tensor, i)
                 for i in range(self.lib.call('TF_NumDims', tensor))]
        size = self.lib.call('TF_TensorByteSize', tensor)
        raw = C.string_at(self.lib.call('TF_TensorData', tensor).p, size) if size else b''
        if number == STRING:
            count = int(np.prod(shape))
            out = np.empty(count, object)
            out[:] = decode_strings(raw, count)
            return out.reshape(shape)
        return np.frombuffer(raw, TYPES[number]).reshape(shape).copy()
