# SPDX-License-Identifier: Apache-2.0
"""Cells around other cells: dropout, residuals, devices, stacks."""
import hashlib
import numbers

from leat.python.framework import ops
from leat.python.framework import tensor_shape
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops import nn_ops
from leat.python.ops import random_ops
from leat.python.ops import rnn_cell_impl
from leat.python.ops import variable_scope as vs
from leat.python.util import deprecation
from leat.python.util import nest


def _values(batch_size):
    return [batch_size] if tensor_util.is_tensor(batch_size) else []


class _RNNCellWrapperV1(rnn_cell_impl.RNNCell):
    """A cell around one cell."""

    def __init__(self, cell, *args, **kwargs):
        super(_RNNCellWrapperV1, self).__init__(*args, **kwargs)
        rnn_cell_impl.assert_like_rnncell('cell', cell)
        self.cell = cell

    @property
    def _cell(self):
        return self.cell

    @property
    def state_size(self):
        return self.cell.state_size

    @property
    def output_size(self):
        return self.cell.output_size

    @property
    def wrapped_cell(self):
        return self.cell

    @property
    def trainable_weights(self):
        return self.cell.trainable_weights if self.trainable else []

    @property
    def non_trainable_weights(self):
        return self.cell.non_trainable_weights

    def build(self, inputs_shape):
        """The cell builds itself when it is called."""
        self.built = True

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=_values(batch_size)):
            return self.cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        return self._call_wrapped_cell(inputs, state, cell_call_fn=self.cell.__call__,
                                       scope=scope)

    def call(self, inputs, state, **kwargs):
        return self._call_wrapped_cell(inputs, state, cell_call_fn=self.cell.call, **kwargs)


def _default_dropout_state_filter_visitor(substate):
    """All of the state but the cells of an LSTM, and arrays."""
    if isinstance(substate, rnn_cell_impl.LSTMStateTuple):
        return rnn_cell_impl.LSTMStateTuple(c=False, h=True)
    return not hasattr(substate, '_flow_of_array')


def _enumerated_map_structure_up_to(shallow_structure, map_fn, *args, **kwargs):
    index = [0]

    def enumerated(*inner_args, **inner_kwargs):
        result = map_fn(index[0], *inner_args, **inner_kwargs)
        index[0] += 1
        return result
    return nest.map_structure_up_to(shallow_structure, enumerated, *args, **kwargs)


class DropoutWrapper(_RNNCellWrapperV1):
    """Dropout of a cell's inputs, outputs and state."""

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0,
                 variational_recurrent=False, input_size=None, dtype=None, seed=None,
                 dropout_state_filter_visitor=None, **kwargs):
        super(DropoutWrapper, self).__init__(cell, dtype=dtype, **kwargs)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError('dropout_state_filter_visitor must be callable')
        self._dropout_state_filter = (dropout_state_filter_visitor
                                      or _default_dropout_state_filter_visitor)
        with ops.name_scope('DropoutWrapperInit'):
            for attr, prob in (('input_keep_prob', input_keep_prob),
                               ('state_keep_prob', state_keep_prob),
                               ('output_keep_prob', output_keep_prob)):
                setattr(self, '_' + attr, self._checked(attr, prob))
        self._variational_recurrent = variational_recurrent
        self._input_size = input_size
        self._seed = seed
        self._recurrent_input_noise = None
        self._recurrent_state_noise = None
        self._recurrent_output_noise = None
        if variational_recurrent:
            self._make_noise(input_size, dtype)

    @staticmethod
    def _checked(attr, prob):
        if prob is None:
            return 1.0
        tensor = ops.convert_to_tensor(prob)
        const = tensor_util.constant_value(tensor)
        if const is None:
            return tensor
        if const < 0 or const > 1:
            raise ValueError('Parameter %s must be between 0 and 1: %d' % (attr, const))
        return float(const)

    def _make_noise(self, input_size, dtype):
        """One draw for all steps."""
        if dtype is None:
            raise ValueError('When variational_recurrent=True, dtype must be provided')

        def batch_noise(s, inner_seed):
            shape = array_ops.concat(([1], tensor_shape.TensorShape(s).as_list()), 0)
            return random_ops.random_uniform(shape, seed=inner_seed, dtype=dtype)

        def noise(prefix, size):
            return _enumerated_map_structure_up_to(
                size, lambda i, s: batch_noise(s, inner_seed=self._gen_seed(prefix, i)), size)
        if not isinstance(self._input_keep_prob, numbers.Real) or self._input_keep_prob < 1.0:
            if input_size is None:
                raise ValueError('When variational_recurrent=True and input_keep_prob < 1.0 or is '
                                 'unknown, input_size must be provided')
            self._recurrent_input_noise = noise('input', input_size)
        self._recurrent_state_noise = noise('state', self.cell.state_size)
        self._recurrent_output_noise = noise('output', self.cell.output_size)

    def _gen_seed(self, salt_prefix, index):
        if self._seed is None:
            return None
        text = (str(self._seed) + '%s_%d' % (salt_prefix, index)).encode('utf-8')
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF

    @staticmethod
    def _variational_recurrent_dropout_value(unused_index, value, noise, keep_prob):
        kept = math_ops.floor(keep_prob + noise)
        ret = math_ops.div(value, keep_prob) * kept
        ret.set_shape(value.get_shape())
        return ret

    def _dropout(self, values, salt_prefix, recurrent_noise, keep_prob, shallow=None):
        if shallow is None:
            shallow = values

        def plain(i, do_dropout, v):
            if not isinstance(do_dropout, bool) or do_dropout:
                return nn_ops.dropout_v2(v, rate=1.0 - keep_prob,
                                         seed=self._gen_seed(salt_prefix, i))
            return v

        def variational(i, do_dropout, v, n):
            if not isinstance(do_dropout, bool) or do_dropout:
                return self._variational_recurrent_dropout_value(i, v, n, keep_prob)
            return v
        if not self._variational_recurrent:
            return _enumerated_map_structure_up_to(shallow, plain, shallow, values)
        return _enumerated_map_structure_up_to(shallow, variational, shallow, values,
                                               recurrent_noise)

    def _call_wrapped_cell(self, inputs, state, cell_call_fn, **kwargs):
        def should(p):
            return not isinstance(p, float) or p < 1
        if should(self._input_keep_prob):
            inputs = self._dropout(inputs, 'input', self._recurrent_input_noise,
                                   self._input_keep_prob)
        output, new_state = cell_call_fn(inputs, state, **kwargs)
        if should(self._state_keep_prob):
            shallow = nest.get_traverse_shallow_structure(self._dropout_state_filter, new_state)
            new_state = self._dropout(new_state, 'state', self._recurrent_state_noise,
                                      self._state_keep_prob, shallow)
        if should(self._output_keep_prob):
            output = self._dropout(output, 'output', self._recurrent_output_noise,
                                   self._output_keep_prob)
        return output, new_state


