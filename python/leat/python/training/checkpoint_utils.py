# SPDX-License-Identifier: Apache-2.0
"""Looking into checkpoints, waiting for them, and first values from them."""
import time

from leat.python.framework import ops
from leat.python.lib.io import file_io
from leat.python.ops import gen_io_ops
from leat.python.ops import variable_scope as vs
from leat.python.ops import variables
from leat.python.platform import tf_logging as logging
from leat.python.training import checkpoint_management
from leat.python.training import saveable_object_util


def _get_checkpoint_filename(ckpt_dir_or_file):
    """The newest of a folder; a name as it is."""
    if file_io.is_directory(ckpt_dir_or_file):
        return checkpoint_management.latest_checkpoint(ckpt_dir_or_file)
    return ckpt_dir_or_file


def load_checkpoint(ckpt_dir_or_file):
    """A reader of a checkpoint."""
    from leat.python import pywrap_tensorflow
    filename = _get_checkpoint_filename(ckpt_dir_or_file)
    if filename is None:
        raise ValueError("Couldn't find 'checkpoint' file or checkpoints in given directory %s"
                         % ckpt_dir_or_file)
    return pywrap_tensorflow.NewCheckpointReader(filename)


def load_variable(ckpt_dir_or_file, name):
    """The value of one variable."""
    if name.endswith(':0'):
        name = name[:-2]
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def list_variables(ckpt_dir_or_file):
    """[(name, shape)], by name."""
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return [(name, shapes[name]) for name in sorted(shapes)]


def wait_for_new_checkpoint(checkpoint_dir, last_checkpoint=None, seconds_to_sleep=1,
                            timeout=None):
    """The first checkpoint that is not the last one; None after the timeout."""
    logging.info('Waiting for new checkpoint at %s', checkpoint_dir)
    stop_time = time.time() + timeout if timeout is not None else None
    while True:
        path = checkpoint_management.latest_checkpoint(checkpoint_dir)
        if path is None or path == last_checkpoint:
            if stop_time is not None and time.time() + seconds_to_sleep > stop_time:
                return None
            time.sleep(seconds_to_sleep)
        else:
            logging.info('Found new checkpoint at %s', path)
            return path


