/* SPDX-License-Identifier: Apache-2.0 */
/* Sound as WAV files of 16-bit samples, written and read. */
#ifndef LEAT_CODEC_WAV_H
#define LEAT_CODEC_WAV_H

#include "base/status.h"
#include "base/str.h"

struct wav {
    const float *samples; /* [frame][channel]; 1 is the loudest, what is beyond is cut */
    int64_t num_frames, num_channels;
    int64_t rate; /* frames a second */
};
/* Appends the file. INVALID_ARGUMENT: no samples, or more than the form's 4 GiB. */
MUST_CHECK bool wav_encode(const struct wav *w, struct strbuf *out, struct status *st);

/* What a file holds: samples lie in its bytes, which are borrowed. Of its parts only the form and
 * one run of samples count; others are passed over. INVALID_ARGUMENT: other forms than 16-bit PCM,
 * bytes that end early. */
struct wav_file {
    const unsigned char *samples; /* [frame][channel], 16 bits, the lower byte first */
    int64_t num_frames, num_channels, rate;
};
MUST_CHECK bool wav_open(struct str bytes, struct wav_file *out, struct status *st);
/* -1 to 1. */
float wav_sample(const struct wav_file *f, int64_t frame, int64_t channel);

#endif
