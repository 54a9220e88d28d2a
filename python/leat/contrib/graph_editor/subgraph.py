# SPDX-License-Identifier: Apache-2.0
"""SubGraphView: some ops of a graph, with inputs and outputs in an order of their own."""
import copy

from leat.contrib.graph_editor import select
from leat.contrib.graph_editor import util
from leat.python.framework import ops as tf_ops


def _finalize_index(index_or_t, ts):
    return ts.index(index_or_t) if isinstance(index_or_t, tf_ops.Tensor) else index_or_t


def _check_within_range(mapping, n, repetition):
    for i in mapping:
        if not 0 <= i < n:
            raise ValueError('Out of [0, {}[ range: {}'.format(n, i))
    if not repetition and len(set(mapping)) != len(mapping):
        raise ValueError('Found repetition in mapping: {}'.format(mapping))


class SubGraphView(object):
    """Ops of a graph, the tensors that come in and those that go out; passthrough tensors are both.

    Views do not change; remap... give others."""

    def __init__(self, inside_ops=(), passthrough_ts=()):
        inside_ops = util.make_list_of_op(inside_ops)
        passthrough_ts = util.make_list_of_t(passthrough_ts)
        self._graph = self._ops = None
        if not inside_ops and not passthrough_ts:
            self._ops, self._passthrough_ts = [], []
            self._input_ts, self._output_ts = [], []
            return
        self._graph = util.get_unique_graph(inside_ops + passthrough_ts)
        self._ops = inside_ops
        inputs, outputs, insides = select.compute_boundary_ts(inside_ops)
        known = set(inputs) | set(outputs) | set(insides)
        self._passthrough_ts = [t for t in passthrough_ts if t not in known]
        self._input_ts = inputs + self._passthrough_ts
        self._output_ts = outputs + self._passthrough_ts

    def __copy__(self):
        cls = self.__class__
        result = cls.__new__(cls)
        for key, value in self.__dict__.items():
            setattr(result, key, list(value) if isinstance(value, list) else value)
        return result

    def copy(self):
        return copy.copy(self)

    def _assign_from(self, other):
        if not isinstance(other, SubGraphView):
            raise TypeError('Expected SubGraphView, got: {}'.format(type(other)))
        self.__dict__.update(other.copy().__dict__)

    def _remap(self, name, indices, repetition):
        ts = getattr(self, name)
        indices = [_finalize_index(i, ts) for i in indices]
        _check_within_range(indices, len(ts), repetition=repetition)
        setattr(self, name, [ts[i] for i in indices])

    def remap_default(self, remove_input_map=True, remove_output_map=True):
        """Inputs and outputs in the order that they were made in."""
        inputs, outputs, _ = select.compute_boundary_ts(self._ops)
        result = self.copy()
        if remove_input_map:
            result._input_ts = inputs + self._passthrough_ts
        if remove_output_map:
            result._output_ts = outputs + self._passthrough_ts
        return result

    def remap_inputs(self, new_input_indices):
        result = self.copy()
        result._remap('_input_ts', new_input_indices, False)
        return result

    def remap_outputs(self, new_output_indices):
        result = self.copy()
        result._remap('_output_ts', new_output_indices, True)
        return result

    def remap_outputs_make_unique(self):
        result = self.copy()
        result._output_ts = list(dict.fromkeys(result._output_ts))
        return result

    def remap_outputs_to_consumers(self):
        """An output for each consumer."""
        result = self.remap_outputs_make_unique()
        result._output_ts = [t for t in result._output_ts for _ in t.consumers()]
        return result

    def remap(self, new_input_indices=None, new_output_indices=None):
        result = self.copy()
        if new_input_indices is not None:
            result._remap('_input_ts', new_input_indices, False)
        if new_output_indices is not None:
            result._remap('_output_ts', new_output_indices, True)
        return result

    def remove_unused_ops(self, control_inputs=True):
        """Without the ops that are on no way from inputs or to outputs."""
        kept = set(select.get_walks_union_ops(
            self.connected_inputs, self.connected_outputs, within_ops=self._ops,
            control_inputs=control_inputs))
        result = self.copy()
        result._ops = [op for op in self._ops if op in kept]
        return result

    def find_op_by_name(self, op_name):
        for op in self._ops:
            if op.name == op_name:
                return op
        raise ValueError('%s not in subgraph.' % op_name)

    def __bool__(self):
        return self._graph is not None

    def op(self, op_id):
        return self._ops[op_id]

    def is_passthrough(self, t):
        return t in self._passthrough_ts

    def __enter__(self):
        """`with view:` is its graph as default."""
        if self._graph is None:
            raise ValueError('Cannot enter the context of an empty view')
        self._context = self._graph.as_default()
        return self._context.__enter__()

    def __exit__(self, *exc):
        return self._context.__exit__(*exc)

    def input_index(self, t):
        """The place of an input."""
        return self._place(t, self._input_ts, 'inputs')

    def output_index(self, t):
        """The place of an output."""
        return self._place(t, self._output_ts, 'outputs')

    @staticmethod
    def _place(t, ts, what):
        for i, other in enumerate(ts):
            if other is t:
                return i
        raise ValueError("Can't find {} in {} of the subgraph.".format(t.name, what))

    def consumers(self):
        """The ops outside that take its outputs, each once."""
        own = set(self._ops)
        return list(dict.fromkeys(op for t in self._output_ts for op in t.consumers()
                                  if op not in own))

    @property
    def graph(self):
        return self._graph

    @property
    def ops(self):
        return self._ops

    @property
    def inputs(self):
        return util.ListView(self._input_ts)

    @property
    def connected_inputs(self):
        return [t for t in self._input_ts if not self.is_passthrough(t)]

    @property
    def outputs(self):
        return util.ListView(self._output_ts)

    @property
    def connected_outputs(self):
        return [t for t in self._output_ts if not self.is_passthrough(t)]

    @property
    def passthroughs(self):
        return util.ListView(self._passthrough_ts)

    def __str__(self):
        if not self:
            return 'SubGraphView: empty'

        def lines(name, items):
            if not items:
                return ['** %s: empty' % name]
            return ['** %s[%d]:' % (name, len(items))] + ['  ' + self._label(x) for x in items]
        text = ['SubGraphView (graphid={}):'.format(id(self.graph))]
        text += lines('ops', self._ops) + lines('inputs', self._input_ts)
        return '\n'.join(text + lines('outputs', self._output_ts)) + '\n'

    def _label(self, item):
        passes = isinstance(item, tf_ops.Tensor) and self.is_passthrough(item)
        return item.name + (' *' if passes else '')


def make_view(*args, **kwargs):
    """The view of ops, tensors (passthrough), patterns; a view is itself."""
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        return args[0]
    return SubGraphView(*select.select_ops_and_ts(*args, **kwargs))


def make_view_from_scope(scope, graph):
    return SubGraphView(select.get_name_scope_ops(graph, scope))
