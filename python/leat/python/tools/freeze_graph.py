# SPDX-License-Identifier: Apache-2.0
"""Puts the values of variables into a graph as constants; also a program (--help)."""
import argparse
import re
import sys

from leat import _text_format
from leat.core.framework import graph_pb2
from leat.core.protobuf import meta_graph_pb2
from leat.core.protobuf import saver_pb2
from leat.python import pywrap_tensorflow
from leat.python.client import session
from leat.python.framework import graph_util
from leat.python.framework import importer
from leat.python.lib.io import file_io
from leat.python.ops import variables
from leat.python.saved_model import loader
from leat.python.saved_model import tag_constants
from leat.python.tools import saved_model_utils
from leat.python.training import checkpoint_management
from leat.python.training import saver as saver_lib


def _has_no_variables(sess):
    return all(op.type not in ('Variable', 'VariableV2', 'VarHandleOp')
               for op in sess.graph.get_operations())


def _parsed(path, message, is_binary, what):
    if not file_io.file_exists(path):
        raise IOError('%s file \'%s\' does not exist!' % (what, path))
    with file_io.FileIO(path, 'rb' if is_binary else 'r') as file:
        data = file.read()
    if is_binary:
        message.ParseFromString(data)
    else:
        _text_format.Merge(data, message)
    return message


def _parse_input_graph_proto(input_graph, input_binary):
    return _parsed(input_graph, graph_pb2.GraphDef(), input_binary, 'Input graph')


def _parse_input_meta_graph_proto(input_graph, input_binary):
    found = _parsed(input_graph, meta_graph_pb2.MetaGraphDef(), input_binary, 'Input meta graph')
    print('Loaded meta graph file \'' + input_graph)
    return found


def _parse_input_saver_proto(input_saver, input_binary):
    return _parsed(input_saver, saver_pb2.SaverDef(), input_binary, 'Input saver')


def _saver_of_checkpoint(sess, checkpoint):
    """A Saver of the variables of a graph that the checkpoint has."""
    from leat.python.framework import errors
    var_list = {}
    reader = pywrap_tensorflow.NewCheckpointReader(checkpoint)
    found = reader.get_variable_to_shape_map()
    parts = re.compile(r'[\w\-]+/part_\d+$')
    for key in found:
        try:
            tensor = sess.graph.get_tensor_by_name(key + ':0')
        except KeyError:
            continue  # in the checkpoint, not in the graph
        if parts.match(key):
            raise ValueError('Models containing partition variables cannot be converted from '
                             'checkpoint files. Please pass in a SavedModel using the flag '
                             '--input_saved_model_dir.')
        var_list[key] = tensor
    try:
        return saver_lib.Saver(var_list=var_list, write_version=saver_pb2.SaverDef.V2)
    except (TypeError, errors.OpError):
        if _has_no_variables(sess):
            raise ValueError('No variables were found in this graph. The graph is already '
                             'frozen.') from None
        raise


def _load(sess, graph_def, saver_def, checkpoint, restore_op_name, filename_tensor_name,
          initializer_nodes, meta_graph_def, saved_model):
    """The session gets the graph's variables."""
    folder, tags = saved_model
    if saver_def:
        saver_lib.Saver(saver_def=saver_def).restore(sess, checkpoint)
    elif meta_graph_def:
        saver_lib.import_meta_graph(meta_graph_def, clear_devices=True).restore(sess, checkpoint)
        if initializer_nodes:
            sess.run(initializer_nodes.replace(' ', '').split(','))
    elif folder:
        loader.load(sess, tags or [tag_constants.SERVING], folder)
    else:
        _saver_of_checkpoint(sess, checkpoint).restore(sess, checkpoint)
        if initializer_nodes:
            sess.run(initializer_nodes.replace(' ', '').split(','))


