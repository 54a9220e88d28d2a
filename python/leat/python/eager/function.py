# SPDX-License-Identifier: Apache-2.0
"""defun: as tf.function, see def_function."""
from leat.python.eager import context
from leat.python.eager import def_function
from leat.python.eager.def_function import Function  # noqa: F401


class ConcreteFunction(object):
    """A function traced for one signature: not there."""

    def __init__(self, *args, **kwargs):
        raise context.EagerUnsupportedError('concrete function')


def defun(func=None, input_signature=None, autograph=True, experimental_autograph_options=None,
          experimental_relax_shapes=False):
    return def_function.function(func, input_signature, autograph, experimental_autograph_options,
                                 experimental_relax_shapes)


def defun_with_attributes(func=None, input_signature=None, attributes=None, autograph=True,
                          experimental_autograph_options=None, experimental_relax_shapes=False):
    return defun(func, input_signature, autograph, experimental_autograph_options,
                 experimental_relax_shapes)


def register(func, *args, **kwargs):
    raise context.EagerUnsupportedError('registered function')
