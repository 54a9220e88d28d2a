# SPDX-License-Identifier: Apache-2.0
"""Sounds: WAV files, spectrograms, cepstra."""
from leat.python.ops.gen_audio_ops import (  # noqa: F401
    audio_spectrogram, decode_wav, encode_wav, mfcc)

__all__ = ['audio_spectrogram', 'decode_wav', 'encode_wav', 'mfcc']
