# SPDX-License-Identifier: Apache-2.0
"""A view as a message (GraphNodeProto, MultiGraphNodeProto), and as the text that is printed."""
from leat.core.profiler import tfprof_output_pb2
from leat.python.profiler.internal import nodes

_MANY = ('op', 'code')
_OPTIONS = ('max_depth min_bytes min_peak_bytes min_residual_bytes min_output_bytes min_micros '
            'min_accelerator_micros min_cpu_micros min_params min_float_ops min_occurrence step '
            'order_by account_type_regexes start_name_regexes trim_name_regexes '
            'show_name_regexes hide_name_regexes account_displayed_op_only select '
            'output').split()


# ---- messages ----

def _fill_graph_node(message, line, below=True):
    message.name = line.name
    for name in nodes.COLUMNS:
        setattr(message, name, getattr(line.own, name) if line.node is not None else 0)
        setattr(message, 'total_' + name, getattr(line.total, name))
    message.total_definition_count = line.total.definition_count
    if line.node is not None:
        if line.node.device:
            message.devices.append(line.node.device)
        for i, dims in enumerate(line.node.input_shapes):
            if dims is not None:
                for d in dims:
                    message.input_shapes[i].dim.add().size = -1 if d is None else d
    for child in line.shown if below else ():
        _fill_graph_node(message.children.add(), child)


_MULTI_TOTALS = ('exec_micros', 'accelerator_exec_micros', 'cpu_exec_micros', 'requested_bytes',
                 'peak_bytes', 'residual_bytes', 'output_bytes', 'parameters', 'float_ops')


def _fill_multi(message, line):
    while True:  # types of ops stand below each other: no recursion along them
        message.name = line.name
        for name in _MULTI_TOTALS:
            setattr(message, name, getattr(line.own, name))
            setattr(message, 'total_' + name, getattr(line.total, name))
        for leaf in line.graph_nodes:
            _fill_graph_node(message.graph_nodes.add(), leaf, below=False)
        for child in line.shown[:-1]:
            _fill_multi(message.children.add(), child)
        if not line.shown:
            return
        message, line = message.children.add(), line.shown[-1]


def message_of(command, root):
    if command in _MANY:
        message = tfprof_output_pb2.MultiGraphNodeProto()
        _fill_multi(message, root)
    else:
        message = tfprof_output_pb2.GraphNodeProto()
        _fill_graph_node(message, root)
    return message


# ---- text ----

def number(n):
    for least, sign in ((10**9, 'b'), (10**6, 'm'), (10**3, 'k')):
        if n >= least:
            return '%.2f%s' % (n / least, sign)
    return '%d' % n


def micros(n):
    return ('%dus' % n if n < 1000 else '%.2fms' % (n / 1e3) if n < 1000000 else
            '%.2fsec' % (n / 1e6) if n < 60000000 else '%.2fmin' % (n / 6e7))


def memory(n):
    return ('%dB' % n if n < 1000 else '%.2fKB' % (n / 1e3) if n < 1000000 else
            '%.2fMB' % (n / 1e6))


# what may be selected: the title, the figure, its format, the words after it in a tree and a list
_FIGURES = (
    ('params', '# parameters', 'parameters', number, ' params', ' params'),
    ('float_ops', '# float_ops', 'float_ops', number, ' flops', ' float_ops'),
    ('bytes', 'requested bytes', 'requested_bytes', memory, '', ''),
    ('peak_bytes', 'peak bytes', 'peak_bytes', memory, '', ''),
    ('residual_bytes', 'residual bytes', 'residual_bytes', memory, '', ''),
    ('output_bytes', 'output bytes', 'output_bytes', memory, '', ''),
    ('micros', 'total execution time', 'exec_micros', micros, '', ''),
    ('accelerator_micros', 'accelerator execution time', 'accelerator_exec_micros', micros, '', ''),
    ('cpu_micros', 'cpu execution time', 'cpu_exec_micros', micros, '', ''),
)
_WORDS = {
    'scope': 'nodes below the scopes of their names',
    'graph': 'nodes below the nodes that take their outputs',
    'op': 'types of ops, each with all its nodes; totals are of a line and those after it',
    'code': 'lines of Python, below those that called them',
}


