/* SPDX-License-Identifier: Apache-2.0 */
/* FusedPadConv2D and FusedResizeAndPadConv2D: images, resized perhaps, with their own reflection
 * around them, convolved. The images as the convolution sees them are laid out in scratch; then it
 * is a convolution like any other (math/conv.h). */
#include <string.h>

#include "math/resize.h"
#include "op/floats.h"
#include "ops/nn/conv2d.h"

struct fused_pad {
    struct conv2d_state conv;
    bool resizes, align_corners;
    int border; /* 1: REFLECT leaves the border out; 0: SYMMETRIC */
};

/* --- shape --- */

/* x with height and width as they are after the padding, which is input i. */
static bool infer_padded(struct infer_ctx *c, int i, const struct shape **x, struct status *st)
{
    const struct shape *p;
    int64_t dim;
    const struct tensor *t = infer_const(c, i);
    if (!infer_want_rank(c, infer_input(c, i), 2, &p, st) ||
        !infer_want_dim(c, infer_dim(p, 1), 2, &dim, st) ||
        !infer_want_dim(c, infer_dim(p, 0), 4, &dim, st))
        return false;
    for (int d = 0; d < 4; d++) {
        const int64_t before = t ? tensor_i32(t)[2 * d] : 0,
                      after = t ? tensor_i32(t)[2 * d + 1] : 0;
        if (before < 0 || after < 0)
            return status_invalid(st, "Paddings must be non-negative");
        *x = infer_with_dim(c, *x, d,
                            t ? infer_dim_add(infer_dim(*x, d), before + after) : DIM_UNKNOWN);
    }
    return true;
}

static bool infer_resized(struct infer_ctx *c, const struct shape **x, struct status *st)
{
    const struct shape *size;
    int64_t n;
    if (!infer_want_rank(c, infer_input(c, 1), 1, &size, st) ||
        !infer_want_dim(c, infer_dim(size, 0), 2, &n, st))
        return false;
    const struct tensor *t = infer_const(c, 1);
    for (int i = 0; i < 2; i++) {
        const int64_t to = t ? tensor_i32(t)[i] : DIM_UNKNOWN;
        *x = infer_with_dim(c, *x, 1 + i, to >= 0 ? to : DIM_UNKNOWN);
    }
    return true;
}

static bool infer_fused(struct infer_ctx *c, bool resizes, struct status *st)
{
    struct conv2d_attrs a;
    const struct shape *x, *f;
    int64_t depth;
    const int pads = resizes ? 2 : 1;
    if (!conv2d_attrs_read(infer_attrs(c), &a, st) ||
        !infer_want_rank(c, infer_input(c, 0), 4, &x, st) ||
        !infer_want_rank(c, infer_input(c, pads + 1), 4, &f, st) ||
        (resizes && !infer_resized(c, &x, st)) || !infer_padded(c, pads, &x, st) ||
        !infer_merge_dim(infer_dim(x, 3), infer_dim(f, 2), &depth, st))
        return false;
    int64_t out[4] = {infer_dim(x, 0), 0, 0, infer_dim(f, 3)};
    for (int i = 0; i < 2; i++) {
        const struct infer_window w = {
            infer_dim(x, 1 + i), infer_dim(f, i), 1, a.stride[i], a.padding, 0, 0};
        if (!infer_window(&w, &out[1 + i], st))
            return false;
    }
    infer_set(c, 0, infer_make(c, out, 4));
    return true;
}

static bool pad_shape(struct infer_ctx *c, struct status *st)
{
    return infer_fused(c, false, st);
}

static bool resize_shape(struct infer_ctx *c, struct status *st)
{
    return infer_fused(c, true, st);
}

/* --- kernel --- */

static bool fused_init(struct kernel *k, void *state, struct status *st)
{
    struct fused_pad *f = state;
    f->border = str_is(attrs_string(k->attrs, "mode"), "REFLECT");
    f->resizes = attrs_find(k->attrs, "resize_align_corners");
    f->align_corners = f->resizes && attrs_bool(k->attrs, "resize_align_corners");
    return conv2d_state_init(&f->conv, k->attrs, st);
}

static void fused_release(void *state)
{
    conv2d_release(&((struct fused_pad *)state)->conv);
}

/* An image as it is (in), resized (mid), padded (out); [0] height, [1] width. */
struct layout {
    int64_t batch, channels;
    int64_t in[2], mid[2], out[2], before[2];
};

