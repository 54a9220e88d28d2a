# SPDX-License-Identifier: Apache-2.0
"""RULES: how each op is made for all iterations of a loop; see pfor.py.

A rule is a function of the converter, the op, and [(input, whether it is stacked)]; it gives the
stack of the op's one output, a list of (output, whether stacked), or NotImplemented.
"""
from leat.python.framework import constant_op
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.parallel_for.pfor import again

RULES = {}


def _rule(names):
    def add(function):
        for name in names.split():
            RULES[name] = function
        return function
    return add


def _rank(value, stacked):
    """How many dimensions it has in one iteration, or None."""
    ndims = value.shape.ndims
    return None if ndims is None else ndims - 1 if stacked else ndims


def _all_stacked(converter, inputs):
    return [v if s else converter.repeat(v) for v, s in inputs]


def _outputs(made):
    if isinstance(made, (list, tuple)):
        return [(t, True) for t in made]
    return [(made, True)]


@_rule('Abs Acos Acosh Angle Asin Asinh Atan Atanh BesselI0e BesselI1e Bitcast Cast Ceil '
       'CheckNumerics ComplexAbs Conj Cos Cosh Digamma Elu Erf Erfc Exp Expm1 Floor Identity Imag '
       'Inv Invert IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p LogicalNot Neg OnesLike '
       'PreventGradient Real Reciprocal Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh '
       'Softplus Softsign Sqrt Square StopGradient Tan Tanh ZerosLike Snapshot AsString '
       'Softmax LogSoftmax MatrixDiag MatrixDiagPart MatrixInverse MatrixDeterminant Cholesky '
       'FFT FFT2D FFT3D IFFT IFFT2D IFFT3D')
def _unary(converter, op, inputs):
    if op.type in ('Softmax', 'LogSoftmax') and _rank(*inputs[0]) is None:
        return NotImplemented
    return again(op, [inputs[0][0]])


def _align(inputs):
    """Inputs that broadcast against each other, with their stacks' first dimensions together."""
    ranks = [_rank(v, s) for v, s in inputs]
    if len(set(ranks)) == 1 and ranks[0] is not None and all(s for _, s in inputs):
        return [v for v, _ in inputs]
    if None in ranks:
        return None
    most = max(ranks)
    return [_with_rank(v, most - r) if s and r < most else v
            for (v, s), r in zip(inputs, ranks)]


def _with_rank(value, more):
    shape = array_ops.shape(value)
    return array_ops.reshape(value, array_ops.concat([shape[:1], [1] * more, shape[1:]], axis=0))


@_rule('Add AddV2 Sub Mul Div DivNoNan RealDiv FloorDiv FloorMod Mod TruncateDiv TruncateMod Pow '
       'Maximum Minimum SquaredDifference Atan2 Less LessEqual Greater GreaterEqual Equal '
       'NotEqual LogicalAnd LogicalOr Xdivy Xlogy MulNoNan Complex Igamma Igammac Zeta Polygamma '
       'BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift SelectV2 ApproximateEqual')
def _broadcasting(converter, op, inputs):
    values = _align(inputs)
    return NotImplemented if values is None else again(op, values)


@_rule('EluGrad InvGrad LeakyReluGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad SeluGrad '
       'SigmoidGrad SoftplusGrad SoftsignGrad SqrtGrad TanhGrad')
def _same_shapes(converter, op, inputs):
    return again(op, _all_stacked(converter, inputs))


@_rule('AddN')
def _add_n(converter, op, inputs):
    return math_ops.add_n(_all_stacked(converter, inputs))


@_rule('Select')
def _select(converter, op, inputs):
    (c, c_stacked), (x, _), _ = inputs
    if _rank(c, c_stacked) is None or _rank(*inputs[1]) is None:
        return NotImplemented
    x, y = _all_stacked(converter, inputs[1:])
    c = c if c_stacked else converter.repeat(c)
    more = x.shape.ndims - c.shape.ndims
    if more > 0:
        shape = array_ops.shape(c)
        c = array_ops.reshape(c, array_ops.concat([shape, [1] * more], axis=0))
        c = math_ops.logical_and(c, array_ops.ones_like(x, dtype='bool'))
    return array_ops.where(c, x, y)


