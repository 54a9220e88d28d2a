# SPDX-License-Identifier: Apache-2.0
"""Cases of numbers rounded as quantisation does; quantised types themselves: programs_py/quantized.py."""
import numpy as np

from values import array, pick, shape

F = np.float32


def limits(rng):
    low = F(rng.uniform(-4, 1))
    return np.array(low, F), np.array(low + F(rng.uniform(0.5, 5)), F)


def round_trip(op, rng, types):
    t = pick(rng, types(op, 'T'))
    low, high = limits(rng)
    # DIFFERENCES: limits of no elements
    x = array(rng, t, shape(rng, empty=False), -5, 5)
    attrs = {'signed_input': bool(rng.rand() < 0.5), 'range_given': bool(rng.rand() < 0.5)}
    bits = int(rng.randint(2, 17))
    if op == 'QuantizeAndDequantize':
        attrs.update(num_bits=bits, input_min=float(low), input_max=float(high))
        return [('input', x)], attrs, False, 1, {'producer': 21}
    attrs['narrow_range'] = bool(rng.rand() < 0.5)
    inputs = [('input', x), ('input_min', low.astype(t)), ('input_max', high.astype(t))]
    if op.endswith('V3'):
        return inputs + [('num_bits', np.array(bits, np.int32))], attrs, True, 1, {'once': True}
    attrs.update(num_bits=bits, round_mode=pick(rng, ['HALF_TO_EVEN', 'HALF_UP']))
    return inputs, attrs, True, 1, {'once': True}


GENERATORS = {'QuantizeAndDequantize' + v: round_trip for v in ('', 'V2', 'V3')}
