# SPDX-License-Identifier: Apache-2.0
"""Random cases, a generator for each op: make(op, rng, types) is a Case.

types(op, attr) lists the numpy types TensorFlow's CPU kernels take. A case is decided by rng alone.
What is left out on purpose carries a `DIFFERENCES: tag` comment; DIFFERENCES.md has the reason.
"""
import cases_array
import cases_audio
import cases_blocks
import cases_boxes
import cases_cells
import cases_cross
import cases_ctc
import cases_dilation
import cases_former
import cases_fractional
import cases_gather
import cases_graph
import cases_image
import cases_linear
import cases_math
import cases_nn
import cases_places
import cases_quantized
import cases_random
import cases_rare
import cases_set
import cases_sparse
import cases_spectral
import cases_state
import cases_text
import cases_whole
from values import Case

GENERATORS = {}
GENERATORS.update(cases_math.GENERATORS)
GENERATORS.update(cases_array.GENERATORS)
GENERATORS.update(cases_audio.GENERATORS)
GENERATORS.update(cases_blocks.GENERATORS)
GENERATORS.update(cases_boxes.GENERATORS)
GENERATORS.update(cases_cells.GENERATORS)
GENERATORS.update(cases_cross.GENERATORS)
GENERATORS.update(cases_ctc.GENERATORS)
GENERATORS.update(cases_dilation.GENERATORS)
GENERATORS.update(cases_former.GENERATORS)
GENERATORS.update(cases_fractional.GENERATORS)
GENERATORS.update(cases_gather.GENERATORS)
GENERATORS.update(cases_graph.GENERATORS)
GENERATORS.update(cases_image.GENERATORS)
GENERATORS.update(cases_linear.GENERATORS)
GENERATORS.update(cases_nn.GENERATORS)
GENERATORS.update(cases_places.GENERATORS)
GENERATORS.update(cases_quantized.GENERATORS)
GENERATORS.update(cases_random.GENERATORS)
GENERATORS.update(cases_rare.GENERATORS)
GENERATORS.update(cases_set.GENERATORS)
GENERATORS.update(cases_sparse.GENERATORS)
GENERATORS.update(cases_spectral.GENERATORS)
GENERATORS.update(cases_state.GENERATORS)
GENERATORS.update(cases_text.GENERATORS)
GENERATORS.update(cases_whole.GENERATORS)


def ops():
    return sorted(GENERATORS)


def make(op, rng, types):
    """Most cases have inputs whose shapes the graph knows; the rest hide them, or are constants."""
    inputs, attrs, gradient, *more = GENERATORS[op](op, rng, types)
    count = sum(len(v) if isinstance(v, list) else 1 for _, v in inputs)
    modes = ''.join(rng.choice(list('sspc')) for _ in range(count))
    return Case(op, inputs, attrs, gradient, modes, *more)
