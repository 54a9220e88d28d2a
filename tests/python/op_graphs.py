# SPDX-License-Identifier: Apache-2.0
"""The graphs that single calls of the API build, as text, for comparison with TensorFlow 1.15.

test_op_graphs.py compares digests of these texts with those in op_graphs.tsv, which TensorFlow
1.15.5 gave: a file of one expression a line, run as `python op_graphs.py FILE` under either, prints
`digest<TAB>expression` for each; with --show, the text. `;;` in an expression parts statements.
"""
import hashlib
import importlib
import sys

import numpy as np
import tensorflow as tf


def module(name):
    return importlib.import_module('tensorflow.python.' + name)


def placeholder(shape=None, dtype=tf.float32, name=None):
    return tf.placeholder(dtype, shape, name)


def variable(shape=(5, 3), name='v', resource=False, dtype=tf.float32):
    return tf.get_variable(name, shape, dtype, use_resource=resource,
                           initializer=tf.zeros_initializer())


NAMES = {'np': np, 'tf': tf, 'module': module, 'P': placeholder, 'V': variable, 'f32': tf.float32,
         'i32': tf.int32, 'i64': tf.int64}


def _shape(proto):
    if proto.unknown_rank:
        return '?'
    return '(%s)' % ','.join(str(d.size) for d in proto.dim)


def _array(proto):
    array = module('framework.tensor_util').MakeNdarray(proto)
    return '%s%s%r' % (array.dtype, list(array.shape), array.ravel()[:64].tolist())


def _value(attr):
    kind = attr.WhichOneof('value')
    if kind is None:
        return 'None'
    value = getattr(attr, kind)
    if kind == 'tensor':
        return _array(value)
    if kind == 'shape':
        return _shape(value)
    if kind != 'list':
        return repr(value)
    for field in ('s', 'i', 'f', 'b', 'type', 'shape', 'tensor', 'func'):
        items = list(getattr(value, field))
        if items:
            return repr([_shape(i) if field == 'shape' else i for i in items])
    return '[]'


def _result(value):
    """What a call gave: names, shapes and types of tensors, by their place."""
    if isinstance(value, dict):
        return {k: _result(value[k]) for k in sorted(value)}
    if isinstance(value, tf.SparseTensor):
        return ['sparse', _result(value.indices), _result(value.values),
                _result(value.dense_shape), str(value.get_shape())]
    if isinstance(value, (list, tuple)):
        return [_result(v) for v in value]
    if isinstance(value, tf.Tensor):
        return '%s %s %s' % (value.name, value.get_shape(), value.dtype.name)
    return value.name if isinstance(value, tf.Operation) else type(value).__name__


def _nodes(graph):
    for node in graph.as_graph_def().node:
        attrs = ['%s=%s' % (k, _value(node.attr[k])) for k in sorted(node.attr)
                 if k != '_output_shapes']
        yield '%s = %s(%s) %s' % (node.name, node.op, ', '.join(node.input), ' '.join(attrs))


def describe(expression):
    """The result and the nodes of an expression in a new graph, or the class of its error."""
    with tf.Graph().as_default() as graph:
        try:
            space = dict(NAMES)
            *statements, last = expression.split(' ;; ')
            for statement in statements:
                exec(statement, space)
            lines = [repr(_result(eval(last, space)))]
        except Exception as error:
            lines = ['raises %s' % type(error).__name__]
        lines.extend(sorted(_nodes(graph)))
    return '\n'.join(lines)


def digest(expression):
    return hashlib.sha256(describe(expression).encode()).hexdigest()[:12]


def main():
    show = '--show' in sys.argv
    for line in open(sys.argv[1]):
        expression = line.rstrip('\n').rpartition('\t')[2]
        if expression and not expression.startswith('#'):
            print(describe(expression) if show else '%s\t%s' % (digest(expression), expression))


if __name__ == '__main__':
    main()
