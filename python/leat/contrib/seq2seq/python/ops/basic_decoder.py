# SPDX-License-Identifier: Apache-2.0
"""A decoder of a cell, a helper that samples and gives inputs, and a layer for the outputs."""
import collections

from leat.contrib.seq2seq.python.ops import decoder
from leat.contrib.seq2seq.python.ops import helper as helper_py
from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.layers import base as layers_base
from leat.python.util import nest

__all__ = ['BasicDecoderOutput', 'BasicDecoder']


class BasicDecoderOutput(collections.namedtuple('BasicDecoderOutput',
                                                ('rnn_output', 'sample_id'))):
    """One step's output and what was sampled of it."""


class BasicDecoder(decoder.Decoder):
    """The cell's output, through the layer, sampled by the helper."""

    def __init__(self, cell, helper, initial_state, output_layer=None):
        from leat.python.ops import rnn_cell_impl
        rnn_cell_impl.assert_like_rnncell('cell', cell)
        if not isinstance(helper, helper_py.Helper):
            raise TypeError('helper must be a Helper, received: %s' % type(helper))
        if output_layer is not None and not isinstance(output_layer, layers_base.Layer):
            raise TypeError('output_layer must be a Layer, received: %s' % type(output_layer))
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self):
        return self._helper.batch_size

    def _rnn_output_size(self):
        size = self._cell.output_size
        if self._output_layer is None:
            return size
        with_batch = nest.map_structure(
            lambda s: tensor_shape.TensorShape([None]).concatenate(s), size)
        return nest.map_structure(
            lambda s: self._output_layer.compute_output_shape(s)[1:], with_batch)

    @property
    def output_size(self):
        return BasicDecoderOutput(rnn_output=self._rnn_output_size(),
                                  sample_id=self._helper.sample_ids_shape)

    @property
    def output_dtype(self):
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: dtype, self._rnn_output_size()),
            self._helper.sample_ids_dtype)

    def initialize(self, name=None):
        return self._helper.initialize() + (self._initial_state,)

    def step(self, time, inputs, state, name=None):
        with ops.name_scope(name, 'BasicDecoderStep', (time, inputs, state)):
            cell_outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                cell_outputs = self._output_layer(cell_outputs)
            sample_ids = self._helper.sample(time=time, outputs=cell_outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=cell_outputs, state=cell_state, sample_ids=sample_ids)
        return BasicDecoderOutput(cell_outputs, sample_ids), next_state, next_inputs, finished
