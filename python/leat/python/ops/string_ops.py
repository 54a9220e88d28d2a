# SPDX-License-Identifier: Apache-2.0
"""Strings: matched, split, joined, hashed; a name that is not here is the op's own function."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import gen_parsing_ops
from leat.python.ops import gen_string_ops
from leat.python.ops import math_ops
from leat.python.util import deprecation
from leat.python.util import dispatch

_lookup = deprecation.deprecated_argument_lookup


def __getattr__(name):
    return getattr(gen_string_ops, name)


def _is_text(value):
    return isinstance(value, (str, bytes))


@dispatch.add_dispatch_support
def regex_full_match(input, pattern, name=None):
    """Whether the whole of each string matches."""
    if _is_text(pattern):
        return gen_string_ops.static_regex_full_match(input=input, pattern=pattern, name=name)
    return gen_string_ops.regex_full_match(input=input, pattern=pattern, name=name)


@dispatch.add_dispatch_support
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    """What matches, rewritten."""
    if _is_text(pattern) and _is_text(rewrite):
        return gen_string_ops.static_regex_replace(
            input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global,
            name=name)
    return gen_string_ops.regex_replace(input=input, pattern=pattern, rewrite=rewrite,
                                        replace_global=replace_global, name=name)


def string_format(template, inputs, placeholder='{}', summarize=3, name=None):
    """A text with tensors' values at its placeholders."""
    if isinstance(inputs, (ops.Tensor, np.ndarray)) or not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    if template.count(placeholder) != len(inputs):
        raise ValueError('%s placeholder(s) in template does not match %s tensor(s) provided as '
                         'input' % (template.count(placeholder), len(inputs)))
    return gen_string_ops.string_format(inputs, template=template, placeholder=placeholder,
                                        summarize=summarize, name=name)


def _split_parts(parts):
    indices, values, shape = parts
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return sparse_tensor.SparseTensor(indices=indices, values=values, dense_shape=shape)


def string_split(source, sep=None, skip_empty=True, delimiter=None):
    """The words of each string, as a SparseTensor."""
    delimiter = _lookup('sep', sep, 'delimiter', delimiter)
    delimiter = ' ' if delimiter is None else delimiter
    delimiter = ops.convert_to_tensor(delimiter, dtype=dtypes.string)
    source = ops.convert_to_tensor(source, dtype=dtypes.string)
    return _split_parts(gen_string_ops.string_split(source, delimiter=delimiter,
                                                    skip_empty=skip_empty))


def string_split_v2(source, sep=None, maxsplit=-1):
    """As Python's str.split()."""
    sep = ops.convert_to_tensor('' if sep is None else sep, dtype=dtypes.string)
    source = ops.convert_to_tensor(source, dtype=dtypes.string)
    return _split_parts(gen_string_ops.string_split_v2(source, sep=sep, maxsplit=maxsplit))


def _reduce_join_reduction_dims(x, axis):
    """The axes that are joined: all, the last first, unless given."""
    if axis is not None:
        return axis
    if x.get_shape().ndims is not None:
        return constant_op.constant(np.arange(x.get_shape().ndims - 1, -1, -1),
                                    dtype=dtypes.int32)
    from leat.python.ops import array_ops
    return math_ops.range(array_ops.rank(x) - 1, -1, -1)


@dispatch.add_dispatch_support
def reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None,
                reduction_indices=None, keepdims=None):
    """The strings along axes joined."""
    keepdims = _lookup('keepdims', keepdims, 'keep_dims', keep_dims)
    axis = _lookup('axis', axis, 'reduction_indices', reduction_indices)
    return reduce_join_v2(inputs=inputs, axis=axis, keepdims=bool(keepdims), separator=separator,
                          name=name)


def reduce_join_v2(inputs, axis=None, keepdims=False, separator='', name=None):
    with ops.name_scope(None, 'ReduceJoin', [inputs, axis]):
        inputs = ops.convert_to_tensor(inputs)
        axis = _reduce_join_reduction_dims(inputs, axis)
        return gen_string_ops.reduce_join(inputs=inputs, reduction_indices=axis,
                                          keep_dims=keepdims, separator=separator, name=name)


@dispatch.add_dispatch_support
def string_length(input, name=None, unit='BYTE'):
    return gen_string_ops.string_length(input, unit=unit, name=name)


def string_length_v2(input, unit='BYTE', name=None):
    return gen_string_ops.string_length(input, unit=unit, name=name)


@dispatch.add_dispatch_support
def substr(input, pos, len, name=None, unit='BYTE'):
    """len bytes or characters from pos on."""
    return gen_string_ops.substr(input, pos, len, unit=unit, name=name)


def substr_deprecated(input, pos, len, name=None, unit='BYTE'):
    return substr(input, pos, len, name=name, unit=unit)


def substr_v2(input, pos, len, unit='BYTE', name=None):
    return substr(input, pos, len, name=name, unit=unit)


def string_to_number(input, out_type=dtypes.float32, name=None):
    """The number that each string says."""
    return gen_parsing_ops.string_to_number(input, out_type, name)


@dispatch.add_dispatch_support
def string_to_number_v1(string_tensor=None, out_type=dtypes.float32, name=None, input=None):
    string_tensor = _lookup('input', input, 'string_tensor', string_tensor)
    return gen_parsing_ops.string_to_number(string_tensor, out_type, name)


def string_to_hash_bucket(input, num_buckets, name=None):
    """A number below num_buckets for each string."""
    return gen_string_ops.string_to_hash_bucket(input, num_buckets, name)


@dispatch.add_dispatch_support
def string_to_hash_bucket_v1(string_tensor=None, num_buckets=None, name=None, input=None):
    string_tensor = _lookup('input', input, 'string_tensor', string_tensor)
    return gen_string_ops.string_to_hash_bucket(string_tensor, num_buckets, name)


