# SPDX-License-Identifier: Apache-2.0
"""Optimizers, slots, averages, learning rates: values and nodes are TensorFlow 1.15's."""
import unittest

import numpy as np

from leat.python.client import session
from leat.python.framework import constant_op, dtypes, ops
from leat.python.ops import array_ops, math_ops, variable_scope, variables
from leat.python.training import (
    adadelta, adagrad, adagrad_da, adam, ftrl, gradient_descent, learning_rate_decay, momentum,
    moving_averages, optimizer, proximal_adagrad, proximal_gradient_descent, rmsprop,
    training_util)

# name: (optimizer, (0, 1), (1, 0) and (2, 1) of arange(6) after three steps down the sum of
# squares, and (0, 1) when the loss has its rows 0, 2 and 0 again)
CASES = {
    'sgd': (lambda gs: gradient_descent.GradientDescentOptimizer(0.1),
            (0.512, 1.024, 2.55999994), 0.216),
    'momentum': (lambda gs: momentum.MomentumOptimizer(0.1, 0.9), (0.062, 0.124, 0.31), -0.54),
    'nesterov': (lambda gs: momentum.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
                 (-0.10835, -0.2167, -0.54176), -0.4333),
    'adam': (lambda gs: adam.AdamOptimizer(0.1), (0.70159, 1.70062, 4.70021), 0.70159),
    'adagrad': (lambda gs: adagrad.AdagradOptimizer(0.1), (0.7823, 1.7763, 4.7733), 0.78092),
    'adadelta': (lambda gs: adadelta.AdadeltaOptimizer(0.1), (0.99986, 1.99986, 4.99986),
                 0.99986),
    'rmsprop': (lambda gs: rmsprop.RMSPropOptimizer(0.1), (0.57452, 1.40537, 4.29958), 0.45231),
    'centered': (lambda gs: rmsprop.RMSPropOptimizer(0.1, centered=True, momentum=.5),
                 (0.36832, 1.07846, 3.88035), 0.16468),
    'ftrl': (lambda gs: ftrl.FtrlOptimizer(0.1, l1_regularization_strength=.01),
             (0.63744, 1.6235, 4.617), 0.70743),
    'ftrl_v2': (lambda gs: ftrl.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=.01),
                (0.63595, 1.6216, 4.61487), 0.70665),
    'adagrad_da': (lambda gs: adagrad_da.AdagradDAOptimizer(0.1, gs),
                   (-0.07959, -0.08979, -0.09596), -0.08014),
    'proximal_adagrad': (
        lambda gs: proximal_adagrad.ProximalAdagradOptimizer(.1, l1_regularization_strength=.01),
        (0.78117, 1.77573, 4.77307), 0.78035),
    'proximal_sgd': (
        lambda gs: proximal_gradient_descent.ProximalGradientDescentOptimizer(
            .1, l2_regularization_strength=.1), (0.49694, 0.99388, 2.48471), 0.20965),
}


# The same for tf.contrib.opt: (2, 1), and (0, 1) of the sparse loss.
EXPECTED = {
    'adamax': (4.7029, 0.7155),
    'lazy': (4.7002, 0.7016),
    'nadam': (4.5431, 0.5568),
    'addsign': (1.08, 0.008),
    'powersign': (0.4752, -0.0635),
    'adamw': (4.5548, 0.6751),
}


def three_steps(make, sparse, use_resource):
    """The variable after three steps, and the optimizer."""
    with ops.Graph().as_default():
        step = training_util.get_or_create_global_step()
        start = np.arange(6, dtype=np.float32).reshape(3, 2)
        var = variables.VariableV1(start, name='a', use_resource=use_resource)
        seen = array_ops.gather(var, [0, 2, 0]) if sparse else var
        opt = make(step)
        train = opt.minimize(math_ops.reduce_sum(math_ops.square(seen)), global_step=step)
        with session.Session() as sess:
            sess.run(variables.global_variables_initializer())
            for _ in range(3):
                sess.run(train)
            value, count = sess.run([var, step])
        return value, count, opt


class ValuesTest(unittest.TestCase):
    def test_dense(self):
        for name, (make, expected, _) in CASES.items():
            for use_resource in (False, True):
                with self.subTest(name, resource=use_resource):
                    value, count, _ = three_steps(make, False, use_resource)
                    np.testing.assert_allclose([value[0, 1], value[1, 0], value[2, 1]], expected,
                                               atol=2e-5)
                    self.assertEqual(count, 3)

    def test_sparse(self):
        for name, (make, dense, expected) in CASES.items():
            for use_resource in (False, True):
                with self.subTest(name, resource=use_resource):
                    value, _, _ = three_steps(make, True, use_resource)
                    self.assertAlmostEqual(float(value[0, 1]), expected, delta=2e-5)
                    self.assertEqual(value[1].tolist(), [2.0, 3.0])  # no gradient for it
                    self.assertAlmostEqual(float(value[2, 1]), dense[2], delta=2e-5)


