/* SPDX-License-Identifier: Apache-2.0 */
/* What the ops over three dimensions share: windows from attrs, sizes, shapes. */
#ifndef LEAT_OPS_NN_VOLUME_H
#define LEAT_OPS_NN_VOLUME_H

#include "math/volume.h"
#include "op/infer.h"
#include "op/kernel.h"

struct volume_attrs {
    bool channels_first;
    struct str padding;
    int64_t window[3], stride[3]; /* window: of pooling */
    int64_t dilation[3];
};

/* ksize, where the op has it, strides, dilations, where it has them, padding, data_format. */
MUST_CHECK bool volume_attrs_read(const struct attrs *a, struct volume_attrs *out,
                                  struct status *st);
/* What a kernel asks of them besides; a shape function asks less, as TensorFlow's do. */
MUST_CHECK bool volume_attrs_check(const struct attrs *a, struct status *st);

/* Sizes over a volume with these five dims, channels last; window and out_c are set. */
MUST_CHECK bool volume_sizes(const struct volume_attrs *a, const int64_t *dims,
                             struct math_volume *v, struct status *st);
struct shape volume_out_shape(const struct math_volume *v);

/* Dims in the order batch, three, channels, from a tensor's and back. */
void volume_from_layout(bool channels_first, const int64_t *dims, int64_t out[5]);
struct shape volume_to_layout(bool channels_first, const int64_t dims[5]);
/* t's elements with the channels last: its own, or a copy (of dims, channels last, in *dims). NULL:
 * RESOURCE_EXHAUSTED. Elements are of `item` bytes at data. */
const void *volume_channels_last(struct kctx *c, bool channels_first, const struct tensor *t,
                                 const void *data, size_t item, struct status *st);
/* The other way: elements with the channels last (dims as such) into a result. */
void volume_channels_back(struct kctx *c, const int64_t dims[5], const void *from, void *to,
                          size_t item);

/* The inferred shape of windows over x; channels -1: those of x. */
MUST_CHECK bool volume_infer(struct infer_ctx *c, const struct volume_attrs *a,
                             const int64_t window[3], int64_t channels, struct status *st);
/* The shape that input i holds, five dims. */
MUST_CHECK bool volume_infer_sizes(struct infer_ctx *c, int i, struct status *st);

/* A vector of n sizes, none negative. */
MUST_CHECK bool volume_read_sizes(const struct kctx *c, int i, int n, int64_t *out,
                                  struct status *st);

#endif
