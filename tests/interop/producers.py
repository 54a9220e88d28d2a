# SPDX-License-Identifier: Apache-2.0
"""GraphDefs of old producers, and broken ones, given to TF_GraphImportGraphDef of both libraries: the same
codes and texts, the same nodes and versions. One of over 2 GB. And graphs as text: `leat convert` prints what text_format does.

    producers.py --list
    producers.py LIBRARY [NAME...]
"""
import ctypes as C
import functools
import glob
import os
import subprocess
import sys
import tempfile

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.python import pywrap_tensorflow_internal

THEIRS = leat.Library(pywrap_tensorflow_internal._pywrap_tensorflow_internal.__file__) if LIBRARY else None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get('LEAT_SHARED') or os.path.join(os.path.dirname(ROOT), 'shared')
PRODUCERS = (0, 5, 8, 9, 10, 15, 16, 17, 20, 21, 22, 27, 134)
TEXT_EVERY = 5          # of the given graphs


def attr(name, value):
    return ' attr { key: "%s" value { %s } }' % (name, value)


def node(op, inputs='', attrs='', name='n'):
    inputs = ' '.join('input: "%s"' % i for i in inputs.split())
    return 'node { name: "%s" op: "%s" %s %s } ' % (name, op, inputs, attrs)


def const(name, kind, dims, value):
    dims = ' '.join('dim { size: %d }' % d for d in dims)
    return node('Const', '', attr('dtype', 'type: ' + kind) + attr(
        'value', 'tensor { dtype: %s tensor_shape { %s } %s }' % (kind, dims, value)), name)


FLOAT = attr('T', 'type: DT_FLOAT')
X = node('Placeholder', '', attr('dtype', 'type: DT_FLOAT') + attr('shape', 'shape { unknown_rank: true }'), 'x')
VECTOR = const('v', 'DT_FLOAT', [2], 'float_val: 3')
OLD = {  # of each of PRODUCERS
    'batch_cholesky': X + node('BatchCholesky', 'x', FLOAT),
    'batch_svd': X + node('BatchSvd', 'x', FLOAT),
    'batch_matrix_diag': X + node('BatchMatrixDiag', 'x', FLOAT),
    'self_adjoint_eig': X + node('SelfAdjointEig', 'x', FLOAT),
    'inv': X + node('Inv', 'x', FLOAT),
    'pack': X + node('Pack', 'x x', FLOAT + attr('N', 'i: 2')),
    'absent_attr': X + node('Add', 'x x'),
    'shape': VECTOR + node('MatMul', 'v v', FLOAT),
    'scalar_placeholder': node('Placeholder', '', attr('dtype', 'type: DT_FLOAT') + attr('shape', 'shape { }')) +
                          node('PlaceholderV2', '', attr('dtype', 'type: DT_FLOAT') + attr('shape', 'shape { }'), 'm'),
    'colocated_with_nothing': X + node('Identity', 'x', FLOAT + attr('_class', 'list { s: "loc:@zz" }')),
    'name': node('NoOp', name='a b'),
    'name_of_scope': node('NoOp', name='a') + node('NoOp', name='a/'),
}
NOW = {
    'unknown_attr': X + node('Abs', 'x', FLOAT + attr('later', 'i: 7')),
    'attr_without_default': X + node('Cast', 'x', attr('SrcT', 'type: DT_FLOAT')),
    'defaults': X + node('MatMul', 'x x', FLOAT),
    'private_attr': X + node('Abs', 'x', FLOAT + attr('_foo', 'list { i: 1 i: 2 }')),
    'many_output_shapes': X + node('Abs', 'x', FLOAT + attr(
        '_output_shapes', 'list { shape { dim { size: 3 } } shape { } }')),
    'output_shapes_of_another_kind': X + node('Abs', 'x', FLOAT + attr('_output_shapes', 'i: 1')),
    'attr_of_another_kind': X + node('Abs', 'x', attr('T', 'i: 1')),
    'attr_without_value': X + node('Abs', 'x', attr('T', '')),
    'type_not_allowed': X + node('Abs', 'x', attr('T', 'type: DT_STRING')),
    'types_differ': X + node('Abs', 'x', attr('T', 'type: DT_INT32')),
    'few_inputs': X + node('Add', 'x', FLOAT),
    'many_inputs': X + node('Abs', 'x x', FLOAT),
    'padding': X + node('MaxPool', 'x', FLOAT + attr('ksize', 'list { i: 1 i: 1 i: 1 i: 1 }') + attr(
        'strides', 'list { i: 1 i: 1 i: 1 i: 1 }') + attr('padding', 's: "NOPE"')),
}
VERSIONS = {
    'field_version': 'version: 5 ' + node('NoOp'), 'none': node('NoOp'),
    'both': 'version: 30 versions { producer: 12 } ' + node('NoOp'),
    'negative': 'versions { producer: -1 }', 'min_consumer': 'versions { producer: 10 min_consumer: 1000 }',
    'bad_consumer': 'versions { producer: 10 bad_consumers: 134 }',
    'bad_consumers': 'versions { producer: 10 bad_consumers: 135 bad_consumers: 134 }',
    'later': 'versions { producer: 5000 } ' + node('NoOp'),
}
CASES = {'version_' + k: [v] for k, v in VERSIONS.items()}
CASES.update({'now_' + k: ['versions { producer: 134 } ' + v] for k, v in NOW.items()})
CASES.update({'old_' + k: ['versions { producer: %d } ' % p + v for p in PRODUCERS]
              for k, v in OLD.items()})