class ResidualWrapper(_RNNCellWrapperV1):
    """A cell's outputs plus its inputs."""

    def __init__(self, cell, residual_fn=None, **kwargs):
        super(ResidualWrapper, self).__init__(cell, **kwargs)
        self._residual_fn = residual_fn

    def _call_wrapped_cell(self, inputs, state, cell_call_fn, **kwargs):
        outputs, new_state = cell_call_fn(inputs, state, **kwargs)

        def assert_shape_match(inp, out):
            inp.get_shape().assert_is_compatible_with(out.get_shape())

        def default_residual_fn(inputs, outputs):
            nest.assert_same_structure(inputs, outputs)
            nest.map_structure(assert_shape_match, inputs, outputs)
            return nest.map_structure(lambda inp, out: inp + out, inputs, outputs)
        return (self._residual_fn or default_residual_fn)(inputs, outputs), new_state


class DeviceWrapper(_RNNCellWrapperV1):
    """A cell on a device."""

    def __init__(self, cell, device, **kwargs):
        super(DeviceWrapper, self).__init__(cell, **kwargs)
        self._device = device

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=_values(batch_size)):
            with ops.device(self._device):
                return self.cell.zero_state(batch_size, dtype)

    def _call_wrapped_cell(self, inputs, state, cell_call_fn, **kwargs):
        with ops.device(self._device):
            return cell_call_fn(inputs, state, **kwargs)


class MultiRNNCell(rnn_cell_impl.RNNCell):
    """Cells over each other."""

    @deprecation.deprecated(None, 'This class is equivalent as tf.keras.layers.StackedRNNCells, '
                                  'and will be replaced by that in Tensorflow 2.0.')
    def __init__(self, cells, state_is_tuple=True):
        super(MultiRNNCell, self).__init__()
        if not cells:
            raise ValueError('Must specify at least one cell for MultiRNNCell.')
        if not nest.is_sequence(cells):
            raise TypeError('cells must be a list or tuple, but saw: %s.' % cells)
        if len(set(id(cell) for cell in cells)) < len(cells):
            from leat.python.platform import tf_logging as logging
            logging.log_first_n(
                logging.WARN, 'At least two cells provided to MultiRNNCell are the same object and '
                'will share weights.', 1)
        self._cells = cells
        self._state_is_tuple = state_is_tuple
        if not state_is_tuple and any(nest.is_sequence(c.state_size) for c in cells):
            raise ValueError('Some cells return tuples of states, but the flag state_is_tuple is '
                             'not set.  State sizes are: %s' % str([c.state_size for c in cells]))

    def _checkpoint_parts(self):
        return [('cell-%d' % i, cell) for i, cell in enumerate(self._cells)]

    @property
    def state_size(self):
        if self._state_is_tuple:
            return tuple(cell.state_size for cell in self._cells)
        return sum(cell.state_size for cell in self._cells)

    @property
    def output_size(self):
        return self._cells[-1].output_size

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=_values(batch_size)):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super(MultiRNNCell, self).zero_state(batch_size, dtype)

    @property
    def trainable_weights(self):
        if not self.trainable:
            return []
        return [w for cell in self._cells for w in getattr(cell, 'trainable_weights', [])]

    @property
    def non_trainable_weights(self):
        weights = [w for cell in self._cells for w in getattr(cell, 'non_trainable_weights', [])]
        if not self.trainable:
            return [w for cell in self._cells
                    for w in getattr(cell, 'trainable_weights', [])] + weights
        return weights

    def call(self, inputs, state):
        position, cur_inp, new_states = 0, inputs, []
        for i, cell in enumerate(self._cells):
            with vs.variable_scope('cell_%d' % i):
                if self._state_is_tuple:
                    if not nest.is_sequence(state):
                        raise ValueError('Expected state to be a tuple of length %d, but '
                                         'received: %s' % (len(self.state_size), state))
                    cur_state = state[i]
                else:
                    cur_state = array_ops.slice(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                cur_inp, new_state = cell(cur_inp, cur_state)
                new_states.append(new_state)
        new_states = (tuple(new_states) if self._state_is_tuple
                      else array_ops.concat(new_states, 1))
        return cur_inp, new_states
