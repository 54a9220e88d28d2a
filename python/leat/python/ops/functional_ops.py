# SPDX-License-Identifier: Apache-2.0
"""Folds and scans over the first dim of tensors, and ops that call functions."""
import contextlib

from leat.python.framework import constant_op
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import gen_functional_ops
from leat.python.ops import tensor_array_ops
from leat.python.util import nest


def __getattr__(name):
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(gen_functional_ops, name)


@contextlib.contextmanager
def _cached_variables():
    """Variables that are made meanwhile are read once, on the device that reads them."""
    from leat.python.ops import variable_scope as vs
    scope = vs.get_variable_scope()
    was_none = scope.caching_device is None
    if was_none:
        scope.set_caching_device(lambda op: op.device)
    try:
        yield
    finally:
        if was_none:
            scope.set_caching_device(None)


def _length(elem):
    """The first dim: a number where it is known."""
    from leat.python.ops import array_ops
    return tensor_shape.dimension_value(elem.shape[0]) or array_ops.shape(elem)[0]


def _loop(*args, **kwargs):
    from leat.python.ops import control_flow_ops
    return control_flow_ops.while_loop(*args, **kwargs)


def _fold(fn, elems, initializer, name, default_name, is_left, options):
    if not callable(fn):
        raise TypeError('fn must be callable.')
    with ops.name_scope(name, default_name, nest.flatten(elems)), _cached_variables():
        flat = [ops.convert_to_tensor(elem, name='elem') for elem in nest.flatten(elems)]
        n = _length(flat[0])
        arrays = [tensor_array_ops.TensorArray(dtype=elem.dtype, size=n, dynamic_size=False,
                                               infer_shape=True).unstack(elem) for elem in flat]

        def read(i):
            return nest.pack_sequence_as(elems, [array.read(i) for array in arrays])
        if is_left:
            if initializer is None:
                a, i = read(0), constant_op.constant(1)
            else:
                a, i = initializer, constant_op.constant(0)

            def next_one(i, a):
                a = fn(a, read(i))
                return [i + 1, a]
            _, result = _loop(lambda i, a: i < n, next_one, [i, a], maximum_iterations=n,
                              **options)
            return result
        if initializer is None:
            i = n - 1
            a = read(i)
        else:
            a, i = initializer, n

        def compute(i, a):
            i -= 1
            return [i, fn(a, read(i))]
        _, result = _loop(lambda i, a: i > 0, compute, [i, a], maximum_iterations=n, **options)
        return result


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """a = fn(a, elem) from the first elem to the last."""
    return _fold(fn, elems, initializer, name, 'foldl', True,
                 dict(parallel_iterations=parallel_iterations, back_prop=back_prop,
                      swap_memory=swap_memory))


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """a = fn(a, elem) from the last elem to the first."""
    return _fold(fn, elems, initializer, name, 'foldr', False,
                 dict(parallel_iterations=parallel_iterations, back_prop=back_prop,
                      swap_memory=swap_memory))


foldl_v2, foldr_v2 = foldl, foldr


def _packer(structure):
    """(to a flat list, from a flat list) of what is structured so; a single value as it is."""
    if nest.is_sequence(structure):
        return nest.flatten, lambda flat: nest.pack_sequence_as(structure=structure,
                                                                flat_sequence=flat)
    return lambda value: [value], lambda flat: flat[0]


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
         infer_shape=True, reverse=False, name=None):
    """All the values of a fold."""
    if not callable(fn):
        raise TypeError('fn must be callable.')
    input_flatten, input_pack = _packer(elems)
    output_flatten, output_pack = _packer(elems if initializer is None else initializer)
    with ops.name_scope(name, 'scan', input_flatten(elems)), _cached_variables():
        elems_flat = [ops.convert_to_tensor(elem, name='elem') for elem in input_flatten(elems)]
        n = _length(elems_flat[0])
        elems_ta = [tensor_array_ops.TensorArray(
            dtype=elem.dtype, size=n, dynamic_size=False, element_shape=elem.shape[1:],
            infer_shape=True) for elem in elems_flat]
        elems_ta = [ta.unstack(elem) for ta, elem in zip(elems_ta, elems_flat)]
        first = n - 1 if reverse else 0
        if initializer is None:
            a_flat, i = [elem.read(first) for elem in elems_ta], 1
        else:
            a_flat, i = [ops.convert_to_tensor(v) for v in output_flatten(initializer)], 0
        accs_ta = [tensor_array_ops.TensorArray(
            dtype=init.dtype, size=n, element_shape=init.shape if infer_shape else None,
            dynamic_size=False, infer_shape=infer_shape) for init in a_flat]
        if initializer is None:
            accs_ta = [ta.write(first, a) for ta, a in zip(accs_ta, a_flat)]

        def compute(i, a_flat, tas):
            packed = input_pack([ta.read(i) for ta in elems_ta])
            a_out = fn(output_pack(a_flat), packed)
            nest.assert_same_structure(elems if initializer is None else initializer, a_out)
            flat = output_flatten(a_out)
            tas = [ta.write(i, value) for ta, value in zip(tas, flat)]
            return (i - 1 if reverse else i + 1, flat, tas)
        if reverse:
            start, condition = n - 1 - i, lambda i, _1, _2: i >= 0
        else:
            start, condition = i, lambda i, _1, _2: i < n
        _, _, arrays = _loop(condition, compute, (start, a_flat, accs_ta),
                             parallel_iterations=parallel_iterations, back_prop=back_prop,
                             swap_memory=swap_memory, maximum_iterations=n)
        return output_pack(_stacked(arrays, elems_flat))


def _stacked(arrays, elems_flat):
    """The arrays as tensors, whose first dim is that of elems."""
    results = [array.stack() for array in arrays]
    n_static = tensor_shape.Dimension(tensor_shape.dimension_value(
        elems_flat[0].get_shape().with_rank_at_least(1)[0]))
    for elem in elems_flat[1:]:
        n_static.merge_with(tensor_shape.Dimension(tensor_shape.dimension_value(
            elem.get_shape().with_rank_at_least(1)[0])))
    for r in results:
        if r.get_shape().ndims is not None:
            r.set_shape(tensor_shape.TensorShape([n_static]).concatenate(r.get_shape()[1:]))
    return results


scan_v2 = scan
