# SPDX-License-Identifier: Apache-2.0
"""Rows of tables, whole or in parts, looked up by id."""
from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import gen_data_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import resource_variable_ops
from leat.python.platform import tf_logging as logging


def _clip(params, ids, max_norm):
    """Rows no longer than max_norm."""
    if max_norm is None:
        return params
    ids_rank = ids.get_shape().ndims
    rank = params.get_shape().ndims
    if ids_rank is not None and rank is not None:
        axes = list(range(ids_rank, rank))
    else:
        axes = math_ops.range(array_ops.rank(ids), array_ops.rank(params))
    return clip_ops.clip_by_norm(params, max_norm, axes=axes)


def _is_resource(param):
    return resource_variable_ops.is_resource_variable(param)


def _as_params(params):
    """A list of tables."""
    if params is None:
        raise ValueError('params must be specified')
    if not isinstance(params, (list, tuple)) and hasattr(params, '_get_partitions'):
        params = list(params)
    elif not isinstance(params, (list, tuple)):
        params = [params]
    return list(params)


def _div_assignments(params, flat_ids):
    """(which table, which row in it): each table a run of ids."""
    count = len(params)
    total = tensor_shape.Dimension(0)
    for p in params:
        total = total + p.get_shape().dims[0]
    if total.value is not None:
        total = constant_op.constant(total.value, flat_ids.dtype)
    else:
        sizes = []
        for p in params:
            known = p.get_shape().dims[0].value
            if known is not None:
                sizes.append(known)
            else:
                with ops.colocate_with(p):
                    sizes.append(array_ops.shape(p)[0])
        total = math_ops.reduce_sum(math_ops.cast(array_ops.stack(sizes), flat_ids.dtype))
    each = total // count
    extras = total % count
    which = math_ops.maximum(flat_ids // (each + 1), (flat_ids - extras) // each)
    rows = array_ops.where(which < extras, flat_ids % (each + 1), (flat_ids - extras) % each)
    return which, rows


def _lookup_parts(params, ids, partition_strategy, name, max_norm, transform_fn):
    """Ids sent to the table that has each, and the rows put back in order."""
    count = len(params)
    flat_ids = array_ops.reshape(ids, [-1])
    places = math_ops.range(array_ops.size(flat_ids))
    if partition_strategy == 'mod':
        which, rows = flat_ids % count, flat_ids // count
    elif partition_strategy == 'div':
        which, rows = _div_assignments(params, flat_ids)
    else:
        raise ValueError('Unrecognized partition strategy: ' + partition_strategy)
    which = math_ops.cast(which, dtypes.int32)
    part_rows = gen_data_flow_ops.dynamic_partition(rows, which, count)
    part_places = gen_data_flow_ops.dynamic_partition(places, which, count)
    results = []
    for p in range(count):
        with ops.colocate_with(params[p]):
            result = array_ops.gather(params[p], part_rows[p])
            if transform_fn:
                result = transform_fn(_clip(result, part_rows[p], max_norm))
        results.append(result)
    joined = gen_data_flow_ops.parallel_dynamic_stitch(part_places, results, name=name)
    element = joined.get_shape()[1:] if transform_fn else params[0].get_shape()[1:]
    for p in ([] if transform_fn else params[1:]):
        element = element.merge_with(p.get_shape()[1:])
    if element.is_fully_defined():
        shape = array_ops.concat([array_ops.shape(ids), element], 0)
    elif transform_fn is None:
        with ops.colocate_with(params[0]):
            whole = array_ops.shape(params[0])
        shape = array_ops.concat([array_ops.shape(ids), array_ops.slice(whole, [1], [-1])], 0)
    else:
        shape = array_ops.concat([array_ops.shape(ids), array_ops.shape(joined)[1:]], 0)
    joined = array_ops.reshape(joined, shape)
    joined.set_shape(ids.get_shape().concatenate(element))
    return joined if transform_fn else _clip(joined, ids, max_norm)


def _embedding_lookup_and_transform(params, ids, partition_strategy='mod', name=None,
                                    max_norm=None, transform_fn=None):
    """embedding_lookup(), with a function applied to the rows of each table."""
    params = _as_params(params)
    if not params:
        raise ValueError('Need at least one param')
    with ops.name_scope(name, 'embedding_lookup', params + [ids]) as name:
        if not any(_is_resource(p) for p in params):
            params = ops.convert_n_to_tensor_or_indexed_slices(params, name='params')
        ids = ops.convert_to_tensor(ids, name='ids')
        if len(params) == 1 and (not transform_fn or ids.get_shape().ndims == 1):
            with ops.colocate_with(params[0]):
                result = _clip(array_ops.gather(params[0], ids, name=name), ids, max_norm)
                if transform_fn:
                    result = transform_fn(result)
            return array_ops.identity(result)
        return _lookup_parts(params, ids, partition_strategy, name, max_norm, transform_fn)


def embedding_lookup(params, ids, partition_strategy='mod', name=None, validate_indices=True,
                     max_norm=None):
    """The rows of a table, or of a list of parts of one."""
    return _embedding_lookup_and_transform(params=params, ids=ids,
                                           partition_strategy=partition_strategy, name=name,
                                           max_norm=max_norm, transform_fn=None)


def embedding_lookup_v2(params, ids, max_norm=None, name=None):
    return embedding_lookup(params, ids, 'div', name, max_norm=max_norm)


def _checked_combiner(sp_ids, sp_weights, combiner):
    if combiner is None:
        logging.warn('The default value of combiner will change from "mean" to "sqrtn" after '
                     '2016/11/01.')
        combiner = 'mean'
    if combiner not in ('mean', 'sqrtn', 'sum'):
        raise ValueError('combiner must be one of \'mean\', \'sqrtn\' or \'sum\'')
    if not isinstance(sp_ids, sparse_tensor.SparseTensor):
        raise TypeError('sp_ids must be SparseTensor')
    if sp_weights is not None:
        if not isinstance(sp_weights, sparse_tensor.SparseTensor):
            raise TypeError('sp_weights must be either None or SparseTensor')
        sp_ids.values.get_shape().assert_is_compatible_with(sp_weights.values.get_shape())
        sp_ids.indices.get_shape().assert_is_compatible_with(sp_weights.indices.get_shape())
        sp_ids.dense_shape.get_shape().assert_is_compatible_with(
            sp_weights.dense_shape.get_shape())
    return combiner


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy='mod', name=None,
                            combiner=None, max_norm=None):
    """The rows of each example's ids combined: summed, or their mean."""
    combiner = _checked_combiner(sp_ids, sp_weights, combiner)
    params = _as_params(params)
    if not params:
        raise ValueError('Missing params: %s.' % params)
    with ops.name_scope(name, 'embedding_lookup_sparse', params + [sp_ids]) as name:
        segment_ids = sp_ids.indices[:, 0]
        if segment_ids.dtype != dtypes.int32:
            segment_ids = math_ops.cast(segment_ids, dtypes.int32)
        ids, idx = array_ops.unique(sp_ids.values)
        rows = embedding_lookup(params, ids, partition_strategy=partition_strategy,
                                max_norm=max_norm)
        if sp_weights is not None:
            return _weighted(rows, idx, segment_ids, sp_weights.values, combiner, name)
        combine = {'sum': math_ops.sparse_segment_sum, 'mean': math_ops.sparse_segment_mean,
                   'sqrtn': math_ops.sparse_segment_sqrt_n}[combiner]
        return combine(rows, idx, segment_ids, name=name)


