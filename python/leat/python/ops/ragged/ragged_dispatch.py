# SPDX-License-Identifier: Apache-2.0
"""Functions on tensors, taught to take RaggedTensors.

Elementwise functions run on the flat values, after broadcasting where there are two; others have a
ragged function of their own. Registered once, with the first import of ragged_tensor.
"""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import bitwise_ops
from leat.python.ops import clip_ops
from leat.python.ops import data_flow_ops
from leat.python.ops import gen_bitwise_ops
from leat.python.ops import math_ops
from leat.python.ops import parsing_ops
from leat.python.ops import string_ops
from leat.python.ops.ragged import ragged_functional_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.util import dispatch
from leat.python.util import tf_decorator
from leat.python.util import tf_inspect


def _convert(value):
    return ragged_tensor.convert_to_tensor_or_ragged_tensor(value)


class UnaryRaggedElementwiseDispatcher(dispatch.OpDispatcher):
    """A function whose first argument (or each item of it, where it is a list) may be ragged."""

    def __init__(self, original_op, arg_is_list=False):
        self._original_op = original_op
        self._arg_is_list = arg_is_list
        self._x = next(iter(tf_inspect.getfullargspec(original_op).args))

    def handle(self, args, kwargs):
        if args:
            x, args = args[0], args[1:]
        else:
            kwargs = dict(kwargs)
            x = kwargs.pop(self._x, None)
        if x is None:
            return self.NOT_SUPPORTED
        if self._arg_is_list:
            if not isinstance(x, (list, tuple)) or not any(ragged_tensor.is_ragged(v) for v in x):
                return self.NOT_SUPPORTED
            x = ragged_tensor.match_row_splits_dtypes(*[_convert(v) for v in x])
            return ragged_functional_ops.map_flat_values(self._original_op, list(x), *args,
                                                         **kwargs)
        if not ragged_tensor.is_ragged(x):
            return self.NOT_SUPPORTED
        return ragged_functional_ops.map_flat_values(self._original_op, x, *args, **kwargs)


class BinaryRaggedElementwiseDispatcher(dispatch.OpDispatcher):
    """A function of two tensors, either of which may be ragged."""

    def __init__(self, original_op):
        self._original_op = original_op
        names = tf_inspect.getfullargspec(original_op).args
        self._x, self._y = names[0], names[1]

    def handle(self, args, kwargs):
        values, rest, kwargs = [], list(args), dict(kwargs)
        for name in (self._x, self._y):
            values.append(rest.pop(0) if rest else kwargs.pop(name, None))
        if not any(ragged_tensor.is_ragged(v) for v in values):
            return self.NOT_SUPPORTED
        try:
            x, y = self._converted(*values)
        except (TypeError, ValueError):
            return self.NOT_SUPPORTED
        x, y = ragged_tensor.match_row_splits_dtypes(x, y)
        if not _same_rows(x, y):
            x, y = _broadcast(x, y)
        x_values = x.flat_values if ragged_tensor.is_ragged(x) else x
        y_values = y.flat_values if ragged_tensor.is_ragged(y) else y
        mapped = self._original_op(x_values, y_values, *rest, **kwargs)
        return x.with_flat_values(mapped) if ragged_tensor.is_ragged(x) else \
            y.with_flat_values(mapped)

    @staticmethod
    def _converted(x, y):
        if ragged_tensor.is_ragged(x):
            return _convert(x), ragged_tensor.convert_to_tensor_or_ragged_tensor(
                y, preferred_dtype=x.dtype) if not ragged_tensor.is_ragged(y) else _convert(y)
        y = _convert(y)
        return ragged_tensor.convert_to_tensor_or_ragged_tensor(x, preferred_dtype=y.dtype), y


def _same_rows(x, y):
    """Whether nothing has to be repeated, as far as the graph tells."""
    if ragged_tensor.is_ragged(x) and ragged_tensor.is_ragged(y):
        splits_x, splits_y = x.nested_row_splits, y.nested_row_splits
        return len(splits_x) == len(splits_y) and \
            all(a is b for a, b in zip(splits_x, splits_y))
    return x.shape.ndims == 0 or y.shape.ndims == 0


