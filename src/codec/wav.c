/* SPDX-License-Identifier: Apache-2.0 */
/* Writing WAV: a head of 44 bytes (RIFF, fmt, data), then the samples, all little-endian. */
#include "codec/wav.h"

#include <math.h>

enum { FORMAT_PCM = 1, BITS = 16, HEAD = 44 };

static void put(struct strbuf *out, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        strbuf_putc(out, (char)(v >> (8 * i)));
}

static int16_t sample(float v)
{
    float scaled = roundf(v * 32768.0f);
    if (!(scaled > -32768.0f)) /* NaN is silence */
        return scaled <= -32768.0f ? INT16_MIN : 0;
    return scaled < 32767.0f ? (int16_t)scaled : INT16_MAX;
}

bool wav_encode(const struct wav *w, struct strbuf *out, struct status *st)
{
    int64_t n, bytes;
    if (!size_mul(w->num_frames, w->num_channels, &n) || !size_mul(n, 2, &bytes) ||
        bytes > UINT32_MAX - HEAD || w->num_channels > UINT16_MAX / 2 || w->rate > UINT32_MAX ||
        w->rate * w->num_channels * 2 > UINT32_MAX)
        return status_invalid(st, "the audio is more than a WAV file can hold");
    if (n == 0)
        return status_invalid(st, "audio is null");
    strbuf_puts(out, "RIFF");
    put(out, (uint64_t)bytes + HEAD - 8, 4);
    strbuf_puts(out, "WAVEfmt ");
    put(out, 16, 4);
    put(out, FORMAT_PCM, 2);
    put(out, (uint64_t)w->num_channels, 2);
    put(out, (uint64_t)w->rate, 4);
    put(out, (uint64_t)(w->rate * w->num_channels * 2), 4);
    put(out, (uint64_t)w->num_channels * 2, 2);
    put(out, BITS, 2);
    strbuf_puts(out, "data");
    put(out, (uint64_t)bytes, 4);
    for (int64_t i = 0; i < n; i++)
        put(out, (uint16_t)sample(w->samples[i]), 2);
    return true;
}
