# SPDX-License-Identifier: Apache-2.0
"""More cells: those of the modules beside this one, and LayerNormBasicLSTMCell."""
from leat.contrib.rnn.python.ops._cell_common import layer_norm
from leat.contrib.rnn.python.ops._conv_cells import (  # noqa: F401
    Conv1DLSTMCell, Conv2DLSTMCell, Conv3DLSTMCell, ConvLSTMCell)
from leat.contrib.rnn.python.ops._gated_cells import (  # noqa: F401
    CoupledInputForgetGateLSTMCell, GLSTMCell, IntersectionRNNCell, LayerNormLSTMCell, NASCell,
    PhasedLSTMCell, UGRNNCell, WeightNormLSTMCell)
from leat.contrib.rnn.python.ops._grid_cells import (  # noqa: F401
    BidirectionalGridLSTMCell, GridLSTMCell, TimeFreqLSTMCell)
from leat.contrib.rnn.python.ops._independent_cells import (  # noqa: F401
    CFNCell, IndRNNCell, IndyGRUCell, IndyLSTMCell, MinimalRNNCell, SRUCell)
from leat.contrib.rnn.python.ops._ntm_cell import (  # noqa: F401
    NTMCell, NTMControllerState)
from leat.contrib.rnn.python.ops._wrappers import (  # noqa: F401
    AttentionCellWrapper, CompiledWrapper, HighwayWrapper)
from leat.python.framework import dtypes
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn_cell_impl
from leat.python.ops import variable_scope as vs


class LayerNormBasicLSTMCell(rnn_cell_impl.RNNCell):
    """An LSTM with layer normalisation (Ba et al. 2016) and dropout of what comes in (Semeniuta et
    al. 2016)."""

    def __init__(self, num_units, forget_bias=1.0, input_size=None, activation=math_ops.tanh,
                 layer_norm=True, norm_gain=1.0, norm_shift=0.0, dropout_keep_prob=1.0,
                 dropout_prob_seed=None, reuse=None):
        super(LayerNormBasicLSTMCell, self).__init__(_reuse=reuse)
        del input_size
        self._num_units = num_units
        self._activation = activation
        self._forget_bias = forget_bias
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    @property
    def state_size(self):
        return rnn_cell_impl.LSTMStateTuple(self._num_units, self._num_units)

    @property
    def output_size(self):
        return self._num_units

    def _norm(self, inp, scope, dtype=dtypes.float32):
        return layer_norm(inp, scope, self._norm_gain, self._norm_shift, dtype)

    def _linear(self, args):
        out_size = 4 * self._num_units
        weights = vs.get_variable('kernel', [args.get_shape()[-1], out_size], dtype=args.dtype)
        out = math_ops.matmul(args, weights)
        if not self._layer_norm:
            out = nn_ops.bias_add(out, vs.get_variable('bias', [out_size], dtype=args.dtype))
        return out

    def call(self, inputs, state):
        c, h = state
        args = array_ops.concat([inputs, h], 1)
        i, j, f, o = array_ops.split(value=self._linear(args), num_or_size_splits=4, axis=1)
        if self._layer_norm:
            i, j, f, o = [self._norm(value, scope, dtype=args.dtype) for value, scope in (
                (i, 'input'), (j, 'transform'), (f, 'forget'), (o, 'output'))]
        g = self._activation(j)
        if not isinstance(self._keep_prob, float) or self._keep_prob < 1:
            g = nn_ops.dropout(g, self._keep_prob, seed=self._seed)
        new_c = (c * math_ops.sigmoid(f + self._forget_bias) + math_ops.sigmoid(i) * g)
        if self._layer_norm:
            new_c = self._norm(new_c, 'state', dtype=args.dtype)
        new_h = self._activation(new_c) * math_ops.sigmoid(o)
        return new_h, rnn_cell_impl.LSTMStateTuple(new_c, new_h)
