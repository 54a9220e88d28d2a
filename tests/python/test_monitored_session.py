# SPDX-License-Identifier: Apache-2.0
"""Monitored sessions, their hooks, session managers, Supervisor, SyncReplicasOptimizer.

The order of calls, names of nodes and texts are TensorFlow 1.15's."""
import logging
import os
import tempfile
import unittest

from leat.python.client import session
from leat.python.framework import constant_op, errors, ops
from leat.python.ops import array_ops, math_ops, variable_scope, variables
from leat.python.platform import tf_logging
from leat.python.summary import summary, summary_iterator
from leat.python.training import (
    basic_loops, basic_session_run_hooks as hooks_lib, checkpoint_management, evaluation,
    gradient_descent, monitored_session, session_manager, session_run_hook, supervisor,
    sync_replicas_optimizer, training_util)


class Recorder(session_run_hook.SessionRunHook):
    """Notes what it is asked."""

    def __init__(self, name, calls, fetch=None, feed=None):
        self.name, self.calls, self.fetch, self.feed = name, calls, fetch, feed

    def begin(self):
        self.calls.append(self.name + ' begin')

    def after_create_session(self, sess, coord):
        self.calls.append(self.name + ' created')

    def before_run(self, run_context):
        if self.fetch is None and self.feed is None:
            return None
        return session_run_hook.SessionRunArgs(self.fetch, feed_dict=self.feed)

    def after_run(self, run_context, run_values):
        self.calls.append('%s after %s' % (self.name, run_values.results))

    def end(self, sess):
        self.calls.append(self.name + ' end')


class _Case(unittest.TestCase):
    def setUp(self):
        tf_logging.set_verbosity(tf_logging.ERROR)
        self.addCleanup(tf_logging.set_verbosity, tf_logging.INFO)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.new_graph()

    def new_graph(self):
        self.graph = ops.Graph()
        context = self.graph.as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.step = training_util.get_or_create_global_step()
        self.w = variable_scope.get_variable('w', initializer=[0., 0.])
        self.loss = math_ops.reduce_sum(math_ops.square(self.w - [1., 2.]))
        self.train = gradient_descent.GradientDescentOptimizer(.1).minimize(
            self.loss, global_step=self.step)


