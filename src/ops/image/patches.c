/* SPDX-License-Identifier: Apache-2.0 */
/* ExtractImagePatches and ExtractVolumePatches: what a moving window sees, beside each other in the
 * last dimension. An image is a volume of one plane. */
#include <string.h>

#include "op/floats.h"
#include "op/grad.h"
#include "op/infer.h"
#include "op/window_axis.h"

/* A list of `rank` sizes, 1 for batch and channels; those between into out[3], planes first. */
static bool read_list(const struct attrs *attrs, const char *name, int rank, int64_t out[3],
                      struct status *st)
{
    const struct attr_value *v = attrs_list(attrs, name);
    if (v->n != rank)
        return status_invalid(st, "%s must have %d elements, but has %lld", name, rank,
                              (long long)v->n);
    if (v->is[0] != 1 || v->is[rank - 1] != 1)
        return status_unimplemented(st, "Only support %s across space.", name);
    out[0] = 1;
    for (int i = 1; i < rank - 1; i++) {
        if (v->is[i] < 1 || v->is[i] > INT32_MAX)
            return status_fail(st, STATUS_OUT_OF_RANGE, "%s is out of range.", name);
        out[i + 4 - rank] = v->is[i];
    }
    return true;
}

static bool read_axes(const struct attrs *attrs, int rank, struct window_axis axes[3],
                      struct status *st)
{
    int64_t sizes[3], strides[3], rates[3] = {1, 1, 1};
    if (!read_list(attrs, "ksizes", rank, sizes, st) ||
        !read_list(attrs, "strides", rank, strides, st) ||
        (rank == 4 && !read_list(attrs, "rates", rank, rates, st)))
        return false;
    for (int i = 0; i < 3; i++)
        axes[i] = (struct window_axis){
            .in = 1, .out = 1, .size = sizes[i], .stride = strides[i], .rate = rates[i]};
    return true;
}

/* A kernel knows its op's rank by whether it has rates. */
static int rank_of(const struct attrs *attrs)
{
    return attrs_find(attrs, "rates") ? 4 : 5;
}

struct patches_arg {
    const struct window_axis *a;
    const char *x;
    char *y;
    size_t pixel; /* bytes of all channels */
};

static void copy_patch(const struct patches_arg *p, const char *image, const int64_t at[3], char *y)
{
    const struct window_axis *a = p->a;
    for (int64_t i = 0; i < a[0].size; i++) {
        int64_t d = window_axis_at(&a[0], at[0], i);
        for (int64_t j = 0; j < a[1].size; j++) {
            int64_t h = window_axis_at(&a[1], at[1], j);
            bool beyond = d < 0 || d >= a[0].in || h < 0 || h >= a[1].in;
            for (int64_t k = 0; k < a[2].size; k++, y += p->pixel) {
                int64_t w = window_axis_at(&a[2], at[2], k);
                if (beyond || w < 0 || w >= a[2].in)
                    memset(y, 0, p->pixel);
                else
                    memcpy(y, image + (size_t)((d * a[1].in + h) * a[2].in + w) * p->pixel,
                           p->pixel);
            }
        }
    }
}

static void copy_patches(void *arg, int64_t begin, int64_t end)
{
    const struct patches_arg *p = arg;
    const struct window_axis *a = p->a;
    size_t image = (size_t)(a[0].in * a[1].in * a[2].in) * p->pixel;
    size_t patch = (size_t)(a[0].size * a[1].size * a[2].size) * p->pixel;
    for (int64_t i = begin; i < end; i++) {
        int64_t rest = i / a[2].out, at[3] = {0, 0, i % a[2].out};
        at[1] = rest % a[1].out;
        at[0] = rest / a[1].out % a[0].out;
        copy_patch(p, p->x + (size_t)(rest / a[1].out / a[0].out) * image, at,
                   p->y + (size_t)i * patch);
    }
}

static bool patches_run(struct kctx *c, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0);
    int rank = rank_of(kernel_attrs(c));
    struct window_axis a[3];
    struct str padding = attrs_string(kernel_attrs(c), "padding");
    int64_t dims[5], elems, depth;
    if (!read_axes(kernel_attrs(c), rank, a, st))
        return false;
    if (tensor_rank(x) != rank)
        return status_bad_shape(
            st, rank == 4 ? "input must be 4-dimensional" : "input must be 5-dimensional",
            &x->shape);
    dims[0] = tensor_dim(x, 0);
    for (int i = 1; i < rank - 1; i++) {
        struct window_axis *axis = &a[i + 4 - rank];
        axis->in = tensor_dim(x, i);
        if (!window_axis_set(axis, padding, st))
            return false;
        dims[i] = axis->out;
    }
    if (!size_mul(a[0].size, a[1].size, &depth) || !size_mul(depth, a[2].size, &depth) ||
        !size_mul(depth, tensor_dim(x, rank - 1), &dims[rank - 1]))
        return status_invalid(st, "patches are too big");
    struct shape s = shape_make(dims, rank);
    struct tensor *y = shape_num_elems(&s, &elems, st) ? kernel_out(c, 0, &s, st) : NULL;
    shape_clear(&s);
    if (!y || elems == 0)
        return y != NULL;
    struct patches_arg p = {a, x->data, y->data,
                            (size_t)tensor_dim(x, rank - 1) * dtype_size(x->dtype)};
    int64_t n = elems / dims[rank - 1];
    kernel_loop(c, n, (double)dims[rank - 1] / 2, copy_patches, &p);
    return true;
}

