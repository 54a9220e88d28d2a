# SPDX-License-Identifier: Apache-2.0
"""TensorArrays: arrays of tensors that loops read and write.

The elements live in a resource; each change gives a new array whose flow orders it after those
before.
"""
import contextlib

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_spec
from leat.python.framework import tensor_util
from leat.python.framework import type_spec
from leat.python.ops import gen_array_ops
from leat.python.ops import gen_data_flow_ops


class TensorArray(object):
    """An array of tensors, each written once."""

    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None,
                 tensor_array_name=None, handle=None, flow=None, infer_shape=True,
                 element_shape=None, colocate_with_first_write_call=True, name=None):
        _check_arguments(size, dynamic_size, clear_after_read, tensor_array_name, handle,
                         element_shape)
        if clear_after_read is None:
            clear_after_read = True
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._dynamic_size = dynamic_size or False
        self._size = size
        self._colocate_with_first_write_call = colocate_with_first_write_call
        self._colocate_with = [] if colocate_with_first_write_call else None
        if element_shape is None:
            self._infer_shape = infer_shape
            self._element_shape = [tensor_shape.unknown_shape()]
        else:
            self._infer_shape = True
            self._element_shape = [tensor_shape.TensorShape(element_shape)]
        with ops.name_scope(name, 'TensorArray', [t for t in (handle, size, flow)
                                                  if t is not None]) as scope:
            if handle is not None:
                self._handle = handle
                if flow is None:
                    with ops.colocate_with(handle):
                        flow = constant_op.constant(0, dtype=dtypes.float32)
                self._flow = flow
                return
            free = colocate_with_first_write_call
            with ops.device(None) if free else contextlib.nullcontext():
                self._handle, self._flow = gen_data_flow_ops.tensor_array_v3(
                    dtype=dtype, size=size, element_shape=element_shape,
                    identical_element_shapes=infer_shape, dynamic_size=self._dynamic_size,
                    clear_after_read=clear_after_read,
                    tensor_array_name=tensor_array_name or '', name=scope)

    @property
    def flow(self):
        return self._flow

    def _flow_of_array(self):
        return self._flow

    @property
    def dtype(self):
        return self._dtype

    @property
    def handle(self):
        return self._handle

    @property
    def element_shape(self):
        return self._element_shape[0]

    @property
    def dynamic_size(self):
        return self._dynamic_size

    @property
    def _implementation(self):
        return self

    def _check_element_shape(self, shape):
        """Learns from what is written, or refuses it."""
        if not shape.is_compatible_with(self.element_shape):
            raise ValueError('Inconsistent shapes: saw %s but expected %s '
                             % (shape, self.element_shape))
        if self._infer_shape:
            self._element_shape[0] = self.element_shape.merge_with(shape)

    @contextlib.contextmanager
    def _maybe_colocate_with(self, value):
        """With the first value that was written, to this array or to one that it came from."""
        if not self._colocate_with_first_write_call:
            yield
            return
        if not self._colocate_with:
            self._colocate_with.append(value)
        with ops.colocate_with(self._colocate_with[0]):
            yield

    def identity(self):
        return build_ta_with_new_flow(self, gen_array_ops.identity(self._flow))

    def grad(self, source, flow=None, name=None):
        """The array of the gradients of this one's elements."""
        if flow is None:
            flow = self.flow
        with ops.name_scope(name, 'TensorArrayGrad', [self._handle]):
            with ops.colocate_with(self._handle):
                g_handle, unused_flow = gen_data_flow_ops.tensor_array_grad_v3(
                    handle=self._handle, source=source, flow_in=flow, name=name)
                with ops.control_dependencies([g_handle]):
                    flow = gen_array_ops.identity(flow, name='gradient_flow')
                made = TensorArray(dtype=self._dtype, handle=g_handle, flow=flow,
                                   infer_shape=self._infer_shape,
                                   colocate_with_first_write_call=False)
                made._element_shape = list(self._element_shape)
                return made

    # ---- elements out ----

    def read(self, index, name=None):
        value = gen_data_flow_ops.tensor_array_read_v3(
            handle=self._handle, index=index, flow_in=self._flow, dtype=self._dtype, name=name)
        if self.element_shape.ndims is not None:
            value.set_shape(self.element_shape.dims)
        return value

    def stack(self, name=None):
        from leat.python.ops import math_ops
        with ops.colocate_with(self._handle):
            with ops.name_scope(name, 'TensorArrayStack', [self._handle]):
                return self.gather(math_ops.range(0, self.size()), name=name)

    def gather(self, indices, name=None):
        value = gen_data_flow_ops.tensor_array_gather_v3(
            handle=self._handle, indices=indices, flow_in=self._flow, dtype=self._dtype,
            name=name, element_shape=self.element_shape)
        if self.element_shape.ndims is not None:
            value.set_shape([None] + self.element_shape.as_list())
        return value

    def concat(self, name=None):
        shape = self.element_shape
        rest = shape[1:] if shape.ndims is not None else tensor_shape.unknown_shape()
        value, _ = gen_data_flow_ops.tensor_array_concat_v3(
            handle=self._handle, flow_in=self._flow, dtype=self._dtype, name=name,
            element_shape_except0=rest)
        if shape.ndims is not None:
            value.set_shape([None] + shape.as_list()[1:])
        return value

    # ---- elements in ----

    def _value(self, value):
        return ops.convert_to_tensor(value, preferred_dtype=self._dtype, name='value')

    def write(self, index, value, name=None):
        with ops.name_scope(name, 'TensorArrayWrite', _tensors(self._handle, index, value)):
            value = self._value(value)
            self._check_element_shape(value.shape)
            with self._maybe_colocate_with(value):
                flow_out = gen_data_flow_ops.tensor_array_write_v3(
                    handle=self._handle, index=index, value=value, flow_in=self._flow, name=name)
            return build_ta_with_new_flow(self, flow_out)

    def unstack(self, value, name=None):
        from leat.python.ops import array_ops
        from leat.python.ops import math_ops
        with ops.name_scope(name, 'TensorArrayUnstack', _tensors(self._handle, value)):
            num_elements = array_ops.shape(value)[0]
            return self.scatter(indices=math_ops.range(0, num_elements), value=value, name=name)

    def scatter(self, indices, value, name=None):
        with ops.name_scope(name, 'TensorArrayScatter', _tensors(self._handle, value, indices)):
            value = self._value(value)
            self._check_element_shape(value.shape[1:] if value.shape.ndims is not None
                                      else tensor_shape.unknown_shape())
            with self._maybe_colocate_with(value):
                flow_out = gen_data_flow_ops.tensor_array_scatter_v3(
                    handle=self._handle, indices=indices, value=value, flow_in=self._flow,
                    name=name)
            return build_ta_with_new_flow(self, flow_out)

    def split(self, value, lengths, name=None):
        from leat.python.ops import math_ops
        with ops.name_scope(name, 'TensorArraySplit', _tensors(self._handle, value, lengths)):
            value = self._value(value)
            with self._maybe_colocate_with(value):
                lengths_64 = math_ops.cast(lengths, dtypes.int64)
                known = tensor_util.constant_value(lengths_64)
                if value.shape.ndims is not None and known is not None and known.shape and \
                        known.size and known.max() == known.min():
                    self._check_element_shape(
                        tensor_shape.TensorShape([int(known[0])]).concatenate(value.shape[1:]))
                flow_out = gen_data_flow_ops.tensor_array_split_v3(
                    handle=self._handle, value=value, lengths=lengths_64, flow_in=self._flow,
                    name=name)
            return build_ta_with_new_flow(self, flow_out)

    def size(self, name=None):
        return gen_data_flow_ops.tensor_array_size_v3(handle=self._handle, flow_in=self.flow,
                                                      name=name)

    def close(self, name=None):
        return gen_data_flow_ops.tensor_array_close_v3(handle=self._handle, name=name)


