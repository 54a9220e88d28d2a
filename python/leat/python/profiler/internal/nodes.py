# SPDX-License-Identifier: Apache-2.0
"""What a profile knows: the graph's nodes, what was logged of them, what each step measured.

A node's figures (Figures) are those of one step, or the mean over the steps; views add them up.
"""
import re

from leat.python.framework import tensor_shape

COLUMNS = ('exec_micros', 'accelerator_exec_micros', 'cpu_exec_micros', 'requested_bytes',
           'peak_bytes', 'residual_bytes', 'output_bytes', 'parameters', 'float_ops', 'run_count')
_STREAM = re.compile(r'.*/stream:')


class Figures(object):
    """A number for each of COLUMNS, and how many nodes they are of."""
    __slots__ = COLUMNS + ('definition_count',)

    def __init__(self):
        for name in self.__slots__:
            setattr(self, name, 0)

    def add(self, other):
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class _Run(object):
    """What one step measured of a node."""

    def __init__(self):
        self.run_count = self.cpu = self.accelerator = 0
        self.requested = self.peak = self.residual = self.output = 0

    def note(self, device, stats):
        micros = stats.op_end_rel_micros  # from when the executor took the node up
        if _STREAM.match(device):
            if device.endswith('stream:all'):
                self.accelerator += micros
            return
        self.run_count += 1
        self.cpu += micros
        for memory in stats.memory:
            self.requested += memory.total_bytes
            self.peak += memory.peak_bytes
            self.residual += memory.live_bytes
        held = {}
        for output in stats.output:
            block = output.tensor_description.allocation_description
            if block.requested_bytes:
                held[block.ptr] = max(block.requested_bytes, held.get(block.ptr, 0))
        self.output += sum(held.values())


def _shape_of(op):
    """The shape that the node says by its attr, as a list; empty where it says none."""
    try:
        shape = tensor_shape.TensorShape(op.get_attr('shape'))
    except (ValueError, TypeError):
        return []
    return [] if shape.ndims is None else [-1 if d is None else d for d in shape.as_list()]


class Node(object):
    """An operation of the graph."""

    def __init__(self, op):
        self.name, self.op = op.name, op.type
        self.shape = _shape_of(op)
        self.inputs = [t.op.name for t in op.inputs] + [c.name for c in op.control_inputs]
        self.input_shapes = [None if t.shape.ndims is None else t.shape.as_list()
                             for t in op.inputs]
        self.types = {op.type}
        self.device = ''
        self.float_ops = 0
        self.trace = ()
        self.runs = {}

    @property
    def parameters(self):
        count = 1 if self.shape else 0
        for d in self.shape:
            if d < 0:
                return 0
            count *= d
        return count

    def figures(self, step):
        """Those of a step, or, of step -1, of all steps in the mean."""
        found = Figures()
        found.parameters = self.parameters
        found.float_ops = self.float_ops
        found.definition_count = 1
        runs = self.runs
        if step >= 0:
            if runs and step not in runs:
                found.float_ops = 0
            runs = {step: runs[step]} if step in runs else {}
        if runs:
            def mean(name):
                return sum(getattr(r, name) for r in runs.values()) // len(runs)
            found.run_count = mean('run_count')
            found.accelerator_exec_micros, found.cpu_exec_micros = mean('accelerator'), mean('cpu')
            found.exec_micros = found.accelerator_exec_micros + found.cpu_exec_micros
            found.requested_bytes, found.peak_bytes = mean('requested'), mean('peak')
            found.residual_bytes, found.output_bytes = mean('residual'), mean('output')
            found.float_ops *= max(found.run_count, 1)
        return found


class Model(object):
    """The nodes by name, in the graph's order, and the steps."""

    def __init__(self):
        self.nodes, self.steps, self.traces, self.run_metas = {}, [], {}, {}

    def add_graph(self, graph):
        for op in graph.get_operations():
            known = self.nodes.get(op.name)
            if known is None:
                self.nodes[op.name] = Node(op)
            else:
                known.input_shapes = Node(op).input_shapes

    def add_log(self, log):
        """An OpLogProto."""
        for entry in log.log_entries:
            node = self.nodes.get(entry.name)
            if node is None:
                continue
            node.types.update(entry.types)
            if entry.float_ops:
                node.float_ops = entry.float_ops
            if entry.code_def.traces:
                node.trace = tuple(
                    (log.id_to_string.get(t.file_id, t.file) or t.file, t.lineno,
                     log.id_to_string.get(t.function_id, t.function) or t.function)
                    for t in entry.code_def.traces)

    def add_step(self, step, run_meta):
        self.steps = sorted({*self.steps, step})
        self.run_metas[step] = run_meta
        for node in self.nodes.values():
            node.runs.pop(step, None)
        for device in run_meta.step_stats.dev_stats:
            name = device.device.lower()
            for stats in device.node_stats:
                node = self.nodes.get(stats.node_name.partition(':')[0])
                if node is None:
                    continue
                node.runs.setdefault(step, _Run()).note(name, stats)
                if not _STREAM.match(name):
                    node.device = name
                    node.types.add(name)
