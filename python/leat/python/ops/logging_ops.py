# SPDX-License-Identifier: Apache-2.0
"""Ops that print; the old functions of summaries stand in summary_ops' place here, too."""
import os
import pprint
import random
import sys

from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_util
from leat.python.ops import gen_logging_ops
from leat.python.ops import gen_string_ops
from leat.python.platform import tf_logging
from leat.python.util import deprecation
from leat.python.util import nest


def __getattr__(name):
    if name in ('audio_summary', 'histogram_summary', 'image_summary', 'merge_all_summaries',
                'merge_summary', 'scalar_summary', 'get_summary_op'):
        from leat.python.ops import old_summaries
        return getattr(old_summaries, name)
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(gen_logging_ops, name)


@deprecation.deprecated(
    '2018-08-20',
    'Use tf.print instead of tf.Print. Note that tf.print returns a no-output operator that '
    'directly prints the output. Outside of defuns or eager mode, this operator will not be '
    'executed unless it is directly specified in session.run or used as a control dependency for '
    'other operators. This is only a concern in graph mode. Below is an example of how to ensure '
    'tf.print executes in graph mode:\n')
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """input_'s value; the data is printed when it is computed."""
    return gen_logging_ops._print(input_, data, message, first_n, summarize, name)


def _generate_placeholder_string(x, default_placeholder='{}'):
    """A text that does not occur in x."""
    placeholder = default_placeholder
    rng = random.Random(5)
    while placeholder in x:
        placeholder = placeholder + str(rng.randint(0, 9))
    return placeholder


def _is_filepath(output_stream):
    return isinstance(output_stream, str) and output_stream.startswith('file://')


def _stream_name(output_stream):
    if _is_filepath(output_stream):
        return output_stream
    by_stream = {sys.stdout: 'stdout', sys.stderr: 'stderr', tf_logging.INFO: 'log(info)',
                 tf_logging.WARN: 'log(warning)', tf_logging.ERROR: 'log(error)'}
    try:
        found = by_stream.get(output_stream)
    except TypeError:
        found = None
    if found is None:
        raise ValueError('Unsupported output stream, logging level, or file.' +
                         str(output_stream) + '. Supported streams are sys.stdout, sys.stderr, '
                         'tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be '
                         'in the form of \'file://<filepath>\'.')
    return found


def print_v2(*inputs, **kwargs):
    """An op that prints the inputs: tensors, and structures with tensors in them."""
    output_stream = kwargs.pop('output_stream', sys.stderr)
    name = kwargs.pop('name', None)
    summarize = kwargs.pop('summarize', 3)
    sep = kwargs.pop('sep', ' ')
    end = kwargs.pop('end', os.linesep)
    if kwargs:
        raise ValueError('Unrecognized keyword arguments for tf.print: %s' % kwargs)
    stream = _stream_name(output_stream)
    if len(inputs) == 1 and tensor_util.is_tensor(inputs[0]) and \
            not isinstance(inputs[0], sparse_tensor.SparseTensor) and \
            inputs[0].shape.ndims == 0 and inputs[0].dtype == 'string':
        text = inputs[0]
    else:
        text = _formatted(inputs, sep, summarize, name + '_format' if name else None)
    return gen_logging_ops.print_v2(text, output_stream=stream, name=name, end=end)


def _formatted(inputs, sep, summarize, name):
    """A string tensor of the inputs."""
    free = nest.map_structure(lambda x: '' if tensor_util.is_tensor(x) else x, inputs)
    placeholder = _generate_placeholder_string(' '.join(pprint.pformat(x) for x in free))
    tensors, templates = [], []
    for value in inputs:
        parts = []
        for x in nest.flatten(value):
            if isinstance(x, sparse_tensor.SparseTensor):
                tensors.extend([x.indices, x.values, x.dense_shape])
                parts.append('SparseTensor(indices={}, values={}, shape={})'.format(
                    placeholder, placeholder, placeholder))
            elif tensor_util.is_tensor(x):
                tensors.append(x)
                parts.append(placeholder)
            else:
                parts.append(x)
        if isinstance(value, str):
            templates.append(value)
        else:
            templates.append(pprint.pformat(nest.pack_sequence_as(value, parts)))
    template = sep.join(templates).replace("'" + placeholder + "'", placeholder)
    return gen_string_ops.string_format(inputs=tensors, template=template,
                                        placeholder=placeholder, summarize=summarize, name=name)
