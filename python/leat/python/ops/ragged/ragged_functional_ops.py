# SPDX-License-Identifier: Apache-2.0
"""map_flat_values(): an operation on the values of ragged tensors."""
from leat.python.framework import ops
from leat.python.ops.ragged import ragged_config
from leat.python.ops.ragged import ragged_tensor
from leat.python.ops.ragged import ragged_util


def map_flat_values(op, *args, **kwargs):
    """op of the arguments with each RaggedTensor replaced by its flat values; the result gets their
    row splits, which must be the same ones."""
    nested_splits = []
    flat_args = _flat(args, nested_splits)
    flat_kwargs = _flat(kwargs, nested_splits)
    if not nested_splits:
        return op(*args, **kwargs)
    found = {s[0].dtype for s in nested_splits}
    if len(found) > 1:
        if not ragged_config.auto_cast_partition_dtype():
            raise ValueError('Input RaggedTensors have mismatched row_splits dtypes; use '
                             'RaggedTensor.with_row_splits_dtype() to convert them to compatible '
                             'dtypes.')
    with ops.control_dependencies(ragged_util.assert_splits_match(nested_splits)):
        result = op(*flat_args, **flat_kwargs)
    return ragged_tensor.RaggedTensor.from_nested_row_splits(result, nested_splits[0],
                                                             validate=False)


def _flat(value, nested_splits):
    """value with flat values in the place of each RaggedTensor, whose splits are noted."""
    if ragged_tensor.is_ragged(value):
        value = ragged_tensor.convert_to_tensor_or_ragged_tensor(value)
        nested_splits.append(value.nested_row_splits)
        return value.flat_values
    if isinstance(value, (list, tuple)) and not hasattr(value, '_fields'):
        return type(value)(_flat(v, nested_splits) for v in value)
    if isinstance(value, dict):
        return {k: _flat(v, nested_splits) for k, v in value.items()}
    return value