def _broadcast(x, y):
    from leat.python.ops.ragged import ragged_tensor_shape as shapes
    shape_x = shapes.RaggedTensorDynamicShape.from_tensor(x)
    shape_y = shapes.RaggedTensorDynamicShape.from_tensor(y)
    both = shapes.broadcast_dynamic_shape(shape_x, shape_y)
    return (shapes.broadcast_to(x, both, broadcast_inner_dimensions=False),
            shapes.broadcast_to(y, both, broadcast_inner_dimensions=False))


class RaggedDispatcher(dispatch.OpDispatcher):
    """A function that another one stands for where one of the named arguments is ragged."""

    def __init__(self, original_op, ragged_op, ragged_args):
        self._ragged_op = ragged_op
        names = tf_inspect.getfullargspec(original_op).args
        self._names = names
        self._args = [(name.strip('[]'), name.startswith('[')) for name in ragged_args]

    def is_supported(self, args, kwargs):
        """Whether an argument is ragged, and none that may not be is no tensor."""
        found = False
        for name, is_list in self._args:
            at = self._names.index(name)
            value = args[at] if at < len(args) else kwargs.get(name)
            if value is None:
                continue
            if is_list:
                if isinstance(value, (list, tuple)):
                    found = found or any(ragged_tensor.is_ragged(v) for v in value)
            elif ragged_tensor.is_ragged(value):
                found = True
        return found

    def handle(self, args, kwargs):
        if not self.is_supported(args, kwargs):
            return self.NOT_SUPPORTED
        return self._ragged_op(*args, **kwargs)


def _unary():
    """Functions of one ragged argument."""
    return [array_ops.check_numerics, array_ops.identity, array_ops.ones_like, array_ops.zeros_like,
            bitwise_ops.invert, clip_ops.clip_by_value, math_ops.abs, math_ops.acos, math_ops.acosh,
            math_ops.angle, math_ops.asin, math_ops.asinh, math_ops.atan, math_ops.atanh,
            math_ops.cast, math_ops.ceil, math_ops.conj, math_ops.cos, math_ops.cosh,
            math_ops.digamma, math_ops.erf, math_ops.erfc, math_ops.exp, math_ops.expm1,
            math_ops.floor, math_ops.imag, math_ops.is_finite, math_ops.is_inf, math_ops.is_nan,
            math_ops.lgamma, math_ops.log, math_ops.log1p, math_ops.log_sigmoid,
            math_ops.logical_not, math_ops.negative, math_ops.real, math_ops.reciprocal,
            math_ops.rint, math_ops.round, math_ops.rsqrt, math_ops.saturate_cast, math_ops.sign,
            math_ops.sin, math_ops.sinh, math_ops.sqrt, math_ops.square, math_ops.tan,
            parsing_ops.decode_compressed, string_ops.as_string, string_ops.decode_base64,
            string_ops.encode_base64, string_ops.regex_full_match, string_ops.regex_replace,
            string_ops.string_length, string_ops.string_strip, string_ops.string_to_hash_bucket_v1,
            string_ops.string_to_hash_bucket_fast, string_ops.string_to_hash_bucket_strong,
            string_ops.string_to_number_v1, string_ops.substr, string_ops.unicode_script]


def _binary():
    """Functions of two arguments, either ragged."""
    return [gen_bitwise_ops.bitwise_and, gen_bitwise_ops.bitwise_or, gen_bitwise_ops.bitwise_xor,
            gen_bitwise_ops.left_shift, gen_bitwise_ops.right_shift, math_ops.add, math_ops.atan2,
            math_ops.complex, math_ops.div_no_nan, math_ops.divide, math_ops.equal,
            math_ops.floordiv, math_ops.floormod, math_ops.greater, math_ops.greater_equal,
            math_ops.less, math_ops.less_equal, math_ops.logical_and, math_ops.logical_or,
            math_ops.logical_xor, math_ops.maximum, math_ops.minimum, math_ops.multiply,
            math_ops.not_equal, math_ops.pow, math_ops.realdiv, math_ops.squared_difference,
            math_ops.subtract, math_ops.truediv, math_ops.truncatediv, math_ops.truncatemod]


