/* SPDX-License-Identifier: Apache-2.0 */
/* WAV: a head of 44 bytes (RIFF, fmt, data), then the samples, all little-endian. What is read may
 * have other parts in between. */
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

/* --- reading --- */

struct reader {
    struct str rest;
    bool ended; /* too early: what was read since is 0 */
};

static struct str take(struct reader *r, size_t n)
{
    struct str s = str_make(r->rest.p, n);
    if (n > r->rest.n) {
        r->ended = true;
        return str_make("", 0);
    }
    r->rest = str_make(r->rest.p + n, r->rest.n - n);
    return s;
}

static uint32_t number(struct reader *r, size_t bytes)
{
    struct str s = take(r, bytes);
    uint32_t v = 0;
    for (size_t i = 0; i < s.n; i++)
        v |= (uint32_t)(unsigned char)s.p[i] << (8 * i);
    return v;
}

static bool ended(struct status *st)
{
    return status_invalid(st, "Data too short when trying to read string");
}

static bool want_word(struct reader *r, const char *word, struct status *st)
{
    struct str s = take(r, 4);
    if (r->ended)
        return ended(st);
    return str_is(s, word) ||
           status_invalid(st, "Header mismatch: Expected %s but found %.*s", word, (int)s.n, s.p);
}

/* The form, behind the word "fmt ". */
static bool read_form(struct reader *r, struct wav_file *f, struct status *st)
{
    const uint32_t size = number(r, 4), form = number(r, 2), channels = number(r, 2);
    const uint32_t rate = number(r, 4), per_second = number(r, 4), per_frame = number(r, 2);
    const uint32_t bits = number(r, 2);
    if (!r->ended && size != 16 && size != 18)
        return status_invalid(st, "Bad file size for WAV: Expected 16 or 18, but got%u", size);
    if (size == 18)
        number(r, 2);
    if (r->ended)
        return ended(st);
    if (form != FORMAT_PCM)
        return status_invalid(st, "Bad audio format for WAV: Expected 1 (PCM), but got%u", form);
    if (channels < 1)
        return status_invalid(st, "Bad number of channels for WAV: Expected at least 1, but got %u",
                              channels);
    if (bits != BITS)
        return status_invalid(st, "Can only read 16-bit WAV files, but received %u", bits);
    if (per_frame != 2 * channels)
        return status_invalid(st, "Bad bytes per sample in WAV header: Expected %u but got %u",
                              2 * channels, per_frame);
    if (per_second != per_frame * rate)
        return status_invalid(st,
                              "Bad bytes per second in WAV header: Expected %u but got %u "
                              "(sample_rate=%u, bytes_per_sample=%u)",
                              per_frame * rate, per_second, rate, per_frame);
    f->num_channels = channels;
    f->rate = rate;
    return true;
}

/* The parts behind the form. */
static bool read_parts(struct reader *r, struct wav_file *f, struct status *st)
{
    bool found = false;
    while (r->rest.n > 0) {
        struct str word = take(r, 4);
        uint32_t size = number(r, 4);
        if (r->ended)
            return ended(st);
        if (size > INT32_MAX)
            return status_invalid(
                st, "WAV data chunk '%.4s' is too large: %u bytes, but the limit is %d", word.p,
                size, INT32_MAX);
        if (!str_is(word, "data")) {
            take(r, size < r->rest.n ? size : r->rest.n);
            continue;
        }
        if (found)
            return status_invalid(st, "More than one data chunk found in WAV");
        found = true;
        f->num_frames = size / (2 * f->num_channels);
        f->samples =
            (const unsigned char *)take(r, (size_t)(f->num_frames * f->num_channels * 2)).p;
        if (r->ended)
            return ended(st);
    }
    return found || status_invalid(st, "No data chunk found in WAV");
}

bool wav_open(struct str bytes, struct wav_file *out, struct status *st)
{
    struct reader r = {.rest = bytes};
    *out = (struct wav_file){0};
    if (!want_word(&r, "RIFF", st))
        return false;
    number(&r, 4); /* the file's size; nobody writes it well */
    return want_word(&r, "WAVE", st) && want_word(&r, "fmt ", st) && read_form(&r, out, st) &&
           read_parts(&r, out, st);
}

float wav_sample(const struct wav_file *f, int64_t frame, int64_t channel)
{
    const unsigned char *p = f->samples + 2 * (frame * f->num_channels + channel);
    return (float)(int16_t)(p[0] | p[1] << 8) / 32768.0f;
}
