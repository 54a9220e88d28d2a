# SPDX-License-Identifier: Apache-2.0
"""Contexts: the loop or branch that an operation was made in, as programs and MetaGraphs see it.

What is inside is the library's knowledge (leat_flow_of); a context is a name for one flow of it, or
for one that a MetaGraph tells of.
"""
from leat._load import core
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys
from leat.python.util import compat


def _strip(context_def, scope):
    """Takes the scope from all names in it."""
    for field in ('context_name', 'pred_name', 'pivot_name', 'pivot_for_pred_name',
                  'pivot_for_body_name', 'maximum_iterations_name'):
        if getattr(context_def, field, ''):
            setattr(context_def, field, ops.strip_name_scope(getattr(context_def, field), scope))
    values = context_def.values_def
    lists = [values.values]
    if hasattr(context_def, 'loop_exit_names'):
        lists += [context_def.loop_exit_names, context_def.loop_enter_names]
    for names in lists:
        names[:] = [ops.strip_name_scope(n, scope) for n in names]
    external = dict(values.external_values)
    values.external_values.clear()
    for key, name in external.items():
        values.external_values[ops.strip_name_scope(key, scope)] = \
            ops.strip_name_scope(name, scope)
    for nested in context_def.nested_contexts:
        _strip(nested.cond_ctxt if nested.HasField('cond_ctxt') else nested.while_ctxt, scope)


class ControlFlowContext(object):
    """A loop or a branch."""

    def __init__(self, values_def=None, import_scope=None):
        self._nested_contexts = []
        self._outer_context = ops.get_default_graph()._get_control_flow_context()
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)
        self._flow_id = None
        self._told_values = None
        self._told_external = {}
        self._graph = ops.get_default_graph()
        self._entered = []
        if values_def is not None:
            self._init_values_from_proto(values_def, import_scope)

    def _init_values_from_proto(self, values_def, import_scope):
        def name(text):
            return ops.prepend_name_scope(compat.as_str(text), import_scope)
        self._told_values = set(name(v) for v in values_def.values)
        graph = self._graph
        self._told_external = {
            name(k): graph.as_graph_element(name(values_def.external_values[k]))
            for k in values_def.external_values}
        for value in self._told_values - set(self._told_external):
            op = graph.as_graph_element(value.split(':')[0])
            op._set_control_flow_context(self)

    @property
    def name(self):
        return self._name

    @property
    def outer_context(self):
        return self._outer_context

    @property
    def grad_state(self):
        return None

    @property
    def back_prop(self):
        return False

    def GetWhileContext(self):
        """The innermost loop: this one, or one around it."""
        return self._outer_context.GetWhileContext() if self._outer_context else None

    def IsWhileContext(self):
        return False

    def IsCondContext(self):
        return False

    def IsXLAContext(self):
        return False

    def GetControlPivot(self):
        return None

    def Enter(self):
        """What is made from now on is said to be in here: for ops that were made elsewhere, and
        for programs that bracket."""
        graph = ops.get_default_graph()
        self._entered.append(graph._flow_context)
        graph._set_control_flow_context(self)

    def Exit(self):
        ops.get_default_graph()._set_control_flow_context(self._entered.pop())

    def EnterGradientColocation(self, op, gradient_uid):
        """Nothing follows from it."""

    def ExitGradientColocation(self, op, gradient_uid):
        """Nothing follows from it."""

    def _values_to_proto(self, values_def, export_scope):
        """What a MetaGraph told of it."""
        values_def.values.extend([ops.strip_name_scope(v, export_scope)
                                  for v in sorted(self._told_values or ())])
        for key, tensor in self._told_external.items():
            values_def.external_values[ops.strip_name_scope(key, export_scope)] = \
                ops.strip_name_scope(tensor.name, export_scope)

    def _known_to_proto(self, context_def, export_scope):
        """Fills context_def by what the library knows; whether it was built here."""
        if self._flow_id is None:
            return False
        context_def.ParseFromString(core.flow_def(self._graph._c, self._flow_id))
        if export_scope:
            _strip(context_def, export_scope)
        return True

    def to_control_flow_context_def(self, context_def, export_scope=None):
        raise NotImplementedError('Abstract method')

    def ExitResult(self, result):
        """What comes out is outside by itself."""

    def _nested_to_proto(self, nested_defs, export_scope):
        for nested in self._nested_contexts:
            nested.to_control_flow_context_def(nested_defs.add(), export_scope=export_scope)

    def _nested_from_proto(self, nested_defs, import_scope):
        self.Enter()
        try:
            for nested in nested_defs:
                from_control_flow_context_def(nested, import_scope=import_scope)
        finally:
            self.Exit()


