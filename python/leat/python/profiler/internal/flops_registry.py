# SPDX-License-Identifier: Apache-2.0
"""How many floating point operations an op is: tf.profiler's figures, from the shapes of a node.

Each entry is a function of (graph, node) under the op's name in ops' registry of statistics; it
raises ValueError where a shape that it needs is not known.
"""
from leat.python.framework import graph_util
from leat.python.framework import ops


def _out(graph, node):
    shape = graph_util.tensor_shape_from_node_def_name(graph, node.name)
    shape.assert_is_fully_defined()
    return shape


def _in(graph, node, index):
    shape = graph_util.tensor_shape_from_node_def_name(graph, node.input[index])
    shape.assert_is_fully_defined()
    return shape


def _count(statistic):
    return lambda graph, node: ops.OpStats('flops', statistic(graph, node))


def _each_input(times):
    return lambda graph, node: times * _in(graph, node, 0).num_elements()


def _each_output(times):
    return lambda graph, node: times * _out(graph, node).num_elements()


def _reduction(first, last):
    """`first` for each number that goes in but the first of its sum; `last` for each sum."""
    def count(graph, node):
        n, m = _in(graph, node, 0).num_elements(), _out(graph, node).num_elements()
        return n * first + m * (last - first)
    return count


def _check_layout(node):
    if node.attr['data_format'].s not in (b'', b'NHWC'):
        raise ValueError('Only NHWC format is supported in flops computations')


def _window(node):
    area = 1
    for d in node.attr['ksize'].list.i:
        area *= d
    return area


def _pool(graph, node):
    _check_layout(node)
    return _window(node) * _out(graph, node).num_elements()


def _max_pool_grad(graph, node):
    _check_layout(node)
    n = _in(graph, node, 1).num_elements()
    return _window(node) * n + n


def _avg_pool_grad(graph, node):
    _check_layout(node)
    return _window(node) * _in(graph, node, 1).num_elements() * 2


def _convolution(graph, node):
    """Each output is a sum of products over the filter but for its last dimension."""
    per_output = 1
    kernel = _in(graph, node, 1).as_list()
    _in(graph, node, 0)
    for d in kernel[:-1]:
        per_output *= d
    return 2 * per_output * _out(graph, node).num_elements()


def _depthwise(graph, node):
    _in(graph, node, 0)
    kernel = _in(graph, node, 1).as_list()
    return 2 * kernel[0] * kernel[1] * _out(graph, node).num_elements()


def _convolution_backwards(image_of, filter_of):
    """Of a gradient: what the convolution of the image at these strides is."""
    def count(graph, node):
        _check_layout(node)
        image = image_of(graph, node).as_list()
        elements = filter_of(graph, node).num_elements()
        strides = list(node.attr['strides'].list.i)
        return 2 * image[0] * image[1] * image[2] * elements / (strides[1] * strides[2])
    return count


def _mat_mul(graph, node):
    a = _in(graph, node, 0).as_list()
    k = a[0] if node.attr['transpose_a'].b else a[1]
    return 2 * k * _out(graph, node).num_elements()


def _batch_mat_mul(graph, node):
    """As 1.15 counts: what adj_x says is not asked."""
    return 2 * _in(graph, node, 0).as_list()[-1] * _out(graph, node).num_elements()


def _add_n(graph, node):
    return (len(node.input) - 1) * _out(graph, node).num_elements() if node.input else 0


def _second(graph, node):
    return _in(graph, node, 1)


_COUNTS = {
    'Neg Reciprocal Square Log': _each_input(1),
    'Rsqrt': _each_input(2),
    'RsqrtGrad': _each_output(4),
    'Softmax': _each_input(5),
    'L2Loss': lambda graph, node: 3 * _in(graph, node, 0).num_elements() - 1,
    'BiasAdd': _each_input(1),
    'Add Sub Mul RealDiv Maximum Minimum Pow Greater GreaterEqual Less LessEqual Equal NotEqual '
    'AssignAdd AssignSub': _each_output(1),
    'SquaredDifference': _each_output(2),
    'AddN': _add_n,
    'Sum ArgMax ArgMin BiasAddGrad': _reduction(1, 0),
    'Mean': _reduction(1, 1),
    'AvgPool MaxPool': _pool,
    'MaxPoolGrad': _max_pool_grad,
    'AvgPoolGrad': _avg_pool_grad,
    'Conv2D Conv3D': _convolution,
    'DepthwiseConv2dNative Dilation2D': _depthwise,
    'Conv2DBackpropInput': _convolution_backwards(_out, _second),
    'Conv2DBackpropFilter': _convolution_backwards(lambda g, n: _in(g, n, 0), _out),
    'MatMul': _mat_mul,
    'BatchMatMul': _batch_mat_mul,
}

for _names, _statistic in _COUNTS.items():
    for _name in _names.split():
        ops.RegisterStatistics(_name, 'flops')(_count(_statistic))
