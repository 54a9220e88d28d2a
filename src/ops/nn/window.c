/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of pooling ops: see window.h. */
#include "ops/nn/window.h"

#include "math/conv.h"

static void set_window(struct window *w, const int64_t size[4], const int64_t stride[4])
{
    const int h = w->nchw ? 2 : 1, c = w->nchw ? 1 : 3;
    for (int i = 0; i < 2; i++) {
        w->size[i] = size[h + i];
        w->stride[i] = stride[h + i];
    }
    w->batches = size[0] != 1 || stride[0] != 1;
    w->depth = size[c];
    w->depth_stride = stride[c];
}

static bool read_format(const struct attrs *a, struct window *w, struct status *st)
{
    struct str format =
        attrs_find(a, "data_format") ? attrs_string(a, "data_format") : str_of("NHWC");
    *w = (struct window){.nchw = str_is(format, "NCHW"), .padding = attrs_string(a, "padding")};
    return !str_is(format, "NCHW_VECT_C") || status_unimplemented(st, "data_format NCHW_VECT_C");
}

static bool want_four(const char *op, const char *what, int64_t n, struct status *st)
{
    return n == 4 ||
           status_invalid(st, "%s requires the %s attribute to contain 4 values, but got: %lld", op,
                          what, (long long)n);
}

bool window_read(const struct attrs *a, const char *op, struct window *out, struct status *st)
{
    const struct attr_value *size = attrs_list(a, "ksize"), *stride = attrs_list(a, "strides");
    if (!want_four(op, "stride", stride->n, st) || !want_four(op, "ksize", size->n, st) ||
        !read_format(a, out, st))
        return false;
    set_window(out, size->is, stride->is);
    return true;
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
    if (!read_format(a, out, st))
        return false;
    set_window(out, size, stride);
    return true;
}

bool window_check(const struct window *w, struct status *st)
{
    const int h = w->nchw ? 2 : 1;
    for (int i = 0; i < 2; i++) {
        if (w->size[i] < 1 || w->size[i] > INT32_MAX)
            return status_invalid(st, "Sliding window ksize for dimension %d was zero.", h + i);
        if (w->stride[i] < 1 || w->stride[i] > INT32_MAX)
            return status_invalid(st, "Sliding window stride for dimension %d was zero.", h + i);
    }
    return !w->batches ||
           status_unimplemented(st, "Pooling is not yet supported on the batch dimension.");
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

/* x with dim i as a window that goes over it leaves it. */
static bool slide(struct infer_ctx *c, const struct shape **x, int i, struct infer_window one,
                  struct status *st)
{
    int64_t out;
    one.in = infer_dim(*x, i);
    if (!infer_window(&one, &out, st))
        return false;
    *x = infer_with_dim(c, *x, i, out);
    return true;
}

bool window_infer(struct infer_ctx *c, const struct window *w, bool over_depth,
                  const struct shape **x, struct status *st)
{
    const int h = w->nchw ? 2 : 1;
    struct infer_window one = {.dilation = 1, .padding = w->padding};
    for (int i = 0; i < 2; i++) {
        one.filter = w->size[i];
        one.stride = w->stride[i];
        if (!slide(c, x, h + i, one, st))
            return false;
    }
    one.filter = w->depth;
    one.stride = w->depth_stride;
    return !over_depth || slide(c, x, w->nchw ? 1 : 3, one, st);
}
