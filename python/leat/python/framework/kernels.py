# SPDX-License-Identifier: Apache-2.0
"""The kernels that are registered, as KernelList messages."""
from leat._load import core
from leat.core.framework import kernel_def_pb2


def get_all_registered_kernels():
    """All of them."""
    return kernel_def_pb2.KernelList.FromString(core.kernel_list(None))


def get_registered_kernels_for_op(name):
    """Those of an op."""
    return kernel_def_pb2.KernelList.FromString(core.kernel_list(name))
