# SPDX-License-Identifier: Apache-2.0
"""Shows what is in a SavedModel, and runs it: python3 -m leat -m
tensorflow.python.tools.saved_model_cli show|run|scan --dir FOLDER ..."""
import argparse
import ast
import os
import re
import sys

import numpy as np

from leat.core.example import example_pb2
from leat.core.framework import types_pb2
from leat.python.client import session
from leat.python.framework import ops as ops_lib
from leat.python.lib.io import file_io
from leat.python.saved_model import loader
from leat.python.tools import saved_model_utils

_OP_BLACKLIST = set(['WriteFile', 'ReadFile', 'PrintV2'])


# ---- show ----

def _show_tag_sets(saved_model_dir):
    print('The given SavedModel contains the following tag-sets:')
    for tag_set in saved_model_utils.get_saved_model_tag_sets(saved_model_dir):
        print(', '.join(sorted(tag_set)))


def get_meta_graph_def(saved_model_dir, tag_set):
    return saved_model_utils.get_meta_graph_def(saved_model_dir, tag_set)


def get_signature_def_map(saved_model_dir, tag_set):
    return get_meta_graph_def(saved_model_dir, tag_set).signature_def


def _show_signature_def_map_keys(saved_model_dir, tag_set):
    print('The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:')
    for key in sorted(get_signature_def_map(saved_model_dir, tag_set)):
        print('SignatureDef key: "%s"' % key)


def _signature(meta_graph_def, key):
    if key not in meta_graph_def.signature_def:
        raise ValueError('Could not find signature "{}". Please choose from: {}'.format(
            key, ', '.join(meta_graph_def.signature_def)))
    return meta_graph_def.signature_def[key]


def _get_inputs_tensor_info_from_meta_graph_def(meta_graph_def, signature_def_key):
    return _signature(meta_graph_def, signature_def_key).inputs


def _get_outputs_tensor_info_from_meta_graph_def(meta_graph_def, signature_def_key):
    return _signature(meta_graph_def, signature_def_key).outputs


def _print_tensor_info(tensor_info, indent=0):
    margin = '  ' * indent
    print(margin + '    dtype: ' + types_pb2.DataType.Name(tensor_info.dtype))
    if tensor_info.tensor_shape.unknown_rank:
        shape = 'unknown_rank'
    else:
        dims = [str(dim.size) for dim in tensor_info.tensor_shape.dim]
        shape = '(' + ', '.join(dims) + ')'
    print(margin + '    shape: ' + shape)
    print(margin + '    name: ' + tensor_info.name)


def _show_inputs_outputs(saved_model_dir, tag_set, signature_def_key, indent=0):
    meta_graph_def = get_meta_graph_def(saved_model_dir, tag_set)
    margin = '  ' * indent
    for what, infos in (
            ('input', _get_inputs_tensor_info_from_meta_graph_def(meta_graph_def,
                                                                  signature_def_key)),
            ('output', _get_outputs_tensor_info_from_meta_graph_def(meta_graph_def,
                                                                    signature_def_key))):
        print('%sThe given SavedModel SignatureDef contains the following %s(s):'
              % (margin, what))
        for key, info in sorted(infos.items()):
            print('%s  %ss[\'%s\'] tensor_info:' % (margin, what, key))
            _print_tensor_info(info, indent + 1)
    print(margin + 'Method name is: ' + meta_graph_def.signature_def[signature_def_key].method_name)


def _show_all(saved_model_dir):
    for tag_set in saved_model_utils.get_saved_model_tag_sets(saved_model_dir):
        print('\nMetaGraphDef with tag-set: \'%s\' contains the following SignatureDefs:'
              % ', '.join(tag_set))
        name = ','.join(tag_set)
        for key in sorted(get_signature_def_map(saved_model_dir, name)):
            print('\nsignature_def[\'' + key + '\']:')
            _show_inputs_outputs(saved_model_dir, name, key, indent=1)


def show(args):
    """The command show."""
    if args.all:
        _show_all(args.dir)
    elif args.tag_set is None:
        _show_tag_sets(args.dir)
    elif args.signature_def is None:
        _show_signature_def_map_keys(args.dir, args.tag_set)
    else:
        _show_inputs_outputs(args.dir, args.tag_set, args.signature_def)


# ---- scan ----

