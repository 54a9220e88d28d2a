# SPDX-License-Identifier: Apache-2.0
"""Functions that read or change the state of variables, of references and of resources alike.

A reference goes to its op; an object that holds a resource is asked to do it itself.
"""
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import gen_math_ops
from leat.python.ops import gen_resource_variable_ops
from leat.python.ops import gen_state_ops
from leat.python.util import deprecation


def __getattr__(name):
    """The plain functions of the ops of state, as gen_state_ops has them."""
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(gen_state_ops, name)


def variable_op(shape, dtype, name='Variable', set_shape=True, container='', shared_name=''):
    """A Variable op (the old one), whose shape is only known to the graph with set_shape."""
    if not set_shape:
        shape = tensor_shape.unknown_shape()
    ret = gen_state_ops.variable(shape=shape, dtype=dtype, name=name, container=container,
                                 shared_name=shared_name)
    if set_shape:
        ret.set_shape(shape)
    return ret


def variable_op_v2(shape, dtype, name='Variable', container='', shared_name=''):
    return gen_state_ops.variable_v2(shape=shape, dtype=dtype, name=name, container=container,
                                     shared_name=shared_name)


def init_variable(v, init, name='init'):
    """An op that gives v its first value: init, or what init() makes of v's shape and type."""
    with ops.name_scope(None, v.op.name + '/', [v, init]):
        with ops.name_scope(name) as scope:
            with ops.colocate_with(v):
                if callable(init):
                    if not v.get_shape().is_fully_defined():
                        raise ValueError('Variable shape should be fully defined.')
                    value = init(v.get_shape().as_list(), v.dtype.base_dtype)
                else:
                    value = ops.convert_to_tensor(init, name='init')
                return gen_state_ops.assign(v, value, name=scope)


def is_variable_initialized(ref, name=None):
    if ref.dtype._is_ref_dtype:
        return gen_state_ops.is_variable_initialized(ref=ref, name=name)
    return ref.is_initialized(name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    if ref.dtype._is_ref_dtype:
        return gen_state_ops.assign_sub(ref, value, use_locking=use_locking, name=name)
    return ref.assign_sub(value)


def assign_add(ref, value, use_locking=None, name=None):
    if ref.dtype._is_ref_dtype:
        return gen_state_ops.assign_add(ref, value, use_locking=use_locking, name=name)
    return ref.assign_add(value)


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    if ref.dtype._is_ref_dtype:
        return gen_state_ops.assign(ref, value, use_locking=use_locking, name=name,
                                    validate_shape=validate_shape)
    return ref.assign(value, name=name)


@deprecation.deprecated(None, 'Prefer Dataset.range instead.')
def count_up_to(ref, limit, name=None):
    if ref.dtype._is_ref_dtype:
        return gen_state_ops.count_up_to(ref, limit=limit, name=name)
    return gen_state_ops.resource_count_up_to(ref.handle, limit, T=ref.dtype, name=name)


def _scatter(op):
    """The scatter function of an op's name, ScatterAdd; resources have ResourceScatterAdd."""
    plain = getattr(gen_state_ops, op)

    def scatter(ref, indices, updates, use_locking=op == 'scatter_update', name=None):
        if ref.dtype._is_ref_dtype:
            return plain(ref, indices, updates, use_locking=use_locking, name=name)
        of_resource = getattr(gen_resource_variable_ops, 'resource_' + op)
        return ref._lazy_read(of_resource(
            ref.handle, indices, ops.convert_to_tensor(updates, ref.dtype), name=name))
    scatter.__name__ = op
    return scatter


scatter_update = _scatter('scatter_update')
scatter_add = _scatter('scatter_add')
scatter_sub = _scatter('scatter_sub')
scatter_mul = _scatter('scatter_mul')
scatter_div = _scatter('scatter_div')
scatter_max = _scatter('scatter_max')
scatter_min = _scatter('scatter_min')


def _scatter_nd(op):
    plain = getattr(gen_state_ops, op)

    def scatter_nd(ref, indices, updates, use_locking=op == 'scatter_nd_update', name=None):
        if ref.dtype._is_ref_dtype:
            return plain(ref, indices, updates, use_locking, name)
        of_resource = getattr(gen_state_ops, 'resource_' + op)
        return ref._lazy_read(of_resource(
            ref.handle, indices, ops.convert_to_tensor(updates, dtype=ref.dtype), name=name))
    scatter_nd.__name__ = op
    return scatter_nd


scatter_nd_update = _scatter_nd('scatter_nd_update')
scatter_nd_add = _scatter_nd('scatter_nd_add')
scatter_nd_sub = _scatter_nd('scatter_nd_sub')


@deprecation.deprecated('2018-11-29', 'Use the batch_scatter_update method of Variable instead.')
def batch_scatter_update(ref, indices, updates, use_locking=True, name=None):
    """ref[i_1, ..., i_n, indices[i_1, ..., i_n, j]] = updates[i_1, ..., i_n, j]: the leading dims
    of all three are those of a batch."""
    from leat.python.ops import array_ops
    with ops.name_scope(name):
        indices = ops.convert_to_tensor(indices, name='indices')
        indices_shape = array_ops.shape(indices)
        ndims = indices.get_shape().ndims
        if ndims is None:
            raise ValueError('batch_scatter_update does not allow indices with unknown shape.')
        nd_indices = array_ops.expand_dims(indices, axis=-1)
        nd_list = []
        for dim in range(ndims - 1):
            # Which batch each index belongs to, as a column that is broadcast to all of them.
            to_broadcast = gen_math_ops._range(0, indices_shape[dim], 1)
            to_broadcast = array_ops.reshape(
                to_broadcast, [1] * dim + [-1] + [1] * (ndims - dim))
            nd_list.append(to_broadcast * array_ops.ones_like(nd_indices))
        nd_list.append(nd_indices)
        final = array_ops.concat(nd_list, axis=-1)
        return scatter_nd_update(ref, final, updates, use_locking=use_locking)