def _weighted(rows, idx, segment_ids, weights, combiner, name):
    """Sums of weighted rows, over the sum of the weights or the root of their squares'."""
    if weights.dtype != rows.dtype:
        weights = math_ops.cast(weights, rows.dtype)
    rows = array_ops.gather(rows, idx)
    ones = array_ops.fill(array_ops.expand_dims(array_ops.rank(rows) - 1, 0), 1)
    shape = array_ops.concat([array_ops.shape(weights), ones], 0)
    known = weights.get_shape()
    weights = array_ops.reshape(weights, shape)
    if rows.get_shape().ndims is not None:
        weights.set_shape(known.concatenate([1] * (rows.get_shape().ndims - 1)))
    rows *= weights
    if combiner == 'sum':
        return math_ops.segment_sum(rows, segment_ids, name=name)
    total = math_ops.segment_sum(rows, segment_ids)
    if combiner == 'mean':
        return math_ops.div(total, math_ops.segment_sum(weights, segment_ids), name=name)
    squares = math_ops.segment_sum(math_ops.pow(weights, 2), segment_ids)
    return math_ops.div(total, math_ops.sqrt(squares), name=name)


def embedding_lookup_sparse_v2(params, sp_ids, sp_weights, combiner=None, max_norm=None,
                               name=None):
    return embedding_lookup_sparse(params, sp_ids, sp_weights, 'div', name, combiner, max_norm)