class Buffer(C.Structure):
    _fields_ = [('data', C.c_void_p), ('length', C.c_size_t), ('free', C.c_void_p)]


def imported(library, data):
    """(code, text, nodes by name, versions)"""
    call = library.call
    status, graph, options = (call(n) for n in ('TF_NewStatus', 'TF_NewGraph', 'TF_NewImportGraphDefOptions'))
    given, out = call('TF_NewBufferFromString', data, C.c_size_t(len(data))), call('TF_NewBuffer')
    call('TF_GraphImportGraphDef', graph, given, options, status)
    said = call('TF_GetCode', status), call('TF_Message', status).decode()
    nodes, versions = {}, None
    if not said[0]:
        call('TF_GraphToGraphDef', graph, out, status)
        b = C.cast(out.p, C.POINTER(Buffer)).contents
        g = tf.compat.v1.GraphDef.FromString(C.string_at(b.data, b.length))
        nodes, versions = {n.name: n for n in g.node}, g.versions
    for name, p in (('Buffer', out), ('Buffer', given), ('ImportGraphDefOptions', options),
                    ('Graph', graph), ('Status', status)):
        call('TF_Delete' + name, p)
    return said + (nodes, versions)


def check_case(texts):
    for text in texts:
        data = text_format.Parse(text, tf.compat.v1.GraphDef()).SerializeToString()
        want, got = imported(THEIRS, data), imported(LIBRARY, data)
        assert got == want, '%s: %s, not %s' % (text.split('}')[0], got, want)


CHECKS = checks.Checks()
for case, graphs in CASES.items():
    CHECKS[case] = functools.partial(check_case, graphs)


@CHECKS
def texts():
    """Text from leat convert, byte for byte; and back."""
    command = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), '..', 'bin', 'leat')
    paths = sorted(glob.glob(os.path.join(SHARED, 'conformance', 'graphs', '*', '*', '*.pb')))[::TEXT_EVERY]
    if not paths or not os.path.exists(command):
        raise checks.Skip('no given graphs')
    with tempfile.TemporaryDirectory() as folder:
        text, back = os.path.join(folder, 'g.pbtxt'), os.path.join(folder, 'g.pb')
        for path in paths:
            with open(path, 'rb') as f:
                graph = tf.compat.v1.GraphDef.FromString(f.read())
            for a, b in ((path, text), (text, back)):
                subprocess.run([command, 'convert', a, b], check=True, stdout=subprocess.DEVNULL)
            with open(text, encoding='utf-8') as f:
                assert f.read() == text_format.MessageToString(graph), path + ': another text'
            with open(back, 'rb') as f:
                assert tf.compat.v1.GraphDef.FromString(f.read()) == graph, path + ': not the same again'


def field(tag, data):
    return bytes([tag]) + leat.varint(len(data)) + data


def big_constant(name, body):
    """What stands before body in a GraphDef: a node Const of float32 ones."""
    head = b'\x08\x01' + field(0x12, field(0x12, b'\x08' + leat.varint(len(body) // 4)))
    head += b'\x22' + leat.varint(len(body))                                   # tensor_content
    head = b'\x42' + leat.varint(len(head) + len(body)) + head                 # AttrValue.tensor
    head = field(0x0a, b'value') + b'\x12' + leat.varint(len(head) + len(body)) + head
    head = (field(0x0a, name) + field(0x12, b'Const') + field(0x2a, field(0x0a, b'dtype') + field(
        0x12, b'\x30\x01')) + b'\x2a' + leat.varint(len(head) + len(body)) + head)
    return b'\x0a' + leat.varint(len(head) + len(body)) + head


def resident():
    with open('/proc/self/status', encoding='utf-8') as f:
        return {line.split(':')[0]: int(line.split()[1]) << 10 for line in f if line.startswith('Vm')}['VmHWM']


@CHECKS
def over_2_gb():
    """260 constants of 8 MB, made here: imported with one copy of their bytes, and run."""
    with open('/proc/meminfo', encoding='utf-8') as f:
        free = {line.split(':')[0]: int(line.split()[1]) << 10 for line in f}['MemAvailable']
    if free < 8 << 30:
        raise checks.Skip('not enough memory')
    body, count = np.ones(1 << 21, np.float32).tobytes(), 260
    last = text_format.Parse(node('Add', 'c0 c%d' % (count - 1), FLOAT) + 'versions { producer: 134 }',
                             tf.compat.v1.GraphDef()).SerializeToString()
    data = bytearray()
    for i in range(count):
        data += big_constant(b'c%d' % i, body)
        data += body
    data += last
    assert len(data) > 1 << 31
    hold = (C.c_char * len(data)).from_buffer(data)
    given = Buffer(C.addressof(hold), len(data), None)
    with leat.Graph(LIBRARY, b'') as g:
        options = LIBRARY.call('TF_NewImportGraphDefOptions')
        with open('/proc/self/clear_refs', 'w', encoding='utf-8') as f:
            f.write('5')    # the peak counts from here
        before = resident()
        LIBRARY.call('TF_GraphImportGraphDef', g.graph, C.byref(given), options, g.status)
        LIBRARY.call('TF_DeleteImportGraphDefOptions', options)
        g.check()
        grown = resident() - before
        assert grown < 1.1 * len(data), 'the import took %d MB' % (grown >> 20)
        y, = g.run({}, ['n:0'])
        assert y.shape == (1 << 21,) and (y == 2).all()


if __name__ == '__main__':
    CHECKS.main()
