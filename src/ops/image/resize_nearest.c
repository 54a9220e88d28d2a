/* SPDX-License-Identifier: Apache-2.0 */
/* ResizeNearestNeighbor and its gradient's op: each pixel is a copy of one, and the gradient adds
 * up over the copies. */
#include <math.h>
#include <string.h>

#include "math/value_add.h"
#include "ops/image/resize.h"

/* The pixel among n that pixel i of another size takes. */
static int64_t nearest(int64_t i, float scale, int64_t n, const struct resize *r)
{
    float at = r->half_pixels ? ((float)i + 0.5f) * scale : (float)i * scale;
    int64_t k = (int64_t)(r->align_corners ? roundf(at) : floorf(at));
    k = k < n - 1 ? k : n - 1;
    return k > 0 ? k : 0;
}

struct nearest_arg {
    const struct resize *r;
    const struct tensor *x;
    struct tensor *y;
    float scale_h, scale_w;
};

static void copy_rows(void *arg, int64_t begin, int64_t end)
{
    const struct nearest_arg *a = arg;
    const struct resize *r = a->r;
    size_t pixel = (size_t)r->channels * dtype_size(a->x->dtype);
    for (int64_t row = begin; row < end; row++) {
        int64_t b = row / r->out_h;
        int64_t h = nearest(row % r->out_h, a->scale_h, r->in_h, r);
        const char *from = (const char *)a->x->data + (size_t)((b * r->in_h + h) * r->in_w) * pixel;
        char *to = (char *)a->y->data + (size_t)(row * r->out_w) * pixel;
        for (int64_t j = 0; j < r->out_w; j++, to += pixel)
            memcpy(to, from + (size_t)nearest(j, a->scale_w, r->in_w, r) * pixel, pixel);
    }
}

static bool nearest_run(struct kctx *c, struct status *st)
{
    struct resize r;
    if (!resize_check(c, &r, st))
        return false;
    struct tensor *y = resize_out(c, &r, st);
    if (!y)
        return false;
    if (y->num_elems == 0)
        return true;
    struct nearest_arg a = {.r = &r, .x = kernel_in(c, 0), .y = y};
    a.scale_h = math_resize_scale(r.in_h, r.out_h, r.align_corners);
    a.scale_w = math_resize_scale(r.in_w, r.out_w, r.align_corners);
    kernel_loop(c, r.batch * r.out_h, (double)(r.out_w * (r.channels + 2)), copy_rows, &a);
    return true;
}

static bool nearest_grad(struct grad_ctx *g, struct status *st)
{
    const struct shape *s = grad_shape_of(g, grad_in(g, 0));
    if (grad_as_python(g) && s->rank == 4 && shape_dim(s, 1) >= 0 && shape_dim(s, 2) >= 0 &&
        shape_dim(s, 1) <= INT32_MAX && shape_dim(s, 2) <= INT32_MAX) {
        const int32_t known[] = {(int32_t)shape_dim(s, 1), (int32_t)shape_dim(s, 2)};
        grad_set(g, 0, resize_back(g, "ResizeNearestNeighborGrad", grad_const_i32s(g, known, 2)));
        return grad_done(g, st);
    }
    struct output begin = grad_const_i32s(g, (int32_t[]){1}, 1);
    struct output size = grad_const_i32s(g, (int32_t[]){2}, 1);
    grad_set(g, 0,
             resize_back(g, "ResizeNearestNeighborGrad",
                         grad_op3(g, "Slice", grad_shape(g, grad_in(g, 0)), begin, size)));
    return grad_done(g, st);
}

OP_DEF(resize_nearest_neighbor) = {
    .name = "ResizeNearestNeighbor",
    .summary = "Images in another size, each pixel a copy of the nearest.",
    .inputs = {"images: T", "size: int32"},
    .outputs = {"resized_images: T"},
    .attrs = {"T: {int8, uint8, int16, uint16, int32, int64, half, float, double}",
              "align_corners: bool = false", "half_pixel_centers: bool = false"},
    .shape = resize_shape,
    .grad = nearest_grad,
};
KERNEL_DEF(resize_nearest_neighbor_cpu) = {
    .op = "ResizeNearestNeighbor", .device = "CPU", .run = nearest_run};

/* --- the gradient's op: input 0 are gradients of the resized images, input 1 the first size --- */

static bool back_run(struct kctx *c, struct status *st)
{
    struct resize r;
    if (!resize_check(c, &r, st))
        return false;
    const struct tensor *dy = kernel_in(c, 0);
    struct tensor *dx = resize_out(c, &r, st);
    if (!dx)
        return false;
    if (dx->num_elems == 0)
        return true;
    memset(dx->data, 0, tensor_bytes(dx));
    float scale_h = math_resize_scale(r.out_h, r.in_h, r.align_corners);
    float scale_w = math_resize_scale(r.out_w, r.in_w, r.align_corners);
    size_t pixel = (size_t)r.channels * dtype_size(dx->dtype);
    value_add_fn add = value_add_of(dx->dtype);
    const char *from = dy->data;
    for (int64_t row = 0; row < r.batch * r.in_h; row++) {
        int64_t h = nearest(row % r.in_h, scale_h, r.out_h, &r);
        char *to = (char *)dx->data + (size_t)(((row / r.in_h) * r.out_h + h) * r.out_w) * pixel;
        for (int64_t j = 0; j < r.in_w; j++, from += pixel)
            add(to + (size_t)nearest(j, scale_w, r.out_w, &r) * pixel, from, r.channels);
    }
    return true;
}

OP_DEF(resize_nearest_neighbor_grad) = {
    .name = "ResizeNearestNeighborGrad",
    .summary = "The gradient of ResizeNearestNeighbor: sums over the pixels made of one.",
    .inputs = {"grads: T", "size: int32"},
    .outputs = {"output: T"},
    .attrs = {"T: {uint8, int8, int32, half, float, double}", "align_corners: bool = false",
              "half_pixel_centers: bool = false"},
    .shape = resize_shape,
    .no_grad = "undefined: TensorFlow registers none",
};
KERNEL_DEF(resize_nearest_neighbor_grad_cpu) = {
    .op = "ResizeNearestNeighborGrad", .device = "CPU", .run = back_run};
