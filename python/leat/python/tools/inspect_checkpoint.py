# SPDX-License-Identifier: Apache-2.0
"""Prints what a checkpoint holds; also a program (--help)."""
import argparse
import re
import sys

import numpy as np

from leat.python import pywrap_tensorflow

FLAGS = None


def _count_total_params(reader, count_exclude_pattern=''):
    """How many numbers there are in the variables whose names lack the pattern."""
    total = 0
    for name, shape in reader.get_variable_to_shape_map().items():
        if count_exclude_pattern and re.search(count_exclude_pattern, name):
            continue
        total += int(np.prod(shape))
    return total


def print_tensors_in_checkpoint_file(file_name, tensor_name, all_tensors, all_tensor_names=False,
                                     count_exclude_pattern=''):
    """Prints one tensor, all of them, or their names and shapes."""
    try:
        reader = pywrap_tensorflow.NewCheckpointReader(file_name)
        if all_tensors or all_tensor_names:
            shapes = reader.get_variable_to_shape_map()
            for key in sorted(shapes):
                print('tensor_name: ', key)
                if all_tensors:
                    print(reader.get_tensor(key))
        elif not tensor_name:
            print(reader.debug_string().decode('utf-8'))
        else:
            print('tensor_name: ', tensor_name)
            print(reader.get_tensor(tensor_name))
        print('# Total number of params: %d' % _count_total_params(
            reader, count_exclude_pattern=count_exclude_pattern))
    except Exception as error:  # a tool for people: what is wrong is printed
        print(str(error))
        if 'corrupted compressed block contents' in str(error):
            print('It\'s likely that your checkpoint file has been compressed with SNAPPY.')


def parse_numpy_printoption(kv_str):
    """Sets one of numpy's print options, as KEY=VALUE."""
    parts = kv_str.split('=', 1)
    if len(parts) != 2:
        raise argparse.ArgumentTypeError('"%s" is not in k=v format.' % kv_str)
    key, value = parts
    options = np.get_printoptions()
    if key not in options:
        raise argparse.ArgumentTypeError('"%s" is not a valid printoption.' % key)
    kind = type(options[key])
    if kind is type(None):
        raise argparse.ArgumentTypeError('Setting "%s" from the command line is not supported.'
                                         % key)
    try:
        np.set_printoptions(**{key: int(value) if kind is bool else kind(value)})
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def main(unused_argv):
    if not FLAGS.file_name:
        print('Usage: inspect_checkpoint --file_name=checkpoint_file_name '
              '[--tensor_name=tensor_to_print] [--all_tensors] [--all_tensor_names] '
              '[--printoptions]')
        sys.exit(1)
    print_tensors_in_checkpoint_file(FLAGS.file_name, FLAGS.tensor_name, FLAGS.all_tensors,
                                     FLAGS.all_tensor_names,
                                     count_exclude_pattern=FLAGS.count_exclude_pattern)


def run_main():
    """The program."""
    global FLAGS
    parser = argparse.ArgumentParser(prog='inspect_checkpoint')
    parser.register('type', 'bool', lambda text: text.lower() == 'true')
    parser.add_argument('--file_name', type=str, default='', help='the checkpoint')
    parser.add_argument('--tensor_name', type=str, default='', help='the tensor to print')
    parser.add_argument('--count_exclude_pattern', type=str, default='',
                        help='names that are not counted')
    for name, about in (('all_tensors', 'print all values'), ('all_tensor_names', 'all names')):
        parser.add_argument('--' + name, nargs='?', const=True, type='bool', default=False,
                            help=about)
    parser.add_argument('--printoptions', nargs='*', type=parse_numpy_printoption,
                        help='numpy\'s, as KEY=VALUE')
    FLAGS, unparsed = parser.parse_known_args()
    main([sys.argv[0]] + unparsed)


if __name__ == '__main__':
    run_main()
