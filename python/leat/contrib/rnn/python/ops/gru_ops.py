# SPDX-License-Identifier: Apache-2.0
"""GRUBlockCell and GRUBlockCellV2: the variables and the mathematics of TensorFlow's, whose kernel
does a step in one node; here it is built of several."""
from leat.python.framework import tensor_shape
from leat.python.layers import base as base_layer
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn_cell_impl
from leat.python.util.deprecation import deprecated_args


class GRUBlockCell(rnn_cell_impl.LayerRNNCell):
    """A GRU's step."""

    _NAMES = ('w_ru', 'b_ru', 'w_c', 'b_c')

    @deprecated_args(None, 'cell_size is deprecated, use num_units instead', 'cell_size')
    def __init__(self, num_units=None, cell_size=None, reuse=None, name='gru_cell'):
        super(GRUBlockCell, self).__init__(_reuse=reuse, name=name)
        if (cell_size is None) == (num_units is None):
            raise ValueError('Exactly one of num_units or cell_size must be provided.')
        self._cell_size = num_units if num_units is not None else cell_size
        self.input_spec = base_layer.InputSpec(ndim=2)

    @property
    def state_size(self):
        return self._cell_size

    @property
    def output_size(self):
        return self._cell_size

    def build(self, input_shape):
        size = tensor_shape.dimension_value(input_shape[1])
        if size is None:
            raise ValueError('Expecting input_size to be set.')
        units = self._cell_size
        shapes = ([size + units, units * 2], [units * 2], [size + units, units], [units])
        starts = (None, init_ops.constant_initializer(1.0), None,
                  init_ops.constant_initializer(0.0))
        self._gate_kernel, self._gate_bias, self._candidate_kernel, self._candidate_bias = [
            self.add_variable(name=name, shape=shape, initializer=start)
            for name, shape, start in zip(self._NAMES, shapes, starts)]
        self.built = True

    def call(self, inputs, h_prev):
        gates = math_ops.sigmoid(nn_ops.bias_add(math_ops.matmul(
            array_ops.concat([inputs, h_prev], 1), self._gate_kernel), self._gate_bias))
        r, u = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        candidate = math_ops.tanh(nn_ops.bias_add(math_ops.matmul(
            array_ops.concat([inputs, r * h_prev], 1), self._candidate_kernel),
            self._candidate_bias))
        new_h = u * h_prev + (1 - u) * candidate
        return new_h, new_h


class GRUBlockCellV2(GRUBlockCell):
    """GRUBlockCell with the names of GRUCell's variables."""

    _NAMES = ('gates/kernel', 'gates/bias', 'candidate/kernel', 'candidate/bias')
