# SPDX-License-Identifier: Apache-2.0
"""MetaGraphs: a graph with its collections and saver, whole or below one scope; and back.

Exporting a scope takes its name away from nodes and collections; what its nodes read from outside
of it becomes an unbound input, to be given on import."""
import copy
import os.path
import re

from leat import _text_format as text_format
from leat._message import DecodeError
from leat.core.framework import attr_value_pb2
from leat.core.framework import graph_pb2
from leat.core.framework import op_def_pb2
from leat.core.protobuf import meta_graph_pb2
from leat.core.protobuf import saver_pb2
from leat.python.framework import importer
from leat.python.framework import op_def_registry
from leat.python.framework import ops
from leat.python.framework import versions
from leat.python.lib.io import file_io
from leat.python.platform import tf_logging as logging
from leat.python.util import compat

_UNBOUND_INPUT_PREFIX = '$unbound_inputs_'
_VARIABLE_COLLECTIONS = frozenset([
    ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.LOCAL_VARIABLES,
    ops.GraphKeys.MODEL_VARIABLES, ops.GraphKeys.TRAINABLE_VARIABLES,
    ops.GraphKeys.METRIC_VARIABLES, ops.GraphKeys.MOVING_AVERAGE_VARIABLES,
    ops.GraphKeys.TRAINABLE_RESOURCE_VARIABLES])


def _node_def(from_node_def, export_scope, unbound_inputs, clear_devices=False):
    """A copy of a node as it is seen from inside of export_scope."""
    node_def = copy.deepcopy(from_node_def)
    for i, v in enumerate(node_def.input):
        if export_scope and not v.lstrip('^').startswith(export_scope):
            node_def.input[i] = re.sub(r'([\^]|loc:@|^)(.*)',
                                       r'\1' + _UNBOUND_INPUT_PREFIX + r'\2', v, count=1)
            unbound_inputs.append(node_def.input[i])
        else:
            node_def.input[i] = ops.strip_name_scope(v, export_scope)
    node_def.name = ops.strip_name_scope(from_node_def.name, export_scope)
    if '_class' in from_node_def.attr:
        kept = [ops.strip_name_scope(compat.as_str(s), export_scope).encode()
                for s in from_node_def.attr['_class'].list.s
                if not export_scope or
                compat.as_str(s).partition('@')[2].startswith(export_scope)]
        value = attr_value_pb2.AttrValue()
        value.list.SetInParent()
        value.list.s.extend(kept)
        node_def.attr['_class'].CopyFrom(value)
    if clear_devices:
        node_def.device = ''
    return node_def


def _read_file(filename):
    """The bytes of a file that must be there."""
    if not file_io.file_exists(filename):
        raise IOError('File %s does not exist.' % filename)
    with file_io.FileIO(filename, 'rb') as f:
        return f.read()


def _read_message(filename, message):
    """The message from a file of its bytes, or of its text."""
    content = _read_file(filename)
    try:
        message.ParseFromString(content)
        return message
    except DecodeError:
        pass
    try:
        text_format.Merge(content.decode('utf-8'), message)
    except (text_format.ParseError, UnicodeDecodeError) as e:
        raise IOError('Cannot parse file %s: %s.' % (filename, str(e))) from None
    return message


def read_meta_graph_file(filename):
    """The MetaGraphDef of a file, in binary or text; IOError."""
    return _read_message(filename, meta_graph_pb2.MetaGraphDef())


def ops_used_by_graph_def(graph_def):
    """The names of the ops of a graph and of the functions that it calls."""
    functions = {f.signature.name: f for f in graph_def.library.function}
    used, called = set(), []

    def mark(op):
        if op not in used and op in functions:
            called.append(functions[op])
        used.add(op)

    def mark_attrs(node):
        for value in node.attr.values():
            if value.WhichOneof('value') == 'func':
                mark(value.func.name)
            for f in value.list.func:
                mark(f.name)
    for node in graph_def.node:
        mark(node.op)
        mark_attrs(node)
    while called:
        for node in called.pop().node_def:
            mark(node.op)
            mark_attrs(node)
    return [op for op in used if op not in functions]


