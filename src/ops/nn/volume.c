/* SPDX-License-Identifier: Apache-2.0 */
/* Windows over three dimensions: see volume.h. */
#include "ops/nn/volume.h"

#include "math/conv.h"
#include "math/transpose.h"

static bool read_five(const struct attrs *a, const char *name, bool channels_first, int64_t out[3],
                      struct status *st)
{
    const struct attr_value *v = attrs_list(a, name);
    const bool pooling = attrs_find(a, "ksize");
    if (v->n != 5)
        return status_invalid(st, "%s requires the %s attribute to contain 5 values, but got: %lld",
                              pooling ? "Pool3D" : "Conv3D",
                              str_is(str_of(name), "dilations") ? "dilation"
                              : str_is(str_of(name), "ksize")   ? "ksize"
                                                                : "stride",
                              (long long)v->n);
    for (int i = 0; i < 3; i++) {
        out[i] = v->is[(channels_first ? 2 : 1) + i];
        if (out[i] > INT32_MAX)
            return status_invalid(st, "Attr %s must be below 2147483648", name);
    }
    return true;
}

/* What a kernel asks of one attr. */
static bool check_five(const struct attrs *a, const char *name, bool channels_first,
                       struct status *st)
{
    const struct attr_value *v = attrs_list(a, name);
    const int channels = channels_first ? 1 : 4;
    const bool pooling = attrs_find(a, "ksize");
    if (pooling && v->is[0] != 1)
        return status_unimplemented(st, "Pooling is not yet supported on the batch dimension.");
    if (pooling && v->is[channels] != 1)
        return status_unimplemented(st, "Pooling is not yet supported on the depth dimension.");
    if (v->is[0] != 1 || v->is[channels] != 1)
        return status_invalid(st,
                              "Current implementation does not yet support %s in the batch and "
                              "depth dimensions.",
                              name);
    for (int i = 1; i < 5; i++) {
        if (v->is[i] < 1)
            return status_invalid(st, "Attr %s must be between 1 and 2147483647", name);
    }
    return true;
}

bool volume_attrs_check(const struct attrs *a, struct status *st)
{
    static const char *const names[] = {"ksize", "strides", "dilations"};
    const bool first = str_is(attrs_string(a, "data_format"), "NCDHW");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (attrs_find(a, names[i]) && !check_five(a, names[i], first, st))
            return false;
    }
    return true;
}

bool volume_attrs_read(const struct attrs *a, struct volume_attrs *out, struct status *st)
{
    const bool format = attrs_find(a, "data_format");
    *out = (struct volume_attrs){.channels_first =
                                     format && str_is(attrs_string(a, "data_format"), "NCDHW"),
                                 .padding = attrs_string(a, "padding"),
                                 .window = {1, 1, 1},
                                 .dilation = {1, 1, 1}};
    return (!attrs_find(a, "ksize") ||
            read_five(a, "ksize", out->channels_first, out->window, st)) &&
           (!attrs_find(a, "dilations") ||
            read_five(a, "dilations", out->channels_first, out->dilation, st)) &&
           read_five(a, "strides", out->channels_first, out->stride, st);
}

bool volume_sizes(const struct volume_attrs *a, const int64_t *dims, struct math_volume *v,
                  struct status *st)
{
    v->batch = dims[0];
    v->in_c = dims[4];
    for (int i = 0; i < 3; i++) {
        int64_t size[2];
        if (!math_conv_output_size(dims[1 + i], v->window[i], 1, a->stride[i],
                                   str_is(a->padding, "SAME"), size, st))
            return false;
        v->in[i] = dims[1 + i];
        v->stride[i] = a->stride[i];
        v->out[i] = size[0];
        v->pad[i] = size[1];
    }
    return true;
}

struct shape volume_out_shape(const struct math_volume *v)
{
    const int64_t dims[] = {v->batch, v->out[0], v->out[1], v->out[2], v->out_c};
    return shape_make(dims, 5);
}

void volume_from_layout(bool channels_first, const int64_t *dims, int64_t out[5])
{
    const int at = channels_first ? 2 : 1;
    out[0] = dims[0];
    for (int i = 0; i < 3; i++)
        out[1 + i] = dims[at + i];
    out[4] = dims[channels_first ? 1 : 4];
}

struct shape volume_to_layout(bool channels_first, const int64_t d[5])
{
    const int64_t first[] = {d[0], d[4], d[1], d[2], d[3]};
    return shape_make(channels_first ? first : d, 5);
}

/* batch x rows x cols to batch x cols x rows */
static void turn(struct kctx *c, const int64_t dims[3], const void *x, void *y, size_t item)
{
    math_transpose(
        kernel_pool(c),
        &(struct math_transpose){
            .item = item, .x = x, .y = y, .rank = 3, .dims = dims, .perm = (int[]){0, 2, 1}});
}

const void *volume_channels_last(struct kctx *c, bool channels_first, const struct tensor *t,
                                 const void *data, size_t item, struct status *st)
{
    if (!channels_first || !data)
        return data;
    void *y = kernel_scratch(c, max_i64(t->num_elems, 1) * (int64_t)item, st);
    const int64_t *d = shape_dims(&t->shape);
    if (y && t->num_elems > 0)
        turn(c, (const int64_t[]){d[0], d[1], d[2] * d[3] * d[4]}, data, y, item);
    return y;
}

void volume_channels_back(struct kctx *c, const int64_t d[5], const void *from, void *to,
                          size_t item)
{
    turn(c, (const int64_t[]){d[0], d[1] * d[2] * d[3], d[4]}, from, to, item);
}

bool volume_infer(struct infer_ctx *c, const struct volume_attrs *a, const int64_t window[3],
                  int64_t channels, struct status *st)
{
    const struct shape *x;
    const int at = a->channels_first ? 2 : 1, channel = a->channels_first ? 1 : 4;
    if (!infer_want_rank(c, infer_input(c, 0), 5, &x, st))
        return false;
    if (channels != DIM_UNKNOWN || infer_num_inputs(c) > 1)
        x = infer_with_dim(c, x, channel, channels);
    for (int i = 0; i < 3; i++) {
        const struct infer_window one = {
            infer_dim(x, at + i), window[i], a->dilation[i], a->stride[i], a->padding, 0, 0};
        int64_t out;
        if (!infer_window(&one, &out, st))
            return false;
        x = infer_with_dim(c, x, at + i, out);
    }
    infer_set(c, 0, x);
    return true;
}

bool volume_infer_sizes(struct infer_ctx *c, int i, struct status *st)
{
    const struct shape *s;
    if (!infer_const_shape(c, i, &s, st) || !infer_want_rank(c, s, 5, &s, st))
        return false;
    infer_set(c, 0, s);
    return true;
}

bool volume_read_sizes(const struct kctx *c, int i, int n, int64_t *out, struct status *st)
{
    const struct tensor *t = kernel_in(c, i);
    if (t->shape.rank != 1 || t->num_elems != n)
        return status_invalid(st, "%s: sizes must be a vector of %d elements", c->kernel->op->name,
                              n);
    for (int k = 0; k < n; k++) {
        out[k] = tensor_index(t, k);
        if (out[k] < 0)
            return status_invalid(st, "%s: size %lld must be non-negative", c->kernel->op->name,
                                  (long long)out[k]);
    }
    return true;
}
