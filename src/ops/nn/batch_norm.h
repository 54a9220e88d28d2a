/* SPDX-License-Identifier: Apache-2.0 */
/* What batch normalisation and its gradient share: images as float rows, channels last. */
#ifndef LEAT_OPS_NN_BATCH_NORM_H
#define LEAT_OPS_NN_BATCH_NORM_H

#include "math/batch_norm.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/kernel.h"

#define BATCH_NORM_FORMAT                                                                          \
    "epsilon: float = 0.0001", "data_format: {'NHWC', 'NCHW'} = 'NHWC'", "is_training: bool = true"

struct batch_norm_images {
    const struct tensor *t;
    bool nchw;
    int64_t batch, pixels, channels; /* pixels: of one image */
    int64_t rows;                    /* batch * pixels */
};

bool batch_norm_nchw(const struct attrs *a);
/* Input i, which has four dims. */
MUST_CHECK bool batch_norm_images(const struct kctx *c, int i, struct batch_norm_images *m,
                                  struct status *st);
/* Input i is a vector of n elements, or of none. */
MUST_CHECK bool batch_norm_want_channels(const struct kctx *c, int i, const char *name, int64_t n,
                                         struct status *st);
MUST_CHECK bool batch_norm_want_none(const struct kctx *c, int i, const char *name,
                                     struct status *st);

/* The images as float rows: their own memory, or scratch. NULL: RESOURCE_EXHAUSTED. */
const float *batch_norm_rows(struct kctx *c, const struct batch_norm_images *m, struct status *st);
/* Where to write the rows of a result like m that is to end in out: its memory, or scratch. */
float *batch_norm_result_rows(struct kctx *c, const struct batch_norm_images *m,
                              const struct tensor *out, struct status *st);
/* Puts those rows into out. */
MUST_CHECK bool batch_norm_result(struct kctx *c, const struct batch_norm_images *m,
                                  const float *rows, const struct tensor *out, struct status *st);

/* The gradient of FusedBatchNorm in each version. */
bool batch_norm_grad(struct grad_ctx *g, struct status *st);

#endif
