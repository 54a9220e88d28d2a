/* SPDX-License-Identifier: Apache-2.0 */
/* One axis under a window that moves over it: for ops that look at patches of images. */
#ifndef LEAT_OP_WINDOW_AXIS_H
#define LEAT_OP_WINDOW_AXIS_H

#include "op/infer.h"

struct window_axis {
    int64_t in, size, stride, rate; /* rate: from one item of the window to the next */
    int64_t out, before;            /* windows; how far the first one begins before the axis */
};

/* How many windows there are; DIM_UNKNOWN where the axis is not known. A window that is longer than
 * the axis by less than a stride is none, and no error. */
MUST_CHECK static inline bool window_axis_count(const struct window_axis *a, struct str padding,
                                                int64_t *out, struct status *st)
{
    int64_t reach = (a->size - 1) * a->rate + 1;
    *out = DIM_UNKNOWN;
    if (a->in < 0)
        return true;
    if (str_is(padding, "SAME"))
        *out = (a->in + a->stride - 1) / a->stride;
    else
        *out = (a->in - reach + a->stride) / a->stride;
    return *out >= 0 ||
           status_invalid(st,
                          "Computed output size would be negative: %lld [input_size: %lld, "
                          "effective_filter_size: %lld, stride: %lld]",
                          (long long)*out, (long long)a->in, (long long)reach,
                          (long long)a->stride);
}

/* Sets out and before from the others; all are known. padding: SAME or VALID. */
MUST_CHECK static inline bool window_axis_set(struct window_axis *a, struct str padding,
                                              struct status *st)
{
    if (!window_axis_count(a, padding, &a->out, st))
        return false;
    int64_t reach = (a->out - 1) * a->stride + (a->size - 1) * a->rate + 1;
    a->before = str_is(padding, "SAME") ? max_i64(reach - a->in, 0) / 2 : 0;
    return true;
}

/* Where item k of window i lies; outside of 0..in - 1: beyond the axis. */
static inline int64_t window_axis_at(const struct window_axis *a, int64_t i, int64_t k)
{
    return i * a->stride + k * a->rate - a->before;
}

#endif
