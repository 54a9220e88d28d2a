# SPDX-License-Identifier: Apache-2.0
"""tf.gradients and tf.hessians."""
from leat.python.framework import ops
from leat.python.ops import gradients_util
from leat.python.ops.gradients_util import AggregationMethod  # noqa: F401
from leat.python.ops.unconnected_gradients import UnconnectedGradients


def gradients(ys, xs, grad_ys=None, name='gradients', colocate_gradients_with_ops=False,
              gate_gradients=False, aggregation_method=None, stop_gradients=None,
              unconnected_gradients=UnconnectedGradients.NONE):
    """d(sum of ys)/d(x) of each x: a Tensor, IndexedSlices, or None."""
    return gradients_util._GradientsHelper(ys, xs, grad_ys, name, colocate_gradients_with_ops,
                                           gate_gradients, aggregation_method, stop_gradients,
                                           unconnected_gradients)


def gradients_v2(ys, xs, grad_ys=None, name='gradients', gate_gradients=False,
                 aggregation_method=None, stop_gradients=None,
                 unconnected_gradients=UnconnectedGradients.NONE):
    return gradients_util._GradientsHelper(ys, xs, grad_ys, name, True, gate_gradients,
                                           aggregation_method, stop_gradients,
                                           unconnected_gradients)


def _hessian_vector_product(ys, xs, v):
    """H v, without H: the gradient of (gradient times v)."""
    from leat.python.ops import array_ops
    from leat.python.ops import math_ops
    length = len(xs)
    if len(v) != length:
        raise ValueError('xs and v must have the same length.')
    grads = gradients(ys, xs)
    assert len(grads) == length
    products = [math_ops.multiply(grad, array_ops.stop_gradient(part))
                for grad, part in zip(grads, v) if grad is not None]
    return gradients(products, xs)


def hessians(ys, xs, name='hessians', colocate_gradients_with_ops=False, gate_gradients=False,
             aggregation_method=None):
    """For each x the second derivatives of the sum of ys, of the shape of x twice."""
    from leat.python.ops import array_ops
    from leat.python.ops import control_flow_ops
    from leat.python.ops import tensor_array_ops
    xs = gradients_util._AsList(xs)
    keywords = {'colocate_gradients_with_ops': colocate_gradients_with_ops,
                'gate_gradients': gate_gradients, 'aggregation_method': aggregation_method}
    made = []
    grads = gradients(ys, xs, **keywords)
    for gradient, x in zip(grads, xs):
        gradient = array_ops.reshape(gradient, [-1])
        n = array_ops.size(x)
        loop_vars = [array_ops.constant(0, 'int32') if hasattr(array_ops, 'constant')
                     else ops.convert_to_tensor(0), tensor_array_ops.TensorArray(x.dtype, n)]
        _, hessian = control_flow_ops.while_loop(
            lambda j, _: j < n,
            lambda j, result: (j + 1, result.write(j, gradients(gradient[j], x)[0])), loop_vars)
        shape = array_ops.shape(x)
        made.append(array_ops.reshape(hessian.stack(), array_ops.concat((shape, shape), 0)))
    return made


def HessiansV2(ys, xs, gate_gradients=False, aggregation_method=None, name='hessians'):
    return hessians(ys, xs, name=name, gate_gradients=gate_gradients,
                    aggregation_method=aggregation_method, colocate_gradients_with_ops=True)