def stripped_op_list_for_graph(graph_def):
    """The OpDefs, without documentation, of the ops that a graph has."""
    registered = op_def_registry.get_registered_ops()
    op_list = op_def_pb2.OpList()
    for name in sorted(ops_used_by_graph_def(graph_def)):
        if name not in registered:
            continue
        op = op_list.op.add()
        op.CopyFrom(registered[name])
        for field in ('summary', 'description'):
            op.ClearField(field)
        for arg in list(op.input_arg) + list(op.output_arg) + list(op.attr):
            arg.ClearField('description')
    return op_list


def _get_kind_name(item):
    """The field of a CollectionDef for such items."""
    if isinstance(item, (str, bytes)):
        return 'bytes_list'
    if isinstance(item, compat.integral_types):
        return 'int64_list'
    if isinstance(item, compat.real_types):
        return 'float_list'
    if type(item).__name__ == 'Any':
        return 'any_list'
    return 'node_list'


def _should_include_node(node_or_node_name, export_scope, exclude_nodes):
    name = node_or_node_name
    if not isinstance(name, str):
        try:
            name = node_or_node_name.name
        except AttributeError:
            return True
    if exclude_nodes and (name in exclude_nodes or
                          (isinstance(node_or_node_name, ops.Operation) and
                           node_or_node_name in exclude_nodes)):
        return False
    return (name.startswith(_UNBOUND_INPUT_PREFIX) or not export_scope or
            name.startswith(export_scope))


def _fill_collection(col_def, key, items, export_scope):
    """The items into a CollectionDef."""
    to_proto = ops.get_to_proto_function(key)
    if to_proto:
        proto_type = ops.get_collection_proto_type(key)
        for x in items:
            proto = to_proto(x, export_scope=export_scope)
            if proto is not None:
                assert isinstance(proto, proto_type)
                col_def.bytes_list.value.append(proto.SerializeToString())
        return
    kind = _get_kind_name(items[0])
    values = getattr(col_def, kind).value
    if kind == 'node_list':
        values.extend([ops.strip_name_scope(x.name, export_scope) for x in items
                       if not export_scope or x.name.startswith(export_scope)])
    elif kind == 'bytes_list':
        values.extend([compat.as_bytes(x) for x in items])
    else:
        values.extend(items)


def add_collection_def(meta_graph_def, key, graph=None, export_scope=None, exclude_nodes=None,
                       override_contents=None):
    """A collection of the graph into the MetaGraphDef; a warning if it cannot be written."""
    if graph and not isinstance(graph, ops.Graph):
        raise TypeError('graph must be of type Graph, not %s', type(graph))
    if not isinstance(key, (str, bytes)):
        logging.warning('Only collections with string type keys will be serialized. This key has '
                        '%s', type(key))
        return
    graph = graph or ops.get_default_graph()
    items = override_contents or graph.get_collection(key)
    items = [x for x in items if _should_include_node(x, export_scope, exclude_nodes)]
    if not items:
        return
    try:
        _fill_collection(meta_graph_def.collection_def[key], key, items, export_scope)
    except Exception as e:  # whatever programs keep in collections: the rest is written
        logging.warning('Issue encountered when serializing %s.\nType is unsupported, or the types '
                        'of the items don\'t match field type in CollectionDef. Note this is a '
                        'warning and probably safe to ignore.\n%s', key, str(e))
        if key in meta_graph_def.collection_def:
            del meta_graph_def.collection_def[key]


def _is_default_attr_value(op_def, attr_name, value):
    for attr in op_def.attr:
        if attr.name == attr_name:
            return attr.HasField('default_value') and attr.default_value == value
    return False


