# SPDX-License-Identifier: Apache-2.0
"""Cases of recurrent cells in one op."""
import numpy as np

from values import array, pick


def lstm(op, rng, types):
    t = pick(rng, types(op, 'T'))
    time, batch, inputs, cells = (int(d) for d in rng.randint(1, 5, size=4))
    lead, sequence = (), op.startswith('Block')
    peephole = bool(rng.rand() < 0.5)
    if sequence:
        lead = (time,)
    result = [('x', array(rng, t, lead + (batch, inputs), -1, 1)), ('cs_prev', array(rng, t, (batch, cells))),
              ('h_prev', array(rng, t, (batch, cells), -1, 1)),
              ('w', array(rng, t, (inputs + cells, 4 * cells), -1, 1))]
    result += [(n, array(rng, t, (cells,), -1, 1)) for n in ('wci', 'wcf', 'wco')]
    result += [('b', array(rng, t, (4 * cells,), -1, 1))]
    if sequence:
        result.insert(0, ('seq_len_max', np.array(rng.randint(0, time + 1), np.int64)))
    if 'Grad' in op:
        names = ['i', 'cs', 'f', 'o', 'ci', 'co'] + ['h'] * sequence + ['cs_grad', 'h_grad']
        result += [(n, array(rng, t, lead + (batch, cells), 0.1, 0.9)) for n in names]
        return result, {'use_peephole': peephole}, False
    attrs = {'use_peephole': peephole, 'cell_clip': float(pick(rng, [-1, 0, 0.75, 3]))}
    if not op.endswith('V2'):
        attrs['forget_bias'] = float(rng.rand())
    # DIFFERENCES: gates behind the end of sequences
    return result, attrs, False, 1, {'outputs': [1, 6]} if sequence else {}


def gru(op, rng, types):
    batch, inputs, cells = (int(d) for d in rng.randint(1, 5, size=3))
    f = np.float32
    result = [('x', array(rng, f, (batch, inputs))), ('h_prev', array(rng, f, (batch, cells))),
              ('w_ru', array(rng, f, (inputs + cells, 2 * cells))), ('w_c', array(rng, f, (inputs + cells, cells))),
              ('b_ru', array(rng, f, (2 * cells,))), ('b_c', array(rng, f, (cells,)))]
    if 'Grad' in op:
        result += [(n, array(rng, f, (batch, cells), 0.1, 0.9)) for n in ('r', 'u', 'c', 'd_h')]
    return result, {}, False


GENERATORS = {'GRUBlockCell': gru, 'GRUBlockCellGrad': gru}
GENERATORS.update({op: lstm for op in ('LSTMBlockCell', 'LSTMBlockCellGrad', 'BlockLSTM', 'BlockLSTMGrad',
                                       'BlockLSTMV2', 'BlockLSTMGradV2')})
