# SPDX-License-Identifier: Apache-2.0
"""Cells of recurrent nets under the name that programs import."""
from leat.python.ops.rnn_cell_impl import (  # noqa: F401
    BasicLSTMCell, BasicRNNCell, GRUCell, LSTMCell, LSTMStateTuple, LayerRNNCell, RNNCell,
    assert_like_rnncell)
from leat.python.ops.rnn_cell_wrapper_impl import (  # noqa: F401
    DeviceWrapper, DropoutWrapper, MultiRNNCell, ResidualWrapper)
