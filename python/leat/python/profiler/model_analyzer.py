# SPDX-License-Identifier: Apache-2.0
"""tf.profiler: what a graph's nodes cost, as messages and as text.

The figures come from internal/nodes.py, the views from internal/views.py, their forms from
internal/report.py. pprof's files are not written.
"""
import sys

from leat.core.profiler import tfprof_log_pb2
from leat.core.profiler import tfprof_options_pb2
from leat.core.profiler import tfprof_output_pb2
from leat.python.framework import errors_impl as errors
from leat.python.framework import ops
from leat.python.profiler import option_builder
from leat.python.profiler import tfprof_logger
from leat.python.profiler.internal import nodes
from leat.python.profiler.internal import report
from leat.python.profiler.internal import views

_DEFAULT_PROFILE_OPTIONS = 0
_DEFAULT_ADVISE_OPTIONS = 0
ALL_ADVICE = {'ExpensiveOperationChecker': {}, 'AcceleratorUtilizationChecker': {},
              'JobChecker': {}, 'OperationChecker': {}}


def _build_options(options):
    """An OptionsProto of a dict."""
    opts = tfprof_options_pb2.OptionsProto()
    for name, default in (('max_depth', 10), ('step', -1), ('order_by', 'name'),
                          ('output', 'stdout'), ('dump_to_file', '')):
        setattr(opts, name, options.get(name, default))
    for name in ('min_bytes', 'min_peak_bytes', 'min_residual_bytes', 'min_output_bytes',
                 'min_micros', 'min_accelerator_micros', 'min_cpu_micros', 'min_params',
                 'min_float_ops', 'min_occurrence'):
        setattr(opts, name, options.get(name, 0))
    for name in ('account_type_regexes', 'start_name_regexes', 'trim_name_regexes',
                 'show_name_regexes', 'hide_name_regexes', 'select'):
        getattr(opts, name).extend(options.get(name, []))
    opts.account_displayed_op_only = options.get('account_displayed_op_only', False)
    return opts


def _build_advisor_options(options):
    """An AdvisorOptionsProto of a dict of dicts."""
    opts = tfprof_options_pb2.AdvisorOptionsProto()
    for checker, given in (options or {}).items():
        checker_options = opts.checkers[checker]
        for name, value in given.items():
            checker_options.options[name] = str(value)
    return opts


def _outfile(output):
    """(kind, file) of an option such as file:outfile=NAME."""
    kind, _, rest = output.partition(':')
    name, _, value = rest.partition('=')
    if kind not in ('stdout', 'none', 'file', 'timeline', 'pprof') or (rest and name != 'outfile'):
        raise errors.InvalidArgumentError(None, None, 'Unknown output option: %s' % output)
    if kind == 'pprof':
        raise errors.UnimplementedError(None, None, 'Leat writes no files for pprof')
    if kind in ('file', 'timeline') and not value:
        raise errors.InvalidArgumentError(None, None, '%s output needs outfile=NAME' % kind)
    return kind, value


def _write_timeline(model, options, name):
    from leat.python.client import timeline
    step = options.step if options.step >= 0 else (model.steps or [-1])[-1]
    if step not in model.run_metas:
        raise errors.InvalidArgumentError(None, None, 'A timeline needs a step that was added')
    path = '%s_%d' % (name, step)
    trace = timeline.Timeline(model.run_metas[step].step_stats).generate_chrome_trace_format()
    with open(path, 'w') as out:
        out.write(trace)
    sys.stdout.write('The timeline of step %d is in %s (for chrome://tracing)\n' % (step, path))


def _view(model, command, options):
    """The message of a view; its text goes where the options say."""
    if command not in views.VIEWS:
        raise errors.InvalidArgumentError(None, None, 'unknown cmd: %s' % command)
    sys.stdout.write('Parsing Inputs...\n')
    kind, name = _outfile(options.output)
    if options.step >= 0 and options.step not in model.steps:
        sys.stderr.write('Options -step=%d not found.\nAvailable steps: %s\n'
                         % (options.step, ' '.join(map(str, model.steps))))
        return report.message_of(command, views.Shown(views.ROOT))
    root = views.VIEWS[command](model, options).tree()
    if kind == 'timeline':
        _write_timeline(model, options, name)
    elif kind != 'none':
        text = '\n'.join(report.text_of(command, root, options)) + '\n'
        if kind == 'file':
            with open(name, 'w') as out:
                out.write(text)
        else:
            sys.stdout.write(text)
    sys.stdout.flush()
    return report.message_of(command, root)


