# SPDX-License-Identifier: Apache-2.0
"""Variables fitted by an optimizer outside the graph, which asks for losses and gradients; scipy's
is one, where there is scipy."""
import itertools

import numpy as np

from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gradients
from leat.python.ops import variables
from leat.python.platform import tf_logging as logging


def _shape(tensor):
    return tuple(dim.value for dim in tensor.get_shape().dims)


def _compute_gradients(tensor, var_list):
    grads = gradients.gradients(tensor, var_list)
    return [g if g is not None else array_ops.zeros_like(v) for v, g in zip(var_list, grads)]


class ExternalOptimizerInterface(object):
    """Kinds say _minimize, which is given functions of a vector that packs all variables."""

    def __init__(self, loss, var_list=None, equalities=None, inequalities=None,
                 var_to_bounds=None, **optimizer_kwargs):
        self._loss = loss
        self._equalities = equalities or []
        self._inequalities = inequalities or []
        self._vars = variables.trainable_variables() if var_list is None else list(var_list)
        self._packed_bounds = self._bounds(var_to_bounds)
        self._update_placeholders = [array_ops.placeholder(v.dtype) for v in self._vars]
        self._var_updates = [
            v.assign(array_ops.reshape(placeholder, _shape(v)))
            for v, placeholder in zip(self._vars, self._update_placeholders)]
        loss_grads = _compute_gradients(loss, self._vars)
        equality_grads = [_compute_gradients(e, self._vars) for e in self._equalities]
        inequality_grads = [_compute_gradients(e, self._vars) for e in self._inequalities]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_var = self._pack(self._vars)
        self._packed_loss_grad = self._pack(loss_grads)
        self._packed_equality_grads = [self._pack(g) for g in equality_grads]
        self._packed_inequality_grads = [self._pack(g) for g in inequality_grads]
        ends = list(itertools.accumulate(
            [0] + [int(np.prod(_shape(v), dtype=np.int64)) for v in self._vars]))
        self._packing_slices = [slice(a, b) for a, b in zip(ends[:-1], ends[1:])]

    def _bounds(self, var_to_bounds):
        """A pair for each number, or None."""
        if var_to_bounds is None:
            return None
        left, right = [], []
        for var in self._vars:
            low, high = var_to_bounds.get(var, (-np.inf, np.inf))
            left.extend(np.broadcast_to(low, _shape(var)).flat)
            right.extend(np.broadcast_to(high, _shape(var)).flat)
        return list(zip(left, right))

    @classmethod
    def _pack(cls, tensors):
        if not tensors:
            return None
        if len(tensors) == 1:
            return array_ops.reshape(tensors[0], [-1])
        return array_ops.concat([array_ops.reshape(t, [-1]) for t in tensors], 0)

    def minimize(self, session=None, feed_dict=None, fetches=None, step_callback=None,
                 loss_callback=None, **run_kwargs):
        """Fits the variables, and assigns them what was found."""
        session = session or ops.get_default_session()
        feed_dict, fetches = feed_dict or {}, fetches or []
        loss_callback = loss_callback or (lambda *fetches: None)
        step_callback = step_callback or (lambda xk: None)

        def functions(tensors):
            return [self._make_eval_func(t, session, feed_dict, []) for t in tensors]
        found = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=self._make_eval_func([self._loss, self._packed_loss_grad], session,
                                                feed_dict, fetches, loss_callback),
            equality_funcs=functions(self._equalities),
            equality_grad_funcs=functions(self._packed_equality_grads),
            inequality_funcs=functions(self._inequalities),
            inequality_grad_funcs=functions(self._packed_inequality_grads),
            packed_bounds=self._packed_bounds, step_callback=step_callback,
            optimizer_kwargs=self.optimizer_kwargs)
        values = [found[part] for part in self._packing_slices]
        session.run(self._var_updates,
                    feed_dict=dict(zip(self._update_placeholders, values)), **run_kwargs)

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs,
                  inequality_funcs, inequality_grad_funcs, packed_bounds, step_callback,
                  optimizer_kwargs):
        raise NotImplementedError('To use ExternalOptimizerInterface, subclass from it and '
                                  'implement the _minimize() method.')

    def _make_eval_func(self, tensors, session, feed_dict, fetches, callback=None):
        """A function of the packed vector."""
        single = not isinstance(tensors, list)
        asked = [tensors] if single else tensors

        def eval_func(x):
            fed = {var: x[part].reshape(_shape(var))
                   for var, part in zip(self._vars, self._packing_slices)}
            fed.update(feed_dict)
            out = session.run(asked + list(fetches), feed_dict=fed)
            if callback is not None:
                callback(*out[len(asked):])
            return out[0] if single else out[:len(asked)]
        return eval_func


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """scipy.optimize.minimize: L-BFGS-B, or SLSQP where there are constraints."""

    _DEFAULT_METHOD = 'L-BFGS-B'

    def _minimize(self, initial_val, loss_grad_func, equality_funcs, equality_grad_funcs,
                  inequality_funcs, inequality_grad_funcs, packed_bounds, step_callback,
                  optimizer_kwargs):
        def loss_grad_func_wrapper(x):
            loss, gradient = loss_grad_func(x)
            return loss, gradient.astype('float64')
        optimizer_kwargs = dict(optimizer_kwargs.items())
        method = optimizer_kwargs.pop('method', self._DEFAULT_METHOD)
        constraints = [
            {'type': kind, 'fun': func, 'jac': grad_func}
            for kind, funcs, grads in (('eq', equality_funcs, equality_grad_funcs),
                                       ('ineq', inequality_funcs, inequality_grad_funcs))
            for func, grad_func in zip(funcs, grads)]
        given = {'jac': True, 'callback': step_callback, 'method': method,
                 'constraints': constraints, 'bounds': packed_bounds}
        for key in given:
            if key not in optimizer_kwargs:
                continue
            if key == 'bounds':
                raise ValueError('Bounds must be set using the var_to_bounds argument')
            raise ValueError('Optimizer keyword arg \'{}\' is set automatically and cannot be '
                             'injected manually'.format(key))
        given.update(optimizer_kwargs)
        import scipy.optimize
        result = scipy.optimize.minimize(loss_grad_func_wrapper, initial_val, **given)
        message = result.message
        if isinstance(message, bytes):
            message = message.decode()
        logging.info('Optimization terminated with:\n  Message: %s\n  Objective function value: '
                     '%f\n  Number of iterations: %d\n  Number of functions evaluations: %d',
                     message, result.fun, result.nit, result.nfev)
        return result['x']
