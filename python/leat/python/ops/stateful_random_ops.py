# SPDX-License-Identifier: Apache-2.0
"""tf.random.experimental.Generator: random numbers whose state is a variable of the program's."""
import numpy as np

from leat.python.framework import constant_op
from leat.python.framework import dtypes
from leat.python.framework import errors_impl
from leat.python.framework import ops
from leat.python.framework import tensor_util
from leat.python.ops import array_ops
from leat.python.ops import gen_stateful_random_ops
from leat.python.ops import math_ops
from leat.python.ops import resource_variable_ops
from leat.python.ops import state_ops

UINT64_SPAN = 2 ** 64
MAX_INT64 = SEED_MAX = 2 ** 63 - 1
MIN_INT64 = SEED_MIN = -2 ** 63
SEED_UINT_SPAN = UINT64_SPAN
SEED_TYPE = STATE_TYPE = ALGORITHM_TYPE = dtypes.int64
SEED_TYPE_BITS = 64
SEED_BIT_MASK = 0xFFFFFFFFFFFFFFFF
SEED_SIZE = 16
RNG_ALG_PHILOX, RNG_ALG_THREEFRY = 1, 2
DEFAULT_ALGORITHM = RNG_ALG_PHILOX
PHILOX_STATE_SIZE, THREEFRY_STATE_SIZE = 3, 2
global_generator = None


def non_deterministic_ints(shape, dtype=dtypes.int64):
    """Integers that nothing decides."""
    return gen_stateful_random_ops.non_deterministic_ints(shape=_shape_tensor(shape), dtype=dtype)


def _uint_to_int(n):
    return n - UINT64_SPAN if n > MAX_INT64 else n


def _get_state_size(alg):
    """How many numbers the state of an algorithm is."""
    if alg == RNG_ALG_PHILOX:
        return PHILOX_STATE_SIZE
    if alg == RNG_ALG_THREEFRY:
        return THREEFRY_STATE_SIZE
    raise ValueError('Unsupported algorithm id: %s' % alg)


def _make_1d_state(state_size, seed):
    """A seed as a state: an int of any size by its words, lowest first; a list is led by zeros."""
    if isinstance(seed, int):
        words = []
        for _ in range(state_size):
            words.append(_uint_to_int(seed & SEED_BIT_MASK))
            seed >>= SEED_TYPE_BITS
        return np.array(words, dtype=np.int64)
    if isinstance(seed, (list, tuple, np.ndarray)):
        seed = np.array([_uint_to_int(int(s)) for s in np.ravel(seed)], dtype=np.int64)
        seed = seed[-state_size:]
        return np.concatenate([np.zeros(state_size - seed.size, np.int64), seed])
    seed = array_ops.reshape(math_ops.cast(seed, STATE_TYPE), [-1])[-state_size:]
    missing = state_size - array_ops.shape(seed)[0]
    seed = array_ops.pad(seed, [[missing, 0]])
    seed.set_shape([state_size])
    return seed


def _make_state_from_seed(seed, alg):
    return _make_1d_state(_get_state_size(alg), seed)


def create_rng_state(seed, algorithm):
    """The state that a seed begins with."""
    return _make_state_from_seed(seed, algorithm)


_shape_tensor = tensor_util.shape_tensor


def _convert_to_state_tensor(t):
    if isinstance(t, list):
        t = [_uint_to_int(i) if isinstance(i, int) else i for i in t]
    return math_ops.cast(t, STATE_TYPE) if isinstance(t, ops.Tensor) else ops.convert_to_tensor(
        t, dtype=STATE_TYPE)