def _prune_invalid_ids(sparse_ids, sparse_weights):
    """Without the ids below 0."""
    from leat.python.ops import sparse_ops
    valid = math_ops.greater_equal(sparse_ids.values, 0)
    if sparse_weights is not None:
        valid = math_ops.logical_and(valid, array_ops.ones_like(sparse_weights.values,
                                                                dtype=dtypes.bool))
    sparse_ids = sparse_ops.sparse_retain(sparse_ids, valid)
    if sparse_weights is not None:
        sparse_weights = sparse_ops.sparse_retain(sparse_weights, valid)
    return sparse_ids, sparse_weights


def _prune_invalid_weights(sparse_ids, sparse_weights):
    """Without the ids whose weight is not above 0."""
    from leat.python.ops import sparse_ops
    if sparse_weights is not None:
        valid = math_ops.greater(sparse_weights.values, 0)
        sparse_ids = sparse_ops.sparse_retain(sparse_ids, valid)
        sparse_weights = sparse_ops.sparse_retain(sparse_weights, valid)
    return sparse_ids, sparse_weights


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None,
                                 combiner='mean', default_id=None, name=None,
                                 partition_strategy='div', max_norm=None):
    """embedding_lookup_sparse() that passes over bad ids and gives empty examples default_id's
    row, or zeros."""
    from leat.python.ops import sparse_ops
    if embedding_weights is None:
        raise ValueError('Missing embedding_weights %s.' % embedding_weights)
    embedding_weights = _as_params(embedding_weights)
    if not embedding_weights:
        raise ValueError('Missing embedding_weights %s.' % embedding_weights)
    dtype = sparse_weights.dtype if sparse_weights is not None else None
    embedding_weights = [w if _is_resource(w) and dtype in (None, w.dtype)
                         else ops.convert_to_tensor(w, dtype=dtype) for w in embedding_weights]
    parts = embedding_weights + [sparse_ids] + ([sparse_weights] if sparse_weights is not None
                                                else [])
    with ops.name_scope(name, 'embedding_lookup', parts) as scope:
        original = sparse_ids.dense_shape
        rank_dim = tensor_shape.dimension_value(sparse_ids.dense_shape.get_shape()[0])
        rank = array_ops.size(original) if rank_dim is None else rank_dim
        sparse_ids = sparse_ops.sparse_reshape(sparse_ids, [
            math_ops.reduce_prod(array_ops.slice(original, [0], [rank - 1])),
            array_ops.gather(original, rank - 1)])
        if sparse_weights is not None:
            sparse_weights = sparse_tensor.SparseTensor(sparse_ids.indices, sparse_weights.values,
                                                        sparse_ids.dense_shape)
        sparse_ids, sparse_weights = _prune_invalid_ids(sparse_ids, sparse_weights)
        if combiner != 'sum':
            sparse_ids, sparse_weights = _prune_invalid_weights(sparse_ids, sparse_weights)
        sparse_ids, is_empty = sparse_ops.sparse_fill_empty_rows(sparse_ids, default_id or 0)
        if sparse_weights is not None:
            sparse_weights, _ = sparse_ops.sparse_fill_empty_rows(sparse_weights, 1.0)
        result = embedding_lookup_sparse(
            embedding_weights, sparse_ids, sparse_weights, combiner=combiner,
            partition_strategy=partition_strategy, name=None if default_id is None else scope,
            max_norm=max_norm)
        if default_id is None:
            is_empty = array_ops.tile(array_ops.reshape(is_empty, [-1, 1]),
                                      array_ops.stack([1, array_ops.shape(result)[1]]))
            result = array_ops.where(is_empty, array_ops.zeros_like(result), result, name=scope)
        final = array_ops.reshape(result, array_ops.concat([
            array_ops.slice(math_ops.cast(original, dtypes.int32), [0], [rank - 1]),
            array_ops.slice(array_ops.shape(result), [1], [-1])], 0))
        outer = None if rank_dim is None else rank_dim - 1
        final.set_shape(tensor_shape.unknown_shape(outer).concatenate(result.get_shape()[1:]))
        return final


def safe_embedding_lookup_sparse_v2(embedding_weights, sparse_ids, sparse_weights=None,
                                    combiner='mean', default_id=None, max_norm=None, name=None):
    return safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights, combiner,
                                        default_id, name, 'div', max_norm)