class MonitoredTest(_Case):
    def test_hooks_in_order(self):
        calls = []
        with monitored_session.MonitoredSession(
                hooks=[Recorder('A', calls, self.step.value() * 0), Recorder('B', calls),
                       hooks_lib.StopAtStepHook(last_step=2)]) as sess:
            while not sess.should_stop():
                sess.run(self.train)
        self.assertEqual(calls, ['A begin', 'B begin', 'A created', 'B created', 'A after 0',
                                 'B after None', 'A after 0', 'B after None', 'A end', 'B end'])
        self.assertFalse(self.graph.finalized)
        with self.assertRaises(AttributeError):
            sess.run(self.train)

    def test_nodes(self):
        with monitored_session.MonitoredSession() as sess:
            with self.assertRaisesRegex(RuntimeError, 'Graph is finalized'):
                constant_op.constant(1)
            sess.run(self.train)
        names = [o.name for o in self.graph.get_operations()]
        for name in ('init', 'init_1', 'group_deps', 'report_uninitialized_variables/boolean_mask/'
                     'GatherV2', 'report_uninitialized_resources/Const', 'concat', 'concat_1',
                     'init_2', 'init_all_tables', 'init_3', 'group_deps_1', 'save/restore_all'):
            self.assertIn(name, names)
        keys = {k: [x.name for x in self.graph.get_collection(k)]
                for k in ('init_op', 'ready_op', 'ready_for_local_init_op', 'local_init_op')}
        self.assertEqual(keys, {'init_op': ['group_deps'], 'ready_op': ['concat:0'],
                                'ready_for_local_init_op': ['concat_1:0'],
                                'local_init_op': ['group_deps_1']})

    def test_saves_and_goes_on(self):
        for expected in (3, 5):
            with monitored_session.MonitoredTrainingSession(
                    checkpoint_dir=self.folder,
                    hooks=[hooks_lib.StopAtStepHook(last_step=expected)]) as sess:
                while not sess.should_stop():
                    sess.run(self.train)
            self.assertEqual(checkpoint_management.latest_checkpoint(self.folder),
                             os.path.join(self.folder, 'model.ckpt-%d' % expected))
            self.new_graph()
        files = os.listdir(self.folder)
        self.assertIn('graph.pbtxt', files)
        self.assertIn('model.ckpt-0.meta', files)
        events = [e for f in files if f.startswith('events')
                  for e in summary_iterator.summary_iterator(os.path.join(self.folder, f))]
        self.assertTrue(any(e.HasField('session_log') for e in events))

    def test_feeds_and_conflicts(self):
        x = array_ops.placeholder('float32', [], name='x')
        y = x + 1.
        calls = []
        with monitored_session.MonitoredSession(
                hooks=[hooks_lib.FeedFnHook(lambda: {x: 5.}), Recorder('A', calls)]) as sess:
            self.assertEqual(sess.run(y), 6.)
            with self.assertRaisesRegex(RuntimeError,
                                        'Same tensor is fed by a SessionRunHook and user.'):
                sess.run(y, {x: 1.})
        with monitored_session.MonitoredSession(
                hooks=[Recorder('A', calls, feed={x: 1.}), Recorder('B', calls, feed={x: 2.})]) \
                as sess, self.assertRaisesRegex(RuntimeError, 'Same tensor is fed by two hooks.'):
            sess.run(y)

    def test_singular(self):
        with monitored_session.SingularMonitoredSession(
                hooks=[hooks_lib.StopAtStepHook(num_steps=2)]) as sess:
            self.assertIsInstance(sess.raw_session(), session.Session)

            def step_fn(step_context):
                step_context.session.run(self.step)
                return step_context.run_with_hooks(self.train)
            while not sess.should_stop():
                sess.run_step_fn(step_fn)
            self.assertEqual(sess.raw_session().run(self.step), 2)
            with self.assertRaisesRegex(ValueError, '`step_fn` may either have one'):
                sess.run_step_fn(lambda a, b: None)
            with self.assertRaisesRegex(RuntimeError, 'Run called even after should_stop'):
                sess.run(self.train)
        with self.assertRaisesRegex(RuntimeError, 'Session is already closed.'):
            sess.close()

    def test_end_of_input(self):
        with monitored_session.MonitoredSession() as sess:
            sess.run_step_fn(lambda step_context: step_context.request_stop())
        with self.assertRaisesRegex(KeyError, 'mine'):
            with monitored_session.MonitoredSession() as sess:
                raise KeyError('mine')

    def test_recovers(self):
        failures = [errors.AbortedError(None, None, 'lost'), errors.UnavailableError(None, None,
                                                                                     'gone')]

        class Failing(session_run_hook.SessionRunHook):
            created = 0

            def after_create_session(self, sess, coord):
                self.created += 1

            def before_run(self, run_context):
                if failures:
                    raise failures.pop()
        hook = Failing()
        with monitored_session.MonitoredSession(hooks=[hook]) as sess:
            sess.run(self.train)
        self.assertEqual(hook.created, 3)

    def test_scaffold(self):
        with self.assertRaisesRegex(TypeError, 'copy_from_scaffold is not a Scaffold instance.'):
            monitored_session.Scaffold(copy_from_scaffold=3)
        seen = []
        first = monitored_session.Scaffold(
            init_op=variables.global_variables_initializer(),
            init_fn=lambda scaffold, sess: seen.append((scaffold, sess)))
        second = monitored_session.Scaffold(copy_from_scaffold=first)
        with monitored_session.MonitoredTrainingSession(scaffold=second):
            pass
        self.assertEqual(len(seen), 1)
        self.assertIs(seen[0][0], first)


