# SPDX-License-Identifier: Apache-2.0
"""What the profiler is told of a graph beside its nodes: an OpLogProto."""
import os
import sys

from leat.core.profiler import tfprof_log_pb2
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.platform import gfile
from leat.python.profiler.internal import flops_registry  # pylint: disable=unused-import

TRAINABLE_VARIABLES = '_trainable_variables'
REGISTERED_FLOP_STATS = 'flops'
__all__ = ['write_op_log', 'flops_registry']


def _fill_missing_graph_shape(graph, run_meta):
    """What a step saw of shapes that the graph left open."""
    for device in run_meta.step_stats.dev_stats:
        for stats in device.node_stats:
            if not stats.output:
                continue
            try:
                op = graph.get_operation_by_name(stats.node_name)
            except (KeyError, ValueError):
                continue
            if len(stats.output) != len(op.outputs):
                continue
            for i, output in enumerate(stats.output):
                if not op.outputs[i].shape.is_fully_defined():
                    dims = [d.size for d in output.tensor_description.shape.dim]
                    seen = tensor_shape.TensorShape(dims)
                    if seen.is_fully_defined():
                        op.outputs[i].set_shape(seen)
    return graph


def _str_id(s, str_to_id):
    """The number of a text in the table."""
    return str_to_id.setdefault(s, len(str_to_id))


def _add_trace(entry, op, str_to_id):
    for frame in op.traceback_with_start_lines:
        filename, line, function, code, start = frame[:5]
        trace = entry.code_def.traces.add()
        trace.file_id = _str_id(filename, str_to_id) if filename else 0
        trace.lineno = line or -1
        trace.function_id = _str_id(function, str_to_id) if function else 0
        trace.line_id = _str_id(code, str_to_id) if code else 0
        trace.func_start_line = start or -1


def _get_logged_ops(graph, run_meta=None, add_trace=True, add_trainable_var=True):
    """({name: OpLogEntry}, {text: number})."""
    if run_meta:
        graph = _fill_missing_graph_shape(graph, run_meta)
    missing = 0
    logged, str_to_id = {}, {}
    _str_id('none', str_to_id)
    for op in graph.get_operations():
        try:
            stats = ops.get_stats_for_node_def(graph, op.node_def, REGISTERED_FLOP_STATS)
        except ValueError:
            missing += 1
            stats = None
        if add_trace or (stats is not None and stats.value):
            entry = tfprof_log_pb2.OpLogEntry()
            entry.name = op.name
            if stats is not None and stats.value:
                entry.float_ops = int(stats.value)
            if add_trace:
                _add_trace(entry, op, str_to_id)
            logged[entry.name] = entry
    if add_trainable_var:
        for v in graph.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES):
            entry = logged.get(v.op.name)
            if entry is None:
                entry = logged[v.op.name] = tfprof_log_pb2.OpLogEntry()
                entry.name = v.op.name
            entry.types.append(TRAINABLE_VARIABLES)
    if missing and not run_meta:
        sys.stderr.write('%d ops no flops stats due to incomplete shapes.\n' % missing)
    return logged, str_to_id


def merge_default_with_oplog(graph, op_log=None, run_meta=None, add_trace=True,
                             add_trainable_var=True):
    """The OpLogProto of the graph, what op_log says first."""
    merged = tfprof_log_pb2.OpLogProto()
    graph = graph or ops.get_default_graph()
    logged, str_to_id = _get_logged_ops(graph, run_meta, add_trace, add_trainable_var)
    if op_log is None:
        merged.log_entries.extend(logged.values())
    else:
        entries = {entry.name: entry for entry in op_log.log_entries}
        for name, entry in logged.items():
            known = entries.get(name)
            if known is None:
                entries[name] = entry
                continue
            known.types.extend(entry.types)
            if entry.float_ops > 0 and known.float_ops == 0:
                known.float_ops = entry.float_ops
            if entry.code_def.traces and not known.code_def.traces:
                known.code_def.MergeFrom(entry.code_def)
        merged.log_entries.extend(entries.values())
    for text, number in str_to_id.items():
        merged.id_to_string[number] = text
    return merged


def write_op_log(graph, log_dir, op_log=None, run_meta=None, add_trace=True):
    """Writes merge_default_with_oplog's answer to log_dir/tfprof_log."""
    graph = graph or ops.get_default_graph()
    op_log = merge_default_with_oplog(graph, op_log, run_meta, add_trace)
    with gfile.Open(os.path.join(log_dir, 'tfprof_log'), 'w') as log:
        log.write(op_log.SerializeToString())