def _own():
    """(function, the one for ragged arguments, the arguments that may be ragged: [x] a list)."""
    from leat.python.ops.ragged import ragged_array_ops as arrays
    from leat.python.ops.ragged import ragged_batch_gather_ops as batch_gathers
    from leat.python.ops.ragged import ragged_concat_ops as concats
    from leat.python.ops.ragged import ragged_gather_ops as gathers
    from leat.python.ops.ragged import ragged_math_ops as math
    from leat.python.ops.ragged import ragged_squeeze_op as squeezes
    from leat.python.ops.ragged import ragged_string_ops as strings
    from leat.python.ops.ragged import ragged_where_op as wheres

    def gather(params, indices, validate_indices=None, name=None, axis=0, batch_dims=0):
        return gathers.gather(params, indices, validate_indices, axis or 0, batch_dims, name)

    def gather_nd(params, indices, name=None, batch_dims=0):
        return gathers.gather_nd(params, indices, batch_dims, name)

    def expand_dims(input, axis=None, name=None, dim=None):
        return arrays.expand_dims(input, dim if dim is not None else axis, name)

    def size(input, name=None, out_type=dtypes.int32):
        return arrays.size(input, out_type, name)

    def squeeze(input, axis=None, name=None, squeeze_dims=None):
        return squeezes.squeeze(input, squeeze_dims if squeeze_dims is not None else axis, name)

    def partition(data, partitions, num_partitions, name=None):
        from leat.python.framework import tensor_util
        count = num_partitions if isinstance(num_partitions, int) else \
            tensor_util.constant_value(ops.convert_to_tensor(num_partitions))
        result = arrays.stack_dynamic_partitions(data, partitions, num_partitions, name)
        return [result[i] for i in range(int(count))]

    def reduction(function):
        def reduce(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                   keep_dims=None):
            return function(input_tensor, reduction_indices if axis is None else axis,
                            keep_dims if keepdims is None else keepdims, name)
        return reduce

    def reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None,
                    reduction_indices=None, keepdims=None):
        return strings.reduce_join(inputs, reduction_indices if axis is None else axis,
                                   keep_dims if keepdims is None else keepdims, separator, name)

    rows = [(array_ops.batch_gather, batch_gathers.batch_gather, ['params', 'indices']),
            (array_ops.concat, concats.concat, ['[values]']),
            (array_ops.expand_dims, expand_dims, ['input']),
            (array_ops.gather, gather, ['params', 'indices']),
            (array_ops.gather_nd, gather_nd, ['params', 'indices']),
            (array_ops.one_hot, arrays.ragged_one_hot, ['indices']),
            (array_ops.rank, arrays.rank, ['input']), (array_ops.size, size, ['input']),
            (array_ops.squeeze, squeeze, ['input']),
            (array_ops.stack, concats.stack, ['[values]']),
            (array_ops.tile, arrays.tile, ['input']),
            (array_ops.where, wheres.where, ['condition', 'x', 'y']),
            (data_flow_ops.dynamic_partition, partition, ['data', 'partitions']),
            (string_ops.reduce_join, reduce_join, ['inputs'])]
    for name in ('sum', 'prod', 'min', 'max', 'mean', 'sqrt_n'):
        rows.append((getattr(math_ops, 'unsorted_segment_' + name),
                     getattr(math, 'segment_' + name), ['data', 'segment_ids']))
    for name in ('sum', 'prod', 'min', 'max', 'mean', 'any', 'all'):
        for function in ('reduce_%s', 'reduce_%s_v1'):
            rows.append((getattr(math_ops, function % name),
                         reduction(getattr(math, 'reduce_' + name)), ['input_tensor']))
    return rows


_registered = []


def register_dispatchers():
    """Teaches the functions above about RaggedTensors; once."""
    if _registered:
        return
    _registered.append(True)
    for function in dict.fromkeys(_unary()):
        UnaryRaggedElementwiseDispatcher(function).register(function)
    for function in dict.fromkeys(_binary()):
        BinaryRaggedElementwiseDispatcher(function).register(function)
    for function in (math_ops.add_n, string_ops.string_join):
        UnaryRaggedElementwiseDispatcher(function, arg_is_list=True).register(function)
    seen = []
    for function, ragged_op, names in _own():
        if not any(function is other for other in seen):
            seen.append(function)
            RaggedDispatcher(function, ragged_op, names).register(function)


def ragged_op_list(tf_version=1):
    """The text of documentation that lists these functions."""
    del tf_version
    lines = ['\n\n### Additional ops that support `RaggedTensor`\n']
    functions = list(_unary()) + list(_binary()) + [row[0] for row in _own()]
    names = sorted({tf_decorator.unwrap(f)[1].__name__ for f in functions})
    return '\n'.join(lines + ['* `%s`' % name for name in names])
