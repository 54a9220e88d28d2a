# SPDX-License-Identifier: Apache-2.0
"""LSTMs whose gates are coupled, normalised, in groups or opened by the time; and cells with
fewer gates."""
from leat.contrib.rnn.python.ops import _cell_common as common
from leat.contrib.rnn.python.ops.core_rnn_cell import _Linear
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import init_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_impl
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops import rnn_cell_impl
from leat.python.ops import variable_scope as vs
from leat.python.platform import tf_logging as logging
from leat.python.util import nest

LSTMStateTuple = rnn_cell_impl.LSTMStateTuple


class _Sized(rnn_cell_impl.RNNCell):
    """A cell whose two sizes its __init__ sets."""

    @property
    def state_size(self):
        return self._state_size

    @property
    def output_size(self):
        return self._output_size


class CoupledInputForgetGateLSTMCell(_Sized):
    """An LSTM that takes in as much as it forgets (Greff et al. 2015)."""

    def __init__(self, num_units, use_peepholes=False, initializer=None, num_proj=None,
                 proj_clip=None, num_unit_shards=1, num_proj_shards=1, forget_bias=1.0,
                 state_is_tuple=True, activation=math_ops.tanh, reuse=None, layer_norm=False,
                 norm_gain=1.0, norm_shift=0.0):
        super(CoupledInputForgetGateLSTMCell, self).__init__(_reuse=reuse)
        if not state_is_tuple:
            logging.warn('%s: Using a concatenated state is slower and will soon be deprecated.  '
                         'Use state_is_tuple=True.', self)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift
        self._output_size = num_proj or num_units
        self._state_size = (LSTMStateTuple(num_units, self._output_size) if state_is_tuple
                            else num_units + self._output_size)

    def _norm(self, inp, scope):
        return common.layer_norm(inp, scope, self._norm_gain, self._norm_shift)

    def _gates(self, inputs, m_prev):
        size, dtype = common.input_depth(inputs), inputs.dtype
        weights = common.concat_variable('W', [size + self._output_size, 3 * self._num_units],
                                         dtype, self._num_unit_shards)
        bias = common.zero_variable('B', 3 * self._num_units, dtype)
        matrix = math_ops.matmul(array_ops.concat([inputs, m_prev], 1), weights)
        if not self._layer_norm:
            matrix = nn_ops.bias_add(matrix, bias)
        gates = array_ops.split(value=matrix, num_or_size_splits=3, axis=1)
        if self._layer_norm:
            gates = [self._norm(g, name) for g, name in zip(gates,
                                                            ('transform', 'forget', 'output'))]
        return gates

    def call(self, inputs, state):
        if self._state_is_tuple:
            c_prev, m_prev = state
        else:
            c_prev = common.columns(state, 0, self._num_units)
            m_prev = common.columns(state, self._num_units, self._output_size)
        j, f, o = self._gates(inputs, m_prev)
        if self._use_peepholes:
            of_f, of_o = common.diagonals(('W_F_diag', 'W_O_diag'), self._num_units, inputs.dtype)
            f = math_ops.sigmoid(f + self._forget_bias + of_f * c_prev)
        else:
            f = math_ops.sigmoid(f + self._forget_bias)
        c = f * c_prev + (1 - f) * self._activation(j)
        if self._layer_norm:
            c = self._norm(c, 'state')
        o = math_ops.sigmoid(o + of_o * c) if self._use_peepholes else math_ops.sigmoid(o)
        m = o * self._activation(c)
        if self._num_proj is not None:
            m = math_ops.matmul(m, common.concat_variable(
                'W_P', [self._num_units, self._num_proj], inputs.dtype, self._num_proj_shards))
            m = common.clip(m, self._proj_clip)
        return m, (LSTMStateTuple(c, m) if self._state_is_tuple else array_ops.concat([c, m], 1))


