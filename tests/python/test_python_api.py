# SPDX-License-Identifier: Apache-2.0
"""What docs/python-api.md says that works, does: a landing may add to it, not take away.

After an addition `make python-api` writes the table again. Skipped without facts/python_api.tsv."""
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get('LEAT_SHARED') or os.path.join(os.path.dirname(ROOT), 'shared')


class TableTest(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(os.path.join(SHARED, 'facts/python_api.tsv')),
                         'no facts/python_api.tsv')
    def test_what_is_said_to_work_does(self):
        build = os.path.dirname(os.environ.get('LEAT_PYTHON_CORE') or
                                os.path.join(ROOT, 'build/python'))
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, 'tools/gen_python_api.py'), build, '--check'],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_broken_promise_is_seen(self):
        sys.path.insert(0, os.path.join(ROOT, 'tools'))
        import gen_python_api as table
        text = table.module_lines('tf.x', table.items_of({
            'tf.x.f': ('function', table.WORKS, ''), 'tf.x.g': ('function', table.NOT_YET, ''),
            'tf.x.C': ('class', table.WORKS, ''), 'tf.x.C.m': ('method', table.WORKS, ''),
            'tf.x.D': ('class', table.WORKS, ''),
            'tf.x.D.m': ('method', table.PARTLY, 'without a')})['tf.x'])
        self.assertEqual(
            text, '- **tf.x** works: `C`, `f`; partly: `D` (m: without a); not yet: `g`')
        self.assertEqual(table.said_to_work(text), {'tf.x.C', 'tf.x.f'})


if __name__ == '__main__':
    unittest.main()