class HooksTest(_Case):
    def test_arguments(self):
        for wrong, message in (
                (lambda: hooks_lib.StopAtStepHook(), 'One of num_steps or last_step must be'),
                (lambda: hooks_lib.StopAtStepHook(1, 2), 'Only one of num_steps or last_step'),
                (lambda: hooks_lib.LoggingTensorHook([1]), 'either at_end and/or exactly one'),
                (lambda: hooks_lib.LoggingTensorHook([1], 0), 'invalid every_n_iter=0.'),
                (lambda: hooks_lib.SummarySaverHook(), 'Exactly one of scaffold or summary_op'),
                (lambda: hooks_lib.SecondOrStepTimer(), 'Either every_secs or every_steps'),
                (lambda: hooks_lib.SecondOrStepTimer(1, 2), 'Can not provide both every_secs'),
                (lambda: hooks_lib.StepCounterHook(every_n_steps=None), 'exactly one of every_n')):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                wrong()
        with ops.Graph().as_default(), self.assertRaisesRegex(
                RuntimeError, 'Global step should be created to use StopAtStepHook.'):
            monitored_session.MonitoredSession(hooks=[hooks_lib.StopAtStepHook(1)])

    def test_timer(self):
        timer = hooks_lib.SecondOrStepTimer(every_steps=3)
        self.assertTrue(timer.should_trigger_for_step(1))
        self.assertEqual(timer.update_last_triggered_step(1), (None, None))
        self.assertFalse(timer.should_trigger_for_step(1))
        self.assertFalse(timer.should_trigger_for_step(3))
        self.assertTrue(timer.should_trigger_for_step(4))
        self.assertEqual(timer.update_last_triggered_step(5)[1], 4)
        self.assertEqual(timer.last_triggered_step(), 5)

    def test_logging(self):
        tf_logging.set_verbosity(tf_logging.INFO)
        lines = []
        handler = logging.Handler()
        handler.emit = lambda record: lines.append(record.getMessage())
        logging.getLogger('tensorflow').addHandler(handler)
        self.addCleanup(logging.getLogger('tensorflow').removeHandler, handler)
        two = constant_op.constant(2., name='two')
        with monitored_session.MonitoredSession(hooks=[
                hooks_lib.LoggingTensorHook({'t': 'two', 'u': two}, every_n_iter=2)]) as sess:
            for _ in range(3):
                sess.run(self.train)
        logged = [x for x in lines if x.startswith('t = ')]
        self.assertEqual(logged[0], 't = 2.0, u = 2.0')
        self.assertRegex(logged[1], r'^t = 2.0, u = 2.0 \(\d+\.\d{3} sec\)$')
        self.assertEqual(len(logged), 2)

    def test_nan(self):
        nan = constant_op.constant(float('nan'))
        with self.assertRaisesRegex(hooks_lib.NanLossDuringTrainingError,
                                    'NaN loss during training.'):
            with monitored_session.MonitoredSession(hooks=[hooks_lib.NanTensorHook(nan)]) as sess:
                sess.run(self.train)
        with monitored_session.MonitoredSession(
                hooks=[hooks_lib.NanTensorHook(nan, fail_on_nan_loss=False)]) as sess:
            sess.run(self.train)
            self.assertTrue(sess.should_stop())

    def test_listeners(self):
        calls = []

        class Listener(hooks_lib.CheckpointSaverListener):
            def begin(self):
                calls.append('begin')

            def before_save(self, sess, step):
                calls.append('before %d' % step)

            def after_save(self, sess, step):
                calls.append('after %d' % step)
                return step >= 2

            def end(self, sess, step):
                calls.append('end %d' % step)
        hook = hooks_lib.CheckpointSaverHook(self.folder, save_steps=2, listeners=[Listener()])
        with monitored_session.MonitoredSession(hooks=[hook]) as sess:
            while not sess.should_stop():
                sess.run(self.train)
        self.assertEqual(calls, ['begin', 'before 0', 'after 0', 'before 2', 'after 2', 'end 2'])

    def test_summaries(self):
        summary.scalar('loss', self.loss)
        hook = hooks_lib.SummarySaverHook(save_steps=2, output_dir=self.folder,
                                          summary_op=summary.merge_all())
        final = hooks_lib.FinalOpsHook(self.step)
        with monitored_session.MonitoredSession(hooks=[hook, final]) as sess:
            for _ in range(4):
                sess.run(self.train)
        self.assertEqual(final.final_ops_values, 4)
        name, = os.listdir(self.folder)
        steps = [e.step for e in summary_iterator.summary_iterator(
            os.path.join(self.folder, name)) if e.HasField('summary')]
        self.assertEqual(steps, [1, 3])