# ---- shapes ----

@_rule('Shape')
def _shape(converter, op, inputs):
    return [(array_ops.shape(inputs[0][0], out_type=op.get_attr('out_type'))[1:], False)]


@_rule('ShapeN')
def _shape_n(converter, op, inputs):
    kind = op.get_attr('out_type')
    return [(array_ops.shape(v, out_type=kind)[1:] if s else
             array_ops.shape(v, out_type=kind), False) for v, s in inputs]


@_rule('Rank')
def _rank_of(converter, op, inputs):
    return [(array_ops.rank(inputs[0][0]) - 1, False)]


@_rule('Size')
def _size(converter, op, inputs):
    kind = op.get_attr('out_type')
    shape = array_ops.shape(inputs[0][0], out_type=kind)
    return [(math_ops.reduce_prod(shape[1:]), False)]


@_rule('Reshape')
def _reshape(converter, op, inputs):
    (x, x_stacked), (shape, shape_stacked) = inputs
    if shape_stacked or not x_stacked:
        return NotImplemented
    n = array_ops.shape(x, out_type=shape.dtype)[:1]
    return array_ops.reshape(x, array_ops.concat([n, shape], axis=0))


@_rule('ExpandDims')
def _expand_dims(converter, op, inputs):
    (x, _), (axis, axis_stacked) = inputs
    if axis_stacked:
        return NotImplemented
    return array_ops.expand_dims(x, axis + math_ops.cast(axis >= 0, axis.dtype))


@_rule('Squeeze')
def _squeeze(converter, op, inputs):
    dims = op.get_attr('squeeze_dims')
    if not dims:
        shape = op.inputs[0].shape
        if not shape.is_fully_defined():
            return NotImplemented
        dims = [i for i, d in enumerate(shape.as_list()) if d == 1]
        if not dims:
            return inputs[0][0]
    return array_ops.squeeze(inputs[0][0], axis=[d + 1 if d >= 0 else d for d in dims])


def _untouched_first(names, before):
    """A rule for ops whose second input says something of each dimension."""
    @_rule(names)
    def rule(converter, op, inputs):
        if any(s for _, s in inputs[1:]) or not inputs[0][1]:
            return NotImplemented
        second = inputs[1][0]
        row = constant_op.constant(before, dtype=second.dtype)
        return again(op, [inputs[0][0], array_ops.concat([row, second], axis=0)] +
                     [v for v, _ in inputs[2:]])
    return rule


_untouched_first('Tile', [1])
_untouched_first('Pad PadV2 MirrorPad', [[0, 0]])


@_rule('Transpose')
def _transpose(converter, op, inputs):
    (x, _), (permutation, stacked) = inputs
    if stacked:
        return NotImplemented
    return array_ops.transpose(x, array_ops.concat([[0], permutation + 1], axis=0))


@_rule('Slice')
def _slice(converter, op, inputs):
    (x, x_stacked), (begin, b_stacked), (size, s_stacked) = inputs
    if b_stacked or s_stacked or not x_stacked:
        return NotImplemented
    return array_ops.slice(x, array_ops.concat([[0], begin], axis=0),
                           array_ops.concat([[-1], size], axis=0))


@_rule('StridedSlice')
def _strided_slice(converter, op, inputs):
    if any(s for _, s in inputs[1:]) or not inputs[0][1]:
        return NotImplemented
    begin, end, strides = [array_ops.concat([[first], v], axis=0)
                           for (v, _), first in zip(inputs[1:], (0, 0, 1))]
    return array_ops.strided_slice(
        inputs[0][0], begin, end, strides, begin_mask=2 * op.get_attr('begin_mask') + 1,
        end_mask=2 * op.get_attr('end_mask') + 1,
        ellipsis_mask=2 * op.get_attr('ellipsis_mask'),
        new_axis_mask=2 * op.get_attr('new_axis_mask'),
        shrink_axis_mask=2 * op.get_attr('shrink_axis_mask'))


