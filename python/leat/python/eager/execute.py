# SPDX-License-Identifier: Apache-2.0
"""Execution of one op at once: not there; recorded gradients are those of graphs."""
from leat.python.eager import context


def execute(*args, **kwargs):
    raise context.EagerUnsupportedError()


quick_execute = execute


def record_gradient(unused_op_name, unused_inputs, unused_attrs, unused_results, unused_name):
    """Nothing is recorded: the graph is the record."""


def make_type(v, arg_name):
    from leat.python.framework import dtypes
    try:
        return dtypes.as_dtype(v).base_dtype.as_datatype_enum
    except TypeError:
        raise TypeError('Expected DataType for argument \'%s\' not %s.'
                        % (arg_name, repr(v))) from None
