# SPDX-License-Identifier: Apache-2.0
"""optimize_for_inference_lib as a program (--help)."""
import argparse
import os
import sys

from leat import _text_format
from leat.core.framework import graph_pb2
from leat.python.framework import dtypes
from leat.python.framework import graph_io
from leat.python.lib.io import file_io
from leat.python.tools import optimize_for_inference_lib

FLAGS = None


def main(unused_args):
    if not file_io.file_exists(FLAGS.input):
        print('Input graph file \'' + FLAGS.input + '\' does not exist!')
        return -1
    graph_def = graph_pb2.GraphDef()
    with file_io.FileIO(FLAGS.input, 'rb' if FLAGS.frozen_graph else 'r') as file:
        data = file.read()
    if FLAGS.frozen_graph:
        graph_def.ParseFromString(data)
    else:
        _text_format.Merge(data, graph_def)
    kinds = [dtypes.as_dtype(name).as_datatype_enum
             for name in FLAGS.placeholder_type_enum.split(',')]
    output = optimize_for_inference_lib.optimize_for_inference(
        graph_def, FLAGS.input_names.split(','), FLAGS.output_names.split(','),
        kinds[0] if len(kinds) == 1 else kinds, FLAGS.toco_compatible)
    if FLAGS.frozen_graph:
        file_io.write_string_to_file(FLAGS.output, output.SerializeToString())
    else:
        graph_io.write_graph(output, os.path.dirname(FLAGS.output) or './',
                             os.path.basename(FLAGS.output))
    return 0


def run_main():
    """The program."""
    global FLAGS
    parser = argparse.ArgumentParser(prog='optimize_for_inference')
    parser.register('type', 'bool', lambda text: text.lower() == 'true')
    for name, default in (('input', ''), ('output', ''), ('input_names', ''),
                          ('output_names', ''), ('placeholder_type_enum', 'float32')):
        parser.add_argument('--' + name, type=str, default=default)
    parser.add_argument('--frozen_graph', nargs='?', const=True, type='bool', default=True)
    parser.add_argument('--toco_compatible', type=bool, default=False)
    FLAGS, unparsed = parser.parse_known_args()
    sys.exit(main([sys.argv[0]] + unparsed))


if __name__ == '__main__':
    run_main()
