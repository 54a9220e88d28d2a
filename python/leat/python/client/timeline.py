# SPDX-License-Identifier: Apache-2.0
"""What ran when in a step, as JSON for chrome://tracing.

Each device gets two processes, one of ops and one of tensors; ops that overlap in time stand in
different rows of it. Arrows go from the op that made a value to the ops that took it.
"""
import collections
import json
import re

_LABEL_RE = re.compile(r'(\S+) = (\S+)\(([^)]*)\)')


class AllocationMaximum(collections.namedtuple('AllocationMaximum',
                                               ('timestamp', 'num_bytes', 'tensors'))):
    """When an allocator held the most, how much, and for which tensors."""


class StepStatsAnalysis(collections.namedtuple('StepStatsAnalysis',
                                               ('chrome_trace', 'allocator_maximums'))):
    """The trace, and the maximum of each allocator."""


class _ChromeTraceFormatter:
    """Collects events of the trace format."""

    def __init__(self, show_memory=False):
        self._show_memory = show_memory
        self._metadata = []
        self._events = []

    def _add(self, ph, category, name, pid, tid, timestamp, **more):
        event = {'ph': ph, 'cat': category, 'name': name, 'pid': pid, 'tid': tid, 'ts': timestamp}
        event.update(more)
        self._events.append(event)

    def emit_pid(self, name, pid):
        """A process's name."""
        self._metadata.append(
            {'name': 'process_name', 'ph': 'M', 'pid': pid, 'args': {'name': name}})

    def emit_tid(self, name, pid, tid):
        """A thread's name."""
        self._metadata.append(
            {'name': 'thread_name', 'ph': 'M', 'pid': pid, 'tid': tid, 'args': {'name': name}})

    def emit_region(self, timestamp, duration, pid, tid, category, name, args):
        """Something that took time."""
        self._add('X', category, name, pid, tid, timestamp, dur=duration, args=args)

    def emit_obj_create(self, category, name, timestamp, pid, tid, object_id):
        """An object comes."""
        self._add('N', category, name, pid, tid, timestamp, id=object_id)

    def emit_obj_delete(self, category, name, timestamp, pid, tid, object_id):
        """An object goes."""
        self._add('D', category, name, pid, tid, timestamp, id=object_id)

    def emit_obj_snapshot(self, category, name, timestamp, pid, tid, object_id, snapshot):
        """What an object is at a time."""
        self._add('O', category, name, pid, tid, timestamp, id=object_id,
                  args={'snapshot': snapshot})

    def emit_flow_start(self, name, timestamp, pid, tid, flow_id):
        """Where an arrow begins."""
        self._add('s', 'DataFlow', name, pid, tid, timestamp, id=flow_id)

    def emit_flow_end(self, name, timestamp, pid, tid, flow_id):
        """Where it ends."""
        self._add('t', 'DataFlow', name, pid, tid, timestamp, id=flow_id)

    def emit_counter(self, category, name, pid, timestamp, counter, value):
        """A number that changes."""
        self._add('C', category, name, pid, 0, timestamp, args={counter: value})
        del self._events[-1]['tid']

    def emit_counters(self, category, name, pid, timestamp, counters):
        """Several that change together."""
        self._add('C', category, name, pid, 0, timestamp, args=counters)
        del self._events[-1]['tid']

    def format_to_string(self, pretty=False):
        """The JSON."""
        trace = {'traceEvents': self._metadata + self._events}
        if pretty:
            return json.dumps(trace, indent=4, separators=(',', ': '))
        return json.dumps(trace, separators=(',', ':'))


class _TensorTracker:
    """One output: who made it, when it came, and when it was last used."""

    def __init__(self, name, object_id, timestamp, pid, allocator, num_bytes):
        self.name = name
        self.object_id = object_id
        self.create_time = timestamp
        self.pid = pid
        self.allocator = allocator
        self.num_bytes = num_bytes
        self.last_unref = timestamp

    def add_unref(self, timestamp):
        """It was used until then."""
        self.last_unref = max(self.last_unref, timestamp)


