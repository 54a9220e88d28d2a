# SPDX-License-Identifier: Apache-2.0
"""Bijectors made of others or of functions, and those that move what they are given."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops.distributions import bijector


class Chain(bijector.Bijector):
    """The bijectors one after the other, the last one first."""

    def __init__(self, bijectors=None, validate_args=False, name=None):
        if bijectors is None:
            bijectors = ()
        self._bijectors = bijectors
        for a_bijector in bijectors:
            if not a_bijector._is_injective:
                raise NotImplementedError('Invert is not implemented for non-injective bijector '
                                          '({})'.format(a_bijector.name))
        if len({b.dtype for b in bijectors} - {None}) > 1:
            raise ValueError('incompatible dtypes: %s' % sorted(
                b.dtype.name for b in bijectors if b.dtype is not None))
        found = [b.dtype for b in bijectors if b.dtype is not None]
        super(Chain, self).__init__(
            graph_parents=[t for b in bijectors for t in b.graph_parents],
            forward_min_event_ndims=self._least_rank(
                bijectors, lambda b: b.forward_min_event_ndims,
                lambda b: b.inverse_min_event_ndims),
            inverse_min_event_ndims=self._least_rank(
                bijectors[::-1], lambda b: b.inverse_min_event_ndims,
                lambda b: b.forward_min_event_ndims),
            is_constant_jacobian=all(b.is_constant_jacobian for b in bijectors),
            validate_args=validate_args, dtype=found[0] if found else None,
            name=name or ('identity' if not bijectors
                          else '_of_'.join(['chain'] + [b.name for b in bijectors])))

    @staticmethod
    def _least_rank(bijectors, of_input, of_output):
        """The least rank of events of the first one's input (the last in the list)."""
        needed = 0
        for b in bijectors:  # from the output to the input
            needed = of_input(b) + max(0, needed - of_output(b))
        return needed

    @property
    def bijectors(self):
        return self._bijectors

    def _through(self, method, x, reverse):
        for b in (reversed(self.bijectors) if reverse else self.bijectors):
            x = getattr(b, method)(x)
        return x

    def _forward_event_shape_tensor(self, input_shape):
        return self._through('forward_event_shape_tensor', input_shape, True)

    def _forward_event_shape(self, input_shape):
        return self._through('forward_event_shape', input_shape, True)

    def _inverse_event_shape_tensor(self, output_shape):
        return self._through('inverse_event_shape_tensor', output_shape, False)

    def _inverse_event_shape(self, output_shape):
        return self._through('inverse_event_shape', output_shape, False)

    def _forward(self, x):
        return self._through('forward', x, True)

    def _inverse(self, y):
        return self._through('inverse', y, False)

    def _inverse_log_det_jacobian(self, y):
        total = constant_op.constant(0., dtype=y.dtype, name='inverse_log_det_jacobian')
        ndims = self.inverse_min_event_ndims
        for b in self.bijectors:
            total += b.inverse_log_det_jacobian(y, event_ndims=ndims)
            ndims = ndims - b.inverse_min_event_ndims + b.forward_min_event_ndims
            y = b.inverse(y)
        return total

    def _forward_log_det_jacobian(self, x):
        total = constant_op.constant(0., dtype=x.dtype, name='forward_log_det_jacobian')
        ndims = self.forward_min_event_ndims
        for b in reversed(self.bijectors):
            total += b.forward_log_det_jacobian(x, event_ndims=ndims)
            ndims = ndims - b.forward_min_event_ndims + b.inverse_min_event_ndims
            x = b.forward(x)
        return total


class Invert(bijector.Bijector):
    """Another bijector the other way round."""

    def __init__(self, bijector, validate_args=False, name=None):  # noqa: F811 - 1.15's name
        if not bijector._is_injective:
            raise NotImplementedError('Invert is not implemented for non-injective bijectors.')
        self._bijector = bijector
        super(Invert, self).__init__(
            graph_parents=bijector.graph_parents,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            is_constant_jacobian=bijector.is_constant_jacobian, validate_args=validate_args,
            dtype=bijector.dtype, name=name or '_'.join(['invert', bijector.name]))

    @property
    def bijector(self):
        return self._bijector

    def _forward_event_shape_tensor(self, input_shape):
        return self.bijector._inverse_event_shape_tensor(input_shape)

    def _forward_event_shape(self, input_shape):
        return self.bijector._inverse_event_shape(input_shape)

    def _inverse_event_shape_tensor(self, output_shape):
        return self.bijector._forward_event_shape_tensor(output_shape)

    def _inverse_event_shape(self, output_shape):
        return self.bijector._forward_event_shape(output_shape)

    def _forward(self, x):
        return self.bijector._inverse(x)

    def _inverse(self, y):
        return self.bijector._forward(y)

    def _inverse_log_det_jacobian(self, y):
        return self.bijector.forward_log_det_jacobian(y, self.inverse_min_event_ndims)

    def _forward_log_det_jacobian(self, x):
        return self.bijector.inverse_log_det_jacobian(x, self.forward_min_event_ndims)


