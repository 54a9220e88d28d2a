# SPDX-License-Identifier: Apache-2.0
"""Whole Python programs (programs_py/*.py), unchanged, by TensorFlow 1.15.5 and by `python3 -m
leat`: what they print (numbers nearly, the rest exactly) and the checkpoints that they leave in
the folder that is their argument; each then runs again on the other's folder, with `again` as
its second argument.

    python_programs.py --list
    python_programs.py LIBRARY [NAME...]

Leat's Python is found as python_graphs.py says.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import numpy as np

import checks
from checks import LIBRARY
import python_graphs
import tensorflow as tf

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'programs_py')
CHECKS = checks.Checks()
SECONDS = 200
# Rounding differs from the first product on and grows with each step.
RELATIVE, ABSOLUTE = 3e-3, 3e-4
FLOAT = re.compile(r'[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\bnan\b|\binf\b)')


def run(command, env):
    """(stdout, what went wrong or '')"""
    try:
        done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return '', 'does not end'
    last = ' '.join(done.stderr.strip().splitlines()[-2:])
    return done.stdout, last if done.returncode else ''


def compare_texts(theirs, ours):
    """What differs: floats nearly, the rest exactly, blanks apart (numpy pads by its numbers' widths)."""
    def parts(text):
        numbers = [float(n) for n in FLOAT.findall(text)]
        return re.sub(r'\s+', '', FLOAT.sub('#', text)), numbers
    for a, b in zip(theirs.splitlines() + [''], ours.splitlines() + ['']):
        (text, numbers), (our_text, our_numbers) = parts(a), parts(b)
        if text != our_text or not np.allclose(our_numbers, numbers, RELATIVE, ABSOLUTE, equal_nan=True):
            return 'prints %r, not %r' % (b[:300], a[:300])
    return ''


def checkpoints(folder):
    """{name: {variable: value}} of the checkpoints below."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, '**', '*.index'), recursive=True)):
        reader = tf.train.load_checkpoint(path[:-len('.index')])
        found[os.path.relpath(path, folder)] = {
            name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}
    return found


def compare_checkpoints(theirs, ours):
    if sorted(theirs) != sorted(ours):
        return 'saves %s, not %s' % (sorted(ours), sorted(theirs))
    for path in theirs:
        a, b = theirs[path], ours[path]
        if sorted(a) != sorted(b):
            return '%s: variables %s' % (path, sorted(set(a) ^ set(b)))
        for name in a:
            if a[name].dtype != b[name].dtype or a[name].shape != b[name].shape:
                return '%s: %s is %s %s' % (path, name, b[name].dtype, b[name].shape)
            if a[name].dtype.kind in 'fc' and not np.allclose(b[name], a[name], RELATIVE, ABSOLUTE):
                return '%s: %s differs by %g' % (path, name, np.abs(a[name] - b[name]).max())
            if a[name].dtype.kind not in 'fc' and not np.array_equal(a[name], b[name]):
                return '%s: %s differs' % (path, name)
    return ''


def both(program, folders, *more):
    """((TensorFlow's stdout, Leat's), what went wrong)"""
    python, env = python_graphs.leat_python()
    plain = {key: value for key, value in os.environ.items() if key != 'PYTHONPATH'}
    theirs, wrong = run([sys.executable, program, folders[0]] + list(more), plain)
    if wrong:
        return None, 'TensorFlow does not run it: ' + wrong
    ours, wrong = run([python, '-m', 'leat', program, folders[1]] + list(more), env)
    if 'not there yet' in wrong:
        raise checks.Skip('not in Leat\'s Python yet')
    return (theirs, ours), wrong and 'Leat does not run it: ' + wrong


def compare(program, folder):
    folders = [os.path.join(folder, who) for who in ('tensorflow', 'leat')]
    for path in folders:
        os.mkdir(path)
    outputs, wrong = both(program, folders)
    wrong = wrong or compare_texts(*outputs) or compare_checkpoints(*map(checkpoints, folders))
    with open(program, encoding='utf-8') as f:
        takes_again = "'again'" in f.read()
    if wrong or not takes_again:
        return wrong
    for path in folders:  # the paths in a checkpoint's state stay right: both come to lie at one place
        shutil.move(path, path + '.first')
    shutil.move(folders[0] + '.first', folders[1])
    shutil.move(folders[1] + '.first', folders[0])
    outputs, wrong = both(program, folders, 'again')
    return wrong and 'on the other\'s: ' + wrong or compare_texts(*outputs)


def check(path):
    name = 'program_' + os.path.splitext(os.path.basename(path))[0]
    CHECKS[name] = lambda folder: compare(path, folder)


for source in checks.chosen(sorted(glob.glob(os.path.join(FOLDER, '*.py')))):
    check(source)

if __name__ == '__main__':
    CHECKS.main()
