# SPDX-License-Identifier: Apache-2.0
"""Examples, sequences of them, CSV lines and raw bytes as tensors.

The features that a caller describes become the flat lists of the ops (parsing_params); a name that
is not here is the op's own function."""
import numpy as np

from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.ops import gen_parsing_ops
from leat.python.ops import sparse_ops
from leat.python.ops.parsing_params import (  # noqa: F401
    FixedLenFeature, FixedLenSequenceFeature, Params, SparseFeature, VarLenFeature,
    _features_to_raw_params, _prepend_none_dimension, _process_raw_parameters)
from leat.python.util import deprecation


def __getattr__(name):
    return getattr(gen_parsing_ops, name)


def _construct_sparse_tensors_for_sparse_features(features, tensor_dict):
    """The parts of SparseFeatures merged; what only they needed is left out."""
    result = dict(tensor_dict)
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            index_keys = feature.index_key
            if isinstance(index_keys, str):
                ids = result[index_keys]
            else:
                ids = [result[k] for k in index_keys]
            result[key] = sparse_ops.sparse_merge(
                ids, result[feature.value_key], vocab_size=feature.size,
                already_sorted=feature.already_sorted)
    for key in set(result) - set(features):
        del result[key]
    return result


def _check_features(features):
    if not features:
        raise ValueError('Missing: features was %s.' % features)


def parse_example(serialized, features, name=None, example_names=None):
    """A batch of Example messages as a dict of tensors."""
    return parse_example_v2(serialized, features, example_names, name)


def parse_example_v2(serialized, features, example_names=None, name=None):
    _check_features(features)
    features = _prepend_none_dimension(features)
    params = _features_to_raw_params(
        features, [VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature])
    outputs = _parse_example_raw(serialized, example_names, *params, name=name)
    return _construct_sparse_tensors_for_sparse_features(features, outputs)


def _parse_example_raw(serialized, names=None, sparse_keys=None, sparse_types=None,
                       dense_keys=None, dense_types=None, dense_defaults=None, dense_shapes=None,
                       name=None):
    """parse_example() of lists."""
    with ops.name_scope(name, 'ParseExample', [serialized, names]):
        params = _process_raw_parameters(names, dense_defaults, sparse_keys, sparse_types,
                                         dense_keys, dense_types, dense_shapes)
        outputs = gen_parsing_ops.parse_example(
            serialized=serialized, names=params.names, dense_defaults=params.dense_defaults,
            sparse_keys=params.sparse_keys, sparse_types=params.sparse_types,
            dense_keys=params.dense_keys, dense_shapes=params.dense_shapes, name=name)
    return _as_dict(params.sparse_keys, params.dense_keys, outputs)


def _as_dict(sparse_keys, dense_keys, outputs):
    indices, values, shapes, dense = outputs
    sparse = [sparse_tensor.SparseTensor(i, v, s) for i, v, s in zip(indices, values, shapes)]
    return dict(zip(list(sparse_keys) + list(dense_keys), sparse + list(dense)))


def parse_single_example(serialized, features, name=None, example_names=None):
    """One Example message as a dict of tensors."""
    return parse_single_example_v2_unoptimized(serialized, features, example_names, name)


def parse_single_example_v2_unoptimized(serialized, features, example_names=None, name=None):
    _check_features(features)
    with ops.name_scope(name, 'ParseSingleExample', [serialized, example_names]):
        serialized = ops.convert_to_tensor(serialized, name='serialized')
        if serialized.get_shape().ndims not in (None, 0):
            from leat.python.ops import check_ops
            check_ops.assert_scalar(serialized, name='SerializedIsScalar')
        outputs = _parse_single(serialized, features, name)
    return _construct_sparse_tensors_for_sparse_features(features, outputs)


def _parse_single(serialized, features, name):
    return _parse_single_example_v2_raw(serialized, *_features_to_raw_params(
        features, [VarLenFeature, FixedLenFeature, FixedLenSequenceFeature, SparseFeature]),
        name=name)


def parse_single_example_v2(serialized, features, name=None):
    _check_features(features)
    outputs = _parse_single(serialized, features, name)
    return _construct_sparse_tensors_for_sparse_features(features, outputs)


def _parse_single_example_v2_raw(serialized, sparse_keys, sparse_types, dense_keys, dense_types,
                                 dense_defaults, dense_shapes, name):
    serialized = ops.convert_to_tensor(serialized, name='serialized')
    params = _process_raw_parameters(None, dense_defaults, sparse_keys, sparse_types, dense_keys,
                                     dense_types, dense_shapes)
    outputs = gen_parsing_ops.parse_single_example(
        serialized=serialized, dense_defaults=params.dense_defaults,
        num_sparse=len(params.sparse_keys), sparse_keys=params.sparse_keys,
        sparse_types=params.sparse_types, dense_keys=params.dense_keys,
        dense_shapes=params.dense_shapes, name=name)
    return _as_dict(params.sparse_keys, params.dense_keys, outputs)