class Inline(bijector.Bijector):
    """A bijector of functions."""

    def __init__(self, forward_fn=None, inverse_fn=None, inverse_log_det_jacobian_fn=None,
                 forward_log_det_jacobian_fn=None, forward_event_shape_fn=None,
                 forward_event_shape_tensor_fn=None, inverse_event_shape_fn=None,
                 inverse_event_shape_tensor_fn=None, is_constant_jacobian=False,
                 validate_args=False, forward_min_event_ndims=None, inverse_min_event_ndims=None,
                 name='inline'):
        super(Inline, self).__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian, validate_args=validate_args, name=name)
        for method, fn in (
                ('_forward', forward_fn), ('_inverse', inverse_fn),
                ('_inverse_log_det_jacobian', inverse_log_det_jacobian_fn),
                ('_forward_log_det_jacobian', forward_log_det_jacobian_fn),
                ('_forward_event_shape', forward_event_shape_fn),
                ('_forward_event_shape_tensor', forward_event_shape_tensor_fn),
                ('_inverse_event_shape', inverse_event_shape_fn),
                ('_inverse_event_shape_tensor', inverse_event_shape_tensor_fn)):
            if fn is not None:
                setattr(self, method, fn)


class Permute(bijector.Bijector):
    """The numbers of the last dim in another order."""

    def __init__(self, permutation, validate_args=False, name=None):
        with ops.name_scope(name, 'permute', values=[permutation]):
            permutation = ops.convert_to_tensor(permutation, name='permutation')
            if not permutation.dtype.is_integer:
                raise TypeError('permutation.dtype ({}) should be `int`-like.'.format(
                    permutation.dtype.name))
            known = tensor_util.constant_value(permutation)
            if known is not None and sorted(known.tolist()) != list(range(known.size)):
                raise ValueError('Permutation over `d` must contain exactly one of each of '
                                 '`{0, 1, ..., d}`.')
            self._permutation = permutation
        super(Permute, self).__init__(
            forward_min_event_ndims=1, is_constant_jacobian=True, validate_args=validate_args,
            name=name or 'permute')

    @property
    def permutation(self):
        return self._permutation

    def _forward(self, x):
        return array_ops.gather(x, self.permutation, axis=-1)

    def _inverse(self, y):
        return array_ops.gather(y, array_ops.invert_permutation(self.permutation), axis=-1)

    def _inverse_log_det_jacobian(self, y):
        return constant_op.constant(0., dtype=y.dtype.base_dtype)

    def _forward_log_det_jacobian(self, x):
        return constant_op.constant(0., dtype=x.dtype.base_dtype)


