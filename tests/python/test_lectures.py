# SPDX-License-Identifier: Apache-2.0
"""The lectures' programs run as printed: each of lectures/*.py by `python3 -m leat`, in a
process of its own (those of clusters in several), and what it prints. A program's head says
where it is from and what was filled in. Not yet: the two that need tf.data (Datasets) and
tf.estimator (iris)."""
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import unittest

import numpy as np

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lectures')
SECONDS = 100


def start(program, *arguments):
    command = [sys.executable, '-u', '-m', 'leat', os.path.join(FOLDER, program + '.py')]
    return subprocess.Popen(command + [str(a) for a in arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)


def free_ports(n):
    """Ports that nobody listens at: taken together, so that they differ, and let go."""
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(('127.0.0.1', 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class LectureTest(unittest.TestCase):
    """What every program's test does."""

    def finish(self, process):
        """What the program printed: (stdout, stderr)."""
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail('no end after %d s\n%s%s' % (SECONDS, out, err))
        self.assertEqual(process.returncode, 0, out + err)
        return out, err

    def run_program(self, program, *arguments):
        return self.finish(start(program, *arguments))

    def prints(self, program, text):
        self.assertEqual(self.run_program(program)[0], text)


class BasicsTest(LectureTest):
    """Graphs, sessions, placeholders, variables."""

    def test_relu_layer(self):
        lines = [line.split() for line in self.run_program('relu_layer')[0].splitlines()]
        self.assertEqual([int(step) for step, _ in lines], list(range(10)))
        costs = np.array([float(cost) for _, cost in lines])
        self.assertGreater(costs[1], 78400 * 1.5)  # 784 x 100 rows' sums of 100 in [-1, 1), or 0
        np.testing.assert_allclose(costs, costs[1] * np.arange(10), rtol=1e-5)

    def test_arithmetic_graph(self):
        self.prints('arithmetic_graph', '[[17.]\n [39.]]\n6.0 9.0\n')

    def test_deferred_print(self):
        self.prints('deferred_print', 'Tensor("Add:0", shape=(), dtype=int32)\n')

    def test_add(self):
        self.prints('add', '8\n')

    def test_pow(self):
        self.prints('pow', '7776\n')

    def test_useless(self):
        self.prints('useless', '15625\n15625 []\n10 [5]\n')

    def test_placeholders(self):
        self.prints('placeholders', '7.5\n[3. 7.]\n')

    def test_get_variable(self):
        self.prints('get_variable',
                    "<tf.Variable 'my_variable:0' shape=(1, 2, 3) dtype=float32_ref>\n"
                    '(1, 2, 3)\n[[[0 0 0]\n  [0 0 0]]]\n1.0\n5.0\n')

    def test_quick_look(self):
        lines = self.run_program('quick_look')[0].splitlines()
        self.assertEqual(lines[0], 'Tensor("MatMul:0", shape=(1, 1), dtype=float32)')
        self.assertRegex(lines[1], r'^\[\[1(29\.9799|29\.98|30)\d*\]\]$')

    def test_starter_graph(self):
        out, err = self.run_program('starter_graph')
        lines = out.splitlines()
        self.assertEqual(lines[:2], ['Initialized', "m2: <tf.Variable 'Variable:0' shape=(2, 3) "
                                                    'dtype=float32_ref>'])
        self.assertTrue(lines[2].startswith('eval m2: [['))
        self.assertIn('result: [array([[', out)
        self.assertEqual(lines[-1], 'twice: True True')
        printed = re.findall(r'^m3 is: \[(.*)\]$', err, re.M)  # the first three values or rows
        self.assertEqual(len(printed), 2, err)
        self.assertEqual(printed[0], printed[1])
        self.assertEqual(len(re.findall(r'-?\d+\.?\d*(?:e-?\d+)?', printed[0])), 3, printed[0])


class LearningTest(LectureTest):
    """Gradients, training."""

    def test_backpropagation(self):
        lines = self.run_program('backpropagation')[0].splitlines()
        self.assertEqual(lines[0], 'NoOp GradientDescent')
        self.assertEqual(lines[1], '0.042')

    def test_ridge(self):
        solution, learned, close = self.run_program('ridge')[0].splitlines()
        self.assertEqual(solution, '[ 0.98 -1.98  0.49  2.96]')
        self.assertEqual(learned, solution)
        self.assertEqual(close, 'close: True')

    def test_mnist_softmax(self):
        data = os.path.join(os.environ.get('LEAT_SHARED', ''), 'data', 'mnist')
        if not os.path.isdir(data):
            self.skipTest('no MNIST: LEAT_SHARED is not set')
        lines = self.run_program('mnist_softmax', data)[0].splitlines()
        rows = [line.split() for line in lines if line.startswith(('batch', 'test'))]
        self.assertEqual([int(row[1]) for row in rows],
                         [n for n in range(100, 1001, 100) for _ in 'bt'])
        accuracies = [float(row[2]) for row in rows if row[0] == 'test']
        self.assertGreater(accuracies[0], .85)
        self.assertGreater(accuracies[-1], .905)
        self.assertTrue(all(np.isfinite(float(row[3])) for row in rows))

    def test_word2vec(self):
        lines = self.run_program('word2vec')[0].splitlines()
        before, after = [float(x) for x in lines[0].split()[1:]]
        self.assertLess(after, before)
        words = {'cat': "b'cat' b'dog' b'kitten' b'puppy' b'rabbit' b'squirrel'".split(),
                 'government': ["b'%s'" % w for w in (
                     'government', 'parliament', 'crown', 'leaders', 'elections', 'regime')]}
        for at, (word, kind) in zip((1, 8), words.items()):
            self.assertEqual(lines[at], "Nearest to b'%s':" % word)
            nearest = [line.split() for line in lines[at + 1:at + 7]]
            self.assertEqual(nearest[0], ["b'%s'" % word, '1.0000'])
            self.assertGreaterEqual(sum(w in kind for w, _ in nearest[:4]), 3, nearest)

    def test_text_cnn(self):
        words = self.run_program('text_cnn')[0].split()
        self.assertEqual(words[:2], ['step', '200'])
        self.assertGreater(float(words[5]), .95)

    def test_two_devices(self):
        lines = self.run_program('two_devices')[0].splitlines()
        self.assertEqual(lines, ['/device:CPU:1 /device:CPU:0', "['CPU:0', 'CPU:1']", '[[321.]]',
                                 "CPU:0 ['MatMul']", "CPU:1 ['Variable']"])


class ClusterTest(LectureTest):
    """Parameter servers and workers: processes on this machine."""

    def setUp(self):
        self.processes = []

    def tearDown(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def serve(self, cluster, job, task):
        process = start('serve', json.dumps(cluster), job, task)
        self.processes.append(process)
        return process

    def serve_all(self, cluster):
        """All tasks, listening."""
        for process in [self.serve(cluster, job, i)
                        for job in cluster for i in range(len(cluster[job]))]:
            ready = select.select([process.stdout], [], [], SECONDS)[0]
            self.assertTrue(ready and process.stdout.readline() == 'serving\n')

    def cluster(self, **jobs):
        ports = iter(free_ports(sum(jobs.values())))
        return {job: ['localhost:%d' % next(ports) for _ in range(n)] for job, n in jobs.items()}

    def test_replicated(self):
        os.environ['LEAT_PS_EXIT'] = 'never'  # else they end by themselves, 5 s after the workers
        self.addCleanup(os.environ.pop, 'LEAT_PS_EXIT')
        spec = json.dumps(self.cluster(ps=2, worker=2))
        self.processes = [start('replicated', spec, 'ps', i, 0) for i in range(2)]
        workers = [start('replicated', spec, 'worker', i, 300) for i in range(2)]
        self.processes += workers
        for i, worker in enumerate(workers):
            lines = self.finish(worker)[0].splitlines()
            self.assertEqual(lines[0], 'placed /job:ps/task:0 /job:ps/task:1 /job:ps/task:0 '
                                       '/job:worker/task:%d' % i)
            self.assertEqual(lines[1].split()[:2], ['done', 'True'])
            self.assertLess(float(lines[1].split()[2]), .05)
        for process in self.processes[:2]:  # they serve until somebody ends them
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
        for process in self.processes[:2]:
            self.assertIn('KeyboardInterrupt', process.communicate(timeout=SECONDS)[1])

    def test_averaged(self):
        cluster = self.cluster(ps=1, worker=3)
        self.serve_all(cluster)
        lines = self.run_program(
            'averaged', 'grpc://' + cluster['worker'][0], 3, 80)[0].splitlines()
        tasks = "['/job:worker/task:0', '/job:worker/task:1', '/job:worker/task:2']"
        self.assertEqual(lines[0], tasks + ' /job:worker/task:0')
        step, first, second, loss = lines[1].split()
        self.assertEqual(step, '80')
        self.assertEqual([round(float(first), 1), round(float(second), 1)], [1.0, 2.0])
        # the losses pull in three directions
        self.assertAlmostEqual(float(loss), 10 / 3., places=2)

    def test_two_ps(self):
        cluster = self.cluster(ps=2, worker=1)
        self.serve_all(cluster)
        lines = self.run_program('two_ps', 'grpc://' + cluster['worker'][0], 0, 200)[0].splitlines()
        self.assertEqual(lines, ['/job:ps/task:0 /job:ps/task:1 /job:worker/task:0', 'less: True'])


if __name__ == '__main__':
    unittest.main()