class CondContext(ControlFlowContext):
    """One of two branches."""

    def __init__(self, pred=None, pivot=None, branch=None, name='cond_text', context_def=None,
                 import_scope=None):
        if context_def is not None:
            graph = ops.get_default_graph()
            self._name = ops.prepend_name_scope(context_def.context_name, import_scope)
            self._pred = graph.as_graph_element(
                ops.prepend_name_scope(context_def.pred_name, import_scope))
            self._pivot = graph.as_graph_element(
                ops.prepend_name_scope(context_def.pivot_name, import_scope))
            self._branch = context_def.branch
            super(CondContext, self).__init__(values_def=context_def.values_def,
                                              import_scope=import_scope)
            self._nested_from_proto(context_def.nested_contexts, import_scope)
            return
        super(CondContext, self).__init__()
        self._name = name
        self._pred = pred
        self._pivot = pivot
        self._branch = branch

    @property
    def pred(self):
        return self._pred

    @property
    def pivot(self):
        return self._pivot

    @property
    def branch(self):
        return self._branch

    @property
    def back_prop(self):
        context = self.GetWhileContext()
        return context.back_prop if context is not None else False

    def IsCondContext(self):
        return True

    def GetControlPivot(self):
        return self._pivot

    def to_proto(self, export_scope=None):
        from leat.core.protobuf import control_flow_pb2
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        context_def = control_flow_pb2.CondContextDef()
        if self._known_to_proto(context_def, export_scope):
            return context_def
        context_def.context_name = ops.strip_name_scope(self.name, export_scope)
        context_def.pred_name = ops.strip_name_scope(self._pred.name, export_scope)
        context_def.pivot_name = ops.strip_name_scope(self._pivot.name, export_scope)
        context_def.branch = self._branch
        self._values_to_proto(context_def.values_def, export_scope)
        self._nested_to_proto(context_def.nested_contexts, export_scope)
        return context_def

    @staticmethod
    def from_proto(context_def, import_scope=None):
        return CondContext(context_def=context_def, import_scope=import_scope)

    def to_control_flow_context_def(self, context_def, export_scope=None):
        context_def.cond_ctxt.CopyFrom(self.to_proto(export_scope=export_scope))