static bool read_pads(const struct tensor *t, int border, struct layout *l, struct status *st)
{
    if (tensor_rank(t) != 2 || tensor_dim(t, 1) != 2)
        return status_bad_shape(st, "paddings must be a matrix with 2 columns: ", &t->shape);
    if (tensor_dim(t, 0) != 4)
        return status_bad_shape(
            st, "The first dimension of paddings must be the rank of inputs: ", &t->shape);
    const int32_t *p = tensor_i32(t);
    for (int i = 0; i < 8; i++) {
        if (p[i] < 0)
            return status_invalid(st, "paddings must be non-negative: %d", (int)p[i]);
    }
    if (p[0] || p[1])
        return status_invalid(st,
                              "Fused mirror padding only support spatial padding, not batches: "
                              "%d, %d",
                              (int)p[0], (int)p[1]);
    if (p[6] || p[7])
        return status_invalid(st,
                              "Fused mirror padding only support spatial padding, not channels: "
                              "%d, %d",
                              (int)p[6], (int)p[7]);
    for (int i = 0; i < 2; i++) {
        const int32_t before = p[2 * (i + 1)], after = p[2 * (i + 1) + 1];
        const int64_t most = l->mid[i] - border;
        if (before > most || after > most)
            return status_invalid(st, "paddings must be %s the dimension size: %d, %d %s %lld",
                                  border ? "less than" : "no greater than", (int)before, (int)after,
                                  border ? "not less than" : "greater than", (long long)l->mid[i]);
        l->before[i] = before;
        l->out[i] = l->mid[i] + before + after;
    }
    return true;
}

static bool read_size(const struct tensor *t, struct layout *l, struct status *st)
{
    if (tensor_rank(t) != 1 || t->num_elems != 2)
        return status_bad_shape(st, "shape_t must have two elements", &t->shape);
    l->mid[0] = tensor_i32(t)[0];
    l->mid[1] = tensor_i32(t)[1];
    return (l->mid[0] > 0 && l->mid[1] > 0) ||
           status_invalid(st, "output dimensions must be positive");
}

static bool read_layout(const struct kctx *c, const struct fused_pad *f, struct layout *l,
                        struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *filter = kernel_in(c, f->resizes ? 3 : 2);
    if (tensor_rank(x) != 4)
        return status_bad_shape(st, "input must be 4-dimensional", &x->shape);
    if (x->num_elems == 0)
        return status_invalid(st, "Input tensor can't be empty");
    *l = (struct layout){.batch = tensor_dim(x, 0), .channels = tensor_dim(x, 3)};
    for (int i = 0; i < 2; i++)
        l->mid[i] = l->in[i] = tensor_dim(x, 1 + i);
    if ((f->resizes && !read_size(kernel_in(c, 1), l, st)) ||
        !read_pads(kernel_in(c, f->resizes ? 2 : 1), f->border, l, st))
        return false;
    if (tensor_rank(filter) != 4)
        return status_bad_shape(st, "filter must be 4-dimensional: ", &filter->shape);
    return l->channels == tensor_dim(filter, 2) ||
           status_invalid(st, "input and filter must have the same depth: %lld vs %lld",
                          (long long)l->channels, (long long)tensor_dim(filter, 2));
}

/* Scratch for images of these sizes. */
static void *room(struct kctx *c, const struct layout *l, const int64_t size[2], size_t item,
                  struct status *st)
{
    int64_t bytes = (int64_t)item;
    if (size_mul(bytes, l->batch, &bytes) && size_mul(bytes, l->channels, &bytes) &&
        size_mul(bytes, size[0], &bytes) && size_mul(bytes, size[1], &bytes))
        return kernel_scratch(c, bytes, st);
    status_invalid(st, "%s: the padded images are too big", c->kernel->op->name);
    return NULL;
}

struct resize_arg {
    const struct layout *l;
    const void *x;
    void *y;
    float scale[2];
};

