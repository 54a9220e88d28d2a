# SPDX-License-Identifier: Apache-2.0
"""Selections of ops and tensors: by name, by walks, by what surrounds them."""
import re

from leat.contrib.graph_editor import util
from leat.python.framework import ops as tf_ops
from leat.python.ops import op_selector


def can_be_regex(obj):
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj):
    if not can_be_regex(obj):
        raise ValueError('Expected a string or a regex, got: {}'.format(type(obj)))
    return re.compile(obj) if isinstance(obj, str) else obj


def filter_ts(ops, positive_filter):
    """The inputs and outputs of ops that the filter takes, each once."""
    ops = util.make_list_of_op(ops)
    ts = list(dict.fromkeys(t for op in ops for t in list(op.inputs) + list(op.outputs)))
    return [t for t in ts if positive_filter is True or positive_filter(t)]


def filter_ts_from_regex(ops, regex):
    found = make_regex(regex)
    return filter_ts(util.make_list_of_op(ops), lambda t: found.search(t.name))


def filter_ops(ops, positive_filter):
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops, regex):
    found = make_regex(regex)
    return filter_ops(util.make_list_of_op(ops), lambda op: found.search(op.name))


def get_name_scope_ops(ops, scope):
    if scope and scope[-1] == '/':
        scope = scope[:-1]
    return filter_ops_from_regex(ops, '^{}(/.*)?$'.format(scope))


def check_cios(control_inputs=False, control_outputs=None, control_ios=None):
    """(whether control inputs count, the ControlOutputs that do)"""
    for given in (control_ios, control_outputs):
        if given is not None and not isinstance(given, util.ControlOutputs):
            raise TypeError('Expected a util.ControlOutputs, got: {}'.format(type(given)))
    if control_ios is not None:
        if control_outputs is not None:
            raise ValueError('control_outputs should be None when using control_ios.')
        control_inputs, control_outputs = True, control_ios
    if control_outputs is not None:
        control_outputs.update()
    return control_inputs, control_outputs


def get_ops_ios(ops, control_inputs=False, control_outputs=None, control_ios=None):
    """The ops right before and right after."""
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    found = []
    for op in util.make_list_of_op(ops):
        found += [t.op for t in op.inputs]
        found += op.control_inputs if control_inputs else []
        found += [consumer for t in op.outputs for consumer in t.consumers()]
        found += control_outputs.get(op) if control_outputs is not None else []
    return list(dict.fromkeys(found))


def compute_boundary_ts(ops):
    """(tensors that come in, tensors that go out, tensors inside)"""
    ops = util.make_list_of_op(ops)
    inputs = list(dict.fromkeys(t for op in ops for t in op.inputs))
    outputs = [t for op in ops for t in op.outputs]
    made, own = set(outputs), set(ops)
    inside = [t for t in inputs if t in made]
    only_inside = {t for t in inside if not set(t.consumers()) - own}
    outside = set(inside)
    return ([t for t in inputs if t not in outside], [t for t in outputs if t not in only_inside],
            inside)


def get_within_boundary_ops(ops, seed_ops, boundary_ops=(), inclusive=True, control_inputs=False,
                            control_outputs=None, control_ios=None):
    """Those of ops that the seeds reach without going through the boundary."""
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    ops = util.make_list_of_op(ops)
    found = set(util.make_list_of_op(seed_ops, allow_graph=False))
    boundary = set(util.make_list_of_op(boundary_ops))
    if boundary & found:
        raise ValueError('Boundary is intersecting with the seeds.')
    wave = set(found)
    while wave:
        near = [op for op in get_ops_ios(wave, control_inputs, control_outputs)
                if op not in found]
        if inclusive:
            found.update(op for op in near if op in boundary)
        wave = {op for op in near if op not in boundary}
        found |= wave
    return [op for op in ops if op in found]


def get_forward_walk_ops(seed_ops, inclusive=True, within_ops=None, within_ops_fn=None,
                         stop_at_ts=(), control_outputs=None):
    """The ops that come after the seeds, nearest first."""
    _, control_outputs = check_cios(False, control_outputs)
    if not util.is_iterable(seed_ops):
        seed_ops = [seed_ops]
    seed_ops = list(seed_ops)
    if seed_ops and isinstance(seed_ops[0], tf_ops.Tensor):
        seed_ops = util.get_consuming_ops(seed_ops)
    else:
        seed_ops = util.make_list_of_op(seed_ops, allow_graph=False)
    stop = set(util.make_list_of_t(stop_at_ts))
    within = set(util.make_list_of_op(within_ops, allow_graph=False)) if within_ops else None

    def is_within(op):
        return ((within is None or op in within) and
                (within_ops_fn is None or within_ops_fn(op)))
    wave = [op for op in dict.fromkeys(seed_ops) if is_within(op)]
    found = dict.fromkeys(wave)
    while wave:
        after = []
        for op in wave:
            after += [c for t in op.outputs if t not in stop for c in t.consumers()]
            after += control_outputs.get(op) if control_outputs is not None else []
        wave = [op for op in dict.fromkeys(after) if op not in found and is_within(op)]
        found.update(dict.fromkeys(wave))
    seeds = set(seed_ops)
    return [op for op in found if inclusive or op not in seeds]


