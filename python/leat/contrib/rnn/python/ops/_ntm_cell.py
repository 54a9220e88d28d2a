# SPDX-License-Identifier: Apache-2.0
"""The neural Turing machine (Graves et al. 2014, initial state as of Collier and Beel 2018)."""
import collections
import math

from leat.python.framework import dtypes
from leat.python.framework import tensor_shape
from leat.python.ops import array_ops
from leat.python.ops import clip_ops
from leat.python.ops import control_flow_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import rnn_cell_impl

NTMControllerState = collections.namedtuple(
    'NTMControllerState', ('controller_state', 'read_vector_list', 'w_list', 'M', 'time'))


def _linear_initializer(size):
    return init_ops.truncated_normal_initializer(stddev=1.0 / math.sqrt(size))


class NTMCell(rnn_cell_impl.LayerRNNCell):
    """A controller, which is a cell, with a memory and heads that read and write it."""

    def __init__(self, controller, memory_size, memory_vector_dim, read_head_num, write_head_num,
                 shift_range=1, output_dim=None, clip_value=20, dtype=dtypes.float32, name=None):
        super(NTMCell, self).__init__(dtype=dtype, name=name)
        rnn_cell_impl.assert_like_rnncell('NTM RNN controller cell', controller)
        self.controller = controller
        self.memory_size = memory_size
        self.memory_vector_dim = memory_vector_dim
        self.read_head_num = read_head_num
        self.write_head_num = write_head_num
        self.clip_value = clip_value
        self.output_dim = output_dim
        self.shift_range = shift_range
        self.num_parameters_per_head = memory_vector_dim + 2 * shift_range + 4
        self.num_heads = read_head_num + write_head_num
        self.total_parameter_num = (self.num_parameters_per_head * self.num_heads +
                                    memory_vector_dim * 2 * write_head_num)

    @property
    def state_size(self):
        return NTMControllerState(
            controller_state=self.controller.state_size,
            read_vector_list=[self.memory_vector_dim for _ in range(self.read_head_num)],
            w_list=[self.memory_size for _ in range(self.num_heads)],
            M=tensor_shape.TensorShape([self.memory_size * self.memory_vector_dim]),
            time=tensor_shape.TensorShape([]))

    @property
    def output_size(self):
        return self.output_dim

    def build(self, inputs_shape):
        depth = inputs_shape.dims[1].value
        if depth is None:
            raise ValueError('Expected inputs.shape[-1] to be known, saw shape: %s' % inputs_shape)
        out, dim, heads = self.controller.output_size, self.memory_vector_dim, self.read_head_num
        if self.output_dim is None:
            self.output_dim = depth

        def weights(name, shape, initializer=None):
            return self.add_variable(name=name, shape=shape, initializer=initializer)
        zeros = init_ops.constant_initializer(0.0, dtype=self.dtype)
        self._params_kernel = weights('parameters_kernel', [out, self.total_parameter_num],
                                      _linear_initializer(out))
        self._params_bias = weights('parameters_bias', [self.total_parameter_num], zeros)
        self._output_kernel = weights('output_kernel', [out + dim * heads, self.output_dim],
                                      _linear_initializer(out + dim * heads))
        self._output_bias = weights('output_bias', [self.output_dim], zeros)
        self._init_read_vectors = [weights('initial_read_vector_%d' % i, [1, dim])
                                   for i in range(heads)]
        self._init_address_weights = [weights('initial_address_weights_%d' % i,
                                              [1, self.memory_size])
                                      for i in range(self.num_heads)]
        self._M = weights('memory', [self.memory_size, dim],
                          init_ops.constant_initializer(1e-6, dtype=self.dtype))
        self.built = True

    def call(self, x, prev_state):
        reads = self._prev_read_vector_list(prev_state)
        control, state = self.controller(array_ops.concat([x] + reads, axis=1),
                                         prev_state.controller_state)
        parameters = clip_ops.clip_by_value(
            nn_ops.bias_add(math_ops.matmul(control, self._params_kernel), self._params_bias),
            -self.clip_value, self.clip_value)
        cut = self.num_parameters_per_head * self.num_heads
        heads = array_ops.split(parameters[:, :cut], self.num_heads, axis=1)
        erase_add = array_ops.split(parameters[:, cut:], 2 * self.write_head_num, axis=1)
        old, memory = self._prev_w_list(prev_state), self._prev_M(prev_state)
        weights = [self._head(head, memory, old[i]) for i, head in enumerate(heads)]
        reads = [math_ops.reduce_sum(array_ops.expand_dims(w, dim=2) * memory, axis=1)
                 for w in weights[:self.read_head_num]]
        memory = self._write(memory, weights[self.read_head_num:], erase_add)
        output = nn_ops.bias_add(
            math_ops.matmul(array_ops.concat([control] + reads, axis=1), self._output_kernel),
            self._output_bias)
        output = clip_ops.clip_by_value(output, -self.clip_value, self.clip_value)
        return output, NTMControllerState(
            controller_state=state, read_vector_list=reads, w_list=weights, M=memory,
            time=prev_state.time + 1)

    def _head(self, head, memory, old):
        """A head's weights over the memory."""
        dim, end = self.memory_vector_dim, self.memory_vector_dim + 2 + 2 * self.shift_range + 1
        key = math_ops.tanh(head[:, 0:dim])
        strength = nn_ops.softplus(head[:, dim])
        gate = math_ops.sigmoid(head[:, dim + 1])
        shift = nn_ops.softmax(head[:, dim + 2:end])
        gamma = nn_ops.softplus(head[:, -1]) + 1.0
        return self._addressing(key, strength, gate, shift, gamma, (memory, old))

    def _write(self, memory, weights, erase_add):
        for i, w in enumerate(weights):
            w = array_ops.expand_dims(w, axis=2)
            erase = array_ops.expand_dims(math_ops.sigmoid(erase_add[2 * i]), axis=1)
            add = array_ops.expand_dims(math_ops.tanh(erase_add[2 * i + 1]), axis=1)
            ones = array_ops.ones_like(memory)
            memory = memory * (ones - math_ops.matmul(w, erase)) + math_ops.matmul(w, add)
        return memory

    def _at_first(self, prev_state, first, later):
        return control_flow_ops.cond(math_ops.equal(prev_state.time, 0), first, later)

    @staticmethod
    def _rows(row, batch):
        """A vector, a row for each of the batch."""
        return array_ops.concat([array_ops.expand_dims(row, axis=0) for _ in range(batch)], axis=0)

    def _expand(self, variable, batch):
        return self._rows(array_ops.squeeze(
            math_ops.matmul(array_ops.ones([1, 1]), variable)), batch)

    def _learnt(self, variable, batch, activation):
        row = array_ops.squeeze(math_ops.matmul(array_ops.ones([1, 1]), variable))
        return self._rows(activation(row), batch)

    def _prev_read_vector_list(self, prev_state):
        batch = self._batch(prev_state)
        return self._list(self._at_first(
            prev_state,
            lambda: [self._learnt(v, batch, math_ops.tanh) for v in self._init_read_vectors],
            lambda: prev_state.read_vector_list))

    def _prev_w_list(self, prev_state):
        batch = self._batch(prev_state)
        return self._list(self._at_first(
            prev_state,
            lambda: [self._learnt(v, batch, nn_ops.softmax) for v in self._init_address_weights],
            lambda: prev_state.w_list))

    def _prev_M(self, prev_state):
        batch = self._batch(prev_state)
        return self._at_first(prev_state, lambda: self._rows(self._M, batch),
                              lambda: prev_state.M)

    @staticmethod
    def _batch(prev_state):
        return prev_state.read_vector_list[0].get_shape().dims[0].value

    @staticmethod
    def _list(value):
        return value if isinstance(value, list) else [value]

    def _addressing(self, key, strength, gate, shift, gamma, memory_old):
        memory, old = memory_old
        column = array_ops.expand_dims(key, axis=2)
        product = math_ops.matmul(memory, column)
        k_norm = math_ops.sqrt(math_ops.reduce_sum(math_ops.square(column), axis=1,
                                                   keepdims=True))
        m_norm = math_ops.sqrt(math_ops.reduce_sum(math_ops.square(memory), axis=2,
                                                   keepdims=True))
        similar = array_ops.squeeze(product / (m_norm * k_norm + 1e-8))
        amplified = math_ops.exp(array_ops.expand_dims(strength, axis=1) * similar)
        content = amplified / math_ops.reduce_sum(amplified, axis=1, keepdims=True)
        gate = array_ops.expand_dims(gate, axis=1)
        gated = gate * content + (1.0 - gate) * old
        moved = math_ops.reduce_sum(
            array_ops.expand_dims(gated, axis=1) * self._shifts(shift), axis=2)
        sharp = math_ops.pow(moved, array_ops.expand_dims(gamma, axis=1))
        return sharp / math_ops.reduce_sum(sharp, axis=1, keepdims=True)

    def _shifts(self, shift):
        """The circulant matrices of the shifts' weights."""
        size, reach = self.memory_size, self.shift_range
        wide = array_ops.concat([
            shift[:, :reach + 1],
            array_ops.zeros([shift.get_shape().dims[0].value, size - (reach * 2 + 1)]),
            shift[:, -reach:]], axis=1)
        twice = array_ops.concat([array_ops.reverse(wide, axis=[1]),
                                  array_ops.reverse(wide, axis=[1])], axis=1)
        return array_ops.stack([twice[:, size - i - 1:size * 2 - i - 1] for i in range(size)],
                               axis=1)

    def zero_state(self, batch_size, dtype):
        dim = self.memory_vector_dim
        reads = [array_ops.zeros([batch_size, dim]) for _ in range(self.read_head_num)]
        weights = [array_ops.zeros([batch_size, self.memory_size])
                   for _ in range(self.num_heads)]
        state = self.controller.zero_state(batch_size, dtype)
        memory = array_ops.zeros([batch_size, self.memory_size, dim])
        return NTMControllerState(controller_state=state, read_vector_list=reads, w_list=weights,
                                  M=memory, time=0)
