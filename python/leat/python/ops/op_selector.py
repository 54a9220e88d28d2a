# SPDX-License-Identifier: Apache-2.0
"""Selections of operations and tensors of a graph: lists of them, and walks against the edges.

Not here: map_subgraph(), for which nothing of Leat asks."""
from leat.python.framework import ops


def is_differentiable(op):
    """Whether it has inputs, and there is a gradient of its type."""
    try:
        return ops.get_gradient_function(op) is not None
    except LookupError:
        return False


def is_iterable(obj):
    """Whether it can be iterated over."""
    if isinstance(obj, ops.Tensor):
        return False
    try:
        iter(obj)
    except Exception:  # whatever its __iter__ says
        return False
    return True


def concatenate_unique(la, lb):
    """la with those of lb that are not in it, at its end."""
    la += [x for x in lb if x not in set(la)]
    return la


def _as_list(tops):
    if isinstance(tops, ops.Graph):
        return tops
    return list(tops) if is_iterable(tops) else [tops]


def _check_types(tops, types):
    for top in tops:
        if not isinstance(top, types):
            raise TypeError('Expected a type in ({}), got: {}'.format(
                ', '.join(str(t) for t in types), type(top)))


def get_unique_graph(tops, check_types=None, none_if_empty=False):
    """The graph that all of them are of."""
    if isinstance(tops, ops.Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError('{} is not iterable'.format(type(tops)))
    if check_types is None:
        check_types = (ops.Operation, ops.Tensor)
    elif not is_iterable(check_types):
        check_types = (check_types,)
    graph = None
    for top in tops:
        _check_types([top], check_types)
        if graph is None:
            graph = top.graph
        elif graph is not top.graph:
            raise ValueError('Operation {} does not belong to given graph'.format(top))
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def check_graphs(*args):
    """An error where two are of different graphs."""
    graph = None
    for i, sgv in enumerate(args):
        if graph is None and sgv.graph is not None:
            graph = sgv.graph
        elif sgv.graph is not None and sgv.graph is not graph:
            raise ValueError('Argument[{}]: Wrong graph!'.format(i))


def _selected(tops, kind, others, graph_options, of_graph):
    """The list of what is of a kind; others are left out, or an error when None."""
    check_graph, allow_graph = graph_options
    if isinstance(tops, ops.Graph):
        if not allow_graph:
            raise TypeError('allow_graph is False: cannot convert a tf.Graph.')
        return of_graph(tops)
    tops = _as_list(tops)
    if not tops:
        return []
    if check_graph:
        get_unique_graph(tops, check_types=None if others else kind)
    return [top for top in tops if isinstance(top, kind)]


def make_list_of_op(tops, check_graph=True, allow_graph=True, ignore_ts=False):
    """The operations of a graph, or of a list."""
    return _selected(tops, ops.Operation, ignore_ts, (check_graph, allow_graph),
                     lambda graph: graph.get_operations())


def get_tensors(graph):
    """All tensors of a graph."""
    if not isinstance(graph, ops.Graph):
        raise TypeError('Expected a graph, got: {}'.format(type(graph)))
    return [tensor for op in graph.get_operations() for tensor in op.outputs]


def make_list_of_t(ts, check_graph=True, allow_graph=True, ignore_ops=False):
    """The tensors of a graph, or of a list."""
    return _selected(ts, ops.Tensor, ignore_ops, (check_graph, allow_graph), get_tensors)


def get_generating_ops(ts):
    """The operations that make the tensors."""
    return [tensor.op for tensor in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts):
    """The operations that take the tensors, each once."""
    found = []
    for tensor in make_list_of_t(ts, allow_graph=False):
        found += [op for op in tensor.consumers() if op not in found]
    return found


def graph_inputs(op):
    """The operations before one, by data and by control edges."""
    return [tensor.op for tensor in op.inputs] + list(op.control_inputs)


def _get_inputs(op, only_differentiable):
    """The inputs of an operation, without those through which no gradient goes if asked."""
    if only_differentiable:
        return op.inputs if is_differentiable(op) else []
    return op.inputs


def _seeds(seed_ops):
    """The operations that a walk begins at."""
    if not is_iterable(seed_ops):
        seed_ops = [seed_ops]
    seed_ops = list(seed_ops)
    if seed_ops and isinstance(seed_ops[0], ops.Tensor):
        return get_generating_ops(seed_ops)
    return make_list_of_op(seed_ops, allow_graph=False)


def get_backward_walk_ops(seed_ops, inclusive=True, within_ops=None, within_ops_fn=None,
                          stop_at_ts=(), control_inputs=False, only_differentiable=False):
    """The operations that the seeds come from, nearest first, not through stop_at_ts."""
    seeds = _seeds(seed_ops)
    stop = {id(tensor) for tensor in make_list_of_t(stop_at_ts)}
    within = None if not within_ops else set(make_list_of_op(within_ops, allow_graph=False))

    def is_within(op):
        return ((within is None or op in within) and
                (within_ops_fn is None or within_ops_fn(op)))
    wave = list(dict.fromkeys(op for op in seeds if is_within(op)))
    found = dict.fromkeys(wave)
    while wave:
        before = []
        for op in wave:
            before += [tensor.op for tensor in _get_inputs(op, only_differentiable)
                       if id(tensor) not in stop]
            before += op.control_inputs if control_inputs else []
        wave = [op for op in dict.fromkeys(before) if op not in found and is_within(op)]
        found.update(dict.fromkeys(wave))
    return [op for op in found if inclusive or op not in seeds]