#define SAME(x) (x)
#define RESIZE(NAME, T, WIDE, LOAD, STORE)                                                         \
    static void resize_##NAME(void *arg, int64_t begin, int64_t end)                               \
    {                                                                                              \
        const struct resize_arg *a = arg;                                                          \
        const struct layout *l = a->l;                                                             \
        const int64_t c = l->channels, line = l->in[1] * c;                                        \
        for (int64_t row = begin; row < end; row++) {                                              \
            const struct math_between v =                                                          \
                math_between(row % l->mid[0], a->scale[0], l->in[0], false);                       \
            const T *image = (const T *)a->x + row / l->mid[0] * l->in[0] * line;                  \
            T *y = (T *)a->y + row * l->mid[1] * c;                                                \
            for (int64_t j = 0; j < l->mid[1]; j++) {                                              \
                const struct math_between u = math_between(j, a->scale[1], l->in[1], false);       \
                const T *left = image + u.low * c, *right = image + u.high * c;                    \
                for (int64_t k = 0; k < c; k++) {                                                  \
                    const WIDE tl = LOAD(left[v.low * line + k]);                                  \
                    const WIDE bl = LOAD(left[v.high * line + k]);                                 \
                    const WIDE t = tl + (LOAD(right[v.low * line + k]) - tl) * (WIDE)u.part;       \
                    const WIDE b = bl + (LOAD(right[v.high * line + k]) - bl) * (WIDE)u.part;      \
                    *y++ = STORE(t + (b - t) * (WIDE)v.part);                                      \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
RESIZE(f32, float, float, SAME, SAME)
RESIZE(f64, double, double, SAME, SAME)
RESIZE(f16, struct f16, float, f16_to_f32, f16_from_f32)

static const void *resized(struct kctx *c, const struct fused_pad *f, const struct layout *l,
                           struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    if (!f->resizes || (l->mid[0] == l->in[0] && l->mid[1] == l->in[1]))
        return x->data;
    struct resize_arg a = {.l = l, .x = x->data};
    for (int i = 0; i < 2; i++)
        a.scale[i] = math_resize_scale(l->in[i], l->mid[i], f->align_corners);
    if (!(a.y = room(c, l, l->mid, dtype_size(x->dtype), st)))
        return NULL;
    kernel_loop(c, l->batch * l->mid[0], (double)(l->mid[1] * (l->channels * 2 + 2)),
                x->dtype == DT_FLOAT    ? resize_f32
                : x->dtype == DT_DOUBLE ? resize_f64
                                        : resize_f16,
                &a);
    return a.y;
}

struct mirror_arg {
    const struct layout *l;
    const char *x;
    char *y;
    int64_t pixel; /* bytes */
    int border;
};

/* Which of n pixels the one at i is, or reflects. */
static int64_t reflected(int64_t i, int64_t n, int border)
{
    if (i < 0)
        i = -i - 1 + border;
    return i < n ? i : 2 * n - 1 - border - i;
}

static void mirror_rows(void *arg, int64_t begin, int64_t end)
{
    const struct mirror_arg *a = arg;
    const struct layout *l = a->l;
    for (int64_t row = begin; row < end; row++) {
        const int64_t from = reflected(row % l->out[0] - l->before[0], l->mid[0], a->border);
        const char *x = a->x + (row / l->out[0] * l->mid[0] + from) * l->mid[1] * a->pixel;
        char *y = a->y + row * l->out[1] * a->pixel;
        memcpy(y + l->before[1] * a->pixel, x, (size_t)(l->mid[1] * a->pixel));
        for (int64_t j = 0; j < l->out[1]; j++) {
            if (j == l->before[1])
                j += l->mid[1];
            if (j < l->out[1])
                memcpy(y + j * a->pixel,
                       x + reflected(j - l->before[1], l->mid[1], a->border) * a->pixel,
                       (size_t)a->pixel);
        }
    }
}

static const void *padded(struct kctx *c, const struct fused_pad *f, const struct layout *l,
                          const void *x, struct status *st)
{
    const size_t item = dtype_size(kernel_in(c, 0)->dtype);
    if (!x || (l->out[0] == l->mid[0] && l->out[1] == l->mid[1]))
        return x;
    struct mirror_arg a = {.l = l, .x = x, .pixel = l->channels * (int64_t)item};
    a.border = f->border;
    if ((a.y = room(c, l, l->out, item, st)))
        kernel_loop(c, l->batch * l->out[0], (double)(l->out[1] * l->channels), mirror_rows, &a);
    return a.y;
}

static bool fused_run(struct kctx *c, struct status *st)
{
    struct fused_pad *f = kernel_state(c);
    const struct tensor *filter = kernel_in(c, f->resizes ? 3 : 2);
    struct layout l;
    struct math_conv_shape m;
    if (!read_layout(c, f, &l, st))
        return false;
    const int64_t dims[4] = {l.batch, l.out[0], l.out[1], l.channels};
    if (!conv2d_sizes(&f->conv.attrs, filter->dtype, dims, shape_dims(&filter->shape), &m, st))
        return false;
    const void *x = padded(c, f, &l, resized(c, f, &l, st), st);
    return x && conv2d_forward(c, &f->conv, &m,
                               (struct math_conv_args){.x = x, .filter = filter->data}, st);
}

#define KERNEL(id, op_name)                                                                        \
    KERNEL_DEF(id) = {.op = op_name,                                                               \
                      .device = "CPU",                                                             \
                      .flags = KERNEL_EXPENSIVE,                                                   \
                      .state_bytes = sizeof(struct fused_pad),                                     \
                      .init = fused_init,                                                          \
                      .release = fused_release,                                                    \
                      .run = fused_run}

OP_DEF(fused_pad_conv2d) = {
    .name = "FusedPadConv2D",
    .summary = "Images with their reflection around them, convolved with a bank of filters.",
    .inputs = {"input: T", "paddings: int32", "filter: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {half, float, double}", "mode: {'REFLECT', 'SYMMETRIC'}", "strides: list(int)",
              "padding: {'SAME', 'VALID'}"},
    .shape = pad_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL(fused_pad_conv2d_cpu, "FusedPadConv2D");

OP_DEF(fused_resize_and_pad_conv2d) = {
    .name = "FusedResizeAndPadConv2D",
    .summary =
        "Resized images with their reflection around them, convolved with a bank of filters.",
    .inputs = {"input: T", "size: int32", "paddings: int32", "filter: T"},
    .outputs = {"output: T"},
    .attrs = {"T: {half, float, double}", "resize_align_corners: bool = false",
              "mode: {'REFLECT', 'SYMMETRIC'}", "strides: list(int)", "padding: {'SAME', 'VALID'}"},
    .shape = resize_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL(fused_resize_and_pad_conv2d_cpu, "FusedResizeAndPadConv2D");