class Timeline:
    """The trace of one StepStats (of a RunMetadata)."""

    def __init__(self, step_stats, graph=None):
        self._step_stats = step_stats
        self._graph = graph
        self._chrome_trace = None
        self._allocator_maximums = None
        self._next_pid = 0
        self._next_flow_id = 0
        self._device_pids = {}
        self._tensor_pids = {}
        self._tensors = {}
        self._flow_starts = {}  # node: (timestamp, pid, row)
        self._rows = {}         # id of a NodeExecStats: its row

    def _alloc_pid(self):
        self._next_pid += 1
        return self._next_pid - 1

    def _alloc_flow_id(self):
        self._next_flow_id += 1
        return self._next_flow_id - 1

    @staticmethod
    def _parse_op_label(label):
        """(node, op, inputs) of 'node = op(input, ...)'."""
        match = _LABEL_RE.match(label)
        if match is None:
            return 'unknown', 'unknown', []
        node, op, inputs = match.groups()
        return node, op, inputs.split(', ') if inputs else []

    def _parse_kernel_label(self, label, node_name):
        """The same, where the label may be a memory copy's or empty."""
        start = label.find('@@')
        if start >= 0:
            end = label.find('#', start)
            node_name = label[start + 2:end if end >= 0 else len(label)]
        parts = node_name.split(':')
        op = parts[1] if len(parts) > 1 else 'unknown'
        return parts[0], op, []

    @staticmethod
    def _is_gputrace_device(device_name):
        return '/stream:' in device_name or '/memcpy' in device_name

    def _assign_lanes(self):
        """Each op gets the first row in which nothing runs when it begins."""
        for device in self._step_stats.dev_stats:
            free_at = [0]
            for stats in device.node_stats:
                row = next((i for i, end in enumerate(free_at)
                            if end <= stats.all_start_micros), len(free_at))
                if row == len(free_at):
                    free_at.append(0)
                free_at[row] = stats.all_start_micros + stats.all_end_rel_micros
                stats.thread_id = row

    def _allocate_pids(self):
        self._allocators_pid = self._alloc_pid()
        self._chrome_trace.emit_pid('Allocators', self._allocators_pid)
        for device in self._step_stats.dev_stats:
            pid = self._device_pids[device.device] = self._alloc_pid()
            self._chrome_trace.emit_pid(device.device + ' Compute', pid)
            if not self._is_gputrace_device(device.device):
                pid = self._tensor_pids[device.device] = self._alloc_pid()
                self._chrome_trace.emit_pid(device.device + ' Tensors', pid)

    def _note_outputs(self, device, stats):
        for slot, output in enumerate(stats.output):
            name = stats.node_name
            where = output.tensor_description.allocation_description
            tracker = _TensorTracker(
                name, len(self._tensors), stats.all_start_micros,
                self._tensor_pids.get(device, self._allocators_pid), where.allocator_name,
                where.requested_bytes)
            self._tensors.setdefault((name, output.slot if output.slot else slot), tracker)

    def _analyze_tensors(self, show_memory):
        for device in self._step_stats.dev_stats:
            for stats in device.node_stats:
                self._note_outputs(device.device, stats)
        by_name = collections.defaultdict(list)
        for (name, _), tracker in self._tensors.items():
            by_name[name].append(tracker)
        for device in self._step_stats.dev_stats:
            for stats in device.node_stats:
                end = stats.all_start_micros + stats.all_end_rel_micros
                for source in self._parse_op_label(stats.timeline_label)[2]:
                    for tracker in by_name.get(source.split(':')[0].lstrip('^'), ()):
                        tracker.add_unref(end)
                if show_memory:
                    self._emit_snapshots(device.device, stats)

    def _emit_snapshots(self, device, stats):
        pid = self._tensor_pids.get(device)
        if pid is None:
            return
        end = stats.all_start_micros + stats.all_end_rel_micros
        for slot, output in enumerate(stats.output):
            tracker = self._tensors.get((stats.node_name, output.slot if output.slot else slot))
            if tracker is None:
                continue
            trace, object_id = self._chrome_trace, tracker.object_id
            trace.emit_obj_create('Tensor', tracker.name, tracker.create_time, pid, 0, object_id)
            trace.emit_obj_snapshot(
                'Tensor', tracker.name, end - 1, pid, 0, object_id,
                {'tensor_description': str(output.tensor_description).replace('"', '')})
            trace.emit_obj_delete('Tensor', tracker.name, tracker.last_unref, pid, 0, object_id)

    def _show_compute(self, show_dataflow):
        for device in self._step_stats.dev_stats:
            pid = self._device_pids[device.device]
            traced = self._is_gputrace_device(device.device)
            for stats in device.node_stats:
                self._emit_op(stats, pid, traced)
        if show_dataflow:
            for device in self._step_stats.dev_stats:
                for stats in device.node_stats:
                    self._emit_flows(device.device, stats)

    def _parts_of(self, stats, traced):
        node, op, inputs = self._parse_op_label(stats.timeline_label)
        if traced:
            node, op, inputs = self._parse_kernel_label(stats.timeline_label, stats.node_name)
        elif node == 'unknown':
            node = stats.node_name
        return node, op, inputs

    def _emit_op(self, stats, pid, traced):
        node, op, inputs = self._parts_of(stats, traced)
        args = {'name': node, 'op': op}
        if not traced:
            for i, source in enumerate(inputs):
                args['input%d' % i] = source
        self._chrome_trace.emit_region(stats.all_start_micros, stats.all_end_rel_micros, pid,
                                       stats.thread_id, 'Op', op, args)
        end = stats.all_start_micros + stats.all_end_rel_micros
        self._flow_starts.setdefault(node, (end, pid, stats.thread_id))

    def _emit_flows(self, device, stats):
        pid = self._device_pids[device]
        for source in self._parts_of(stats, self._is_gputrace_device(device))[2]:
            source = source.split(':')[0]
            start = self._flow_starts.get(source)
            if start is None or (start[1] == pid and start[2] == stats.thread_id):
                continue  # the order of the row shows it
            flow = self._alloc_flow_id()
            self._chrome_trace.emit_flow_start(source, *start, flow)
            self._chrome_trace.emit_flow_end(source, stats.all_start_micros, pid, stats.thread_id,
                                             flow)

    def _show_memory_counters(self):
        """How much each allocator holds, at each time that it changes."""
        changes = collections.defaultdict(list)
        for tracker in self._tensors.values():
            changes[tracker.allocator].append((tracker.create_time, tracker.num_bytes, tracker))
            changes[tracker.allocator].append((tracker.last_unref, -tracker.num_bytes, tracker))
        maximums = {}
        for allocator, rows in changes.items():
            rows.sort(key=lambda row: (row[0], -row[1]))
            total, alive, most = 0, set(), AllocationMaximum(0, 0, set())
            for at, num_bytes, tracker in rows:
                total += num_bytes
                (alive.add if num_bytes > 0 else alive.discard)(tracker.name)
                if total > most.num_bytes:
                    most = AllocationMaximum(at, total, set(alive))
                if allocator:
                    self._chrome_trace.emit_counter('Memory', allocator, self._allocators_pid, at,
                                                    allocator, total)
            maximums[allocator] = most
        self._allocator_maximums = maximums

    def analyze_step_stats(self, show_dataflow=True, show_memory=True):
        """The trace and the allocators' maximums."""
        self._chrome_trace = _ChromeTraceFormatter()
        self._next_pid = self._next_flow_id = 0
        self._tensors, self._flow_starts = {}, {}
        self._allocate_pids()
        self._assign_lanes()
        self._analyze_tensors(show_memory)
        self._show_compute(show_dataflow)
        if show_memory:
            self._show_memory_counters()
        return StepStatsAnalysis(chrome_trace=self._chrome_trace,
                                 allocator_maximums=self._allocator_maximums)

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False):
        """The JSON text."""
        analysis = self.analyze_step_stats(show_dataflow, show_memory)
        return analysis.chrome_trace.format_to_string(pretty=True)
