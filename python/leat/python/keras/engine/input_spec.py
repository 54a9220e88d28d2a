# SPDX-License-Identifier: Apache-2.0
"""InputSpec: what a layer asks of an input, and the check that inputs have it."""
from leat.python.framework import dtypes
from leat.python.util import nest


class InputSpec(object):
    """Type, shape or rank, and sizes of single axes; what is None may be anything."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None,
                 axes=None):
        self.dtype = dtypes.as_dtype(dtype).name if dtype is not None else None
        self.shape = shape
        self.ndim = len(shape) if shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        try:
            axes = axes or {}
            self.axes = {int(k): axes[k] for k in axes}
        except (ValueError, TypeError):
            raise TypeError('The keys in axes must be integers.') from None
        highest = self.ndim if self.ndim is not None else self.max_ndim
        if self.axes and highest is not None:
            self._check_axes(highest)

    def _check_axes(self, ndim):
        max_axis = max(self.axes)
        if max_axis > ndim - 1:
            raise ValueError('Axis {} is greater than the maximum allowed value: {}'
                             .format(max_axis, ndim - 1))

    def __repr__(self):
        shown = ['dtype=' + str(self.dtype) if self.dtype else '',
                 'shape=' + str(self.shape) if self.shape else '',
                 'ndim=' + str(self.ndim) if self.ndim else '',
                 'max_ndim=' + str(self.max_ndim) if self.max_ndim else '',
                 'min_ndim=' + str(self.min_ndim) if self.min_ndim else '',
                 'axes=' + str(self.axes) if self.axes else '']
        return 'InputSpec(%s)' % ', '.join(x for x in shown if x)

    def get_config(self):
        return {name: getattr(self, name)
                for name in ('dtype', 'shape', 'ndim', 'max_ndim', 'min_ndim', 'axes')}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def to_tensor_shape(spec):
    """What the spec says of the shape, as a TensorShape."""
    from leat.python.framework import tensor_shape
    if spec.ndim is None and spec.shape is None:
        return tensor_shape.TensorShape(None)
    if spec.shape is not None:
        return tensor_shape.TensorShape(spec.shape)
    shape = [None] * spec.ndim
    for axis, size in spec.axes.items():
        shape[axis] = size
    return tensor_shape.TensorShape(shape)


def assert_input_compatibility(input_spec, inputs, layer_name):
    """ValueError where the inputs are not what the spec (or the list of specs) asks for."""
    if not input_spec:
        return
    specs = nest.flatten(input_spec)
    inputs = nest.flatten(inputs)
    if len(inputs) != len(specs):
        raise ValueError('Layer ' + layer_name + ' expects ' + str(len(specs)) + ' inputs, '
                         'but it received ' + str(len(inputs)) + ' input tensors. Inputs '
                         'received: ' + str(inputs))
    for index, (x, spec) in enumerate(zip(inputs, specs)):
        if spec is not None:
            _check_one(index, x, spec, layer_name)


def _check_one(index, x, spec, layer_name):
    start = 'Input %d of layer %s is incompatible with the layer: ' % (index, layer_name)
    shape = x.shape
    if shape.ndims is None and (spec.ndim is not None or spec.min_ndim is not None
                                or spec.max_ndim is not None):
        raise ValueError(start + 'its rank is undefined, but the layer requires a defined rank.')
    ndim = shape.ndims
    if spec.ndim is not None and ndim != spec.ndim:
        raise ValueError('%sexpected ndim=%s, found ndim=%s. Full shape received: %s'
                         % (start, spec.ndim, ndim, shape.as_list()))
    if spec.max_ndim is not None and ndim > spec.max_ndim:
        raise ValueError('%sexpected max_ndim=%s, found ndim=%s' % (start, spec.max_ndim, ndim))
    if spec.min_ndim is not None and ndim < spec.min_ndim:
        raise ValueError('%s: expected min_ndim=%s, found ndim=%s. Full shape received: %s'
                         % (start, spec.min_ndim, ndim, shape.as_list()))
    if spec.dtype is not None and x.dtype != spec.dtype:
        raise ValueError('%sexpected dtype=%s, found dtype=%s' % (start, spec.dtype, x.dtype))
    if spec.axes:
        dims = shape.as_list()
        for axis, value in spec.axes.items():
            value = getattr(value, 'value', value)
            if value is not None and dims[int(axis)] not in (value, None):
                raise ValueError('%sexpected axis %s of input shape to have value %s but received '
                                 'input with shape %s' % (start, axis, value, dims))
    if spec.shape is not None:
        dims = shape.as_list()
        for wanted, dim in zip(spec.shape, dims):
            if wanted is not None and dim is not None and wanted != dim:
                raise ValueError('Input %d is incompatible with layer %s: expected shape=%s, '
                                 'found shape=%s' % (index, layer_name, spec.shape, dims))