def _model_of(graph, run_meta=None, op_log=None, step=0):
    model = nodes.Model()
    model.add_graph(graph)
    log = tfprof_logger.merge_default_with_oplog(graph, op_log, run_meta)
    model.add_graph(graph)
    model.add_log(log)
    if run_meta is not None:
        model.add_step(step, run_meta)
    return model


class Profiler(object):
    """The profile of several steps of a graph."""

    def __init__(self, graph=None, op_log=None):
        self._graph = graph or ops.get_default_graph()
        self._model = _model_of(self._graph, None, op_log)

    def add_step(self, step, run_meta):
        """What a step measured."""
        log = tfprof_logger.merge_default_with_oplog(self._graph, run_meta=run_meta)
        self._model.add_graph(self._graph)
        self._model.add_log(log)
        self._model.add_step(step, run_meta)

    def _profile(self, command, options):
        return _view(self._model, command, _build_options(options))

    def profile_python(self, options):
        return self._profile('code', options)

    def profile_operations(self, options):
        return self._profile('op', options)

    def profile_name_scope(self, options):
        return self._profile('scope', options)

    def profile_graph(self, options):
        return self._profile('graph', options)

    def advise(self, options):
        return _advise(self._model, options)

    def serialize_to_string(self):
        """A ProfileProto: the nodes, and what the steps measured of them."""
        return _profile_proto(self._model).SerializeToString()

    def _write_profile(self, filename):
        with open(filename, 'wb') as out:
            out.write(self.serialize_to_string())


def profile(graph=None, run_meta=None, op_log=None, cmd='scope',
            options=_DEFAULT_PROFILE_OPTIONS):
    """The profile of a graph, or of one step of it."""
    if not graph:
        graph = ops.get_default_graph()
    if options is _DEFAULT_PROFILE_OPTIONS:
        options = option_builder.ProfileOptionBuilder.trainable_variables_parameter()
    return _view(_model_of(graph, run_meta, op_log), cmd, _build_options(options))


def advise(graph=None, run_meta=None, options=_DEFAULT_ADVISE_OPTIONS):
    """What could be made faster, of a graph and a step."""
    return _advise(_model_of(graph or ops.get_default_graph(), run_meta), options)


def _advise(model, options):
    if options is _DEFAULT_ADVISE_OPTIONS:
        options = ALL_ADVICE
    advice = tfprof_output_pb2.AdviceProto()
    checked = _build_advisor_options(options).checkers
    for name in ('ExpensiveOperationChecker', 'OperationChecker', 'AcceleratorUtilizationChecker'):
        if name not in checked:
            continue
        advice.checkers[name].SetInParent()
        sys.stdout.write('%s:\n' % name)
        if name == 'ExpensiveOperationChecker' and model.steps:
            advice.checkers[name].reports.append(_most_expensive(model))
            sys.stdout.write(advice.checkers[name].reports[0] + '\n')
    return advice


def _most_expensive(model):
    options = _build_options(option_builder.ProfileOptionBuilder().order_by('micros').build())
    line, lines = views.VIEWS['op'](model, options).tree(), []
    whole = line.total.exec_micros
    while line.shown and len(lines) < 3:
        line = line.shown[0]
        own = line.own
        lines.append('top %d operation type: %s, cpu: %s, accelerator: %s, total: %s (%.2f%%)' % (
            len(lines) + 1, line.name, report.micros(own.cpu_exec_micros),
            report.micros(own.accelerator_exec_micros), report.micros(own.exec_micros),
            100. * own.exec_micros / whole if whole else 0))
    return '\n'.join(lines)


def _profile_proto(model):
    proto = tfprof_log_pb2.ProfileProto()
    proto.steps.extend(model.steps)
    ids = {name: i for i, name in enumerate(model.nodes)}
    for name, node in model.nodes.items():
        made = proto.nodes[ids[name]]
        made.name, made.op, made.id = name, node.op, ids[name]
        made.float_ops = node.float_ops
        made.canonical_device = node.device
        made.shape.extend(node.shape)
        made.op_types.extend(sorted(node.types))
        for i, source in enumerate(node.inputs):
            if source in ids:
                made.inputs[i] = ids[source]
        for step, run in node.runs.items():
            made.execs[step].run_count = run.run_count
            memory = made.execs[step].memory_execs.add()
            memory.requested_bytes, memory.peak_bytes = run.requested, run.peak
            memory.residual_bytes, memory.output_bytes = run.residual, run.output
    return proto
