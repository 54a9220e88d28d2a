# SPDX-License-Identifier: Apache-2.0
"""Values of a program's configuration as JSON has them."""
import collections.abc as collections_abc

import numpy as np

from leat.python.framework import dtypes, tensor_shape


def get_json_type(obj):
    """What json.dumps' `default` needs: shapes as lists, types and functions as names."""
    if hasattr(obj, 'get_config'):
        return {'class_name': type(obj).__name__, 'config': obj.get_config()}
    if type(obj).__module__ == np.__name__:
        return obj.tolist() if isinstance(obj, np.ndarray) else obj.item()
    if callable(obj):
        return obj.__name__
    if isinstance(obj, type):
        return obj.__name__
    if isinstance(obj, tensor_shape.Dimension):
        return obj.value
    if isinstance(obj, tensor_shape.TensorShape):
        return obj.as_list()
    if isinstance(obj, dtypes.DType):
        return obj.name
    if isinstance(obj, collections_abc.Mapping):
        return dict(obj)
    raise TypeError('Not JSON Serializable:', obj)
