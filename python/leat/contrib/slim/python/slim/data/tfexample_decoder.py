# SPDX-License-Identifier: Apache-2.0
"""Items (images, boxes, tensors) out of tf.Examples, by handlers."""
import abc

from leat.contrib.slim.python.slim.data import data_decoder
from leat.python.framework import dtypes
from leat.python.framework import sparse_tensor
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.ops import parsing_ops
from leat.python.ops import sparse_ops


def _dense(tensor, default=0):
    if isinstance(tensor, sparse_tensor.SparseTensor):
        return sparse_ops.sparse_tensor_to_dense(tensor, default_value=default)
    return tensor


class ItemHandler(metaclass=abc.ABCMeta):
    """Makes an item of the tensors of some keys."""

    def __init__(self, keys):
        if not isinstance(keys, (tuple, list)):
            keys = [keys]
        self._keys = keys

    @property
    def keys(self):
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors):
        """The item."""


class ItemHandlerCallback(ItemHandler):
    """By the program's function."""

    def __init__(self, keys, func):
        super(ItemHandlerCallback, self).__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors):
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes (ymin, xmin, ymax, xmax), a row each."""

    def __init__(self, keys=None, prefix=''):
        if keys is None:
            keys = ['ymin', 'xmin', 'ymax', 'xmax']
        elif len(keys) != 4:
            raise ValueError('BoundingBox expects 4 keys but got {}'.format(len(keys)))
        self._prefix = prefix
        self._full_keys = [prefix + k for k in keys]
        super(BoundingBox, self).__init__(self._full_keys)

    def tensors_to_item(self, keys_to_tensors):
        sides = []
        for key in self._full_keys:
            side = keys_to_tensors[key]
            if isinstance(side, sparse_tensor.SparseTensor):
                side = side.values
            sides.append(array_ops.expand_dims(side, 0))
        return array_ops.transpose(array_ops.concat(sides, 0))


class Tensor(ItemHandler):
    """One key's tensor, dense, in a shape that is given or that other keys say."""

    def __init__(self, tensor_key, shape_keys=None, shape=None, default_value=0):
        if shape_keys and shape is not None:
            raise ValueError('Cannot specify both shape_keys and shape parameters.')
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys = shape_keys
        self._shape = shape
        self._default_value = default_value
        super(Tensor, self).__init__([tensor_key] + (shape_keys or []))

    def tensors_to_item(self, keys_to_tensors):
        tensor = keys_to_tensors[self._tensor_key]
        shape = self._shape
        if self._shape_keys:
            parts = [array_ops.reshape(_dense(keys_to_tensors[k]), [-1])
                     for k in self._shape_keys]
            shape = array_ops.reshape(
                math_ops.cast(array_ops.concat(parts, 0), dtypes.int32), [-1])
        if isinstance(tensor, sparse_tensor.SparseTensor):
            if shape is not None:
                tensor = sparse_ops.sparse_reshape(tensor, math_ops.cast(shape, dtypes.int64))
            return sparse_ops.sparse_tensor_to_dense(tensor, self._default_value)
        return tensor if shape is None else array_ops.reshape(tensor, shape)


class LookupTensor(Tensor):
    """A Tensor whose values are looked up in a table."""

    def __init__(self, tensor_key, table, shape_keys=None, shape=None, default_value=''):
        self._table = table
        super(LookupTensor, self).__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors):
        return self._table.lookup(super(LookupTensor, self).tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """A handler, and another for where the first gives nothing."""

    def __init__(self, handler, backup):
        if not isinstance(handler, ItemHandler):
            raise ValueError('Primary handler is of type %s instead of ItemHandler'
                             % type(handler))
        if not isinstance(backup, ItemHandler):
            raise ValueError('Backup handler is of type %s instead of ItemHandler'
                             % type(backup))
        self._handler = handler
        self._backup = backup
        super(BackupHandler, self).__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors):
        item = self._handler.tensors_to_item(keys_to_tensors)
        return control_flow_ops.cond(
            pred=math_ops.equal(math_ops.reduce_prod(array_ops.shape(item)), 0),
            true_fn=lambda: self._backup.tensors_to_item(keys_to_tensors),
            false_fn=lambda: item)


class SparseTensor(ItemHandler):
    """A SparseTensor of indices and values."""

    def __init__(self, indices_key=None, values_key=None, shape_key=None, shape=None,
                 densify=False, default_value=0):
        self._indices_key = indices_key or 'indices'
        self._values_key = values_key or 'values'
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        super(SparseTensor, self).__init__(
            [self._indices_key, self._values_key] + ([shape_key] if shape_key else []))

    def tensors_to_item(self, keys_to_tensors):
        indices = keys_to_tensors[self._indices_key]
        values = keys_to_tensors[self._values_key]
        if self._shape_key:
            shape = _dense(keys_to_tensors[self._shape_key])
        else:
            shape = self._shape if self._shape else indices.dense_shape
        indices = _dense(indices)
        rank = indices.get_shape().ndims
        indices = array_ops.reshape(indices, [-1, 1]) if rank in (None, 1) else indices
        values = _dense(values)
        found = sparse_tensor.SparseTensor(math_ops.cast(indices, dtypes.int64),
                                           array_ops.reshape(values, [-1]),
                                           math_ops.cast(shape, dtypes.int64))
        if self._densify:
            return sparse_ops.sparse_tensor_to_dense(found, self._default_value)
        return found


class Image(ItemHandler):
    """An image that is encoded, or raw, as a second key says."""

    def __init__(self, image_key=None, format_key=None, shape=None, channels=3,
                 dtype=dtypes.uint8, repeated=False, dct_method=''):
        self._image_key = image_key or 'image/encoded'
        self._format_key = format_key or 'image/format'
        super(Image, self).__init__([self._image_key, self._format_key])
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method

    def tensors_to_item(self, keys_to_tensors):
        image_buffer = keys_to_tensors[self._image_key]
        image_format = keys_to_tensors[self._format_key]
        if self._repeated:
            from leat.python.ops import map_fn
            return map_fn.map_fn(lambda x: self._decode(x, image_format), image_buffer,
                                 dtype=self._dtype)
        return self._decode(image_buffer, image_format)

    def _decode(self, image_buffer, image_format):
        from leat.python.ops import image_ops

        def decode_raw():
            return parsing_ops.decode_raw(image_buffer, out_type=self._dtype)

        def decode_image():
            image = image_ops.decode_image(image_buffer, channels=self._channels)
            return image if self._dtype == dtypes.uint8 else math_ops.cast(image, self._dtype)
        is_raw = math_ops.logical_or(math_ops.equal(image_format, 'raw'),
                                     math_ops.equal(image_format, 'RAW'))
        image = control_flow_ops.cond(array_ops.reshape(is_raw, []), decode_raw, decode_image)
        image.set_shape([None, None, self._channels])
        if self._shape is not None:
            image = array_ops.reshape(image, self._shape)
        return image


class TFExampleDecoder(data_decoder.DataDecoder):
    """Parses an example's features and hands them to the handlers of the items."""

    def __init__(self, keys_to_features, items_to_handlers):
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self):
        return list(self._items_to_handlers.keys())

    def decode(self, serialized_example, items=None):
        example = parsing_ops.parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, parsing_ops.FixedLenFeature):
                example[key] = array_ops.reshape(example[key], feature.shape)
        if not items:
            items = self._items_to_handlers.keys()
        outputs = []
        for item in items:
            handler = self._items_to_handlers[item]
            outputs.append(handler.tensors_to_item(
                {key: example[key] for key in handler.keys}))
        return outputs
