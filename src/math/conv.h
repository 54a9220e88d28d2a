/* SPDX-License-Identifier: Apache-2.0 */
/* Two-dimensional convolution and its two gradients, filters stored HWIO.
 *
 * A plan (struct math_conv) is made once per shape by who holds it (a kernel caches a few, keyed by
 * math_conv_shape_equal) and may run on many threads at once. float runs by Winograd's way, by
 * direct loops over the images or by oneDNN's primitives, a rule of the shape (and of what is
 * finite: conv_fast.c); other types by our im2col and gemm. The batch is split by shape alone,
 * partial filter gradients are added in a fixed order: the bits do not depend on the thread count.
 *
 * Workload: NHWC activations, kept NHWC; filters are reordered to the layout the primitive wants,
 * once per value when the caller says which value it is (filter_version), else per call. */
#ifndef LEAT_MATH_CONV_H
#define LEAT_MATH_CONV_H

#include "base/status.h"
#include "math/gemm.h"

struct math_conv_shape {
    int dtype; /* DT_HALF, DT_BFLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT32 */
    bool nchw; /* layout of x and y; the filter is HWIO in both */
    int64_t batch, in_h, in_w, in_c;
    int64_t out_h, out_w, out_c; /* given: the caller applied SAME / VALID / EXPLICIT */
    int64_t filter_h, filter_w;
    int64_t stride_h, stride_w, dilation_h, dilation_w;
    int64_t pad_top, pad_left; /* bottom and right follow from the sizes */
};

/* Output size and padding before the first element of one dimension, as TensorFlow computes them:
 * same: out = ceil(in / stride); else (VALID) out = ceil((in - window + 1) / stride) with no
 * padding. INVALID_ARGUMENT when stride, dilation or filter is below 1 or a VALID output would be
 * negative. */
MUST_CHECK bool math_conv_output_size(int64_t in, int64_t filter, int64_t dilation, int64_t stride,
                                      bool same, int64_t out_and_pad[2], struct status *st);

struct math_conv;

bool math_conv_shape_equal(const struct math_conv_shape *a, const struct math_conv_shape *b);

/* Fails on sizes below 0, strides or dilations below 1, products beyond int64, unknown types. */
MUST_CHECK bool math_conv_new(const struct math_conv_shape *shape, struct math_conv **out,
                              struct status *st);
void math_conv_free(struct math_conv *plan);

/* Bytes the caller must lend for one run (64-byte aligned; may be 0). */
int64_t math_conv_forward_scratch_bytes(const struct math_conv *plan);
int64_t math_conv_backward_data_scratch_bytes(const struct math_conv *plan);
int64_t math_conv_backward_filter_scratch_bytes(const struct math_conv *plan);

struct math_conv_args {
    const void *x;      /* forward, backward_filter */
    const void *filter; /* forward, backward_data: HWIO */
    void *y;            /* forward */
    const void *dy;     /* both backwards */
    void *dx;           /* backward_data; written whole */
    void *dfilter;      /* backward_filter; written whole */
    const void *bias;   /* forward: out_c elements, or NULL */
    enum math_act act;  /* forward */
    void *scratch;
    /* 0: unknown. Equal numbers promise an equal filter value, so its reordered
     * copy is reused. */
    uint64_t filter_version;
};

MUST_CHECK bool math_conv_forward(struct math_conv *plan, struct pool *pool,
                                  const struct math_conv_args *args, struct status *st);
MUST_CHECK bool math_conv_backward_data(struct math_conv *plan, struct pool *pool,
                                        const struct math_conv_args *args, struct status *st);
MUST_CHECK bool math_conv_backward_filter(struct math_conv *plan, struct pool *pool,
                                          const struct math_conv_args *args, struct status *st);

#endif