class WhileContext(ControlFlowContext):
    """A loop."""

    def __init__(self, maximum_iterations=None, parallel_iterations=10, back_prop=True,
                 swap_memory=False, name='while_context', grad_state=None, context_def=None,
                 import_scope=None):
        del grad_state
        if context_def is not None:
            self._init_from_proto(context_def, import_scope)
            return
        super(WhileContext, self).__init__()
        self._name = name
        self._maximum_iterations = maximum_iterations
        self._parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory
        self._pivot_for_pred = self._pivot_for_body = self._pivot = None
        self._loop_exits, self._loop_enters = [], []

    def _init_from_proto(self, context_def, import_scope):
        graph = ops.get_default_graph()

        def element(name):
            return graph.as_graph_element(ops.prepend_name_scope(name, import_scope))
        self._name = ops.prepend_name_scope(context_def.context_name, import_scope)
        self._maximum_iterations = (element(context_def.maximum_iterations_name)
                                    if context_def.maximum_iterations_name else None)
        self._parallel_iterations = context_def.parallel_iterations
        self._back_prop = context_def.back_prop
        self._swap_memory = context_def.swap_memory
        self._pivot_for_pred = element(context_def.pivot_for_pred_name)
        self._pivot_for_body = element(context_def.pivot_for_body_name)
        self._pivot = element(context_def.pivot_name)
        self._loop_exits = [element(n) for n in context_def.loop_exit_names]
        self._loop_enters = [element(n) for n in context_def.loop_enter_names]
        super(WhileContext, self).__init__(values_def=context_def.values_def,
                                           import_scope=import_scope)
        self._nested_from_proto(context_def.nested_contexts, import_scope)

    @property
    def maximum_iterations(self):
        return self._maximum_iterations

    @property
    def parallel_iterations(self):
        return self._parallel_iterations

    @property
    def back_prop(self):
        return self._back_prop

    @property
    def swap_memory(self):
        return self._swap_memory

    @property
    def pivot(self):
        return self._pivot

    @property
    def loop_enters(self):
        return self._loop_enters

    @property
    def loop_exits(self):
        return self._loop_exits

    def IsWhileContext(self):
        return True

    def GetWhileContext(self):
        return self

    def GetControlPivot(self):
        return self._pivot_for_body if self._pivot_for_body is not None else self._pivot_for_pred

    def to_proto(self, export_scope=None):
        from leat.core.protobuf import control_flow_pb2
        if export_scope is not None and not self.name.startswith(export_scope):
            return None

        def name(element):
            return ops.strip_name_scope(element.name, export_scope)
        context_def = control_flow_pb2.WhileContextDef()
        if self._known_to_proto(context_def, export_scope):
            return context_def
        context_def.context_name = ops.strip_name_scope(self.name, export_scope)
        context_def.parallel_iterations = self._parallel_iterations
        if self._maximum_iterations is not None:
            context_def.maximum_iterations_name = name(self._maximum_iterations)
        context_def.back_prop = self._back_prop
        context_def.swap_memory = self._swap_memory
        context_def.pivot_for_pred_name = name(self._pivot_for_pred)
        context_def.pivot_for_body_name = name(self._pivot_for_body)
        context_def.pivot_name = name(self._pivot)
        context_def.loop_exit_names.extend([name(t) for t in self._loop_exits])
        context_def.loop_enter_names.extend([name(t) for t in self._loop_enters])
        self._values_to_proto(context_def.values_def, export_scope)
        self._nested_to_proto(context_def.nested_contexts, export_scope)
        return context_def

    @staticmethod
    def from_proto(context_def, import_scope=None):
        return WhileContext(context_def=context_def, import_scope=import_scope)

    def to_control_flow_context_def(self, context_def, export_scope=None):
        context_def.while_ctxt.CopyFrom(self.to_proto(export_scope=export_scope))


def from_control_flow_context_def(context_def, import_scope=None):
    """The context that a ControlFlowContextDef tells of."""
    if context_def.HasField('cond_ctxt'):
        return CondContext.from_proto(context_def.cond_ctxt, import_scope=import_scope)
    if context_def.HasField('while_ctxt'):
        return WhileContext.from_proto(context_def.while_ctxt, import_scope=import_scope)
    raise NotImplementedError('Unknown ControlFlowContextDef field: %s'
                              % context_def.WhichOneof('ctxt'))


def note_current(graph, context):
    """The flow that is being built now is called the context; its name and level come from it."""
    flow, _, name, _, _, _, _ = core.current_flow(graph._c, 0)
    context._name = name
    context._flow_id = flow
    graph._flows[flow] = context


def register_collections():
    from leat.core.protobuf import control_flow_pb2
    ops.register_proto_function(GraphKeys.COND_CONTEXT, proto_type=control_flow_pb2.CondContextDef,
                                to_proto=CondContext.to_proto, from_proto=CondContext.from_proto)
    ops.register_proto_function(GraphKeys.WHILE_CONTEXT,
                                proto_type=control_flow_pb2.WhileContextDef,
                                to_proto=WhileContext.to_proto, from_proto=WhileContext.from_proto)
