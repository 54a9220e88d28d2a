# SPDX-License-Identifier: Apache-2.0
"""strip_unused_lib as a program (--help)."""
import argparse
import sys

from leat.python.framework import dtypes
from leat.python.tools import strip_unused_lib

FLAGS = None


def main(unused_args):
    names = FLAGS.placeholder_type_enum.split(',')
    kinds = [dtypes.as_dtype(name).as_datatype_enum for name in names]
    return strip_unused_lib.strip_unused_from_files(
        FLAGS.input_graph, FLAGS.input_binary, FLAGS.output_graph, FLAGS.output_binary,
        FLAGS.input_node_names, FLAGS.output_node_names,
        kinds[0] if len(kinds) == 1 else kinds)


def run_main():
    """The program."""
    global FLAGS
    parser = argparse.ArgumentParser(prog='strip_unused')
    parser.register('type', 'bool', lambda text: text.lower() == 'true')
    for name, default in (('input_graph', ''), ('output_graph', ''), ('input_node_names', ''),
                          ('output_node_names', ''), ('placeholder_type_enum', 'float32')):
        parser.add_argument('--' + name, type=str, default=default)
    for name in ('input_binary', 'output_binary'):
        parser.add_argument('--' + name, nargs='?', const=True, type='bool',
                            default=name == 'output_binary')
    FLAGS, unparsed = parser.parse_known_args()
    sys.exit(main([sys.argv[0]] + unparsed))


if __name__ == '__main__':
    run_main()
