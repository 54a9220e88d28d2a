# SPDX-License-Identifier: Apache-2.0
"""Questions about loops and branches that programs ask."""
ENABLE_CONTROL_FLOW_V2 = False


def EnableControlFlowV2(graph):
    del graph
    return False


def IsInXLAContext(op):
    del op
    return False


def InXlaContext(graph):
    del graph
    return False


def GraphOrParentsInXlaContext(graph):
    del graph
    return False


def IsInWhileLoop(op):
    return GetContainingWhileContext(op._get_control_flow_context()) is not None


def IsInCond(op):
    return GetContainingCondContext(op._get_control_flow_context()) is not None


def IsSwitch(op):
    return op.type in ('Switch', 'RefSwitch')


def IsMerge(op):
    return op.type in ('Merge', 'RefMerge')


def IsLoopEnter(op):
    return op.type in ('Enter', 'RefEnter')


def IsLoopExit(op):
    return op.type in ('Exit', 'RefExit')


def IsLoopConstantEnter(op):
    return IsLoopEnter(op) and op.get_attr('is_constant')


def IsCondSwitch(op):
    """Whether it brings a value into a branch."""
    if not IsSwitch(op) or not op.outputs:
        return False
    context = op._get_control_flow_context()
    return context is not None and context.IsCondContext()


def IsCondMerge(op):
    """Whether it joins two branches."""
    return IsMerge(op) and not any(t.op.type in ('NextIteration', 'RefNextIteration')
                                   for t in op.inputs)


def IsLoopSwitch(op):
    if not IsSwitch(op):
        return False
    context = op._get_control_flow_context()
    return context is not None and context.IsWhileContext() and not IsCondSwitch(op)


def IsLoopMerge(op):
    return IsMerge(op) and not IsCondMerge(op)


def GetLoopConstantEnter(value):
    """The Enter behind a value that is the same in all turns; None."""
    op = value.op
    while op.type in ('Identity', 'RefIdentity', 'Switch', 'RefSwitch'):
        op = op.inputs[0].op
    return op if IsLoopConstantEnter(op) else None


def GetOutputContext(op):
    """The context of what the op gives: outside, for an Exit."""
    context = op._get_control_flow_context()
    if context is not None and IsLoopExit(op):
        context = context.outer_context
    return context


def GetContainingWhileContext(ctxt, stop_ctxt=None):
    """The innermost loop around; None, also where it is stop_ctxt's."""
    while ctxt:
        if ctxt.IsWhileContext() or ctxt == stop_ctxt:
            return ctxt
        ctxt = ctxt.outer_context
    return None


def GetContainingXLAContext(ctxt):
    del ctxt
    return None


def GetContainingCondContext(ctxt):
    while ctxt:
        if ctxt.IsCondContext():
            return ctxt
        ctxt = ctxt.outer_context
    return None


def IsContainingContext(ctxt, maybe_containing_ctxt):
    while ctxt is not maybe_containing_ctxt:
        if ctxt is None:
            return False
        ctxt = ctxt.outer_context
    return True


def OpInContext(op, ctxt):
    return IsContainingContext(op._get_control_flow_context(), ctxt)


def TensorInContext(tensor, ctxt):
    return OpInContext(tensor.op, ctxt)


def CheckInputFromValidContext(op, input_op):
    """What is not valid is refused when a node is made."""
    del op, input_op


def GetWhileContext(op):
    return op._get_control_flow_context().GetWhileContext() \
        if op._get_control_flow_context() else None
