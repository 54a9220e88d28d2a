# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that change the size of images."""
import numpy as np

from values import array, is_real, pick


def resize(op, rng, types):
    t = pick(rng, types(op, 'T'))
    b, h, w, c, m, n = (int(d) for d in rng.randint(1, 7, size=6))
    b = 0 if rng.rand() < 0.05 else b
    attrs = pick(rng, [{}, {'align_corners': True}, {'half_pixel_centers': True}])
    special = is_real(t) and rng.rand() < 0.1
    if op == 'ResizeBilinearGrad':
        return [('grads', array(rng, np.float32, (b, m, n, c))),
                ('original_image', array(rng, t, (b, h, w, c)))], attrs, False
    names = 'grads' if op.endswith('Grad') else 'images'
    if rng.rand() < 0.1:
        m, n = h, w
    return [(names, array(rng, t, (b, h, w, c), special=special)), ('size', np.array([m, n], np.int32))], \
        attrs, t in (np.float32, np.float64) and not special and not op.endswith('Grad') and b > 0, 1, \
        {'once': True}


GENERATORS = {name: resize for name in ('ResizeBilinear', 'ResizeBilinearGrad', 'ResizeNearestNeighbor',
                                        'ResizeNearestNeighborGrad')}