@_rule('ConcatV2')
def _concat(converter, op, inputs):
    axis, stacked = inputs[-1]
    if stacked:
        return NotImplemented
    return array_ops.concat(_all_stacked(converter, inputs[:-1]),
                            axis + math_ops.cast(axis >= 0, axis.dtype))


@_rule('Pack')
def _pack(converter, op, inputs):
    axis = op.get_attr('axis')
    return array_ops.stack(_all_stacked(converter, inputs), axis=axis + 1 if axis >= 0 else axis)


@_rule('Unpack')
def _unpack(converter, op, inputs):
    axis = op.get_attr('axis')
    return _outputs(array_ops.unstack(inputs[0][0], num=op.get_attr('num'),
                                      axis=axis + 1 if axis >= 0 else axis))


@_rule('Split')
def _split(converter, op, inputs):
    (axis, axis_stacked), (x, _) = inputs
    if axis_stacked:
        return NotImplemented
    axis += math_ops.cast(axis >= 0, axis.dtype)
    return _outputs(array_ops.split(x, op.get_attr('num_split'), axis))


# ---- sums, products ----

@_rule('Sum Mean Max Min Prod All Any')
def _reduction(converter, op, inputs):
    (x, _), (axis, axis_stacked) = inputs
    if axis_stacked or not inputs[0][1]:
        return NotImplemented
    return again(op, [x, axis + math_ops.cast(axis >= 0, axis.dtype)])


@_rule('ArgMax ArgMin')
def _arg_reduction(converter, op, inputs):
    return _reduction(converter, op, inputs)


@_rule('Cumsum Cumprod')
def _cumulative(converter, op, inputs):
    return _reduction(converter, op, inputs)


@_rule('MatMul')
def _mat_mul(converter, op, inputs):
    (a, a_stacked), (b, b_stacked) = inputs
    ta, tb = op.get_attr('transpose_a'), op.get_attr('transpose_b')
    if a_stacked and not b_stacked and not ta:
        shape = array_ops.shape(a)
        flat = array_ops.reshape(a, [shape[0] * shape[1], shape[2]])
        made = math_ops.matmul(flat, b, transpose_b=tb)
        return array_ops.reshape(made, [shape[0], shape[1], array_ops.shape(made)[1]])
    a, b = _all_stacked(converter, inputs)
    return math_ops.matmul(a, b, transpose_a=ta, transpose_b=tb)


@_rule('BatchMatMul BatchMatMulV2')
def _batch_mat_mul(converter, op, inputs):
    values = _align(inputs)
    if values is None:
        return NotImplemented
    return math_ops.matmul(values[0], values[1], adjoint_a=op.get_attr('adj_x'),
                           adjoint_b=op.get_attr('adj_y'))


@_rule('L2Loss')
def _l2_loss(converter, op, inputs):
    x = inputs[0][0]
    if x.shape.ndims is None:
        return NotImplemented
    return .5 * math_ops.reduce_sum(x * x, axis=list(range(1, x.shape.ndims)))


@_rule('BiasAdd')
def _bias_add(converter, op, inputs):
    (x, _), (_, b_stacked) = inputs
    if b_stacked or op.get_attr('data_format') == b'NCHW':
        return NotImplemented
    return x + inputs[1][0]


@_rule('BiasAddGrad')
def _bias_add_grad(converter, op, inputs):
    x = inputs[0][0]
    if x.shape.ndims is None or op.get_attr('data_format') == b'NCHW':
        return NotImplemented
    return math_ops.reduce_sum(x, axis=list(range(1, x.shape.ndims - 1)))


# ---- picking ----

