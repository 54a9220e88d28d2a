# SPDX-License-Identifier: Apache-2.0
"""How variables in collections are written to a MetaGraph and read. Imported by variables."""
from leat.python.framework import ops
from leat.python.framework.graph_keys import GraphKeys


def _to_proto(v, export_scope=None):
    return v.to_proto(export_scope)


def _from_proto(variable_def, import_scope=None):
    if variable_def.is_resource:
        from leat.python.ops import resource_variable_ops
        return resource_variable_ops.ResourceVariable.from_proto(variable_def,
                                                                 import_scope=import_scope)
    from leat.python.ops import variables
    return variables.Variable.from_proto(variable_def, import_scope=import_scope)


def _type():
    from leat.core.framework import variable_pb2
    return variable_pb2.VariableDef


def register():
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES,
                GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.LOCAL_VARIABLES,
                GraphKeys.MODEL_VARIABLES, GraphKeys.GLOBAL_STEP,
                GraphKeys.METRIC_VARIABLES):
        ops.register_proto_function(key, proto_type=_type(), to_proto=_to_proto,
                                    from_proto=_from_proto)


register()
