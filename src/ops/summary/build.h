/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a Summary message from tensors: what both families of ops share, those that give the
 * message out and those that write it to a file. The bytes are TensorFlow 1.15's. */
#ifndef LEAT_OPS_SUMMARY_BUILD_H
#define LEAT_OPS_SUMMARY_BUILD_H

#include "op/kernel.h"
#include "proto/leat_proto.h"

struct summary_to {
    struct arena *arena;
    struct pb_summary *message;
};

/* Element i of a real type as a double. */
double summary_number(const struct tensor *t, int64_t i);

void summary_add_scalar(struct summary_to *s, struct str tag, float value);
/* Counts in buckets that grow by a tenth. INVALID_ARGUMENT: NaN or infinity, with `name`. */
MUST_CHECK bool summary_add_histogram(struct summary_to *s, struct str tag,
                                      const struct tensor *values, const char *name,
                                      struct status *st);
/* [batch, height, width, 1, 3 or 4]: the first max_images, as "tag/image/0"... Floats are scaled by
 * the greatest of each image; pixels that are not finite get bad_color. */
struct summary_images {
    struct str tag;
    const struct tensor *images, *bad_color;
    int64_t max_images;
};
MUST_CHECK bool summary_add_images(struct summary_to *s, const struct summary_images *in,
                                   struct kctx *c, struct status *st);
/* [batch, frames] or [batch, frames, channels]: the first max_outputs, as "tag/audio/0"... */
struct summary_audio {
    struct str tag;
    const struct tensor *audio;
    float rate;
    int64_t max_outputs;
};
MUST_CHECK bool summary_add_audio(struct summary_to *s, const struct summary_audio *in,
                                  struct status *st);
/* The tensor lives as long as the message is used. metadata, a serialized SummaryMetadata, may be
 * NULL; bytes that are none count as an empty one. */
void summary_add_tensor(struct summary_to *s, struct str tag, const struct tensor *t,
                        const struct str *metadata);
/* Scalar string input i. */
MUST_CHECK bool summary_tag(const struct kctx *c, int i, const char *words, struct str *tag,
                            struct status *st);

#endif
