# SPDX-License-Identifier: Apache-2.0
"""Loss scales: what a loss is multiplied by, so that small gradients do not become 0 in float16.

The optimizer that scales and unscales is in loss_scale_optimizer.py.
"""
import abc

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import variable_scope
from leat.python.training.tracking import base as trackable


class LossScale(trackable.Trackable, metaclass=abc.ABCMeta):
    """Base class of the loss scales: calling it gives the scale of now, update() changes it."""

    def __init__(self):
        self._weights = {}

    @abc.abstractmethod
    def __call__(self):
        """The scale, a scalar float32 tensor."""

    @abc.abstractmethod
    def update(self, grads):
        """(op that updates the scale, whether the gradients are to be applied)."""

    @abc.abstractmethod
    def get_config(self):
        """The arguments that make such a scale again."""

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def _add_weight(self, name, initial_value, dtype=None):
        """A variable that is not trained, and a part under its name in the default graph."""
        variable = variable_scope.variable(initial_value=initial_value, name=name, dtype=dtype,
                                           trainable=False, use_resource=True)
        key = (name, ops.get_default_graph()._graph_key)
        if key in self._weights:
            raise RuntimeError('Duplicate variables detected. %s' % (key,))
        self._weights[key] = variable
        return variable

    @property
    def _checkpoint_dependencies(self):
        graph_key = ops.get_default_graph()._graph_key
        own = [trackable.TrackableReference(name, weight)
               for (name, key), weight in sorted(self._weights.items(), key=lambda item: item[0])
               if key == graph_key]
        return own + super(LossScale, self)._checkpoint_dependencies

    def _lookup_dependency(self, name):
        found = super(LossScale, self)._lookup_dependency(name)
        if found is None:
            found = self._weights.get((name, ops.get_default_graph()._graph_key))
        return found


def get_loss_scale_weights(loss_scale):
    """The variables of a loss scale."""
    return loss_scale._weights.values()


class FixedLossScale(LossScale):
    """Always the same scale."""

    def __init__(self, loss_scale_value):
        super(FixedLossScale, self).__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError('loss_scale_value must be a Python int or float.')
        if loss_scale_value < 1:
            raise ValueError('loss_scale_value must be at least 1.')
        self._loss_scale_value = float(loss_scale_value)

    def __call__(self):
        return ops.convert_to_tensor(self._loss_scale_value)

    def update(self, grads):
        del grads
        return control_flow_ops.no_op(), True

    def __repr__(self):
        return 'FixedLossScale(%s)' % self._loss_scale_value

    def get_config(self):
        return {'loss_scale_value': self._loss_scale_value}


def _is_all_finite(grads):
    """Whether all the gradients that are there are finite, a scalar."""
    finite = [math_ops.reduce_all(math_ops.is_finite(g)) for g in grads if g is not None]
    return math_ops.reduce_all(finite)


def _op_in_graph_mode(tensor):
    """The operation of a tensor, or of what an assignment gives."""
    return tensor.op


def _assign_if_finite(var, value):
    """The op that sets a variable to a value, unless the value is inf or nan."""
    return control_flow_ops.cond(math_ops.is_finite(value),
                                 lambda: _op_in_graph_mode(var.assign(value)),
                                 control_flow_ops.no_op)


class DynamicLossScale(LossScale):
    """Grows by a factor after so many steps with finite gradients, shrinks by it after another."""

    def __init__(self, initial_loss_scale=2 ** 15, increment_period=2000, multiplier=2.):
        super(DynamicLossScale, self).__init__()
        self._initial_loss_scale = float(initial_loss_scale)
        self._increment_period = int(increment_period)
        self._multiplier = float(multiplier)
        self._current_loss_scale = self._add_weight(
            name='current_loss_scale', dtype=dtypes.float32,
            initial_value=self._initial_loss_scale)
        self._num_good_steps = self._add_weight(name='good_steps', dtype=dtypes.int64,
                                                initial_value=0)

    @property
    def initial_loss_scale(self):
        return self._initial_loss_scale

    @property
    def increment_period(self):
        return self._increment_period

    @property
    def multiplier(self):
        return self._multiplier

    def __call__(self):
        return ops.convert_to_tensor(self._current_loss_scale)

    def _after_finite(self):
        """Counts the step; after increment_period of them the scale grows."""
        def grow():
            bigger = self._current_loss_scale * self._multiplier
            return control_flow_ops.group(_assign_if_finite(self._current_loss_scale, bigger),
                                          self._num_good_steps.assign(0))

        def count():
            return _op_in_graph_mode(self._num_good_steps.assign_add(1))
        return control_flow_ops.cond(self._num_good_steps + 1 >= self._increment_period, grow,
                                     count)

    def _after_not_finite(self):
        """The scale shrinks, not below 1."""
        smaller = math_ops.maximum(self._current_loss_scale / self._multiplier, 1)
        return control_flow_ops.group(self._num_good_steps.assign(0),
                                      self._current_loss_scale.assign(smaller))

    def update(self, grads):
        finite = _is_all_finite(grads)
        return control_flow_ops.cond(finite, self._after_finite, self._after_not_finite), finite

    def __repr__(self):
        return ('DynamicLossScale(initial_loss_scale=%s, increment_period=%s, multiplier=%s)'
                % (self.initial_loss_scale, self.increment_period, self.multiplier))

    def get_config(self):
        return {'initial_loss_scale': self.initial_loss_scale,
                'increment_period': self.increment_period, 'multiplier': self.multiplier}


def get(identifier):
    """The loss scale meant by a number, by 'dynamic', or by itself; None for None."""
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == 'dynamic':
        return DynamicLossScale()
    if isinstance(identifier, LossScale) or identifier is None:
        return identifier
    raise ValueError('Could not interpret loss scale identifier: %s' % identifier)
