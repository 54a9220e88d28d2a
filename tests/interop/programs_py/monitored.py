# SPDX-License-Identifier: Apache-2.0
"""MonitoredTrainingSession: hooks, checkpoints, coming back to the step of a checkpoint."""
import sys

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
steps = 10 if 'again' in sys.argv else 5


class Tell(tf.train.SessionRunHook):

    def begin(self):
        print('begin')

    def after_create_session(self, session, coord):
        print('created', type(coord).__name__)

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({'v': v})

    def after_run(self, run_context, run_values):
        print('after', '%.3f' % run_values.results['v'])

    def end(self, session):
        print('end', session.run(step))


step = tf.train.get_or_create_global_step()
v = tf.get_variable('v', initializer=2.)
train = tf.train.GradientDescentOptimizer(.1).minimize(tf.square(v), global_step=step)
hooks = [Tell(), tf.train.StopAtStepHook(last_step=steps)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=sys.argv[1] + '/run', hooks=hooks,
                                       save_checkpoint_steps=2, save_summaries_steps=None,
                                       log_step_count_steps=None) as sess:
    while not sess.should_stop():
        sess.run(train)
