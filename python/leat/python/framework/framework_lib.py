# SPDX-License-Identifier: Apache-2.0
"""The classes and functions of graphs, their types and their files in one place."""
from leat.python.framework import device as device_lib
from leat.python.framework import dtypes
from leat.python.framework import importer
from leat.python.framework import load_library as loading
from leat.python.framework import ops
from leat.python.framework import random_seed
from leat.python.framework import sparse_tensor
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util

globals().update({name: value for name, value in vars(dtypes).items()
                  if isinstance(value, dtypes.DType)})
DeviceSpec = device_lib.DeviceSpec
DType = dtypes.DType
QUANTIZED_DTYPES = dtypes.QUANTIZED_DTYPES
as_dtype = dtypes.as_dtype
import_graph_def = importer.import_graph_def
load_file_system_library = loading.load_file_system_library
load_library = loading.load_library
load_op_library = loading.load_op_library
Graph = ops.Graph
GraphKeys = ops.GraphKeys
IndexedSlices = ops.IndexedSlices
NoGradient = ops.NoGradient
NotDifferentiable = ops.NotDifferentiable
Operation = ops.Operation
RegisterGradient = ops.RegisterGradient
Tensor = ops.Tensor
add_to_collection = ops.add_to_collection
add_to_collections = ops.add_to_collections
colocate_with = ops.colocate_with
container = ops.container
control_dependencies = ops.control_dependencies
convert_to_tensor = ops.convert_to_tensor
convert_to_tensor_or_indexed_slices = ops.convert_to_tensor_or_indexed_slices
device = ops.device
get_collection = ops.get_collection
get_collection_ref = ops.get_collection_ref
get_default_graph = ops.get_default_graph
name_scope = ops.name_scope
op_scope = ops.op_scope
register_tensor_conversion_function = ops.register_tensor_conversion_function
reset_default_graph = ops.reset_default_graph
get_seed = random_seed.get_seed
set_random_seed = random_seed.set_random_seed
SparseTensor = sparse_tensor.SparseTensor
SparseTensorValue = sparse_tensor.SparseTensorValue
convert_to_tensor_or_sparse_tensor = sparse_tensor.convert_to_tensor_or_sparse_tensor
Dimension = tensor_shape.Dimension
TensorShape = tensor_shape.TensorShape
make_ndarray = tensor_util.MakeNdarray
make_tensor_proto = tensor_util.make_tensor_proto
RegisterShape = ops.RegisterShape
