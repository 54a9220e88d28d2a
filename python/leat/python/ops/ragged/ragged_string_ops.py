# SPDX-License-Identifier: Apache-2.0
"""Functions of strings with ragged arguments or results."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import gen_string_ops
from leat.python.ops import string_ops
from leat.python.ops.ragged import ragged_array_ops
from leat.python.ops.ragged import ragged_math_ops
from leat.python.ops.ragged import ragged_tensor
from leat.python.util import deprecation


def string_bytes_split(input, name=None):
    """Each string as a row of its bytes."""
    with ops.name_scope(name, 'StringsByteSplit', [input]):
        input = ragged_tensor.convert_to_tensor_or_ragged_tensor(input, name='input')
        if ragged_tensor.is_ragged(input):
            return input.with_flat_values(string_bytes_split(input.flat_values))
        rank = _known_rank(input)
        if rank == 0:
            return string_bytes_split(array_ops.stack([input]))[0]
        if rank == 1:
            parts = gen_string_ops.string_split(input, delimiter='', skip_empty=False)
            return ragged_tensor.RaggedTensor.from_value_rowids(
                parts.values, parts.indices[:, 0], nrows=parts.shape[0], validate=False)
        return string_bytes_split(ragged_tensor.RaggedTensor.from_tensor(
            input, ragged_rank=rank - 1))


def _known_rank(input):
    rank = input.shape.ndims
    if rank is None:
        raise ValueError('input must have a statically-known rank.')
    return rank


# --- words ---

def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor',
                 name=None):
    """The words of each string."""
    with ops.name_scope(name, 'StringSplit', [source]):
        sparse = string_ops.string_split(source, sep=sep, skip_empty=skip_empty,
                                         delimiter=delimiter)
        if result_type == 'SparseTensor':
            return sparse
        if result_type == 'RaggedTensor':
            return ragged_tensor.RaggedTensor.from_value_rowids(
                values=sparse.values, value_rowids=sparse.indices[:, 0],
                nrows=sparse.dense_shape[0], validate=False)
        raise ValueError('result_type must be \'RaggedTensor\' or \'SparseTensor\'.')


def string_split_v2(input, sep=None, maxsplit=-1, name=None):
    """As Python's str.split(): a ragged row of words for each string."""
    with ops.name_scope(name, 'StringSplit', [input]):
        input = ragged_tensor.convert_to_tensor_or_ragged_tensor(input, dtype=dtypes.string,
                                                                 name='input')
        if ragged_tensor.is_ragged(input):
            return input.with_flat_values(string_split_v2(input.flat_values, sep, maxsplit))
        rank = _known_rank(input)
        if rank == 0:
            return string_split_v2(array_ops.stack([input]), sep, maxsplit)[0]
        if rank == 1:
            sparse = string_ops.string_split_v2(input, sep=sep, maxsplit=maxsplit)
            return ragged_tensor.RaggedTensor.from_value_rowids(
                values=sparse.values, value_rowids=sparse.indices[:, 0],
                nrows=sparse.dense_shape[0], validate=False)
        return string_split_v2(ragged_tensor.RaggedTensor.from_tensor(input, ragged_rank=rank - 1),
                               sep, maxsplit)


def strings_split_v1(input=None, sep=None, maxsplit=-1, result_type='SparseTensor', source=None,
                     name=None):
    """string_split_v2() with a SparseTensor as the result unless told otherwise."""
    input = deprecation.deprecated_argument_lookup('input', input, 'source', source)
    with ops.name_scope(name, 'StringSplit', [input]):
        input = ragged_tensor.convert_to_tensor_or_ragged_tensor(input, dtype=dtypes.string,
                                                                 name='input')
        if result_type == 'SparseTensor' and input.shape.ndims == 1:
            return string_ops.string_split_v2(input, sep=sep, maxsplit=maxsplit)
        result = string_split_v2(input, sep=sep, maxsplit=maxsplit)
        if result_type == 'SparseTensor':
            return result.to_sparse()
        if result_type == 'RaggedTensor':
            return result
        raise ValueError('result_type must be \'RaggedTensor\' or \'SparseTensor\'.')