static bool patches_shape(struct infer_ctx *c, struct status *st)
{
    int rank = attrs_find(infer_attrs(c), "rates") ? 4 : 5;
    const struct shape *x;
    struct window_axis a[3];
    int64_t dims[5];
    if (!infer_want_rank(c, infer_input(c, 0), rank, &x, st) ||
        !read_axes(infer_attrs(c), rank, a, st))
        return false;
    dims[0] = infer_dim(x, 0);
    dims[rank - 1] = infer_dim(x, rank - 1);
    for (int i = 1; i < rank - 1; i++) {
        struct window_axis *axis = &a[i + 4 - rank];
        axis->in = infer_dim(x, i);
        if (!window_axis_count(axis, attrs_string(infer_attrs(c), "padding"), &dims[i], st))
            return false;
        dims[rank - 1] = infer_dim_mul(dims[rank - 1], axis->size);
    }
    infer_set(c, 0, infer_make(c, dims, rank));
    return true;
}

/* --- the gradient: patches of an image of numbers 1, 2, ... say where each value came from, 0
 * where from nowhere; the gradients are summed by those --- */

static struct output slice_of(struct grad_ctx *g, struct output x, int32_t begin, int32_t size)
{
    return grad_op3(g, "Slice", x, grad_const_i32s(g, &begin, 1), grad_const_i32s(g, &size, 1));
}

static struct output joined(struct grad_ctx *g, int n, const struct output *parts)
{
    struct output in[5];
    for (int i = 0; i < n; i++)
        in[i] = parts[i];
    in[n] = grad_const_i32(g, 0);
    return grad_node_out(g,
                         grad_node(g, &(struct grad_build){.op = "ConcatV2",
                                                           .inputs = in,
                                                           .num_inputs = n + 1,
                                                           .list_sizes = (int[]){n, 1}}),
                         0);
}

/* The patches of [1, space..., 1] numbers from 1 on, as a vector. */
static struct output places(struct grad_ctx *g, struct output space, struct output count)
{
    const struct attrs *attrs = grad_attrs(g);
    struct output one = grad_const_i32s(g, (int32_t[]){1}, 1), flat[] = {one, space, one};
    struct output numbers =
        grad_op3(g, "Range", grad_const_i32(g, 1), grad_add(g, count, grad_const_i32(g, 1)),
                 grad_const_i32(g, 1));
    struct output image = grad_reshape(g, numbers, joined(g, 3, flat));
    static const char *const names[] = {"ksizes", "strides", "padding", "rates"};
    struct attr copies[4];
    int n = 0;
    for (int i = 0; i < 4; i++) {
        const struct attr_value *v = attrs_find(attrs, names[i]);
        if (v)
            copies[n++] = (struct attr){(char *)names[i], attr_value_dup(v)};
    }
    struct output from = grad_opv(g, grad_op_name(g), 1, &image, n, copies);
    return grad_reshape(g, from, grad_const_i32s(g, (int32_t[]){-1}, 1));
}

/* The two first of three dimensions change places. */
static struct output swapped(struct grad_ctx *g, struct output x)
{
    return grad_op2(g, "Transpose", x, grad_const_i32s(g, (int32_t[]){1, 0, 2}, 3));
}

static bool patches_grad(struct grad_ctx *g, struct status *st)
{
    int rank = rank_of(grad_attrs(g));
    struct output shape = grad_shape(g, grad_in(g, 0));
    struct output batch = slice_of(g, shape, 0, 1), space = slice_of(g, shape, 1, rank - 2);
    struct output channels = slice_of(g, shape, rank - 1, 1);
    struct output count = grad_op2(g, "Prod", space, grad_const_i32(g, 0));
    struct output where = places(g, space, count);
    struct output rows[] = {batch, grad_op1(g, "Shape", where), channels};
    struct output dy = swapped(g, grad_reshape(g, grad_dy(g, 0), joined(g, 3, rows)));
    struct output sums =
        grad_op3(g, "UnsortedSegmentSum", dy, where, grad_add(g, count, grad_const_i32(g, 1)));
    struct output begin = grad_const_i32s(g, (int32_t[]){1, 0, 0}, 3);
    struct output size = grad_const_i32s(g, (int32_t[]){-1, -1, -1}, 3);
    grad_set(g, 0, grad_reshape(g, swapped(g, grad_op3(g, "Slice", sums, begin, size)), shape));
    return grad_done(g, st);
}

#define PATCH_TYPE                                                                                 \
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
#define PATCH_KERNEL "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half}"

OP_DEF(extract_image_patches) = {
    .name = "ExtractImagePatches",
    .summary = "What a window that moves over images sees at each of its places.",
    .inputs = {"images: T"},
    .outputs = {"patches: T"},
    .attrs = {"ksizes: list(int) >= 4", "strides: list(int) >= 4", "rates: list(int) >= 4",
              PATCH_TYPE, "padding: {'SAME', 'VALID'}"},
    .shape = patches_shape,
    .grad = patches_grad,
    .no_kernel = "TensorFlow has none for uint32 and uint64",
};
KERNEL_DEF(extract_image_patches_cpu) = {
    .op = "ExtractImagePatches", .device = "CPU", .types = {PATCH_KERNEL}, .run = patches_run};

OP_DEF(extract_volume_patches) = {
    .name = "ExtractVolumePatches",
    .summary = "What a window that moves over volumes sees at each of its places.",
    .inputs = {"input: T"},
    .outputs = {"patches: T"},
    .attrs = {"ksizes: list(int) >= 5", "strides: list(int) >= 5", PATCH_TYPE,
              "padding: {'SAME', 'VALID'}"},
    .shape = patches_shape,
    .grad = patches_grad,
    .no_kernel = "TensorFlow has none for uint32 and uint64",
};
KERNEL_DEF(extract_volume_patches_cpu) = {
    .op = "ExtractVolumePatches", .device = "CPU", .types = {PATCH_KERNEL}, .run = patches_run};