def strip_graph_default_valued_attrs(meta_graph_def):
    """Takes attrs away that have their op's default."""
    registered = op_def_registry.get_registered_ops()
    functions = {f.signature.name for f in meta_graph_def.graph_def.library.function}

    def strip(nodes):
        for node in nodes:
            if node.op in functions or node.op not in registered:
                continue
            op_def = registered[node.op]
            for name in [n for n in node.attr
                         if _is_default_attr_value(op_def, n, node.attr[n])]:
                del node.attr[name]
    strip(meta_graph_def.graph_def.node)
    for function in meta_graph_def.graph_def.library.function:
        strip(function.node_def)
    meta_graph_def.meta_info_def.stripped_default_attrs = True


def _check_types(**named):
    for name, (value, kind) in named.items():
        if value and not isinstance(value, kind):
            raise TypeError('%s must be of type %s, not %s' % (name, kind.__name__.split('.')[-1],
                                                               type(value)))


def create_meta_graph_def(meta_info_def=None, graph_def=None, saver_def=None,
                          collection_list=None, graph=None, export_scope=None,
                          exclude_nodes=None, clear_extraneous_savers=False,
                          strip_default_attrs=False):
    """The MetaGraphDef of the parts."""
    _check_types(graph=(graph, ops.Graph),
                 meta_info_def=(meta_info_def, meta_graph_pb2.MetaGraphDef.MetaInfoDef),
                 graph_def=(graph_def, graph_pb2.GraphDef),
                 saver_def=(saver_def, saver_pb2.SaverDef))
    graph = graph or ops.get_default_graph()
    meta_graph_def = meta_graph_pb2.MetaGraphDef()
    info = meta_graph_def.meta_info_def
    info.SetInParent()
    if meta_info_def:
        info.CopyFrom(meta_info_def)
    info.tensorflow_version = versions.__version__
    info.tensorflow_git_version = compat.as_str(versions.__git_version__)
    if graph_def:
        meta_graph_def.graph_def.CopyFrom(graph_def)
    else:
        meta_graph_def.graph_def.CopyFrom(graph.as_graph_def(add_shapes=True))
    if not info.stripped_op_list.op:
        info.stripped_op_list.CopyFrom(stripped_op_list_for_graph(meta_graph_def.graph_def))
    if strip_default_attrs:
        strip_graph_default_valued_attrs(meta_graph_def)
    if saver_def:
        meta_graph_def.saver_def.CopyFrom(saver_def)
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        contents = None
        if clear_extraneous_savers and key == ops.GraphKeys.SAVERS:
            from leat.python.training.saver import Saver
            contents = [Saver.from_proto(saver_def)]
        add_collection_def(meta_graph_def, key, graph=graph, export_scope=export_scope,
                           exclude_nodes=exclude_nodes, override_contents=contents)
    return meta_graph_def


def _unbound_of(meta_graph_def, col_name):
    if not col_name or col_name not in meta_graph_def.collection_def:
        return []
    col_def = meta_graph_def.collection_def[col_name]
    kind = col_def.WhichOneof('kind')
    return [compat.as_str(v) for v in getattr(col_def, kind).value] if kind else []


def _restore_collection(graph, key, col_def, scope, made):
    """A CollectionDef's items into the graph; `made` has variables by their bytes."""
    kind = col_def.WhichOneof('kind')
    if kind is None:
        logging.error('Cannot identify data type for collection %s. Skipping.', key)
        return
    values = getattr(col_def, kind).value
    from_proto = ops.get_from_proto_function(key)
    if from_proto and kind == 'bytes_list':
        proto_type = ops.get_collection_proto_type(key)
        for value in values:
            item = made.get(value) if key in _VARIABLE_COLLECTIONS else None
            if item is None:
                proto = proto_type()
                proto.ParseFromString(value)
                item = from_proto(proto, import_scope=scope)
                if key in _VARIABLE_COLLECTIONS:
                    made[value] = item
            graph.add_to_collection(key, item)
    elif kind == 'node_list':
        for value in values:
            graph.add_to_collection(key, graph.as_graph_element(
                ops.prepend_name_scope(value, scope)))
    elif kind == 'int64_list':
        for value in values:
            graph.add_to_collection(key, int(value))
    else:
        for value in values:
            if isinstance(value, str):
                value = ops.prepend_name_scope(value, scope)
            graph.add_to_collection(key, value)


