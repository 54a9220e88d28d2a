# SPDX-License-Identifier: Apache-2.0
"""The step that training counts."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import init_ops
from leat.python.ops import variable_scope
from leat.python.ops import variables
from leat.python.platform import tf_logging as logging

GLOBAL_STEP_READ_KEY = 'global_step_read_op_cache'


def global_step(sess, global_step_tensor):
    """Its value in a session, as an int."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph=None):
    """The step's tensor or variable in a graph; None."""
    graph = graph or ops.get_default_graph()
    found = graph.get_collection(ops.GraphKeys.GLOBAL_STEP)
    if len(found) == 1:
        step = found[0]
    elif not found:
        try:
            step = graph.get_tensor_by_name('global_step:0')
        except KeyError:
            return None
    else:
        logging.error('Multiple tensors in global_step collection.')
        return None
    assert_global_step(step)
    return step


def create_global_step(graph=None):
    """A new one; ValueError if there is one."""
    graph = graph or ops.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default() as g, g.name_scope(None):
        return variable_scope.get_variable(
            ops.GraphKeys.GLOBAL_STEP, shape=[], dtype=dtypes.int64,
            initializer=init_ops.zeros_initializer(), trainable=False,
            aggregation=variables.VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[ops.GraphKeys.GLOBAL_VARIABLES, ops.GraphKeys.GLOBAL_STEP])


def get_or_create_global_step(graph=None):
    graph = graph or ops.get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor):
    """TypeError for what cannot be a step: not a scalar, not of ints."""
    if not (isinstance(global_step_tensor, (variables.Variable, ops.Tensor)) or
            hasattr(global_step_tensor, 'handle')):
        raise TypeError('Existing "global_step" must be a Variable or Tensor: %s.'
                        % global_step_tensor)
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError('Existing "global_step" does not have integer type: %s'
                        % global_step_tensor.dtype)
    shape = global_step_tensor.get_shape()
    if shape.ndims != 0 and shape.is_fully_defined():
        raise TypeError('Existing "global_step" is not scalar: %s' % shape)


def _get_global_step_read(graph=None):
    """The tensor that reads the step where its updates can be waited for; None."""
    graph = graph or ops.get_default_graph()
    read = graph.get_collection(GLOBAL_STEP_READ_KEY)
    if len(read) > 1:
        raise RuntimeError('There are multiple items in collection %s. There should be only one.'
                           % GLOBAL_STEP_READ_KEY)
    return read[0] if len(read) == 1 else None


def _get_or_create_global_step_read(graph=None):
    graph = graph or ops.get_default_graph()
    read = _get_global_step_read(graph)
    if read is not None:
        return read
    step = get_global_step(graph)
    if step is None:
        return None
    with graph.as_default() as g, g.name_scope(None):
        with g.name_scope(step.op.name + '/'):
            if isinstance(step, variables.Variable):
                value = step.initialized_value()
            else:
                value = step
            read = value + 0
            ops.add_to_collection(GLOBAL_STEP_READ_KEY, read)
    return read


def _increment_global_step(increment, graph=None):
    """An op that adds to the step after what has been read of it."""
    graph = graph or ops.get_default_graph()
    step = get_global_step(graph)
    if step is None:
        raise ValueError('Global step tensor should be created by '
                         'tf.train.get_or_create_global_step before calling increment.')
    read = _get_or_create_global_step_read(graph)
    with graph.as_default() as g, g.name_scope(None):
        with g.name_scope(step.op.name + '/'):
            with ops.control_dependencies([read]):
                return step.assign_add(increment)


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """framework.graph_io's."""
    from leat.python.framework import graph_io
    return graph_io.write_graph(graph_or_graph_def, logdir, name, as_text)
