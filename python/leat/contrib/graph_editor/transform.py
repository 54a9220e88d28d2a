# SPDX-License-Identifier: Apache-2.0
"""Copies of views, whose handlers say what becomes of each part."""
import copy as copy_module

from leat.contrib.graph_editor import reroute
from leat.contrib.graph_editor import select
from leat.contrib.graph_editor import subgraph
from leat.contrib.graph_editor import util
from leat.python.framework import ops as tf_ops
from leat.python.platform import tf_logging as logging


def replace_t_with_placeholder_handler(info, t):
    """A placeholder like the tensor."""
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info, t):
    """The tensor where the copy is in its graph, else a placeholder."""
    return t if info.graph is info.graph_ else replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(info, elem, elem_):
    """The copy is in its original's collections, those of programs under names in the new scope."""
    known = util.get_predefined_collection_names()
    for name, collection in info.collections.items():
        if any(item is elem for item in collection):
            new_name = name if name in known else info.new_name(name)
            info.graph_.add_to_collection(new_name, elem_)


def transform_op_if_inside_handler(info, op, keep_if_possible=True):
    """The copy of an op of the view; of another itself, where it can be."""
    if op in info.sgv.ops:
        return info.transformed_ops[op]
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(info, op, new_inputs, copy_shape=False, nodedef_fn=None):
    """(a copy with these inputs, its outputs)"""
    if isinstance(new_inputs, bool):
        raise TypeError('the `new_inputs` argument must be an iterable.')
    if copy_shape:
        logging.warn('the `copy_shape` argument is deprecated and no longer needed.')
    node_def = op.node_def
    node_def.name = info.graph_.unique_name(info.new_name(op.name))
    if nodedef_fn is not None:
        node_def = nodedef_fn(node_def)
    made = tf_ops.Operation(node_def, info.graph_, new_inputs, [t.dtype for t in op.outputs], [],
                            [t.dtype for t in op.inputs], None, op.op_def)
    return made, list(made.outputs)


class TransformerInfo(object):
    """What became of what."""

    def __init__(self, info):
        self._graph, self._scope = info.graph, info.scope
        self._graph_, self._scope_ = info.graph_, info.scope_
        self._transformed_ops = info.transformed_ops
        self._transformed_ts = info.transformed_ts

    def _mapped(self, tree, missing_fn, maps):
        of_ops, of_ts = maps

        def find(elem):
            if not isinstance(elem, (tf_ops.Tensor, tf_ops.Operation)):
                raise ValueError('Expected a tensor or an operation, got: {}'.format(type(elem)))
            found = (of_ts if isinstance(elem, tf_ops.Tensor) else of_ops).get(elem)
            return missing_fn(elem) if found is None and missing_fn is not None else found
        return util.transform_tree(tree, find)

    def transformed(self, original, missing_fn=None):
        """The copies of a tree of originals."""
        return self._mapped(original, missing_fn, (self._transformed_ops, self._transformed_ts))

    def original(self, transformed, missing_fn=None):
        """The originals of a tree of copies."""
        return self._mapped(transformed, missing_fn, (
            {new: old for old, new in self._transformed_ops.items()},
            {new: old for old, new in self._transformed_ts.items()}))

    def __str__(self):
        lines = ['Transform result info:']
        if self._graph is self._graph_:
            text = '  Within graph[{}]'.format(id(self._graph))
        else:
            text = '  graph[{}] => graph[{}]'.format(id(self._graph), id(self._graph_))
        lines.append(text)
        if self._scope:
            lines.append('  Relative to source scope: {}'.format(self._scope))
        if self._scope_:
            lines.append('  Scope destination: {}'.format(self._scope_))
        lines.append('Operations mapping:')
        lines += ['  {} => {}'.format(old.name, new.name)
                  for old, new in self._transformed_ops.items()]
        return '\n'.join(lines) + '\n'


class _TmpInfo(object):
    """The state of a transformation, which the handlers see."""

    def __init__(self, sgv, dst_graph, dst_scope, src_scope):
        self.sgv = sgv
        self.sgv_inputs_set = frozenset(sgv.inputs)
        self.ops = frozenset(sgv.ops)
        self.control_outputs = util.ControlOutputs(sgv.graph)
        self.graph, self.scope = sgv.graph, src_scope
        self.graph_, self.scope_ = dst_graph, dst_scope
        self.transformed_ops, self.transformed_ts = {}, {}
        self.collections = {key: self.graph.get_collection(key)
                            for key in self.graph.get_all_collection_keys()
                            if isinstance(key, str)}
        self.cyclic_ops = []
        self.tmp_cyclic_ts = []

    def new_name(self, name):
        if not name.startswith(self.scope):
            raise ValueError('{} does not belong to source scope: {}.'.format(name, self.scope))
        return self.scope_ + name[len(self.scope):]


