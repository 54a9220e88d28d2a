# SPDX-License-Identifier: Apache-2.0
"""tf.config, and tf.random.experimental: what is set is kept, and drawn as 1.15 draws."""
import unittest

import numpy as np

import leat as tf
from leat.python.eager import context
from leat.python.framework import config
from leat.python.framework import ops

Generator = tf.random.experimental.Generator
experimental = tf.config.experimental


def value_of(x):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(x).tolist()


class Config(unittest.TestCase):

    def setUp(self):
        ops.reset_default_graph()
        context.context()._settings.clear()

    tearDown = setUp

    def test_devices(self):
        cpu = experimental.list_physical_devices('CPU')
        self.assertEqual(repr(cpu[0]),
                         "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')")
        self.assertEqual(experimental.list_logical_devices('CPU')[0].name,
                         '/job:localhost/replica:0/task:0/device:CPU:0')
        experimental.set_visible_devices([], 'CPU')
        self.assertEqual(experimental.get_visible_devices('CPU'), [])
        with self.assertRaisesRegex(ValueError, 'Unrecognized device: '):
            experimental.set_visible_devices('x')
        with self.assertRaisesRegex(ValueError, 'memory growth on non-GPU devices'):
            experimental.set_memory_growth(cpu[0], True)

    def test_several_cpus(self):
        cpu = experimental.list_physical_devices('CPU')[0]
        part = experimental.VirtualDeviceConfiguration
        with self.assertRaisesRegex(ValueError, 'memory limit on CPU'):
            experimental.set_virtual_device_configuration(cpu, [part(memory_limit=10)])
        experimental.set_virtual_device_configuration(cpu, [part(), part()])
        with tf.Session() as session:
            names = [d.name for d in session.list_devices() if d.device_type == 'CPU']
        self.assertEqual(len(names), 2)

    def test_what_sessions_run_with(self):
        self.assertIsNone(config.session_config())
        tf.config.threading.set_intra_op_parallelism_threads(2)
        tf.config.threading.set_inter_op_parallelism_threads(3)
        tf.config.optimizer.set_experimental_options({'constant_folding': False})
        tf.config.set_soft_device_placement(True)
        self.assertEqual(tf.config.threading.get_intra_op_parallelism_threads(), 2)
        self.assertIs(tf.config.optimizer.get_experimental_options()['constant_folding'], False)
        made = config.session_config()
        self.assertEqual(made.inter_op_parallelism_threads, 3)
        self.assertTrue(made.allow_soft_placement)
        self.assertEqual(made.graph_options.rewrite_options.constant_folding, 2)
        with tf.Session() as session:
            self.assertEqual(session.run(tf.constant(1) + 1), 2)

    def test_policies(self):
        with self.assertRaisesRegex(ValueError, "Not a valid device policy: 'x'"):
            experimental.set_device_policy('x')
        experimental.set_device_policy('warn')
        self.assertEqual(experimental.get_device_policy(), 'warn')


class Generators(unittest.TestCase):

    def setUp(self):
        ops.reset_default_graph()

    def test_states(self):
        self.assertEqual(value_of(Generator.from_seed(123).state), [123, 0, 0])
        self.assertEqual(value_of(Generator.from_seed([5, 7]).state), [0, 5, 7])
        self.assertEqual(value_of(Generator.from_seed(-1).state), [-1, -1, -1])
        self.assertEqual(value_of(Generator.from_seed(2**70 + 5).state), [5, 64, 0])
        self.assertEqual(value_of(Generator.from_seed(3, alg=2).state), [3, 0])
        self.assertEqual(
            value_of(Generator.from_key_counter(key=7, counter=[1, 2], alg=1).state), [1, 2, 7])
        with self.assertRaisesRegex(ValueError, 'Unsupported algorithm id: 9'):
            Generator.from_seed(1, alg=9)
        with self.assertRaisesRegex(ValueError, r'Shapes \(2,\) and \[3\] are incompatible'):
            Generator(state=[1, 2], alg=1)

    def test_draws(self):
        def drawn(function):
            return np.round(value_of(function(Generator.from_seed(1))), 4).tolist()
        self.assertEqual(drawn(lambda g: g.normal([2, 3])),
                         [[.4384, -.5344, -.0771], [1.5658, -.1012, -.2745]])
        self.assertEqual(drawn(lambda g: g.normal([2], 3., 2., tf.float64)), [5.6096, 1.3198])
        self.assertEqual(drawn(lambda g: g.truncated_normal([2, 3])),
                         [[.4384, -.5344, -.0771], [1.5658, 1.6272, .0414]])
        self.assertEqual(drawn(lambda g: g.uniform([3])), [.7875, .3907, .2926])
        self.assertEqual(drawn(lambda g: g.uniform([5], 3, 9, tf.int32)), [7, 6, 6, 4, 8])
        self.assertEqual(value_of(Generator.from_seed(1).make_seeds(2)),
                         [[6679402142117448868, 684265014234019051], [0, 0]])
        with self.assertRaisesRegex(ValueError, 'Must specify maxval for integer dtype tf.int32'):
            Generator.from_seed(1).uniform([3], dtype=tf.int32)

    def test_each_draw_moves_on(self):
        generator = Generator.from_seed(1)
        made = generator.normal([2])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertNotEqual(session.run(made).tolist(), session.run(made).tolist())

    def test_the_global_one(self):
        tf.random.experimental.set_global_generator(Generator.from_seed(3))
        generator = tf.random.experimental.get_global_generator()
        self.assertEqual(value_of(generator.state), [3, 0, 0])


if __name__ == '__main__':
    unittest.main()