def _tensors(*values):
    return [v for v in values if isinstance(v, ops._TensorLike) or hasattr(v, '_as_graph_element')]


def _check_arguments(size, dynamic_size, clear_after_read, tensor_array_name, handle,
                     element_shape):
    if handle is not None and tensor_array_name:
        raise ValueError('Cannot construct with both handle and tensor_array_name')
    if handle is not None and not isinstance(handle, ops.Tensor):
        raise TypeError('Handle must be a Tensor')
    if handle is None and size is None:
        raise ValueError('Size must be provided if handle is not provided')
    if handle is not None:
        for name, value in (('size', size), ('element_shape', element_shape),
                            ('dynamic_size', dynamic_size),
                            ('clear_after_read', clear_after_read)):
            if value is not None:
                raise ValueError('Cannot provide both a handle and %s at the same time' % name)


def build_ta_with_new_flow(old_ta, flow):
    """The same array after what gave the flow."""
    made = TensorArray(dtype=old_ta.dtype, handle=old_ta.handle, flow=flow,
                       infer_shape=old_ta._infer_shape,
                       colocate_with_first_write_call=old_ta._colocate_with_first_write_call)
    made._dynamic_size = old_ta._dynamic_size
    made._size = old_ta._size
    made._colocate_with = old_ta._colocate_with
    made._element_shape = old_ta._element_shape
    return made


def build_ta_with_new_flow_and_size(old_ta, flow, size):
    made = build_ta_with_new_flow(old_ta, flow)
    made._size = size
    return made


class TensorArraySpec(type_spec.TypeSpec):
    """The type of a TensorArray."""

    __slots__ = ['_element_shape', '_dtype', '_dynamic_size', '_infer_shape']

    value_type = TensorArray

    def __init__(self, element_shape=None, dtype=dtypes.float32, dynamic_size=False,
                 infer_shape=True):
        self._element_shape = tensor_shape.as_shape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    def _serialize(self):
        return (self._element_shape, self._dtype, self._dynamic_size, self._infer_shape)

    @property
    def _component_specs(self):
        return [tensor_spec.TensorSpec([], dtypes.variant)]

    @staticmethod
    def from_value(value):
        """The type of a TensorArray."""
        if not isinstance(value, TensorArray):
            raise TypeError('Expected value to be a TensorArray')
        return TensorArraySpec(dtype=value.dtype, element_shape=value.element_shape,
                               dynamic_size=value.dynamic_size, infer_shape=value._infer_shape)

    def is_compatible_with(self, other):
        """Whether a TensorArray, or the type of one, could be of this type."""
        if isinstance(other, TensorArray):
            other = TensorArraySpec.from_value(other)
        return (isinstance(other, TensorArraySpec) and self._dtype == other._dtype and
                self._element_shape.is_compatible_with(other._element_shape) and
                self._dynamic_size == other._dynamic_size)

    def _to_components(self, value):
        return [value.flow]

    def _from_components(self, tensor_list):
        raise NotImplementedError('a TensorArray is not made of its flow alone')
