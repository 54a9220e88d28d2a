# SPDX-License-Identifier: Apache-2.0
"""The four ways to see a profile: by scopes, along the graph, by op types, by lines of Python.

Each makes a tree of Shown, adds figures up in it, and keeps what the options ask for.
"""
import os
import re

from leat.python.profiler.internal import nodes

ROOT = '_TFProfRoot'
_ORDERS = {'bytes': 'requested_bytes', 'peak_bytes': 'peak_bytes',
           'residual_bytes': 'residual_bytes', 'output_bytes': 'output_bytes',
           'micros': 'exec_micros', 'accelerator_micros': 'accelerator_exec_micros',
           'cpu_micros': 'cpu_exec_micros', 'params': 'parameters', 'float_ops': 'float_ops',
           'occurrence': 'run_count'}
_LEAST_IN_ALL = (('min_bytes', 'requested_bytes'), ('min_peak_bytes', 'peak_bytes'),
                 ('min_residual_bytes', 'residual_bytes'), ('min_output_bytes', 'output_bytes'),
                 ('min_micros', 'exec_micros'),
                 ('min_accelerator_micros', 'accelerator_exec_micros'),
                 ('min_cpu_micros', 'cpu_exec_micros'))
_LEAST_OF_ITSELF = (('min_params', 'parameters'), ('min_float_ops', 'float_ops'),
                    ('min_occurrence', 'run_count'))


class Shown(object):
    """A line of a view: a node, or what stands above nodes."""

    def __init__(self, name, node=None, types=()):
        self.name, self.node = name, node
        self.types = node.types if node is not None else set(types)
        self.children, self.shown = [], []
        self.own, self.total = nodes.Figures(), nodes.Figures()
        self.accounted = False
        self.graph_nodes = []

    def measure(self, step):
        if self.node is not None:
            self.own = self.node.figures(step)
        else:
            self.own.definition_count = 1


def _any_match(name, regexes):
    return any(regex == '.*' or re.fullmatch(regex, name) for regex in regexes)


class View(object):
    """What the views share: which lines count, which are shown, in which order."""
    keeps_parents = True
    shown_type = ''

    def __init__(self, model, options):
        self._model, self._options = model, options
        self._of_shown = options.account_displayed_op_only
        self._all_types = list(options.account_type_regexes) == ['.*']

    def _accounts(self, line):
        return self._all_types or any(_any_match(t, self._options.account_type_regexes)
                                      for t in line.types)

    def _shows(self, line, depth):
        o = self._options
        if any(getattr(line.total, figure) < getattr(o, least) for least, figure in _LEAST_IN_ALL):
            return False
        if any(getattr(line.own, figure) < getattr(o, least)
               for least, figure in _LEAST_OF_ITSELF):
            return False
        return (depth <= o.max_depth and _any_match(line.name, o.show_name_regexes) and
                not _any_match(line.name, o.hide_name_regexes))

    def _sorted(self, lines):
        lines = sorted(lines, key=lambda line: line.name)
        figure = _ORDERS.get(self._options.order_by)
        if figure:
            lines.sort(key=lambda line: -getattr(line.total, figure))
        return lines

    def _count(self, lines):
        """Adds figures up from the leaves; those that count, or are above some that do."""
        kept = []
        for line in lines:
            line.total = nodes.Figures()
            line.measure(self._options.step)
            below = self._count(line.children)
            line.accounted = self._accounts(line)
            if line.accounted or (below and self.keeps_parents):
                line.children = below
                line.total.definition_count = line.own.definition_count
                if line.accounted:
                    line.total.add(line.own)
                    line.total.definition_count = line.own.definition_count
                for child in below:
                    line.total.add(child.total)
                kept.append(line)
            else:
                kept += below
        return kept

    def _start(self, lines):
        regexes = self._options.start_name_regexes
        if not regexes or '.*' in regexes:
            return lines
        found = []
        for line in lines:
            found += [line] if _any_match(line.name, regexes) else self._start(line.children)
        return found

    def _choose(self, lines, depth):
        """The lines that are shown; those below a hidden one stand in its place."""
        chosen = []
        for line in self._sorted(lines):
            trimmed = _any_match(line.name, self._options.trim_name_regexes)
            shows = self._shows(line, depth)
            below = [] if trimmed else self._choose(line.children, depth + 1)
            if not shows:
                chosen += below
                continue
            line.shown = self._sorted(below)
            if self._of_shown:
                self._add_shown(line)
            chosen.append(line)
        return self._sorted(chosen)

    @staticmethod
    def _add_shown(line):
        line.total = nodes.Figures()
        if line.accounted:
            line.total.add(line.own)
        line.total.definition_count = line.own.definition_count
        for child in line.shown:
            line.total.add(child.total)

    def tree(self):
        """The root, with what is shown below it."""
        root = Shown(ROOT, types=[self.shown_type] if self.shown_type else ())
        root.children = self._count(self.roots())
        for child in root.children:
            root.total.add(child.total)
        root.shown = self._choose(self._start(root.children), 2)
        if self._of_shown:
            root.own.definition_count = 1
            self._add_shown(root)
        return root


