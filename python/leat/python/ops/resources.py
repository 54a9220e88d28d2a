# SPDX-License-Identifier: Apache-2.0
"""Resources that are no variables (tables' states, trees): which there are, how they are made."""
import collections

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import math_ops
from leat.python.util import tf_should_use

_Resource = collections.namedtuple('_Resource', ['handle', 'create', 'is_initialized'])


def register_resource(handle, create_op, is_initialized_op, is_shared=True):
    """Makes the initializers and reports know of a resource."""
    key = ops.GraphKeys.RESOURCES if is_shared else ops.GraphKeys.LOCAL_RESOURCES
    ops.add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources():
    return ops.get_collection(ops.GraphKeys.RESOURCES)


def local_resources():
    return ops.get_collection(ops.GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(resource_list=None, name='report_uninitialized_resources'):
    """The names of those that are not made yet."""
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with ops.name_scope(name):
        with ops.device('/cpu:0'):
            if not resource_list:
                return constant_op.constant([], dtype=dtypes.string)
            mask = math_ops.logical_not(array_ops.stack([r.is_initialized
                                                         for r in resource_list]))
            names = constant_op.constant([s.handle.name for s in resource_list])
            return array_ops.boolean_mask(names, mask)


@tf_should_use.should_use_result
def initialize_resources(resource_list, name='init'):
    if resource_list:
        return control_flow_ops.group(*[r.create for r in resource_list], name=name)
    return control_flow_ops.no_op(name=name)
