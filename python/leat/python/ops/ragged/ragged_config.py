# SPDX-License-Identifier: Apache-2.0
"""Settings of ragged tensors."""


def auto_cast_partition_dtype():
    """Whether int32 row splits become int64 where an operation meets both kinds: they do not."""
    return False