def import_scoped_meta_graph(meta_graph_or_file, clear_devices=False, graph=None,
                             import_scope=None, input_map=None,
                             unbound_inputs_col_name='unbound_inputs',
                             restore_collections_predicate=(lambda key: True)):
    """Adds a MetaGraph to a graph, below a scope; {name without the scope: variable}."""
    return import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices, graph, import_scope, input_map,
        unbound_inputs_col_name, restore_collections_predicate)[0]


def import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices=False, graph=None, import_scope=None, input_map=None,
        unbound_inputs_col_name='unbound_inputs', restore_collections_predicate=(lambda key: True),
        return_elements=None):
    """As import_scoped_meta_graph, and the elements asked for."""
    if isinstance(meta_graph_or_file, meta_graph_pb2.MetaGraphDef):
        meta_graph_def = meta_graph_or_file
    else:
        meta_graph_def = read_meta_graph_file(meta_graph_or_file)
    unbound = _unbound_of(meta_graph_def, unbound_inputs_col_name)
    if unbound and (not input_map or sorted(unbound) != sorted(compat.as_str(k)
                                                               for k in input_map)):
        raise ValueError('Graph contains unbound inputs: %s. Must provide these inputs through '
                         'input_map.' % ','.join(v for v in unbound
                                                 if not input_map or v not in input_map))
    graph = graph or ops.get_default_graph()
    with graph.as_default():
        producer_op_list = None
        if meta_graph_def.meta_info_def.HasField('stripped_op_list'):
            producer_op_list = meta_graph_def.meta_info_def.stripped_op_list
        input_graph_def = meta_graph_def.graph_def
        if clear_devices:
            for node in input_graph_def.node:
                node.device = ''
        scope = graph.unique_name(import_scope, mark_as_used=False) if import_scope else ''
        elements = importer.import_graph_def(
            input_graph_def, name=import_scope or scope, input_map=input_map,
            producer_op_list=producer_op_list, return_elements=return_elements)
        made = {}
        for key in sorted(meta_graph_def.collection_def):
            if key != unbound_inputs_col_name and restore_collections_predicate(key):
                _restore_collection(graph, key, meta_graph_def.collection_def[key], scope, made)
        variables = graph.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope=scope)
        return {ops.strip_name_scope(v.name, scope): v for v in variables}, elements


def _scoped_graph_def(graph_def, graph, export_scope, exclude_nodes, clear_devices, unbound):
    """The nodes that are to be written, as the scope sees them."""
    if not graph_def:
        graph_def = graph.as_graph_def(add_shapes=True)
    scoped = graph_pb2.GraphDef()
    scoped.versions.CopyFrom(graph_def.versions)
    if graph_def.library.function or graph_def.library.gradient:
        scoped.library.CopyFrom(graph_def.library)
    scoped.node.extend([_node_def(n, export_scope, unbound, clear_devices)
                        for n in graph_def.node
                        if _should_include_node(n.name, export_scope, exclude_nodes)])
    return scoped