class NASCell(rnn_cell_impl.LayerRNNCell):
    """The cell that a search found (Zoph and Le 2017)."""

    def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
        super(NASCell, self).__init__(_reuse=reuse, **kwargs)
        self._num_units = num_units
        self._num_proj = num_proj
        self._use_bias = use_bias
        self._output_size = num_proj or num_units
        self._state_size = LSTMStateTuple(num_units, self._output_size)

    state_size = _Sized.state_size
    output_size = _Sized.output_size

    def build(self, inputs_shape):
        depth = inputs_shape.dims[1].value
        if depth is None:
            raise ValueError('Could not infer input size from inputs.get_shape()[-1]')
        wide = 8 * self._num_units
        self.recurrent_kernel = self.add_variable('recurrent_kernel', [self._output_size, wide])
        self.kernel = self.add_variable('kernel', [depth, wide])
        if self._use_bias:
            self.bias = self.add_variable('bias', shape=[wide],
                                          initializer=init_ops.zeros_initializer)
        if self._num_proj is not None:
            self.projection_weights = self.add_variable('projection_weights',
                                                        [self._num_units, self._num_proj])
        self.built = True

    def call(self, inputs, state):
        sigmoid, tanh, relu = math_ops.sigmoid, math_ops.tanh, nn_ops.relu
        c_prev, m_prev = state
        m = math_ops.matmul(m_prev, self.recurrent_kernel)
        x = math_ops.matmul(inputs, self.kernel)
        if self._use_bias:
            m = nn_ops.bias_add(m, self.bias)
        m = array_ops.split(axis=1, num_or_size_splits=8, value=m)
        x = array_ops.split(axis=1, num_or_size_splits=8, value=x)
        first = [sigmoid(x[0] + m[0]), relu(x[1] + m[1]), sigmoid(x[2] + m[2]),
                 relu(x[3] * m[3]), tanh(x[4] + m[4]), sigmoid(x[5] + m[5]),
                 tanh(x[6] + m[6]), sigmoid(x[7] + m[7])]
        second = [tanh(first[0] * first[1]), tanh(first[2] + first[3]),
                  tanh(first[4] * first[5]), sigmoid(first[6] + first[7])]
        new_c = tanh(second[0] + c_prev) * second[1]
        new_m = tanh(new_c * tanh(second[2] + second[3]))
        if self._num_proj is not None:
            new_m = math_ops.matmul(new_m, self.projection_weights)
        return new_m, LSTMStateTuple(new_c, new_m)


class UGRNNCell(_Sized):
    """One gate for what is kept and what is taken in (Collins et al. 2017)."""

    def __init__(self, num_units, initializer=None, forget_bias=1.0, activation=math_ops.tanh,
                 reuse=None):
        super(UGRNNCell, self).__init__(_reuse=reuse)
        self._num_units = self._state_size = self._output_size = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation
        self._linear = None

    def call(self, inputs, state):
        common.input_depth(inputs)
        with vs.variable_scope(vs.get_variable_scope(), initializer=self._initializer):
            cell_inputs = array_ops.concat([inputs, state], 1)
            if self._linear is None:
                self._linear = _Linear(cell_inputs, 2 * self._num_units, True)
            g, c = array_ops.split(axis=1, num_or_size_splits=2, value=self._linear(cell_inputs))
            c = self._activation(c)
            g = math_ops.sigmoid(g + self._forget_bias)
            new_state = g * state + (1.0 - g) * c
        return new_state, new_state


class IntersectionRNNCell(_Sized):
    """A gated cell in time and, beside it, one in depth (Collins et al. 2017)."""

    def __init__(self, num_units, num_in_proj=None, initializer=None, forget_bias=1.0,
                 y_activation=nn_ops.relu, reuse=None):
        super(IntersectionRNNCell, self).__init__(_reuse=reuse)
        self._num_units = self._state_size = self._output_size = num_units
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._num_input_proj = num_in_proj
        self._y_activation = y_activation
        self._linear1 = self._linear2 = None

    def call(self, inputs, state):
        size, n = common.input_depth(inputs), self._num_units
        with vs.variable_scope(vs.get_variable_scope(), initializer=self._initializer):
            if size != n:
                if not self._num_input_proj:
                    raise ValueError('Must have input size == output size for Intersection RNN. '
                                     'To fix, num_in_proj should be set to num_units at cell '
                                     'init.')
                with vs.variable_scope('in_projection'):
                    if self._linear1 is None:
                        self._linear1 = _Linear(inputs, self._num_input_proj, True)
                    inputs = self._linear1(inputs)
            cell_inputs = array_ops.concat([inputs, state], 1)
            if self._linear2 is None:
                self._linear2 = _Linear(cell_inputs, 4 * n, True)
            matrix = self._linear2(cell_inputs)
            gh, h, gy, y = matrix[:, :n], matrix[:, n:2 * n], matrix[:, 2 * n:3 * n], matrix[
                :, 3 * n:4 * n]
            h, y = math_ops.tanh(h), self._y_activation(y)
            gh = math_ops.sigmoid(gh + self._forget_bias)
            gy = math_ops.sigmoid(gy + self._forget_bias)
            new_state = gh * state + (1.0 - gh) * h
            new_y = gy * inputs + (1.0 - gy) * y
        return new_y, new_state