def scan_meta_graph_def(meta_graph_def):
    """Prints which ops of the graph read or write files by themselves."""
    found = {node.op for node in meta_graph_def.graph_def.node} & _OP_BLACKLIST
    tags = list(meta_graph_def.meta_info_def.tags)
    if found:
        print('MetaGraph with tag set %s contains the following blacklisted ops:' % tags, found)
    else:
        print('MetaGraph with tag set %s does not contain blacklisted ops.' % tags)


def scan(args):
    """The command scan."""
    if args.tag_set:
        scan_meta_graph_def(get_meta_graph_def(args.dir, args.tag_set))
        return
    for meta_graph_def in saved_model_utils.read_saved_model(args.dir).meta_graphs:
        scan_meta_graph_def(meta_graph_def)


# ---- run ----

def preprocess_inputs_arg_string(inputs_str):
    """{key: (file, variable in it or None)} of 'key=file[variable];...'."""
    found = {}
    for text in filter(None, inputs_str.split(';')):
        match = re.match(r'([^=]+)=([^\[\]]+)\[([^\[\]]+)\]$', text)
        if match:
            found[match.group(1)] = match.group(2), match.group(3)
            continue
        match = re.match(r'([^=]+)=([^\[\]]+)$', text)
        if not match:
            raise RuntimeError('--inputs "%s" format is incorrect. Please follow'
                               '"<input_key>=<file_name>", or'
                               '"<input_key>=<file_name>[<variable_name>]"' % text)
        found[match.group(1)] = match.group(2), None
    return found


def _split_assignments(text, what):
    for part in filter(None, text.split(';')):
        if '=' not in part:
            raise RuntimeError('--%s "%s" format is incorrect. Please follow'
                               '"<input_key>=<python expression>"' % (what, text))
        yield part.split('=', 1)


