# SPDX-License-Identifier: Apache-2.0
"""Assertions about ranks, shapes and types. Part of check_ops."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops


def _flow():
    from leat.python.ops import control_flow_ops
    return control_flow_ops


def assert_type(tensor, tf_type, message=None, name=None):
    """TypeError when the tensor is of another type."""
    message = message or ''
    with ops.name_scope(name, 'assert_type', [tensor]):
        tensor = ops.convert_to_tensor(tensor, name='tensor')
        if tensor.dtype != tf_type:
            raise TypeError('%s  %s must be of type %s'
                            % (message, tensor.name, dtypes.as_dtype(tf_type)))
        return _flow().no_op('statically_determined_correct_type')


def assert_type_v2(tensor, tf_type, message=None, name=None):
    assert_type(tensor=tensor, tf_type=tf_type, message=message, name=name)


class _RankError(Exception):
    """What is known of the ranks says that the condition does not hold."""


def _rank_condition(x, ranks, one, static_condition, dynamic_condition, data, summarize):
    """An operation that checks the rank of x against tensors of ranks."""
    for rank in ranks:
        assert_type(rank, dtypes.int32)
    known = [tensor_util.constant_value(rank) for rank in ranks]
    if all(k is not None for k in known):
        if any(k.ndim != 0 for k in known):
            raise ValueError('Rank must be a scalar.')
        x_rank = x.get_shape().ndims
        if x_rank is not None:
            if not static_condition(x_rank, known):
                raise _RankError(x_rank, known)
            return _flow().no_op(name='static_checks_determined_all_ok')
    condition = dynamic_condition(array_ops.rank(x), ranks)
    for rank, value in zip(ranks, known):
        if value is None:
            data_of_rank = ['Rank must be a scalar. Received rank: ', rank]
            check = assert_rank(rank, 0, data=data_of_rank)
            condition = _flow().with_dependencies([check], condition)
    return _flow().Assert(condition, data, summarize=summarize)


def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
    """x has that rank."""
    with ops.name_scope(name, 'assert_rank', [x, rank] + list(data or [])):
        x = ops.convert_to_tensor(x, name='x')
        rank = ops.convert_to_tensor(rank, name='rank')
        message = message or ''
        if data is None:
            data = [message, 'Tensor %s must have rank' % x.name, rank, 'Received shape: ',
                    array_ops.shape(x)]
        try:
            return _rank_condition(
                x, [rank], True, lambda actual, given: actual == given[0],
                lambda actual, given: math_ops.equal(actual, given[0]), data, summarize)
        except _RankError as e:
            raise ValueError('%s.  Tensor %s must have rank %d.  Received rank %d, shape %s'
                             % (message, x.name, e.args[1][0], e.args[0], x.get_shape())) from None


def assert_rank_v2(x, rank, message=None, name=None):
    return assert_rank(x=x, rank=rank, message=message, name=name)


def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name=None):
    """x has that rank or a greater one."""
    with ops.name_scope(name, 'assert_rank_at_least', [x, rank] + list(data or [])):
        x = ops.convert_to_tensor(x, name='x')
        rank = ops.convert_to_tensor(rank, name='rank')
        message = message or ''
        if data is None:
            data = [message, 'Tensor %s must have rank at least' % x.name, rank,
                    'Received shape: ', array_ops.shape(x)]
        try:
            return _rank_condition(
                x, [rank], True, lambda actual, given: actual >= given[0],
                lambda actual, given: math_ops.greater_equal(actual, given[0]), data, summarize)
        except _RankError as e:
            raise ValueError('%s.  Tensor %s must have rank at least %d.  Received rank %d, '
                             'shape %s' % (message, x.name, e.args[1][0], e.args[0],
                                           x.get_shape())) from None


def assert_rank_at_least_v2(x, rank, message=None, name=None):
    return assert_rank_at_least(x=x, rank=rank, message=message, name=name)


def _any_equal(actual, given):
    result = None
    for rank in given:
        same = math_ops.equal(rank, actual)
        result = same if result is None else math_ops.logical_or(result, same)
    return result


def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    """x has one of the ranks."""
    with ops.name_scope(name, 'assert_rank_in', [x] + list(ranks) + list(data or [])):
        x = ops.convert_to_tensor(x, name='x')
        ranks = tuple(ops.convert_to_tensor(rank, name='rank') for rank in ranks)
        message = message or ''
        if data is None:
            data = [message, 'Tensor %s must have rank in' % x.name] + list(ranks) + [
                'Received shape: ', array_ops.shape(x)]
        try:
            return _rank_condition(x, ranks, False, lambda actual, given: actual in given,
                                   _any_equal, data, summarize)
        except _RankError as e:
            raise ValueError('%s.  Tensor %s must have rank in %s.  Received rank %d, shape %s'
                             % (message, x.name, tuple(e.args[1]), e.args[0],
                                x.get_shape())) from None


def assert_rank_in_v2(x, ranks, message=None, name=None):
    return assert_rank_in(x=x, ranks=ranks, message=message, name=name)


def assert_scalar(tensor, name=None, message=None):
    """The tensor, which must be known to be a scalar."""
    with ops.name_scope(name, 'assert_scalar', [tensor]) as scope:
        tensor = ops.convert_to_tensor(tensor, name=scope)
        shape = tensor.get_shape()
        if shape.ndims != 0:
            raise ValueError('%sExpected scalar shape for %s, saw shape: %s.'
                             % (message or '', tensor.name, shape))
        return tensor


def assert_scalar_v2(tensor, message=None, name=None):
    assert_scalar(tensor=tensor, message=message, name=name)


# ---- shapes by symbols ----


def _symbols(symbolic_shape):
    """The symbols of a shape; those that any size may stand for are None."""
    if hasattr(symbolic_shape, 'as_list'):
        symbolic_shape = symbolic_shape.as_list()
    elif isinstance(symbolic_shape, str):
        symbolic_shape = list(symbolic_shape)
    return [None if s in (None, '.') else s for s in symbolic_shape]


def _dims_of(tensor, count):
    """The first sizes of a tensor, as numbers where they are known."""
    shape = array_ops.shape(tensor)
    if tensor.get_shape().ndims is None:
        return [shape[i] for i in range(count)]
    return [shape[i] if size is None else size
            for i, size in enumerate(tensor.get_shape().as_list())]


def assert_shapes_v2(shapes, data=None, summarize=None, message=None, name=None):
    return assert_shapes(shapes, data=data, summarize=summarize, message=message, name=name)


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Sizes that have one symbol are one size, in all tensors."""
    message = message or ''
    items = list(shapes.items()) if isinstance(shapes, dict) else list(shapes)
    with ops.name_scope(name, 'assert_shapes', [items, data]):
        entries = []
        for tensor, symbolic in items:
            symbolic = _symbols(symbolic)
            tensor = ops.convert_to_tensor(tensor)
            entries.append((tensor, symbolic, _dims_of(tensor, len(symbolic))))
        known = {}
        assertions = []
        for x, symbols, _ in entries:
            if len(symbols) == 1:  # a scalar stands for a vector of one
                assertions.append(assert_rank_in(x, (0, 1), data=data, summarize=summarize,
                                                 message=message))
            else:
                assertions.append(assert_rank(x, len(symbols), data=data, summarize=summarize,
                                              message=message))
        for x, symbols, sizes in entries:
            for i, (symbol, size) in enumerate(zip(symbols, sizes)):
                if symbol is not None:
                    check = _check_size(x, i, symbol, size, known, data, summarize, message)
                    assertions += [] if check is None else [check]
        return _flow().group(assertions)


def _check_size(x, i, symbol, size, known, data, summarize, message):
    """An assertion that a size is what its symbol says, None where that is known."""
    if isinstance(symbol, int):
        wanted, origin = symbol, 'Specified explicitly'
    elif symbol in known:
        wanted, origin = known[symbol]
    else:
        known[symbol] = (size, 'Specified by tensor %s dimension %d' % (x.name, i))
        return None
    if isinstance(size, int) and isinstance(wanted, int):
        if size != wanted:
            raise ValueError('%s.  %s.  Tensor %s dimension %s must have size %d.  Received size '
                             '%d, shape %s' % (message, origin, x.name, i, wanted, size,
                                               x.get_shape()))
        return None
    condition = math_ops.equal(ops.convert_to_tensor(size), wanted)
    said = data if data is not None else [
        message, origin, 'Tensor %s dimension' % x.name, i, 'must have size', wanted,
        'Received shape: ', array_ops.shape(x)]
    return _flow().Assert(condition, said, summarize=summarize)
