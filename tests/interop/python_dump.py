# SPDX-License-Identifier: Apache-2.0
"""Builds graphs of python_graphs.txt with the `tensorflow` that is imported, and tells what
came out: nodes, attrs as bytes, collections. As a program it reads names of cases, a line each,
and answers each with a line of JSON: python_graphs.py asks it under `python3 -m leat`, and uses
its functions under TensorFlow."""
import json
import os
import sys
import traceback
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def cases():
    """{name: code}, in the file's order; the lines before the first case come before each."""
    found, prelude, name = {}, '', None
    with open(os.path.join(HERE, 'python_graphs.txt'), encoding='utf-8') as f:
        for line in f:
            text = line.rstrip('\n')
            if text.startswith('#') or not text:
                continue
            if text.startswith('== '):
                name = text[3:]
                found[name] = ''
            elif text.startswith('@ '):  # a case in a line
                name, code = text[2:].split(' | ', 1)
                found[name], name = code + '\n', None
            elif name:
                found[name] += text + '\n'
            else:
                prelude += text + '\n'
    return {name: prelude + code for name, code in found.items()}


def _name(item):
    if isinstance(item, (str, bytes, int, float, tuple)):
        return repr(item)
    for attribute in ('name', 'full_name'):
        found = getattr(item, attribute, None)
        if isinstance(found, str):
            return found
    return type(item).__name__


def describe(graph):
    """{'nodes': {name: [op, device, inputs, {attr: hex}]}, 'collections': {key: names}}"""
    nodes = {}
    for node in graph.as_graph_def().node:
        attrs = {key: node.attr[key].SerializeToString().hex() for key in node.attr}
        inputs = list(node.input)
        inputs = [i for i in inputs if i[0] != '^'] + sorted(i for i in inputs if i[0] == '^')
        nodes[node.name] = [node.op, node.device, inputs, attrs]
    collections = {}
    for key in graph.get_all_collection_keys():
        if isinstance(key, str) and not key.startswith('__'):
            collections[key] = [_name(item) for item in graph.get_collection(key)]
    return {'nodes': nodes, 'collections': collections,
            'functions': sorted(f.signature.name for f in graph.as_graph_def().library.function)}


def build(code):
    """What the code builds, or {'error': type and text, 'missing': whether a symbol is not there yet}."""
    import tensorflow as tf
    tf.compat.v1.logging.set_verbosity('FATAL')
    with tf.Graph().as_default() as graph:
        tf.compat.v1.set_random_seed(87)
        try:
            exec(compile(code, '<case>', 'exec'), {'tf': tf, 'np': np})
            return describe(graph)
        except Exception as e:  # pylint: disable=broad-except
            text = '%s: %s' % (type(e).__name__, e)
            lines = traceback.format_exc().splitlines()
            return {'error': text[:400], 'missing': 'not there yet' in text or ' has no op ' in text,
                    'where': ' '.join(lines[-4:-1])[:300]}


def main():
    warnings.filterwarnings('ignore')
    table = cases()
    for line in sys.stdin:
        print(json.dumps(build(table[line.strip()])), flush=True)


if __name__ == '__main__':
    main()
