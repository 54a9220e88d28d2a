# SPDX-License-Identifier: Apache-2.0
"""Follow the regularised leader."""
from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.ops import math_ops
from leat.python.training import optimizer
from leat.python.training import training_ops


class FtrlOptimizer(optimizer.Optimizer):
    """FTRL-proximal, with l1, l2 and shrinking l2."""

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='Ftrl', accum_name=None, linear_name=None,
                 l2_shrinkage_regularization_strength=0.0):
        super(FtrlOptimizer, self).__init__(use_locking, name)
        for what, value, wrong, must in (
                ('initial_accumulator_value', initial_accumulator_value,
                 initial_accumulator_value < 0.0, 'be positive or zero'),
                ('learning_rate_power', learning_rate_power, learning_rate_power > 0.0,
                 'be negative or zero'),
                ('l1_regularization_strength', l1_regularization_strength,
                 l1_regularization_strength < 0.0, 'be greater than or equal to 0'),
                ('l2_regularization_strength', l2_regularization_strength,
                 l2_regularization_strength < 0.0, 'be greater than or equal to 0'),
                ('l2_shrinkage_regularization_strength', l2_shrinkage_regularization_strength,
                 l2_shrinkage_regularization_strength < 0.0, 'be greater than or equal to 0')):
            if wrong:
                raise ValueError('%s %f needs to %s' % (what, value, must))
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._learning_rate_tensor = None
        self._learning_rate_power_tensor = None
        self._l1_regularization_strength_tensor = None
        self._l2_regularization_strength_tensor = None
        self._l2_shrinkage_regularization_strength_tensor = None
        self._accum_name = accum_name
        self._linear_name = linear_name

    def _create_slots(self, var_list):
        for v in var_list:
            with ops.colocate_with(v):
                val = constant_op.constant(self._initial_accumulator_value,
                                           dtype=v.dtype.base_dtype, shape=v.get_shape())
            self._get_or_make_slot(v, val, 'accum', self._accum_name or self._name)
            self._zeros_slot(v, 'linear', self._linear_name or self._name)

    def _prepare(self):
        def tensor(name):
            value = getattr(self, '_' + name)
            setattr(self, '_%s_tensor' % name, ops.convert_to_tensor(value, name=name))
        for name in ('learning_rate', 'l1_regularization_strength', 'l2_regularization_strength'):
            tensor(name)
        self._l2_shrinkage_regularization_strength_tensor = ops.convert_to_tensor(
            self._l2_shrinkage_regularization_strength,
            name='l2_shrinkage_regularization_strength')
        tensor('learning_rate_power')

    def _apply(self, prefix, targets, grads, dtype):
        def cast(name):
            return math_ops.cast(getattr(self, '_%s_tensor' % name), dtype)
        names = ['learning_rate', 'l1_regularization_strength', 'l2_regularization_strength']
        shrinks = self._l2_shrinkage_regularization_strength > 0.0
        if shrinks:
            names.append('l2_shrinkage_regularization_strength')
        function = getattr(training_ops, prefix + ('ftrl_v2' if shrinks else 'ftrl'))
        return function(*targets, *grads, *[cast(n) for n in names + ['learning_rate_power']],
                        use_locking=self._use_locking)

    def _targets(self, var):
        return [var, self.get_slot(var, 'accum'), self.get_slot(var, 'linear')]

    def _apply_dense(self, grad, var):
        return self._apply('apply_', self._targets(var), [grad], var.dtype.base_dtype)

    def _resource_apply_dense(self, grad, var):
        return self._apply('resource_apply_', [v.handle for v in self._targets(var)], [grad],
                           var.dtype.base_dtype)

    def _apply_sparse(self, grad, var):
        return self._apply('sparse_apply_', self._targets(var), [grad.values, grad.indices],
                           var.dtype.base_dtype)

    def _resource_apply_sparse(self, grad, var, indices):
        return self._apply('resource_sparse_apply_', [v.handle for v in self._targets(var)],
                           [grad, indices], grad.dtype)