def _sequence_params(context_features, sequence_features):
    if not (context_features or sequence_features):
        raise ValueError('Missing features.')
    context = _features_to_raw_params(context_features or {}, [VarLenFeature, FixedLenFeature])
    lists = _features_to_raw_params(sequence_features or {},
                                    [VarLenFeature, FixedLenSequenceFeature])
    empty_ok = [k for k in lists[2] if sequence_features[k].allow_missing]
    return context, lists, empty_ok


def parse_single_sequence_example(serialized, context_features=None, sequence_features=None,
                                  example_name=None, name=None):
    """One SequenceExample message: (dict of the context, dict of the lists)."""
    context, lists, empty_ok = _sequence_params(context_features, sequence_features)
    with ops.name_scope(name, 'ParseSingleSequenceExample', [serialized]):
        params = _process_raw_parameters(None, context[4], context[0], context[1], context[2],
                                         context[3], context[5])
        outputs = gen_parsing_ops.parse_single_sequence_example(
            serialized=serialized, debug_name='' if example_name is None else example_name,
            context_dense_defaults=params.dense_defaults, context_sparse_keys=params.sparse_keys,
            context_sparse_types=params.sparse_types, context_dense_keys=params.dense_keys,
            context_dense_shapes=params.dense_shapes, feature_list_sparse_keys=lists[0],
            feature_list_sparse_types=lists[1], feature_list_dense_keys=lists[2],
            feature_list_dense_types=lists[3], feature_list_dense_shapes=lists[5],
            feature_list_dense_missing_assumed_empty=_strings(empty_ok), name=name)
    return (_as_dict(params.sparse_keys, params.dense_keys, outputs[:4]),
            _as_dict(lists[0], lists[2], outputs[4:8]))


def _strings(values):
    return np.array([v.encode() if isinstance(v, str) else v for v in values], dtype=object)


def parse_sequence_example(serialized, context_features=None, sequence_features=None,
                           example_names=None, name=None):
    """A batch of SequenceExample messages: (context, lists, lengths of the lists)."""
    context, lists, empty_ok = _sequence_params(context_features, sequence_features)
    with ops.name_scope(name, 'ParseSequenceExample', [serialized]):
        params = _process_raw_parameters(example_names, context[4], context[0], context[1],
                                         context[2], context[3], context[5])
        outputs = gen_parsing_ops.parse_sequence_example(
            serialized=serialized, debug_name=params.names,
            Ncontext_sparse=len(params.sparse_keys), Ncontext_dense=len(params.dense_keys),
            Nfeature_list_sparse=len(lists[0]), Nfeature_list_dense=len(lists[2]),
            context_dense_defaults=params.dense_defaults, context_sparse_keys=params.sparse_keys,
            context_sparse_types=params.sparse_types, context_dense_keys=params.dense_keys,
            context_dense_shapes=params.dense_shapes, feature_list_sparse_keys=lists[0],
            feature_list_sparse_types=lists[1], feature_list_dense_keys=lists[2],
            feature_list_dense_types=lists[3], feature_list_dense_shapes=lists[5],
            feature_list_dense_missing_assumed_empty=empty_ok, name=name)
    return (_as_dict(params.sparse_keys, params.dense_keys, outputs[:4]),
            _as_dict(lists[0], lists[2], outputs[4:8]), dict(zip(lists[2], outputs[8])))


# ---- bytes and CSV ----

def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    """Bytes as numbers."""
    if fixed_length is not None:
        return gen_parsing_ops.decode_padded_raw(
            input_bytes, fixed_length=fixed_length, out_type=out_type,
            little_endian=little_endian, name=name)
    return gen_parsing_ops.decode_raw(input_bytes, out_type, little_endian=little_endian,
                                      name=name)


def decode_raw_v1(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    input_bytes = deprecation.deprecated_argument_lookup('input_bytes', input_bytes, 'bytes',
                                                         bytes)
    if out_type is None:
        raise ValueError('decode_raw_v1() missing 1 positional argument: \'out_type\'')
    return gen_parsing_ops.decode_raw(input_bytes, out_type, little_endian=little_endian,
                                      name=name)


def decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, name=None,
               na_value='', select_cols=None):
    """Lines of comma separated values as a tensor for each column."""
    return decode_csv_v2(records, record_defaults, field_delim, use_quote_delim, na_value,
                         select_cols, name)


def decode_csv_v2(records, record_defaults, field_delim=',', use_quote_delim=True, na_value='',
                  select_cols=None, name=None):
    if select_cols is not None and any(select_cols[i] >= select_cols[i + 1]
                                       for i in range(len(select_cols) - 1)):
        raise ValueError('select_cols is not strictly increasing.')
    if select_cols is not None and select_cols[0] < 0:
        raise ValueError('select_cols contains negative values.')
    if select_cols is not None and len(select_cols) != len(record_defaults):
        raise ValueError('Length of select_cols and record_defaults do not match.')
    return gen_parsing_ops.decode_csv(
        records=records, record_defaults=record_defaults, field_delim=field_delim,
        use_quote_delim=use_quote_delim, na_value=na_value, name=name, select_cols=select_cols)

