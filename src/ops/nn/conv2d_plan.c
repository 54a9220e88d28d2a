/* SPDX-License-Identifier: Apache-2.0 */
/* Attrs, sizes and plans of two-dimensional convolutions: see conv2d.h. */
#include "ops/nn/conv2d.h"

/* Height and width of an attr of four numbers; the first fault of the others in *plain. */
static bool read_four(const struct attr_value *v, bool nchw, int64_t out[2], bool *plain,
                      struct status *st)
{
    const int h = nchw ? 2 : 1, c = nchw ? 1 : 3;
    out[0] = v->is[h];
    out[1] = v->is[h + 1];
    *plain = v->is[0] == 1 && v->is[c] == 1;
    return (out[0] <= INT32_MAX && out[1] <= INT32_MAX) ||
           status_invalid(st, "Strides and dilations must be below 2147483648");
}

static bool read_window(const struct attrs *a, struct conv2d_attrs *out, struct status *st)
{
    const struct attr_value *stride = attrs_list(a, "strides");
    const struct attr_value *rate = attrs_find(a, "dilations") ? attrs_list(a, "dilations") : NULL;
    if (rate && rate->n != 4)
        return status_invalid(
            st, "Conv2D requires the dilation attribute to contain 4 values, but got: %lld",
            (long long)rate->n);
    if (stride->n != 4)
        return status_invalid(st,
                              "Conv2D on data format %s requires the stride attribute to contain 4 "
                              "values, but got: %lld",
                              out->nchw ? "NCHW" : "NHWC", (long long)stride->n);
    return read_four(stride, out->nchw, out->stride, &out->plain_stride, st) &&
           (!rate || read_four(rate, out->nchw, out->dilation, &out->plain_dilation, st));
}

static bool fail_plain(const char *what, struct status *st)
{
    return status_invalid(st,
                          "Current implementation does not yet support %s in the batch and depth "
                          "dimensions.",
                          what);
}

bool conv2d_attrs_check(const struct conv2d_attrs *a, struct status *st)
{
    if (!a->plain_stride)
        return fail_plain("strides", st);
    if (!a->plain_dilation)
        return fail_plain("dilations", st);
    for (int i = 0; i < 2; i++) {
        if (a->stride[i] < 1)
            return status_invalid(st, "Stride must be > 0, but got %lld", (long long)a->stride[i]);
        if (a->dilation[i] < 1)
            return status_invalid(st, "Dilation rate must be >= 1, but got %lld",
                                  (long long)a->dilation[i]);
    }
    return true;
}

static bool read_explicit(const struct attrs *a, struct conv2d_attrs *out, struct status *st)
{
    if (!attrs_find(a, "explicit_paddings"))
        return true;
    const struct attr_value *v = attrs_list(a, "explicit_paddings");
    if (!str_is(out->padding, "EXPLICIT"))
        return v->n == 0 || status_invalid(st, "explicit_paddings attribute must be empty if the "
                                               "padding attribute is not EXPLICIT");
    if (v->n != 8)
        return status_invalid(st,
                              "explicit_paddings attribute must contain 8 values, but got: "
                              "%lld",
                              (long long)v->n);
    int h = out->nchw ? 2 : 1, c = out->nchw ? 1 : 3;
    for (int i = 0; i < 8; i++) {
        if (v->is[i] < 0 || v->is[i] > INT32_MAX)
            return status_invalid(st, "All elements of explicit_paddings must be nonnegative");
    }
    if (v->is[0] || v->is[1] || v->is[2 * c] || v->is[2 * c + 1])
        return status_invalid(st, "Nonzero explicit padding in the batch or depth dimensions is "
                                  "not supported");
    for (int i = 0; i < 2; i++) {
        out->before[i] = v->is[2 * (h + i)];
        out->after[i] = v->is[2 * (h + i) + 1];
    }
    return true;
}

