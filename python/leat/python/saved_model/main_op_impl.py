# SPDX-License-Identifier: Apache-2.0
"""The op that a SavedModel's graph begins with."""
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.ops import lookup_ops
from leat.python.ops import variables
from leat.python.util.tf_export import tf_export


@tf_export(v1=['saved_model.main_op.main_op'])
def main_op():
    """Initialises variables, local variables, tables."""
    init = variables.global_variables_initializer()
    init_local = variables.local_variables_initializer()
    init_tables = lookup_ops.tables_initializer()
    return control_flow_ops.group(init, init_local, init_tables)


@tf_export(v1=['saved_model.main_op_with_restore', 'saved_model.main_op.main_op_with_restore'])
def main_op_with_restore(restore_op_name):
    """The same, and then a restore."""
    with ops.control_dependencies([main_op()]):
        return control_flow_ops.group(restore_op_name)
