# SPDX-License-Identifier: Apache-2.0
"""TensorInfo messages."""
from leat.python.saved_model.utils_impl import (  # noqa: F401
    build_tensor_info, build_tensor_info_from_op, get_element_from_tensor_info,
    get_tensor_from_tensor_info)
