# SPDX-License-Identifier: Apache-2.0
"""Cases of Fourier transforms."""
import numpy as np

from values import array, pick, shape


def fft(op, rng, _):
    rank = {'2D': 2, '3D': 3}.get(op[-2:], 1)
    s = shape(rng, rng.randint(0, 2)) + tuple(int(d) for d in rng.randint(1, 18 if rank < 3 else 7, size=rank))
    if 'R' not in op:
        return [('input', array(rng, np.complex64, s))], {}, False
    inverse = op[0] == 'I'
    x = array(rng, np.complex64 if inverse else np.float32, s)
    lengths = [int(rng.randint(1, d + 1)) for d in s[-rank:]]
    if inverse:
        lengths[-1] = int(rng.randint(1, 2 * s[-1]))
    return [('input', x), ('fft_length', np.array(lengths, np.int32))], {}, False


GENERATORS = {a + b + c: fft for a in ('', 'I') for b in ('FFT', 'RFFT') for c in ('', '2D', '3D')}
