# SPDX-License-Identifier: Apache-2.0
"""tf.wrap_function: not there."""
from leat.python.eager import context


def wrap_function(fn, signature, name=None):
    raise context.EagerUnsupportedError('tf.compat.v1.wrap_function')


def function_from_graph_def(graph_def, inputs, outputs):
    raise context.EagerUnsupportedError('tf.compat.v1.wrap_function')
