# SPDX-License-Identifier: Apache-2.0
"""tf.function, where a graph is built: a call builds the function's body into the graph.

Nothing is rewritten: Python's own if and while decide when the graph is built. What the body does
to variables happens in its order, and before what the call returns is there.
"""
import functools

from leat.python.eager import context
from leat.python.framework import auto_control_deps
from leat.python.framework import ops

RUN_FUNCTIONS_EAGERLY = False


def run_functions_eagerly(run_eagerly):
    if run_eagerly:
        raise context.EagerUnsupportedError()


class Function(object):
    """A Python function whose calls build its body into the default graph."""

    def __init__(self, python_function, name, input_signature=None, autograph=True,
                 experimental_autograph_options=None, experimental_relax_shapes=False,
                 experimental_compile=None):
        self._python_function = python_function
        self._name = name
        self._input_signature = None if input_signature is None else tuple(input_signature)
        functools.update_wrapper(self, python_function)

    @property
    def python_function(self):
        return self._python_function

    @property
    def input_signature(self):
        return self._input_signature

    def __call__(self, *args, **kwds):
        signature = self._input_signature
        if signature is not None and len(args) == len(signature):
            args = [ops.convert_to_tensor(a, dtype=getattr(s, 'dtype', None))
                    for a, s in zip(args, signature)]
        return auto_control_deps.call_in_order(self._python_function, args, kwds)

    def __get__(self, instance, owner):
        if instance is None:
            return self
        bound = Function(self._python_function.__get__(instance, owner), self._name,
                         self._input_signature)
        return bound

    def get_concrete_function(self, *args, **kwargs):
        raise context.EagerUnsupportedError('concrete function of a tf.function')

    get_initialization_function = get_concrete_function


def function(func=None, input_signature=None, autograph=True, experimental_autograph_options=None,
             experimental_relax_shapes=False, experimental_compile=None):
    """A decorator: see Function."""
    def decorate(inner):
        return Function(inner, getattr(inner, '__name__', 'function'), input_signature,
                        autograph, experimental_autograph_options, experimental_relax_shapes,
                        experimental_compile)
    return decorate if func is None else decorate(func)
