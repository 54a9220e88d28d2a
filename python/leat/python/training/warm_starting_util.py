# SPDX-License-Identifier: Apache-2.0
"""First values from an earlier model's checkpoint, by patterns of names."""
import collections

from leat.python.framework import errors
from leat.python.framework import ops
from leat.python.ops import variables as variables_lib
from leat.python.platform import tf_logging as logging
from leat.python.training import checkpoint_utils


class VocabInfo(collections.namedtuple('VocabInfo', [
        'new_vocab', 'new_vocab_size', 'num_oov_buckets', 'old_vocab', 'old_vocab_size',
        'backup_initializer', 'axis'])):
    """How the rows of an old vocabulary become those of a new one."""

    def __new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size=-1,
                backup_initializer=None, axis=0):
        if axis != 0 and axis != 1:
            raise ValueError('The only supported values for the axis argument are 0 and 1.  '
                             'Provided axis: {}'.format(axis))
        return super(VocabInfo, cls).__new__(cls, new_vocab, new_vocab_size, num_oov_buckets,
                                             old_vocab, old_vocab_size, backup_initializer, axis)


def _infer_var_name(var):
    """The name of a variable, or of what its slices are slices of."""
    name_to_var_dict = _names_of(var)
    if len(name_to_var_dict) > 1:
        raise TypeError('`var` = %s passed as arg violates the constraints.  name_to_var_dict = '
                        '%s' % (var, name_to_var_dict))
    return list(name_to_var_dict.keys())[0]


def _names_of(var):
    from leat.python.training import saveable_object_util
    return saveable_object_util.op_list_to_dict(var if isinstance(var, list) else [var])


def _get_grouped_variables(vars_to_warm_start):
    """{name: variables} of a pattern, patterns, or variables."""
    if isinstance(vars_to_warm_start, str) or vars_to_warm_start is None:
        list_of_vars = ops.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES,
                                          scope=vars_to_warm_start)
    elif isinstance(vars_to_warm_start, list):
        if all(isinstance(v, str) for v in vars_to_warm_start):
            list_of_vars = []
            for v in vars_to_warm_start:
                list_of_vars += ops.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, scope=v)
        elif all(isinstance(v, variables_lib.Variable) for v in vars_to_warm_start):
            list_of_vars = vars_to_warm_start
        else:
            raise ValueError('If `vars_to_warm_start` is a list, it must be all `Variable` or all '
                             '`str`.  Given types are {}'.format([type(v) for v in
                                                                  vars_to_warm_start]))
    else:
        raise ValueError('`vars_to_warm_start must be a `list` or `str`.  Given type is {}'
                         .format(type(vars_to_warm_start)))
    grouped = {}
    for v in list_of_vars:
        grouped.setdefault(_infer_var_name(v if isinstance(v, list) else [v]), []).append(v)
    return grouped


def _get_object_checkpoint_renames(path, variable_names):
    """{name: key} where the checkpoint is one of objects; else the names themselves."""
    from leat.python.training import saver
    try:
        names_to_keys = saver.object_graph_key_mapping(path)
    except (errors.NotFoundError, errors.DataLossError):
        return {}
    return {name: names_to_keys[name] for name in variable_names if name in names_to_keys}


def warm_start(ckpt_to_initialize_from, vars_to_warm_start='.*', var_name_to_vocab_info=None,
               var_name_to_prev_var_name=None):
    """Makes the initializers of the variables read a checkpoint."""
    var_name_to_vocab_info = var_name_to_vocab_info or {}
    prev_names = var_name_to_prev_var_name or {}
    if var_name_to_vocab_info:
        raise errors.UnimplementedError(
            None, None, 'warm_start with var_name_to_vocab_info is not there yet')
    logging.info('Warm-starting from: %s', (ckpt_to_initialize_from,))
    grouped = _get_grouped_variables(vars_to_warm_start)
    renames = _get_object_checkpoint_renames(ckpt_to_initialize_from, grouped.keys())
    used, assignment_map = set(), {}
    for var_name, variable in sorted(grouped.items()):
        prev_var_name = prev_names.get(var_name)
        if prev_var_name:
            used.add(var_name)
        name = prev_var_name or renames.get(var_name, var_name)
        if len(variable) == 1:
            variable = variable[0]
        assignment_map[name] = variable
    checkpoint_utils.init_from_checkpoint(ckpt_to_initialize_from, assignment_map)
    unused = set(prev_names.keys()) - used
    if unused:
        raise ValueError('You provided the following variables in var_name_to_prev_var_name that '
                         'were not used: {0}.  Perhaps you misspelled them?  Here is the list of '
                         'viable variable names: {1}'.format(unused, grouped.keys()))
