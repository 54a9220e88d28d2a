# SPDX-License-Identifier: Apache-2.0
"""Graphs with functions as TensorFlow 1.15.5's Python writes them (Defun, tf.function, cond_v2, while_v2),
run by TensorFlow and by Leat: values, TensorFlow's gradients run by Leat, and Leat's own gradients.

    functions.py --list
    functions.py LIBRARY [NAME...]
"""

import numpy as np

import checks
import leat
from checks import LIBRARY
import tensorflow as tf
from tensorflow.python.eager import def_function
from tensorflow.python.framework import function
from tensorflow.python.ops import control_flow_util, functional_ops

tf.compat.v1.logging.set_verbosity('FATAL')
control_flow_util.ENABLE_CONTROL_FLOW_V2 = True
RELATIVE, ABSOLUTE = 1e-4, 1e-5
FEEDS = [(p, x) for p in (True, False) for x in ([1., 2., 3.], [-1., 0.5, 4.])]
CHECKS = checks.Checks()


def graph(f):
    """A check of the graph that f(x, p) makes."""
    CHECKS[f.__name__] = lambda: check(f)
    return f


@function.Defun(tf.float32)
def square(x):
    return x * x


@function.Defun(tf.float32)
def wave(x):
    return tf.sin(square(x)) + square(x)


@function.Defun(tf.float32, tf.float32)
def seven(x, dy):
    return dy * 7.


@function.Defun(tf.float32, grad_func=seven)
def with_gradient(x):
    return x * x


@function.Defun(tf.float32)
def is_small(x):
    return tf.reduce_sum(x) < 100.


@function.Defun(tf.float32)
def larger(x):
    return x * 2. + 10.


@function.Defun(tf.int32, tf.float32)
def add_number(i, x):
    return x + tf.cast(i, tf.float32)


@function.Defun(tf.float32)
def noise(x):
    return x * tf.random.uniform([3], seed=11)


@graph
def called(x, p):
    return square(x)


@graph
def called_in_calls(x, p):
    return wave(x) * 3.


@graph
def gradient_given(x, p):
    return with_gradient(x)


@graph
def tf_function(x, p):
    return def_function.function(lambda a: tf.sin(a) * a)(x)


@graph
def branch(x, p):
    return tf.cond(p, lambda: x * x, lambda: tf.exp(x))


@graph
def branch_in_branch(x, p):
    return tf.cond(p, lambda: tf.cond(x[0] > 0., lambda: x * x * x, lambda: tf.sin(x)), lambda: x * 2.)


@graph
def branch_with_variable(x, p):
    v = tf.compat.v1.get_variable('v', [3], initializer=tf.constant_initializer(2.), use_resource=True)
    return tf.cond(p, lambda: x * v, lambda: x + v * v)


@graph
def case_of_functions(x, p):
    return tf.switch_case(tf.cast(p, tf.int32), [lambda: x * x, lambda: x * x * x, lambda: x])


@graph
def while_of_functions(x, p):
    return functional_ops.While([x], is_small, larger)[0]


@graph
def for_of_function(x, p):
    return functional_ops.For(0, 5, 2, [x], add_number)[0]


@graph
def loop(x, p):
    return tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * x + tf.cast(i, tf.float32)), [0, x])[1]


@graph
def branch_in_loop(x, p):
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.cond(
        p, lambda: a * x, lambda: tf.tanh(a))), [0, x])[1]


@graph
def loop_in_loop(x, p):
    def outer(i, a):
        return i + 1, tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * x), [0, a])[1] * 0.5
    return tf.while_loop(lambda i, a: i < 4, outer, [0, x])[1]


@graph
def rows_in_loop(x, p):
    out = tf.TensorArray(tf.float32, 4)
    return tf.while_loop(lambda i, a, _: i < 4, lambda i, a, o: (i + 1, a * x, o.write(i, a)),
                         [0, x, out])[2].stack()


@graph
def noise_of_each_call(x, p):
    return noise(x) + 10 * noise(x)


def build(make):
    """(GraphDef without gradients, with, names to run first, values of y and dx, or an error)"""
    with tf.Graph().as_default() as g:
        tf.compat.v1.set_random_seed(5)
        x = tf.compat.v1.placeholder(tf.float32, [3], name='x')
        p = tf.compat.v1.placeholder(tf.bool, [], name='p')
        fetches = [tf.identity(make(x, p), name='y')]
        plain = g.as_graph_def().SerializeToString()
        try:
            fetches.append(tf.identity(tf.gradients(fetches[0], x)[0], name='dx'))
        except (LookupError, ValueError, TypeError, IndexError):
            pass  # TensorFlow has none of For, nor of While made of Defuns
        first = [v.initializer.name for v in tf.compat.v1.global_variables()]
        whole = g.as_graph_def().SerializeToString()
        with tf.compat.v1.Session() as s:
            s.run(tf.compat.v1.global_variables_initializer())
            values = [s.run(fetches, {x: v, p: b}) for b, v in FEEDS]
    return plain, whole, first, values


def compare(graph_def, first, values, own_gradient):
    with leat.Graph(LIBRARY, graph_def) as g:
        fetches = ['y:0', 'dx:0'][:len(values[0])]
        if own_gradient:
            fetches[1:] = g.gradients(['y:0'], ['x:0'])
        for name in first:
            g.run({}, [], [name])
        for (p, x), want in zip(FEEDS, values):
            got = g.run({'x:0': np.array(x, np.float32), 'p:0': np.array(p)}, fetches)
            for name, a, b in zip(fetches, got, want):
                if a.shape != b.shape or not np.allclose(a, b, RELATIVE, ABSOLUTE, equal_nan=True):
                    return '%s at %s, %s: %s, TensorFlow %s' % (name, p, x, a.tolist(), b.tolist())
    return None


def check(make):
    plain, whole, first, values = build(make)
    wrong = compare(plain, first, [v[:1] for v in values], False)
    if not wrong and len(values[0]) > 1:
        wrong = compare(whole, first, values, False) or compare(plain, first, values, True)
    return wrong


if __name__ == '__main__':
    CHECKS.main()
