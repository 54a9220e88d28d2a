# SPDX-License-Identifier: Apache-2.0
"""Cases of dilation."""
import numpy as np

from values import array, pick


def dilation(op, rng, types):
    t = pick(rng, types(op, 'T'))
    b, h, w, c = (int(d) for d in rng.randint(1, 6, size=4))
    kh, kw, sh, sw = (int(d) for d in rng.randint(1, 4, size=4))
    rates = [int(d) for d in rng.randint(1, 3, size=2)]
    padding = pick(rng, ['SAME', 'VALID'])
    h, w = h + (kh - 1) * rates[0], w + (kw - 1) * rates[1]
    attrs = {'strides': [1, sh, sw, 1], 'rates': [1] + rates + [1], 'padding': padding}
    inputs = [('input', array(rng, t, (b, h, w, c))), ('filter', array(rng, t, (kh, kw, c)))]
    if op != 'Dilation2D':
        out = [-(-h // sh), -(-w // sw)] if padding == 'SAME' else \
            [-(-(h - (kh - 1) * rates[0]) // sh), -(-(w - (kw - 1) * rates[1]) // sw)]
        return inputs + [('out_backprop', array(rng, t, (b, out[0], out[1], c)))], attrs, False
    return inputs, attrs, t in (np.float32, np.float64), 1, {'once': True}


GENERATORS = {op: dilation for op in ('Dilation2D', 'Dilation2DBackpropInput', 'Dilation2DBackpropFilter')}
