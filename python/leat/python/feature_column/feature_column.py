# SPDX-License-Identifier: Apache-2.0
"""What is made of columns: a dense layer of inputs, a linear model, what a parser is to read."""
from leat.python.feature_column import _inputs
from leat.python.feature_column import categorical
from leat.python.feature_column import numeric
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import embedding_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import sparse_ops
from leat.python.ops import variable_scope
from leat.python.ops import variables


def _columns_of(feature_columns):
    """The columns as a list, checked."""
    if isinstance(feature_columns, numeric.FeatureColumn):
        feature_columns = [feature_columns]
    if not isinstance(feature_columns, (list, tuple)):
        feature_columns = list(feature_columns)
    if isinstance(feature_columns, dict):
        raise ValueError('Expected feature_columns to be iterable, found dict.')
    for column in feature_columns:
        if not isinstance(column, numeric.FeatureColumn):
            raise ValueError('Items of feature_columns must be a _FeatureColumn. Given (type {}): '
                             '{}.'.format(type(column), column))
    if not feature_columns:
        raise ValueError('feature_columns must not be empty.')
    by_name = {}
    for column in feature_columns:
        if column.name in by_name:
            raise ValueError(
                'Duplicate feature column name found for columns: {} and {}. This usually means '
                'that these columns refer to same base feature. Either one must be discarded or a '
                'duplicated but renamed item must be inserted in features dict.'.format(
                    column, by_name[column.name]))
        by_name[column.name] = column
    return feature_columns


def _check_batch_sizes(tensors, columns):
    """Known sizes of the batch are one."""
    first = None
    for i, tensor in enumerate(tensors):
        size = tensor.shape[0]
        size = getattr(size, 'value', size)
        if size is None:
            continue
        if first is None:
            first = (i, size)
        elif size != first[1]:
            raise ValueError('Batch size (first dimension) of each feature must be same. Batch '
                             'size of columns ({}, {}): ({}, {})'.format(
                                 columns[first[0]].name, columns[i].name, first[1], size))


def _weight_collections(weight_collections):
    collections = list(weight_collections or [])
    for key in (ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.MODEL_VARIABLES):
        if key not in collections:
            collections.append(key)
    return collections


def input_layer(features, feature_columns, weight_collections=None, trainable=True,
                cols_to_vars=None, cols_to_output_tensors=None):
    """The columns' numbers side by side, in the order of their names: [batch, width]."""
    columns = _columns_of(feature_columns)
    for column in columns:
        if not isinstance(column, numeric.DenseColumn):
            raise ValueError(
                'Items of feature_columns must be a _DenseColumn. You can wrap a categorical '
                'column with an embedding_column or indicator_column. Given: {}'.format(column))
    collections = _weight_collections(weight_collections)
    with variable_scope.variable_scope(None, default_name='input_layer',
                                       values=features.values()):
        inputs = _inputs.Inputs(features)
        outputs, ordered = [], sorted(columns, key=lambda c: c.name)
        for column in ordered:
            with variable_scope.variable_scope(None, default_name=column._var_scope_name):
                tensor = column._get_dense_tensor(inputs, weight_collections=collections,
                                                  trainable=trainable)
                output = array_ops.reshape(tensor, shape=(
                    array_ops.shape(tensor)[0], column.variable_shape.num_elements()))
                outputs.append(output)
                if cols_to_vars is not None:
                    cols_to_vars[column] = ops.get_collection(
                        ops.GraphKeys.GLOBAL_VARIABLES,
                        scope=variable_scope.get_variable_scope().name)
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = output
        _check_batch_sizes(outputs, ordered)
        return array_ops.concat(outputs, 1)


def linear_model(features, feature_columns, units=1, sparse_combiner='sum',
                 weight_collections=None, trainable=True, cols_to_vars=None):
    """A weighted sum of all columns and a bias: [batch, units]."""
    columns = _columns_of(feature_columns)
    for column in columns:
        if not isinstance(column, (numeric.DenseColumn, categorical.CategoricalColumn)):
            raise ValueError('Items of feature_columns must be either a _DenseColumn or '
                             '_CategoricalColumn. Given: {}'.format(column))
    collections = _weight_collections(weight_collections)
    with variable_scope.variable_scope(None, 'linear_model') as scope:
        pass
    with variable_scope.variable_scope(scope), ops.name_scope('linear_model'):
        inputs = _inputs.Inputs(features)
        sums, ordered = [], sorted(columns, key=lambda c: c.name)
        for column in ordered:
            with variable_scope.variable_scope(None, default_name=column._var_scope_name):
                weight = _weights(column, units, collections, trainable)
                sums.append(_weighted_sum(column, inputs, weight, units, sparse_combiner,
                                          collections, trainable))
                if cols_to_vars is not None:
                    cols_to_vars[column] = ops.get_collection(
                        ops.GraphKeys.GLOBAL_VARIABLES,
                        scope=variable_scope.get_variable_scope().name)
        _check_batch_sizes(sums, ordered)
        no_bias = math_ops.add_n(sums, name='weighted_sum_no_bias')
        bias = variable_scope.get_variable(
            'bias_weights', shape=[units], initializer=init_ops.zeros_initializer(),
            trainable=trainable, use_resource=True, collections=collections)
        if cols_to_vars is not None:
            cols_to_vars['bias'] = ([bias] if isinstance(bias, variables.Variable)
                                    else list(bias))
        ops.get_collection_ref(ops.GraphKeys.UPDATE_OPS)  # is there, as for other layers
        return nn_ops.bias_add(no_bias, bias, name='weighted_sum')


def _is_sparse(column):
    return isinstance(column, categorical.CategoricalColumn)


def _weights(column, units, collections, trainable):
    rows = column.num_buckets if _is_sparse(column) else column.variable_shape.num_elements()
    return variable_scope.get_variable(
        'weights', shape=(rows, units), initializer=init_ops.zeros_initializer(),
        trainable=trainable, use_resource=True, collections=collections)


def _weighted_sum(column, inputs, weight, units, sparse_combiner, collections, trainable):
    if not _is_sparse(column):
        tensor = column._get_dense_tensor(inputs, weight_collections=collections,
                                          trainable=trainable)
        tensor = array_ops.reshape(tensor, shape=(array_ops.shape(tensor)[0],
                                                  column.variable_shape.num_elements()))
        return math_ops.matmul(tensor, weight, name='weighted_sum')
    ids, id_weights = column._get_sparse_tensors(inputs, weight_collections=collections,
                                                 trainable=trainable)
    # All the categories of an example in one row.
    ids = sparse_ops.sparse_reshape(ids, [array_ops.shape(ids)[0], -1])
    if id_weights is not None:
        id_weights = sparse_ops.sparse_reshape(id_weights, [array_ops.shape(id_weights)[0], -1])
    return embedding_ops.safe_embedding_lookup_sparse(
        weight, ids, sparse_weights=id_weights, combiner=sparse_combiner, name='weighted_sum')


def make_parse_example_spec(feature_columns):
    """{feature: how it is read}, for tf.parse_example."""
    result = {}
    for column in feature_columns:
        if not isinstance(column, numeric.FeatureColumn):
            raise ValueError('All feature_columns must be _FeatureColumn instances. Given: {}'
                             .format(column))
        for key, value in column.parse_example_spec.items():
            if key in result and value != result[key]:
                raise ValueError('feature_columns contain different parse_spec for key {}. Given '
                                 '{} and {}'.format(key, value, result[key]))
            result[key] = value
    return result