def export_scoped_meta_graph(filename=None, graph_def=None, graph=None, export_scope=None,
                             as_text=False, unbound_inputs_col_name='unbound_inputs',
                             clear_devices=False, saver_def=None, clear_extraneous_savers=False,
                             strip_default_attrs=False, save_debug_info=False, **kwargs):
    """(MetaGraphDef, {name without the scope: variable}) of a graph, or a scope of it."""
    del save_debug_info
    graph = graph or ops.get_default_graph()
    exclude_nodes = None
    unbound = []
    if export_scope or clear_extraneous_savers or clear_devices:
        if clear_extraneous_savers:
            exclude_nodes = find_extraneous_saver_nodes(
                graph_def or graph.as_graph_def(), saver_def)
        graph_def = _scoped_graph_def(graph_def, graph, export_scope, exclude_nodes,
                                      clear_devices, unbound)
        if unbound_inputs_col_name and unbound:
            graph.clear_collection(unbound_inputs_col_name)
            for k in sorted(set(unbound)):
                graph.add_to_collection(unbound_inputs_col_name, k)
    var_list = {ops.strip_name_scope(v.name, export_scope): v
                for v in graph.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope=export_scope)
                if _should_include_node(v, export_scope, exclude_nodes)}
    meta_graph_def = create_meta_graph_def(
        graph_def=graph_def, graph=graph, export_scope=export_scope, exclude_nodes=exclude_nodes,
        clear_extraneous_savers=clear_extraneous_savers, saver_def=saver_def,
        strip_default_attrs=strip_default_attrs, **kwargs)
    if filename:
        from leat.python.framework import graph_io
        graph_io.write_graph(meta_graph_def, os.path.dirname(filename),
                             os.path.basename(filename), as_text=as_text)
    return meta_graph_def, var_list


def _op_name(tensor_name):
    """The node of an input's name."""
    return tensor_name.lstrip('^').split(':')[0]


def find_extraneous_saver_nodes(graph_def, saver_def):
    """The names of nodes that belong to Savers other than that of saver_def."""
    inputs = {n.name: [_op_name(i) for i in n.input] for n in graph_def.node}
    consumers = {name: [] for name in inputs}
    for name, sources in inputs.items():
        for source in sources:
            consumers.setdefault(source, []).append(name)
    ops_of = {n.name: n.op for n in graph_def.node}
    kept = set()
    if saver_def:
        kept = _subgraph_of(inputs, consumers, [
            _op_name(saver_def.save_tensor_name), saver_def.restore_op_name,
            _op_name(saver_def.filename_tensor_name)], ops_of)
    saver_ops = ('SaveV2', 'RestoreV2', 'SaveSlices', 'Save', 'Restore', 'RestoreSlice',
                 'ShardedFilename', 'ShardedFilespec', 'MergeV2Checkpoints')
    scopes = set()
    for name, op in ops_of.items():
        if op in saver_ops and name not in kept:
            scopes.add(name.rpartition('/')[0])
    own = {_op_name(saver_def.filename_tensor_name).rpartition('/')[0]} if saver_def else set()
    return {name for name in ops_of if name not in kept and any(
        s and name.startswith(s + '/') for s in scopes - own)}


def _subgraph_of(inputs, consumers, roots, ops_of):
    """The roots and what they are computed from, not beyond variables."""
    del consumers
    seen, todo = set(), [r for r in roots if r]
    while todo:
        name = todo.pop()
        if name in seen or name not in inputs:
            continue
        seen.add(name)
        if ops_of[name] not in ('VariableV2', 'VarHandleOp', 'Variable'):
            todo.extend(inputs[name])
    return seen


def copy_scoped_meta_graph(from_scope, to_scope, from_graph=None, to_graph=None):
    """Copies what is below a scope to another scope, or another graph; its variables there."""
    from_graph = from_graph or ops.get_default_graph()
    to_graph = to_graph or ops.get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError("'from_scope' and 'to_scope' need to be different when performing copy "
                         "in the same graph.")
    meta_graph_def, var_list = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    unbound = _unbound_of(meta_graph_def, 'unbound_inputs')
    input_map = None
    if unbound:
        input_map = {name: from_graph.as_graph_element(
            name[len(_UNBOUND_INPUT_PREFIX):].replace('^', '') if ':' in name
            else name[len(_UNBOUND_INPUT_PREFIX):] + ':0') for name in unbound}
    del var_list
    return import_scoped_meta_graph(meta_graph_def, graph=to_graph, import_scope=to_scope,
                                    input_map=input_map)
