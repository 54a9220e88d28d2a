# SPDX-License-Identifier: Apache-2.0
"""for_loop, pfor and vectorized_map.

pfor asks converter.py for ops on all iterations at once; where an op has no such form, the
iterations run in a loop instead, with the same results.
"""
import functools

from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import tensor_array_ops
from leat.python.ops.parallel_for import pfor as pfor_lib
from leat.python.util import nest
from leat.python.util import tf_inspect

PFOR_CONFIG_ARG = 'pfor_config'


def for_loop(loop_fn, loop_fn_dtypes, iters, parallel_iterations=None):
    """loop_fn(0) ... loop_fn(iters - 1), each output stacked; the iterations are those of a
    while_loop."""
    flat_dtypes = nest.flatten(loop_fn_dtypes)
    is_none = []

    def body(i, *arrays):
        outputs = nest.flatten(loop_fn(i))
        if len(outputs) != len(flat_dtypes):
            raise ValueError('Number of expected outputs, %d, does not match the number of actual '
                             'outputs, %d, from loop_fn' % (len(flat_dtypes), len(outputs)))
        written, after = [], []
        del is_none[:]
        for out, array in zip(outputs, arrays):
            is_none.append(out is None or isinstance(out, ops.Operation))
            if is_none[-1]:
                after += [] if out is None else [out]
                written.append(array)
            else:
                written.append(array.write(i, array_ops.expand_dims(out, 0)))
        with ops.control_dependencies(after):
            return [i + 1] + written

    arrays = [tensor_array_ops.TensorArray(dtypes.int32 if d is None else d, size=iters,
                                           dynamic_size=False, infer_shape=False)
              for d in flat_dtypes]
    loop = control_flow_ops.while_loop(
        lambda i, *_: i < iters, body, [0] + arrays,
        **({} if parallel_iterations is None else {'parallel_iterations': parallel_iterations}))
    outputs = []
    for none, array in zip(is_none, loop[1:]):
        outputs.append(None if none else array.concat())
    return nest.pack_sequence_as(loop_fn_dtypes, outputs)


def _flatten_first_two_dims(x):
    old = array_ops.shape(x)
    return array_ops.reshape(x, array_ops.concat([[old[0] * old[1]], old[2:]], axis=0))


def _is_under_xla_context():
    return False


def _loop_fn_has_config(loop_fn):
    """Whether the function takes a pfor_config."""
    if isinstance(loop_fn, functools.partial):
        if PFOR_CONFIG_ARG in loop_fn.keywords:
            return False
        return _loop_fn_has_config(loop_fn.func)
    return PFOR_CONFIG_ARG in tf_inspect.getfullargspec(loop_fn).args


def pfor(loop_fn, iters, parallel_iterations=None):
    """loop_fn(0) ... loop_fn(iters - 1), each output stacked; loop_fn is called once where its
    ops can be made for all iterations at once."""
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError('parallel_iterations must be None or a positive integer')
    if parallel_iterations == 1:
        raise ValueError('Found parallel_iterations == 1. Use for_loop instead.')
    return _pfor_impl(loop_fn, iters, parallel_iterations)


def _call(loop_fn, i, config):
    return loop_fn(i) if config is None else loop_fn(i, **{PFOR_CONFIG_ARG: config})


def _pfor_impl(loop_fn, iters, parallel_iterations=None, pfor_config=None):
    if parallel_iterations is not None:  # as many iterations at once as that, in a loop
        return _in_a_loop(loop_fn, iters, parallel_iterations)
    config = pfor_config
    if config is None and _loop_fn_has_config(loop_fn):
        config = pfor_lib.PForConfig()
    graph = ops.get_default_graph()
    before = graph._last_id
    with ops.name_scope('loop_body'):
        loop_var = array_ops.placeholder_with_default(0, shape=[], name='pfor_i')
        outputs = _call(loop_fn, loop_var, config)
    static = tensor_util.constant_value(iters)
    with ops.name_scope('pfor'):
        n = iters if static is None else int(static)
        converter = pfor_lib.Converter(loop_var, n, before)
        try:
            if config is not None:
                config._set(loop_var, converter)
            return nest.map_structure(lambda x: _stacked(converter, x), outputs)
        except pfor_lib.Unconverted:
            if config is not None:
                raise ValueError('pfor_config is of use only where each op can be converted; '
                                 'No converter defined for one of them') from None
    return _in_a_loop(loop_fn, iters, None, outputs)


def _stacked(converter, x):
    if x is None:
        return None
    if isinstance(x, sparse_tensor.SparseTensor):
        raise pfor_lib.Unconverted('SparseTensor')
    if isinstance(x, ops.Operation):
        return converter.operation(x)
    return converter.stacked(ops.convert_to_tensor(x))


def _in_a_loop(loop_fn, iters, parallel_iterations, outputs=None):
    if outputs is None:
        with ops.name_scope('loop_body'):
            outputs = loop_fn(array_ops.placeholder_with_default(0, shape=[], name='pfor_i'))
    kinds = nest.map_structure(
        lambda x: None if x is None or isinstance(x, ops.Operation) else
        ops.convert_to_tensor(x).dtype.base_dtype, outputs)
    results = for_loop(loop_fn, kinds, iters, parallel_iterations)
    static = tensor_util.constant_value(ops.convert_to_tensor(iters))
    for made, result in zip(nest.flatten(outputs), nest.flatten(results)):
        if result is not None:
            result.set_shape([None if static is None else int(static)] +
                             (made.shape.as_list() if made.shape.ndims is not None else []))
    return results


def vectorized_map(fn, elems):
    """fn of each of the parts of elems along their first dimension, all at once."""
    def loop_fn(i):
        return fn(nest.map_structure(lambda x: array_ops.gather(x, i), elems))
    flat = nest.flatten(elems)
    batch = flat[0].shape.as_list()[0] if flat[0].shape.ndims else None
    if batch is None:
        batch = array_ops.shape(flat[0])[0]
    return pfor(loop_fn, batch)
