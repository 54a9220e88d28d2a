/* SPDX-License-Identifier: Apache-2.0 */
/* What the pooling ops share: their windows, from attrs or from inputs, and the sizes that follow.
 */
#ifndef LEAT_OPS_NN_WINDOW_H
#define LEAT_OPS_NN_WINDOW_H

#include "math/pooling.h"
#include "op/infer.h"
#include "op/kernel.h"

/* Windows and strides of a node as they were written; [0] height, [1] width. */
struct window {
    bool nchw;
    struct str padding;
    int64_t size[2], stride[2];
    int64_t depth, depth_stride; /* over the channels */
    bool batches;                /* or over the batch, which nothing can */
};

/* From the attrs ksize and strides; op: the name for messages. */
MUST_CHECK bool window_read(const struct attrs *a, const char *op, struct window *out,
                            struct status *st);
/* From int32 vectors of four. */
MUST_CHECK bool window_from(const struct attrs *a, const struct tensor *ksize,
                            const struct tensor *strides, struct window *out, struct status *st);

/* What a kernel asks of every window; a shape function asks less, as TensorFlow's do. */
MUST_CHECK bool window_check(const struct window *w, struct status *st);

/* Pooling of an image tensor with these four dims. */
MUST_CHECK bool window_sizes(const struct window *w, int dtype, const int64_t *dims,
                             struct math_pooling *out, struct status *st);
struct shape window_out_shape(const struct math_pooling *p);

/* *x, of rank 4, becomes what is known of what pooling it gives; over_depth: channels too. */
MUST_CHECK bool window_infer(struct infer_ctx *c, const struct window *w, bool over_depth,
                             const struct shape **x, struct status *st);

#endif