def checkpoints_iterator(checkpoint_dir, min_interval_secs=0, timeout=None, timeout_fn=None):
    """Each new checkpoint as it appears."""
    checkpoint_path = None
    while True:
        new_checkpoint_path = wait_for_new_checkpoint(checkpoint_dir, checkpoint_path,
                                                      timeout=timeout)
        if new_checkpoint_path is None:
            if not timeout_fn:
                logging.info('Timed-out waiting for a checkpoint.')
                return
            if timeout_fn():
                return
            continue
        start = time.time()
        checkpoint_path = new_checkpoint_path
        yield checkpoint_path
        time_to_next_eval = start + min_interval_secs - time.time()
        if time_to_next_eval > 0:
            time.sleep(time_to_next_eval)


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Makes the initializers of variables read a checkpoint.

    The map says which: {name there: name, variable or list of slices here}, or scopes: {'a/':
    'b/'}, where '/' is the whole checkpoint."""
    filename = _get_checkpoint_filename(ckpt_dir_or_file)
    variable_map = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    for name, current in sorted(assignment_map.items(), key=lambda x: x[0]):
        var = None
        if _is_variable(current) or (isinstance(current, list) and
                                     all(_is_variable(v) for v in current)):
            var = current
        elif isinstance(current, variables.PartitionedVariable):
            var = list(current)
        elif '/' not in current[-1:]:
            var = _variable_of_store(current)
        if var is not None:
            _init_one(ckpt_dir_or_file, filename, name, var, variable_map)
        elif '/' in name[-1:]:
            _init_scope(ckpt_dir_or_file, filename, name, current, variable_map)
        else:
            raise ValueError(
                'Tensor %s is not found in %s checkpoint %s' % (name, ckpt_dir_or_file,
                                                                variable_map))


def _is_variable(x):
    return isinstance(x, variables.Variable)


def _variable_of_store(name):
    """The variable of that name, or the slices of one."""
    store = vs._get_default_variable_store()._vars
    if name in store:
        return store[name]
    return _collect_partitioned_variable(name, store)


def _collect_partitioned_variable(name, all_vars):
    if name + '/part_0' not in all_vars:
        return None
    slices = []
    while name + '/part_%d' % len(slices) in all_vars:
        slices.append(all_vars[name + '/part_%d' % len(slices)])
    return slices


def _init_one(ckpt_dir_or_file, filename, name, var, variable_map):
    if name not in variable_map:
        raise ValueError('Tensor %s is not found in %s checkpoint %s'
                         % (name, ckpt_dir_or_file, variable_map))
    if _is_variable(var):
        if not var.get_shape().is_compatible_with(variable_map[name]):
            raise ValueError("Shape of variable %s (%s) doesn't match with shape of tensor %s (%s) "
                             "from checkpoint reader."
                             % (var.name, str(var.get_shape()), name, str(variable_map[name])))
        var_name = var.name
    else:
        var_name = ','.join(v.name for v in var)
    _set_variable_or_list_initializer(var, filename, name)
    logging.debug('Initialize variable %s from checkpoint %s with %s', var_name,
                  ckpt_dir_or_file, name)


def _init_scope(ckpt_dir_or_file, filename, checkpoint_scope, scope, variable_map):
    """All variables below a scope here, from those below one there."""
    if checkpoint_scope[-1:] != '/':
        raise ValueError('Assignment map with scope only name {} should map to scope only {}. '
                         'Should be \'scope/\': \'other_scope/\'.'
                         .format(scope, checkpoint_scope))
    scopes = '' if checkpoint_scope == '/' else checkpoint_scope[:-1]
    if scope[-1:] == '/':
        scope = scope[:-1]
    store = vs._get_default_variable_store()._vars
    for var_name in sorted(v for v in store if not scope or v.startswith(scope + '/')):
        base = var_name if not scope else var_name[len(scope) + 1:]
        if '/part_' in base:
            head, _, tail = base.partition('/part_')
            slash = tail.find('/')
            base = head + (tail[slash:] if slash >= 0 else '')
        full = scopes + '/' + base if scopes else base
        if full not in variable_map:
            raise ValueError('Tensor %s (%s in %s) is not found in %s checkpoint'
                             % (full, base, checkpoint_scope, ckpt_dir_or_file))
        _set_variable_or_list_initializer(store[var_name], filename, full)
        logging.debug('Initialize variable %s from checkpoint %s with %s', store[var_name].name,
                      ckpt_dir_or_file, full)


def _set_checkpoint_initializer(variable, ckpt_file, tensor_name, slice_spec,
                                name='checkpoint_initializer'):
    """The variable's initializer is an assignment of what the file has."""
    base_type = variable.dtype.base_dtype
    with ops.device(variable.device), ops.device('/cpu:0'):
        restored = gen_io_ops.restore_v2(ckpt_file, [tensor_name], [slice_spec], [base_type],
                                         name=name)[0]
        saveables = list(saveable_object_util.saveable_objects_for_op(variable, variable.op.name))
        assert len(saveables) == 1
        init_op = saveables[0].restore([restored], restored_shapes=None)
        variable._initializer_op = init_op
        restored.set_shape(variable.shape)
        variable._initial_value = restored


def _set_variable_or_list_initializer(variable_or_list, ckpt_file, tensor_name):
    if not isinstance(variable_or_list, (list, tuple)):
        info = variable_or_list._save_slice_info
        _set_checkpoint_initializer(variable_or_list, ckpt_file, tensor_name,
                                    info.spec if info else '')
        return
    slice_name = None
    for v in variable_or_list:
        info = v._save_slice_info
        if slice_name is None:
            slice_name = info.full_name
        elif slice_name != info.full_name:
            raise ValueError('Slices must all be from the same tensor: %s != %s'
                             % (slice_name, info.full_name))
        _set_checkpoint_initializer(v, ckpt_file, tensor_name, info.spec)