class SessionManagerTest(_Case):
    def test_not_ready(self):
        ready = variables.report_uninitialized_variables()
        manager = session_manager.SessionManager(ready_op=ready)
        with self.assertRaisesRegex(RuntimeError, 'Model is not initialized and no init_op'):
            manager.prepare_session('')
        with self.assertRaisesRegex(RuntimeError,
                                    'Init operations did not make model ready.  Init op: init, '
                                    'init fn: None, local_init_op: None, error: Variables not '
                                    'initialized: w'):
            manager.prepare_session('', init_op=variables.variables_initializer([self.step]))
        sess, ready = manager.recover_session('')
        self.assertFalse(ready)
        sess.close()
        with self.assertRaisesRegex(errors.DeadlineExceededError,
                                    'Session was not ready after waiting 1 secs.'):
            manager.wait_for_session('', max_wait_secs=1)
        with self.assertRaisesRegex(ValueError, 'If you pass a ready_for_local_init_op you must'):
            session_manager.SessionManager(ready_for_local_init_op=ready)

    def test_prepares(self):
        manager = session_manager.SessionManager(
            ready_op=variables.report_uninitialized_variables())
        with manager.prepare_session('', init_op=variables.global_variables_initializer()) as sess:
            self.assertEqual(sess.run(self.w).tolist(), [0., 0.])


class SupervisorTest(_Case):
    def test_managed(self):
        sv = supervisor.Supervisor(logdir=self.folder, save_model_secs=0)
        with sv.managed_session() as sess:
            for _ in range(3):
                sess.run(self.train)
            self.assertFalse(sv.should_stop())
            sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
        self.assertTrue(sv.should_stop())
        self.assertIn('graph.pbtxt', os.listdir(self.folder))
        with sv.managed_session() as sess:
            self.assertEqual(sess.run(self.step), 3)
        with self.assertRaisesRegex(KeyError, 'mine'):
            with sv.managed_session():
                raise KeyError('mine')
        with self.assertRaisesRegex(RuntimeError, 'Graph is finalized'):
            constant_op.constant(1)

    def test_loop(self):
        sv = supervisor.Supervisor()
        seen = []

        def train(sess, limit):
            seen.append(sess.run(self.train))
            if len(seen) == limit:
                sv.request_stop()
        basic_loops.basic_train_loop(sv, train, args=(3,))
        self.assertEqual(len(seen), 3)

    def test_workers_need_devices(self):
        with self.assertRaisesRegex(ValueError, 'When using replicas, all Variables must have'):
            supervisor.Supervisor(is_chief=False)

    def test_summaries_need_a_writer(self):
        sv = supervisor.Supervisor(summary_writer=None)
        with session.Session() as sess, self.assertRaisesRegex(
                RuntimeError, 'Writing a summary requires a summary writer.'):
            sv.summary_computed(sess, b'')


class EvaluationTest(_Case):
    def test_once(self):
        count = variable_scope.get_variable('n', initializer=0, trainable=False,
                                            collections=[ops.GraphKeys.LOCAL_VARIABLES])
        add = count.assign_add(1)
        value = evaluation._evaluate_once(
            None, eval_ops=add, final_ops=count.value(),
            hooks=[evaluation._StopAfterNEvalsHook(3, log_progress=False)],
            scaffold=monitored_session.Scaffold())
        self.assertEqual(value, 3)


class SyncReplicasTest(_Case):
    def test_one_worker(self):
        opt = sync_replicas_optimizer.SyncReplicasOptimizer(
            gradient_descent.GradientDescentOptimizer(.25), 1)
        with self.assertRaisesRegex(ValueError, 'Should be called after apply_gradients'):
            opt.get_chief_queue_runner()
        grads = opt.compute_gradients(self.loss)
        with self.assertRaisesRegex(ValueError, 'Global step is required to check staleness'):
            opt.apply_gradients(grads)
        train = opt.apply_gradients(grads, global_step=self.step)
        names = [o.name for o in self.graph.get_operations()]
        for name in ('sync_rep_local_step', 'sync_replicas/conditional_accumulator', 'sync_token_q',
                     'dummy_queue', 'sync_token_q_EnqueueMany', 'Fill'):
            self.assertIn(name, names)
        hook = opt.make_session_run_hook(is_chief=True)
        with monitored_session.MonitoredTrainingSession(hooks=[hook],
                                                        stop_grace_period_secs=0.1) as sess:
            for _ in range(4):
                sess.run(train)
            self.assertGreaterEqual(sess.run(self.step), 3)


if __name__ == '__main__':
    unittest.main()
