# SPDX-License-Identifier: Apache-2.0
"""Mel-frequency cepstral coefficients."""
from leat.python.framework import dtypes
from leat.python.framework import ops
from leat.python.ops import array_ops
from leat.python.ops import math_ops
from leat.python.ops.signal import dct_ops


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """The cosine transform of logarithms of mel spectra, scaled."""
    with ops.name_scope(name, 'mfccs_from_log_mel_spectrograms', [log_mel_spectrograms]):
        spectra = ops.convert_to_tensor(log_mel_spectrograms, dtype=dtypes.float32)
        bins = spectra.shape.as_list()[-1]
        if bins == 0:
            raise ValueError('num_mel_bins must be positive. Got: %s' % spectra)
        if bins is None:
            bins = array_ops.shape(spectra)[-1]
        transformed = dct_ops.dct(spectra, type=2)
        return transformed * math_ops.rsqrt(math_ops.cast(bins, dtypes.float32) * 2.0)
