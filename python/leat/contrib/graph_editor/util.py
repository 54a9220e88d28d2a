# SPDX-License-Identifier: Apache-2.0
"""What the editor's modules share: lists of ops, names of placeholders, trees."""
import collections.abc

from leat.python.framework import ops as tf_ops
from leat.python.ops import array_ops
from leat.python.ops.op_selector import (  # noqa: F401
    check_graphs, concatenate_unique, get_consuming_ops, get_generating_ops, get_tensors,
    get_unique_graph, is_iterable, make_list_of_op, make_list_of_t)

_DEFAULT_PLACEHOLDER_PREFIX = 'geph'


class ListView(object):
    """A list that cannot be changed."""

    def __init__(self, list_):
        if not isinstance(list_, list):
            raise TypeError('Expected a list, got: {}.'.format(type(list_)))
        self._list = list_

    def __iter__(self):
        return iter(self._list)

    def __len__(self):
        return len(self._list)

    def __bool__(self):
        return bool(self._list)

    def __getitem__(self, i):
        return self._list[i]

    def __add__(self, other):
        return list(self) + (other if isinstance(other, list) else list(other))

    def __str__(self):
        return str(self._list)


class ControlOutputs(object):
    """What waits for each operation of a graph, by control edges."""

    def __init__(self, graph):
        if not isinstance(graph, tf_ops.Graph):
            raise TypeError('Expected a tf.Graph, got: {}'.format(type(graph)))
        self._graph = graph
        self.update()

    def update(self):
        self._control_outputs = {}
        for op in self._graph.get_operations():
            for control_input in op.control_inputs:
                waiting = self._control_outputs.setdefault(control_input, [])
                if op not in waiting:
                    waiting.append(op)
        return self

    def get_all(self):
        return self._control_outputs

    def get(self, op):
        return self._control_outputs.get(op, ())

    @property
    def graph(self):
        return self._graph


def flatten_tree(tree, leaves=None):
    """The leaves of nested lists and dicts."""
    if leaves is None:
        leaves = []
    if isinstance(tree, dict):
        for child in tree.values():
            flatten_tree(child, leaves)
    elif is_iterable(tree):
        for child in tree:
            flatten_tree(child, leaves)
    else:
        leaves.append(tree)
    return leaves


def transform_tree(tree, fn, iterable_type=tuple):
    """The same tree of fn of its leaves; other iterables become iterable_type."""
    if not is_iterable(tree):
        return fn(tree)
    if isinstance(tree, dict):
        made = [(key, transform_tree(child, fn)) for key, child in tree.items()]
        return tree.__new__(type(tree), made) if type(tree) is not dict else dict(made)
    made = [transform_tree(child, fn) for child in tree]
    if isinstance(tree, tuple) and hasattr(tree, '_fields'):
        return type(tree)(*made)
    kind = type(tree) if isinstance(tree, collections.abc.Sequence) else iterable_type
    return kind(made)


def scope_finalize(scope):
    return scope + '/' if scope and scope[-1] != '/' else scope


def scope_dirname(scope):
    return scope[:scope.rfind('/') + 1]


def scope_basename(scope):
    return scope[scope.rfind('/') + 1:]


def placeholder_name(t=None, scope=None, prefix=_DEFAULT_PLACEHOLDER_PREFIX):
    """The name of a placeholder in a tensor's place."""
    if scope is not None:
        scope = scope_finalize(scope)
    if t is None:
        return (scope or '') + prefix
    if not isinstance(t, tf_ops.Tensor):
        raise TypeError('Expected a tf.Tenfor, got: {}'.format(type(t)))
    base = scope_basename(t.op.name)
    if scope is None:
        scope = scope_dirname(t.op.name)
    if not base.startswith(prefix + '__'):
        base = '{}__{}_{}'.format(prefix, base, t.value_index)
    return scope + base


def make_placeholder_from_tensor(t, scope=None, prefix=_DEFAULT_PLACEHOLDER_PREFIX):
    return array_ops.placeholder(dtype=t.dtype, shape=t.get_shape(),
                                 name=placeholder_name(t, scope=scope, prefix=prefix))


def make_placeholder_from_dtype_and_shape(dtype, shape=None, scope=None,
                                          prefix=_DEFAULT_PLACEHOLDER_PREFIX):
    return array_ops.placeholder(dtype=dtype, shape=shape,
                                 name=placeholder_name(scope=scope, prefix=prefix))


def get_predefined_collection_names():
    keys = tf_ops.GraphKeys
    return [getattr(keys, key) for key in dir(keys) if not key.startswith('_')]


def find_corresponding_elem(target, dst_graph, dst_scope='', src_scope=''):
    """The op or tensor of another graph or scope with the same name, or None."""
    src_name = target.name
    src_scope, dst_scope = scope_finalize(src_scope), scope_finalize(dst_scope)
    if src_scope and not src_name.startswith(src_scope):
        raise ValueError('{} does not start with {}'.format(src_name, src_scope))
    name = dst_scope + src_name[len(src_scope):]
    if isinstance(target, tf_ops.Tensor):
        return dst_graph.get_tensor_by_name(name)
    if isinstance(target, tf_ops.Operation):
        return dst_graph.get_operation_by_name(name)
    raise TypeError('Expected tf.Tensor or tf.Operation, got: {}', type(target))


def find_corresponding(targets, dst_graph, dst_scope='', src_scope=''):
    return transform_tree(targets, lambda top: find_corresponding_elem(top, dst_graph, dst_scope,
                                                                       src_scope))
