/* SPDX-License-Identifier: Apache-2.0 */
/* Case table: sound. */
#include "op_case.h"

/* clang-format off */
#define X "0 0.29552021 0.56464247 0.78332691 0.93203909 0.99749499 0.97384763 0.86320937 0.67546318 0.42737988 0.14112 -0.15774569"
static const struct op_case cases[] = {
    {.op = "AudioSpectrogram", .attrs = "window_size=8 stride=4", .in = {"float [12,1] " X},
     .out = {"float [1,2,5] 3.391002655029297 1.9272913932800293 0.19088098406791687 0.028169361874461174 0.01156553439795971 2.457512378692627 1.5837823152542114 0.2346405 0.03751974 0.00838175"}, .rel = 0.001},
    {.op = "AudioSpectrogram", .attrs = "window_size=5 stride=9 magnitude_squared=true", .in = {"float [12,1] " X},
     .out = {"float [1,1,5] 2.7006373 1.7386177 0.40336503 0.015308595 0.00048884897"}, .rel = 0.001, .note = "filled up to eight"},
    {.op = "AudioSpectrogram", .attrs = "window_size=30 stride=1", .in = {"float [12,1] " X}, .out = {"float [1,0,17]"}},
    {.op = "AudioSpectrogram", .attrs = "window_size=2 stride=1", .in = {"float [3,2] 0 1 2 3 nan inf"}, .out = {"float [2,2,2] 2 2 nan nan 3 3 nan nan"}, .note = "channels apart"},
    {.op = "AudioSpectrogram", .attrs = "window_size=8 stride=4", .in = {"float [0,1]"}, .out = {"float [1,0,5]"}},
    {.op = "AudioSpectrogram", .attrs = "window_size=8 stride=4", .in = {"float [20,0]"}, .out = {"float [0,4,5]"}},
    {.op = "AudioSpectrogram", .attrs = "window_size=1 stride=1", .in = {"float [2,1] 1"}, .error = "INVALID_ARGUMENT: Spectrogram initialization failed for window size 1 and stride 1"},
    {.op = "AudioSpectrogram", .attrs = "window_size=2 stride=0", .in = {"float [2,1] 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "AudioSpectrogram", .attrs = "window_size=9223372036854775807 stride=1", .in = {"float [2,1] 1"}, .error = "INVALID_ARGUMENT"},
    {.op = "AudioSpectrogram", .attrs = "window_size=2 stride=1", .in = {"? float [2] 1"}, .error = "INVALID_ARGUMENT: input must be 2-dimensional[2]"},
    {.op = "AudioSpectrogram", .attrs = "window_size=2 stride=1", .in = {"float [2] 1"}, .error = "INVALID_ARGUMENT: Shape must be rank 2 but is rank 1"},
    {.op = "Mfcc", .attrs = "filterbank_channel_count=5 dct_coefficient_count=4", .in = {"float [1,2,9] 1.76405239 0.40015721 0.97873801 2.24089313 1.86755800 0.97727787 0.95008844 0.15135720 0.10321885 0.41059852 0.14404356 1.45427346 0.76103771 0.12167501 0.44386324 0.33367434 1.49407911 0.20515826", "int32 [] 8000"},
     .out = {"float [1,2,4] -0.08708547 -1.7263172 -0.67271775 -0.07726303 -1.2845917 -1.6157690 -0.82988507 -0.5616257"}, .rel = 1e-4},
    {.op = "Mfcc", .in = {"float [1,1,2] 1", "int32 [] 8000"}, .out = {"float [1,1,13] ~"}},
    {.op = "Mfcc", .attrs = "dct_coefficient_count=1", .in = {"float [1,1,9] nan", "int32 [] 8000"}, .out = {"float [1,1,1] nan"}},
    {.op = "Mfcc", .attrs = "dct_coefficient_count=1", .in = {"float [1,2,9] 5", "int32 [] 100"}, .out = {"float [1,2,1] 0"}, .note = "the limit lies beyond the spectrum"},
    {.op = "Mfcc", .in = {"float [1,0,9]", "int32 [] 100"}, .out = {"float [1,0,13]"}},
    {.op = "Mfcc", .in = {"float [1,1,9] 1", "int32 [] 0"}, .error = "INVALID_ARGUMENT: Mfcc initialization failed for channel count 9 and sample rate 0"},
    {.op = "Mfcc", .in = {"float [1,1,1] 1", "int32 [] 8000"}, .error = "INVALID_ARGUMENT"},
    {.op = "Mfcc", .attrs = "dct_coefficient_count=41", .in = {"float [1,1,9] 1", "int32 [] 8000"}, .error = "INVALID_ARGUMENT"},
    {.op = "Mfcc", .attrs = "filterbank_channel_count=9223372036854775807", .in = {"float [1,1,9] 1", "int32 [] 8000"}, .error = "RESOURCE_EXHAUSTED"},
    {.op = "Mfcc", .attrs = "lower_frequency_limit=5000.0", .in = {"float [1,1,9] 1", "int32 [] 8000"}, .error = "INVALID_ARGUMENT"},
    {.op = "Mfcc", .in = {"? float [2,9] 1", "int32 [] 8000"}, .error = "INVALID_ARGUMENT: spectrogram must be 3-dimensional[2,9]"},
    {.op = "Mfcc", .in = {"float [1,2,9] 1", "? int32 [1] 8000"}, .error = "INVALID_ARGUMENT: Input sample_rate should be a scalar tensor, got [1] instead."},
    {.op = "EncodeWav", .in = {"float [0,1]", "int32 [] 8000"}, .error = "INVALID_ARGUMENT: audio is null"},
    {.op = "EncodeWav", .in = {"float [1,1] nan", "int32 [] 0"}, .error = "INVALID_ARGUMENT: sample_rate must be in (0, 2^32), got: 0"},
    {.op = "EncodeWav", .in = {"float [1,1] 1", "int32 [] -5"}, .error = "INVALID_ARGUMENT"},
    {.op = "EncodeWav", .in = {"? float [1] 1", "int32 [] 5"}, .error = "INVALID_ARGUMENT: audio must be 2-dimensional[1]"},
    {.op = "EncodeWav", .in = {"float [1,1] 1", "? int32 [1] 5"}, .error = "INVALID_ARGUMENT: Input sample_rate should be a scalar tensor, got [1] instead."},
    {.op = "DecodeWav", .in = {"string [] ''"}, .error = "INVALID_ARGUMENT: Data too short when trying to read string"},
    {.op = "DecodeWav", .in = {"string [] 'RIFXaaaaWAVEfmt '"}, .error = "INVALID_ARGUMENT: Header mismatch: Expected RIFF but found RIFX"},
    {.op = "DecodeWav", .in = {"string [] 'RIFFaaaaWAVEfmt '"}, .error = "INVALID_ARGUMENT: Data too short"},
    {.op = "DecodeWav", .in = {"? string [1] ''"}, .error = "INVALID_ARGUMENT: contents must be scalar, got shape [1]"},
    {.op = "DecodeWav", .attrs = "desired_channels=-2", .in = {"string [] ''"}, .error = "INVALID_ARGUMENT: channels must be non-negative, got -2"},
};
/* clang-format on */

int main(int argc, char **argv)
{
    return op_cases_main(cases, ARRAY_LEN(cases), argc, argv);
}
