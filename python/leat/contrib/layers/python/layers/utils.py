# SPDX-License-Identifier: Apache-2.0
"""Names of layers' outputs, and small conversions of arguments."""
import collections

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import smart_cond as smart_module
from leat.python.framework import tensor_util
from leat.python.ops import variables

NamedOutputs = collections.namedtuple('NamedOutputs', ['name', 'outputs'])
__all__ = ['collect_named_outputs', 'constant_value', 'static_cond', 'smart_cond',
           'get_variable_collections', 'two_element_tuple', 'n_positive_integers',
           'channel_dimension', 'last_dimension']


def collect_named_outputs(collections, alias, outputs):
    """Outputs, after they went into the collections under another name."""
    if collections:
        append_tensor_alias(outputs, alias)
        ops.add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor, alias):
    """Gives the tensor one more name."""
    if alias[-1] == '/':
        alias = alias[:-1]
    if hasattr(tensor, 'aliases'):
        tensor.aliases.append(alias)
    else:
        tensor.aliases = [alias]
    return tensor


def gather_tensors_aliases(tensors):
    aliases = []
    for tensor in tensors:
        aliases += get_tensor_aliases(tensor)
    return aliases


def get_tensor_aliases(tensor):
    """The other names of a tensor, else its own."""
    if hasattr(tensor, 'aliases'):
        return tensor.aliases
    if tensor.name[-2:] == ':0':
        return [tensor.op.name]
    return [tensor.name]


def convert_collection_to_dict(collection, clear_collection=False):
    """{name: tensor} of a collection."""
    named = collections.OrderedDict((alias, tensor) for tensor in ops.get_collection(collection)
                                    for alias in get_tensor_aliases(tensor))
    if clear_collection:
        ops.get_default_graph().clear_collection(collection)
    return named


def constant_value(value_or_tensor_or_var, dtype=None):
    """The value where it is known, else None."""
    if value_or_tensor_or_var is None:
        raise ValueError('value_or_tensor_or_var cannot be None')
    value = value_or_tensor_or_var
    if isinstance(value, (ops.Tensor, variables.Variable)):
        if dtype and value.dtype != dtype:
            raise ValueError('It has the wrong type %s instead of %s' % (value.dtype, dtype))
        return None if isinstance(value, variables.Variable) else (
            tensor_util.constant_value(value))
    if dtype is not None and not isinstance(value, dtypes.as_dtype(dtype).as_numpy_dtype):
        if not (dtype == dtypes.bool and isinstance(value, bool)):
            raise ValueError('Value should have type %s' % dtype)
    return value


def static_cond(pred, fn1, fn2):
    """One of the two, by a bool."""
    if not callable(fn1):
        raise TypeError('fn1 must be callable.')
    if not callable(fn2):
        raise TypeError('fn2 must be callable.')
    return fn1() if pred else fn2()


def smart_cond(pred, fn1, fn2, name=None):
    """tf.cond, or just the branch that is taken where pred is known."""
    from leat.python.ops import control_flow_ops
    if not callable(fn1):
        raise TypeError('fn1 must be callable.')
    if not callable(fn2):
        raise TypeError('fn2 must be callable.')
    value = constant_value(pred)
    if value is not None:
        return static_cond(value, fn1, fn2)
    return control_flow_ops.cond(pred, true_fn=fn1, false_fn=fn2, name=name)


def get_variable_collections(variables_collections, name):
    """The collections for the variable of this name."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name, None)
    return variables_collections


def _get_dimension(shape, dim, min_rank=1):
    dims = shape.dims
    if dims is None:
        raise ValueError('dims of shape must be known but is None')
    if len(dims) < min_rank:
        raise ValueError('rank of shape must be at least %d not: %d' % (min_rank, len(dims)))
    value = dims[dim].value
    if value is None:
        raise ValueError('dimension %d of shape must be known but is None: %s' % (dim, shape))
    return value


def channel_dimension(shape, data_format, min_rank=1):
    """The number of channels, which must be known."""
    return _get_dimension(shape, 1 if data_format == 'NCHW' else -1, min_rank=min_rank)


def last_dimension(shape, min_rank=1):
    return _get_dimension(shape, -1, min_rank=min_rank)


def two_element_tuple(int_or_tuple):
    """Two ints: the two, or twice the one."""
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError('Must be a list with 2 elements: %s' % (int_or_tuple,))
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int(int_or_tuple), int(int_or_tuple)
    if hasattr(int_or_tuple, 'as_list') and int_or_tuple.is_fully_defined() and len(
            int_or_tuple.as_list()) == 2:
        return tuple(int_or_tuple.as_list())
    raise ValueError('Must be an int, a list with 2 elements or a TensorShape of length 2')


def n_positive_integers(n, value):
    """n positive ints: the n, or n times the one."""
    if n < 1:
        raise ValueError('n must be a positive integer')
    if isinstance(value, int):
        value = (value,)
    elif hasattr(value, 'as_list'):
        if not value.is_fully_defined():
            raise ValueError('must be a TensorShape that is fully defined')
        value = tuple(value.as_list())
    try:
        value = tuple(int(x) for x in value)
    except (TypeError, ValueError):
        raise ValueError('{} is not a sequence of integers'.format(value)) from None
    if len(value) not in (1, n):
        raise ValueError('must have 1 or {} elements: {}'.format(n, value))
    if any(x < 1 for x in value):
        raise ValueError('expected value to contain positive integers: {}'.format(value))
    return value * n if len(value) == 1 else value