def _selected(options):
    chosen = set(options.select)
    if 'micros' in chosen:
        chosen |= {'accelerator_micros', 'cpu_micros'}
    return chosen


def _header(command, chosen):
    titles = [row[1] for row in _FIGURES if row[0] in chosen]
    for name, title in (('device', 'assigned devices'), ('op_types', 'op types'),
                        ('occurrence', 'op occurrence (run|defined)' if command in _MANY else
                         'op count (run|defined)'), ('input_shapes', 'input shapes')):
        if name in chosen:
            titles.append(title)
    return 'node name | ' + ' | '.join(titles)


def _shape_text(dims):
    return 'x'.join('?' if d is None else str(d) for d in dims)


def _tree_words(line, chosen, command):
    words = []
    if 'params' in chosen and line.node is not None and line.own.parameters:
        words.append(_shape_text(line.node.shape))
    for name, _, figure, text, after, _ in _FIGURES:
        if name in chosen:
            own = text(getattr(line.own, figure)) if line.accounted else '--'
            words.append('%s/%s%s' % (own, text(getattr(line.total, figure)), after))
    if 'device' in chosen and line.node is not None and line.node.device:
        words.append(line.node.device)
    if 'op_types' in chosen:
        words.append('|'.join(sorted(line.types)))
    if 'occurrence' in chosen:
        words.append('occurrence N/A in code view' if command == 'code' else '%s/%d|%s/%d' % (
            line.own.run_count if line.accounted else '--', line.total.run_count,
            line.own.definition_count if line.accounted else '--', line.total.definition_count))
    if 'input_shapes' in chosen:
        shapes = line.node.input_shapes if line.node is not None else ()
        words.append('|'.join('%d:%s' % (i, _shape_text(s)) for i, s in enumerate(shapes) if s))
    return ', '.join(words)


def _list_words(line, root, chosen):
    words = []
    for name, _, figure, text, _, after in _FIGURES:
        if name in chosen:
            own, total, whole = (getattr(x, figure) for x in (line.own, line.total, root.total))
            none = not own and text is not micros
            of = [100. * part / whole if whole and not none else 0. for part in (total, own)]
            words.append('%30s' % ('%s%s (%.2f%%, %.2f%%)' % (text(own), after, *of)))
    if 'op_types' in chosen:
        words.append('|'.join(sorted(line.types)))
    if 'occurrence' in chosen:
        words.append('%10s' % ('%d|%d' % (line.own.run_count, line.own.definition_count)))
    return ', '.join(words)


def _option_lines(options):
    def show(value):
        if isinstance(value, bool):
            return str(value).lower()
        return ','.join(value) if not isinstance(value, (int, str)) else str(value)
    shown = {name: getattr(options, name) for name in _OPTIONS}
    shown['select'] = sorted(shown['select'])
    if ':' not in shown['output']:
        shown['output'] += ':'
    return ['-%-27s%s' % (name, show(shown[name])) for name in _OPTIONS]


def text_of(command, root, options):
    """The report, as lines."""
    chosen = _selected(options)
    lines = ['', '=========================Options============================='.ljust(61)]
    lines += _option_lines(options)
    lines += ['', '==================Model Analysis Report======================', '', 'Doc:',
              '%s: %s' % (command, _WORDS[command]), '', 'Profile:', _header(command, chosen)]
    if command == 'op':
        line = root
        while line.shown:
            line = line.shown[0]
            lines.append('%-25s%s' % (line.name, _list_words(line, root, chosen)))
    else:
        stack = [(root, 0)]
        while stack:
            line, depth = stack.pop()
            lines.append('%s%s (%s)' % ('  ' * depth, line.name,
                                        _tree_words(line, chosen, command)))
            stack.extend((child, depth + 1) for child in reversed(line.shown))
    return lines + ['', '======================End of Report==========================']