bool conv2d_attrs_read(const struct attrs *a, struct conv2d_attrs *out, struct status *st)
{
    const bool has_format = attrs_find(a, "data_format");
    *out =
        (struct conv2d_attrs){.nchw = has_format && str_is(attrs_string(a, "data_format"), "NCHW"),
                              .padding = attrs_string(a, "padding"),
                              .dilation = {1, 1},
                              .plain_dilation = true};
    return read_window(a, out, st) && read_explicit(a, out, st);
}

bool conv2d_state_init(struct conv2d_state *s, const struct attrs *a, struct status *st)
{
    lock_init(&s->lock, "conv2d", LOCK_RANK_KERNEL);
    return conv2d_attrs_read(a, &s->attrs, st) && conv2d_attrs_check(&s->attrs, st);
}

void conv2d_release(void *state)
{
    struct conv2d_state *s = state;
    for (int i = 0; i < s->num_plans; i++)
        math_conv_free(s->plans[i]);
    lock_release_memory(&s->lock);
}

void conv2d_from_layout(bool nchw, const int64_t *dims, int64_t out[4])
{
    out[0] = dims[0];
    out[1] = dims[nchw ? 2 : 1];
    out[2] = dims[nchw ? 3 : 2];
    out[3] = dims[nchw ? 1 : 3];
}

struct shape conv2d_to_layout(bool nchw, const int64_t d[4])
{
    return nchw ? shape_4(d[0], d[3], d[1], d[2]) : shape_4(d[0], d[1], d[2], d[3]);
}

bool conv2d_sizes(const struct conv2d_attrs *a, int dtype, const int64_t x[4],
                  const int64_t *filter, struct math_conv_shape *out, struct status *st)
{
    bool same = str_is(a->padding, "SAME");
    int64_t sizes[2][2];
    if (x[3] != filter[2]) {
        if (filter[2] == 0 || x[3] % filter[2] != 0)
            return status_invalid(
                st, "input depth must be evenly divisible by filter depth: %lld vs %lld",
                (long long)x[3], (long long)filter[2]);
        return status_unimplemented(st,
                                    "grouped convolutions: input depth %lld, filter depth "
                                    "%lld",
                                    (long long)x[3], (long long)filter[2]);
    }
    for (int i = 0; i < 2; i++) {
        int64_t in;
        if (__builtin_add_overflow(x[1 + i], a->before[i] + a->after[i], &in))
            return status_invalid(st, "padded size is too big");
        if (!math_conv_output_size(in, filter[i], a->dilation[i], a->stride[i], same, sizes[i], st))
            return false;
    }
    *out = (struct math_conv_shape){.dtype = dtype,
                                    .nchw = a->nchw,
                                    .batch = x[0],
                                    .in_h = x[1],
                                    .in_w = x[2],
                                    .in_c = x[3],
                                    .out_h = sizes[0][0],
                                    .out_w = sizes[1][0],
                                    .out_c = filter[3],
                                    .filter_h = filter[0],
                                    .filter_w = filter[1],
                                    .stride_h = a->stride[0],
                                    .stride_w = a->stride[1],
                                    .dilation_h = a->dilation[0],
                                    .dilation_w = a->dilation[1],
                                    .pad_top = sizes[0][1] + a->before[0],
                                    .pad_left = sizes[1][1] + a->before[1]};
    return true;
}

struct math_conv *conv2d_plan(struct conv2d_state *s, const struct math_conv_shape *shape,
                              bool *own, struct status *st)
{
    struct math_conv *plan = NULL;
    *own = false;
    lock_take(&s->lock);
    for (int i = 0; i < s->num_plans && !plan; i++) {
        if (math_conv_shape_equal(&s->shapes[i], shape))
            plan = s->plans[i];
    }
    if (!plan && math_conv_new(shape, &plan, st)) {
        *own = s->num_plans == CONV2D_PLANS;
        if (!*own) {
            s->shapes[s->num_plans] = *shape;
            s->plans[s->num_plans++] = plan;
        }
    }
    lock_drop(&s->lock);
    return plan;
}
