# SPDX-License-Identifier: Apache-2.0
"""Cells with an embedding before them, or a projection before or after them."""
import math

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import embedding_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import variable_scope as vs
from leat.python.ops.rnn_cell_impl import RNNCell, assert_like_rnncell
from leat.python.util import nest


class _Linear(object):
    """concat(args) W + b, whose variables are made once."""

    def __init__(self, args, output_size, build_bias, bias_initializer=None,
                 kernel_initializer=None):
        self._build_bias = build_bias
        if args is None or (nest.is_sequence(args) and not args):
            raise ValueError('`args` must be specified')
        self._is_sequence = nest.is_sequence(args)
        if not self._is_sequence:
            args = [args]
        total, dtype = 0, args[0].dtype
        for shape in [a.get_shape() for a in args]:
            if shape.ndims != 2:
                raise ValueError('linear is expecting 2D arguments: %s' % shape)
            if shape.dims[1].value is None:
                raise ValueError('linear expects shape[1] to be provided for shape %s, but saw %s'
                                 % (shape, shape[1]))
            total += shape.dims[1].value
        scope = vs.get_variable_scope()
        with vs.variable_scope(scope) as outer:
            self._weights = vs.get_variable('kernel', [total, output_size], dtype=dtype,
                                            initializer=kernel_initializer)
            if build_bias:
                with vs.variable_scope(outer) as inner:
                    inner.set_partitioner(None)
                    if bias_initializer is None:
                        bias_initializer = init_ops.constant_initializer(0.0, dtype=dtype)
                    self._biases = vs.get_variable('bias', [output_size], dtype=dtype,
                                                   initializer=bias_initializer)

    def __call__(self, args):
        if not self._is_sequence:
            args = [args]
        if len(args) == 1:
            res = math_ops.matmul(args[0], self._weights)
        else:
            one = constant_op.constant(1, dtype=dtypes.int32)
            res = math_ops.matmul(array_ops.concat(args, one), self._weights)
        return nn_ops.bias_add(res, self._biases) if self._build_bias else res


def _linear(args, output_size, bias, bias_initializer=None, kernel_initializer=None):
    """concat(args) W + b in the open scope: cells written for TF 1.x call it by this name."""
    with vs.variable_scope(vs.get_variable_scope()):
        linear = _Linear(args, output_size, bias, bias_initializer=bias_initializer,
                         kernel_initializer=kernel_initializer)
        return linear(args)


class EmbeddingWrapper(RNNCell):
    """Ids are looked up, and their rows given to the cell."""

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super(EmbeddingWrapper, self).__init__(_reuse=reuse)
        assert_like_rnncell('cell', cell)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError('Both embedding_classes and embedding_size must be > 0: %d, %d.'
                             % (embedding_classes, embedding_size))
        self._cell = cell
        self._embedding_classes = embedding_classes
        self._embedding_size = embedding_size
        self._initializer = initializer

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState'):
            return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs, state):
        with ops.device('/cpu:0'):
            if self._initializer:
                initializer = self._initializer
            elif vs.get_variable_scope().initializer:
                initializer = vs.get_variable_scope().initializer
            else:
                sqrt3 = math.sqrt(3)
                initializer = init_ops.random_uniform_initializer(-sqrt3, sqrt3)
            dtype = state[0].dtype if isinstance(state, tuple) else state.dtype
            embedding = vs.get_variable('embedding',
                                        [self._embedding_classes, self._embedding_size],
                                        initializer=initializer, dtype=dtype)
            embedded = embedding_ops.embedding_lookup(embedding,
                                                      array_ops.reshape(inputs, [-1]))
            return self._cell(embedded, state)


class InputProjectionWrapper(RNNCell):
    """Inputs are projected before the cell."""

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super(InputProjectionWrapper, self).__init__(_reuse=reuse)
        del input_size
        assert_like_rnncell('cell', cell)
        self._cell = cell
        self._num_proj = num_proj
        self._activation = activation
        self._linear = None

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState'):
            return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs, state):
        if self._linear is None:
            self._linear = _Linear(inputs, self._num_proj, True)
        projected = self._linear(inputs)
        if self._activation:
            projected = self._activation(projected)
        return self._cell(projected, state)


class OutputProjectionWrapper(RNNCell):
    """The cell's outputs are projected."""

    def __init__(self, cell, output_size, activation=None, reuse=None):
        super(OutputProjectionWrapper, self).__init__(_reuse=reuse)
        assert_like_rnncell('cell', cell)
        if output_size < 1:
            raise ValueError('Parameter output_size must be > 0: %d.' % output_size)
        self._cell = cell
        self._output_size = output_size
        self._activation = activation
        self._linear = None

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._output_size

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState'):
            return self._cell.zero_state(batch_size, dtype)

    def call(self, inputs, state):
        output, res_state = self._cell(inputs, state)
        if self._linear is None:
            self._linear = _Linear(output, self._output_size, True)
        projected = self._linear(output)
        if self._activation:
            projected = self._activation(projected)
        return projected, res_state
