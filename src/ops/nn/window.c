/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of pooling ops: see window.h. */
#include "ops/nn/window.h"

#include "math/conv.h"

static bool set_window(struct window *w, const int64_t size[4], const int64_t stride[4],
                       struct status *st)
{
    int h = w->nchw ? 2 : 1, c = w->nchw ? 1 : 3;
    if (size[0] != 1 || stride[0] != 1)
        return status_unimplemented(st, "Pooling is not yet supported on the batch dimension.");
    if (size[c] != 1 || stride[c] != 1)
        return status_unimplemented(st, "Pooling over channels is not supported.");
    for (int i = 0; i < 2; i++) {
        w->size[i] = size[h + i];
        w->stride[i] = stride[h + i];
        if (w->size[i] < 1 || w->size[i] > INT32_MAX)
            return status_invalid(st, "Sliding window ksize for dimension %d was zero or negative.",
                                  h + i);
        if (w->stride[i] < 1 || w->stride[i] > INT32_MAX)
            return status_invalid(st,
                                  "Sliding window stride for dimension %d was zero or "
                                  "negative.",
                                  h + i);
    }
    return true;
}

static bool read_format(const struct attrs *a, struct window *w, struct status *st)
{
    struct str format =
        attrs_find(a, "data_format") ? attrs_string(a, "data_format") : str_of("NHWC");
    *w = (struct window){.nchw = str_is(format, "NCHW"), .padding = attrs_string(a, "padding")};
    return !str_is(format, "NCHW_VECT_C") || status_unimplemented(st, "data_format NCHW_VECT_C");
}

bool window_read(const struct attrs *a, struct window *out, struct status *st)
{
    const struct attr_value *size = attrs_list(a, "ksize"), *stride = attrs_list(a, "strides");
    if (size->n != 4 || stride->n != 4)
        return status_invalid(st, "Sliding window ksize and strides must specify 4 dimensions");
    return read_format(a, out, st) && set_window(out, size->is, stride->is, st);
}

bool window_from(const struct attrs *a, const struct tensor *ksize, const struct tensor *strides,
                 struct window *out, struct status *st)
{
    int64_t size[4], stride[4];
    if (ksize->num_elems != 4 || strides->num_elems != 4)
        return status_invalid(st, "Sliding window ksize and strides must specify 4 dimensions");
    for (int i = 0; i < 4; i++) {
        size[i] = tensor_i32(ksize)[i];
        stride[i] = tensor_i32(strides)[i];
    }
    return read_format(a, out, st) && set_window(out, size, stride, st);
}

bool window_sizes(const struct window *w, int dtype, const int64_t *dims, struct math_pooling *out,
                  struct status *st)
{
    int h = w->nchw ? 2 : 1, c = w->nchw ? 1 : 3;
    bool same = str_is(w->padding, "SAME");
    int64_t y[2], x[2];
    if (!math_conv_output_size(dims[h], w->size[0], 1, w->stride[0], same, y, st) ||
        !math_conv_output_size(dims[h + 1], w->size[1], 1, w->stride[1], same, x, st))
        return false;
    *out = (struct math_pooling){.dtype = dtype,
                                 .nchw = w->nchw,
                                 .batch = dims[0],
                                 .channels = dims[c],
                                 .in_h = dims[h],
                                 .in_w = dims[h + 1],
                                 .out_h = y[0],
                                 .out_w = x[0],
                                 .window_h = w->size[0],
                                 .window_w = w->size[1],
                                 .stride_h = w->stride[0],
                                 .stride_w = w->stride[1],
                                 .pad_top = y[1],
                                 .pad_left = x[1]};
    return true;
}

struct shape window_out_shape(const struct math_pooling *p)
{
    return p->nchw ? shape_4(p->batch, p->channels, p->out_h, p->out_w)
                   : shape_4(p->batch, p->out_h, p->out_w, p->channels);
}

bool window_infer(struct infer_ctx *c, const struct window *w, const struct shape *x,
                  struct status *st)
{
    int h = w->nchw ? 2 : 1;
    if (!infer_want_rank(c, x, 4, &x, st))
        return false;
    for (int i = 0; i < 2; i++) {
        struct infer_window one = {infer_dim(x, h + i), w->size[i], 1, w->stride[i],
                                   w->padding,          0,          0};
        int64_t out;
        if (!infer_window(&one, &out, st))
            return false;
        x = infer_with_dim(c, x, h + i, out);
    }
    for (int i = 0; i < infer_num_outputs(c); i++)
        infer_set(c, i, x);
    return true;
}
