# SPDX-License-Identifier: Apache-2.0
"""cond and case that are decided while building where the predicate's value is known."""
from leat.python.framework import ops
from leat.python.framework import tensor_util


def smart_constant_value(pred):
    """True or False where it is known, None where it is not."""
    if isinstance(pred, ops.Tensor):
        value = tensor_util.constant_value(pred)
        return None if value is None else bool(value)
    if pred in (0, 1):
        return bool(pred)
    if isinstance(pred, bool):
        return pred
    raise TypeError('`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: %s'
                    % type(pred))


def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """tf.cond, or just the branch that is taken."""
    if not callable(true_fn):
        raise TypeError('`true_fn` must be callable.')
    if not callable(false_fn):
        raise TypeError('`false_fn` must be callable.')
    value = smart_constant_value(pred)
    if value is not None:
        return true_fn() if value else false_fn()
    from leat.python.ops import control_flow_ops
    return control_flow_ops.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)


def smart_case(pred_fn_pairs, default=None, exclusive=False, name='smart_case'):
    """tf.case, with predicates that are known taken out."""
    from leat.python.ops import control_flow_ops
    return control_flow_ops._case_helper(smart_cond, pred_fn_pairs, default, exclusive, name,
                                         allow_python_preds=True)