class NodesTest(unittest.TestCase):
    def setUp(self):
        self.graph = ops.Graph()
        context = self.graph.as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def minimize(self, opt, **kwargs):
        self.var = variables.VariableV1([1., 2.], name='a')
        return opt.minimize(math_ops.reduce_sum(math_ops.square(self.var)), **kwargs)

    def test_adam(self):
        opt = adam.AdamOptimizer()
        train = self.minimize(opt)
        names = [o.name for o in self.graph.get_operations()]
        self.assertEqual(
            [n for n in names if n.startswith('Adam')],
            ['Adam/learning_rate', 'Adam/beta1', 'Adam/beta2', 'Adam/epsilon',
             'Adam/update_a/ApplyAdam', 'Adam/mul', 'Adam/Assign', 'Adam/mul_1', 'Adam/Assign_1',
             'Adam'])
        self.assertEqual(train.name, 'Adam')
        self.assertEqual([v.name for v in opt.variables()],
                         ['a/Adam:0', 'a/Adam_1:0', 'beta1_power:0', 'beta2_power:0'])
        self.assertEqual(opt.get_slot_names(), ['m', 'v'])
        self.assertEqual(opt.get_slot(self.var, 'm').op.name, 'a/Adam')
        self.assertEqual(opt.get_slot(self.var, 'm').op.colocation_groups(), [b'loc:@a'])
        self.assertIsNone(opt.get_slot(self.var, 'none'))
        self.assertEqual(self.graph.get_collection(ops.GraphKeys.TRAIN_OP), [train])
        self.assertEqual([v.name for v in variables.trainable_variables()], ['a:0'])

    def test_global_step(self):
        step = training_util.create_global_step()
        train = self.minimize(gradient_descent.GradientDescentOptimizer(.1), global_step=step,
                              name='mine')
        self.assertEqual((train.name, train.type), ('mine', 'AssignAdd'))
        self.assertEqual([i.name for i in train.control_inputs], [])
        value = train.inputs[1].op
        self.assertEqual([c.name for c in value.control_inputs], ['mine/update'])
        self.assertIs(training_util.get_global_step(), step)
        with self.assertRaisesRegex(ValueError, '"global_step" already exists.'):
            training_util.create_global_step()

    def test_errors(self):
        loss = constant_op.constant(1.)
        opt = gradient_descent.GradientDescentOptimizer(.1)
        with self.assertRaisesRegex(ValueError, 'No variables to optimize.'):
            opt.minimize(loss)
        var = variables.VariableV1(1., name='v')
        with self.assertRaisesRegex(ValueError, 'No gradients provided for any variable, check'):
            opt.minimize(loss)
        with self.assertRaisesRegex(ValueError, 'No gradients provided for any variable: '):
            opt.apply_gradients([(None, var)])
        with self.assertRaisesRegex(ValueError, 'No variables provided.'):
            opt.apply_gradients([])
        with self.assertRaisesRegex(ValueError, 'gate_gradients must be one of'):
            opt.compute_gradients(loss, gate_gradients=3)
        with self.assertRaisesRegex(ValueError, r"Invalid type tf.int32 for Const_1:0"):
            opt.compute_gradients(constant_op.constant(1))
        with self.assertRaisesRegex(NotImplementedError, 'Trying to update a Tensor'):
            opt.apply_gradients([(loss, loss)])
        with self.assertRaisesRegex(ValueError, 'Must specify the optimizer name'):
            gradient_descent.GradientDescentOptimizer(.1, name='')
        with self.assertRaisesRegex(ValueError, 'initial_accumulator_value must be positive: 0'):
            adagrad.AdagradOptimizer(.1, initial_accumulator_value=0)
        with self.assertRaisesRegex(ValueError, 'learning_rate_power 1.0+ needs to be negative'):
            ftrl.FtrlOptimizer(.1, learning_rate_power=1)

    def test_subclass(self):
        """A program's own optimizer, with slots, a shared tensor and a variable of its own."""
        class Mine(optimizer.Optimizer):
            def __init__(self):
                super().__init__(False, 'Mine')

            def _create_slots(self, var_list):
                for v in var_list:
                    self._get_or_make_slot(v, constant_op.constant([5., 5.]), 'five', self._name)
                self._create_non_slot_variable(2., 'own', var_list[0])

            def _prepare(self):
                self._rate = ops.convert_to_tensor(self._call_if_callable(lambda: .5), name='r')

            def _apply_dense(self, grad, var):
                own = self._get_non_slot_variable('own', graph=ops.get_default_graph())
                five = self.get_slot(var, 'five')
                return var.assign_sub(self._rate * own * five * grad)
        opt = Mine()
        train = self.minimize(opt)
        with session.Session() as sess:
            sess.run(variables.global_variables_initializer())
            sess.run(train)
            self.assertEqual(sess.run(self.var).tolist(), [-9., -18.])
        self.assertEqual([v.name for v in opt.variables()], ['a/Mine:0', 'own:0'])

    def test_constraint(self):
        var = variable_scope.get_variable(
            'c', initializer=[1., -1.], constraint=lambda x: math_ops.maximum(x, 0.))
        train = gradient_descent.GradientDescentOptimizer(.5).minimize(
            math_ops.reduce_sum(var))
        with session.Session() as sess:
            sess.run(variables.global_variables_initializer())
            sess.run(train)
            self.assertEqual(sess.run(var).tolist(), [.5, 0.])