def _value(text):
    """A Python literal, or an expression of numpy's."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return eval(text, {'np': np, 'numpy': np})  # the user's own expression, by the flag's terms


def preprocess_input_exprs_arg_string(input_exprs_str):
    """{key: value} of 'key=expression;...'."""
    return {key: _value(text)
            for key, text in _split_assignments(input_exprs_str, 'input_exprs')}


def preprocess_input_examples_arg_string(input_examples_str):
    """{key: [serialized Example]} of 'key=[{feature: values}];...'."""
    found = {}
    for key, text in _split_assignments(input_examples_str, 'input_examples'):
        examples = ast.literal_eval(text)
        if not isinstance(examples, list):
            raise ValueError('tf.Example input must be a list of dictionaries, but "%s" is %s'
                             % (examples, type(examples)))
        found[key] = [_create_example_string(example) for example in examples]
    return found


def _create_example_string(example_dict):
    example = example_pb2.Example()
    for name, values in example_dict.items():
        if not isinstance(values, list):
            raise ValueError('feature value must be a list, but %s: "%s" is %s'
                             % (name, values, type(values)))
        feature = example.features.feature[name]
        if isinstance(values[0], float):
            feature.float_list.value.extend(values)
        elif isinstance(values[0], str):
            feature.bytes_list.value.extend([f.encode('utf8') for f in values])
        elif isinstance(values[0], bytes):
            feature.bytes_list.value.extend(values)
        elif isinstance(values[0], int):
            feature.int64_list.value.extend(values)
        else:
            raise ValueError('Type %s for value %s is not supported for tf.train.Feature.'
                             % (type(values[0]), values[0]))
    return example.SerializeToString()


def _loaded(path, variable):
    data = np.load(file_io.FileIO(path, mode='rb'), allow_pickle=True)
    if variable:
        if isinstance(data, np.ndarray):
            return data
        if variable in data:
            return data[variable]
        raise RuntimeError('Input file %s does not contain variable with name "%s".'
                           % (path, variable))
    if isinstance(data, np.lib.npyio.NpzFile):
        if len(data.files) != 1:
            raise RuntimeError('Input file %s contains more than one ndarrays. Please specify the '
                               'name of ndarray to use.' % path)
        return data[data.files[0]]
    return data


def load_inputs_from_input_arg_string(inputs_str, input_exprs_str, input_examples_str):
    """{key: value} of the three flags."""
    found = {key: _loaded(path, variable) for key, (path, variable) in
             preprocess_inputs_arg_string(inputs_str).items()}
    for more in (preprocess_input_exprs_arg_string(input_exprs_str),
                 preprocess_input_examples_arg_string(input_examples_str)):
        for key, value in more.items():
            if key in found:
                print('input_key %s has been specified twice: the later value is taken.' % key)
            found[key] = value
    return found


def run_saved_model_with_feed_dict(saved_model_dir, tag_set, signature_def_key,
                                   input_tensor_key_feed_dict, outdir, overwrite_flag,
                                   worker=None, init_tpu=False, tf_debug=False):
    """Runs a signature: prints the outputs, or writes each to a .npy file."""
    meta_graph_def = get_meta_graph_def(saved_model_dir, tag_set)
    inputs = _get_inputs_tensor_info_from_meta_graph_def(meta_graph_def, signature_def_key)
    for key in input_tensor_key_feed_dict:
        if key not in inputs:
            raise ValueError('"%s" is not a valid input key. Please choose from %s, or use --show '
                             'option.' % (key, ', '.join('"%s"' % k for k in inputs)))
    feeds = {inputs[key].name: value for key, value in input_tensor_key_feed_dict.items()}
    outputs = _get_outputs_tensor_info_from_meta_graph_def(meta_graph_def, signature_def_key)
    keys = sorted(outputs)
    with session.Session(worker or '', graph=ops_lib.Graph()) as sess:
        loader.load(sess, tag_set.split(','), saved_model_dir)
        values = sess.run([outputs[key].name for key in keys], feed_dict=feeds)
    for key, value in zip(keys, values):
        if not outdir:
            print('Result for output key %s:\n%s' % (key, value))
            continue
        if not os.path.isdir(outdir):
            os.makedirs(outdir)
        path = os.path.join(outdir, key + '.npy')
        if not overwrite_flag and os.path.exists(path):
            raise RuntimeError('Output file %s already exists. Add "--overwrite" to overwrite the '
                               'existing output files.' % path)
        np.save(path, value)
        print('Output %s is saved to %s' % (key, path))


def run(args):
    """The command run."""
    if not args.inputs and not args.input_exprs and not args.input_examples:
        raise AttributeError('At least one of --inputs, --input_exprs or --input_examples must be '
                             'required')
    feeds = load_inputs_from_input_arg_string(args.inputs, args.input_exprs, args.input_examples)
    run_saved_model_with_feed_dict(args.dir, args.tag_set, args.signature_def, feeds, args.outdir,
                                   args.overwrite, worker=args.worker)


def create_parser():
    """The flags."""
    parser = argparse.ArgumentParser(description='saved_model_cli: SavedModels from the shell.')
    parser.add_argument('-v', '--version', action='version', version='0.1.0')
    commands = parser.add_subparsers(title='commands', dest='command')
    for name, function, about in (('show', show, 'what is in a SavedModel'),
                                  ('run', run, 'runs a signature'),
                                  ('scan', scan, 'ops that touch files')):
        command = commands.add_parser(name, description=about, help=about)
        command.add_argument('--dir', type=str, required=True, help='the SavedModel')
        command.add_argument('--tag_set', type=str, required=name == 'run',
                             help='the tags of a graph, separated by commas')
        command.set_defaults(func=function)
        if name == 'show':
            command.add_argument('--all', action='store_true', help='everything')
        if name != 'scan':
            command.add_argument('--signature_def', type=str, required=name == 'run',
                                 metavar='SIGNATURE_DEF_KEY', help='a signature')
        if name == 'run':
            for flag, help_text in (('inputs', 'KEY=FILE[NAME];... of .npy, .npz, pickle files'),
                                    ('input_exprs', 'KEY=EXPRESSION;...'),
                                    ('input_examples', 'KEY=[{FEATURE: [VALUE...]}];...')):
                command.add_argument('--' + flag, type=str, default='', help=help_text)
            command.add_argument('--outdir', type=str, default=None, help='for .npy files')
            command.add_argument('--overwrite', action='store_true', help='over files there')
            command.add_argument('--worker', type=str, default=None, help='a server')
    return parser


def main():
    """The program."""
    args = create_parser().parse_args()
    if not hasattr(args, 'func'):
        create_parser().error('too few arguments')
    args.func(args)


if __name__ == '__main__':
    sys.exit(main())
