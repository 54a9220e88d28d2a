# SPDX-License-Identifier: Apache-2.0
"""Functions of strings whose results TensorFlow gives as SparseTensors or RaggedTensors; here as
SparseTensors alone."""
from leat.python.framework import dtypes
from leat.python.framework import errors_impl
from leat.python.framework import ops
from leat.python.ops import string_ops
from leat.python.util import deprecation


def _no_ragged(what):
    raise errors_impl.UnimplementedError(
        None, None, '%s: there are no RaggedTensors (docs/python-api.md)' % what)


def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor',
                 name=None):
    """The words of each string."""
    with ops.name_scope(name, 'StringSplit', [source]):
        sparse = string_ops.string_split(source, sep=sep, skip_empty=skip_empty,
                                         delimiter=delimiter)
        if result_type == 'SparseTensor':
            return sparse
        if result_type == 'RaggedTensor':
            _no_ragged('tf.string_split')
        raise ValueError('result_type must be \'RaggedTensor\' or \'SparseTensor\'.')


def strings_split_v1(input=None, sep=None, maxsplit=-1, result_type='SparseTensor', source=None,
                     name=None):
    """As Python's str.split()."""
    input = deprecation.deprecated_argument_lookup('input', input, 'source', source)
    with ops.name_scope(name, 'StringSplit', [input]):
        input = ops.convert_to_tensor(input, dtype=dtypes.string, name='input')
        if result_type == 'SparseTensor' and input.get_shape().ndims == 1:
            return string_ops.string_split_v2(input, sep=sep, maxsplit=maxsplit)
        if result_type in ('SparseTensor', 'RaggedTensor'):
            _no_ragged('tf.strings.split')
        raise ValueError('result_type must be \'RaggedTensor\' or \'SparseTensor\'.')


def string_split_v2(input, sep=None, maxsplit=-1, name=None):
    _no_ragged('tf.strings.split')


def reduce_join(inputs, axis=None, keepdims=None, separator='', name=None):
    return string_ops.reduce_join_v2(inputs, axis, bool(keepdims), separator, name)

