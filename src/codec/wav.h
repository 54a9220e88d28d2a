/* SPDX-License-Identifier: Apache-2.0 */
/* Sound as a WAV file of 16-bit samples. */
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

#endif
