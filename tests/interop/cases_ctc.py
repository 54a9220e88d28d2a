# SPDX-License-Identifier: Apache-2.0
"""Cases of connectionist temporal classification."""
import numpy as np

from values import array, pick


def scores(op, rng, types, low):
    # DIFFERENCES: sums of CTCLoss in double
    t = np.float32 if op == 'CTCLoss' else pick(rng, types(op, 'T'))
    time, batch, classes = (int(d) for d in rng.randint(1, 6, size=3))
    lengths = rng.randint(low, time + 1 + (rng.rand() < 0.05), size=batch).astype(np.int32)
    return [('inputs', array(rng, t, (time, batch, classes + 1))), ('sequence_length', lengths)], classes


def greedy(op, rng, types):
    return scores(op, rng, types, 0)[0], {'merge_repeated': bool(rng.rand() < 0.5)}, False


def beam(op, rng, types):
    width = int(rng.randint(1, 7))
    return scores(op, rng, types, 1)[0], \
        {'beam_width': width, 'top_paths': int(rng.randint(1, min(width, 2) + 1)),
         'merge_repeated': bool(rng.rand() < 0.5)}, False


def loss(op, rng, types):
    (x, lengths), classes = scores(op, rng, types, 1)
    counts = [rng.randint(1, max(2, n // 2 + 1)) if rng.rand() < 0.95 else rng.randint(0, n + 2) for n in lengths[1]]
    at = [(b, j) for b, n in enumerate(counts) for j in range(n)]
    # DIFFERENCES: a label that is the blank ends the process of TensorFlow
    values = rng.randint(0, classes, size=len(at)).astype(np.int32)
    attrs = {'preprocess_collapse_repeated': bool(rng.rand() < 0.3), 'ctc_merge_repeated': bool(rng.rand() < 0.7),
             'ignore_longer_outputs_than_inputs': bool(rng.rand() < 0.5)}
    return [x, ('labels_indices', np.array(at, np.int64).reshape(-1, 2)), ('labels_values', values), lengths], \
        attrs, False


GENERATORS = {'CTCBeamSearchDecoder': beam, 'CTCGreedyDecoder': greedy, 'CTCLoss': loss}