class LateReadsTest(unittest.TestCase):
    def test_after_updates(self):
        """What waits for an update and then reads the variable reads it after the update."""
        with ops.Graph().as_default(), session.Session() as sess:
            w = variables.VariableV1([1., 2.])
            update = w.assign_add([10., 10.])
            with ops.control_dependencies([update]):
                same, product, total = array_ops.identity(w), w * 2., math_ops.reduce_sum(w)
            train = gradient_descent.GradientDescentOptimizer(1.).minimize(
                math_ops.reduce_sum(w * w))
            with ops.control_dependencies([train]):
                after = array_ops.identity(w)
            ema = moving_averages.ExponentialMovingAverage(.5)
            with ops.control_dependencies([w.assign([3., 3.]).op]):
                average = ema.apply([w])
            sess.run(variables.global_variables_initializer())
            same, product, total = sess.run([same, product, total])
            self.assertEqual(same.tolist(), [11., 12.])
            self.assertEqual(product.tolist(), [22., 24.])
            self.assertEqual(total, 23.)
            self.assertEqual(sess.run(after).tolist(), [-11., -12.])
            sess.run(average)
            self.assertEqual(sess.run(ema.average(w)).tolist(), [2., 2.5])


    def test_fetched_with_updates(self):
        """A variable that is fetched with its update: its value after it, branches or not."""
        with ops.Graph().as_default(), session.Session() as sess:
            w = variables.VariableV1([1.])
            step = training_util.get_or_create_global_step()
            train = gradient_descent.GradientDescentOptimizer(.25).minimize(
                math_ops.reduce_sum(w * w), global_step=step)
            read = training_util._get_or_create_global_step_read()  # has a cond
            sess.run(variables.global_variables_initializer())
            for i in range(20):
                _, _, value = sess.run([train, read, w])
                self.assertEqual(value.tolist(), [.5 ** (i + 1)])


class RatesTest(unittest.TestCase):
    RATES = (
        (lambda s: learning_rate_decay.exponential_decay(.1, s, 10, .9), (.1, .094868, .09)),
        (lambda s: learning_rate_decay.exponential_decay(.1, s, 10, .9, staircase=True),
         (.1, .1, .09)),
        (lambda s: learning_rate_decay.piecewise_constant(s, [3, 10], [.1, .2, .3]),
         (.1, .2, .2)),
        (lambda s: learning_rate_decay.polynomial_decay(.1, s, 10), (.1, .05005, .0001)),
        (lambda s: learning_rate_decay.polynomial_decay(.1, s, 10, cycle=True, power=.5),
         (.1, .07074, .0001)),
        (lambda s: learning_rate_decay.cosine_decay(.1, s, 10, .1), (.1, .055, .01)),
        (lambda s: learning_rate_decay.cosine_decay_restarts(.1, s, 10), (.1, .05, .1)),
        (lambda s: learning_rate_decay.linear_cosine_decay(.1, s, 10), (.1001, .0251, .0001)),
        (lambda s: learning_rate_decay.inverse_time_decay(.1, s, 10, .9), (.1, .0689655,
                                                                           .0526316)),
        (lambda s: learning_rate_decay.natural_exp_decay(.1, s, 10, .9), (.1, .0637628,
                                                                          .0406570)),
    )

    def test_rates(self):
        for i, (make, expected) in enumerate(self.RATES):
            with self.subTest(i), ops.Graph().as_default():
                step = array_ops.placeholder(dtypes.int64, [])
                rate = make(step)
                with session.Session() as sess:
                    values = [sess.run(rate, {step: s}) for s in (0, 5, 10)]
                np.testing.assert_allclose(values, expected, rtol=2e-5)

    def test_piecewise_types(self):
        with ops.Graph().as_default():
            step = array_ops.placeholder(dtypes.int64, [])
            with self.assertRaisesRegex(ValueError, r'Boundaries \(.*float32.*int64'):
                learning_rate_decay.piecewise_constant(step, [3.], [.1, .2])