class Generator(object):
    """Random numbers of an algorithm, from a state that each draw moves on."""

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is not None:
            assert alg is None and state is None
            self._state_var = resource_variable_ops.ResourceVariable(
                copy_from.state, dtype=STATE_TYPE, trainable=False)
            self._alg = copy_from.algorithm
            return
        assert alg is not None and state is not None
        size = _get_state_size(alg)
        state = _convert_to_state_tensor(state)
        if not state.shape.is_compatible_with([size]):
            raise ValueError('Shapes %s and %s are incompatible' % (state.shape, [size]))
        state.set_shape([size])
        self._state_var = resource_variable_ops.ResourceVariable(state, dtype=STATE_TYPE,
                                                                trainable=False)
        self._alg = alg

    @classmethod
    def from_state(cls, state, alg):
        """A generator that goes on from a state."""
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """A generator that begins from a seed."""
        alg = DEFAULT_ALGORITHM if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """A generator that begins anywhere."""
        alg = DEFAULT_ALGORITHM if alg is None else alg
        return cls(state=non_deterministic_ints([_get_state_size(alg)], SEED_TYPE), alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """A generator of a key, at a place in what it gives."""
        return cls(state=cls._join(key, counter, alg), alg=alg)

    @staticmethod
    def _join(key, counter, alg):
        counter = array_ops.reshape(_convert_to_state_tensor(counter), [-1])
        key = array_ops.reshape(_convert_to_state_tensor(key), [-1])
        size = _get_state_size(alg)
        if counter.shape.num_elements() not in (None, size - 1):
            raise ValueError('counter must have %d numbers, not %d'
                             % (size - 1, counter.shape.num_elements()))
        return array_ops.concat([counter, key], 0)

    def reset(self, state):
        """Goes on from another state."""
        state = _convert_to_state_tensor(state)
        state.shape.assert_is_compatible_with([_get_state_size(self._alg)])
        state_ops.assign(self._state_var, state)

    def reset_from_seed(self, seed):
        self.reset(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        self.reset(self._join(key, counter, self._alg))

    @property
    def state(self):
        """The variable of the state."""
        return self._state_var

    @property
    def algorithm(self):
        return self._alg

    @property
    def key(self):
        """What of the state a draw does not change."""
        return self._state_var[-1]

    def skip(self, delta):
        """Moves on by as much as that many draws of 128 bits would."""
        gen_stateful_random_ops.rng_skip(self.state.handle,
                                         constant_op.constant(self._alg, ALGORITHM_TYPE),
                                         ops.convert_to_tensor(delta, dtypes.int64))

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Of the normal distribution."""
        with ops.name_scope(name, 'stateful_normal', [shape, mean, stddev]) as name:
            shape = _shape_tensor(shape)
            mean = ops.convert_to_tensor(mean, dtype=dtype, name='mean')
            stddev = ops.convert_to_tensor(stddev, dtype=dtype, name='stddev')
            drawn = gen_stateful_random_ops.stateful_standard_normal_v2(
                self.state.handle, self.algorithm, shape, dtype=dtype)
            return math_ops.add(drawn * stddev, mean, name=name)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Of the normal distribution, within two standard deviations."""
        with ops.name_scope(name, 'truncated_normal', [shape, mean, stddev]) as name:
            shape = _shape_tensor(shape)
            mean = ops.convert_to_tensor(mean, dtype=dtype, name='mean')
            stddev = ops.convert_to_tensor(stddev, dtype=dtype, name='stddev')
            drawn = gen_stateful_random_ops.stateful_truncated_normal(
                self.state.handle, self.algorithm, shape, dtype=dtype)
            return math_ops.add(drawn * stddev, mean, name=name)

    def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None):
        """From minval to maxval, without that."""
        dtype = dtypes.as_dtype(dtype)
        if maxval is None:
            if dtype.is_integer:
                raise ValueError('Must specify maxval for integer dtype %r' % dtype)
            maxval = 1
        with ops.name_scope(name, 'stateful_uniform', [shape, minval, maxval]) as name:
            shape = _shape_tensor(shape)
            minval = ops.convert_to_tensor(minval, dtype=dtype, name='min')
            maxval = ops.convert_to_tensor(maxval, dtype=dtype, name='max')
            if dtype.is_integer:
                return gen_stateful_random_ops.stateful_uniform_int(
                    self.state.handle, self.algorithm, shape, minval, maxval, name=name)
            drawn = gen_stateful_random_ops.stateful_uniform(
                self.state.handle, self.algorithm, shape, dtype=dtype)
            return math_ops.add(drawn * (maxval - minval), minval, name=name)

    def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None):
        """All integers of the type alike."""
        with ops.name_scope(name, 'stateful_uniform_full_int', [shape]) as name:
            return gen_stateful_random_ops.stateful_uniform_full_int(
                self.state.handle, self.algorithm, _shape_tensor(shape), dtype=dtype, name=name)

    def binomial(self, shape, counts, probs, dtype=dtypes.int32, name=None):
        """How many of counts trials succeed, each with that probability."""
        with ops.name_scope(name, 'binomial', [shape, counts, probs]) as name:
            return gen_stateful_random_ops.stateful_random_binomial(
                self.state.handle, self.algorithm, _shape_tensor(shape),
                ops.convert_to_tensor(counts, name='counts'),
                ops.convert_to_tensor(probs, name='probs'), dtype=dtype, name=name)

    def _make_int64_keys(self, shape=()):
        return self.uniform_full_int(shape=list(shape), dtype=dtypes.int64)

    def make_seeds(self, count=1):
        """Seeds for stateless functions: a column each."""
        if self._alg not in (RNG_ALG_PHILOX, RNG_ALG_THREEFRY):
            raise ValueError('Unsupported algorithm id: %s' % self._alg)
        keys = self._make_int64_keys(shape=[count])
        return array_ops.stack([keys, array_ops.zeros_like(keys)])

    def split(self, count=1):
        """Generators with keys that this one draws: it needs their values, as in 1.15."""
        raise errors_impl.UnimplementedError(
            None, None, 'Generator.split: the keys are values, and a graph has none; give '
            'from_key_counter a key of make_seeds')


def get_global_generator():
    """The program's generator, made when it is first asked for."""
    global global_generator
    if global_generator is None:
        global_generator = Generator.from_non_deterministic_state()
    return global_generator


def set_global_generator(generator):
    """From now on get_global_generator gives this one."""
    global global_generator
    global_generator = generator
