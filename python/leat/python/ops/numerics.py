# SPDX-License-Identifier: Apache-2.0
"""Checks that numbers are finite."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.util import deprecation


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """The tensor, when there is no inf nor nan in it."""
    x = deprecation.deprecated_argument_lookup('x', x, 't', t)
    message = deprecation.deprecated_argument_lookup('message', message, 'msg', msg)
    return verify_tensor_all_finite_v2(x, message, name)


def verify_tensor_all_finite_v2(x, message, name=None):
    from leat.python.ops import control_flow_ops
    with ops.name_scope(name, 'VerifyFinite', [x]):
        x = ops.convert_to_tensor(x, name='x')
        with ops.colocate_with(x):
            check = array_ops.check_numerics(x, message=message)
            return control_flow_ops.with_dependencies([check], x)


def add_check_numerics_ops():
    """An operation that checks every floating tensor of the graph, in order."""
    from leat.python.ops import control_flow_ops
    checks = []
    for op in ops.get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype not in (dtypes.float16, dtypes.float32, dtypes.float64):
                continue
            if op._get_control_flow_context() is not None:
                raise ValueError('`tf.add_check_numerics_ops() is not compatible with '
                                 'TensorFlow control flow operations such as `tf.cond()` or '
                                 '`tf.while_loop()`.')
            with ops.control_dependencies(checks):
                checks = [array_ops.check_numerics(
                    output, message='%s:%d' % (op.name, output.value_index))]
    return control_flow_ops.group(*checks)
