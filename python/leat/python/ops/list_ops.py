# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors as values (variants)."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.ops import gen_list_ops


def __getattr__(name):
    """The plain functions of the ops on lists."""
    if name.startswith('__'):
        raise AttributeError(name)
    return getattr(gen_list_ops, name)


def _build_element_shape(shape):
    """The shape as the ops take it: -1 of an unknown one, -1 for unknown dims."""
    if isinstance(shape, ops.Tensor):
        return shape
    if isinstance(shape, tensor_shape.TensorShape):
        shape = shape.as_list() if shape.ndims is not None else None
    if shape is None:
        return -1
    if not isinstance(shape, (list, tuple)):
        return shape
    if not shape:
        return ops.convert_to_tensor(shape, dtype=dtypes.int32)
    return [d if isinstance(d, ops.Tensor) else _known(d) for d in shape]


def _known(d):
    value = tensor_shape.dimension_value(d)
    return -1 if value is None else value


def empty_tensor_list(element_shape, element_dtype, max_num_elements=None, name=None):
    return gen_list_ops.empty_tensor_list(
        element_shape=_build_element_shape(element_shape), element_dtype=element_dtype,
        max_num_elements=-1 if max_num_elements is None else max_num_elements, name=name)


def tensor_list_reserve(element_shape, num_elements, element_dtype, name=None):
    return gen_list_ops.tensor_list_reserve(
        element_shape=_build_element_shape(element_shape), num_elements=num_elements,
        element_dtype=element_dtype, name=name)


def tensor_list_from_tensor(tensor, element_shape, name=None):
    return gen_list_ops.tensor_list_from_tensor(
        tensor=tensor, element_shape=_build_element_shape(element_shape), name=name)


def tensor_list_get_item(input_handle, index, element_dtype, element_shape=None, name=None):
    return gen_list_ops.tensor_list_get_item(
        input_handle=input_handle, index=index, element_shape=_build_element_shape(element_shape),
        element_dtype=element_dtype, name=name)


def tensor_list_pop_back(input_handle, element_dtype, name=None):
    return gen_list_ops.tensor_list_pop_back(input_handle=input_handle, element_shape=-1,
                                             element_dtype=element_dtype, name=name)


def tensor_list_gather(input_handle, indices, element_dtype, element_shape=None, name=None):
    return gen_list_ops.tensor_list_gather(
        input_handle=input_handle, indices=indices,
        element_shape=_build_element_shape(element_shape), element_dtype=element_dtype, name=name)


def tensor_list_scatter(tensor, indices, element_shape=None, input_handle=None, name=None):
    tensor = ops.convert_to_tensor(tensor)
    if input_handle is not None:
        return gen_list_ops.tensor_list_scatter_into_existing_list(
            input_handle=input_handle, tensor=tensor, indices=indices, name=name)
    return gen_list_ops.tensor_list_scatter_v2(
        tensor=tensor, indices=indices, element_shape=_build_element_shape(element_shape),
        num_elements=-1, name=name)


def tensor_list_stack(input_handle, element_dtype, num_elements=-1, element_shape=None,
                      name=None):
    return gen_list_ops.tensor_list_stack(
        input_handle=input_handle, element_shape=_build_element_shape(element_shape),
        element_dtype=element_dtype, num_elements=num_elements, name=name)


def tensor_list_concat(input_handle, element_dtype, element_shape=None, leading_dims=None,
                       name=None):
    return gen_list_ops.tensor_list_concat_v2(
        input_handle=input_handle, element_dtype=element_dtype,
        element_shape=_build_element_shape(element_shape),
        leading_dims=ops.convert_to_tensor([] if leading_dims is None else leading_dims,
                                           dtypes.int64), name=name).tensor


def tensor_list_split(tensor, element_shape, lengths, name=None):
    return gen_list_ops.tensor_list_split(
        tensor=tensor, element_shape=_build_element_shape(element_shape), lengths=lengths,
        name=name)


def tensor_list_set_item(input_handle, index, item, resize_if_index_out_of_bounds=False,
                         name=None):
    """The list with another element; grown to the index where that is asked for."""
    if resize_if_index_out_of_bounds:
        from leat.python.ops import control_flow_ops
        size = gen_list_ops.tensor_list_length(input_handle)
        input_handle = control_flow_ops.cond(
            index >= size, lambda: gen_list_ops.tensor_list_resize(input_handle, index + 1),
            lambda: input_handle)
    return gen_list_ops.tensor_list_set_item(input_handle=input_handle, index=index, item=item,
                                             name=name)