class AveragesTest(unittest.TestCase):
    EXPECTED = {
        '{}': [[1.1, 2.1, .4, .6], [1.29, 2.29, .96, 1.34], [1.561, 2.561, 1.664, 2.206]],
        "{'num_updates': 5}": [[1.6, 2.6, 2.4, 3.6], [2.44, 3.44, 4.56, 6.24],
                               [3.376, 4.376, 6.624, 8.496]],
        "{'zero_debias': True}": [[1.1, 2.1, 4., 6.], [1.29, 2.29, 5.0526, 7.0526],
                                  [1.561, 2.561, 6.1402, 8.1402]],
    }

    def test_averages(self):
        for kwargs in ({}, {'num_updates': 5}, {'zero_debias': True}):
            with self.subTest(**kwargs), ops.Graph().as_default():
                a = variables.VariableV1([1., 2.], name='a')
                t = a * 2
                ema = moving_averages.ExponentialMovingAverage(.9, **kwargs)
                update = ema.apply([a, t])
                self.assertEqual(update.name, 'ExponentialMovingAverage')
                self.assertEqual(ema.average(a).op.name, 'a/ExponentialMovingAverage')
                self.assertEqual(ema.average_name(t), 'mul/ExponentialMovingAverage')
                restore = ema.variables_to_restore()
                self.assertIs(restore['a/ExponentialMovingAverage'], a)
                with session.Session() as sess:
                    sess.run(variables.global_variables_initializer())
                    rows = []
                    for _ in range(3):
                        sess.run(a.assign_add([1., 1.]))
                        sess.run(update)
                        rows.append(np.concatenate(sess.run([ema.average(a), ema.average(t)])))
                np.testing.assert_allclose(rows, self.EXPECTED[repr(kwargs)], rtol=1e-4)

    def test_wrong_type(self):
        with ops.Graph().as_default(), self.assertRaisesRegex(
                TypeError, 'The variables must be half, float, or double: Variable:0'):
            moving_averages.ExponentialMovingAverage(.9).apply([variables.VariableV1(1)])


class ContribTest(unittest.TestCase):
    def test_values(self):
        from leat.contrib import opt
        cases = {
            'adamax': (lambda gs: opt.AdaMaxOptimizer(.1), EXPECTED['adamax']),
            'lazy': (lambda gs: opt.LazyAdamOptimizer(.1), EXPECTED['lazy']),
            'nadam': (lambda gs: opt.NadamOptimizer(.1), EXPECTED['nadam']),
            'addsign': (lambda gs: opt.AddSignOptimizer(.1), EXPECTED['addsign']),
            'powersign': (lambda gs: opt.PowerSignOptimizer(.1), EXPECTED['powersign']),
            'adamw': (lambda gs: opt.AdamWOptimizer(.01, .1), EXPECTED['adamw']),
        }
        for name, (make, (dense, sparse)) in cases.items():
            for use_resource in (False, True):
                with self.subTest(name, resource=use_resource):
                    value, _, _ = three_steps(make, False, use_resource)
                    self.assertAlmostEqual(float(value[2, 1]), dense, delta=2e-4)
        for name in ('lazy', 'adamax', 'nadam'):
            make, (_, sparse) = cases[name]
            with self.subTest(name):
                value, _, _ = three_steps(make, True, False)
                self.assertAlmostEqual(float(value[0, 1]), sparse, delta=2e-4)

    def test_averages(self):
        from leat.contrib import opt
        with ops.Graph().as_default(), session.Session() as sess:
            var = variables.VariableV1([1.], name='a')
            mine = opt.MovingAverageOptimizer(gradient_descent.GradientDescentOptimizer(.5),
                                              average_decay=.5)
            train = mine.minimize(math_ops.reduce_sum(var))
            self.assertEqual(train.name, 'train_with_avg')
            swapped = mine.swapping_saver()._var_list
            self.assertEqual(swapped['a'].op.name, 'a/ExponentialMovingAverage')
            sess.run(variables.global_variables_initializer())
            sess.run(train)
            self.assertEqual(sess.run(var).tolist(), [.5])


if __name__ == '__main__':
    unittest.main()
