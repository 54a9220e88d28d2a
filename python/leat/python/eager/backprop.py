# SPDX-License-Identifier: Apache-2.0
"""tf.GradientTape, where a graph is built: gradients are those of the graph."""
from leat.python.eager import context
from leat.python.framework import ops
from leat.python.ops.unconnected_gradients import UnconnectedGradients
from leat.python.util import nest


class GradientTape(object):
    """Knows what is watched; gradient() is tf.gradients of what is. What was computed of it before
    the tape's block counts too."""

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._watched = []
        self._used = self._recording = False

    def __enter__(self):
        if self._recording:
            raise ValueError('Tape is already recording.')
        self._recording = True
        self._graph = ops.get_default_graph()
        return self

    def __exit__(self, typ, value, traceback):
        self._recording = False

    def watch(self, tensor):
        """Gradients of a tensor, or of structures of them, will be asked for."""
        if not self._recording:
            raise ValueError('Tape is not recording.')
        self._watched.extend(nest.flatten(tensor))

    def stop_recording(self):
        raise context.EagerUnsupportedError('GradientTape.stop_recording()')

    def reset(self):
        self._watched = []

    def watched_variables(self):
        """The trainable variables of the graph, and those that were watched."""
        found = [w for w in self._watched if hasattr(w, 'initializer')]
        if self._watch_accessed_variables:
            from leat.python.ops import variables
            found += [v for v in variables.trainable_variables()
                      if not any(v is w for w in found)]
        return tuple(found)

    def _is_watched(self, source):
        if any(source is w for w in self._watched):
            return True
        if self._watch_accessed_variables and getattr(source, 'trainable', False):
            return True
        handle = getattr(source, 'handle', None)
        return handle is not None and any(handle is getattr(w, 'handle', None)
                                          for w in self._watched)

    def gradient(self, target, sources, output_gradients=None,
                 unconnected_gradients=UnconnectedGradients.NONE):
        """The gradients of target by sources, in the structure of sources."""
        self._take()
        from leat.python.ops import array_ops
        from leat.python.ops import gradients_impl
        flat = nest.flatten(sources)
        if output_gradients is not None:
            output_gradients = nest.flatten(output_gradients)
        watched = [s for s in flat if self._is_watched(s)]
        found = gradients_impl.gradients(nest.flatten(target), watched, output_gradients,
                                         unconnected_gradients=unconnected_gradients) \
            if watched else []
        found = iter(found)
        zeros = unconnected_gradients in (UnconnectedGradients.ZERO, 'zero')
        result = []
        for source in flat:
            if self._is_watched(source):
                result.append(next(found))
            else:
                result.append(array_ops.zeros_like(source) if zeros else None)
        return nest.pack_sequence_as(sources, result)

    def _take(self):
        if self._used and not self._persistent:
            raise RuntimeError('GradientTape.gradient can only be called once on '
                               'non-persistent tapes.')
        self._used = True

    def jacobian(self, target, sources, unconnected_gradients=UnconnectedGradients.NONE,
                 parallel_iterations=None, experimental_use_pfor=True):
        """The derivative of each element of target by each of sources."""
        from leat.python.ops.parallel_for import gradients as parallel
        flat = nest.flatten(sources)
        self._take()
        made = iter(parallel.jacobian(target, [s for s in flat if self._is_watched(s)],
                                      experimental_use_pfor, parallel_iterations))
        return nest.pack_sequence_as(
            sources, [self._connected(next(made) if self._is_watched(s) else None, target, s,
                                      unconnected_gradients) for s in flat])

    def batch_jacobian(self, target, source, unconnected_gradients=UnconnectedGradients.NONE,
                       parallel_iterations=None, experimental_use_pfor=True):
        """The derivative of each row of target by the same row of source."""
        from leat.python.ops import array_ops
        from leat.python.ops.parallel_for import gradients as parallel
        self._take()
        made = parallel.batch_jacobian(target, source, experimental_use_pfor,
                                       parallel_iterations) if self._is_watched(source) else None
        if made is None and unconnected_gradients in (UnconnectedGradients.ZERO, 'zero'):
            shape = array_ops.concat([array_ops.shape(target), array_ops.shape(source)[1:]], axis=0)
            return array_ops.zeros(shape, target.dtype)
        return made

    @staticmethod
    def _connected(made, target, source, unconnected_gradients):
        """Zeros where nothing connects the two and zeros were asked for."""
        from leat.python.ops import array_ops
        if made is None and unconnected_gradients in (UnconnectedGradients.ZERO, 'zero'):
            shape = array_ops.concat([array_ops.shape(target), array_ops.shape(source)], axis=0)
            return array_ops.zeros(shape, target.dtype)
        return made


def _unsupported(*args, **kwargs):
    raise context.EagerUnsupportedError()


gradients_function = val_and_grad_function = implicit_grad = implicit_val_and_grad = make_vjp = \
    _unsupported


def aggregate_indexed_slices_gradients(grads):
    """The sum of gradients, some or all of them IndexedSlices."""
    if len(grads) == 1:
        return grads[0]
    from leat.python.ops import array_ops
    from leat.python.ops import math_ops
    grads = [g for g in grads if g is not None]
    if any(isinstance(g, ops.Tensor) for g in grads):
        return math_ops.add_n([ops.convert_to_tensor(g) for g in grads])
    return ops.IndexedSlices(array_ops.concat([g.values for g in grads], axis=0),
                             array_ops.concat([g.indices for g in grads], axis=0),
                             grads[0].dense_shape)
