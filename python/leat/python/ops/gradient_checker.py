# SPDX-License-Identifier: Apache-2.0
"""Gradients of graphs compared with differences of values (tf.test.compute_gradient)."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import gen_array_ops
from leat.python.ops import gradients
from leat.python.platform import tf_logging as logging
from leat.python.util import deprecation


def _product(t):
    return int(np.prod(t)) if not isinstance(t, int) else t


def _merged(a, b):
    made = dict(a)
    made.update(b)
    return made


def _parts(dtype):
    """How many real numbers an element is."""
    return 2 if dtype.is_complex else 1


def _compute_theoretical_jacobian(x, x_shape, x_data, dy, dy_shape, dx, extra_feed_dict):
    """One row an element of x, one column an element of y: the graph's gradient, a column a run."""
    if x.dtype.is_complex:
        x_shape = tuple(x_shape) + (2,)
    dy_factor = _parts(dy.dtype)
    x_size, dy_size = _product(x_shape), _product(dy_shape) * dy_factor
    jacobian = np.zeros((x_size, dy_size), dtype=x.dtype.real_dtype.as_numpy_dtype)
    dy_data = np.zeros(dy_shape, dtype=dy.dtype.as_numpy_dtype)
    dy_flat = dy_data.ravel().view(dy.dtype.real_dtype.as_numpy_dtype)
    sess = ops.get_default_session()
    for col in range(dy_size):
        dy_flat[col] = 1
        feeds = _merged(extra_feed_dict or {}, {x: x_data, dy: dy_data})
        if isinstance(dx, ops.IndexedSlices):
            indices, values = sess.run([dx.indices, dx.values], feed_dict=feeds)
            for i, v in zip(indices, values):
                r0 = i * v.size
                jacobian[r0:r0 + v.size, col] += v.flat
        else:
            back = sess.run(dx, feed_dict=feeds)
            jacobian[:, col] = back.ravel().view(jacobian.dtype)
        dy_flat[col] = 0
    if dy_size == 0:  # the shape of what comes back is checked all the same
        backprop = sess.run(dx, feed_dict=_merged(extra_feed_dict or {}, {x: x_data, dy: dy_data}))
        if backprop.shape != x_data.shape:
            raise ValueError('Empty gradient has wrong shape: expected %s, got %s'
                             % (x_data.shape, backprop.shape))
        if np.any(backprop):
            raise ValueError('Empty tensor with nonzero gradients')
    return jacobian


def _compute_numeric_jacobian(x, x_shape, x_data, y, y_shape, delta, extra_feed_dict):
    """The same by differences of y."""
    if x.dtype == dtypes.bfloat16:
        x = gen_array_ops.identity(x)
    x_size = _product(x_shape) * _parts(x.dtype)
    y_size = _product(y_shape) * _parts(y.dtype)
    x_dtype, y_dtype = (t.dtype.real_dtype.as_numpy_dtype for t in (x, y))
    x_data = np.asarray(x_data, dtype=x.dtype.as_numpy_dtype)
    scale = np.asarray(2 * delta, dtype=y_dtype)[()]
    jacobian = np.zeros((x_size, y_size), dtype=x_dtype)
    for row in range(x_size):
        pos, neg = x_data.copy(), x_data.copy()
        pos.ravel().view(x_dtype)[row] += delta
        neg.ravel().view(x_dtype)[row] -= delta
        y_pos = y.eval(feed_dict=_merged(extra_feed_dict or {}, {x: pos}))
        y_neg = y.eval(feed_dict=_merged(extra_feed_dict or {}, {x: neg}))
        diff = np.asarray((y_pos - y_neg) / scale)
        jacobian[row, :] = diff.ravel().view(y_dtype)
    logging.vlog(1, 'Numeric Jacobian =\n%s', jacobian)
    return jacobian


def _compute_dx_and_dy(x, y, y_shape):
    """The gradient by x, and the tensor to feed y's gradient to."""
    with x.graph.as_default():
        dy_orig = constant_op.constant(1.0, shape=y_shape, dtype=y.dtype)
        dy = gen_array_ops.identity(dy_orig)
    grads = gradients.gradients(y, x, dy)
    assert len(grads) == 1
    return grads[0], dy_orig


def _compute_gradient(x, x_shape, dx, y, y_shape, dy, x_init_value=None, delta=1e-3,
                      extra_feed_dict=None):
    t = dtypes.as_dtype(x.dtype)
    allowed = [dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.complex64,
               dtypes.complex128]
    assert t.base_dtype in allowed, "Don't support type %s for x" % t.name
    t2 = dtypes.as_dtype(y.dtype)
    assert t2.base_dtype in allowed, "Don't support type %s for y" % t2.name
    if x_init_value is not None:
        i_shape = list(x_init_value.shape)
        assert list(x_shape) == i_shape, 'x_shape = %s, init_data shape = %s' % (x_shape, i_shape)
        x_data = x_init_value
    else:
        x_data = np.random.random_sample(x_shape).astype(t.as_numpy_dtype)
        if t.is_complex:
            x_data.imag = np.random.random_sample(x_shape)
    jacob_t = _compute_theoretical_jacobian(x, x_shape, x_data, dy, y_shape, dx, extra_feed_dict)
    jacob_n = _compute_numeric_jacobian(x, x_shape, x_data, y, y_shape, delta, extra_feed_dict)
    return jacob_t, jacob_n


def _compute_gradient_list(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3,
                           init_targets=None, extra_feed_dict=None):
    assert isinstance(x, list)
    dx, dy = zip(*[_compute_dx_and_dy(xi, y, y_shape) for xi in x])
    if init_targets is not None:
        assert isinstance(init_targets, (list, tuple))
        for init in init_targets:
            init.run()
    if x_init_value is None:
        x_init_value = [None] * len(x)
    return [_compute_gradient(xi, x_shapei, dxi, y, y_shape, dyi, x_init_valuei, delta,
                              extra_feed_dict=extra_feed_dict)
            for xi, x_shapei, dxi, dyi, x_init_valuei in zip(x, x_shape, dx, dy, x_init_value)]


@deprecation.deprecated(
    None, 'Use tf.test.compute_gradient in 2.0, which has better support for functions. Note that '
    'the two versions have different usage, so code change is needed.')
def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None,
                     extra_feed_dict=None):
    """(theoretical, numeric) Jacobians of y by x; a list of such for a list of x."""
    if extra_feed_dict is None:
        extra_feed_dict = {}
    if isinstance(x, list):
        return _compute_gradient_list(x, x_shape, y, y_shape, x_init_value, delta, init_targets,
                                      extra_feed_dict=extra_feed_dict)
    if init_targets is not None:
        assert isinstance(init_targets, (list, tuple))
        for init in init_targets:
            init.run()
    dx, dy = _compute_dx_and_dy(x, y, y_shape)
    return _compute_gradient(x, x_shape, dx, y, y_shape, dy, x_init_value, delta, extra_feed_dict)


def _compute_error(grad):
    if isinstance(grad, tuple):
        grad = [grad]
    error = 0
    for j_t, j_n in grad:
        if j_t.size or j_n.size:
            error = np.maximum(error, np.fabs(j_t - j_n).max())
    return error


@deprecation.deprecated(
    None, 'Use tf.test.compute_gradient in 2.0, which has better support for functions. Note that '
    'the two versions have different usage, so code change is needed.')
def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3,
                           init_targets=None, extra_feed_dict=None):
    """The greatest difference between the two Jacobians."""
    return _compute_error(compute_gradient(x, x_shape, y, y_shape, x_init_value, delta,
                                           init_targets, extra_feed_dict=extra_feed_dict))