class Transformer(object):
    """Copies views; its handlers may be set to others."""

    def __init__(self):
        self.assign_collections_handler = assign_renamed_collections_handler
        self.transform_external_input_handler = replace_t_with_placeholder_handler
        self.transform_external_hidden_input_handler = keep_t_if_possible_handler
        self.transform_op_handler = copy_op_handler
        self.transform_control_input_handler = transform_op_if_inside_handler
        self.transform_original_op_handler = self._original_op

    @staticmethod
    def _original_op(info, op):
        return transform_op_if_inside_handler(info, op, keep_if_possible=True)

    def __call__(self, sgv, dst_graph, dst_scope, src_scope='', reuse_dst_scope=False):
        sgv = subgraph.make_view(sgv)
        if not isinstance(dst_graph, tf_ops.Graph):
            raise TypeError('Expected a tf.Graph, got: {}'.format(type(dst_graph)))
        src_scope = util.scope_finalize(src_scope)
        dst_scope = util.scope_finalize(dst_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = util.scope_finalize(dst_graph.unique_name(dst_scope[:-1]))
        info = _TmpInfo(sgv, dst_graph, dst_scope, src_scope)
        self._copy_ops(info)
        self._connect_control_inputs(info)
        self._close_cycles(info)
        return self._transform_sgv(info, sgv), TransformerInfo(info)

    def _copy_ops(self, info):
        for op in sorted(info.sgv.ops, key=lambda op: op._id):
            new_inputs = [self._transformed_t(info, t, op) for t in op.inputs]
            op_, outputs = self.transform_op_handler(info, op, new_inputs)
            if op is op_:
                raise ValueError('In-place transformation not allowed.')
            info.transformed_ops[op] = op_
            self.assign_collections_handler(info, op, op_)
            for t, t_ in zip(op.outputs, outputs):
                info.transformed_ts[t] = t_
                self.assign_collections_handler(info, t, t_)

    def _transformed_t(self, info, t, consumer_op):
        if t in info.transformed_ts:
            return info.transformed_ts[t]
        if t in info.sgv_inputs_set:
            return self.transform_external_input_handler(info, t)
        if t.op not in info.ops:
            return self.transform_external_hidden_input_handler(info, t)
        if consumer_op.type == 'Merge':  # a cycle: closed when all are there
            t_ = self._transformed_t(info, consumer_op.inputs[0], consumer_op)
        elif t.op.type == 'Enter':
            t_ = self._transformed_t(info, t.op.inputs[0], consumer_op)
        else:
            with info.graph_.as_default():
                t_ = util.make_placeholder_from_tensor(t, scope=info.scope_, prefix='geph_tmp')
        info.tmp_cyclic_ts.append((t, t_, consumer_op))
        return t_

    def _connect_control_inputs(self, info):
        for op in info.sgv.ops:
            found = [self.transform_control_input_handler(info, c) for c in op.control_inputs]
            reroute.add_control_inputs(info.transformed_ops[op],
                                       [c for c in found if c is not None])

    @staticmethod
    def _close_cycles(info):
        for t, tmp, consumer in info.tmp_cyclic_ts:
            consumer_ = info.transformed_ops[consumer]
            for i, old in enumerate(consumer.inputs):
                if old is t and consumer_.inputs[i] is tmp:
                    consumer_._update_input(i, info.transformed_ts[t])

    @staticmethod
    def _transform_sgv(info, sgv):
        made = subgraph.SubGraphView(list(info.transformed_ops.values()))

        def places(ts, own, place):
            found = [info.transformed_ts[t] for t in ts if t in info.transformed_ts]
            return [place(t) for t in found if any(t is other for other in own)]
        return made.remap(places(sgv.inputs, made.inputs, made.input_index),
                          places(sgv.outputs, made.outputs, made.output_index))


def _target(sgv, dst_graph):
    sgv = subgraph.make_view(sgv)
    if dst_graph is None:
        dst_graph = sgv.graph
    if not isinstance(dst_graph, tf_ops.Graph):
        raise TypeError('Expected a tf.Graph, got: {}'.format(type(dst_graph)))
    return sgv, dst_graph


def copy(sgv, dst_graph=None, dst_scope='', src_scope='', reuse_dst_scope=False):
    """(the copied view, info); inputs are placeholders."""
    sgv, dst_graph = _target(sgv, dst_graph)
    return Transformer()(sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def copy_with_input_replacements(sgv, replacement_ts, dst_graph=None, dst_scope='', src_scope='',
                                 reuse_dst_scope=False):
    """(the copied view, info); inputs are what replacement_ts says, else themselves."""
    sgv, dst_graph = _target(sgv, dst_graph)
    copier = Transformer()

    def replace(info, t):
        return replacement_ts[t] if t in replacement_ts else keep_t_if_possible_handler(info, t)
    copier.transform_external_input_handler = replace
    return copier(sgv, dst_graph, dst_scope, src_scope, reuse_dst_scope=reuse_dst_scope)


def graph_replace(target_ts, replacement_ts, dst_scope='', src_scope='', reuse_dst_scope=False):
    """The targets computed again from the replacements; those that do not depend stay."""
    targets = util.flatten_tree(target_ts)
    graph = util.get_unique_graph(targets, check_types=(tf_ops.Tensor,))
    found = select.get_walks_intersection_ops(list(replacement_ts), targets,
                                              control_ios=util.ControlOutputs(graph))
    if not found:
        raise ValueError('Targets and replacements are not connected!')
    _, info = copy_with_input_replacements(found, copy_module.copy(replacement_ts), None,
                                           dst_scope, src_scope, reuse_dst_scope)
    return info.transformed(target_ts, lambda t: t)
