# SPDX-License-Identifier: Apache-2.0
"""Sound: spectrograms, their coefficients, WAV files whole and broken."""
import struct

import numpy as np

from values import pick


def spectrogram(op, rng, _):
    x = rng.uniform(-1, 1, size=(rng.randint(0, 60), 1)).astype(np.float32)     # DIFFERENCES: channels
    return [('input', x)], {'window_size': int(rng.randint(1, 20)), 'stride': int(rng.randint(1, 9)),
                            'magnitude_squared': bool(rng.randint(2))}, False


def mfcc(op, rng, _):
    dims = (rng.randint(0, 3), rng.randint(1, 4), rng.randint(2, 40))
    channels = int(rng.randint(1, 50))
    x = rng.uniform(0, 9, size=dims).astype(np.float32)
    x[rng.rand(*dims) < 0.1] = 0
    return [('spectrogram', x), ('sample_rate', np.int32(pick(rng, [8000, 16000, 44100, 0, 100])))], \
        {'upper_frequency_limit': float(rng.uniform(1000, 4500)),
         'lower_frequency_limit': float(rng.uniform(0, 1100)), 'filterbank_channel_count': channels,
         'dct_coefficient_count': int(rng.randint(1, channels + 2))}, False


def wav_file(rng):
    channels, rate = int(rng.randint(1, 4)), int(rng.randint(1, 50000))
    # Bytes below 128: TensorFlow's Python dies of messages that are not UTF-8.
    data = rng.randint(0, 128, size=2 * channels * rng.randint(0, 9)).astype(np.uint8).tobytes()
    size = len(data) if rng.rand() < 0.7 else int(rng.randint(0, len(data) + 3))
    form = struct.pack('<HHIIHH', 1, channels, rate, rate * channels * 2, channels * 2, 16)
    form += b'\0\0' * rng.randint(0, 2)
    other = b'' if rng.rand() < 0.6 else b'LIST' + struct.pack('<I', 6) + b'abcdef'
    body = b'WAVEfmt ' + struct.pack('<I', len(form)) + form + other + b'data' + \
        struct.pack('<I', size) + data
    return b'RIFF' + struct.pack('<I', len(body)) + body


def decode_wav(op, rng, _):
    data = bytearray(wav_file(rng))
    if rng.rand() < 0.3:
        data[rng.randint(0, len(data))] ^= 1 << rng.randint(0, 7)
    if rng.rand() < 0.2:
        data = data[:rng.randint(0, len(data) + 1)]
    return [('contents', np.array(bytes(data), object))], \
        {'desired_channels': int(rng.randint(-1, 4)), 'desired_samples': int(rng.randint(-1, 12))}, False


def encode_wav(op, rng, _):
    x = rng.uniform(-1.2, 1.2, size=(rng.randint(0, 9), rng.randint(1, 4))).astype(np.float32)
    return [('audio', x), ('sample_rate', np.int32(rng.randint(-1, 50000)))], {}, False


GENERATORS = {'AudioSpectrogram': spectrogram, 'Mfcc': mfcc, 'DecodeWav': decode_wav,
              'EncodeWav': encode_wav}