def get_backward_walk_ops(seed_ops, inclusive=True, within_ops=None, within_ops_fn=None,
                          stop_at_ts=(), control_inputs=False):
    """The ops that come before the seeds, nearest first."""
    return op_selector.get_backward_walk_ops(
        seed_ops, inclusive=inclusive, within_ops=within_ops, within_ops_fn=within_ops_fn,
        stop_at_ts=stop_at_ts, control_inputs=control_inputs)


def _walks(forward, backward, within, control):
    """The ops of both walks; forward and backward are (seeds, inclusive)."""
    control_inputs, control_outputs = check_cios(*control)
    options = dict(within_ops=within[0], within_ops_fn=within[1])
    return (get_forward_walk_ops(forward[0], inclusive=forward[1],
                                 control_outputs=control_outputs, **options),
            get_backward_walk_ops(backward[0], inclusive=backward[1],
                                  control_inputs=control_inputs, **options))


def get_walks_intersection_ops(forward_seed_ops, backward_seed_ops, forward_inclusive=True,
                               backward_inclusive=True, within_ops=None, within_ops_fn=None,
                               control_inputs=False, control_outputs=None, control_ios=None):
    """The ops between the seeds."""
    forward, backward = _walks((forward_seed_ops, forward_inclusive),
                               (backward_seed_ops, backward_inclusive),
                               (within_ops, within_ops_fn),
                               (control_inputs, control_outputs, control_ios))
    backward = set(backward)
    return [op for op in forward if op in backward]


def get_walks_union_ops(forward_seed_ops, backward_seed_ops, forward_inclusive=True,
                        backward_inclusive=True, within_ops=None, within_ops_fn=None,
                        control_inputs=False, control_outputs=None, control_ios=None):
    """The ops of either walk."""
    forward, backward = _walks((forward_seed_ops, forward_inclusive),
                               (backward_seed_ops, backward_inclusive),
                               (within_ops, within_ops_fn),
                               (control_inputs, control_outputs, control_ios))
    return util.concatenate_unique(forward, backward)


def _options(kwargs):
    """(graph, filter, restrict ops, restrict tensors) of the keywords."""
    known = {'graph': None, 'positive_filter': None, 'restrict_ops_regex': False,
             'restrict_ts_regex': False}
    for key, value in kwargs.items():
        if key not in known:
            raise ValueError('Wrong keywords argument: {}.'.format(key))
        if key == 'graph' and value is not None and not isinstance(value, tf_ops.Graph):
            raise TypeError('Expected a tf.Graph, got: {}'.format(type(value)))
        known[key] = value
    return known


def _select(args, options, own, restrict, of_regex, of_list):
    """What the arguments select: patterns marked (?#own), ops or tensors."""
    other = '(?#ts)' if own == '(?#ops)' else '(?#ops)'
    taken = options['positive_filter']
    found = []
    for arg in args:
        if can_be_regex(arg):
            if options['graph'] is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            regex = make_regex(arg)
            if regex.pattern.startswith(other) or (
                    restrict and not regex.pattern.startswith(own)):
                continue
            some = of_regex(options['graph'], regex)
        else:
            some = of_list(arg)
        found += [x for x in some if taken is None or taken(x)]
    return list(dict.fromkeys(found))


def select_ops(*args, **kwargs):
    """The ops of lists, of views, and of patterns over `graph`."""
    options = _options(kwargs)
    return _select(args, options, '(?#ops)', options['restrict_ops_regex'], filter_ops_from_regex,
                   lambda arg: util.make_list_of_op(arg, ignore_ts=True))


def select_ts(*args, **kwargs):
    """The tensors of lists, and of patterns over `graph`."""
    options = _options(kwargs)
    return _select(args, options, '(?#ts)', options['restrict_ts_regex'], filter_ts_from_regex,
                   lambda arg: util.make_list_of_t(arg, ignore_ops=True))


def select_ops_and_ts(*args, **kwargs):
    """Both; patterns are of ops but for those that begin with (?#ts)."""
    return (select_ops(*args, restrict_ops_regex=False, **kwargs),
            select_ts(*args, restrict_ts_regex=True, **kwargs))