def _offsets(indices, count):
    """Each iteration's indices, into what lies end to end."""
    n = array_ops.shape(indices)[0]
    shift = math_ops.cast(math_ops.range(n), indices.dtype) * math_ops.cast(count, indices.dtype)
    ones = array_ops.ones_like(array_ops.shape(indices)[1:])
    return indices + array_ops.reshape(shift, array_ops.concat([[n], ones], axis=0))


@_rule('Gather GatherV2')
def _gather(converter, op, inputs):
    (params, p_stacked), (indices, i_stacked) = inputs[:2]
    axis = 0
    if len(inputs) == 3:
        axis = None if inputs[2][1] else tensor_util.constant_value(inputs[2][0])
        if axis is None or op.get_attr('batch_dims'):
            return NotImplemented
        axis = int(axis)
    rank = _rank(params, p_stacked)
    if axis < 0:
        if rank is None:
            return NotImplemented
        axis += rank
    if p_stacked and not i_stacked:
        return array_ops.gather(params, indices, axis=axis + 1)
    if p_stacked:
        if axis:
            return NotImplemented
        shape = array_ops.shape(params)
        flat = array_ops.reshape(params, array_ops.concat([[shape[0] * shape[1]], shape[2:]], 0))
        return array_ops.gather(flat, _offsets(indices, shape[1]))
    made = array_ops.gather(params, indices, axis=axis)
    if not axis:
        return made
    order = array_ops.concat([[axis], math_ops.range(axis),
                              math_ops.range(axis + 1, array_ops.rank(made))], axis=0)
    return array_ops.transpose(made, order)


@_rule('UnsortedSegmentSum')
def _segment_sum(converter, op, inputs):
    (data, _), (ids, _), (number, n_stacked) = inputs
    if n_stacked:
        return NotImplemented
    data, ids = _all_stacked(converter, inputs[:2])
    n = array_ops.shape(ids)[0]
    whole = math_ops.cast(number, n.dtype) * n
    made = math_ops.unsorted_segment_sum(data, _offsets(ids, number), whole)
    tail = array_ops.shape(made)[1:]
    return array_ops.reshape(made, array_ops.concat(
        [[n], array_ops.expand_dims(math_ops.cast(number, n.dtype), 0), tail], axis=0))


# ---- images: iterations and batches are one dimension ----

def _merge(x):
    shape = array_ops.shape(x)
    return array_ops.reshape(x, array_ops.concat([[shape[0] * shape[1]], shape[2:]], axis=0))


def _part(x, n):
    shape = array_ops.shape(x)
    return array_ops.reshape(x, array_ops.concat([[n, shape[0] // n], shape[1:]], axis=0))


@_rule('AvgPool MaxPool Conv2D DepthwiseConv2dNative')
def _over_batch(converter, op, inputs):
    if any(s for _, s in inputs[1:]):
        return NotImplemented
    x = inputs[0][0]
    n = array_ops.shape(x)[0]
    return _part(again(op, [_merge(x)] + [v for v, _ in inputs[1:]]), n)


@_rule('MaxPoolGrad')
def _max_pool_grad(converter, op, inputs):
    values = _all_stacked(converter, inputs)
    return _part(again(op, [_merge(v) for v in values]), array_ops.shape(values[0])[0])


@_rule('Conv2DBackpropInput')
def _conv_backprop_input(converter, op, inputs):
    (sizes, s_stacked), (kernel, k_stacked), (dy, _) = inputs
    if s_stacked or k_stacked:
        return NotImplemented
    n = array_ops.shape(dy)[0]
    sizes = array_ops.concat([sizes[:1] * n, sizes[1:]], axis=0)
    return _part(again(op, [sizes, kernel, _merge(dy)]), n)


# ---- random numbers: others for each iteration ----

@_rule('RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal')
def _random(converter, op, inputs):
    if any(s for _, s in inputs):
        return NotImplemented
    shape = inputs[0][0]
    n = math_ops.cast(array_ops.reshape(converter.n, [1]), shape.dtype)
    shape = array_ops.concat([n, shape], axis=0)
    return again(op, [shape] + [v for v, _ in inputs[1:]])
