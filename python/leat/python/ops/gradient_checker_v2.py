# SPDX-License-Identifier: Apache-2.0
"""Gradients of functions compared with differences of values."""
import numpy as np

from leat.python.framework import ops
from leat.python.ops import gen_array_ops
from leat.python.ops import gradients_impl
from leat.python.util import nest


def compute_gradient(f, x, delta=1e-3):
    """(theoretical, numeric) Jacobians of f at the list of values x: each a list, one per x."""
    if not isinstance(x, (list, tuple)):
        raise ValueError('`x` must be a list or tuple of values convertible to a Tensor (arguments '
                         'to `f`), not a %s' % type(x))
    sess = ops.get_default_session()
    if sess is None:
        raise ValueError('compute_gradient needs a default session')
    data = [np.array(v.eval() if isinstance(v, ops.Tensor) else sess.run(ops.convert_to_tensor(v)))
            for v in nest.flatten(x)]
    holders = [gen_array_ops.placeholder(dtype=v.dtype, shape=v.shape) for v in data]
    y = ops.convert_to_tensor(f(*holders))
    feeds = dict(zip(holders, data))
    y_value = np.asarray(sess.run(y, feeds))
    dy = gen_array_ops.placeholder(dtype=y.dtype, shape=y_value.shape)
    grads = gradients_impl.gradients(y, holders, dy)
    theoretical, numeric = [], []
    for i, holder in enumerate(holders):
        theoretical.append(_theoretical(sess, feeds, holder, grads[i], dy, y_value))
        numeric.append(_numeric(sess, feeds, holder, y, y_value, delta))
    return theoretical, numeric


def _real(array):
    return array.ravel().view(array.real.dtype)


def _theoretical(sess, feeds, x, dx, dy, y_value):
    x_value = feeds[x]
    dy_data = np.zeros_like(y_value)
    flat = _real(dy_data)
    jacobian = np.zeros((flat.size, _real(x_value).size), dtype=x_value.real.dtype)
    for row in range(flat.size):
        flat[row] = 1
        if dx is not None:
            back = sess.run(ops.convert_to_tensor(dx), _with(feeds, dy, dy_data))
            jacobian[row, :] = _real(np.ascontiguousarray(back))
        flat[row] = 0
    return jacobian


def _with(feeds, key, value):
    made = dict(feeds)
    made[key] = value
    return made


def _numeric(sess, feeds, x, y, y_value, delta):
    x_value = np.ascontiguousarray(feeds[x])
    jacobian = np.zeros((_real(y_value).size, _real(x_value).size), dtype=x_value.real.dtype)
    for col in range(_real(x_value).size):
        pos, neg = x_value.copy(), x_value.copy()
        _real(pos)[col] += delta
        _real(neg)[col] -= delta
        diff = np.asarray(sess.run(y, _with(feeds, x, pos)) - sess.run(y, _with(feeds, x, neg)))
        slope = diff / np.asarray(2 * delta, diff.real.dtype)
        jacobian[:, col] = _real(np.ascontiguousarray(slope))
    return jacobian


def max_error(grad1, grad2):
    """The greatest difference between two lists of Jacobians."""
    error = 0
    for j_t, j_n in zip(grad1, grad2):
        if j_t.size or j_n.size:
            error = np.maximum(error, np.fabs(j_t - j_n).max())
    return error