def _random_exp_initializer(minval, maxval, seed=None, dtype=dtypes.float32):
    """exp of what is uniform between the logarithms."""
    def initializer(shape, dtype=dtype, partition_info=None):
        del partition_info
        return math_ops.exp(random_ops.random_uniform(
            shape, math_ops.log(minval), math_ops.log(maxval), dtype, seed=seed))
    return initializer


class PhasedLSTMCell(_Sized):
    """An LSTM whose units are open for a part of each of their periods (Neil et al. 2016); its
    inputs are (time, x)."""

    def __init__(self, num_units, use_peepholes=False, leak=0.001, ratio_on=0.1,
                 trainable_ratio_on=True, period_init_min=1.0, period_init_max=1000.0,
                 reuse=None):
        super(PhasedLSTMCell, self).__init__(_reuse=reuse)
        self._num_units = self._output_size = num_units
        self._state_size = LSTMStateTuple(num_units, num_units)
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._period_init_min = period_init_min
        self._period_init_max = period_init_max
        self._linears = {}

    @staticmethod
    def _mod(x, y):
        """The rest of x / y, whose gradient is x's."""
        return array_ops.stop_gradient(math_ops.mod(x, y) - x) + x

    def _get_cycle_ratio(self, time, phase, period):
        phase = math_ops.cast(phase, dtype=time.dtype)
        period = math_ops.cast(period, dtype=time.dtype)
        ratio = self._mod(time - phase, period) / period
        return math_ops.cast(ratio, dtype=dtypes.float32)

    def _gate(self, scope, args, size, activation):
        with vs.variable_scope(scope):
            if scope not in self._linears:
                self._linears[scope] = _Linear(args, size, True)
            return activation(self._linears[scope](args))

    def _openness(self, time):
        period = vs.get_variable('period', [self._num_units], initializer=_random_exp_initializer(
            self._period_init_min, self._period_init_max))
        phase = vs.get_variable('phase', [self._num_units],
                                initializer=init_ops.random_uniform_initializer(
                                    0., period.initial_value))
        ratio_on = vs.get_variable('ratio_on', [self._num_units],
                                   initializer=init_ops.constant_initializer(self._ratio_on),
                                   trainable=self._trainable_ratio_on)
        ratio = self._get_cycle_ratio(time, phase, period)
        up = 2 * ratio / ratio_on
        down = 2 - up
        closed = self._leak * ratio
        k = array_ops.where(ratio < ratio_on, down, closed)
        return array_ops.where(ratio < 0.5 * ratio_on, up, k)

    def call(self, inputs, state):
        c_prev, h_prev = state
        time, x = inputs
        n, peep = self._num_units, self._use_peepholes
        take, forget = self._gate(
            'mask_gates', [x, h_prev] + ([c_prev] if peep else []), 2 * n,
            lambda gates: array_ops.split(axis=1, num_or_size_splits=2,
                                          value=math_ops.sigmoid(gates)))
        new_input = self._gate('new_input', [x, h_prev], n, math_ops.tanh)
        new_c = c_prev * forget + take * new_input
        out = self._gate('output_gate', [x, h_prev] + ([new_c] if peep else []), n,
                         math_ops.sigmoid)
        new_h = math_ops.tanh(new_c) * out
        k = self._openness(time)
        new_c = k * new_c + (1 - k) * c_prev
        new_h = k * new_h + (1 - k) * h_prev
        return new_h, LSTMStateTuple(new_c, new_h)