def reduce_join(inputs, axis=None, keepdims=None, separator='', name=None):
    """Strings joined along axis."""
    return ragged_math_ops.ragged_reduce_aggregate(
        string_ops.reduce_join_v2, _unsorted_segment_join, inputs, axis, bool(keepdims), separator)


def _unsorted_segment_join(data, segment_ids, num_segments, separator):
    return string_ops.unsorted_segment_join(data, segment_ids, num_segments, separator)


def ngrams(data, ngram_width, separator=' ', pad_values=None, padding_width=None,
           preserve_short_sequences=False, name=None):
    """Rows of ngram_width (a number, or several) words in sequence, joined."""
    with ops.name_scope(name, 'StringNGrams', [data]):
        left, right = _pads(pad_values)
        widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
        if not all(isinstance(w, int) for w in widths):
            raise TypeError('ngram_width must be an integer or tuple of integers; got %s'
                            % (ngram_width,))
        if any(w < 1 for w in widths):
            raise ValueError('All ngram_widths must be greater than 0. Got %s' % (ngram_width,))
        if padding_width is not None and not isinstance(padding_width, int):
            raise TypeError('padding_width must be an integer or None.')
        if padding_width is not None and pad_values is None:
            raise ValueError('pad_values must be provided if padding_width is set.')
        pad_width = -1 if padding_width is None else padding_width
        if pad_values is None:
            pad_width = 0
        data = ragged_tensor.convert_to_tensor_or_ragged_tensor(data, name='data',
                                                                dtype=dtypes.string)
        dense = not ragged_tensor.is_ragged(data)
        if dense:
            rank = data.shape.ndims
            if rank is None:
                raise ValueError('Rank of data must be known.')
            if rank == 0:
                raise ValueError('Data must have rank>0')
            if rank == 1:
                row = ragged_tensor.RaggedTensor.from_row_splits(
                    data, array_ops.stack([0, array_ops.shape(data)[0]]), validate=False)
                return ngrams(row, ngram_width, separator, pad_values, padding_width,
                              preserve_short_sequences, name).flat_values
            data = ragged_tensor.RaggedTensor.from_tensor(data, ragged_rank=rank - 1)
        splits = data.nested_row_splits[-1]
        output = gen_string_ops.string_n_grams(
            data=data.flat_values, data_splits=splits, separator=separator, ngram_widths=widths,
            left_pad=left, right_pad=right, pad_width=pad_width,
            preserve_short_sequences=preserve_short_sequences)
        result = ragged_tensor.RaggedTensor.from_nested_row_splits(
            output.ngrams, list(data.nested_row_splits[:-1]) + [output.ngrams_splits],
            validate=False)
        return result.to_tensor() if dense and len(widths) == 1 else result


def _pads(pad_values):
    if pad_values is None:
        return '', ''
    if isinstance(pad_values, (list, tuple)):
        if not all(isinstance(v, (str, bytes)) for v in pad_values):
            raise TypeError('pad_values must be a string, tuple of strings, or None.')
        if len(pad_values) != 2:
            raise ValueError('pad_values must be a 2-tuple of strings, or a string.')
        return tuple(pad_values)
    if isinstance(pad_values, (str, bytes)):
        return pad_values, pad_values
    raise TypeError('pad_values must be a string, tuple of strings, or None.')


# --- Unicode ---

def unicode_encode(input, output_encoding, errors='replace', replacement_char=65533, name=None):
    """Rows of code points as strings."""
    with ops.name_scope(name, 'UnicodeEncode', [input]):
        input = ragged_tensor.convert_to_tensor_or_ragged_tensor(input)
        rank = input.shape.ndims
        if rank is None:
            raise ValueError('Rank of input_tensor must be statically known.')
        if rank == 0:
            raise ValueError('input_tensor must have a rank of at least 1.')
        if ragged_tensor.is_ragged(input):
            if input.flat_values.shape.ndims > 1:
                return input.with_flat_values(unicode_encode(
                    input.flat_values, output_encoding, errors, replacement_char))
            if input.ragged_rank > 1:
                return input.with_values(unicode_encode(
                    input.values, output_encoding, errors, replacement_char))
            return gen_string_ops.unicode_encode(
                input_values=input.values, input_splits=input.row_splits,
                output_encoding=output_encoding, errors=errors, replacement_char=replacement_char)
        if rank == 1:
            row = ragged_tensor.RaggedTensor.from_row_splits(
                input, array_ops.stack([0, array_ops.shape(input, out_type=dtypes.int32)[0]]),
                validate=False)
            return array_ops.reshape(unicode_encode(row, output_encoding, errors,
                                                    replacement_char), [])
        if rank == 2:
            return unicode_encode(ragged_tensor.RaggedTensor.from_tensor(input), output_encoding,
                                  errors, replacement_char)
        shape = array_ops.shape(input)
        flat = array_ops.reshape(input, array_ops.stack([-1, shape[-1]]))
        result = unicode_encode(ragged_tensor.RaggedTensor.from_tensor(flat), output_encoding,
                                errors, replacement_char)
        return array_ops.reshape(result, shape[:-1])


