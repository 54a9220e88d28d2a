/* SPDX-License-Identifier: Apache-2.0 */
/* What the pooling ops share: their windows, from attrs or from inputs, and the sizes that follow.
 */
#ifndef LEAT_OPS_NN_WINDOW_H
#define LEAT_OPS_NN_WINDOW_H

#include "math/pooling.h"
#include "op/infer.h"
#include "op/kernel.h"

/* Windows and strides of a node; [0] height, [1] width. */
struct window {
    bool nchw;
    struct str padding;
    int64_t size[2], stride[2];
};

/* From the attrs ksize and strides. */
MUST_CHECK bool window_read(const struct attrs *a, struct window *out, struct status *st);
/* From int32 vectors of four. */
MUST_CHECK bool window_from(const struct attrs *a, const struct tensor *ksize,
                            const struct tensor *strides, struct window *out, struct status *st);

/* Pooling of an image tensor with these four dims. */
MUST_CHECK bool window_sizes(const struct window *w, int dtype, const int64_t *dims,
                             struct math_pooling *out, struct status *st);
struct shape window_out_shape(const struct math_pooling *p);

/* The inferred shape of what pooling x gives. */
MUST_CHECK bool window_infer(struct infer_ctx *c, const struct window *w, const struct shape *x,
                             struct status *st);

#endif