class GLSTMCell(_Sized):
    """An LSTM of groups that see a part of the inputs each (Kuchaiev and Ginsburg 2017)."""

    def __init__(self, num_units, initializer=None, num_proj=None, number_of_groups=1,
                 forget_bias=1.0, activation=math_ops.tanh, reuse=None):
        super(GLSTMCell, self).__init__(_reuse=reuse)
        self._num_units = num_units
        self._initializer = initializer
        self._num_proj = num_proj
        self._forget_bias = forget_bias
        self._activation = activation
        self._number_of_groups = number_of_groups
        size = num_proj or num_units
        if num_units % number_of_groups:
            raise ValueError('num_units must be divisible by number_of_groups')
        if num_proj and num_proj % number_of_groups:
            raise ValueError('num_proj must be divisible by number_of_groups')
        self._group_shape = [size // number_of_groups, num_units // number_of_groups]
        self._output_size = size
        self._state_size = LSTMStateTuple(num_units, size)
        self._linear1 = self._linear2 = None

    def _get_input_for_group(self, inputs, group_id, group_size):
        return array_ops.slice(input_=inputs, begin=[0, group_id * group_size],
                               size=[self._batch_size, group_size],
                               name='GLSTM_group%d_input_generation' % group_id)

    def _group(self, k, inputs, m_prev, size):
        with vs.variable_scope('group%d' % k):
            part = array_ops.concat([
                self._get_input_for_group(inputs, k, size),
                self._get_input_for_group(m_prev, k, self._group_shape[0])], axis=1)
            if len(self._linear1) == k:
                self._linear1.append(_Linear(part, 4 * self._group_shape[1], False))
            return array_ops.split(self._linear1[k](part), 4, 1)

    def call(self, inputs, state):
        c_prev, m_prev = state
        self._batch_size = inputs.shape.dims[0].value or array_ops.shape(inputs)[0]
        input_size = inputs.shape.dims[1].value
        if input_size is None:
            raise ValueError('input size must be statically known')
        if input_size % self._number_of_groups:
            raise ValueError('input size (%d) must be divisible by number_of_groups (%d)'
                             % (input_size, self._number_of_groups))
        self._linear1 = self._linear1 or []
        with vs.variable_scope(vs.get_variable_scope(), initializer=self._initializer):
            parts = [self._group(k, inputs, m_prev, input_size // self._number_of_groups)
                     for k in range(self._number_of_groups)]
            biases = [vs.get_variable(name='bias_' + gate, shape=[self._num_units],
                                      dtype=inputs.dtype,
                                      initializer=init_ops.constant_initializer(
                                          0.0, dtype=inputs.dtype)) for gate in 'ijfo']
            i, j, f, o = [nn_ops.bias_add(array_ops.concat(part, axis=1), bias)
                          for part, bias in zip(zip(*parts), biases)]
        c = common.new_lstm_state(c_prev, (i, j, f), self._forget_bias, math_ops.tanh, None)
        m = math_ops.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            with vs.variable_scope('projection'):
                if self._linear2 is None:
                    self._linear2 = _Linear(m, self._num_proj, False)
                m = self._linear2(m)
        return m, LSTMStateTuple(c, m)


class _PeepholeLSTM(_Sized):
    """What the two that follow share: their options."""

    def __init__(self, num_units, use_peepholes, cell_clip, initializer, num_proj, proj_clip,
                 forget_bias, activation, reuse):
        super(_PeepholeLSTM, self).__init__(_reuse=reuse)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._forget_bias = forget_bias
        self._activation = activation or math_ops.tanh
        self._output_size = num_proj or num_units
        self._state_size = LSTMStateTuple(num_units, self._output_size)

    def _peepholes(self, scope, dtype):
        """(of f, of i, of o)"""
        with vs.variable_scope(scope):
            return common.diagonals(('w_f_diag', 'w_i_diag', 'w_o_diag'), self._num_units, dtype)


def _kernel(args, output_size):
    shapes = [a.get_shape() for a in args]
    for shape in shapes:
        if shape.ndims != 2:
            raise ValueError('linear is expecting 2D arguments: %s' % shapes)
        if shape.dims[1].value is None:
            raise ValueError('linear expects shape[1] to be provided for shape %s, but saw %s'
                             % (shape, shape[1]))
    sizes = [shape.dims[1].value for shape in shapes]
    return sizes, vs.get_variable('kernel', [sum(sizes), output_size], dtype=args[0].dtype)


def _product(args, weights):
    return math_ops.matmul(args[0] if len(args) == 1 else array_ops.concat(args, 1), weights)


def _biases(res, output_size, outer_scope):
    with vs.variable_scope(outer_scope) as inner:
        inner.set_partitioner(None)
        return vs.get_variable('bias', [output_size], dtype=res.dtype,
                               initializer=init_ops.constant_initializer(0.0, dtype=res.dtype))


class LayerNormLSTMCell(_PeepholeLSTM):
    """An LSTM whose gates and state are normalised (Ba et al. 2016)."""

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None,
                 num_proj=None, proj_clip=None, forget_bias=1.0, activation=None,
                 layer_norm=False, norm_gain=1.0, norm_shift=0.0, reuse=None):
        super(LayerNormLSTMCell, self).__init__(num_units, use_peepholes, cell_clip, initializer,
                                                num_proj, proj_clip, forget_bias, activation,
                                                reuse)
        self._layer_norm = layer_norm
        self._norm_gain = norm_gain
        self._norm_shift = norm_shift

    def _norm(self, inp, scope):
        return common.layer_norm(inp, scope, self._norm_gain, self._norm_shift)

    def _linear(self, args, output_size, bias):
        args = args if nest.is_sequence(args) else [args]
        scope = vs.get_variable_scope()
        with vs.variable_scope(scope) as outer:
            res = _product(args, _kernel(args, output_size)[1])
            if not bias:
                return res
            biases = _biases(res, output_size, outer)
            return res if self._layer_norm else nn_ops.bias_add(res, biases)

    def call(self, inputs, state):
        c_prev, m_prev = state
        common.input_depth(inputs)
        scope = vs.get_variable_scope()
        with vs.variable_scope(scope, initializer=self._initializer) as unit_scope:
            gates = array_ops.split(value=self._linear([inputs, m_prev], 4 * self._num_units, True),
                                    num_or_size_splits=4, axis=1)
            if self._layer_norm:
                gates = [self._norm(g, name) for g, name in zip(
                    gates, ('input', 'transform', 'forget', 'output'))]
            i, j, f, o = gates
            peep = self._peepholes(unit_scope, inputs.dtype) if self._use_peepholes else None
            c = common.new_lstm_state(c_prev, (i, j, f), self._forget_bias, self._activation,
                                      peep and peep[:2])
            if self._layer_norm:
                c = self._norm(c, 'state')
            c = common.clip(c, self._cell_clip)
            m = math_ops.sigmoid(o + peep[2] * c if peep else o) * self._activation(c)
            if self._num_proj is not None:
                with vs.variable_scope('projection'):
                    m = self._linear(m, self._num_proj, bias=False)
                m = common.clip(m, self._proj_clip)
        return m, LSTMStateTuple(c, m)


class WeightNormLSTMCell(_PeepholeLSTM):
    """An LSTM whose weights' columns are divided by their norms (Salimans and Kingma 2016)."""

    def __init__(self, num_units, norm=True, use_peepholes=False, cell_clip=None,
                 initializer=None, num_proj=None, proj_clip=None, forget_bias=1, activation=None,
                 reuse=None):
        super(WeightNormLSTMCell, self).__init__(num_units, use_peepholes, cell_clip, initializer,
                                                 num_proj, proj_clip, forget_bias, activation,
                                                 reuse)
        self._scope = 'wn_lstm_cell'
        self._norm = norm

    @staticmethod
    def _normalize(weight, name):
        g = vs.get_variable(name, [weight.get_shape().as_list()[1]], dtype=weight.dtype)
        return nn_impl.l2_normalize(weight, axis=0) * g

    def _linear(self, args, output_size, bias):
        args = args if nest.is_sequence(args) else [args]
        scope = vs.get_variable_scope()
        with vs.variable_scope(scope) as outer:
            sizes, weights = _kernel(args, output_size)
            if self._norm:
                parts, start = [], 0
                with ops.control_dependencies(None):
                    for i, size in enumerate(sizes):
                        parts.append(self._normalize(weights[start:start + size, :],
                                                     name='norm_{}'.format(i)))
                        start += size
                    weights = array_ops.concat(parts, axis=0)
            res = _product(args, weights)
            return (nn_ops.bias_add(res, _biases(res, output_size, outer)) if bias
                    else res)

    def call(self, inputs, state):
        dtype = inputs.dtype
        num_units = self._num_units
        c, h = state
        with vs.variable_scope(self._scope, initializer=self._initializer,
                               auxiliary_name_scope=False):
            gates = self._linear([inputs, h], 4 * num_units, bias=True)
            i, j, f, o = array_ops.split(value=gates, num_or_size_splits=4, axis=1)
            peep = (self._peepholes(vs.get_variable_scope(), dtype) if self._use_peepholes
                    else None)
            new_c = common.new_lstm_state(c, (i, j, f), self._forget_bias, self._activation,
                                          peep and peep[:2], c_first=True)
            new_c = common.clip(new_c, self._cell_clip)
            new_h = math_ops.sigmoid(o + peep[2] * new_c if peep else o) * self._activation(new_c)
            if self._num_proj is not None:
                with vs.variable_scope('projection'):
                    new_h = self._linear(new_h, self._num_proj, bias=False)
                new_h = common.clip(new_h, self._proj_clip)
        return new_h, LSTMStateTuple(new_c, new_h)