class Reshape(bijector.Bijector):
    """Events in another shape; one size of each may be -1."""

    def __init__(self, event_shape_out, event_shape_in=(-1,), validate_args=False, name=None):
        with ops.name_scope(name, 'reshape', values=[event_shape_out, event_shape_in]):
            shapes = []
            for shape in (event_shape_out, event_shape_in):
                shape = ops.convert_to_tensor(shape, name='event_shape',
                                              preferred_dtype=dtypes.int32)
                known = tensor_util.constant_value(shape)
                if known is None:
                    raise ValueError('the shapes of events must be known when the graph is built')
                if known.ndim != 1:
                    raise ValueError('`event_shape` must be a vector (1-D).')
                if (known < -1).any() or (known == -1).sum() > 1:
                    raise ValueError('elements must be either positive integers or `-1`, of which '
                                     'there is at most one.')
                shapes.append([int(n) for n in known])
        self._event_shape_out, self._event_shape_in = shapes
        super(Reshape, self).__init__(
            forward_min_event_ndims=len(self._event_shape_in),
            inverse_min_event_ndims=len(self._event_shape_out), is_constant_jacobian=True,
            validate_args=validate_args, name=name or 'reshape')

    @staticmethod
    def _moved(x, before, after):
        shape = array_ops.shape(x)
        kept = array_ops.rank(x) - len(before)
        known = x.get_shape()
        y = array_ops.reshape(x, array_ops.concat([shape[:kept], after], axis=0))
        if known.ndims is not None and -1 not in after:
            y.set_shape(known[:known.ndims - len(before)].concatenate(after))
        return y

    def _forward(self, x):
        return self._moved(x, self._event_shape_in, self._event_shape_out)

    def _inverse(self, y):
        return self._moved(y, self._event_shape_out, self._event_shape_in)

    def _inverse_log_det_jacobian(self, y):
        return constant_op.constant(0., dtype=y.dtype)

    def _forward_log_det_jacobian(self, x):
        return constant_op.constant(0., dtype=x.dtype)

    @staticmethod
    def _moved_shape(shape, before, after):
        shape = tensor_shape.TensorShape(shape)
        if shape.ndims is None:
            return tensor_shape.unknown_shape()
        kept = shape.ndims - len(before)
        tail = [tensor_shape.dimension_value(d) for d in shape.dims[kept:]]
        if kept < 0 or any(b not in (-1, t) for b, t in zip(before, tail) if t is not None):
            raise ValueError('Input `event_shape` does not match `event_shape_in`.')
        after = list(after)
        if -1 in after and None not in tail:
            rest = int(np.prod([n for n in after if n != -1]))
            after[after.index(-1)] = int(np.prod(tail)) // rest
        return shape[:kept].concatenate([None if n == -1 else n for n in after])

    def _forward_event_shape(self, input_shape):
        return self._moved_shape(input_shape, self._event_shape_in, self._event_shape_out)

    def _inverse_event_shape(self, output_shape):
        return self._moved_shape(output_shape, self._event_shape_out, self._event_shape_in)

    def _forward_event_shape_tensor(self, input_shape):
        return self._moved_vector(input_shape, self._event_shape_in, self._event_shape_out)

    def _inverse_event_shape_tensor(self, output_shape):
        return self._moved_vector(output_shape, self._event_shape_out, self._event_shape_in)

    @staticmethod
    def _moved_vector(shape, before, after):
        kept = array_ops.size(shape) - len(before)
        if -1 in after:
            rest = int(np.prod([n for n in after if n != -1]))
            size = math_ops.reduce_prod(shape[kept:]) // rest
            after = array_ops.stack([size if n == -1 else n for n in after])
        return array_ops.concat([shape[:kept], after], axis=0)


class SoftmaxCentered(bijector.Bijector):
    """k numbers as k + 1 that sum to 1: the softmax of them and a 0."""

    def __init__(self, validate_args=False, name='softmax_centered'):
        super(SoftmaxCentered, self).__init__(forward_min_event_ndims=1,
                                              validate_args=validate_args, name=name)

    def _forward_event_shape(self, input_shape):
        if input_shape.ndims is None or input_shape[-1] is None:
            return input_shape
        return tensor_shape.TensorShape(input_shape[:-1]).concatenate([input_shape[-1] + 1])

    def _forward_event_shape_tensor(self, input_shape):
        return array_ops.concat([input_shape[:-1], [input_shape[-1] + 1]], 0)

    def _inverse_event_shape(self, output_shape):
        if output_shape.ndims is None or output_shape[-1] is None:
            return output_shape
        if output_shape[-1] <= 1:
            raise ValueError('output_shape[-1] = %d <= 1' % output_shape[-1])
        return tensor_shape.TensorShape(output_shape[:-1]).concatenate([output_shape[-1] - 1])

    def _inverse_event_shape_tensor(self, output_shape):
        return array_ops.concat([output_shape[:-1], [output_shape[-1] - 1]], 0)

    @staticmethod
    def _with_zero(x):
        return array_ops.concat([x, array_ops.zeros_like(x[..., :1])], axis=-1)

    def _forward(self, x):
        return nn_ops.softmax(self._with_zero(x))

    def _inverse(self, y):
        return math_ops.log(y[..., :-1]) - math_ops.log(y[..., -1:])

    def _inverse_log_det_jacobian(self, y):
        # The volume of the simplex of k + 1 numbers, embedded, counts sqrt(k + 1).
        root = 0.5 * math_ops.log(math_ops.cast(array_ops.shape(y)[-1], dtype=y.dtype))
        return -root - math_ops.reduce_sum(math_ops.log(y), axis=-1)

    def _forward_log_det_jacobian(self, x):
        k = math_ops.cast(array_ops.shape(x)[-1], dtype=x.dtype)
        return (0.5 * math_ops.log(k + 1.) + math_ops.reduce_sum(x, axis=-1) -
                (k + 1.) * math_ops.reduce_logsumexp(self._with_zero(x), axis=-1))
