# SPDX-License-Identifier: Apache-2.0
"""Variables fetched with what updates them: their values at the end of the step, as programs
that fetch [train_op, global_step] count on."""
import unittest

import leat as tf


class FetchVariablesTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def late_update(self, v, branch):
        """Adds 1 to v after a long way; with a branch another executor runs it."""
        amount = tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)) \
            if branch else tf.constant(1)
        for _ in range(30):
            amount = tf.identity(amount)
        return tf.assign_add(v, amount).op

    def check(self, branch):
        v = tf.Variable(5, name='v')
        update = self.late_update(v, branch)
        with tf.Session() as sess:
            sess.run(v.initializer)
            for k in range(20):
                self.assertEqual(sess.run([v, update])[0], 6 + 2 * k)
                self.assertEqual(sess.run({'a': update, 'v': (v,)})['v'], (7 + 2 * k,))
            call = sess.make_callable([v, update])
            self.assertEqual(call(), [46, None])

    def test_plain(self):
        self.check(False)

    def test_branch(self):
        self.check(True)

    def test_uninitialized(self):
        v = tf.Variable(5, name='v')
        with tf.Session() as sess:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError,
                                        'Attempting to use uninitialized value v'):
                sess.run(v)

    def test_function(self):
        v = tf.Variable(5, name='v')
        got = v.initialized_value()
        with tf.Session() as sess:
            self.assertEqual(sess.run([got]), [5])


if __name__ == '__main__':
    unittest.main()
