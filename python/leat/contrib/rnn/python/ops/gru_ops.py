# SPDX-License-Identifier: Apache-2.0
"""GRU cells whose step is one op."""
from leat.python.layers import base as base_layer
from leat.python.ops import gen_rnn_ops
from leat.python.ops import init_ops
from leat.python.ops import rnn_cell_impl
from leat.python.util import deprecation

LayerRNNCell = rnn_cell_impl.LayerRNNCell


class GRUBlockCell(LayerRNNCell):
    """A GRU cell; its variables are not named as GRUCell's."""

    _names = ('w_ru', 'b_ru', 'w_c', 'b_c')

    @deprecation.deprecated_args(None, 'cell_size is deprecated, use num_units instead',
                                 'cell_size')
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
        input_size = input_shape.dims[1].value
        if input_size is None:
            raise ValueError('Expecting input_size to be set.')
        size, both = self._cell_size, input_size + self._cell_size
        gates, gates_bias, candidate, candidate_bias = self._names
        self._gate_kernel = self.add_variable(gates, [both, size * 2])
        self._gate_bias = self.add_variable(
            gates_bias, [size * 2], initializer=init_ops.constant_initializer(1.0))
        self._candidate_kernel = self.add_variable(candidate, [both, size])
        self._candidate_bias = self.add_variable(
            candidate_bias, [size], initializer=init_ops.constant_initializer(0.0))
        self.built = True

    def call(self, inputs, h_prev):
        # The shape of the state is that of the batch.
        cell_size = h_prev.get_shape().with_rank(2)[1]
        cell_size.assert_is_compatible_with(self._cell_size)
        _, _, _, new_h = gen_rnn_ops.gru_block_cell(
            x=inputs, h_prev=h_prev, w_ru=self._gate_kernel, w_c=self._candidate_kernel,
            b_ru=self._gate_bias, b_c=self._candidate_bias)
        return new_h, new_h


class GRUBlockCellV2(GRUBlockCell):
    """GRUBlockCell with the variables of GRUCell."""

    _names = ('gates/kernel', 'gates/bias', 'candidate/kernel', 'candidate/bias')
