# SPDX-License-Identifier: Apache-2.0
"""tf.case and tf.switch_case: branches in branches. Imported by control_flow_ops when asked for."""
import collections
import functools

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import control_flow_ops
from leat.python.platform import tf_logging as logging


def _assert_at_most_n_true(predicates, n, msg):
    from leat.python.ops import array_ops
    from leat.python.ops import math_ops
    preds_c = array_ops.stack(predicates, name='preds_c')
    count = math_ops.reduce_sum(math_ops.cast(preds_c, dtypes.int32), name='num_true_conds')
    condition = math_ops.less_equal(count, constant_op.constant(n, name='n_true_conds'))
    names = ', '.join(getattr(p, 'name', '?') for p in predicates)
    error = ['%s: more than %d conditions (%s) evaluated as True:' % (msg, n, names), preds_c]
    return control_flow_ops.Assert(condition, data=error, summarize=len(predicates))


def _case_create_default_action(predicates, actions):
    """The last pair as what is done when no other holds, which it checks."""
    from leat.python.ops import array_ops
    k = len(predicates) - 1
    predicate, action = predicates[k], actions[k]
    other_predicates, other_actions = predicates[:k], actions[:k]

    def default_action():
        others_msg = ('Implementation error: selected default action #%d was called, but some of '
                      'other predicates are True: ' % k)
        default_msg = ('Input error: None of conditions evaluated as True:',
                       array_ops.stack(predicates, name='preds_c'))
        with ops.control_dependencies([
                _assert_at_most_n_true(other_predicates, n=0, msg=others_msg),
                control_flow_ops.Assert(predicate, data=default_msg)]):
            return action()
    return default_action, other_predicates, other_actions


def _case_verify_and_canonicalize_args(pred_fn_pairs, exclusive, name, allow_python_preds):
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise TypeError('fns must be a list, tuple, or dict')
    if isinstance(pred_fn_pairs, collections.OrderedDict):
        pred_fn_pairs = pred_fn_pairs.items()
    elif isinstance(pred_fn_pairs, dict):
        if not exclusive:
            logging.warn('%s: An unordered dictionary of predicate/fn pairs was provided, but '
                         'exclusive=False. The order of conditional tests is deterministic but '
                         'not guaranteed.', name)
        pred_fn_pairs = sorted(pred_fn_pairs.items(), key=lambda item: item[0].name)
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError('Each entry in pred_fn_pairs must be a 2-tuple')
        pred, fn = pair
        if isinstance(pred, ops.Tensor):
            if pred.dtype != dtypes.bool:
                raise TypeError('pred must be Tensor of type bool: %s' % pred.name)
        elif not allow_python_preds:
            raise TypeError('pred must be a Tensor, got: %s' % pred)
        elif not isinstance(pred, bool):
            raise TypeError('pred must be a Tensor or bool, got: %s' % pred)
        if not callable(fn):
            raise TypeError('fn for pred %s must be callable.' % getattr(pred, 'name', pred))
    predicates, actions = zip(*pred_fn_pairs)
    return predicates, actions


def _case_helper(cond_fn, pred_fn_pairs, default, exclusive, name, allow_python_preds=False,
                 **cond_kwargs):
    predicates, actions = _case_verify_and_canonicalize_args(pred_fn_pairs, exclusive, name,
                                                             allow_python_preds)
    with ops.name_scope(name, 'case', [p for p in predicates if isinstance(p, ops.Tensor)]):
        if default is None:
            default, predicates, actions = _case_create_default_action(predicates, actions)
        fn = default
        for predicate, action in reversed(list(zip(predicates, actions))):
            fn = functools.partial(cond_fn, predicate, true_fn=action, false_fn=fn, **cond_kwargs)
        if exclusive:
            with ops.control_dependencies([_assert_at_most_n_true(
                    predicates, n=1, msg='Input error: exclusive=True')]):
                return fn()
        return fn()


def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'):
    """What the function of the first predicate that holds gives; else default's."""
    return _case_helper(control_flow_ops.cond, pred_fn_pairs, default, exclusive, name,
                        allow_python_preds=False, strict=strict)


def case_v2(pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'):
    return case(pred_fn_pairs, default, exclusive, strict, name)


def _branches_by_index(branch_fns, default, branch_index):
    """The functions in the order of their indices, with the default's last."""
    if not isinstance(branch_index, ops.Tensor):
        raise TypeError('branch_index must a Tensor, got {}'.format(type(branch_index)))
    if not branch_index.dtype.is_integer:
        raise TypeError('branch_index must an integer Tensor, got {}'.format(branch_index.dtype))
    if not branch_fns:
        raise ValueError('Must provide at least one item in branch_fns')
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError('branch_fns must be a list, tuple, or dict')
    if isinstance(branch_fns, dict):
        branch_fns = list(branch_fns.items())
    if all(callable(fn) for fn in branch_fns):
        branch_fns = list(enumerate(branch_fns))
    for pair in branch_fns:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError('Each entry in branch_fns must be a 2-tuple')
        key, branch_fn = pair
        if not isinstance(key, int):
            raise TypeError('key must be a Python `int`, got {}'.format(type(key)))
        if not callable(branch_fn):
            raise TypeError('fn for key {} must be callable.'.format(key))
    keys = [p[0] for p in branch_fns]
    if min(keys) < 0 or max(keys) >= len(keys) or len(set(keys)) != len(keys):
        raise ValueError('branch indices (keys) must form contiguous range of [0 to {}) but found '
                         '{{{}}}'.format(len(keys), ','.join(map(str, sorted(keys)))))
    functions = [fn for _, fn in sorted(branch_fns, key=lambda p: p[0])]
    return functions, functions[-1] if default is None else default


def switch_case(branch_index, branch_fns, default=None, name='switch_case'):
    """What the function of this index gives; of one that has none, default's (or the last one's).
    TensorFlow makes a Case op of functions; here it is branches in branches."""
    from leat.python.ops import math_ops
    functions, default = _branches_by_index(branch_fns, default, branch_index)
    with ops.name_scope(name, 'switch_case', [branch_index]):
        with ops.name_scope('indexed_case'):
            index = ops.convert_to_tensor(branch_index, name='branch_index')
            fn = default
            for i, action in reversed(list(enumerate(functions))):
                fn = functools.partial(control_flow_ops.cond, math_ops.equal(index, i),
                                       true_fn=action, false_fn=fn, strict=True)
            return fn()