def unicode_decode(input, input_encoding, errors='replace', replacement_char=65533,
                   replace_control_characters=False, name=None):
    """Each string as a row of code points."""
    with ops.name_scope(name, 'UnicodeDecode', [input]):
        return _decoded(input, input_encoding, errors, replacement_char,
                        replace_control_characters, with_offsets=False)


def unicode_decode_with_offsets(input, input_encoding, errors='replace', replacement_char=65533,
                                replace_control_characters=False, name=None):
    """Each string as a row of code points, and a row of the bytes at which they begin."""
    with ops.name_scope(name, 'UnicodeDecodeWithOffsets', [input]):
        return _decoded(input, input_encoding, errors, replacement_char,
                        replace_control_characters, with_offsets=True)


def unicode_split(input, input_encoding, errors='replace', replacement_char=65533, name=None):
    """Each string as a row of strings of one character."""
    with ops.name_scope(name, 'UnicodeSplit', [input]):
        points = _decoded(input, input_encoding, errors, replacement_char, False, False)
        return _one_character_each(points, input_encoding, replacement_char)


def unicode_split_with_offsets(input, input_encoding, errors='replace', replacement_char=65533,
                               name=None):
    """unicode_split(), and the bytes at which the characters begin."""
    with ops.name_scope(name, 'UnicodeSplitWithOffsets', [input]):
        points, offsets = _decoded(input, input_encoding, errors, replacement_char, False, True)
        return _one_character_each(points, input_encoding, replacement_char), offsets


def _one_character_each(points, encoding, replacement_char):
    def encode(values):
        return unicode_encode(ragged_array_ops.expand_dims(values, -1), output_encoding=encoding,
                              errors='ignore', replacement_char=replacement_char)
    if ragged_tensor.is_ragged(points):
        return points.with_flat_values(encode(points.flat_values))
    return encode(points)


def _decoded(input, encoding, errors, replacement_char, replace_control, with_offsets):
    input = ragged_tensor.convert_to_tensor_or_ragged_tensor(input, name='input')
    rank = input.shape.ndims
    if rank is None:
        raise ValueError('Rank of `input` must be statically known.')
    if rank > 1:
        if not ragged_tensor.is_ragged(input):
            input = ragged_tensor.RaggedTensor.from_tensor(input, ragged_rank=rank - 1)
        elif input.ragged_rank < rank - 1:
            input = input.with_flat_values(ragged_tensor.RaggedTensor.from_tensor(
                input.flat_values, ragged_rank=rank - input.ragged_rank - 1))
    flat = array_ops.reshape(input.flat_values if ragged_tensor.is_ragged(input) else input, [-1])
    make = gen_string_ops.unicode_decode_with_offsets if with_offsets else \
        gen_string_ops.unicode_decode
    found = make(input=flat, input_encoding=encoding, errors=errors,
                 replacement_char=replacement_char, replace_control_characters=replace_control)
    results = [found.char_values]
    if with_offsets:
        results.append(found.char_to_byte_starts)
    if rank == 0:
        shaped = results
    else:
        rows = [ragged_tensor.RaggedTensor.from_row_splits(r, found.row_splits, validate=False)
                for r in results]
        shaped = [input.with_flat_values(r) for r in rows] if ragged_tensor.is_ragged(input) \
            else rows
    return tuple(shaped) if with_offsets else shaped[0]