def freeze_graph_with_def_protos(input_graph_def, input_saver_def, input_checkpoint,
                                 output_node_names, restore_op_name, filename_tensor_name,
                                 output_graph, clear_devices, initializer_nodes,
                                 variable_names_whitelist='', variable_names_blacklist='',
                                 input_meta_graph_def=None, input_saved_model_dir=None,
                                 saved_model_tags=None,
                                 checkpoint_version=saver_pb2.SaverDef.V2):
    """The GraphDef with constants for variables; written to output_graph if that is given."""
    if not input_saved_model_dir and \
            not checkpoint_management.checkpoint_exists(input_checkpoint):
        raise ValueError('Input checkpoint \'' + str(input_checkpoint) + '\' doesn\'t exist!')
    if not output_node_names:
        raise ValueError('You need to supply the name of a node to --output_node_names.')
    if clear_devices:
        for part in (input_meta_graph_def.graph_def if input_meta_graph_def else None,
                     input_graph_def):
            for node in part.node if part is not None else ():
                node.device = ''
    from leat.python.framework import ops
    with ops.Graph().as_default():
        if input_graph_def:
            importer.import_graph_def(input_graph_def, name='')
        with session.Session() as sess:
            _load(sess, input_graph_def, input_saver_def, input_checkpoint, restore_op_name,
                  filename_tensor_name, initializer_nodes, input_meta_graph_def,
                  (input_saved_model_dir, saved_model_tags))
            variables.global_variables()
            whitelist = variable_names_whitelist.replace(' ', '').split(',') \
                if variable_names_whitelist else None
            blacklist = variable_names_blacklist.replace(' ', '').split(',') \
                if variable_names_blacklist else None
            graph_def = input_meta_graph_def.graph_def if input_meta_graph_def else \
                input_graph_def if input_graph_def else sess.graph.as_graph_def()
            output = graph_util.convert_variables_to_constants(
                sess, graph_def, output_node_names.replace(' ', '').split(','),
                variable_names_whitelist=whitelist, variable_names_blacklist=blacklist)
    if output_graph:
        file_io.write_string_to_file(output_graph, output.SerializeToString())
    return output


def freeze_graph(input_graph, input_saver, input_binary, input_checkpoint, output_node_names,
                 restore_op_name, filename_tensor_name, output_graph, clear_devices,
                 initializer_nodes, variable_names_whitelist='', variable_names_blacklist='',
                 input_meta_graph=None, input_saved_model_dir=None,
                 saved_model_tags=tag_constants.SERVING,
                 checkpoint_version=saver_pb2.SaverDef.V2):
    """The same, of files."""
    graph_def = saver_def = meta_graph_def = None
    if input_saved_model_dir:
        graph_def = saved_model_utils.get_meta_graph_def(input_saved_model_dir,
                                                         saved_model_tags).graph_def
    elif input_graph:
        graph_def = _parse_input_graph_proto(input_graph, input_binary)
    if input_meta_graph:
        meta_graph_def = _parse_input_meta_graph_proto(input_meta_graph, input_binary)
    if input_saver:
        saver_def = _parse_input_saver_proto(input_saver, input_binary)
    if input_saved_model_dir:
        graph_def = None  # the loader brings it
    return freeze_graph_with_def_protos(
        graph_def, saver_def, input_checkpoint, output_node_names, restore_op_name,
        filename_tensor_name, output_graph, clear_devices, initializer_nodes,
        variable_names_whitelist, variable_names_blacklist, meta_graph_def, input_saved_model_dir,
        [tag for tag in saved_model_tags.replace(' ', '').split(',')] if saved_model_tags else [],
        checkpoint_version=checkpoint_version)


def main(unused_args, flags):
    freeze_graph(flags.input_graph, flags.input_saver, flags.input_binary, flags.input_checkpoint,
                 flags.output_node_names, flags.restore_op_name, flags.filename_tensor_name,
                 flags.output_graph, flags.clear_devices, flags.initializer_nodes,
                 flags.variable_names_whitelist, flags.variable_names_blacklist,
                 flags.input_meta_graph, flags.input_saved_model_dir, flags.saved_model_tags,
                 flags.checkpoint_version)


def _is_true(text):
    return text.lower() == 'true'


def run_main():
    """The program."""
    parser = argparse.ArgumentParser(prog='freeze_graph')
    parser.register('type', 'bool', _is_true)
    for name, default, about in (
            ('input_graph', '', 'the GraphDef to load'),
            ('input_saver', '', 'the SaverDef to load'),
            ('input_checkpoint', '', 'the checkpoint of the variables'),
            ('output_graph', '', 'where the frozen graph is written'),
            ('output_node_names', '', 'the nodes that are kept, separated by commas'),
            ('restore_op_name', 'save/restore_all', 'not used'),
            ('filename_tensor_name', 'save/Const:0', 'not used'),
            ('initializer_nodes', '', 'nodes to run before freezing'),
            ('variable_names_whitelist', '', 'the variables that become constants'),
            ('variable_names_blacklist', '', 'the variables that stay'),
            ('input_meta_graph', '', 'the MetaGraphDef to load'),
            ('input_saved_model_dir', '', 'the SavedModel to load'),
            ('saved_model_tags', 'serve', 'the tags of its graph')):
        parser.add_argument('--' + name, type=str, default=default, help=about)
    parser.add_argument('--checkpoint_version', type=int, default=saver_pb2.SaverDef.V2)
    parser.add_argument('--input_binary', nargs='?', const=True, type='bool', default=False,
                        help='whether the input files are binary')
    parser.add_argument('--clear_devices', nargs='?', const=True, type='bool', default=True,
                        help='whether devices are taken away')
    flags, unparsed = parser.parse_known_args()
    main([sys.argv[0]] + unparsed, flags)


if __name__ == '__main__':
    run_main()
