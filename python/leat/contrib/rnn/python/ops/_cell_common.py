# SPDX-License-Identifier: Apache-2.0
"""What the cells of contrib.rnn share: variables in shards, gates of an LSTM, layer norms."""
from leat.contrib.layers.python.layers import layers
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import variable_scope as vs


def sharded_variable(name, shape, dtype, num_shards):
    """The variables name_0, name_1... that divide the rows among them."""
    if num_shards > shape[0]:
        raise ValueError('Too many shards: shape=%s, num_shards=%d' % (shape, num_shards))
    size, more = divmod(shape[0], num_shards)
    return [vs.get_variable('%s_%d' % (name, i), [size + (i < more)] + shape[1:], dtype=dtype)
            for i in range(num_shards)]


def concat_variable(name, shape, dtype, num_shards):
    """sharded_variable's as one tensor, which is made once for a scope."""
    shards = sharded_variable(name, shape, dtype, num_shards)
    if len(shards) == 1:
        return shards[0]
    full = '%s/%s/concat:0' % (vs.get_variable_scope().name, name)
    for value in ops.get_collection(ops.GraphKeys.CONCATENATED_VARIABLES):
        if value.name == full:
            return value
    whole = array_ops.concat(shards, 0, name=name + '/concat')
    ops.add_to_collection(ops.GraphKeys.CONCATENATED_VARIABLES, whole)
    return whole


def zero_variable(name, size, dtype):
    return vs.get_variable(name, shape=[size], initializer=init_ops.zeros_initializer(),
                           dtype=dtype)


def diagonals(names, size, dtype):
    """The peepholes' variables; None for each where names is None."""
    return [vs.get_variable(name, shape=[size], dtype=dtype) for name in names]


def clip(value, limit):
    """value between -limit and limit, where there is a limit."""
    return value if limit is None else clip_ops.clip_by_value(value, -limit, limit)


def columns(value, start, size):
    return array_ops.slice(value, [0, start], [-1, size])


def layer_norm(inp, scope, gain, shift, dtype=dtypes.float32):
    """contrib.layers' layer_norm, whose variables begin at gain and shift."""
    shape = inp.get_shape()[-1:]
    with vs.variable_scope(scope):
        vs.get_variable('gamma', shape=shape, dtype=dtype,
                        initializer=init_ops.constant_initializer(gain))
        vs.get_variable('beta', shape=shape, dtype=dtype,
                        initializer=init_ops.constant_initializer(shift))
    return layers.layer_norm(inp, reuse=True, scope=scope)


def input_depth(inputs):
    """The inputs' columns, which must be known."""
    size = inputs.get_shape().with_rank(2).dims[1]
    if size.value is None:
        raise ValueError('Could not infer input size from inputs.get_shape()[-1]')
    return size.value


def new_lstm_state(c, gates, forget_bias, activation, peepholes, c_first=False):
    """The next c of (i, j, f); peepholes are (of f, of i), or None."""
    i, j, f = gates
    f = f + forget_bias
    if peepholes is not None:
        f = f + peepholes[0] * c
    forget = math_ops.sigmoid(f)
    kept = c * forget if c_first else forget * c
    if peepholes is not None:
        i = i + peepholes[1] * c
    return kept + math_ops.sigmoid(i) * activation(j)
