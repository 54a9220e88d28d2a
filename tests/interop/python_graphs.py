# SPDX-License-Identifier: Apache-2.0
"""The graphs that composites of the Python API build (layers, losses, optimisers, metrics,
savers, queues...), by TensorFlow 1.15.5 and by Leat's Python: names, ops, devices, attrs,
inputs of nodes, and collections.

    python_graphs.py --list
    python_graphs.py LIBRARY [NAME...]

The cases are in python_graphs.txt. Leat's Python is LEAT_PYTHON, or the first of python3 that
has numpy, with the package of python/ and the extension beside LIBRARY. What is not there yet
is skipped."""
import json
import os
import re
import subprocess
import sys

import checks
from checks import LIBRARY
import python_dump
from tensorflow.core.framework import attr_value_pb2
import tensorflow as tf

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECKS = checks.Checks()
SHOWN = 6
# What differs from run to run.
CHANCE = re.compile(r'(_temp_|hash_table_|CustomGradient-)[0-9a-f-]+')
# The scopes of gradients; in those of loops, branches and TensorArrays are other nodes (DIFFERENCES.md).
GRADIENTS = re.compile(r'(^|/)gradients(_\d+)?/|_grad/')
OTHER_OPS = {'Switch', 'Merge', 'Enter', 'Exit', 'NextIteration', 'TensorArrayGradV3'}

# (case, what differs on purpose): DIFFERENCES.md
KNOWN = [
    ('opt_sync_replicas', r'^Fill: inputs'),
    ('py_function', r'EagerPyFunc: (inputs|Tin)'),
    ('contrib_metrics_covariance', r'(LessEqual|sub|truediv)_\d+: inputs'),
    ('contrib_metrics_pearson', r'(LessEqual|sub|truediv)_\d+: inputs'),
    ('image_dense_warp', r'(data_0|Const): value'),
    ('decay_piecewise', r'cond/Merge: inputs .*AssertGuard/Merge'),
]


def leat_python():
    """(Python with numpy, its environment), or Skip."""
    build = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
    core = os.path.join(build, 'python')
    if not os.path.exists(os.path.join(core, '_core.abi3.so')):
        raise checks.Skip('no _core.abi3.so in this build')
    env = dict(os.environ, PYTHONPATH=os.path.join(ROOT, 'python'), LEAT_PYTHON_CORE=core)
    for python in (os.environ.get('LEAT_PYTHON'), '/usr/bin/python3', 'python3'):
        if python and subprocess.call([python, '-c', 'import numpy'], stderr=subprocess.DEVNULL) == 0:
            return python, env
    raise checks.Skip('no Python with numpy for Leat')


class Child:
    """Leat's Python at python_dump.py; started when it is first asked, and again when it has ended."""

    process = None

    def ask(self, name):
        if not self.process or self.process.poll() is not None:
            python, env = leat_python()
            self.process = subprocess.Popen(
                [python, '-m', 'leat', os.path.join(python_dump.HERE, 'python_dump.py')], env=env,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                universal_newlines=True)
        self.process.stdin.write(name + '\n')
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith('{'):
                return json.loads(line)
        return {'error': 'the process ended: %s' % self.process.wait()}


CHILD = Child()


def attr(text):
    value = attr_value_pb2.AttrValue()
    value.ParseFromString(bytes.fromhex(text))
    return value


def same_attr(a, b, chance):
    """The same bytes, or tensors of the same values: a proto has several ways to say them."""
    if a == b:
        return True
    a, b = attr(a), attr(b)
    if a == b or chance.sub('', str(a)) == chance.sub('', str(b)):
        return True
    if not (a.HasField('tensor') and b.HasField('tensor')):
        return False
    a, b = tf.make_ndarray(a.tensor), tf.make_ndarray(b.tensor)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def short(text):
    return str(attr(text)).replace('\n', ' ')[:120]


def has_other_gradients(nodes):
    """Whether gradients of a loop, a branch or a TensorArray are in the graph."""
    return any(node[0] in OTHER_OPS and GRADIENTS.search(name) for name, node in nodes.items())


def without_gradients(nodes):
    """The nodes that no gradient function made; what they take from there is called `gradient`."""
    kept = {}
    for name, (op, device, inputs, attrs) in nodes.items():
        if not GRADIENTS.search(name):
            inputs = ['gradient' if GRADIENTS.search(i) else i for i in inputs]
            kept[name] = [op, device, inputs, attrs]
    return kept


def with_gradients(nodes):
    """The nodes, without what holds the constants and forward ops of a gradient back until it is
    there, and without the words of PreventGradient."""
    kept = {}
    for name, (op, device, inputs, attrs) in nodes.items():
        if GRADIENTS.search(name) and '/tuple/' not in name:
            inputs = [i for i in inputs if i[0] != '^']
        attrs = {k: v for k, v in attrs.items() if (op, k) != ('PreventGradient', 'message')}
        kept[name] = [op, device, inputs, attrs]
    return kept


def differences(theirs, ours):
    """What differs, a text each."""
    other = has_other_gradients(theirs['nodes'])
    view = without_gradients if other else with_gradients
    chance = re.compile(CHANCE.pattern + (r'|loc:@[^"]*_grad/[^"]*' if other else ''))
    wanted, built = view(theirs['nodes']), view(ours['nodes'])
    missing, more = sorted(set(wanted) - set(built)), sorted(set(built) - set(wanted))
    if missing:
        yield 'no nodes %s' % missing[:8]
    if more:
        yield 'nodes %s not in TensorFlow' % more[:8]
    for name in sorted(set(wanted) & set(built)):
        for what, a, b in zip(('op', 'device', 'inputs'), wanted[name], built[name]):
            if what == 'inputs' and len(a) == len(b):
                b = ['gradient' if i == 'gradient' else j for i, j in zip(a, b)]
            if a != b:
                yield '%s: %s %r, not %r' % (name, what, b, a)
        a, b = wanted[name][3], built[name][3]
        if set(a) != set(b):
            yield '%s: attrs %s' % (name, sorted(set(a) ^ set(b)))
        for key in sorted(set(a) & set(b)):
            if not same_attr(a[key], b[key], chance):
                yield '%s: %s is %s, not %s' % (name, key, short(b[key]), short(a[key]))
    for key in sorted(set(theirs['collections']) | set(ours['collections'])):
        a, b = theirs['collections'].get(key), ours['collections'].get(key)
        if a != b:
            yield 'collection %s: %s, not %s' % (key, b, a)
    if len(theirs['functions']) != len(ours['functions']):
        yield 'functions %s, not %s' % (ours['functions'], theirs['functions'])


def compare(name, code):
    theirs = python_dump.build(code)
    if 'error' in theirs:
        return 'TensorFlow does not build it: %s %s' % (theirs['error'], theirs['where'])
    ours = CHILD.ask(name)
    if 'error' in ours:
        if ours.get('missing'):
            raise checks.Skip('not in Leat\'s Python yet')
        return 'Leat does not build it: %s %s' % (ours['error'], ours.get('where', ''))
    known = [re.compile(pattern) for case, pattern in KNOWN if case == name]
    found = [f for f in differences(theirs, ours) if not any(k.search(f) for k in known)]
    return '; '.join(found[:SHOWN]) + (' and %d more' % (len(found) - SHOWN) if found[SHOWN:] else '')


def check(name, code):
    CHECKS['python_' + name] = lambda: compare(name, code)


for case_name, case_code in checks.chosen(python_dump.cases().items()):
    check(case_name, case_code)

if __name__ == '__main__':
    CHECKS.main()
