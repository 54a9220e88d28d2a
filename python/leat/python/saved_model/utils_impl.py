# SPDX-License-Identifier: Apache-2.0
"""TensorInfo messages, and the folders of a SavedModel."""
import os

from leat.core.protobuf import meta_graph_pb2
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import sparse_tensor
from leat.python.lib.io import file_io
from leat.python.saved_model import constants
from leat.python.util import compat
from leat.python.util.tf_export import tf_export


@tf_export(v1=['saved_model.build_tensor_info', 'saved_model.utils.build_tensor_info'])
def build_tensor_info(tensor):
    """The TensorInfo of a Tensor or SparseTensor."""
    return build_tensor_info_internal(tensor)


def build_tensor_info_internal(tensor):
    info = meta_graph_pb2.TensorInfo(
        dtype=dtypes.as_dtype(tensor.dtype).as_datatype_enum,
        tensor_shape=tensor.get_shape().as_proto())
    if isinstance(tensor, sparse_tensor.SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def build_tensor_info_from_op(op):
    """The TensorInfo that names an operation."""
    from leat.core.framework import tensor_shape_pb2, types_pb2
    return meta_graph_pb2.TensorInfo(
        dtype=types_pb2.DT_INVALID,
        tensor_shape=tensor_shape_pb2.TensorShapeProto(unknown_rank=True), name=op.name)


@tf_export(v1=['saved_model.get_tensor_from_tensor_info',
               'saved_model.utils.get_tensor_from_tensor_info'])
def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The Tensor or SparseTensor that a TensorInfo names."""
    graph = graph or ops.get_default_graph()

    def get(name):
        return graph.get_tensor_by_name(ops.prepend_name_scope(name, import_scope=import_scope))
    encoding = tensor_info.WhichOneof('encoding')
    if encoding == 'name':
        return get(tensor_info.name)
    if encoding == 'coo_sparse':
        sparse = tensor_info.coo_sparse
        return sparse_tensor.SparseTensor(get(sparse.indices_tensor_name),
                                          get(sparse.values_tensor_name),
                                          get(sparse.dense_shape_tensor_name))
    raise ValueError('Invalid TensorInfo.encoding: %s' % encoding)


def get_element_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The Tensor or Operation that a TensorInfo names."""
    graph = graph or ops.get_default_graph()
    return graph.as_graph_element(
        ops.prepend_name_scope(tensor_info.name, import_scope=import_scope))


def _in(export_dir, *names):
    return os.path.join(compat.as_text(export_dir), *names)


def _made(folder):
    if not file_io.file_exists(folder):
        file_io.recursive_create_dir(folder)
    return folder


def get_or_create_variables_dir(export_dir):
    return _made(get_variables_dir(export_dir))


def get_variables_dir(export_dir):
    return _in(export_dir, constants.VARIABLES_DIRECTORY)


def get_variables_path(export_dir):
    return os.path.join(get_variables_dir(export_dir), constants.VARIABLES_FILENAME)


def get_or_create_assets_dir(export_dir):
    return _made(get_assets_dir(export_dir))


def get_assets_dir(export_dir):
    return _in(export_dir, constants.ASSETS_DIRECTORY)
