/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and shapes of the resizing ops. */
#include "ops/image/resize.h"

bool resize_attrs(const struct kctx *c, struct resize *r, struct status *st)
{
    r->align_corners = attrs_bool(kernel_attrs(c), "align_corners");
    r->half_pixels = attrs_bool(kernel_attrs(c), "half_pixel_centers");
    return !(r->align_corners && r->half_pixels) ||
           status_invalid(st, "If half_pixel_centers is True, align_corners must be False.");
}

static bool fail_shape(const char *words, const struct shape *s, struct status *st)
{
    struct strbuf text = {0};
    shape_print(s, &text);
    status_invalid(st, "%s%s", words, strbuf_text(&text));
    strbuf_release(&text);
    return false;
}

bool resize_check(const struct kctx *c, struct resize *r, struct status *st)
{
    const struct tensor *x = kernel_in(c, 0), *size = kernel_in(c, 1);
    if (!resize_attrs(c, r, st))
        return false;
    if (tensor_rank(x) != 4)
        return fail_shape("input must be 4-dimensional", &x->shape, st);
    if (tensor_rank(size) != 1)
        return fail_shape("shape_t must be 1-dimensional", &size->shape, st);
    if (size->num_elems != 2)
        return fail_shape("shape_t must have two elements", &size->shape, st);
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
