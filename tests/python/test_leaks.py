# SPDX-License-Identifier: Apache-2.0
"""The tests of sessions, values and graphs leave nothing behind when they are run again and again.

leaks.py measures; `make leaks` runs it over all files of tests/python. What it can see is shown
here, too, by an object that a test keeps."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ['test_session.py', 'test_values.py', 'test_fetch_variables.py', 'test_control_flow.py']


@unittest.skipUnless(sys.getallocatedblocks(), 'Python counts no blocks (PYTHONMALLOC)')
class LeaksTest(unittest.TestCase):
    def measure(self, *files):
        done = subprocess.run([sys.executable, os.path.join(HERE, 'leaks.py'), '--runs', '2',
                               *files], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True)
        return done.returncode, done.stdout

    def test_nothing_grows(self):
        code, said = self.measure(*[os.path.join(HERE, name) for name in FILES])
        self.assertEqual(code, 0, said)

    def test_a_kept_graph_is_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'test_kept.py')
            with open(path, 'w') as f:
                f.write('import unittest\nimport leat as tf\nKEPT = []\n\n\n'
                        'class Kept(unittest.TestCase):\n    def test(self):\n'
                        '        with tf.Graph().as_default():\n'
                        '            KEPT.append([tf.constant(i) for i in range(20)])\n')
            code, said = self.measure(path)
        self.assertEqual(code, 1, said)
        self.assertIn('GROWS', said)

    def test_references_to_what_lasts_are_seen(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'test_held.py')
            with open(path, 'w') as f:
                f.write('import unittest\nimport numpy as np\nKEPT = []\n\n\n'
                        'class Held(unittest.TestCase):\n    def test(self):\n'
                        '        KEPT.append([np.dtype(np.float32)] * 200)\n')
            code, said = self.measure(path)
        self.assertEqual(code, 1, said)
        self.assertIn("REFERENCES: {\"dtype('float32')\": 200}", said)


if __name__ == '__main__':
    unittest.main()