class ScopeView(View):
    """Nodes below the scopes of their names."""
    shown_type = '_kTFScopeParent'

    def roots(self):
        lines = {}
        for name, node in self._model.nodes.items():
            lines[name] = Shown(name, node)
        top = []
        for name in list(lines):
            self._place(name, lines, top)
        return top

    def _place(self, name, lines, top):
        line = lines[name]
        while True:
            above = line.name.rpartition('/')[0]
            if not above:
                top.append(line)
                return
            parent = lines.get(above)
            known = parent is not None
            if not known:
                parent = lines[above] = Shown(above, types=[self.shown_type])
            parent.children.append(line)
            if known:
                return
            line = parent


class GraphView(View):
    """Nodes below those that take their outputs, each once."""
    keeps_parents = False
    shown_type = '_TFGraphParent'

    def roots(self):
        lines = {name: Shown(name, node) for name, node in self._model.nodes.items()}
        taken = {i for node in self._model.nodes.values() for i in node.inputs if i != node.name}
        roots = [lines[name] for name in sorted(lines) if name not in taken]
        seen = set()
        for root in roots:
            self._go(root, lines, seen)
        return roots

    @staticmethod
    def _go(root, lines, seen):
        """Depth first; a stack, for graphs are deep."""
        seen.add(root.name)
        stack = [(root, iter(root.node.inputs))]
        while stack:
            line, rest = stack[-1]
            for name in rest:
                if name in lines and name not in seen:
                    seen.add(name)
                    child = lines[name]
                    line.children.append(child)
                    stack.append((child, iter(child.node.inputs)))
                    break
            else:
                stack.pop()


class OpView(View):
    """The types of ops, each with its nodes; every line's total is what comes from it on."""

    def tree(self):
        kinds = {}
        for name in sorted(self._model.nodes):
            node = self._model.nodes[name]
            line = Shown(name, node)
            line.measure(self._options.step)
            if not self._accounts(line):
                continue
            line.total.add(line.own)
            kind = kinds.setdefault(node.op, Shown(node.op))
            kind.graph_nodes.append(line)
            kind.own.add(line.own)
            kind.types |= node.types
            kind.accounted = True
        for kind in kinds.values():
            kind.total.add(kind.own)
        lines = self._sorted(kinds.values())
        self._add_up(lines)
        kept = [line for line in lines
                if _any_match(line.name, self._options.start_name_regexes) and
                self._shows(line, 1)][:self._options.max_depth + 1]
        root = Shown(ROOT)
        root.total.add(self._add_up(kept if self._of_shown else lines))
        above = root
        for line in kept:
            above.shown = [line]
            above = line
        return root

    @staticmethod
    def _add_up(lines):
        """Each line's total is what it and those after it are; that of all."""
        below = nodes.Figures()
        for line in reversed(lines):
            below.add(line.own)
            line.total = nodes.Figures()
            line.total.add(below)
        return below

    def _shows(self, line, depth):
        o = self._options
        if len(line.graph_nodes) < o.min_occurrence:
            return False
        least = o.min_occurrence
        o.min_occurrence = 0
        shows = super()._shows(line, depth)
        o.min_occurrence = least
        return shows


class CodeView(View):
    """Lines of Python that made nodes, below the lines that called them."""

    def roots(self):
        tops = {}
        for node in self._model.nodes.values():
            gradient = node.name.startswith('gradients/')
            above, level = None, tops
            for filename, line, function in self._trace_of(node, gradient):
                name = '%s:%d:%s%s' % (os.path.basename(filename), line, function,
                                       ' (gradient)' if gradient else '')
                found = level.get(name)
                if found is None:
                    found = level[name] = Shown(name)
                    found.below = {}
                    if above is not None:
                        above.children.append(found)
                above, level = found, found.below
            if above is not None:
                leaf = Shown(node.name, node)
                above.graph_nodes.append(leaf)
        return list(tops.values())

    def _trace_of(self, node, gradient):
        """A gradient's is that of the operation which it is of."""
        if gradient:
            for part in node.name.split('_grad')[:1]:
                forward = self._model.nodes.get(part.partition('/')[2])
                if forward is not None:
                    return forward.trace
        return node.trace

    def _count(self, lines):
        for line in lines:
            line.own, line.total = nodes.Figures(), nodes.Figures()
            for leaf in line.graph_nodes:
                leaf.measure(self._options.step)
                if self._accounts(leaf):
                    leaf.total.add(leaf.own)
                    line.own.add(leaf.own)
            line.accounted = True
            line.children = self._count(line.children)
            line.total.add(line.own)
            for child in line.children:
                line.total.add(child.total)
        return lines

    def tree(self):
        self._of_shown = False
        return super().tree()


VIEWS = {'scope': ScopeView, 'graph': GraphView, 'op': OpView, 'code': CodeView}
