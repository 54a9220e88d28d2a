/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and shapes of the resizing ops. */
#include "ops/image/resize.h"

static bool resize_attrs(const struct kctx *c, struct resize *r, struct status *st)
{
    r->align_corners = attrs_bool(kernel_attrs(c), "align_corners");
    r->half_pixels = attrs_bool(kernel_attrs(c), "half_pixel_centers");
    return !(r->align_corners && r->half_pixels) ||
           status_invalid(st, "If half_pixel_centers is True, align_corners must be False.");
}

bool resize_check(const struct kctx *c, struct resize *r, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *size = kernel_in(c, 1);
    if (!resize_attrs(c, r, st))
        return false;
    if (tensor_rank(x) != 4)
        return status_bad_shape(st, "input must be 4-dimensional", &x->shape);
    if (tensor_rank(size) != 1)
        return status_bad_shape(st, "shape_t must be 1-dimensional", &size->shape);
    if (size->num_elems != 2)
        return status_bad_shape(st, "shape_t must have two elements", &size->shape);
    r->batch = tensor_dim(x, 0);
    r->in_h = tensor_dim(x, 1);
    r->in_w = tensor_dim(x, 2);
    r->channels = tensor_dim(x, 3);
    r->out_h = tensor_i32(size)[0];
    r->out_w = tensor_i32(size)[1];
    if (r->out_h <= 0 || r->out_w <= 0)
        return status_invalid(st, "output dimensions must be positive");
    if (r->in_h > INT32_MAX || r->in_w > INT32_MAX)
        return status_invalid(st, "input sizes must be between 0 and max int32");
    return (r->in_h > 0 && r->in_w > 0) ||
           status_invalid(st, "input image must be of non-zero size");
}

bool resize_back_check(const struct kctx *c, struct resize *r, struct status *st)
{
    const struct tensor *dy = kernel_in(c, 0), *x = kernel_in(c, 1);
    *r = (struct resize){0};
    if (!resize_attrs(c, r, st))
        return false;
    if (tensor_rank(dy) != 4)
        return status_bad_shape(st, "input_grad must be 4-dimensional", &dy->shape);
    if (tensor_rank(x) != 4)
        return status_bad_shape(st, "original_image must be 4-dimensional", &x->shape);
    r->batch = tensor_dim(x, 0);
    r->in_h = tensor_dim(x, 1);
    r->in_w = tensor_dim(x, 2);
    r->channels = tensor_dim(x, 3);
    r->out_h = tensor_dim(dy, 1);
    r->out_w = tensor_dim(dy, 2);
    if (r->batch != tensor_dim(dy, 0) || r->channels != tensor_dim(dy, 3))
        return status_invalid(st, "the gradients' batch or channels are not those of the image");
    return !((r->in_h == 0 || r->in_w == 0) && dy->num_elems > 0) ||
           status_invalid(st, "original_image must be of non-zero size");
}

struct tensor *resize_out(struct kctx *c, const struct resize *r, struct status *st)
{
    int64_t elems;
    struct shape s = shape_4(r->batch, r->out_h, r->out_w, r->channels);
    return shape_num_elems(&s, &elems, st) ? kernel_out(c, 0, &s, st) : NULL;
}

bool resize_back_shape(struct infer_ctx *c, struct status *st)
{
    (void)st;
    infer_set(c, 0, infer_input(c, 1));
    return true;
}

struct output resize_back(struct grad_ctx *g, const char *op, struct output second)
{
    const struct attrs *attrs = grad_attrs(g);
    return grad_opv(
        g, op, 2, (struct output[]){grad_dy(g, 0), second}, 2,
        (struct attr[]){
            {(char *)"align_corners", attr_bool(attrs_bool(attrs, "align_corners"))},
            {(char *)"half_pixel_centers", attr_bool(attrs_bool(attrs, "half_pixel_centers"))}});
}

bool resize_shape(struct infer_ctx *c, struct status *st)
{
    const struct shape *x, *size;
    if (!infer_want_rank(c, infer_input(c, 0), 4, &x, st) ||
        !infer_want_rank(c, infer_input(c, 1), 1, &size, st))
        return false;
    int64_t n, dims[4] = {infer_dim(x, 0), DIM_UNKNOWN, DIM_UNKNOWN, infer_dim(x, 3)};
    if (!infer_want_dim(c, infer_dim(size, 0), 2, &n, st))
        return false;
    const struct tensor *known = infer_const(c, 1);
    if (known && known->num_elems == 2) {
        dims[1] = tensor_i32(known)[0] < 0 ? DIM_UNKNOWN : tensor_i32(known)[0];
        dims[2] = tensor_i32(known)[1] < 0 ? DIM_UNKNOWN : tensor_i32(known)[1];
    }
    infer_set(c, 0, infer_make(c, dims, 4));
    return true;
}
